/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * problem: what a placement is asked, and its answer. Values only.
 */

#pragma once

#include "lease/ledger.h"
#include "placement/demand.h"

/* The kernel has refused this in this call, although there seemed to be room. */
struct placement_rejection {
    struct name parent;
    struct name type;
    int error; /* -errno */
};

/* Which host is asked. For another day nobody knows what the kernel refuses, or who starts. */
enum placement_host {
    PLACEMENT_NOW,          /* as it is, without what is `gone` */
    PLACEMENT_WITHOUT_OURS, /* another day: without the vGPU of any lease, except those that the
                               domain runs with */
    PLACEMENT_EMPTY,        /* another day: also without vGPUs of others */
};

enum placement_certainty {
    PLACEMENT_TRY,      /* also places that are not sure */
    PLACEMENT_TRY_SEEN, /* the same, but on a GPU where something is `gone`, only places that are
                           there for sure */
    PLACEMENT_SURE,     /* only places that are there for sure */
};

struct placement_problem {
    const struct request *request;
    const struct demands *demands;
    const struct policy *policy;
    const struct inventory *inventory;
    const struct ledger *ledger;
    const struct ledger *changed; /* leases that came, changed or went since the inventory was read:
                                     each takes its place, seen there or not; NULL: none */
    const struct placement_rejection *rejections;
    size_t rejection_count;
    enum placement_host host;
    const bool *gone; /* per lease of the ledger: whether the lease and its device count as gone;
                         NULL: no lease does */
    enum placement_certainty certainty;
    bool in_best_order; /* count the room that the removals would leave in the best order
                           (gpu-load.h) */
    bool running; /* the domain runs and keeps the vGPUs that it has: the demands are for more */
    size_t
        *effort; /* of several searches, so that they are bounded together; NULL: each by itself */
    const struct names *avoided; /* virtual functions that no free demand gets; NULL: none */
    const struct names *left;    /* GPUs that the guest is not to move to; NULL: none */
};

enum placement_way {
    PLACEMENT_CREATE,  /* make it */
    PLACEMENT_REUSE,   /* it is there, and ours: the domain's own lease says so, or a kept one
                          does */
    PLACEMENT_FOREIGN, /* it is there, and somebody else's */
};

struct placement_choice {
    enum placement_way way;
    struct place place;
};

/* Whether a lease could be in the way of a demand. Such a lease has the device that the demand
 * names, or a place on a GPU that has a type for the demand. */
bool placement_concerns(const struct placement_problem *problem,
                        const struct lease *lease) CHECKED NONNULL;

/* Whether a lease of the ledger, or a vGPU of the inventory, counts as gone. */
bool placement_lease_is_gone(const struct placement_problem *problem,
                             const struct lease *lease) CHECKED NONNULL;
bool placement_vgpu_is_gone(const struct placement_problem *problem,
                            const struct inventory_vgpu *vgpu) CHECKED NONNULL;

/* placement_lease: the lease of a device. placement_vgpu: the vGPU of that name. NULL: there is
 * none, or it counts as gone. */
struct lease *
placement_lease(const struct placement_problem *problem, const struct name *device) NONNULL;
const struct inventory_vgpu *
placement_vgpu(const struct placement_problem *problem, const struct name *device) NONNULL;

/* The name of a choice's vGPU: the virtual function itself, or the source of the hostdev. */
const struct name *
placement_device(const struct demand *demand, const struct placement_choice *choice) NONNULL;
