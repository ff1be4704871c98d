/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The physical cards of this machine: what is on each, and the driver's rule of what may join it.
 */
#ifndef SHAPED_CARD_H
#define SHAPED_CARD_H

#include <linux/bitops.h>
#include <linux/mutex.h>
#include <linux/pci.h>

#include "types.h"

/* vGPUs of any sizes that the driver makes on a card (NVA081_MAX_VGPU_PER_PGPU_NON_MIG). */
#define MOST_TIME_SLICED 32

/* One vGPU has a bit in a mask. */
#define MAX_VGPUS 64
#define MAX_VFS   64

enum shape {
    SHAPE_MDEV,  /* mdev on the physical function */
    SHAPE_SRIOV, /* mdev on virtual functions */
    SHAPE_VF,    /* vendor-specific VFIO on virtual functions */
    SHAPE_XE,    /* the same under Intel's driver xe: profiles instead of types */
};

struct xe;

struct card {
    struct pci_dev *pdev;
    const struct board *board;
    enum shape shape;
    u16 vendor, device; /* as the hardware has them */
    u32 class;
    /* VFs that had a driver since SR-IOV was enabled. */
    DECLARE_BITMAP(bound, MAX_VFS);
    struct xe *xe; /* of that shape, while the driver has it */

    struct mutex lock; /* over the rest */
    unsigned int count[MAX_TYPES];
    unsigned int created;
    unsigned int memory;      /* MiB taken */
    unsigned int framebuffer; /* of what was created last; all have it, unless they may be mixed */
    DECLARE_BITMAP(places, MAX_VGPUS);
    unsigned int highest; /* that "created" ever was */
    unsigned int refused; /* creates */
};

/* Find them, and make them look like other boards; their VFs, too, whenever these come. */
int cards_init(void);

void cards_exit(void);

/* The card of a physical or virtual function; NULL: none of ours. */
struct card *card_of(struct pci_dev *pdev);

/* Wait for as long as the card is silent: no signal ends that. */
void card_wait_answer(const struct card *card);

/* How many more of this type the driver shows that it would make. */
unsigned int card_room(struct card *card, const struct vgpu_type *type);

/* Take a place on the card, or count and log a refusal; -EIO. */
int card_take(struct card *card, const struct vgpu_type *type, unsigned int *place);

/* Count and log one that was refused for a reason of the VF's own; "code" as NVIDIA's. Returns
 * -EIO. */
int card_refuse(struct card *card, unsigned int code);

void card_give_back(struct card *card, const struct vgpu_type *type, unsigned int place);

extern const struct attribute_group card_group;

/* NVIDIA's status of a refused create, as its log has it. */
enum {
    REFUSED_FULL = 0x1a,
    REFUSED_OPERATION = 0x38, /* this VF has one; a MIG type without MIG, or the other way round */
    REFUSED_INSTANCE = 0x40,  /* no GPU instance is free */
    REFUSED_SIZE = 0x56,
    REFUSED_UNKNOWN = 0x57,
    REFUSED_NOT_READY = 0x66,
};

#endif
