/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /proc/driver/nvidia/params: what NVIDIA's driver was told when it was loaded. It has only the
 * parameters that programs for vGPUs read. Their names and the form of the file are those of
 * nv-procfs.c and nv-reg.h in the open kernel modules. They change nothing on the cards.
 */
#ifndef VGPU_CARDS_PARAMS_H
#define VGPU_CARDS_PARAMS_H

int params_init(void);
void params_exit(void);

#endif
