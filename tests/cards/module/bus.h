/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bodies of the cards, in software. Each card is alone on a PCI bus, below a host bridge that
 * has no hardware. All buses are in one PCI domain, which the machine does not use. What the kernel
 * reads and writes in the configuration space of a function is kept here.
 *
 * A body has no BARs, no interrupts and no DMA. If it has virtual functions, it has an SR-IOV
 * capability, and sriov_numvfs works. The VFs are on the same bus, from 00.4 on.
 */
#ifndef VGPU_CARDS_BUS_H
#define VGPU_CARDS_BUS_H

#include <linux/pci.h>

/* What a card's functions say of themselves. */
struct identity {
    u16 vendor, device, vf_device;
    u16 subdevice; /* the subsystem of "vendor"; 0: none */
    u32 class;
    unsigned int vfs; /* at most BUS_MAX_VFS; 0: no SR-IOV */
    int node;         /* NUMA */
    /* The only drivers that the kernel may try. Other drivers for such ids stay away, as nouveau.
     */
    const char *driver, *vf_driver;
};

#define BUS_MAX_VFS 64

struct bus;

/* Finds a free domain. */
int buses_init(void);

/* The buses must be removed before. */
void buses_exit(void);

/* Makes a bus with a card on it. The kernel knows the card, but asks no driver yet. "owner" is for
 * bus_owner. */
struct bus *bus_create(const struct identity *identity, unsigned int number, void *owner);

/* Lets the drivers have the card. */
void bus_announce(struct bus *bus);

/* No driver may have the card any more. */
void bus_remove(struct bus *bus);

/* The card's physical function. */
struct pci_dev *bus_device(const struct bus *bus);

/* Each function is alone in an IOMMU group, as on real hosts, although there is no IOMMU. Without
 * groups libvirt gives no device to a guest. VFIO makes another group for the functions that it
 * has, so they leave theirs, and join one again later. */
int bus_join_group(struct pci_dev *pdev);
void bus_leave_group(struct pci_dev *pdev);

/* The owner of the bus that a function is on. NULL: this is none of our buses. */
void *bus_owner(const struct pci_dev *pdev);

#endif
