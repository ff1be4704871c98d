/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * demand: one vGPU that a domain is to get, made from its request and the policy (resolution.h).
 * Demands borrow everything from these two.
 *
 * Its terms are all that placement may look at when it judges a place. So two demands with equal
 * terms may change places, and the search tries only one of them.
 */

#pragma once

#include "device/inventory.h"
#include "device/vgpu.h"
#include "domain/request.h"
#include "policy/policy.h"

/* A hostdev with this alias asks for the class of that name: ua-vgpu-CLASS, or ua-vgpu-CLASS-N. */
#define DEMAND_ALIAS_STEM "ua-vgpu-"

/* Of the kinds of enum request_kind, a bit each: any. */
#define DEMAND_ANY_DEVICE (1u << REQUEST_MDEV | 1u << REQUEST_PCI)

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

/* What a vGPU must be like, and where it may be. */
struct demand_terms {
    struct attributes attributes;     /* of the request; else the policy's */
    const struct policy_class *class; /* NULL: a type was named */
    struct name saved;    /* the only type that will do, because the guest's saved state needs it;
                             "": it has none */
    struct name place;    /* the only parent that will do, because it is promised to the guest; "":
                             any parent will do */
    struct name function; /* the virtual function that its hostdev names; "": any parent will do */
    unsigned kinds;       /* of which its device may be: bits, as DEMAND_ANY_DEVICE */
    bool is_managed;      /* it is a PCI device with managed='yes' */
    bool passes_drain;    /* it may be on a drained GPU, because the ledger has the promise still */
};

struct demand {
    struct demand_terms terms;
    const struct request_hostdev *hostdev; /* NULL: it only asks what could be */
    const struct request_device *device;   /* NULL: no annotation names it */
    enum demand_source source;
    const char *origin; /* "file:line" of the policy that asks for it; NULL: the XML does */
    const char *label;  /* its name in messages: alias or UUID */
    const char *wanted; /* what it wants, in messages: type or class */
    enum demand_freedom freedom; /* demand_set_free sets it, with the terms that follow from it */
};

struct demands {
    struct demand *items;
    size_t count;
    struct nodeset nodes; /* the NUMA nodes that the domain is bound to; the caller fills them in */
    bool may_be_unlike; /* the guest may have types together that their vendor forbids (vendor.h) */
};

/* The caller clears `to` in every case. */
void demands_copy(const struct demands *from, struct demands *to) NONNULL;
void demands_clear(struct demands *demands) NONNULL;

/* Whether the terms of two demands are the same. */
bool demand_terms_equal(const struct demand_terms *a, const struct demand_terms *b) CHECKED NONNULL;

/* The virtual function that a demand must have; NULL: any parent will do. */
const struct name *demand_vf(const struct demand *demand) NONNULL;

/* The types that will do, best first, and their number. They are words of the class, or the type
 * that was named. */
char *const *demand_words(const struct demand_terms *terms, size_t *count) NONNULL;

/* Whether vgpu.conf lends functions for one of these words: by a pool, or by a profile. */
bool demand_words_are_lent(const struct demand_terms *terms,
                           const struct policy *policy) CHECKED NONNULL;

/* MiB; not 0: any type with at least so much will do, too, the smallest first. */
unsigned demand_framebuffer(const struct demand_terms *terms) CHECKED NONNULL;

/* Sets how far a demand may go, and the terms that follow from that. A demand without a hostdev may
 * get a device of either kind. */
void demand_set_free(struct demand *demand, enum demand_freedom freedom) NONNULL;
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
size_t demand_count_types(const struct demand_terms *terms,
                          const struct inventory_gpu *gpu) CHECKED NONNULL;

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

/* demand_ranks: whether a type meets the terms of a demand. If it does, *rank says how well: a
 * lower rank is better. demand_class_has: whether a class has the type. */
bool demand_ranks(const struct demand_terms *terms, const struct inventory_type *type,
                  unsigned *rank) CHECKED NONNULL;
bool demand_class_has(const struct policy_class *class,
                      const struct inventory_type *type) CHECKED NONNULL;

/* Adds to a refusal which types the guest's saved state needs, if it needs any. */
void demands_tell_saved(const struct demands *demands, struct error *error) NONNULL;

/* The parameters that the request sets, as the driver takes them; "" if there are none. */
void demand_params(const struct demand *demand, char *ret, size_t size) NONNULL;
