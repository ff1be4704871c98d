/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A card under Intel's driver xe: what each of its functions has of the GPU, what may be changed
 * when, and the PCI driver. xe-files.c shows the profiles in sysfs; xe-vfio-pci.c is the driver
 * that gives a VF to a guest.
 */
#ifndef SHAPED_XE_H
#define SHAPED_XE_H

#include <linux/kobject.h>
#include <linux/pci.h>

#include "card.h"
#include "versions.h"

enum { XE_LOW, XE_NORMAL, XE_HIGH, XE_PRIORITIES };

/* The profile of a function; the card's lock is over it. */
struct xe_function {
    struct kobject *directory; /* in sriov_admin, if there is one */
    u64 vram;                  /* bytes; of VFs only */
    u32 exec_quantum_ms;       /* 0: unlimited; so the next */
    u32 preempt_timeout_us;
    u32 priority;
};

struct xe {
    struct card *card;
    struct kobject *admin;  /* sriov_admin, or NULL */
    unsigned int writes;    /* to profiles, whatever became of them */
    unsigned int pf_writes; /* of these, what changes the PF's */
    unsigned int count;
    struct xe_function functions[] __counted_by(count); /* the PF, vf1, vf2 ... */
};

int xe_init(void);

void xe_exit(void);

u64 xe_vram(const struct xe_function *function);

/* The VF itself, from vf1 on, if it is enabled; to be put. */
struct pci_dev *xe_vf_device(const struct xe *xe, unsigned int number);

/* What the VF had is gone, also when there is not enough for what it is to have. -EIO: it runs.
 * Under the lock. */
int xe_set_vram(struct xe *xe, unsigned int number, u64 bytes);

/* A VF's driver for guests. */
int xe_vf_probe(struct pci_dev *pdev);

void xe_vf_remove(struct pci_dev *pdev);

#endif
