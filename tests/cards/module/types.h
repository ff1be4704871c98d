/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The boards, and the vGPU types of each. These are facts. The rules are in card.c.
 */
#ifndef VGPU_CARDS_TYPES_H
#define VGPU_CARDS_TYPES_H

#include <linux/types.h>

/* No board has more types. */
#define MAX_TYPES 32

/* Arc Pro B60, and the virtual functions of MI300X. */
#define XE_DEVICE   0xe211
#define BARE_DEVICE 0x74b5

struct vgpu_type {
    unsigned int id;
    const char *name;
    unsigned int framebuffer; /* MiB */
    unsigned int heads;
    unsigned int frl; /* the frame rate limit, in frames a second */
    const char *resolution;
    unsigned int max_instance;
    const char *instance;      /* the GPU instance that a MIG type needs; NULL: time-sliced */
    unsigned int per_instance; /* how many of the type a GPU instance takes; 0: one */
};

/* What the vGPUs of a card are. */
enum shape {
    SHAPE_MDEV,  /* mdevs on the physical function */
    SHAPE_SRIOV, /* mdevs on virtual functions */
    SHAPE_VF,    /* vendor-specific VFIO on virtual functions */
    SHAPE_XE,    /* VFIO on virtual functions of Intel's driver xe, with profiles and no types */
    SHAPE_BARE,  /* virtual functions of which the card's driver says nothing */
};

struct board {
    const char *name; /* as in the parameter "cards" */
    enum shape shape; /* unless "cards" says ":mdev" */
    u16 vendor, device, vf_device;
    u16 subdevice; /* the subsystem of "vendor"; 0: any */
    u32 class;
    unsigned int vfs;
    unsigned int gpus;   /* each is a card of its own */
    unsigned int memory; /* MiB of each */
    bool mig;            /* MIG is on */
    const struct vgpu_type *types;
    unsigned int nr_types;
};

const struct board *board_find(const char *name);

/* NULL: the board has no such type. */
const struct vgpu_type *board_type(const struct board *board, long id);

#endif
