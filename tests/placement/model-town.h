/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * model-town: a model on the fake kernel, with its things. A thing is made without the hook, or by
 * the hook. The hook's things run, are kept, are about to be removed, are promised, or are being
 * made.
 */

#pragma once

#include "fake/scene.h"
#include "lease/statedir.h"
#include "placement/model.h"

struct model_town {
    struct scene scene; /* first: the scene's teardown finds the rest by it */
    struct model hosts;
    struct statedir work; /* the process that stands for an unfinished create */
    const struct host_ops *usual;
    struct host_ops quiet; /* the same host, without other processes */
};

/* Makes a random model. The fake kernel can play its cards truly, and its wishes can often be
 * met. */
void model_town_make(struct model *model, uint64_t seed);

/* Starts the hosts, with or without the things. Numbers that somebody has written into Intel's
 * functions are there in both cases, because they are no vGPUs. */
void model_town_start(struct model_town *town, const struct model *model, bool things);
void model_town_stop(struct model_town *town);

/* The XML of the guest with the wishes, or of another guest (1 to 40) with the same wishes. The
 * caller frees it. */
char *model_town_request(const struct model *model, unsigned other);
