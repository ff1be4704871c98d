// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/pci_regs.h>
#include <linux/uaccess.h>
#include <linux/vfio.h>
#include <linux/vfio_pci_core.h>

#include "emulation.h"
#include "files.h"
#include "versions.h"

#define BAR_SIZE 0x10000

/* Four bytes of configuration space without a meaning. A test writes them from within the guest. */
#define SCRATCH 0x40

static struct migration *
migration_of(struct vfio_device *vdev)
{
    return &vgpu_of(vdev->dev)->migration;
}

/* The bits of a byte that a guest may change. The other bits tell the size of a BAR. */
static u8
writable(unsigned int offset)
{
    switch (offset) {
    case PCI_COMMAND:
        return PCI_COMMAND_IO | PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
    case PCI_COMMAND + 1:
        return PCI_COMMAND_INTX_DISABLE >> 8;
    case PCI_BASE_ADDRESS_0 + 2:
    case PCI_BASE_ADDRESS_0 + 3:
    case PCI_INTERRUPT_LINE:
    case SCRATCH ... SCRATCH + 3:
        return 0xff;
    default:
        return 0;
    }
}

static void
power_on(struct vgpu *vgpu)
{
    const struct board *board = vgpu->card->board;
    u8 *config = vgpu->migration.state.config;

    mutex_lock(&vgpu->migration.lock);
    memset(config, 0, CONFIG_SIZE);
    put_unaligned_le16(board->vendor, config + PCI_VENDOR_ID);
    put_unaligned_le16(board->vf_device, config + PCI_DEVICE_ID);
    if (board->subdevice) {
        put_unaligned_le16(board->vendor, config + PCI_SUBSYSTEM_VENDOR_ID);
        put_unaligned_le16(board->subdevice, config + PCI_SUBSYSTEM_ID);
    }
    put_unaligned_le16(board->class >> 8, config + PCI_CLASS_DEVICE);
    config[PCI_REVISION_ID] = 0xa1;
    put_unaligned_le32(PCI_BASE_ADDRESS_MEM_TYPE_32, config + PCI_BASE_ADDRESS_0);
    mutex_unlock(&vgpu->migration.lock);
}

/* Returns the number of the region at pos, or -EINVAL. *offset is the place in the region. Clips
 * *size to the rest of the region. */
static int
locate(loff_t pos, size_t *size, unsigned int *offset)
{
    unsigned int index = VFIO_PCI_OFFSET_TO_INDEX(pos);
    size_t limit = index == VFIO_PCI_CONFIG_REGION_INDEX ? CONFIG_SIZE : BAR_SIZE;

    if (index != VFIO_PCI_CONFIG_REGION_INDEX && index != VFIO_PCI_BAR0_REGION_INDEX)
        return -EINVAL;
    if ((pos & VFIO_PCI_OFFSET_MASK) >= limit)
        return -EINVAL;
    *offset = pos & VFIO_PCI_OFFSET_MASK;
    *size = min(*size, limit - *offset);
    return index;
}

/* The BAR holds nothing but zeroes. */
ssize_t
emulation_read(struct vfio_device *vdev, char __user *to, size_t size, loff_t *pos)
{
    struct migration *migration = migration_of(vdev);
    u8 copy[CONFIG_SIZE];
    unsigned int offset;
    int index = locate(*pos, &size, &offset);

    if (index < 0)
        return index;
    if (index == VFIO_PCI_BAR0_REGION_INDEX) {
        if (clear_user(to, size))
            return -EFAULT;
    } else {
        mutex_lock(&migration->lock);
        memcpy(copy, migration->state.config + offset, size);
        mutex_unlock(&migration->lock);
        if (copy_to_user(to, copy, size))
            return -EFAULT;
    }
    *pos += size;
    return size;
}

ssize_t
emulation_write(struct vfio_device *vdev, const char __user *from, size_t size, loff_t *pos)
{
    struct migration *migration = migration_of(vdev);
    u8 *config = migration->state.config;
    u8 copy[CONFIG_SIZE];
    unsigned int offset, i;
    int index = locate(*pos, &size, &offset);

    if (index < 0)
        return index;
    if (index == VFIO_PCI_CONFIG_REGION_INDEX) {
        if (copy_from_user(copy, from, size))
            return -EFAULT;
        mutex_lock(&migration->lock);
        for (i = 0; i < size; i++) {
            u8 mask = writable(offset + i);

            config[offset + i] = (config[offset + i] & ~mask) | (copy[i] & mask);
        }
        mutex_unlock(&migration->lock);
    }
    *pos += size;
    return size;
}

static long
get_info(void __user *argument)
{
    const size_t size = offsetofend(struct vfio_device_info, num_irqs);
    u32 given;
    struct vfio_device_info info = {
        .argsz = sizeof(info),
        .flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET,
        .num_regions = VFIO_PCI_NUM_REGIONS,
        .num_irqs = VFIO_PCI_NUM_IRQS,
    };

    if (copy_from_user(&given, argument, sizeof(given)))
        return -EFAULT;
    if (given < size)
        return -EINVAL;
    return copy_to_user(argument, &info, size) ? -EFAULT : 0;
}

static int
describe_region(struct vfio_region_info *info)
{
    if (info->index >= VFIO_PCI_NUM_REGIONS)
        return -EINVAL;
    info->offset = VFIO_PCI_INDEX_TO_OFFSET(info->index);
    info->cap_offset = 0;
    info->flags = 0;
    info->size = 0;
    if (info->index == VFIO_PCI_CONFIG_REGION_INDEX)
        info->size = CONFIG_SIZE;
    else if (info->index == VFIO_PCI_BAR0_REGION_INDEX)
        info->size = BAR_SIZE;
    if (info->size)
        info->flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
    return 0;
}

#if IS_NEW
int
emulation_region(struct vfio_device *vdev, struct vfio_region_info *info,
                 struct vfio_info_cap *caps)
{
    return describe_region(info);
}
#else
static long
get_region_info(void __user *argument)
{
    struct vfio_region_info info;
    int ret;

    if (copy_from_user(&info, argument, sizeof(info)))
        return -EFAULT;
    ret = info.argsz < sizeof(info) ? -EINVAL : describe_region(&info);
    if (ret)
        return ret;
    return copy_to_user(argument, &info, sizeof(info)) ? -EFAULT : 0;
}
#endif

/* The device has no interrupts. */
static long
get_irq_info(void __user *argument)
{
    struct vfio_irq_info info;

    if (copy_from_user(&info, argument, sizeof(info)))
        return -EFAULT;
    if (info.argsz < sizeof(info) || info.index >= VFIO_PCI_NUM_IRQS)
        return -EINVAL;
    info.flags = 0;
    info.count = 0;
    return copy_to_user(argument, &info, sizeof(info)) ? -EFAULT : 0;
}

long
emulation_ioctl(struct vfio_device *vdev, unsigned int command, unsigned long argument)
{
    void __user *at = (void __user *)argument;

    switch (command) {
    case VFIO_DEVICE_GET_INFO:
        return get_info(at);
#if !IS_NEW
    case VFIO_DEVICE_GET_REGION_INFO:
        return get_region_info(at);
#endif
    case VFIO_DEVICE_GET_IRQ_INFO:
        return get_irq_info(at);
    case VFIO_DEVICE_RESET:
        migration_reset(migration_of(vdev));
        return 0;
    case VFIO_DEVICE_SET_IRQS:
        return -EINVAL;
    default:
        return -ENOTTY;
    }
}

int
emulation_open(struct vfio_device *vdev)
{
    struct vgpu *vgpu = vgpu_of(vdev->dev);
    int ret = vgpu_open(vgpu);

    if (!ret)
        power_on(vgpu);
    return ret;
}

void
emulation_close(struct vfio_device *vdev)
{
    vgpu_close(vgpu_of(vdev->dev));
}
