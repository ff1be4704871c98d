/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What both kinds of vGPU show in sysfs.
 */
#ifndef SHAPED_FILES_H
#define SHAPED_FILES_H

#include <linux/device.h>

#include "vgpu.h"

/* The vGPU of an mdev or of a VF. */
struct vgpu *vgpu_of(struct device *dev);

/* In the directory nvidia/ of each: */
extern struct device_attribute dev_attr_vgpu_params;
extern struct device_attribute dev_attr_vm_name;

/* And our own directory beside it. */
extern const struct attribute_group vgpu_group;

#endif
