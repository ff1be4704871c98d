/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fake-snapshot: a machine as the values that a placement looks at: no tree, no kernel, no files.
 *
 * The description is that of fake-kernel.h, and the driver's rules are the fake kernel's, so a
 * machine can go from a test of values to one of whole events and back. It aborts on a wrong
 * description.
 */

#pragma once

#include "lease/ledger.h"
#include "placement/problem.h"

#define FAKE_LEASES 64

struct fake_snapshot {
    struct inventory inventory;
    struct ledger ledger;
    struct names drained;
    struct placement_rejection *rejections;
    size_t rejection_count;
    unsigned numbers[FAKE_LEASES]; /* of the leases' vGPUs, as the description has them */
    bool busy[FAKE_LEASES];        /* those that are in use */
};

/* To be cleared. */
void fake_snapshot_make(struct fake_snapshot *ret, const char *machine);
void fake_snapshot_clear(struct fake_snapshot *snapshot);

/* The UUIDs of a mediated device by its number, and of a domain by its name. */
struct name fake_device(unsigned number);
struct name fake_domain(const char *name);
