/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * detachment: one vGPU less for a domain, in whichever of its definitions are meant.
 */

#pragma once

#include "attach/hotplug.h"

/*
 * Takes out of a domain what `word` names, an alias of its annotation. Both definitions are looked
 * at first; then the guest, which may not let go of it, comes before the definition. The errors of
 * hotplug_out and of domain_edit_remove, whose -EINVAL is about the domain and not about the
 * command line.
 */
int detachment_run(const struct domain_source *source, const char *word, unsigned timeout,
                   struct error *error) CHECKED NONNULL;
