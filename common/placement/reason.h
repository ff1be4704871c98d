/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * reason: why GPUs cannot take what is demanded, in words for people. Pure.
 */

#pragma once

#include "placement/capacity.h"

/* Why a demand has no candidate, a reason per GPU: -ENOSPC; or -ENOENT if no GPU has its type at
 * all, with the types that there are. */
int reason_none(const struct capacity *capacity, const struct demand *demand,
                struct error *error) NONNULL;

/* Why demands that each have candidates have none together: -ENOSPC, with what each GPU says to the
 * last of them once the others have theirs. Room has these handed out. */
int reason_not_together(const struct capacity *capacity, const size_t *order, size_t count,
                        const struct demand *last, struct error *error) NONNULL;

/* What a GPU says to a demand: its best verdict over the types that will do, and why, as the words
 * after its name: "is full (16 of 16)". */
enum reason reason_gpu(const struct capacity *capacity, const struct demand *demand, size_t gpu,
                       char *text, size_t size) CHECKED NONNULL;

/* A verdict of the rules as the words after a GPU's name: "is disabled in vgpu.conf". */
const char *reason_of_rule(enum reason verdict) NONNULL;
