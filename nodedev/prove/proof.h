/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * proof: tries whether a GPU behaves as the program believes.
 *
 * It makes and removes vGPUs on an empty GPU (course.h, workbench.h). After each step all that the
 * driver says is compared with what was predicted (observation.h). A start decides by the same
 * predictions.
 *
 * The GPU is empty again at the end, unless the driver does not remove a vGPU.
 */

#pragma once

#include "prove/course.h"
#include "prove/observation.h"
#include "prove/workbench.h"

#include <stdio.h>

struct proof {
    struct workbench bench;  /* has the GPU */
    struct observation seen; /* seen.found: the predictions that failed */
    bool *usable;            /* per parent of the empty GPU: vGPUs may be made there */
    struct course course;
    bool *partners; /* per two types of the course: the driver offers the second beside one vGPU of
                       the first */
    uint64_t began; /* ms since the kernel booted */
    FILE *record;   /* gets a line for each step */

    /* Is called before each step. False: stop. */
    bool (*goes_on)(const struct proof *proof, void *data);
    void *data;
};

/* Reads the GPU that the bench has, and chooses the course. `kept` are virtual functions on which
 * nothing may be made. The bench, record and goes_on are set; the rest is 0. -EBUSY with a
 * line in error: something is on the GPU. The caller clears proof in every case. */
int proof_begin(struct proof *proof, const struct names *kept, bool all,
                struct error *error) CHECKED NONNULL;

/* Runs the course. 0: it came to its end; proof->seen.found has the predictions that failed.
 * -EINTR: it was stopped. -EBUSY: somebody else has made something on the GPU. Else -errno: the
 * driver does not make or remove a vGPU in time, or the ledger cannot be written. A line is in
 * error. */
int proof_run(struct proof *proof, struct error *error) CHECKED NONNULL;

void proof_clear(struct proof *proof) NONNULL;
