/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * model-town: a model on the fake kernel with its things, which are somebody else's, or come there
 * by the hook: vGPUs that run, are kept, are to go, are promised, or are being made.
 */

#pragma once

#include "fake/scene.h"
#include "lease/statedir.h"
#include "placement/model.h"

struct model_town {
    struct scene scene; /* first */
    struct model hosts;
    struct statedir work; /* of whoever is making something */
    const struct host_ops *usual;
    struct host_ops quiet; /* the same, without other processes */
};

/* A random model whose cards are such as the fake kernel plays truly, and whose wishes can often be
 * met. */
void model_town_make(struct model *model, uint64_t seed);

/* Without its things, what somebody has written into functions of Intel's is there all the same, as
 * that is no vGPU. */
void model_town_start(struct model_town *town, const struct model *model, bool things);
void model_town_stop(struct model_town *town);

/* The XML of the guest with the wishes, or of another one (1 to 40) that wants the same; the caller
 * frees it. */
char *model_town_request(const struct model *model, unsigned other);
