// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/mdev.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "emulation.h"
#include "faults.h"
#include "files.h"
#include "mdev.h"
#include "versions.h"

/* A type as the kernel's mdev code needs it. Each parent has types of its own. */
struct offer {
    struct mdev_type mtype;
    struct parent *parent;
    const struct vgpu_type *type;
    char id[8];
};

struct parent {
    struct mdev_parent base;
    struct card *card;
    atomic_t taken; /* only of a VF: its one vGPU is made */
    bool single;    /* the parent is a VF, which takes one vGPU */
    struct mdev_type *types[MAX_TYPES];
    struct offer offers[MAX_TYPES];
};

struct mdev {
    struct vfio_device vdev; /* must be the first member, because VFIO allocates the struct */
    struct vgpu vgpu;
    struct parent *parent;
};

static struct offer *
offer_of(struct mdev_type *mtype)
{
    return container_of(mtype, struct offer, mtype);
}

struct vgpu *
mdev_vgpu(struct device *dev)
{
    struct mdev *mdev = dev_get_drvdata(dev);

    return &mdev->vgpu;
}

/* The files of a type */

static unsigned int
get_available(struct mdev_type *mtype)
{
    struct offer *offer = offer_of(mtype);
    unsigned int room = card_room(offer->parent->card, offer->type);

    if (offer->parent->single)
        return atomic_read(&offer->parent->taken) ? 0 : min(room, 1U);
    return room;
}

static ssize_t
show_description(struct mdev_type *mtype, char *text)
{
    const struct vgpu_type *type = offer_of(mtype)->type;

    return sysfs_emit(text,
                      "num_heads=%u, frl_config=%u, framebuffer=%uM, max_resolution=%s, "
                      "max_instance=%u\n",
                      type->heads, type->frl, type->framebuffer, type->resolution,
                      type->max_instance);
}

/* A vGPU's life */

/* An mdev has its vGPU from the beginning to the end. */
static int
make(struct mdev *mdev, const struct vgpu_type *type)
{
    struct parent *parent = mdev->parent;
    int ret;

    if (parent->single && atomic_cmpxchg(&parent->taken, 0, 1))
        return card_refuse(parent->card, REFUSED_OPERATION);
    ret = vgpu_create(&mdev->vgpu, type);
    if (ret)
        atomic_set(&parent->taken, 0);
    return ret;
}

static void
unmake(struct mdev *mdev)
{
    vgpu_drop(&mdev->vgpu);
    atomic_set(&mdev->parent->taken, 0);
}

static const struct vfio_device_ops mdev_ops = {
    .name = "vgpu-cards-mdev",
    .open_device = emulation_open,
    .close_device = emulation_close,
    EMULATION_OPS,
};

static int
mdev_probe(struct mdev_device *mdevice)
{
    struct offer *offer = offer_of(mdevice->type);
    struct mdev *mdev;
    int ret;

    mdev = vfio_alloc_device(mdev, vdev, &mdevice->dev, &mdev_ops);
    if (IS_ERR(mdev))
        return PTR_ERR(mdev);
    mdev->parent = offer->parent;
    vgpu_init(&mdev->vgpu, offer->parent->card);
    dev_set_drvdata(&mdevice->dev, mdev);
    ret = make(mdev, offer->type);
    if (ret)
        goto put;
    migration_offer(&mdev->vdev);
    ret = vfio_register_emulated_iommu_dev(&mdev->vdev);
    if (ret)
        goto unmake;
    return 0;
unmake:
    unmake(mdev);
put:
    vfio_put_device(&mdev->vdev);
    return ret;
}

/* Waits as long as the device is open. This kernel has no other way to remove it. */
static void
mdev_remove(struct mdev_device *mdevice)
{
    struct mdev *mdev = dev_get_drvdata(&mdevice->dev);

    vfio_unregister_group_dev(&mdev->vdev);
    unmake(mdev);
    vfio_put_device(&mdev->vdev);
}

static struct attribute *mdev_attrs[] = {&dev_attr_vgpu_params.attr, &dev_attr_vm_name.attr, NULL};
static const struct attribute_group mdev_group = {.name = "nvidia", .attrs = mdev_attrs};
static const struct attribute_group *mdev_groups[] = {&mdev_group, &vgpu_group, NULL};

static struct mdev_driver mdev_driver = {
    .device_api = VFIO_DEVICE_API_PCI_STRING,
    .probe = mdev_probe,
    .remove = mdev_remove,
    .get_available = get_available,
    .show_description = show_description,
    .driver = {.name = "nvidia-vgpu-vfio",
               .owner = THIS_MODULE,
               .mod_name = KBUILD_MODNAME,
               .dev_groups = mdev_groups},
};

int
mdev_init(void)
{
    return mdev_register_driver(&mdev_driver);
}

void
mdev_exit(void)
{
    mdev_unregister_driver(&mdev_driver);
}

/* A parent */

/* The kernel names the types after the driver that the parent has now. On real hosts that was
 * vfio-pci for some VFs. The lock of the device is held here, so nobody else reads its driver. */
static int
register_parent(struct parent *parent, struct pci_dev *pdev)
{
    static struct device_driver vfio_pci = {.name = "vfio-pci"};
    struct device_driver *own = pdev->dev.driver;
    int ret;

    if (parent->single && fault_is_bound())
        pdev->dev.driver = &vfio_pci;
    ret = mdev_register_parent(&parent->base, &pdev->dev, &mdev_driver, parent->types,
                               parent->card->board->nr_types);
    pdev->dev.driver = own;
    return ret;
}

int
parent_probe(struct pci_dev *pdev, struct card *card)
{
    const struct board *board = card->board;
    struct parent *parent = kzalloc(sizeof(*parent), GFP_KERNEL);
    unsigned int i;
    int ret;

    if (!parent)
        return -ENOMEM;
    parent->card = card;
    parent->single = pdev->is_virtfn;
    for (i = 0; i < board->nr_types; i++) {
        struct offer *offer = &parent->offers[i];

        offer->parent = parent;
        offer->type = &board->types[i];
        snprintf(offer->id, sizeof(offer->id), "%u", offer->type->id);
        offer->mtype.sysfs_name = offer->id;
        offer->mtype.pretty_name = offer->type->name;
        parent->types[i] = &offer->mtype;
    }
    dev_set_drvdata(&pdev->dev, parent);
    ret = register_parent(parent, pdev);
    if (ret)
        kfree(parent);
    return ret;
}

void
parent_remove(struct pci_dev *pdev)
{
    struct parent *parent = dev_get_drvdata(&pdev->dev);

    mdev_unregister_parent(&parent->base);
    kfree(parent);
}
