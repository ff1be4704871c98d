// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/vfio.h>

#include "bus.h"
#include "emulation.h"
#include "faults.h"
#include "files.h"
#include "versions.h"
#include "vf.h"
#include "xe.h"

struct vf {
    struct vfio_device vdev; /* must be the first member, because VFIO allocates the struct */
    struct vgpu vgpu;
    bool lost; /* the VF was taken from the driver and given back, so it can have no vGPU */
};

struct vgpu *
vf_vgpu(struct device *dev)
{
    struct vf *vf = dev_get_drvdata(dev);

    return &vf->vgpu;
}

/* The files in nvidia/ */

static const char *
row_format(enum list_format format)
{
    return format == LIST_PLAIN ? "%u : %s\n" : "%-5u : %s\n";
}

static bool
has_header(const struct card *card, enum list_format format)
{
    return format == LIST_HEADER || format == LIST_HEADER_ALWAYS ||
           (format == LIST_PROPOSAL && !READ_ONCE(card->created));
}

static ssize_t
creatable_vgpu_types_show(struct device *dev, struct device_attribute *attr, char *text)
{
    struct vgpu *vgpu = vgpu_of(dev);
    const struct board *board = vgpu->card->board;
    enum list_format format = fault_list_format();
    bool pending = has_header(vgpu->card, format);
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
        ret = sysfs_emit(text, "%u\n",
                         instance ? card_instance(vgpu->card, vgpu->place) : vgpu->place);
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
static const struct attribute_group *untyped_groups[] = {&vgpu_group, NULL};

static const struct attribute_group **
groups_of(const struct vf *vf)
{
    return vf->vgpu.function || vf->vgpu.bare ? untyped_groups : vf_groups;
}

/* The device that QEMU opens */

/* The function is switched on as long as a guest has it. The driver xe looks at that. */
static int
vf_open(struct vfio_device *vdev)
{
    int ret = emulation_open(vdev);

    if (ret)
        return ret;
    ret = pci_enable_device(to_pci_dev(vdev->dev));
    if (ret)
        emulation_close(vdev);
    return ret;
}

static void
vf_close(struct vfio_device *vdev)
{
    pci_disable_device(to_pci_dev(vdev->dev));
    emulation_close(vdev);
}

static const struct vfio_device_ops vf_ops = {
    .name = "vgpu-cards-vf",
    .open_device = vf_open,
    .close_device = vf_close,
    EMULATION_OPS,
};

/* Its life */

static void
describe(struct vf *vf, int id, enum vf_kind kind)
{
    struct card *card = vf->vgpu.card;

    if (kind == VF_PROFILED)
        vf->vgpu.function = &card->xe->functions[id + 1];
    vf->vgpu.bare = kind == VF_BARE;
    vf->lost = id >= 0 && id < MAX_VFS && test_and_set_bit(id, card->bound);
    /* No driver for bare functions is known that can migrate them. */
    if (kind != VF_BARE)
        migration_offer(&vf->vdev);
}

static void
join_again(struct pci_dev *pdev)
{
    if (bus_join_group(pdev))
        pci_warn(pdev, "vgpu-cards: the function has no IOMMU group\n");
}

int
vf_probe(struct pci_dev *pdev, struct card *card, enum vf_kind kind)
{
    struct vf *vf = vfio_alloc_device(vf, vdev, &pdev->dev, &vf_ops);
    int ret;

    if (IS_ERR(vf))
        return PTR_ERR(vf);
    vgpu_init(&vf->vgpu, card);
    describe(vf, pci_iov_vf_id(pdev), kind);
    dev_set_drvdata(&pdev->dev, vf);
    bus_leave_group(pdev);
    ret = vfio_register_emulated_iommu_dev(&vf->vdev);
    if (ret)
        goto join;
    ret = sysfs_create_groups(&pdev->dev.kobj, groups_of(vf));
    if (ret)
        goto unregister;
    return 0;
unregister:
    vfio_unregister_group_dev(&vf->vdev);
join:
    join_again(pdev);
    vfio_put_device(&vf->vdev);
    return ret;
}

int
vgpu_cards_vf_probe(struct pci_dev *pdev, enum vf_kind kind)
{
    struct card *card = card_of(pdev);

    if (!card || !pdev->is_virtfn || (kind == VF_PROFILED && !card->xe))
        return -ENODEV;
    return vf_probe(pdev, card, kind);
}
EXPORT_SYMBOL_GPL(vgpu_cards_vf_probe);

void
vgpu_cards_vf_remove(struct pci_dev *pdev)
{
    struct vf *vf = dev_get_drvdata(&pdev->dev);

    sysfs_remove_groups(&pdev->dev.kobj, groups_of(vf));
    vfio_unregister_group_dev(&vf->vdev);
    join_again(pdev);
    vgpu_drop(&vf->vgpu);
    vfio_put_device(&vf->vdev);
}
EXPORT_SYMBOL_GPL(vgpu_cards_vf_remove);
