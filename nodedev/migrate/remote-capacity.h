/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * remote-capacity: whether another host has room for the vGPUs of one domain, as far as libvirt
 * tells.
 *
 * A GPU without virtual functions says truly how many more of one type it takes. What it takes of
 * several types, or by virtual functions, is not told; and a full one may still make capacity, as
 * the hook there removes vGPUs of its own that no guest has. So "no" is said only where all of that
 * is out of the problem.
 */

#pragma once

#include "libvirt/remote.h"

/* The greater, the worse. */
enum remote_capacity_answer { REMOTE_CAPACITY_YES, REMOTE_CAPACITY_UNKNOWN, REMOTE_CAPACITY_NO };

struct remote_gpu; /* what is taken of a GPU */

struct remote_capacity {
    const struct remote_host *host; /* borrowed; it answered */
    struct remote_gpu *gpus;        /* what this guest takes of each */
    bool has_chosen;                /* between types: another choice might have left more room */
};

void
remote_capacity_start(struct remote_capacity *capacity, const struct remote_host *host) NONNULL;
void remote_capacity_end(struct remote_capacity *capacity) NONNULL;

/* Takes room for one vGPU of any type that the filter wants, if there is one for sure. Writes
 * why into text. */
enum remote_capacity_answer
remote_capacity_take(struct remote_capacity *capacity, const struct inventory_filter *filter,
                     char *text, size_t size) CHECKED NONNULL;
