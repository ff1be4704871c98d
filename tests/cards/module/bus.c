// SPDX-License-Identifier: GPL-2.0-only
#include "versions.h"

#include <linux/err.h>
#include <linux/iommu.h>
#include <linux/module.h>
#include <linux/pci-ecam.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "bus.h"

/* The first domain that is tried. ACPI gives lower numbers to real bridges. Domains have 16 bits,
 * because libvirt and VFIO's addresses have no more. */
#define FIRST_DOMAIN 0x100
#define LAST_DOMAIN  0xffff

/* Where things are in the configuration space. */
#define CONFIG_SPACE 4096
#define AT_EXPRESS   0x40
#define AT_SRIOV     0x100

/* NVIDIA's functions have this bit. The kernel sets it in a function that lacks it, and says so in
 * its log: it believes that an HDMI sound card is hidden there. */
#define AT_NVIDIA_AUDIO  0x488
#define NVIDIA_HAS_AUDIO BIT(25)

#define FIRST_VF 4

/* All sizes of pages that the specification knows, and the one in use. */
#define PAGE_SIZES     0x553
#define PAGE_SIZE_4KIB 1

/* What the architecture expects in bus->sysdata. */
#ifdef CONFIG_X86
typedef struct pci_sysdata sysdata;
#else
/* Its parent is NULL, as no ACPI device belongs to the bridge. */
typedef struct pci_config_window sysdata;
#endif

struct bus {
    sysdata sysdata;
    struct identity identity;
    void *owner;
    struct resource number;
    struct pci_host_bridge *bridge;
    struct pci_dev *device;
    raw_spinlock_t lock; /* protects the spaces */
    u8 space[CONFIG_SPACE];
    u8 vf_space[CONFIG_SPACE]; /* all VFs are alike, and ignore writes */
};

static int domain;

/* The configuration spaces */

static void
fill(const struct identity *identity, u8 *space)
{
    put_unaligned_le16(PCI_STATUS_CAP_LIST, space + PCI_STATUS);
    put_unaligned_le16(identity->class >> 8, space + PCI_CLASS_DEVICE);
    space[PCI_REVISION_ID] = 0xa1;
    if (identity->subdevice) {
        put_unaligned_le16(identity->vendor, space + PCI_SUBSYSTEM_VENDOR_ID);
        put_unaligned_le16(identity->subdevice, space + PCI_SUBSYSTEM_ID);
    }
    space[PCI_CAPABILITY_LIST] = AT_EXPRESS;
    space[AT_EXPRESS] = PCI_CAP_ID_EXP;
    /* Nothing is above an integrated endpoint: no port, and no link. */
    put_unaligned_le16(PCI_EXP_TYPE_RC_END << 4 | 2, space + AT_EXPRESS + PCI_EXP_FLAGS);
    put_unaligned_le32(PCI_EXP_DEVCAP_FLR, space + AT_EXPRESS + PCI_EXP_DEVCAP);
    if (identity->vendor == PCI_VENDOR_ID_NVIDIA)
        put_unaligned_le32(NVIDIA_HAS_AUDIO, space + AT_NVIDIA_AUDIO);
}

static void
fill_sriov(const struct identity *identity, u8 *sriov)
{
    put_unaligned_le32(PCI_EXT_CAP_ID_SRIOV | 1 << 16, sriov);
    put_unaligned_le16(identity->vfs, sriov + PCI_SRIOV_INITIAL_VF);
    put_unaligned_le16(identity->vfs, sriov + PCI_SRIOV_TOTAL_VF);
    put_unaligned_le16(FIRST_VF, sriov + PCI_SRIOV_VF_OFFSET);
    put_unaligned_le16(1, sriov + PCI_SRIOV_VF_STRIDE);
    put_unaligned_le16(identity->vf_device, sriov + PCI_SRIOV_VF_DID);
    put_unaligned_le32(PAGE_SIZES, sriov + PCI_SRIOV_SUP_PGSIZE);
    put_unaligned_le32(PAGE_SIZE_4KIB, sriov + PCI_SRIOV_SYS_PGSIZE);
}

static void
fill_all(struct bus *bus)
{
    const struct identity *identity = &bus->identity;

    fill(identity, bus->space);
    put_unaligned_le16(identity->vendor, bus->space + PCI_VENDOR_ID);
    put_unaligned_le16(identity->device, bus->space + PCI_DEVICE_ID);
    if (identity->vfs)
        fill_sriov(identity, bus->space + AT_SRIOV);
    /* A VF has no ids of its own. The kernel takes them from the capability. */
    fill(identity, bus->vf_space);
    memset(bus->vf_space, 0xff, PCI_DEVICE_ID + 2);
}

/* The bits of a byte that the kernel may change. */
static u8
writable(const struct bus *bus, unsigned int offset)
{
    switch (offset) {
    case PCI_COMMAND:
        return PCI_COMMAND_IO | PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
    case PCI_COMMAND + 1:
        return PCI_COMMAND_INTX_DISABLE >> 8;
    case PCI_INTERRUPT_LINE:
        return 0xff;
    case AT_SRIOV + PCI_SRIOV_CTRL... AT_SRIOV + PCI_SRIOV_CTRL + 1:
    case AT_SRIOV + PCI_SRIOV_NUM_VF... AT_SRIOV + PCI_SRIOV_NUM_VF + 1:
    case AT_SRIOV + PCI_SRIOV_SYS_PGSIZE... AT_SRIOV + PCI_SRIOV_SYS_PGSIZE + 3:
        return bus->identity.vfs ? 0xff : 0;
    default:
        return 0;
    }
}

static unsigned int
vfs_now(const struct bus *bus)
{
    const u8 *sriov = bus->space + AT_SRIOV;

    if (!(get_unaligned_le16(sriov + PCI_SRIOV_CTRL) & PCI_SRIOV_CTRL_VFE))
        return 0;
    return min_t(unsigned int, get_unaligned_le16(sriov + PCI_SRIOV_NUM_VF), bus->identity.vfs);
}

/* The space of a function, or NULL if there is no such function. Call it with the lock held. */
static u8 *
space_of(struct bus *bus, unsigned int devfn)
{
    if (!devfn)
        return bus->space;
    return devfn >= FIRST_VF && devfn < FIRST_VF + vfs_now(bus) ? bus->vf_space : NULL;
}

static struct bus *
bus_of(const struct pci_bus *bus)
{
    return container_of(bus->sysdata, struct bus, sysdata);
}

static int
config_read(struct pci_bus *on, unsigned int devfn, int offset, int size, u32 *ret)
{
    struct bus *bus = bus_of(on);
    unsigned long flags;
    const u8 *space;
    int i;

    raw_spin_lock_irqsave(&bus->lock, flags);
    space = space_of(bus, devfn);
    *ret = space ? 0 : ~0;
    for (i = 0; space && i < size; i++)
        *ret |= (u32)space[offset + i] << (8 * i);
    raw_spin_unlock_irqrestore(&bus->lock, flags);
    return space ? PCIBIOS_SUCCESSFUL : PCIBIOS_DEVICE_NOT_FOUND;
}

static int
config_write(struct pci_bus *on, unsigned int devfn, int offset, int size, u32 value)
{
    struct bus *bus = bus_of(on);
    unsigned long flags;
    int i;

    if (devfn)
        return PCIBIOS_SUCCESSFUL;
    raw_spin_lock_irqsave(&bus->lock, flags);
    for (i = 0; i < size; i++) {
        u8 mask = writable(bus, offset + i), byte = value >> (8 * i);

        bus->space[offset + i] = (bus->space[offset + i] & ~mask) | (byte & mask);
    }
    raw_spin_unlock_irqrestore(&bus->lock, flags);
    return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops ops = {.read = config_read, .write = config_write};

void *
bus_owner(const struct pci_dev *pdev)
{
    return pdev->bus->ops == &ops ? bus_of(pdev->bus)->owner : NULL;
}

struct pci_dev *
bus_device(const struct bus *bus)
{
    return bus->device;
}

int
bus_join_group(struct pci_dev *pdev)
{
    struct iommu_group *group = iommu_group_alloc();
    int ret;

    if (IS_ERR(group))
        return PTR_ERR(group);
    ret = iommu_group_add_device(group, &pdev->dev);
    /* The device keeps the group. */
    iommu_group_put(group);
    return ret;
}

void
bus_leave_group(struct pci_dev *pdev)
{
    if (pdev->dev.iommu_group)
        iommu_group_remove_device(&pdev->dev);
}

static int
is_rival(struct device_driver *driver, void *data)
{
    const struct pci_device_id *id;

    if (driver->owner == THIS_MODULE)
        return 0;
    id = pci_match_id(to_pci_driver(driver)->id_table, data);
    return id && !id->override_only;
}

/* Names the only driver that a device may have. udev will load the real drivers of such cards. A
 * driver that is loaded already would be asked even earlier. A VF gets a name only if there is such
 * a driver, because then the kernel does not care for sriov_drivers_autoprobe any more. */
static int
choose_driver(struct pci_dev *pdev, const struct identity *identity)
{
    if (!pdev->is_virtfn)
        return set_driver_override(pdev, identity->driver);
    if (bus_for_each_drv(&pci_bus_type, NULL, pdev, is_rival))
        return set_driver_override(pdev, identity->vf_driver);
    return 0;
}

/* This happens before the device is announced, and before a driver is asked. */
static void
prepare(struct pci_dev *pdev)
{
    const struct identity *identity = &bus_of(pdev->bus)->identity;
    int ret;

    set_dev_node(&pdev->dev, identity->node);
    ret = choose_driver(pdev, identity) ?: bus_join_group(pdev);
    if (ret)
        pci_err(pdev, "vgpu-cards: the device is not as it should be: %d\n", ret);
}

static int
on_bus_event(struct notifier_block *block, unsigned long event, void *data)
{
    struct pci_dev *pdev = to_pci_dev(data);

    if (pdev->bus->ops != &ops)
        return NOTIFY_DONE;
    if (event == BUS_NOTIFY_ADD_DEVICE)
        prepare(pdev);
    else if (event == BUS_NOTIFY_DEL_DEVICE)
        bus_leave_group(pdev);
    return NOTIFY_DONE;
}

static struct notifier_block notifier = {.notifier_call = on_bus_event};

/* The domain */

#ifndef HAS_EMULATED_DOMAINS
static bool
is_used(int number)
{
    struct pci_bus *bus = NULL;

    while ((bus = pci_find_next_bus(bus))) {
        if (pci_domain_nr(bus) == number)
            return true;
    }
    return false;
}

/* Other kernels have a function of this name. It also keeps the number free of others. */
static int
pci_bus_find_emul_domain_nr(u32 hint, u32 min, u32 max)
{
    int number;

    for (number = min; number <= max; number++) {
        if (!is_used(number))
            return number;
    }
    return -ENOSPC;
}

static void
pci_bus_release_emul_domain_nr(int number)
{
}
#endif

int
buses_init(void)
{
    int ret;

    domain = pci_bus_find_emul_domain_nr(FIRST_DOMAIN, FIRST_DOMAIN, LAST_DOMAIN);
    if (domain < 0)
        return domain;
    ret = bus_register_notifier(&pci_bus_type, &notifier);
    if (ret)
        pci_bus_release_emul_domain_nr(domain);
    return ret;
}

void
buses_exit(void)
{
    bus_unregister_notifier(&pci_bus_type, &notifier);
    pci_bus_release_emul_domain_nr(domain);
}

/* A bus */

static void
describe(struct bus *bus)
{
#ifdef CONFIG_X86
    bus->sysdata.domain = domain;
    bus->sysdata.node = bus->identity.node;
#endif
    bus->bridge->sysdata = &bus->sysdata;
    bus->bridge->ops = &ops;
    bus->bridge->busnr = bus->number.start;
    bus->bridge->domain_nr = domain;
    pci_add_resource(&bus->bridge->windows, &bus->number);
}

/* Since Linux 6.18 a bridge takes its emulated domain with it. But ours share one. */
static void
free_bridge(struct pci_host_bridge *bridge)
{
    bridge->domain_nr = PCI_DOMAIN_NR_NOT_SET;
    pci_free_host_bridge(bridge);
}

static int
scan(struct bus *bus)
{
    int ret;

    bus->bridge = pci_alloc_host_bridge(0);
    if (!bus->bridge)
        return -ENOMEM;
    describe(bus);
    pci_lock_rescan_remove();
    ret = pci_scan_root_bus_bridge(bus->bridge);
    pci_unlock_rescan_remove();
    if (ret)
        free_bridge(bus->bridge);
    return ret;
}

struct bus *
bus_create(const struct identity *identity, unsigned int number, void *owner)
{
    struct bus *bus = kzalloc(sizeof(*bus), GFP_KERNEL);
    int ret;

    if (!bus)
        return ERR_PTR(-ENOMEM);
    raw_spin_lock_init(&bus->lock);
    bus->identity = *identity;
    bus->owner = owner;
    bus->number = (struct resource){
        .name = "vgpu-cards", .start = number, .end = number, .flags = IORESOURCE_BUS};
    fill_all(bus);
    ret = scan(bus);
    if (ret) {
        kfree(bus);
        return ERR_PTR(ret);
    }
    bus->device = pci_get_slot(bus->bridge->bus, 0);
    if (!bus->device) {
        bus_remove(bus);
        return ERR_PTR(-ENODEV);
    }
    return bus;
}

void
bus_announce(struct bus *bus)
{
    pci_lock_rescan_remove();
    pci_bus_add_devices(bus->bridge->bus);
    pci_unlock_rescan_remove();
}

void
bus_remove(struct bus *bus)
{
    pci_dev_put(bus->device);
    pci_lock_rescan_remove();
    pci_stop_root_bus(bus->bridge->bus);
    pci_remove_root_bus(bus->bridge->bus);
    pci_unlock_rescan_remove();
    free_bridge(bus->bridge);
    kfree(bus);
}
