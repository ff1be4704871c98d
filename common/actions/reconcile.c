/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/reconcile.h"
#include "actions/adopt.h"
#include "actions/pass.h"
#include "actions/passthrough.h"
#include "base/reader.h"
#include "lease/log.h"

struct reconciliation {
    struct transaction transaction;
    struct policy policy;
    struct pass pass;
    struct ledger held;  /* devices of running guests that had no lease when they were looked for */
    struct error unread; /* why one of those could not be looked at; "": all could */
    struct lease_outcomes *outcomes;
};

static void
reconciliation_clear(struct reconciliation *reconciliation)
{
    pass_clear(&reconciliation->pass);
    ledger_clear(&reconciliation->held);
    policy_clear(&reconciliation->policy);
    transaction_close(&reconciliation->transaction);
}

static void
reconcile_tell(struct pass *pass, const struct lease *lease, enum fate fate, const char *why)
{
    const struct reconciliation *reconciliation = pass->listener;

    lease_outcomes_add(reconciliation->outcomes, lease,
                       fate == FATE_FORGET   ? OUTCOME_FORGOTTEN
                       : fate == FATE_KEEP   ? OUTCOME_KEPT
                       : fate == FATE_REMOVE ? OUTCOME_REMOVED
                                             : OUTCOME_LEFT,
                       why);
}

static void
tell_adopted(const struct reconciliation *reconciliation, const struct ledger *ledger, size_t first)
{
    for (size_t i = first; i < ledger->count; i++)
        lease_outcomes_add(reconciliation->outcomes, &ledger->leases[i], OUTCOME_ADOPTED,
                           "its guest runs, and no lease named it");
}

static int
adopt(struct pass *pass, struct ledger *ledger, bool *changed, struct error *error)
{
    const struct reconciliation *reconciliation = pass->listener;
    const size_t known = ledger->count;

    (void)error;
    adopt_missing(pass->transaction, &reconciliation->held, &pass->look.before, "reconcile",
                  ledger);
    tell_adopted(reconciliation, ledger, known);
    *changed |= ledger->count > known;
    return 0;
}

static const struct pass_row row = {
    .occasion = OCCASION_RECONCILE,
    .event = "reconcile",
    .forgotten = "forgotten",
    .guests = PASS_ALL_GUESTS,
    .tidies = true,
    .conclude = adopt,
    .tell = reconcile_tell,
};

/* Without the lock: looks for devices that running guests hold, and no lease names. */
static void
look_for_held(struct reconciliation *reconciliation)
{
    const struct look *look = &reconciliation->pass.look;

    for (size_t i = 0; i < look->guests.count; i++)
        adopt_look(reconciliation->transaction.host, &look->guests.items[i],
                   &reconciliation->policy, &look->before, &reconciliation->held,
                   &reconciliation->unread);
}

/* libvirt runs no hook when a card is attached to a running guest, so only the log names that. */
static void
log_untold(const struct reconciliation *reconciliation)
{
    const struct host *host = reconciliation->transaction.host;
    const struct look *look = &reconciliation->pass.look;
    AUTO(words_clear) struct words lines = {0};

    passthrough_find_untold(host, &look->guests, &look->before.cards, &lines);
    for (size_t i = 0; i < lines.count; i++) {
        struct error line;

        error_set(&line, 0, "%s", lines.items[i]);
        log_failure(host, "reconcile", "-", &line);
    }
}

/* A guest that starts waits for its own leases, so the waits for devices in use must not add up. */
static void
remove_claimed(struct reconciliation *reconciliation)
{
    const struct removal_terms terms = {
        .occasion = OCCASION_RECONCILE,
        .event = "reconcile",
        .each = reconciliation->policy.release_timeout,
        .patience = reconciliation->policy.release_timeout,
    };

    remove_all(&reconciliation->transaction, &reconciliation->pass.todo, &terms);
    lease_outcomes_correct(reconciliation->outcomes, &reconciliation->pass.todo);
}

static int
begin(struct reconciliation *reconciliation, const struct host *host, struct error *error)
{
    struct transaction *transaction = &reconciliation->transaction;
    int rc = transaction_open(host, host_exists(host, "run/libvirt/qemu"), transaction, error);

    if (rc < 0)
        return rc;
    pass_read_policy(host, "reconcile", "-", &reconciliation->policy);
    transaction->lock_timeout = reconciliation->policy.lock_timeout;
    reconciliation->pass =
        (struct pass){.row = &row, .transaction = transaction, .listener = reconciliation};
    return 0;
}

/* Without the lock. Returns 1; 0 if there is nothing to look at; or -errno with a line in error. */
static int
look(struct reconciliation *reconciliation, const struct host *host, struct error *error)
{
    int rc = begin(reconciliation, host, error);

    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    rc = pass_look(&reconciliation->pass, NULL, READER_PATIENCE, error);
    if (rc < 0)
        return rc;
    look_for_held(reconciliation);
    return 1;
}

/* The ledger is read before the guests (lease/look.h says why). What changes until the ledger is
 * locked is left for the next time. */
int
reconcile_host(const struct host *host, struct lease_outcomes *ret, struct error *error)
{
    AUTO(reconciliation_clear)
    struct reconciliation reconciliation = {.transaction = TRANSACTION_NONE, .outcomes = ret};
    int rc;

    *ret = (struct lease_outcomes){0};
    rc = look(&reconciliation, host, error);
    if (rc <= 0)
        return rc;
    log_untold(&reconciliation);
    rc = pass_decide(&reconciliation.pass, error);
    if (rc == 0)
        remove_claimed(&reconciliation);
    return rc;
}

int
reconcile_foresee(const struct host *host, struct lease_outcomes *ret, struct error *error)
{
    AUTO(reconciliation_clear)
    struct reconciliation reconciliation = {.transaction = TRANSACTION_NONE, .outcomes = ret};
    int rc;

    *ret = (struct lease_outcomes){0};
    rc = look(&reconciliation, host, error);
    if (rc <= 0)
        return rc;
    pass_foresee(&reconciliation.pass);
    tell_adopted(&reconciliation, &reconciliation.held, 0);
    return 0;
}

/* Without the lock. The broken ledger is not looked at. Fails if a status file cannot be read, or a
 * driver does not answer: what those guests hold would be lost for good. */
static int
look_for_all(struct reconciliation *reconciliation, struct error *error)
{
    static const struct ledger nothing;
    const struct status_files *guests = &reconciliation->pass.look.guests;
    int rc;

    reconciliation->pass.before = &nothing;
    rc = pass_look(&reconciliation->pass, NULL, READER_PATIENCE, error);
    if (rc == 0 && !guests->complete)
        rc = error_set(error, -EIO, "%s; nothing was changed", guests->failure.text);
    if (rc < 0)
        return rc;
    look_for_held(reconciliation);
    if (*reconciliation->unread.text)
        return error_set(error, -EIO, "%s; nothing was changed", reconciliation->unread.text);
    return 0;
}

/* Under the lock. Does nothing if somebody has rebuilt the ledger meanwhile. If the ledger can be
 * read, it loses only the leases whose interface this program does not know. */
static int
rebuild(struct reconciliation *reconciliation, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct statedir *statedir = &reconciliation->transaction.statedir;
    int rc = statedir_load(statedir, &ledger, error);
    struct lease *unknown;
    size_t known;

    if (rc == 0 ? !ledger_find_unknown(&ledger) : !statedir_is_broken(rc))
        return rc;
    rc = statedir_set_aside(statedir, &reconciliation->outcomes->set_aside, error);
    if (rc < 0)
        return rc;
    while ((unknown = ledger_find_unknown(&ledger)))
        ledger_remove(&ledger, unknown);
    known = ledger.count;
    adopt_missing(&reconciliation->transaction, &reconciliation->held, &ledger, "reconcile",
                  &ledger);
    tell_adopted(reconciliation, &ledger, known);
    return statedir_store(statedir, &ledger, error);
}

int
reconcile_rebuild(const struct host *host, struct lease_outcomes *ret, struct error *error)
{
    AUTO(reconciliation_clear)
    struct reconciliation reconciliation = {.transaction = TRANSACTION_NONE, .outcomes = ret};
    struct transaction *transaction = &reconciliation.transaction;
    int rc;

    *ret = (struct lease_outcomes){0};
    rc = begin(&reconciliation, host, error);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    rc = look_for_all(&reconciliation, error);
    if (rc == 0)
        rc = statedir_lock(&transaction->statedir, deadline_in(host, transaction->lock_timeout),
                           error);
    return rc < 0 ? rc : rebuild(&reconciliation, error);
}
