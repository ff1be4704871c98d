/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * what-if: a domain as it would be with more vGPUs. Nothing is defined, and nothing is reserved.
 *
 * The vGPUs are added to the XML as 'vgpuctl attach' adds them. Where they would go is then asked
 * of a dry run, which may give them any place and either kind of device.
 */

#pragma once

#include "actions/dry-run.h"
#include "attach/attachment.h"

struct what_if {
    struct names added;          /* the sources that the vGPUs have in the changed request */
    enum demand_freedom freedom; /* how far they may go from these */
    struct names avoided;        /* virtual functions that this domain has or other domains name */
};

/*
 * Adds the vGPUs of a wish to source->text and source->request, which domain_source_request has
 * read. The caller clears ret in every case. Returns the errors of domain_edit_add.
 */
int what_if_add(struct domain_source *source, const struct wish *wish, struct what_if *ret,
                struct error *error) CHECKED NONNULL;
void what_if_clear(struct what_if *what_if) NONNULL;

/* What a start would do now. A guest that runs keeps its vGPUs, so only the added ones count.
 * Returns the errors of dry_run_make. */
int what_if_run(const struct what_if *what_if, const struct domain_source *source,
                const struct dry_run_sight *sight, struct dry_run *ret,
                struct error *error) CHECKED NONNULL;
