/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * hotplug: plugs a vGPU into a running guest, and takes one out of a guest and its definitions.
 *
 * libvirt runs no hook for either. So this file makes the device before, or removes the device
 * after.
 */

#pragma once

#include "attach/source-edit.h"
#include "view/change.h"

/* Whether this process has the necessary rights. Returns -EACCES with a line in error. Call it
 * before anything is changed. */
int hotplug_check(const struct host *host, struct error *error) CHECKED NONNULL;

/* Whether the guest runs with a device. Returns the errors of domain_source_text, and -EINVAL if
 * its XML cannot be read. */
int hotplug_has_device(const struct domain_source *source, const struct name *device, bool *ret,
                       struct error *error) CHECKED NONNULL;

/* The new definition of the domain, and the old one to go back to. Both contain the passwords. */
struct hotplug_definition {
    const struct document *before, *after;
};

/*
 * Makes the vGPU of an alias and plugs it into the guest. Then writes its request into the XML that
 * the guest runs with. `edit` is that XML with the vGPU. The domain's definition becomes
 * definition->after, unless `definition` is NULL.
 *
 * On failure everything is undone. Two things may prevent that: the guest does not release the vGPU
 * within the timeout (milliseconds), or libvirt refuses the old definition. error tells this.
 * Returns the errors of assign_device, or -EIO with libvirt's words.
 */
int hotplug_in(const struct domain_source *source, const struct domain_edit *edit,
               const char *alias, unsigned timeout, const struct hotplug_definition *definition,
               struct error *error) CHECKED __attribute__((nonnull(1, 2, 3, 6)));

/* A vGPU to be taken out, and the XML without it, as domain_edit_remove made them. */
struct hotplug_leaver {
    const char *word; /* the word that was typed */
    struct domain_edit edit;
    struct name device; /* "": the guest does not have the device any more */
    char *alias;        /* the device's alias; NULL: the guest has no such device, and only its
                         * <vgpu:device> is left */
};
void hotplug_leaver_clear(struct hotplug_leaver *leaver) NONNULL;

/*
 * Removes the vGPU that `word` names, an alias of the domain's annotation, from the chosen
 * definitions of a domain. Both are checked first. Then the running guest comes before the
 * definition, because the guest may not release the vGPU within the timeout (milliseconds): -EBUSY,
 * and nothing is removed. Also returns the errors of domain_edit_remove. An -EINVAL of it is about
 * the domain, not about the command line. ret gets the change, also if only the first of both
 * definitions was changed; the caller clears it. With ret->is_dry_run nothing is changed, and ret
 * gets what would be.
 */
int detachment_run(const struct domain_source *source, const char *word, unsigned timeout,
                   struct changes *ret, struct error *error) CHECKED NONNULL;

/* Removes several, one after the other, and prints a line for each. If one stays, so do those
 * behind it. */
int detachments_run(const struct domain_source *source, const struct words *words, unsigned timeout,
                    struct changes *ret, struct error *error) CHECKED NONNULL;
