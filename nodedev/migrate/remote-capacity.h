/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * remote-capacity: whether another host has room for the vGPUs of one domain, as far as libvirt
 * tells.
 *
 * For a GPU without virtual functions, libvirt tells truly how many more vGPUs of one type the GPU
 * takes. libvirt does not tell how many vGPUs of several types fit together, or how many fit by
 * virtual functions. A full GPU may still get room, because the hook there removes its own vGPUs
 * that no guest has. So the answer is "no" only if none of this matters.
 */

#pragma once

#include "libvirt/remote.h"

/* In order: a greater answer is worse. */
enum remote_capacity_answer { REMOTE_CAPACITY_YES, REMOTE_CAPACITY_UNKNOWN, REMOTE_CAPACITY_NO };

struct remote_gpu; /* what is taken of one GPU */

struct remote_capacity {
    const struct remote_host *host; /* borrowed; the host has answered */
    struct remote_gpu *gpus;        /* what this guest takes of each GPU */
    bool has_chosen;                /* between types; another choice might have left more room */
};

void
remote_capacity_start(struct remote_capacity *capacity, const struct remote_host *host) NONNULL;
void remote_capacity_end(struct remote_capacity *capacity) NONNULL;

/* Takes room for one vGPU of any type that the filter wants, if there surely is room. Writes the
 * reason into text. */
enum remote_capacity_answer
remote_capacity_take(struct remote_capacity *capacity, const struct inventory_filter *filter,
                     char *text, size_t size) CHECKED NONNULL;
