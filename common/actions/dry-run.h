/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * dry-run: what a start of a domain would come to now, for people who ask before they start it.
 *
 * It looks at the same things as assign.h, once, without the lock. Then it takes the steps of a
 * start (start.h) on a copy. So several dry runs can follow one look. It changes nothing, and needs
 * only the right to read. A vGPU counts as in use if a file about it may not be read. It is no
 * promise: another start may be faster, and a kernel may refuse.
 */

#pragma once

#include "actions/snapshot.h"
#include "actions/start.h"
#include "placement/gpu-reason.h"
#include "placement/loads.h"
#include "placement/resolution.h"

/* What dry runs look at, seen once. It must stay where it is. */
struct dry_run_sight {
    struct snapshot snapshot; /* with the demands as the XML says them */
    bool knows_policy;
    struct transaction transaction;
    struct look look;
    int rc;             /* -errno: a start would be refused, because the ledger is broken */
    struct error fault; /* the line about that; the snapshot then has no leases */
    bool is_unsure;     /* only root can know who is at work on a vGPU (statedir.h) */
};
#define DRY_RUN_UNSEEN ((struct dry_run_sight){.transaction = TRANSACTION_NONE})

/* Looks at what a start of this request would look at. is_restored: the start would restore a saved
 * state (lease/saved-type.h). 0, also if the domain is to get no vGPU; -errno with a line in error:
 * the configuration or the request is broken, or nothing can be read. The request is borrowed. The
 * caller clears ret in every case. */
int dry_run_look(const struct host *host, const struct request *request, bool is_restored,
                 struct dry_run_sight *ret, struct error *error) CHECKED NONNULL;
void dry_run_sight_clear(struct dry_run_sight *sight) NONNULL;

enum dry_run_outcome {
    DRY_RUN_NOTHING, /* the domain is to get no vGPU */
    DRY_RUN_PLACED,
    DRY_RUN_EVICTING, /* something would be removed first; then a place is likely */
    DRY_RUN_REFUSED,
};

#define DRY_RUN_STEPS 4

struct dry_run {
    enum dry_run_outcome outcome;
    struct snapshot snapshot;         /* a copy that borrows the policy and the inventory. Its
                                         ledger is without leases of which nothing is left */
    struct ledger busy;               /* the domain's own, being made or removed: a start waits */
    struct ledger unwanted;           /* the domain's own, which would be removed first of all */
    struct ledger evicted;            /* leases that would be removed to make room, as far as
                                         needed */
    struct placement_problem problem; /* as a start would see it once these leases are gone */
    bool *gone;                       /* per lease of ledger: it is in busy, unwanted or evicted */
    bool *may_evict;                  /* per lease of ledger, if it is not gone */
    struct placement_choice *choices; /* per demand; without a parent: none */
    enum start_step steps[DRY_RUN_STEPS]; /* those that would take time, in order: START_PAUSE
                                             for busy, START_REMOVE_OWN, START_REMOVE_OTHERS,
                                             START_WAIT_FOR_BOOT */
    size_t step_count;
    bool settles; /* it would wait for late figures of a driver: a vGPU was just removed */
    unsigned boot_wait_left; /* ms that a start would wait for a GPU that is not there yet */
    struct error refusal;    /* placement_find's, unless it found a place; its class also says
                                whether this host could ever meet the demands */
};

/* The changes of the XML that are possible before a start. */
struct dry_run_change {
    const struct names *sources; /* sources of hostdevs that can get others */
    enum demand_freedom freedom; /* how far these may change */
    const struct names *avoided; /* virtual functions that they must not become */
    bool alone;                  /* only these are asked for; the domain may be running */
};

extern const struct dry_run_change dry_run_unchanged;

/* Takes the steps of a start after the best of these changes, by what was seen for this request. 0;
 * or -errno with a line in error: the ledger is broken. The dry run borrows all from the other
 * arguments, and must stay where it is. The caller clears it in every case. */
int dry_run_make(struct dry_run *dry_run, const struct dry_run_sight *sight,
                 const struct request *request, const struct dry_run_change *change,
                 struct error *error) CHECKED NONNULL;
void dry_run_clear(struct dry_run *dry_run) NONNULL;

/* Whether a place was chosen for a demand. */
bool dry_run_is_chosen(const struct dry_run *dry_run, size_t demand) CHECKED NONNULL;

/* What a GPU is for a demand, from worst to best. */
enum dry_run_answer {
    DRY_RUN_NO,
    DRY_RUN_EVICT, /* it could, once something is removed */
    DRY_RUN_POSSIBLE,
    DRY_RUN_CHOSEN,
    DRY_RUN_FOUND, /* the device is there, made by somebody else */
    DRY_RUN_TAKEN, /* the device is there, and it is the domain's */
};
extern const char *const dry_run_answer_words[];

/* The GPUs for one demand, with the domain's other demands placed: now, and once all is gone that
 * may be evicted. */
struct dry_run_loads {
    struct loads now, then;
    struct placement_problem after; /* the problem of `then` */
    bool *gone;
};
void dry_run_loads_init(struct dry_run_loads *loads, const struct dry_run *dry_run,
                        size_t demand) NONNULL;
void dry_run_loads_clear(struct dry_run_loads *loads) NONNULL;

/* What a GPU is for that demand, and why. REASON_NONE: nothing is against the GPU itself. */
enum dry_run_answer
dry_run_judge(const struct dry_run *dry_run, const struct dry_run_loads *loads, size_t demand,
              const struct inventory_gpu *gpu, struct gpu_reason *ret) CHECKED NONNULL;
