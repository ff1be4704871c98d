/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The boards, and the vGPU types of each. These are facts. The rules are in card.c.
 */
#ifndef SHAPED_TYPES_H
#define SHAPED_TYPES_H

#include <linux/types.h>

/* No board has more types. */
#define MAX_TYPES 32

/* Arc Pro B60. No real driver of the host's kernel binds to it. */
#define XE_DEVICE 0xe211

struct vgpu_type {
    unsigned int id;
    const char *name;
    unsigned int framebuffer; /* MiB */
    unsigned int heads;
    unsigned int frl; /* the frame rate limit, in frames a second */
    const char *resolution;
    unsigned int max_instance;
    const char *instance; /* the GPU instance that a MIG type needs; NULL: time-sliced */
};

struct board {
    const char *name;   /* as in the parameter "boards" */
    u16 vendor, device; /* PCI */
    u32 class;
    unsigned int memory; /* MiB */
    bool mig;            /* MIG is on */
    const struct vgpu_type *types;
    unsigned int nr_types;
};

const struct board *board_find(const char *name);

/* NULL: the board has no such type. */
const struct vgpu_type *board_type(const struct board *board, long id);

#endif
