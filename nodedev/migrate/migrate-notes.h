/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * migrate-notes: what an administrator has to know of a migration that no host can tell. A note
 * does not count for the verdict.
 */

#pragma once

#include "cli/finding.h"
#include "migrate/migrating-guest.h"

/* Adds all notes on a guest of this host. `here` is this host as /sys tells it, and `manager` the
 * version of NVIDIA's vGPU manager here; "": not known. */
void migrate_notes_add(const struct migrating_guest *guest, const struct inventory *here,
                       const char *manager, struct findings *found) NONNULL;
