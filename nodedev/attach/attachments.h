/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * attachments: several more vGPUs for a domain: all of them, or none.
 */

#pragma once

#include "attach/attachment.h"
#include "attach/wish.h"

/*
 * Adds the vGPUs of a wish to the chosen definitions, and prints a line for each at the end. Before
 * the first one, it checks whether this host could ever give them all, together with the domain's
 * other vGPUs. A domain that does not run is defined once. A running guest gets one vGPU after the
 * other. If one fails, the guest is asked to release those before it, each within the timeout
 * (milliseconds). Returns the errors of attachment_place and hotplug_in; error also names the vGPUs
 * that the guest keeps. ret gets the vGPUs that were added and stay, also on failure; the caller
 * clears it in every case.
 */
int attachments_run(const struct domain_source *source, const struct wish *wish,
                    struct changes *ret, struct error *error) CHECKED NONNULL;

/* Plans the same, and changes nothing. ret gets what would be added. Whether a guest that runs
 * could have it now is another question (what-if.h). */
int attachments_foresee(const struct domain_source *source, const struct wish *wish,
                        struct changes *ret, struct error *error) CHECKED NONNULL;

/* Prints the XML with the vGPUs, without passwords, and changes nothing. A file may be for another
 * host. What this host could not do is then a warning on stderr, and no error. */
int attachments_print(const struct domain_source *source, const struct wish *wish,
                      struct error *error) CHECKED NONNULL;
