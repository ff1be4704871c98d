/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * gpu-reason: why a GPU cannot take what is demanded, or that it can, with the figures of that GPU.
 * The words are for people. Pure.
 */

#pragma once

#include "placement/loads.h"
#include "placement/reason.h"

/* What a GPU says to a demand: its best reason over the types that will do. text gets the words
 * after its name: "is full (16 of 16)". */
enum reason
gpu_reason_tell(const struct loads *loads, const struct demand *demand,
                const struct inventory_gpu *gpu, char *text, size_t size) CHECKED NONNULL;
