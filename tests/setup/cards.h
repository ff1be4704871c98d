/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * cards: the two cards of the tests of vgpuctl setup, and what most of these tests call.
 *
 * The functions' names do not begin with "cards", because every line of the tests uses them.
 */

#pragma once

#include "fake/nvidia-tools.h"
#include "fake/typed.h"

#define HERE    "test:///default"
#define NVIDIA  "0000:3d:00.0"
#define FIRST   "0000:3d:00.4"
#define INTEL   "0000:03:00.0"
#define L40S_8Q "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n"
#define NVIDIAS "gpu " NVIDIA " vf vfs 4 rule size numa 1\n" L40S_8Q
#define INTELS  "gpu " INTEL " xe vfs 3 memory 24480\n"

#define ENABLE "/usr/lib/nvidia/sriov-manage -e " NVIDIA
#define SMI    "/usr/bin/nvidia-smi "

/* The machine of a test, and the result of the last command. */
extern struct scene scene;
extern struct typed typed;

/* Puts NVIDIA's tools on the machine. The second function does so on a machine with both cards,
 * whose functions are off then. */
void install_tools(void);
void install_both(void);

/* Runs a line, which has to end with this status and say these words. */
void run(const char *line, int status, const char *words);

/* Writes a vgpu.conf that declares the setup of NVIDIA's card, or of both cards. */
void declare(const char *setup);
void declare_both(const char *nvidias, const char *intels);

/* States of NVIDIA's card: as a boot leaves it, and with all functions. */
void bare(void);
void with_functions(void);
