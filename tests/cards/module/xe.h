/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A card under Intel's driver xe: the profile of each of its functions, when a profile may be
 * changed, and the PCI driver. xe-files.c shows the profiles in sysfs. vgpu-cards-xe-vfio.c is the
 * driver that gives a VF to a guest.
 */
#ifndef VGPU_CARDS_XE_H
#define VGPU_CARDS_XE_H

#include <linux/kobject.h>
#include <linux/pci.h>

#include "card.h"
#include "versions.h"

enum { XE_LOW, XE_NORMAL, XE_HIGH, XE_PRIORITIES };

/* The profile of a function. The card's lock protects it. */
struct xe_function {
    struct kobject *directory; /* in sriov_admin; NULL if the card has none */
    u64 vram;                  /* bytes; only VFs have some */
    u32 exec_quantum_ms;       /* 0: unlimited; the same for the next */
    u32 preempt_timeout_us;
    u32 priority;
};

struct xe {
    struct card *card;
    struct kobject *admin;  /* sriov_admin, or NULL */
    unsigned int writes;    /* all writes to profiles, also refused ones */
    unsigned int pf_writes; /* those of them that change the PF's profile */
    unsigned int count;
    struct xe_function functions[] __counted_by(count); /* the PF, vf1, vf2 ... */
};

int xe_init(void);

void xe_exit(void);

u64 xe_vram(const struct xe_function *function);

/* The VF of this number, from vf1 on. NULL: it is not enabled. The caller puts it. */
struct pci_dev *xe_vf_device(const struct xe *xe, unsigned int number);

/* Sets the VF's VRAM. If there is not enough, the VF loses also the VRAM that it had. -EIO: the VF
 * runs. Call it with the card's lock held. */
int xe_set_vram(struct xe *xe, unsigned int number, u64 bytes);

#endif
