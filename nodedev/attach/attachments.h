/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * attachments: several vGPUs more for a domain, all of them or none.
 */

#pragma once

#include "attach/attachment.h"

struct attachments_wish {
    struct domain_edit_device device; /* what each is to be */
    unsigned count;
    bool display;     /* the only one is to be seen on the guest's screen */
    unsigned timeout; /* milliseconds that a guest has to let go of one */
};

/*
 * Adds the vGPUs of a wish to the definitions that are meant, and prints a line for
 * each in the end. Whether this host could ever give them all, beside what else the domain asks
 * for, is asked before the first. A domain that does not run is defined once. A guest that runs is
 * given one after the other; if one fails it is asked to let go of those before, each within the
 * timeout (milliseconds). The errors of attachment_place and hotplug_in; which ones a guest keeps
 * is in error as well.
 */
int attachments_run(const struct domain_source *source, const struct attachments_wish *wish,
                    struct error *error) CHECKED NONNULL;

/* Prints the XML with them instead, without passwords. A file may be for another host: what this
 * one could not do is told on stderr then, and no error. */
int attachments_print(const struct domain_source *source, const struct attachments_wish *wish,
                      struct error *error) CHECKED NONNULL;
