/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/release.h"
#include "apply/remove-all.h"
#include "base/reader.h"
#include "lease/daemon.h"
#include "lease/facts.h"
#include "lease/fate.h"
#include "lease/log.h"
#include "lease/marks.h"
#include "policy/policy-load.h"
#include "policy/policy.h"

#include <string.h>

static bool
is_in(const struct transaction *transaction, const struct release_scope *scope,
      const struct lease *lease)
{
    const uint64_t own = transaction->statedir.claim;

    if (scope->of_ended && process_alive(transaction->host, lease->daemon))
        return false;
    return name_equal(&lease->domain, scope->domain) &&
           (!scope->device || name_equal(&lease->vgpu.device, scope->device)) &&
           (!scope->claim || lease->claim == scope->claim) &&
           (!scope->below || lease->claim < scope->below || lease->claim == own);
}

/* A driver may be busy with the guest's end, so it has half of the release's time. */
static int
look_at_leases(const struct transaction *transaction, const struct name *domain, struct look *look,
               struct deadline deadline, struct error *error)
{
    reader_begin(transaction->host->reader, deadline_left(deadline) / 2 + 1);
    return look_take(look, &transaction->statedir, domain, error);
}

/* Carries out the fate of each lease, as far as the ledger goes. *others: how many leases somebody
 * else is at work on, or has just changed. */
static int
claim_leases(struct transaction *transaction, const struct release_scope *scope,
             struct removals *mine, size_t *others, struct deadline deadline, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    AUTO(look_clear) struct look look = {0};
    int rc = look_at_leases(transaction, scope->domain, &look, deadline, error);
    bool changed = false;

    if (rc == 0)
        rc = transaction_begin(transaction, &ledger, error);
    if (rc < 0)
        return rc;
    *others = 0;
    for (size_t i = 0; rc == 0 && i < ledger.count;) {
        struct lease *lease = &ledger.leases[i++];
        struct fate_facts facts;
        const char *why;
        enum fate fate;

        if (!is_in(transaction, scope, lease))
            continue;
        facts = facts_gather(&transaction->statedir, &look, lease);
        if (scope->device)
            facts.bits &= ~(unsigned)FATE_TO_KEEP;
        fate = fate_judge(FATE_RELEASE, &facts, &why);
        *others += fate == FATE_WAIT;
        changed |= fate != FATE_WAIT && fate != FATE_LEAVE;
        if (fate == FATE_KEEP) {
            lease->state = LEASE_KEPT;
            lease->time = host_seconds(transaction->host);
            log_lease(transaction->host, "release", lease, "kept");
        } else if (fate == FATE_FORGET) {
            log_lease(transaction->host, "release", lease, "left in place");
            ledger_remove(&ledger, lease);
            i--;
        } else if (fate == FATE_REMOVE) {
            rc = removals_claim(mine, transaction, &ledger, lease, error);
        }
    }
    if (rc == 0 && changed)
        return transaction_commit(transaction, &ledger, error);
    transaction_abort(transaction);
    return rc;
}

static int
last_failure(const struct removals *removals)
{
    int rc = 0;

    for (size_t i = 0; i < removals->count; i++)
        rc = removals->items[i].rc < 0 ? removals->items[i].rc : rc;
    return rc;
}

int
release_leases(struct transaction *transaction, const struct release_scope *scope,
               struct deadline deadline, struct error *error)
{
    const struct removal_terms terms = {
        .occasion = FATE_RELEASE,
        .event = "release",
        .deadline = deadline,
        .failures = error,
    };
    AUTO(removals_clear) struct removals mine = {0};
    unsigned pause = 1;

    *error = (struct error){0};
    for (;;) {
        size_t others;
        int rc = claim_leases(transaction, scope, &mine, &others, deadline, error);

        if (rc < 0)
            return rc;
        remove_all(transaction, &mine, &terms);
        if (others == 0)
            return last_failure(&mine);
        if (!deadline_pause(deadline, &pause)) {
            error_add(error, "another process is still at work on %zu of its vGPUs", others);
            return -ETIMEDOUT;
        }
    }
}

static int
give_back(struct transaction *transaction, const struct release_scope *scope, struct error *error)
{
    const struct host *host = transaction->host;
    AUTO(policy_clear) struct policy policy = {0};
    struct error ignored;

    /* A broken configuration must not strand anything: its defaults are used. */
    if (policy_load(host, &policy, &ignored) < 0)
        log_failure(host, "release", scope->domain->text, &ignored);
    transaction->lock_timeout = policy.lock_timeout;
    transaction->deadline = deadline_in(host, policy.release_timeout);
    return release_leases(transaction, scope, transaction->deadline, error);
}

/* Reads the ledger without the lock. 1: the domain has leases. */
static int
look(const struct host *host, const struct name *domain, struct transaction *transaction,
     struct ledger *ledger, struct error *error)
{
    int rc = transaction_open(host, false, transaction, error);

    if (rc == 0)
        rc = statedir_load(&transaction->statedir, ledger, error);
    return rc < 0 ? rc : ledger_has_domain(ledger, domain);
}

int
release_domain(const struct host *host, const struct name *domain, struct error *error)
{
    AUTO(transaction_close) struct transaction transaction = TRANSACTION_NONE;
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct release_scope scope = {.domain = domain};
    int rc = look(host, domain, &transaction, &ledger, error);
    uint64_t number = marks_number(host, &ledger);

    if (rc == 0 || rc == -ENOENT)
        return 0;
    scope.of_ended = !daemon_may_live(host);
    scope.below = number;
    /* Leave the mark before anything is waited for, and even if the ledger cannot be read. If
     * the daemon has ended, no mark is needed, and the number may be that of another daemon's
     * next run. */
    if (!scope.of_ended)
        marks_leave(host, MARK_RELEASED, domain, number, "release");
    return rc < 0 ? rc : give_back(&transaction, &scope, error);
}

int
release_device(const struct host *host, const struct name *domain, const struct name *device,
               struct error *error)
{
    AUTO(transaction_close) struct transaction transaction = TRANSACTION_NONE;
    AUTO(ledger_clear) struct ledger ledger = {0};
    const struct release_scope scope = {.domain = domain, .device = device};
    int rc = look(host, domain, &transaction, &ledger, error);

    if (rc <= 0)
        return rc == -ENOENT ? 0 : rc;
    return give_back(&transaction, &scope, error);
}
