/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * pass: the one way to go over the leases of the ledger, and to do what fate.h says.
 *
 *     look      without the lock, because drivers and the files of guests take time
 *     decide    with the lock: read the ledger again, compare it with the look, judge each lease
 *               that the pass concerns, and record what becomes of it
 *     remove    without the lock: remove what was claimed, and record the outcome
 *
 * A row says what is special about one kind of pass. A release has a row, by which a start is
 * undone too, and so has reconcile. Other rows are for a vGPU that mdevctl removed, an arrival that
 * is given up, and a guest that takes a whole card. reap goes over vGPUs, and most of these have no
 * lease. So reap shares the policy, the look and the removal, and decides by itself.
 *
 * Four others that change leases are no passes. adopt judges no fate, and may not fail. 'reconcile
 * --rebuild' has a broken ledger. prove's workbench looks at nothing, and needs a readable policy.
 * A start that records what it has made takes only the lock.
 */

#pragma once

#include "apply/remove-all.h"
#include "lease/look.h"
#include "policy/policy.h"

struct pass;

/* Whether the pass reads libvirt's status files. */
enum pass_guests {
    PASS_NO_GUESTS,
    PASS_GUESTS_OF_ENDED, /* only if a daemon or a guest may have ended */
    PASS_ALL_GUESTS,
};

struct pass_row {
    enum fate_occasion occasion;
    const char *event;     /* the log's word for it */
    const char *forgotten; /* the log's word for a lease that is forgotten */
    enum pass_guests guests;
    bool only_forgets; /* what is to be kept or removed stays as it is */
    bool tidies;       /* it removes traces of processes that ended, so it always records */

    /* Whether the pass concerns a lease. NULL: all of them. */
    bool (*concerns)(const struct pass *pass, const struct lease *lease);

    /* Decides what else is to be recorded in the same hold of the lock, once all leases are judged.
     * *changed: the ledger or a link has changed. On -errno nothing is recorded. NULL: nothing. */
    int (*conclude)(struct pass *pass, struct ledger *ledger, bool *changed, struct error *error);

    /* Tells what becomes of a lease, before it is done. NULL: the log is enough. */
    void (*tell)(struct pass *pass, const struct lease *lease, enum fate fate, const char *why);
};

struct pass {
    const struct pass_row *row;
    struct transaction *transaction; /* the caller's, which is open */
    const void *scope;               /* the row's, for `concerns` */
    void *listener;                  /* the row's, for `tell` */
    const struct ledger *before; /* the leases to look at; NULL: those of the ledger at the look */
    const struct name *own;      /* OCCASION_ROOM: the domain that needs the place; NULL: none */
    bool keeps_none;             /* no device is kept for its domain's next start */

    struct look look;
    struct removals todo; /* claimed, or tried already */
    size_t waiting;       /* leases that somebody else is at work on, or has just changed */
};

void pass_clear(struct pass *pass) NONNULL;

/* Reads the policy. If the policy has a fault, its defaults are used, because a mistake in
 * vgpu.conf must not strand anything. The fault is logged under the name of the event. `whom` is a
 * domain, or "-". The caller clears ret. */
void pass_read_policy(const struct host *host, const char *event, const char *whom,
                      struct policy *ret) NONNULL;

/* Looks at the leases of a domain, or of all domains (NULL). Each card has this many ms to answer.
 */
int pass_look(struct pass *pass, const struct name *domain, unsigned patience,
              struct error *error) CHECKED __attribute__((nonnull(1, 4)));

/* Judges the leases as the look saw them, and only tells: for people who ask before it is done. */
void pass_foresee(struct pass *pass) NONNULL;

/* Judges, and records. What is claimed for removal is in `todo` then. */
int pass_decide(struct pass *pass, struct error *error) CHECKED NONNULL;
