/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * inventory: the GPUs, parents and vGPUs that a host has now.
 *
 * A GPU has types. A parent is where a vGPU is made: the GPU itself, or one of its virtual
 * functions; it says how many more vGPUs of each type it would make. A vGPU sits on a parent. They
 * refer to each other by index, so that a test can write an inventory down.
 *
 * It is a snapshot, not a promise: the kernel may refuse what `available` says. Availability is
 * read before the vGPUs, so that an error in between makes a GPU look too free, not too full: a
 * refused attempt can be repeated on another GPU, but a place that nobody sees is lost.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"
#include "base/suggest.h"
#include "device/limit.h"

#include <limits.h>

struct inventory_type {
    struct name id;       /* "nvidia-222" */
    char name[64];        /* "GRID T4-1B"; the id if the driver tells none */
    unsigned framebuffer; /* MiB; 0: not told */
    unsigned heads;       /* 0: not told */
    unsigned max;         /* how many the GPU takes, as its driver or vgpu.conf says; 0: not told */
    unsigned ceiling;     /* vGPUs of any sizes that its driver makes at most on a GPU, or on a GPU
                             instance if it needs one; 0: not known */
    unsigned slices;     /* of the GPU instance (MIG) that it needs; 0: it shares the GPU in time */
    char resolution[16]; /* "5120x2880"; "" : not told */
    bool is_configured;  /* a name of vgpu.conf, a pool's or a profile's: only this host knows it */
    struct name recipe;  /* how its interface makes it, in a word of its own; "": by its id */
};

struct inventory_gpu {
    struct name name; /* PCI address of the physical function, or the parent's name */
    int numa;         /* node; -1: none or not told */
    char vendor[8];   /* PCI ids in lower case, "10de"; "": no PCI device */
    char device[8];
    struct name driver; /* "": not told */
    struct inventory_type *types;
    size_t count;
    unsigned framebuffer; /* MiB that its vGPUs share; 0: not known */
    bool is_partial;    /* its driver lists only types that it would make now; there may be more */
    bool one_size;      /* vGPUs that share it in time have one frame buffer size at a time */
    unsigned instances; /* GPU instances (MIG) that it is seen to have; 0: none is seen, or nobody
                           looked (nvidia.h) */
    struct limit *limits;
    size_t limit_count;
    bool is_silent; /* its driver has not answered in time: more may be true of it */
};

struct vgpu_interface;

struct inventory_parent {
    struct name name;
    size_t gpu;
    const struct vgpu_interface *interface;
    bool apart;  /* a place by itself (a pool's): it has its type for good, and what else is on the
                    GPU does not count for it */
    bool untold; /* nobody says how much memory there is for it: what is available is a guess where
                    a type needs some, and its driver alone knows */
    char user[32]; /* a process that has the free device open: "4711 (qemu-system-x86)"; "": none is
                      seen. Only for a device that is lent (vgpu.h): others are made for a guest */
    int *available; /* per type of the GPU: how many more; -errno: that could not be read;
                       INVENTORY_NEVER: it can never have that type */
};
#define INVENTORY_NEVER INT_MIN

struct inventory_vgpu {
    struct name device;
    struct name type; /* "" while it is being made or removed */
    size_t parent;
    unsigned framebuffer; /* MiB, if the type does not tell; 0: not known */
};

/* A PCI device that somebody asks for, and that is no parent (ineligible.h). */
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

/* Which types a caller asks for. Availability and details are read for these only: on a host with
 * 256 virtual functions that means hundreds of files instead of tens of thousands. So it is with
 * names, which may be a file for each type: those of the types that are asked for are read, and of
 * those that there is a vGPU of. */
struct inventory_filter {
    bool (*wants)(const struct inventory_type *type, const void *data);
    const void *data;

    /* Whether the names of all types of a GPU are to be read before `wants` is asked, which may
     * compare them; `ids` are their ids. NULL: it compares ids, and they are not. */
    bool (*wants_names)(const struct name *gpu, const struct names *ids, const void *data);
};

/* All types, and none: then of types without a vGPU only the ids are read. */
extern const struct inventory_filter inventory_all_types;
extern const struct inventory_filter inventory_no_types;

void inventory_clear(struct inventory *inventory) NONNULL;

/* Adds a GPU unless it is there. Its index. */
size_t inventory_add_gpu(struct inventory *inventory, const struct name *name) NONNULL;

/* Adds a copy of a parent, with an array of its own for `available`, all 0. Its index. */
size_t
inventory_add_parent(struct inventory *inventory, const struct inventory_parent *parent) NONNULL;

/* Adds a type to a GPU unless it is there. Its index. A type whose name was not known (it was its
 * id) becomes the new one if that has a name. */
size_t inventory_add_type(struct inventory *inventory, size_t gpu,
                          const struct inventory_type *type) NONNULL;

/* Adds a limit to a GPU: a copy without its arrays, which are made here, all 0; held and base only
 * if its parents keep something. The limit, until the next one is added. */
struct limit *inventory_add_limit(struct inventory *inventory, size_t gpu,
                                  const struct limit *limit, bool parents_keep) NONNULL;

/* Adds a vGPU that is being removed and is not on the bus any more, if its parent is there. */
void inventory_add_going(struct inventory *inventory, const struct name *device,
                         const struct name *parent) NONNULL;

/* NULL if there is none of that name. */
const struct inventory_vgpu *
inventory_find_vgpu(const struct inventory *inventory, const struct name *device) NONNULL;

/* Whether there is a parent of that name; ret is its index. */
bool inventory_find_parent(const struct inventory *inventory, const struct name *name,
                           size_t *ret) CHECKED NONNULL;

/* The same of a GPU. */
bool inventory_find_gpu(const struct inventory *inventory, const struct name *name,
                        size_t *ret) CHECKED NONNULL;

/* Walks over the types of all GPUs. It starts as {0}. */
struct inventory_walk {
    const struct inventory_type *type;
    size_t gpu, index; /* of the GPU, and of the type among that GPU's */
};
bool
inventory_next_type(const struct inventory *inventory, struct inventory_walk *walk) CHECKED NONNULL;

/* Offers the words that people use for a type: its id, its name, and the name's last word. */
void inventory_suggest_type(const struct inventory_type *type, struct suggest *suggest) NONNULL;

/* The type of a GPU, or NULL. */
const struct inventory_type *
inventory_find_type(const struct inventory_gpu *gpu, const struct name *id) NONNULL;

/* Whether two GPUs have the same PCI ids: then an id is the same type on both. */
bool inventory_is_same_model(const struct inventory_gpu *a, const struct inventory_gpu *b) NONNULL;

/* A type of that id which another GPU of the same model has, and whose name is known; or NULL. */
const struct inventory_type *
inventory_find_twin(const struct inventory *inventory, size_t gpu, const struct name *id) NONNULL;

/* Whether the driver of a GPU can make vGPUs on it. It cannot if it lists no type and the GPU has
 * no vGPU; types that the type cache remembers do not count. */
bool inventory_offers(const struct inventory *inventory, size_t gpu) CHECKED NONNULL;

/* Whether a GPU has GPU instances (MIG), and its driver lists no type for them. */
bool inventory_lacks_types(const struct inventory *inventory, size_t gpu) CHECKED NONNULL;

/* Whether a GPU may have types that nobody knows of: its driver does not list those that it would
 * not make beside the present vGPUs. An idle GPU lists all of them, except those of GPU instances
 * (MIG) that do not exist. Types that were listed while it was idle, or that another card of the
 * model lists, are known. */
bool inventory_may_have_more(const struct inventory *inventory, size_t gpu) CHECKED NONNULL;

/* Whether vGPUs of a type share their GPU in time: they need no GPU instance (MIG), and it is the
 * driver's own type. Only such types take part where a GPU takes one frame buffer size at a time.
 */
bool inventory_type_shares_time(const struct inventory_type *type) CHECKED NONNULL;

/* The limit of a GPU whose vGPUs share its memory, and the driver or vgpu.conf says how much there
 * is; NULL: nobody says. */
const struct limit *inventory_memory(const struct inventory_gpu *gpu) NONNULL;

/* Whether the places of a GPU are apart, so that what its types can get adds up. */
bool inventory_is_apart(const struct inventory *inventory, size_t gpu) CHECKED NONNULL;

/* The one type that a parent has for good (a pool's); NULL: it may have any. */
const struct inventory_type *inventory_type_for_good(const struct inventory *inventory,
                                                     const struct inventory_parent *parent) NONNULL;

/* Whether its name is known: else it is called by its id. */
bool inventory_type_has_name(const struct inventory_type *type) CHECKED NONNULL;

/* The last word of a type's name, "T4-1B" of "GRID T4-1B"; the name itself if it has but one. */
const char *inventory_last_word(const char *name) CHECKED NONNULL;

/* Whether a word that a person wrote names a type: its id, its whole name, or the last word of its
 * name ("T4-1B"). */
bool inventory_type_is(const struct inventory_type *type, const char *word) CHECKED NONNULL;
