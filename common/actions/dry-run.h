/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * forecast: what a start of a domain would come to now, for people who ask before they start it.
 *
 * It looks at what assign.h looks at and decides with the same functions, once, without the lock
 * and without changing anything, and needs no right but to read. What it may not see counts as
 * somebody's. It is no promise: another start may be faster, and a kernel may refuse.
 */

#pragma once

#include "placement/capacity.h"
#include "placement/eviction.h"
#include "placement/resolution.h"

enum forecast_outcome {
    FORECAST_NOTHING, /* it is to get no vGPU */
    FORECAST_PLACED,
    FORECAST_REAPING, /* something would be removed first, and there is hope for a place then */
    FORECAST_REFUSED,
};

struct forecast {
    enum forecast_outcome outcome;
    struct intent intent;
    struct inventory inventory;
    struct ledger ledger;             /* without leases of which nothing is left */
    struct ledger busy;               /* the domain's own, being made or removed: a start waits */
    struct ledger unwanted;           /* the domain's own, which would be removed before all else */
    struct ledger reaped;             /* what would be removed to make room, as far as needed */
    struct clearance after;           /* as a start would see it by then */
    struct placement_choice *choices; /* per demand; parent SIZE_MAX: none */
    bool *may_reap;                   /* per lease of ledger */
    bool *may_still;                  /* the same of after's */
    unsigned boot_left;   /* ms that a start would wait for a GPU which is not there yet */
    int rc;               /* placement_find's, and */
    struct error refusal; /* its words, unless it found a place */
};

/* 0, or -errno with a line in error if the configuration, the request or the ledger is broken. The
 * request is borrowed, and the forecast must stay where it is; to be cleared in every case. */
int forecast_make(struct forecast *forecast, const struct host *host, const struct request *request,
                  struct error *error) CHECKED NONNULL;

/* What can still be changed in the XML before a start. */
struct forecast_change {
    const struct names *sources; /* of hostdevs that can be given others */
    enum demand_freedom freedom; /* how far these can go */
    const struct names *avoided; /* virtual functions that they are not to become */
    bool alone;                  /* of the domain, which may be running, nothing else is asked */
};

/* The same, with whatever change serves best. */
int forecast_make_after(struct forecast *forecast, const struct host *host,
                        const struct request *request, const struct forecast_change *change,
                        struct error *error) CHECKED NONNULL;
void forecast_clear(struct forecast *forecast) NONNULL;

/* A choice of a demand is known. */
bool forecast_is_chosen(const struct forecast *forecast, size_t demand) CHECKED NONNULL;

/* A GPU for a demand, from worst to best. */
enum forecast_verdict {
    FORECAST_NO,
    FORECAST_REAP, /* it could, once something is removed */
    FORECAST_POSSIBLE,
    FORECAST_CHOSEN,
    FORECAST_FOUND, /* the device is there, and somebody else made it */
    FORECAST_TAKEN, /* the device is there, and the domain's */
};
extern const char *const forecast_verdict_words[];

/* The GPUs as one demand finds them, beside the domain's others. -ENOMEM; room_clear in every
 * case. */
int forecast_room(const struct forecast *forecast, size_t demand, struct room *ret) CHECKED NONNULL;

/* What a GPU says to that demand, as the words after its name. */
enum forecast_verdict
forecast_judge(const struct forecast *forecast, const struct room *room, size_t demand, size_t gpu,
               char *text, size_t size) CHECKED NONNULL;
