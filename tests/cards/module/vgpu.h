/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One vGPU of either kind: its place on the card, whether it is open, and its state.
 */
#ifndef VGPU_CARDS_VGPU_H
#define VGPU_CARDS_VGPU_H

#include <linux/mutex.h>

#include "card.h"
#include "migration.h"

#define PARAMS_SIZE 1024

struct xe_function;

struct vgpu {
    struct card *card;
    const struct xe_function *function; /* of an xe card, which has no types; else NULL */
    bool bare;                          /* it has no type, and a guest may always open it */
    struct mutex lock;                  /* protects the rest */
    const struct vgpu_type *type;       /* NULL: there is no vGPU */
    unsigned int place;
    bool open;
    bool exiting;            /* until exiting_ms after closed_at */
    unsigned long closed_at; /* jiffies */
    char params[PARAMS_SIZE];
    char vm_name[64];
    struct migration migration; /* has a lock of its own */
};

void vgpu_init(struct vgpu *vgpu, struct card *card);

/* -EPERM: there is a vGPU already. -EIO: the card refuses. */
int vgpu_create(struct vgpu *vgpu, const struct vgpu_type *type);

/* -EPERM: there is no vGPU, or it is open. -EBUSY: it is still exiting after five seconds. */
int vgpu_delete(struct vgpu *vgpu);

/* Removes the vGPU in any case. If the vGPU is still exiting, this waits. */
void vgpu_drop(struct vgpu *vgpu);

/* -ENODEV: there is no vGPU. -EBUSY: it is still exiting. */
int vgpu_open(struct vgpu *vgpu);

void vgpu_close(struct vgpu *vgpu);

#endif
