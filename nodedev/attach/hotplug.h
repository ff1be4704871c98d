/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * hotplug: a vGPU into a running guest, and out of it.
 *
 * libvirt runs no hook for either, so the device is made before and removed after, by ourselves.
 */

#pragma once

#include "attach/source-edit.h"

/* Whether we have the right to: -EACCES with a line in error. To be asked before anything is
 * changed. */
int hotplug_check(const struct host *host, struct error *error) CHECKED NONNULL;

/* What the domain's definition is to become, and the way back; both with passwords. */
struct hotplug_definition {
    const struct document *before, *after;
};

/*
 * Makes the vGPU of an alias, plugs it into the guest and writes what it asks for into the XML it
 * runs with, and into its definition, unless that is NULL. `edit` is that XML with the vGPU in it.
 * On failure nothing of it is left, unless the guest, which is asked to let go of it, does not do
 * so within the timeout (milliseconds), or libvirt does not take the old definition: error says so.
 * The errors of assign_device; -EIO with libvirt's words.
 */
int hotplug_in(const struct domain_source *source, const struct domain_edit *edit,
               const char *alias, unsigned timeout, const struct hotplug_definition *definition,
               struct error *error) CHECKED __attribute__((nonnull(1, 2, 3, 6)));

/* A vGPU that is to leave, and the XML without it; as domain_edit_remove left them. */
struct hotplug_leaver {
    const char *word; /* as it was typed */
    struct domain_edit edit;
    struct name device; /* "": the guest has it no more */
    char *alias;        /* NULL: the same */
};
void hotplug_leaver_clear(struct hotplug_leaver *leaver) NONNULL;

/*
 * Asks the guest to let go of it, waits until it has, removes it from the annotation and gives it
 * back. -EBUSY with a line in error, and nothing is removed, if the guest keeps it for longer than
 * the timeout (milliseconds); what fails after that is left to `reconcile`.
 */
int hotplug_out(const struct domain_source *source, const struct hotplug_leaver *leaver,
                unsigned timeout, struct error *error) CHECKED NONNULL;
