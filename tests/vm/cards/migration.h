/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of a vGPU that is saved or migrated: one block of fixed size.
 */
#ifndef SHAPED_MIGRATION_H
#define SHAPED_MIGRATION_H

#include <linux/file.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/vfio.h>

#define CONFIG_SIZE 256

/* What travels. */
struct vgpu_state {
    u64 magic;
    u64 type;               /* as migration_begin has it */
    u64 seal;               /* chosen anew whenever it is opened; travels */
    u8 config[CONFIG_SIZE]; /* the configuration space */
};

struct stream;

struct migration {
    struct mutex lock;
    enum vfio_device_mig_state now;
    struct stream *stream; /* in a state that has one */
    struct vgpu_state state;
};

void migration_init(struct migration *migration);

/* A guest opens a vGPU of this type: its state fits such ones only. Of xe it is the VRAM. */
void migration_begin(struct migration *migration, u64 type);

/* It runs, and whatever was being read or written ends. */
void migration_reset(struct migration *migration);

/* Before the device is registered. */
void migration_offer(struct vfio_device *vdev);

#endif
