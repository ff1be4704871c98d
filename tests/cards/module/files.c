// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "files.h"
#include "mdev.h"
#include "vf.h"

struct vgpu *
vgpu_of(struct device *dev)
{
    return dev_is_pci(dev) ? vf_vgpu(dev) : mdev_vgpu(dev);
}

static ssize_t
vgpu_params_show(struct device *dev, struct device_attribute *attr, char *text)
{
    struct vgpu *vgpu = vgpu_of(dev);
    ssize_t size;

    mutex_lock(&vgpu->lock);
    size = sysfs_emit(text, "%s\n", vgpu->params);
    mutex_unlock(&vgpu->lock);
    return size;
}

/* The last byte of a write is dropped, because it should be the newline. */
static ssize_t
vgpu_params_store(struct device *dev, struct device_attribute *attr, const char *text, size_t size)
{
    struct vgpu *vgpu = vgpu_of(dev);
    ssize_t ret = size;

    mutex_lock(&vgpu->lock);
    if (!vgpu->type) {
        ret = -ENXIO;
    } else if (vgpu->open) {
        ret = -EPERM;
    } else if (size > sizeof(vgpu->params)) {
        ret = -E2BIG;
    } else if (size) {
        memcpy(vgpu->params, text, size - 1);
        vgpu->params[size - 1] = '\0';
        if (!strcmp(vgpu->params, " "))
            vgpu->params[0] = '\0';
    }
    mutex_unlock(&vgpu->lock);
    return ret;
}

DEVICE_ATTR_RW(vgpu_params);

static ssize_t
vm_name_show(struct device *dev, struct device_attribute *attr, char *text)
{
    struct vgpu *vgpu = vgpu_of(dev);
    ssize_t size;

    mutex_lock(&vgpu->lock);
    size = sysfs_emit(text, "%s\n", vgpu->vm_name);
    mutex_unlock(&vgpu->lock);
    return size;
}

DEVICE_ATTR_RO(vm_name);

/* The seal is a part of the vGPU's state. By the seal a test sees that the state has travelled. */
static ssize_t
seal_show(struct device *dev, struct device_attribute *attr, char *text)
{
    struct vgpu *vgpu = vgpu_of(dev);
    u64 seal;

    mutex_lock(&vgpu->migration.lock);
    seal = vgpu->migration.state.seal;
    mutex_unlock(&vgpu->migration.lock);
    return sysfs_emit(text, "%016llx\n", seal);
}

static DEVICE_ATTR_RO(seal);

static struct attribute *vgpu_attrs[] = {&dev_attr_seal.attr, NULL};
const struct attribute_group vgpu_group = {.name = "emulated", .attrs = vgpu_attrs};
