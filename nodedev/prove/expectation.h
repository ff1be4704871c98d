/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * expectation: compares what a GPU's driver says with what the program predicted. Pure.
 *
 * The prediction is a load (placement/gpu-load.h). It is the GPU as it was seen earlier, with the
 * vGPUs that were made since, and without those that were removed. gpu-room.h says how many more
 * vGPUs of each type fit on it, with two bounds. The driver's new figure must lie within these
 * bounds, for each type on each parent. If the driver tells a limit (memory), the rest of it must
 * be the predicted rest. Types must keep their sizes and maxima, and the parents must be the same.
 *
 * The program believes that a GPU takes one size at a time, until two sizes were seen beside each
 * other. If a GPU turns out to take several sizes, more room than predicted is no discrepancy.
 */

#pragma once

#include "placement/gpu-room.h"
#include "prove/discrepancy.h"

/* Compares a prediction with an inventory that was read later. The sentences need situation, which
 * says what is on the GPU: "with 3 T4-1B on it". */
void expectation_compare(const struct gpu_load *predicted, const struct inventory *seen,
                         const char *situation, struct discrepancies *ret) NONNULL;

/* Bounds as text: "7", "at least 1", "at most 7", "1 to 7", "any number". */
struct expectation_text {
    char text[64];
};
struct expectation_text expectation_bounds(const struct bounds *bounds) NONNULL;
