/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * inventory: the GPUs, parents and vGPUs that a host has now.
 *
 * A GPU owns its types, its parents and its vGPUs. A parent is where a vGPU is made: the GPU
 * itself, or one of its virtual functions. A parent tells how many more vGPUs of each type it would
 * make. Types and parents know their GPU, and a vGPU knows its parent. A place is a parent and a
 * type of its GPU: what a placement decides about.
 *
 * Only inventory_add_... add something. GPUs, parents and vGPUs then stay where they are in memory,
 * and are valid until inventory_clear. A type is valid until its GPU gets another one.
 *
 * An inventory is a snapshot, and no promise: the kernel may refuse what `available` says.
 * Availability is read before the vGPUs. So a change in between makes a GPU look too free, not too
 * full. This is the better error: a refused attempt can be repeated on another GPU, but a place
 * that nobody sees is lost.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"
#include "device/limit.h"

#include <limits.h>

struct inventory_gpu;
struct vendor;
struct vgpu_interface;

struct inventory_type {
    const struct inventory_gpu *gpu; /* that has it; NULL: the type was added to none */
    struct name id;                  /* such as "nvidia-222" */
    const struct vendor *vendor;     /* vendor.h; NULL: its vendor is not known */
    char name[64];                   /* such as "GRID T4-1B"; the id if the driver tells no name */
    unsigned framebuffer;            /* MiB; 0: not told */
    unsigned heads;                  /* 0: not told */
    unsigned max;                    /* number that an empty GPU takes; 0: not known (maxima.h) */
    enum limit_source max_source;    /* who says so */
    unsigned ceiling; /* most vGPUs of all sizes that its driver makes on a GPU, or on a GPU
                         instance if it needs one; 0: not known */
    unsigned
        slices; /* of the GPU instance (MIG) that the type needs; 0: it shares the GPU in time */
    char resolution[16]; /* such as "5120x2880"; "": not told */
    bool is_configured;  /* named by vgpu.conf, as a pool or a profile: only this host knows it */
    bool is_in_table;    /* a table of its vendor has it (vendor.h) */
    bool is_single;      /* by that table it may be the only vGPU of its vendor in a guest */
    struct name recipe;  /* tells the interface how to make a vGPU of it; "": by its id */
};

struct inventory_gpu {
    struct name name; /* PCI address of the physical function, or the parent's name; first, because
                         it is looked for */
    size_t index;     /* among the GPUs of the inventory */
    int numa;         /* node; -1: none or not told */
    char vendor[8];   /* PCI id in lower case, such as "10de"; "": no PCI device */
    char device[8];
    char subsystem_vendor[8]; /* of the board. Unlike boards may have one vendor and one device */
    char subsystem_device[8];
    struct name driver; /* "": not told */
    struct inventory_type *types;
    size_t type_count;
    struct inventory_parent **parents; /* in the order in which they were added */
    size_t parent_count;
    struct inventory_vgpu **vgpus; /* the same */
    size_t vgpu_count;
    unsigned framebuffer; /* MiB that its vGPUs share; 0: not known */
    bool is_partial; /* its driver lists only the types that it would make now; there may be more */
    bool has_all_sizes; /* though is_partial: it, or another card of its model, was idle when it
                           listed them, or a table of its vendor has them (vendor.h) */
    bool one_size;      /* all vGPUs that share it in time must have the same frame buffer size */
    unsigned instances; /* number of GPU instances (MIG) that are seen; 0: none, or nobody looked
                           (nvidia.h) */
    bool is_occupied;   /* each of these instances has a vGPU, so vGPUs show all instances */
    struct limit *limits;
    size_t limit_count;
    bool is_silent; /* its driver has not answered in time: there may be more than is known */
};

struct inventory_parent {
    struct name name;
    struct inventory_gpu *gpu;
    size_t index; /* among the parents of its GPU */
    const struct vgpu_interface *interface;
    bool is_separate;        /* a place of its own (of a pool): its type never changes, and it
                                shares nothing with the rest of the GPU */
    bool has_unknown_memory; /* nobody tells how much memory it has: for types that need memory,
                                `available` is a guess, and only the driver knows */
    char user[32]; /* a process that has the free device open, "4711 (qemu-system-x86)"; "": none is
                      seen. Only for an interface that is_managed (vgpu.h), because other devices
                      are made for a guest */
    int *available; /* per type of the GPU: how many more; -errno: it could not be read;
                       INVENTORY_NEVER: the parent can never have the type */
};
#define INVENTORY_NEVER INT_MIN

struct inventory_vgpu {
    struct name device;
    struct name type; /* "" while it is being made or removed */
    const struct inventory_parent *parent;
    unsigned framebuffer; /* MiB, if the type does not tell them; 0: not known */
};

/* Where a vGPU is, or could be. */
struct place {
    const struct inventory_parent *parent;
    const struct inventory_type *type; /* of the parent's GPU; NULL: the GPU does not list it */
};

/* A PCI device that somebody asks for and that is no parent (ineligible.h). */
struct inventory_ineligible {
    struct name device;
    char why[200]; /* begins with "which" */
};

struct inventory {
    struct inventory_gpu **gpus;
    size_t gpu_count;
    struct inventory_parent *
        *parents; /* those of all GPUs, in the order in which they were added */
    size_t parent_count;
    struct inventory_vgpu **vgpus; /* the same */
    size_t vgpu_count;
    void *gpus_by_name, *parents_by_name, *vgpus_by_name; /* trees of tsearch(3) */
    struct inventory_ineligible *ineligible;
    size_t ineligible_count;
    bool hides_users; /* a free device that is_managed may have a user: only root can know */
    char *remembered; /* the text of the type cache (type-cache.h); NULL: there is none */
    char *extract;    /* of a vendor's table, to be remembered (nvidia-extract.h); NULL: nothing is
                         new */
    struct error table_fault; /* why that table is not read; "": it is, or this was told before */
};

/* The types that a caller asks for. Availability and details are read for these types only. On a
 * host with 256 virtual functions this means hundreds of files instead of tens of thousands. The
 * names of all types are known: a name is read once a boot, of one card of each model
 * (type-cache.h). */
struct inventory_filter {
    bool (*wants)(const struct inventory_type *type, const void *data);
    const void *data;

    /* Whether a guest is to have several vGPUs. Only tables of vendors say which types may be the
     * only vGPU of a guest. So these tables are read then even if drivers tell everything else. */
    bool wants_singles;
};

/* inventory_all_types wants all types, and inventory_no_types wants none. */
extern const struct inventory_filter inventory_all_types;
extern const struct inventory_filter inventory_no_types;

void inventory_clear(struct inventory *inventory) NONNULL;

/* Adds a GPU unless it is there. */
struct inventory_gpu *inventory_add_gpu(struct inventory *inventory, const struct name *name)
    __attribute__((nonnull, returns_nonnull));

/* Adds a copy of a parent to the GPU that it names. The copy has its own array `available`, all
 * 0. */
struct inventory_parent *
inventory_add_parent(struct inventory *inventory, const struct inventory_parent *parent)
    __attribute__((nonnull, returns_nonnull));

/* Adds a copy of a vGPU to the parent that it names. */
void inventory_add_vgpu(struct inventory *inventory, const struct inventory_vgpu *vgpu) NONNULL;

/* Adds a type to a GPU unless it is there. If the present type has only an id for a name, and the
 * new one has a name, the new one replaces it. */
struct inventory_type *
inventory_add_type(struct inventory_gpu *gpu, const struct inventory_type *type)
    __attribute__((nonnull, returns_nonnull));

/* Adds a limit to a GPU: a copy with new arrays, all 0. The arrays held and base are made only with
 * parents_keep. Returns the limit; the pointer is valid until the next limit is added. */
struct limit *inventory_add_limit(struct inventory_gpu *gpu, const struct limit *limit,
                                  bool parents_keep) NONNULL;

/* Adds a vGPU that is being removed and has left the bus, if its parent is there. */
void inventory_add_going(struct inventory *inventory, const struct name *device,
                         const struct name *parent) NONNULL;

/* Each finds something by its name. NULL: there is none. */
struct inventory_gpu *
inventory_find_gpu(const struct inventory *inventory, const struct name *name) NONNULL;
struct inventory_parent *
inventory_find_parent(const struct inventory *inventory, const struct name *name) NONNULL;
const struct inventory_vgpu *
inventory_find_vgpu(const struct inventory *inventory, const struct name *device) NONNULL;

/* The index of a type among the types of its GPU. */
size_t inventory_type_index(const struct inventory_type *type) CHECKED NONNULL;

/* The type of a vGPU; NULL: its GPU does not list the type. */
const struct inventory_type *inventory_type_of(const struct inventory_vgpu *vgpu) NONNULL;

/* How many more of its type a place would take, by the driver's word; -errno, or INVENTORY_NEVER.
 */
int place_available(const struct place *place) CHECKED NONNULL;

/* Walks over the types of all GPUs. Begin with NULL. NULL: there are no more. */
const struct inventory_type *
inventory_next_type(const struct inventory *inventory, const struct inventory_type *type)
    __attribute__((nonnull(1)));

/* Returns a GPU's type of this id, or NULL. */
const struct inventory_type *
inventory_find_type(const struct inventory_gpu *gpu, const struct name *id) NONNULL;

/* Whether two GPUs have the same PCI ids, those of the board too. Then both have the same types. */
bool inventory_is_same_model(const struct inventory_gpu *a, const struct inventory_gpu *b) NONNULL;

/* Returns the type of this id on another GPU of the same model, if the name of that type is known;
 * else NULL. */
const struct inventory_type *
inventory_find_twin(const struct inventory *inventory, const struct inventory_gpu *gpu,
                    const struct name *id) NONNULL;

/* Whether the driver of a GPU can make vGPUs on it. It cannot if it lists no type and the GPU has
 * no vGPU; types that the type cache remembers do not count. */
bool inventory_offers(const struct inventory_gpu *gpu) CHECKED NONNULL;

/* Whether a GPU has types that need a GPU instance (MIG). */
bool inventory_has_instance_types(const struct inventory_gpu *gpu) CHECKED NONNULL;

/* Whether a GPU has GPU instances (MIG), and its driver lists no type for them. */
bool inventory_lacks_types(const struct inventory_gpu *gpu) CHECKED NONNULL;

/* Whether a GPU lists types and offers none of them, though no vGPU is on it and they need no GPU
 * instance. Then it is not full, and nobody knows why. Only types count that were read in full. */
bool inventory_withholds(const struct inventory_gpu *gpu) CHECKED NONNULL;

/* Whether a GPU may have types that nobody knows of: its driver does not list those that it would
 * not make beside the present vGPUs. An idle GPU lists all of them, except those of GPU instances
 * (MIG) that do not exist. If it was idle once, or another card of its model is, its types are
 * known. */
bool inventory_may_have_more(const struct inventory_gpu *gpu) CHECKED NONNULL;

/* Whether vGPUs of a type share their GPU in time: they need no GPU instance (MIG), and the type is
 * the driver's own. The rule of one frame buffer size at a time is only for such types. */
bool inventory_type_shares_time(const struct inventory_type *type) CHECKED NONNULL;

/* Returns the size of the largest type that shares a GPU in time, in MiB. Returns 0 if it is not
 * known: there may be a larger one, or only one size was seen. */
unsigned inventory_find_largest(const struct inventory_gpu *gpu) CHECKED NONNULL;

/* Returns the limit of a GPU's memory, if its vGPUs share the memory and the driver or vgpu.conf
 * tells its size. Returns NULL if nobody tells. */
const struct limit *inventory_memory(const struct inventory_gpu *gpu) NONNULL;

/* Whether the places of a GPU are separate, so that the figures of its types add up. */
bool inventory_is_separate(const struct inventory_gpu *gpu) CHECKED NONNULL;

/* Returns the only type that a parent can ever have (a pool's). Returns NULL if it may have
 * several. */
const struct inventory_type *inventory_type_for_good(const struct inventory_parent *parent) NONNULL;

/* Whether the name of a type is known. Else its id is its name. */
bool inventory_type_has_name(const struct inventory_type *type) CHECKED NONNULL;
