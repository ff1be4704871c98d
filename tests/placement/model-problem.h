/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * model-problem: a model as a problem for the project's placement.
 */

#pragma once

#include "fake/fake-snapshot.h"
#include "placement/model.h"

struct model_problem {
    struct fake_snapshot snapshot;
    struct policy policy;
    struct policy_gpu policy_gpus[CARDS];
    char *gpu_types[CARDS][KINDS], *blue;
    struct policy_class classes[GROUPS];
    char *class_types[GROUPS][3];
    struct policy_quota quotas[LIMITS];
    char *patterns[LIMITS];
    struct policy_limit maxima[KIND_COUNT];
    char *limited_types[KIND_COUNT];
    struct request request;
    struct request_device devices[WISHES];
    struct request_hostdev hostdevs[WISHES];
    char aliases[WISHES][8];
    struct demands demands;
    struct placement_problem whole;
};

/* Makes the problem, which borrows from itself and from the model. Clear it at the end. */
void model_problem_make(const struct model *model, struct model_problem *problem);
void model_problem_clear(struct model_problem *problem);

/* The hosts in the words of fake-kernel.h, with or without their things. The caller frees the
 * text. */
char *model_machine(const struct model *model, bool things);
