/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * inventory: what /sys offers and holds now.
 *
 * A GPU has types, described once; a parent is where a vGPU is made (the GPU itself, or one of its
 * virtual functions) and says how many more of each type it would make; a made vGPU sits on a
 * parent. Everything refers by index, so an inventory can be built by hand in a test.
 *
 * It is a picture, not a promise: `available` is a hint which the kernel may contradict. It is read
 * in an order that errs towards too much (availability before devices), because a create that is
 * refused can be tried elsewhere, while a place that was overlooked is lost.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

struct inventory_type {
    struct name id;       /* "nvidia-222" */
    char name[64];        /* "GRID T4-1B"; the id if the driver tells none */
    unsigned framebuffer; /* MiB; 0: not told */
    unsigned heads;       /* 0: not told */
    unsigned max;         /* most instances on the GPU; 0: not told */
    bool is_limited;      /* max is the administrator's word, of which the driver knows nothing */
    unsigned most; /* the same, going by sizes: the largest type has all of the frame buffer; 0: not
                      known, as only one size was seen */
    unsigned slices;     /* of the GPU instance (MIG) that it needs; 0: it shares the GPU in time */
    char resolution[16]; /* "5120x2880"; "" : not told */
};

struct inventory_gpu {
    struct name name; /* PCI address of the physical function, or the parent's name */
    int numa;         /* node; -1: none or not told */
    char vendor[8];   /* PCI ids in lower case, "10de"; "": no PCI device */
    char device[8];
    struct name driver; /* "": not told */
    struct inventory_type *types;
    size_t count;
    bool is_partial; /* its driver lists only what it would make now: it may have more types */
    bool is_mixed;   /* it takes vGPUs of several frame-buffer sizes at once */
};

struct vgpu_interface;

struct inventory_parent {
    struct name name;
    size_t gpu;
    const struct vgpu_interface *interface;
    int *available; /* per type of the GPU: how many more; -errno: it would not say */
};

struct inventory_vgpu {
    struct name device;
    struct name type; /* "" while it is being made or removed */
    size_t parent;
};

/* A PCI device that somebody asks for, and that is no parent (stranger.h). */
struct inventory_ineligible {
    struct name device;
    char why[200]; /* "which ..." */
};

struct inventory {
    struct inventory_gpu *gpus;
    size_t gpu_count;
    struct inventory_parent *parents;
    size_t parent_count;
    struct inventory_vgpu *vgpus;
    size_t vgpu_count;
    struct inventory_ineligible *ineligible;
    size_t ineligible_count;
};

/* Which types somebody asks for. Availability and details are read for these only: on a host with
 * 256 virtual functions that is the difference between hundreds of files and tens of thousands. */
struct inventory_filter {
    bool (*wants)(const struct inventory_type *type, const void *data);
    const void *data;
};

/* Everybody's, and nobody's: with the latter a type has its id and its name, no more. */
extern const struct inventory_filter inventory_all_types;
extern const struct inventory_filter inventory_no_types;

void inventory_clear(struct inventory *inventory) NONNULL;

/* The index of a GPU, added if it is new. 0 or -ENOMEM. */
int inventory_add_gpu(struct inventory *inventory, const struct name *name,
                      size_t *ret) CHECKED NONNULL;

/* A parent, which gets its availability: nothing of any type so far. 0 or -ENOMEM. */
int inventory_add_parent(struct inventory *inventory, const struct inventory_parent *parent,
                         size_t *ret) CHECKED NONNULL;

/* The index of a GPU's type, added if it is new; one that had no name but its id gets the name. 0
 * or -ENOMEM. */
int inventory_add_type(struct inventory *inventory, size_t gpu, const struct inventory_type *type,
                       size_t *ret) CHECKED NONNULL;

/* A vGPU that is being removed and is not on the bus any more, on a parent if that is there. 0 or
 * -ENOMEM. */
int inventory_add_going(struct inventory *inventory, const struct name *device,
                        const struct name *parent) CHECKED NONNULL;

/* NULL if there is none of that name. */
const struct inventory_vgpu *
inventory_find_vgpu(const struct inventory *inventory, const struct name *device) NONNULL;

/* The index of a parent: whether there is one of that name. */
bool inventory_find_parent(const struct inventory *inventory, const struct name *name,
                           size_t *ret) CHECKED NONNULL;

/* The type of a GPU, or NULL. */
const struct inventory_type *
inventory_find_type(const struct inventory_gpu *gpu, const struct name *id) NONNULL;

/* Whether the driver of a GPU has types for it: those that are only remembered, of one that lists
 * nothing and has nothing made, do not count. */
bool inventory_offers(const struct inventory *inventory, size_t gpu) CHECKED NONNULL;

/* Whether a GPU may have types that are not known: those that its driver would not make beside what
 * is there. An idle one lists them all, but for those of GPU instances (MIG) that nobody made; what
 * was listed then, or is listed by another card of the model, is known. */
bool inventory_may_have_more(const struct inventory *inventory, size_t gpu) CHECKED NONNULL;

/* What all parents of a GPU together say they would make of a type: it never takes more, and
 * possibly less, as they need not mean it for all of them at once. -ENODATA: none says anything. */
int inventory_at_most(const struct inventory *inventory, size_t gpu, size_t type) CHECKED NONNULL;

/* Whether a vGPU with so much frame buffer (MiB; 0: not known) keeps a type off its GPU. */
bool inventory_is_kept_off(const struct inventory_gpu *gpu, const struct inventory_type *type,
                           unsigned framebuffer) CHECKED NONNULL;

/* Whether a type needs a GPU instance, and all of its shape are taken, so that only what sits on
 * one of those is in its way. Functions that have a vGPU do not tell. */
bool inventory_lacks_instance(const struct inventory *inventory, size_t gpu,
                              size_t type) CHECKED NONNULL;

/* Whether people's word for a type means this one: its id, its whole name, or the last word of its
 * name ("T4-1B"). */
bool inventory_type_is(const struct inventory_type *type, const char *word) CHECKED NONNULL;
