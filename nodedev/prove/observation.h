/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * observation: what is made on a GPU, and all that its driver says of it, step by step.
 *
 * After each step everything is read anew, and compared with two predictions (expectation.h): from
 * what was seen before the step, and from the empty GPU. What was made must be where it was made.
 * If the figures are wrong, they are read again for some seconds: they may only be late.
 */

#pragma once

#include "placement/gpu-load.h"
#include "policy/policy.h"
#include "prove/discrepancy.h"
#include "prove/function-facts.h"

/* A vGPU that is made just now. */
struct observation_vgpu {
    struct name device, parent;
    size_t type; /* of the empty GPU */
};

struct observation {
    const struct host *host;
    const struct policy *policy;
    struct name gpu;
    struct inventory empty; /* as the GPU was before the first step */
    size_t index;           /* of the GPU in `empty` */
    struct inventory now;   /* as it was after the last step */
    struct function_facts facts;
    struct observation_vgpu *vgpus; /* in the order of making */
    size_t vgpu_count;
    struct discrepancies found; /* its step is the present one */
};

/* Reads the empty GPU. host, policy and gpu are set; the rest is 0. -EBUSY with a line in error: a
 * vGPU is there. The caller clears the observation in every case. */
int observation_begin(struct observation *observation, struct error *error) CHECKED NONNULL;
void observation_clear(struct observation *observation) NONNULL;

/* Reads what the driver says after a step, and compares. `predicted` is a load of observation->now,
 * with what the step has made or removed. -EBUSY with a line in error: somebody else has made a
 * vGPU on the GPU; or -errno. */
int observation_take(struct observation *observation, const struct gpu_load *predicted,
                     struct error *error) CHECKED NONNULL;

/* A type of the empty GPU. */
const struct inventory_type *
observation_type(const struct observation *observation, size_t type) NONNULL;

/* What is on the GPU, for sentences: "with 3 T4-1B and 1 T4-2Q on it". */
struct observation_text {
    char text[256];
};
struct observation_text observation_situation(const struct observation *observation) NONNULL;
