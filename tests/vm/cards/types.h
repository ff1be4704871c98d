/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What boards there are, and the vGPU types of each: facts, no rules.
 */
#ifndef SHAPED_TYPES_H
#define SHAPED_TYPES_H

#include <linux/types.h>

/* More than any board has. */
#define MAX_TYPES 32

/* Arc Pro B60: no real driver of the host's kernel asks for it. */
#define XE_DEVICE 0xe211

struct vgpu_type {
    unsigned int id;
    const char *name;
    unsigned int framebuffer; /* MiB */
    unsigned int heads;
    unsigned int frl; /* frames a second */
    const char *resolution;
    unsigned int max_instance;
    const char *instance; /* the GPU instance that a MIG type takes; NULL: time-sliced */
};

struct board {
    const char *name;   /* as the parameter "boards" has it */
    u16 vendor, device; /* PCI */
    u32 class;
    unsigned int memory; /* MiB */
    bool mig;            /* MIG is on */
    const struct vgpu_type *types;
    unsigned int nr_types;
};

const struct board *board_find(const char *name);

/* NULL: there is no such type on this board. */
const struct vgpu_type *board_type(const struct board *board, long id);

#endif
