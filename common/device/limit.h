/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * limit: something of which a GPU has only so much, as data.
 *
 * A limit is a sum: there is a total, and each type needs a part of it. Memory is such a sum (MiB),
 * and so is the largest number of vGPUs of one type (each needs 1). Who knows a card adds its
 * limits to the inventory: a vendor's file while it scans (device/xe.c), and device/maxima.c for
 * what drivers and the administrator say of single types. Who counts reads them:
 * placement/gpu-room.c, and nobody else. A limit does not know why it is there, so the one who
 * counts knows no vendor.
 *
 * The inventory owns the arrays. It makes them longer when a type or a parent is added.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum limit_source {
    LIMIT_TOLD,       /* the driver says so */
    LIMIT_CONFIGURED, /* the administrator says so, and the driver does not know it */
    LIMIT_CALCULATED, /* it follows from sizes, and is never less than what was seen */
};

struct limit {
    enum limit_source source;
    const char *unit; /* what is summed up, for people: "MiB", "vGPUs" */
    bool is_memory;   /* the unit is MiB of frame buffer: a vGPU of a type that the GPU does not
                         list needs its own frame buffer, else `other` */
    bool is_enough;   /* what is left of the total can be had: nothing else keeps a guest from it
                         but functions that are taken, and another frame buffer size */
    uint64_t total;
    uint64_t other;  /* what a vGPU needs whose type the GPU does not list */
    uint64_t *needs; /* per type of the GPU */
    bool *binds;     /* per type: whether the limit keeps it from being made */

    /* Per parent of the inventory, of a limit whose parents keep something of it: what a parent has
     * now, and what it has without its vGPU. NULL: a parent has what its vGPUs need. */
    uint64_t *held, *base;
};
