/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * availability: how many more vGPUs of a type a GPU would take now: how often the decision about
 * one more would be yes.
 *
 * That is by the configuration (what is drained, disabled, not allowed or reserved is not
 * available), with everything counted that a start would remove to make room, and of the GPU as a
 * whole: it is no sum over virtual functions.
 */

#pragma once

#include "actions/snapshot.h"
#include "placement/eviction.h"

struct availability {
    struct request request; /* of a domain that nobody has */
    struct demands demands; /* none */
    struct ledger ledger;   /* the snapshot's, without what a start would forget */
    struct placement_problem now;
    struct eviction after; /* once all is gone that a start may remove */
};

/* Borrows the snapshot, which was taken with inventory_all_types, and must stay where it is.
 */
void availability_init(struct availability *availability, const struct host *host,
                       const struct snapshot *snapshot) NONNULL;
void availability_clear(struct availability *availability) NONNULL;

/* How many; -errno if the driver does not tell, as where several functions would each take one and
 * the GPU has no limit that is known. *at_most: it never is more; -errno: nobody says. */
int availability_of(const struct availability *availability, size_t gpu, size_t type,
                    int *at_most) CHECKED NONNULL;

/* MiB that guests could get of a GPU whose memory is summed up. */
unsigned availability_memory(const struct availability *availability, size_t gpu) CHECKED NONNULL;
