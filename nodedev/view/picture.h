/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * picture: draws the GPUs of a host for people: a bar for each GPU, the vGPUs on it, and what is
 * free.
 *
 *     0000:18:00.0 GRID T4, NUMA node 0                       2048 of 16384 MiB in use
 *     [aaaaabbbbb....................................................................]
 *      a guest1                                            T4-1B      1024 MiB held
 *      b guest2                                            T4-1B      1024 MiB held
 *     free: 14336 MiB: 14 T4-1B, 14 T4-1A
 *
 * In the bar, each letter is a vGPU of the list below the bar. '.' is free memory. '?' may be free.
 * '-' is memory that no vGPU can use.
 */

#pragma once

#include "view/host-view.h"

/* Draws the GPUs from `first` up to, not including, `end`. If these are all GPUs, it also lists
 * vGPUs whose GPU is not here any more. */
void picture_draw(const struct host_view *view, size_t first, size_t end) NONNULL;
