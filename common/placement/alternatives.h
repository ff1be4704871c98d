/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * alternatives: the virtual functions that a demand could have instead of the one that it names.
 * Pure.
 */

#pragma once

#include "base/text.h"
#include "placement/loads.h"

/* Lists the functions of a GPU, or of all GPUs (NULL), that could take the demand now. Returns how
 * many functions there are; text gets at most `most` of them. A demand that names no function has
 * no alternatives. */
size_t alternatives_list(const struct loads *loads, const struct demand *demand,
                         const struct inventory_gpu *gpu, size_t most, struct text *text) CHECKED
    __attribute__((nonnull(1, 2, 5)));

/* Adds alternatives to the line that says why the named function cannot take the demand. */
void alternatives_add(const struct loads *loads, const struct demand *demand,
                      struct error *error) NONNULL;
