/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a vGPU that is saved or migrated. It is one block of a fixed size.
 */
#ifndef VGPU_CARDS_MIGRATION_H
#define VGPU_CARDS_MIGRATION_H

#include <linux/file.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/vfio.h>

#define CONFIG_SIZE 256

/* The block that is saved or migrated. */
struct vgpu_state {
    u64 magic;
    u64 type;               /* as given to migration_begin */
    u64 seal;               /* a new one is chosen at each open; it travels with the state */
    u8 config[CONFIG_SIZE]; /* the configuration space */
};

struct stream;

struct migration {
    struct mutex lock;
    enum vfio_device_mig_state now;
    struct stream *stream; /* NULL in a migration state without a stream */
    struct vgpu_state state;
};

void migration_init(struct migration *migration);

/* A guest opens a vGPU of this type. The state fits only vGPUs of the same type. For xe, the type
 * is the amount of VRAM. */
void migration_begin(struct migration *migration, u64 type);

/* The vGPU runs again. A state that is being read or written is given up. */
void migration_reset(struct migration *migration);

/* Offers migration to VFIO. Call it before the device is registered. */
void migration_offer(struct vfio_device *vdev);

#endif
