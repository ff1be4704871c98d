/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * dry-run: what a start of a domain would come to now, for people who ask before they start it.
 *
 * It looks at what assign.h looks at, once, without the lock, and takes the steps of a start
 * (start.h) on a copy. It changes nothing, and needs no right but to read. What it may not see
 * counts as somebody's. It is no promise: another start may be faster, and a kernel may refuse.
 */

#pragma once

#include "actions/snapshot.h"
#include "actions/start.h"
#include "placement/resolution.h"
#include "placement/rooms.h"

enum dry_run_outcome {
    DRY_RUN_NOTHING, /* it is to get no vGPU */
    DRY_RUN_PLACED,
    DRY_RUN_EVICTING, /* something would be removed first, and there is hope for a place then */
    DRY_RUN_REFUSED,
};

#define DRY_RUN_STEPS 4

struct dry_run {
    enum dry_run_outcome outcome;
    struct snapshot snapshot;         /* its ledger without leases of which nothing is left */
    struct ledger busy;               /* the domain's own, being made or removed: a start waits */
    struct ledger unwanted;           /* the domain's own, which would be removed before all else */
    struct ledger evicted;            /* what would be removed to make capacity, as far as needed */
    struct placement_problem problem; /* as a start would see it once these are gone */
    bool *gone;                       /* per lease of ledger: it is one of these */
    bool *may_evict;                  /* per lease of ledger, of those that are not gone */
    struct placement_choice *choices; /* per demand; parent SIZE_MAX: none */
    enum start_step steps[DRY_RUN_STEPS]; /* what would take time, in order: START_PAUSE for busy,
                                             START_REMOVE_OWN, START_REMOVE_OTHERS,
                                             START_WAIT_FOR_BOOT */
    size_t step_count;
    unsigned boot_wait_left; /* ms that a start would wait for a GPU which is not there yet */
    struct error refusal;    /* placement_find's, unless it found a place; its class says as well
                                whether this host could ever meet the demands */
};

/* 0, or -errno with a line in error if the configuration, the request or the ledger is broken. The
 * request is borrowed, and the dry run must stay where it is; to be cleared in every case. */
int dry_run_make(struct dry_run *dry_run, const struct host *host, const struct request *request,
                 struct error *error) CHECKED NONNULL;

/* What can still be changed in the XML before a start. */
struct dry_run_change {
    const struct names *sources; /* of hostdevs that can be given others */
    enum demand_freedom freedom; /* how far these can go */
    const struct names *avoided; /* virtual functions that they are not to become */
    bool alone;                  /* of the domain, which may be running, nothing else is asked */
};

/* The same, with whatever change serves best. */
int
dry_run_make_after(struct dry_run *dry_run, const struct host *host, const struct request *request,
                   const struct dry_run_change *change, struct error *error) CHECKED NONNULL;
void dry_run_clear(struct dry_run *dry_run) NONNULL;

/* A choice of a demand is known. */
bool dry_run_is_chosen(const struct dry_run *dry_run, size_t demand) CHECKED NONNULL;

/* A GPU for a demand, from worst to best. */
enum dry_run_answer {
    DRY_RUN_NO,
    DRY_RUN_EVICT, /* it could, once something is removed */
    DRY_RUN_POSSIBLE,
    DRY_RUN_CHOSEN,
    DRY_RUN_FOUND, /* the device is there, and somebody else made it */
    DRY_RUN_TAKEN, /* the device is there, and the domain's */
};
extern const char *const dry_run_answer_words[];

/* The GPUs as one demand finds them, beside the domain's others: now, and once all is gone that may
 * be evicted. */
struct dry_run_rooms {
    struct rooms now, then;
    struct placement_problem after; /* then's */
    bool *gone;
};
void dry_run_rooms_init(struct dry_run_rooms *rooms, const struct dry_run *dry_run,
                        size_t demand) NONNULL;
void dry_run_rooms_clear(struct dry_run_rooms *rooms) NONNULL;

/* What a GPU says to that demand, as the words after its name. */
enum dry_run_answer
dry_run_judge(const struct dry_run *dry_run, const struct dry_run_rooms *rooms, size_t demand,
              size_t gpu, char *text, size_t size) CHECKED NONNULL;
