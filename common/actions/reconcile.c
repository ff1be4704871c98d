/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/reconcile.h"
#include "actions/adopt.h"
#include "base/array.h"
#include "base/reader.h"
#include "lease/facts.h"
#include "lease/fate.h"
#include "lease/log.h"
#include "lease/proving.h"
#include "policy/policy-load.h"
#include "policy/policy.h"

struct reconciliation {
    struct transaction transaction;
    struct policy policy;
    struct look look;
    struct ledger held;  /* devices of running guests that had no lease when they were looked for */
    struct error unread; /* why one of those could not be looked at; "": all could */
    struct removals todo;
    struct findings *findings;
};

static void
reconciliation_clear(struct reconciliation *reconciliation)
{
    removals_clear(&reconciliation->todo);
    ledger_clear(&reconciliation->held);
    look_clear(&reconciliation->look);
    policy_clear(&reconciliation->policy);
    transaction_close(&reconciliation->transaction);
}

const char *
outcome_name(enum outcome outcome)
{
    static const char *const names[] = {
        [OUTCOME_LEFT] = "left alone", [OUTCOME_FORGOTTEN] = "forgotten", [OUTCOME_KEPT] = "kept",
        [OUTCOME_REMOVED] = "removed", [OUTCOME_ADOPTED] = "adopted",
    };

    return names[outcome];
}

void
findings_clear(struct findings *findings)
{
    free(findings->items);
    *findings = (struct findings){0};
}

void
findings_add(struct findings *findings, const struct lease *lease, enum outcome outcome,
             const char *why)
{
    struct finding finding = {.lease = *lease, .outcome = outcome};

    error_set(&finding.why, 0, "%s", why);
    ARRAY_ADD(findings->items, findings->count, finding);
}

void
findings_correct(struct findings *findings, const struct removals *removals)
{
    for (size_t i = 0; i < removals->count; i++) {
        const struct removal *removal = &removals->items[i];
        struct finding *finding = findings->items;

        if (removal->fate == FATE_REMOVED)
            continue;
        while (!name_equal(&finding->lease.vgpu.device, &removal->lease.vgpu.device))
            finding++;
        finding->outcome = OUTCOME_LEFT;
        finding->why = removal->why;
        findings->failed++;
    }
}

static enum outcome
outcome_of(enum fate fate)
{
    switch (fate) {
    case FATE_FORGET:
        return OUTCOME_FORGOTTEN;
    case FATE_KEEP:
        return OUTCOME_KEPT;
    case FATE_REMOVE:
        return OUTCOME_REMOVED;
    case FATE_LEAVE:
    case FATE_WAIT:
    case FATE_REUSE:
    case FATE_REMOVED:
    case FATE_RESTORE:
    case FATE_LATER:
        break;
    }
    return OUTCOME_LEFT;
}

static enum fate
judge_lease(const struct reconciliation *reconciliation, const struct lease *lease,
            const char **why)
{
    const struct fate_facts facts =
        facts_gather(&reconciliation->transaction.statedir, &reconciliation->look, lease);

    return fate_judge(FATE_RECONCILE, &facts, why);
}

/* Under the lock: judges every lease, and claims those that are to be removed. */
static int
judge(struct reconciliation *reconciliation, struct ledger *ledger, struct error *error)
{
    struct transaction *transaction = &reconciliation->transaction;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < ledger->count;) {
        struct lease *lease = &ledger->leases[i];
        const char *why;
        enum fate fate = judge_lease(reconciliation, lease, &why);

        findings_add(reconciliation->findings, lease, outcome_of(fate), why);
        if (fate == FATE_FORGET) {
            log_lease(transaction->host, "reconcile", lease, "forgotten");
            ledger_remove(ledger, lease);
            continue;
        }
        if (fate == FATE_KEEP) {
            log_lease(transaction->host, "reconcile", lease, "kept");
            lease->state = LEASE_KEPT;
            lease->time = host_seconds(transaction->host);
        }
        if (fate == FATE_REMOVE)
            rc = removals_claim(&reconciliation->todo, transaction, ledger, lease, error);
        i++;
    }
    return rc;
}

/* Whether a guest gave something back while the files were read. Then its file may be outdated. */
static bool
has_lost(const struct ledger *before, const struct ledger *ledger, const struct name *domain)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct lease *old = &before->leases[i];

        if (name_equal(&old->domain, domain) && !ledger_find(ledger, &old->vgpu.device))
            return true;
    }
    return false;
}

/* Without the lock: looks for devices that running guests hold, and no lease names. */
static void
look_for_held(struct reconciliation *reconciliation)
{
    const struct status_files *guests = &reconciliation->look.guests;

    for (size_t i = 0; i < guests->count; i++)
        adopt_look(reconciliation->transaction.host, &guests->items[i],
                   &reconciliation->look.before, &reconciliation->held, &reconciliation->unread);
}

/* Under the lock: enters what running guests hold. */
static void
adopt(struct reconciliation *reconciliation, struct ledger *ledger)
{
    struct ledger *held = &reconciliation->held;
    size_t known = ledger->count;

    /* Drop what a guest held if it gave something back while the files were read. */
    for (size_t i = 0; i < held->count;) {
        if (has_lost(&reconciliation->look.before, ledger, &held->leases[i].domain))
            ledger_remove(held, &held->leases[i]);
        else
            i++;
    }
    adopt_missing(&reconciliation->transaction, held, "reconcile", ledger);
    for (size_t i = known; i < ledger->count; i++)
        findings_add(reconciliation->findings, &ledger->leases[i], OUTCOME_ADOPTED,
                     "its guest runs, and no lease named it");
}

/* The guests are read after the ledger: a device that is held by then was in a status file before.
 * Changes until the ledger is locked are left for the next time. */
static int
look(struct reconciliation *reconciliation, struct error *error)
{
    const struct statedir *statedir = &reconciliation->transaction.statedir;
    int rc;

    reader_begin(statedir->host->reader, READER_PATIENCE);
    rc = look_take(&reconciliation->look, statedir, NULL, error);
    if (rc == 0)
        rc = look_at_guests(&reconciliation->look, statedir, statedir->host, error);
    if (rc == 0)
        look_for_held(reconciliation);
    return rc;
}

static int
decide(struct reconciliation *reconciliation, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct transaction *transaction = &reconciliation->transaction;
    int rc = transaction_begin(transaction, &ledger, error);

    if (rc < 0)
        return rc;
    proving_sweep(transaction->host, transaction->statedir.claims);
    rc = judge(reconciliation, &ledger, error);
    if (rc < 0) {
        transaction_abort(transaction);
        return rc;
    }
    adopt(reconciliation, &ledger);
    return transaction_commit(transaction, &ledger, error);
}

/* A guest that starts waits for its own leases, so the waits for devices in use must not add up. */
static void
remove_claimed(struct reconciliation *reconciliation)
{
    struct transaction *transaction = &reconciliation->transaction;
    const struct removal_terms terms = {
        .occasion = FATE_RECONCILE,
        .event = "reconcile",
        .each = reconciliation->policy.release_timeout,
        .patience = reconciliation->policy.release_timeout,
    };

    remove_all(transaction, &reconciliation->todo, &terms);
    findings_correct(reconciliation->findings, &reconciliation->todo);
}

static int
begin(struct reconciliation *reconciliation, const struct host *host, struct error *error)
{
    struct transaction *transaction = &reconciliation->transaction;
    struct error ignored;
    int rc = transaction_open(host, host_exists(host, "run/libvirt/qemu"), transaction, error);

    if (rc < 0)
        return rc;
    /* A broken configuration must not strand anything: its defaults are used. */
    if (policy_load(host, &reconciliation->policy, &ignored) < 0)
        log_failure(host, "reconcile", "-", &ignored);
    transaction->lock_timeout = reconciliation->policy.lock_timeout;
    transaction->deadline =
        deadline_in(reconciliation->transaction.host, reconciliation->policy.prepare_timeout);
    return 0;
}

int
reconcile_host(const struct host *host, struct findings *ret, struct error *error)
{
    AUTO(reconciliation_clear)
    struct reconciliation reconciliation = {.transaction = TRANSACTION_NONE, .findings = ret};
    int rc;

    *ret = (struct findings){0};
    rc = begin(&reconciliation, host, error);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    rc = look(&reconciliation, error);
    if (rc == 0)
        rc = decide(&reconciliation, error);
    if (rc == 0)
        remove_claimed(&reconciliation);
    return rc;
}

/* Without the lock. Fails if a status file cannot be read, or a driver does not answer: what those
 * guests hold would be lost for good. */
static int
look_for_all(struct reconciliation *reconciliation, struct error *error)
{
    const struct host *host = reconciliation->transaction.host;
    int rc =
        look_at_guests(&reconciliation->look, &reconciliation->transaction.statedir, host, error);

    reader_begin(host->reader, READER_PATIENCE);
    if (rc == 0 && !reconciliation->look.guests.complete)
        rc = error_set(error, -EIO, "%s; nothing was changed",
                       reconciliation->look.guests.failure.text);
    if (rc < 0)
        return rc;
    look_for_held(reconciliation);
    if (*reconciliation->unread.text)
        return error_set(error, -EIO, "%s; nothing was changed", reconciliation->unread.text);
    return 0;
}

/* Under the lock. Does nothing if somebody has rebuilt the ledger meanwhile. */
static int
rebuild(struct reconciliation *reconciliation, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct statedir *statedir = &reconciliation->transaction.statedir;
    int rc = statedir_load(statedir, &ledger, error);

    if (rc == 0 || !statedir_is_broken(rc))
        return rc;
    rc = statedir_set_aside(statedir, &reconciliation->findings->set_aside, error);
    if (rc < 0)
        return rc;
    adopt(reconciliation, &ledger);
    return statedir_store(statedir, &ledger, error);
}

int
reconcile_rebuild(const struct host *host, struct findings *ret, struct error *error)
{
    AUTO(reconciliation_clear)
    struct reconciliation reconciliation = {.transaction = TRANSACTION_NONE, .findings = ret};
    struct transaction *transaction = &reconciliation.transaction;
    int rc;

    *ret = (struct findings){0};
    rc = begin(&reconciliation, host, error);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    rc = look_for_all(&reconciliation, error);
    if (rc == 0)
        rc = statedir_lock(&transaction->statedir, deadline_in(host, transaction->lock_timeout),
                           error);
    return rc < 0 ? rc : rebuild(&reconciliation, error);
}
