/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * users: who uses a card or its virtual functions, so that these are not to be taken away.
 *
 * A guest uses one if the ledger has a lease of it, unless it is merely kept for the guest's next
 * start; or if the guest runs with it, whether it asked us or not. Any other process uses one that
 * it has open by VFIO.
 */

#pragma once

#include "actions/snapshot.h"
#include "view/sriov-gpu.h"

/* 0 if nobody uses it; -EBUSY with a line in error that names who does; or -errno. It looks; it
 * keeps nobody away. */
int users_check(const struct host *host, const struct snapshot *snapshot,
                const struct sriov_gpu *card, struct error *error) CHECKED NONNULL;
