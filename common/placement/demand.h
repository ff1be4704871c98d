/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * demand: one vGPU that a domain is to get, made from its request and the policy (resolution.h).
 * Demands borrow everything from these two.
 */

#pragma once

#include "device/inventory.h"
#include "device/vgpu.h"
#include "domain/request.h"
#include "policy/policy.h"

/* A hostdev with this alias asks for the class of that name: ua-vgpu-CLASS, or ua-vgpu-CLASS-N. */
#define DEMAND_ALIAS_STEM "ua-vgpu-"

/* Who says what a hostdev is to be. The first of these counts. */
enum demand_source {
    DEMAND_ANNOTATION,
    DEMAND_DOMAINS, /* the policy's `domains` */
    DEMAND_ALIAS,
    DEMAND_DEFAULT, /* the policy's `default_class` */
};

/* How far a demand may go from what its hostdev says. A guest that arrives can get another
 * source. */
enum demand_freedom {
    DEMAND_AS_IT_SAYS,
    DEMAND_ANY_PLACE, /* of its own kind: another UUID, another virtual function */
    DEMAND_ANY_KIND,  /* a mediated device or a virtual function */
};

struct demand {
    const struct request_hostdev *hostdev;
    const struct request_device *device; /* NULL: no annotation names it */
    enum demand_source source;
    const char *origin; /* "file:line" of the policy that asks for it; NULL: the XML does */
    const char *label;  /* its name in messages: alias or UUID */
    const char *wanted; /* what it wants, in messages: type or class */
    const struct policy_class *class; /* NULL: a type was named */
    char *const *words;               /* types that will do, best first */
    size_t word_count;
    unsigned framebuffer; /* MiB; not 0: any type with at least so much, the smallest first */
    struct name saved;    /* the only type that will do, because the guest's saved state needs it;
                             "": it has none */
    struct name place;    /* the only parent that will do, because it is promised to the guest; "":
                             any parent will do */
    bool passes_drain;    /* it may be on a drained GPU, because the ledger has the promise still */
    enum choice_order order;
    enum choice_numa numa;
    enum demand_freedom freedom;
};

struct demands {
    struct demand *items;
    size_t count;
    struct nodeset nodes; /* the NUMA nodes that the domain is bound to; the caller fills them in */
    bool may_be_unlike; /* the guest may have types together that their vendor forbids (vendor.h) */
};

void demands_clear(struct demands *demands) NONNULL;

/* Whether the device of a demand may be of this kind. A demand without a hostdev only asks what
 * could be, and may get a device of either kind. */
bool demand_may_be(const struct demand *demand, enum request_kind kind) CHECKED NONNULL;

/* The virtual function that a demand must have; NULL: any parent will do. */
const struct name *demand_vf(const struct demand *demand) NONNULL;

void demands_set_free(struct demands *demands, enum demand_freedom freedom) NONNULL;
/* The same, only for demands whose hostdevs have one of these sources. */
void demands_set_some_free(struct demands *demands, const struct names *sources,
                           enum demand_freedom freedom) NONNULL;

/* Whether the hostdev of a demand has this source. */
bool demands_name(const struct demands *demands, const struct name *device) CHECKED NONNULL;

/* Forgets all demands but the one for a device. */
void demands_keep_only(struct demands *demands, const struct name *device) NONNULL;
/* Forgets the demands that must be as their hostdevs say. */
void demands_keep_free(struct demands *demands) NONNULL;

/* The rule of a vendor that forbids two types in one guest, in words; NULL: there is none. */
const char *demands_forbid(const struct demands *demands, const struct inventory_type *a,
                           const struct inventory_type *b) NONNULL;

/* Whether another demand could not be met beside a vGPU of this type. */
bool demands_oppose(const struct demands *demands, const struct demand *demand,
                    const struct inventory_type *type,
                    const struct inventory *inventory) CHECKED NONNULL;

/* The vendor's rule that lets no type of one demand be beside any type of the other. NULL: there is
 * none, or a GPU may have types for them that it does not list now. */
const char *demands_rule(const struct demands *demands, const struct demand *a,
                         const struct demand *b, const struct inventory *inventory) NONNULL;

/* Whether there is such a rule for any two of the demands. */
bool
demands_conflict(const struct demands *demands, const struct inventory *inventory) CHECKED NONNULL;

/* How many types of a GPU would do for a demand. */
size_t
demand_count_types(const struct demand *demand, const struct inventory_gpu *gpu) CHECKED NONNULL;

/* The line of the XML that says what a demand is to be; 0: there is none. */
unsigned demand_line(const struct demand *demand) CHECKED NONNULL;

/* Whether the XML alone, whatever the policy says, asks us for this hostdev. */
bool demand_is_explicit(const struct request_hostdev *hostdev) CHECKED NONNULL;

/* Whether QEMU may refuse to start with the demands. By the vendor's table, one of them can only be
 * met by types that may be the only vGPU of a guest. The first such demand is named: ret gets the
 * sentence and the line of the XML. This is no refusal, because the table may be older than the
 * driver. The inventory was read with wants_singles. */
bool demands_say_single(const struct demands *demands, const struct inventory *inventory,
                        struct error *ret) CHECKED NONNULL;

/* demand_ranks: whether a type meets a demand. If it does, *rank says how well: a lower rank is
 * better. demand_class_has: whether a class has the type. */
bool demand_ranks(const struct demand *demand, const struct inventory_type *type,
                  unsigned *rank) CHECKED NONNULL;
bool demand_class_has(const struct policy_class *class,
                      const struct inventory_type *type) CHECKED NONNULL;

/* Adds to a refusal which types the guest's saved state needs, if it needs any. */
void demands_tell_saved(const struct demands *demands, struct error *error) NONNULL;

/* The parameters that the request sets, as the driver takes them; "" if there are none. */
void demand_params(const struct demand *demand, char *ret, size_t size) NONNULL;
