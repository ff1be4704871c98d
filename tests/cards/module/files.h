/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sysfs files of both kinds of vGPU.
 */
#ifndef VGPU_CARDS_FILES_H
#define VGPU_CARDS_FILES_H

#include <linux/device.h>

#include "vgpu.h"

/* The vGPU of an mdev or of a VF. */
struct vgpu *vgpu_of(struct device *dev);

/* In the directory nvidia/ of each: */
extern struct device_attribute dev_attr_vgpu_params;
extern struct device_attribute dev_attr_vm_name;

/* The directory emulated/ beside it, which the real driver does not have. */
extern const struct attribute_group vgpu_group;

#endif
