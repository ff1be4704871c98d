/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One vGPU, whichever way it was made: its place on the card, who has it open, its state.
 */
#ifndef SHAPED_VGPU_H
#define SHAPED_VGPU_H

#include <linux/mutex.h>

#include "card.h"
#include "migration.h"

#define PARAMS_SIZE 1024

struct xe_function;

struct vgpu {
    struct card *card;
    const struct xe_function *function; /* of an xe card, which knows no types; else NULL */
    struct mutex lock;                  /* over the rest */
    const struct vgpu_type *type;       /* NULL: none was made */
    unsigned int place;
    bool open;
    bool exiting;            /* for exiting_ms after: */
    unsigned long closed_at; /* jiffies */
    char params[PARAMS_SIZE];
    char vm_name[64];
    struct migration migration; /* has a lock of its own */
};

void vgpu_init(struct vgpu *vgpu, struct card *card);

/* -EPERM: there is one. -EIO: the card refuses. */
int vgpu_create(struct vgpu *vgpu, const struct vgpu_type *type);

/* -EPERM: there is none, or it is open. -EBUSY: it is still exiting, after five seconds. */
int vgpu_delete(struct vgpu *vgpu);

/* Without asking anybody; what is still exiting is waited for. */
void vgpu_drop(struct vgpu *vgpu);

/* -ENODEV: there is none. -EBUSY: it is still exiting. */
int vgpu_open(struct vgpu *vgpu);

void vgpu_close(struct vgpu *vgpu);

#endif
