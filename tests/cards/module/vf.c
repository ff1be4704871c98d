// SPDX-License-Identifier: GPL-2.0-only
#include <linux/iommu.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/vfio_pci_core.h>

#include "emulation.h"
#include "faults.h"
#include "files.h"
#include "versions.h"
#include "vf.h"
#include "xe.h"

struct vf {
    struct vfio_pci_core_device core; /* the driver's data must begin with this */
    struct vgpu vgpu;
    bool lost; /* the VF was taken from the driver and given back, so it can have no vGPU */
};

static struct vf *
vf_of(struct vfio_device *vdev)
{
    return container_of(vdev, struct vf, core.vdev);
}

struct vgpu *
vf_vgpu(struct device *dev)
{
    struct vfio_pci_core_device *core = dev_get_drvdata(dev);

    return &container_of(core, struct vf, core)->vgpu;
}

/* The files in nvidia/ */

static const char *
row_format(enum list_format format)
{
    return format == LIST_PLAIN ? "%u : %s\n" : "%-5u : %s\n";
}

static ssize_t
creatable_vgpu_types_show(struct device *dev, struct device_attribute *attr, char *text)
{
    struct vgpu *vgpu = vgpu_of(dev);
    const struct board *board = vgpu->card->board;
    enum list_format format = fault_list_format();
    bool header = format == LIST_HEADER || format == LIST_HEADER_ALWAYS;
    bool pending = header;
    int size = 0;
    unsigned int i;

    card_wait_answer(vgpu->card);
    if (fault_garbage())
        size += sysfs_emit_at(text, size, "this is no type\n\n : \n- : %s-99Q\n\xff\xfe\n",
                              board->name);
    if (format == LIST_HEADER_ALWAYS) {
        size += sysfs_emit_at(text, size, "ID    : vGPU Name\n");
        pending = false;
    }
    for (i = 0; i < board->nr_types && !READ_ONCE(vgpu->type); i++) {
        const struct vgpu_type *type = &board->types[i];

        if (!card_room(vgpu->card, type))
            continue;
        if (pending)
            size += sysfs_emit_at(text, size, "ID    : vGPU Name\n");
        pending = false;
        if (format == LIST_NAME_FIRST)
            size += sysfs_emit_at(text, size, "%s %u\n", type->name, type->id);
        else
            size += sysfs_emit_at(text, size, row_format(format), type->id, type->name);
    }
    return size;
}

static DEVICE_ATTR_RO(creatable_vgpu_types);

static ssize_t
current_vgpu_type_show(struct device *dev, struct device_attribute *attr, char *text)
{
    const struct vgpu_type *type;

    card_wait_answer(vgpu_of(dev)->card);
    type = READ_ONCE(vgpu_of(dev)->type);
    return sysfs_emit(text, "%u\n", type ? type->id : 0);
}

static int
set_type(struct vf *vf, long id)
{
    const struct vgpu_type *type = board_type(vf->vgpu.card->board, id);

    if (READ_ONCE(vf->vgpu.type))
        return -EPERM;
    if (vf->lost)
        return -EINVAL;
    if (!type)
        return card_refuse(vf->vgpu.card, REFUSED_UNKNOWN);
    return vgpu_create(&vf->vgpu, type);
}

static ssize_t
current_vgpu_type_store(struct device *dev, struct device_attribute *attr, const char *text,
                        size_t size)
{
    struct vgpu *vgpu = vgpu_of(dev);
    long id;
    int ret;

    ret = kstrtol(text, 10, &id);
    if (ret)
        return ret;
    ret = id ? set_type(container_of(vgpu, struct vf, vgpu), id) : vgpu_delete(vgpu);
    return ret ? ret : size;
}

static DEVICE_ATTR_RW(current_vgpu_type);

static ssize_t
show_of_vgpu(struct device *dev, char *text, bool instance)
{
    struct vgpu *vgpu = vgpu_of(dev);
    ssize_t ret = -ENXIO;

    mutex_lock(&vgpu->lock);
    if (vgpu->type)
        ret = sysfs_emit(text, "%u\n", instance && !vgpu->type->instance ? 0 : vgpu->place);
    mutex_unlock(&vgpu->lock);
    return ret;
}

static ssize_t
placement_id_show(struct device *dev, struct device_attribute *attr, char *text)
{
    return show_of_vgpu(dev, text, false);
}

static DEVICE_ATTR_RO(placement_id);

static ssize_t
gpu_instance_id_show(struct device *dev, struct device_attribute *attr, char *text)
{
    return show_of_vgpu(dev, text, true);
}

static DEVICE_ATTR_RO(gpu_instance_id);

static struct attribute *vf_attrs[] = {
    &dev_attr_creatable_vgpu_types.attr, &dev_attr_current_vgpu_type.attr,
    &dev_attr_vgpu_params.attr,          &dev_attr_placement_id.attr,
    &dev_attr_gpu_instance_id.attr,      NULL};
static const struct attribute_group vf_group = {.name = "nvidia", .attrs = vf_attrs};
static const struct attribute_group *vf_groups[] = {&vf_group, &vgpu_group, NULL};
static const struct attribute_group *xe_vf_groups[] = {&vgpu_group, NULL};

static const struct attribute_group **
groups_of(const struct vf *vf)
{
    return vf->vgpu.function ? xe_vf_groups : vf_groups;
}

/* The device that QEMU opens */

/*
 * Without this the kernel would count all of the guest's memory as written to, again and again.
 * Then a save might never end. A device that has once pinned pages itself is different: the kernel
 * counts only the pages that the device pins. This device writes nothing.
 */
static void
narrow_dirty_memory(struct vfio_device *vdev)
{
    struct page *page;

    if (vfio_pin_pages(vdev, 0, 1, IOMMU_READ, &page) == 1)
        vfio_unpin_pages(vdev, 0, 1);
}

/* Nothing stays pinned, but VFIO demands this function. */
static void
vf_dma_unmap(struct vfio_device *vdev, u64 iova, u64 length)
{
}

static int
vf_open(struct vfio_device *vdev)
{
    struct vf *vf = vf_of(vdev);
    int ret;

    ret = emulation_open(vdev);
    if (ret)
        return ret;
    ret = vfio_pci_core_enable(&vf->core);
    if (ret) {
        emulation_close(vdev);
        return ret;
    }
    vfio_pci_core_finish_enable(&vf->core);
    narrow_dirty_memory(vdev);
    return 0;
}

static void
vf_close(struct vfio_device *vdev)
{
    vfio_pci_core_close_device(vdev);
    emulation_close(vdev);
}

static const struct vfio_device_ops vf_ops = {
    .name = "nvidia-shaped-vf",
    .init = vfio_pci_core_init_dev,
    .release = vfio_pci_core_release_dev,
#if !IS_OLD
    .bind_iommufd = vfio_iommufd_physical_bind,
    .unbind_iommufd = vfio_iommufd_physical_unbind,
    .attach_ioas = vfio_iommufd_physical_attach_ioas,
    .detach_ioas = vfio_iommufd_physical_detach_ioas,
#endif
    .open_device = vf_open,
    .close_device = vf_close,
    .ioctl = emulation_ioctl,
    .device_feature = vfio_pci_core_ioctl_feature,
    .read = emulation_read,
    .write = emulation_write,
    .match = vfio_pci_core_match,
#if IS_NEW
    .match_token_uuid = vfio_pci_core_match_token_uuid,
    .get_region_info_caps = emulation_region,
#endif
    .dma_unmap = vf_dma_unmap,
};

/* Its life */

int
vf_probe(struct pci_dev *pdev, struct card *card)
{
    struct vf *vf = vfio_alloc_device(vf, core.vdev, &pdev->dev, &vf_ops);
    int id = pci_iov_vf_id(pdev);
    int ret;

    if (IS_ERR(vf))
        return PTR_ERR(vf);
    vgpu_init(&vf->vgpu, card);
    if (card->shape == SHAPE_XE)
        vf->vgpu.function = &card->xe->functions[id + 1];
    vf->lost = id >= 0 && id < MAX_VFS && test_and_set_bit(id, card->bound);
    migration_offer(&vf->core.vdev);
    dev_set_drvdata(&pdev->dev, &vf->core);
    ret = vfio_pci_core_register_device(&vf->core);
    if (ret)
        goto put;
    ret = sysfs_create_groups(&pdev->dev.kobj, groups_of(vf));
    if (ret)
        goto unregister;
    return 0;
unregister:
    vfio_pci_core_unregister_device(&vf->core);
put:
    vfio_put_device(&vf->core.vdev);
    return ret;
}

void
vf_remove(struct pci_dev *pdev)
{
    struct vfio_pci_core_device *core = dev_get_drvdata(&pdev->dev);
    struct vf *vf = container_of(core, struct vf, core);

    sysfs_remove_groups(&pdev->dev.kobj, groups_of(vf));
    vfio_pci_core_unregister_device(core);
    vgpu_drop(&vf->vgpu);
    vfio_put_device(&core->vdev);
}
