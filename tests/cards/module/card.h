/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cards: the vGPUs on each, and the driver's rule of which vGPUs may be on one card together.
 * bus.h has their bodies.
 */
#ifndef VGPU_CARDS_CARD_H
#define VGPU_CARDS_CARD_H

#include <linux/bitops.h>
#include <linux/mutex.h>
#include <linux/pci.h>

#include "types.h"

/* The driver makes at most this many vGPUs on a card, whatever their sizes are
 * (NVA081_MAX_VGPU_PER_PGPU_NON_MIG). */
#define MOST_TIME_SLICED 32

/* Each vGPU has a bit in the mask "places". */
#define MAX_VGPUS 64
#define MAX_VFS   64

struct bus;
struct xe;

/* A GPU instance that has vGPUs. All of these have one frame-buffer size. */
struct instance {
    const char *profile;
    unsigned int framebuffer;
    unsigned int used; /* vGPUs; 0: the entry is free */
};

struct card {
    struct bus *bus;
    struct pci_dev *pdev;
    const struct board *board;
    enum shape shape;
    /* The VFs that had a driver since SR-IOV was enabled. */
    DECLARE_BITMAP(bound, MAX_VFS);
    struct xe *xe; /* only of SHAPE_XE, while the driver has the card */

    struct mutex lock; /* protects the rest */
    unsigned int count[MAX_TYPES];
    unsigned int created;
    unsigned int memory;      /* MiB taken */
    unsigned int framebuffer; /* of the vGPU that was created last; under RULE_SAME_SIZE, of all */
    DECLARE_BITMAP(places, MAX_VGPUS);
    struct instance instances[MAX_VGPUS];
    u8 instance_of[MAX_VGPUS]; /* of the vGPU at each place; 0 for a time-sliced one, too */
    unsigned int highest;      /* the highest value of "created" so far */
    unsigned int refused;      /* how many creates were refused */
};

/* The names of our drivers. The first two are those of the real drivers, because ids of types and
 * programs' decisions come from them. */
#define NVIDIA_DRIVER "nvidia"
#define XE_DRIVER     "xe"
#define BARE_DRIVER   "vgpu-cards"

/* Makes the cards that the parameter "cards" names, and gives them to their drivers, which are
 * there already. If this fails, some may be there. */
int cards_add(void);

/* The drivers must be gone. */
void cards_remove(void);

/* The card of a physical or virtual function. NULL: the function is not of our cards. */
struct card *card_of(struct pci_dev *pdev);

/* Waits as long as the card is silent. No signal ends the wait. */
void card_wait_answer(const struct card *card);

/* How many more vGPUs of this type the driver says that it would make. */
unsigned int card_room(struct card *card, const struct vgpu_type *type);

/* Takes a place on the card. -EIO: the card refuses, and the refusal is counted and logged. */
int card_take(struct card *card, const struct vgpu_type *type, unsigned int *place);

/* Counts and logs a create that was refused because of the VF itself. "code" is NVIDIA's status.
 * Returns -EIO. */
int card_refuse(struct card *card, unsigned int code);

/* The number of the GPU instance of the vGPU at this place. */
unsigned int card_instance(const struct card *card, unsigned int place);

void card_give_back(struct card *card, const struct vgpu_type *type, unsigned int place);

/* The directory emulated/ of a card. Its name is the mark of what this module emulates. */
extern const struct attribute_group card_group;

/* NVIDIA's status of a refused create, as it is in NVIDIA's log. */
enum {
    REFUSED_FULL = 0x1a,
    REFUSED_OPERATION = 0x38, /* the VF has a vGPU; or only one of the type and the card is MIG */
    REFUSED_INSTANCE = 0x40,  /* no GPU instance is free */
    REFUSED_SIZE = 0x56,
    REFUSED_UNKNOWN = 0x57,
    REFUSED_NOT_READY = 0x66,
};

#endif
