/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * observation: the vGPUs that are made on a GPU, and all that its driver says, step by step.
 *
 * After each step everything is read again, and compared with two predictions (discrepancy.h). One
 * follows from the reading before the step, and one from the empty GPU. Each vGPU must be at the
 * place where it was made. Wrong figures may only be late. So they are read again for some seconds.
 */

#pragma once

#include "placement/gpu-load.h"
#include "policy/policy.h"
#include "prove/discrepancy.h"

/* The facts that make a virtual function usable for a guest. None of them may change when vGPUs are
 * made and removed. */
struct observation_function {
    struct name function;
    struct name driver; /* "": the function is bound to no driver */
    struct name group;  /* IOMMU; "": the function has no group */
    bool can_reset;     /* by the kernel */
};

struct observation_functions {
    struct observation_function *items;
    size_t count;
};

/* A vGPU that was made, and is not removed yet. */
struct observation_vgpu {
    struct name device, parent;
    const struct inventory_type *type; /* of the empty GPU */
};

struct observation {
    const struct host *host;
    const struct policy *policy;
    struct name gpu;
    struct inventory empty;           /* the reading before the first step */
    const struct inventory_gpu *card; /* the GPU in `empty` */
    struct inventory now;             /* the reading after the last step */
    struct observation_functions functions;
    struct observation_vgpu *vgpus; /* in the order of making */
    size_t vgpu_count;
    struct discrepancies found; /* found.step is the present step */
};

/* Reads the empty GPU. host, policy and gpu are set, and the rest is 0. -EBUSY with a line in
 * error: a vGPU is on the GPU. The caller clears the observation in every case. */
int observation_begin(struct observation *observation, struct error *error) CHECKED NONNULL;
void observation_clear(struct observation *observation) NONNULL;

/* Reads what the driver says after a step, and compares. `predicted` is a load of observation->now
 * with the change of this step: a vGPU made, or a vGPU removed. -EBUSY with a line in error:
 * somebody else has made a vGPU on the GPU. Else -errno. */
int observation_take(struct observation *observation, const struct gpu_load *predicted,
                     struct error *error) CHECKED NONNULL;

/* The vGPUs on the GPU, as a part of a sentence: "with 3 T4-1B and 1 T4-2Q on it". */
struct observation_text {
    char text[256];
};
struct observation_text observation_situation(const struct observation *observation) NONNULL;

/* Reads the facts of a GPU's virtual functions, if guests get the functions as PCI devices. The
 * caller clears ret. */
void observation_functions_read(const struct host *host, const struct inventory_gpu *gpu,
                                struct observation_functions *ret) NONNULL;
void observation_functions_clear(struct observation_functions *functions) NONNULL;
