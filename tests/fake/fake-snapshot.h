/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fake-snapshot: a machine, as the values that placement reads. There is no tree, no kernel and no
 * file.
 *
 * The description is that of fake-kernel.h, and the driver's rules are those of the fake kernel. So
 * a test of values and a test of whole events can use the same machine. A wrong description aborts
 * the test.
 */

#pragma once

#include "lease/ledger.h"
#include "placement/problem.h"

#define FAKE_LEASES 64

struct fake_snapshot {
    struct inventory inventory;
    struct ledger ledger;
    struct placement_rejection *rejections;
    size_t rejection_count;
    unsigned numbers[FAKE_LEASES]; /* the vGPUs of the leases, in the order of the description */
    bool busy[FAKE_LEASES];        /* the vGPUs that are in use */
};

/* Free the snapshot with the clear function. */
void fake_snapshot_make(struct fake_snapshot *ret, const char *machine);
void fake_snapshot_clear(struct fake_snapshot *snapshot);

/* The UUID of a mediated device by its number, and of a domain by its name. */
struct name fake_device(unsigned number);
struct name fake_domain(const char *name);
