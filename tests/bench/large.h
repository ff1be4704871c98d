/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * large: a host with many GPUs of many virtual functions, for the benchmarks.
 */

#pragma once

#include "fake/fake-kernel.h"

/* The machine's text: GPUs of so many functions each, with mdev or, as `vf`, vendor-specific VFIO,
 * and the 22 types that an A40 has. The caller frees it. */
char *large_host(unsigned gpus, unsigned functions, bool vf);

/* Makes vGPUs of one type on the first functions of the first 7 GPUs, in turns. */
void large_fill(const struct fake_kernel *fake, unsigned count);
