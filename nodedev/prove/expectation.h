/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * expectation: compares what a GPU's driver says with what the program predicted. Pure.
 *
 * The prediction is a load (placement/gpu-load.h): the GPU as it was seen earlier, with what was
 * made put on it, and what was removed dropped from it. gpu-room.h says how many more vGPUs of each
 * type fit then, with two bounds. The driver's new word must lie within these bounds, for each type
 * on each parent. What is left of a limit that the driver tells (memory) must be the predicted sum.
 * Types must keep their sizes and maxima, and the parents must be the same.
 *
 * The program believes that a GPU takes one size at a time until two sizes were seen beside each
 * other. If a GPU turns out to take several, more room than predicted is no discrepancy.
 */

#pragma once

#include "placement/gpu-room.h"
#include "prove/discrepancy.h"

/* Compares a prediction with an inventory that was read later. situation says what is on the GPU,
 * for the sentences: "with 3 T4-1B on it". */
void expectation_compare(const struct gpu_load *predicted, const struct inventory *seen,
                         const char *situation, struct discrepancies *ret) NONNULL;

/* Bounds as text: "7", "at least 1", "at most 7", "1 to 7", "any number". */
struct expectation_text {
    char text[64];
};
struct expectation_text expectation_bounds(const struct bounds *bounds) NONNULL;
