/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * detachment: removes one vGPU from the chosen definitions of a domain.
 */

#pragma once

#include "attach/hotplug.h"
#include "view/change.h"

/*
 * Removes the vGPU that `word` names, an alias of the domain's annotation. Both definitions are
 * checked first. Then the running guest comes before the definition, because the guest may not
 * release the vGPU. Returns the errors of hotplug_out and of domain_edit_remove. An -EINVAL of
 * domain_edit_remove is about the domain, not about the command line. ret gets the
 * change, also if only the first of both definitions was changed; the caller clears it. With
 * ret->is_dry_run nothing is changed, and ret gets what would be.
 */
int detachment_run(const struct domain_source *source, const char *word, unsigned timeout,
                   struct changes *ret, struct error *error) CHECKED NONNULL;

/* Removes several, one after the other, and prints a line for each. If one stays, so do those
 * behind it. */
int detachments_run(const struct domain_source *source, const struct words *words, unsigned timeout,
                    struct changes *ret, struct error *error) CHECKED NONNULL;
