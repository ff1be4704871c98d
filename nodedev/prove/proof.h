/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * proof: tries whether a GPU behaves as the program believes.
 *
 * It makes and removes vGPUs on an empty GPU (course.h, workbench.h). After each step it compares
 * all that the driver says with the predictions (observation.h). A start decides by the same
 * predictions.
 *
 * At the end the GPU is empty again, unless the driver does not remove a vGPU.
 */

#pragma once

#include "prove/course.h"
#include "prove/observation.h"
#include "prove/workbench.h"

#include <stdio.h>

struct proof {
    struct workbench bench; /* holds the GPU */
    struct policy policy;
    struct observation seen; /* seen.found: the predictions that failed */
    bool *usable;            /* for each parent of the empty GPU: vGPUs may be made there */
    struct course course;
    bool *partners; /* for each two types of the course: the driver offers the second type beside a
                       vGPU of the first */
    unsigned steps; /* about how many there will be, as far as that is known so far */
    uint64_t began; /* ms since the kernel booted */
    FILE *record;   /* gets a line for each step */

    /* Is called before each step. False: the proof stops. */
    bool (*goes_on)(const struct proof *proof, const void *data);
    const void *data;
};

/* Reads the GPU of the bench, and chooses the course. `kept` are virtual functions on which no vGPU
 * may be made. The bench, policy, record and goes_on are set, and the rest is 0. -EBUSY with a line
 * in error: a vGPU is on the GPU. The caller clears proof in every case. */
int proof_begin(struct proof *proof, const struct names *kept, bool all,
                struct error *error) CHECKED NONNULL;

/* Runs the course. 0: the course is complete, and proof->seen.found has the predictions that
 * failed. -EINTR: it was stopped. -EBUSY: somebody else has made a vGPU on the GPU. Else -errno:
 * the driver does not make or remove a vGPU in time, or the ledger cannot be written. A line is in
 * error. */
int proof_run(struct proof *proof, struct error *error) CHECKED NONNULL;

void proof_clear(struct proof *proof) NONNULL;
