/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * reason: why GPUs cannot take what is demanded, in words for people. Pure.
 */

#pragma once

#include "placement/rooms.h"

/* What a GPU says to a demand: its best reason over the types that will do. text gets the words
 * after its name: "is full (16 of 16)". */
enum reason reason_gpu(const struct rooms *rooms, const struct demand *demand,
                       const struct inventory_gpu *gpu, char *text, size_t size) CHECKED NONNULL;

/* A reason of a rule, as the words after a GPU's name: "is disabled in vgpu.conf". */
const char *reason_of_rule(enum reason reason) NONNULL;

/* Whether the reason may have passed another day: there is more room, or a drain or a proof has
 * ended. A reason of vgpu.conf, the request or the driver is none of these. */
bool reason_may_pass(enum reason reason) CHECKED;
