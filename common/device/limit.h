/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * limit: something of which a GPU has only so much, as data.
 *
 * A limit is a sum: there is a total, and each type needs a part of it. Memory is such a sum (MiB),
 * and so is the largest number of vGPUs of one type (each needs 1). A vendor's file adds the limits
 * of its cards to the inventory while it scans (device/xe.c). device/maxima.c adds what drivers and
 * the administrator say of single types. Only placement/gpu-room.c reads limits. A limit does not
 * say why it is there, so gpu-room.c knows no vendor.
 *
 * Two rules are no limits, because they have no total. No driver tells how many GPU instances (MIG)
 * of a size are free. It only tells whether it would make a vGPU of a type now
 * (placement/gpu-load.h: lacks). Whether a GPU takes another frame buffer size depends on the vGPUs
 * that are there (placement/gpu-room.c: apply_one_size).
 *
 * The inventory owns the arrays. It makes them longer when a type or a parent is added.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum limit_source {
    LIMIT_TOLD,       /* the driver says so */
    LIMIT_CONFIGURED, /* the administrator says so, and the driver does not */
    LIMIT_TABLE,      /* a table of its vendor says so, and neither of them; never less than what
                         was seen, as the table may be older than the driver */
    LIMIT_CALCULATED, /* it follows from sizes, and is never less than what was seen */
};

struct limit {
    enum limit_source source;
    const char *unit; /* what is summed up, for people: "MiB", "vGPUs" */
    bool is_memory;   /* the unit is MiB of frame buffer. A vGPU of an unlisted type needs its own
                         frame buffer; if false, it needs `other`. On a GPU that takes one size at a
                         time, the limit counts for another day only */
    bool is_enough; /* what is left of the total can be had, unless functions are taken, or vGPUs of
                       another frame buffer size are there */
    uint64_t total;
    uint64_t other;  /* what a vGPU of an unlisted type needs */
    uint64_t *needs; /* per type of the GPU */
    bool *binds;     /* per type: whether the limit counts for it */

    /* Per parent of the GPU, if parents keep something of the limit: what a parent has now,
     * and what it has without its vGPU. NULL: a parent has what its vGPUs need. */
    uint64_t *held, *base;
};
