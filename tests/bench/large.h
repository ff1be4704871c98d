/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * large: a host with many GPUs of many virtual functions, for the benchmarks.
 */

#pragma once

#include "fake/fake-kernel.h"

#define LARGE_FIRST_BUS 0x18 /* of the first GPU, 0000:18:00.0; the others follow */

/* The text of the machine: GPUs with this many functions each, and the 22 types of an A40. The
 * functions have mdev, or vendor-specific VFIO if `vf` is set. The caller frees the text. */
char *large_host(unsigned gpus, unsigned functions, bool vf);

/* Makes vGPUs of one type on the first functions of the first 7 GPUs, in turns. */
void large_fill(const struct fake_kernel *fake, unsigned count);
