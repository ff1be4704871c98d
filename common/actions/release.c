/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/release.h"
#include "apply/apply.h"
#include "lease/log.h"
#include "policy/policy-load.h"
#include "policy/policy.h"

#include <string.h>

/* For the domain's next start. Only what it held: a start that failed leaves nothing. */
static bool
is_to_be_kept(const struct transaction *transaction, const struct lease *lease)
{
    return lease->release == LEASE_KEEP && lease->state == LEASE_HELD &&
           lease->origin == LEASE_MADE && vgpu_is_right(transaction->host, &lease->vgpu);
}

static bool
is_meant(const struct lease *lease, const struct name *domain, const struct name *device)
{
    return name_equal(&lease->domain, domain) &&
           (!device || name_equal(&lease->vgpu.device, device));
}

/*
 * Under the lock: forgets the domain's found devices, claims its made ones, copies those into mine.
 * claim: 0, or that of the only leases which count. *others: how many of its leases somebody else
 * is at work on.
 */
static int
claim_leases(struct transaction *transaction, const struct name *domain, const struct name *device,
             uint64_t claim, struct ledger *mine, size_t *others, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    int rc = transaction_begin(transaction, &ledger, error);
    bool changed = false;

    *others = 0;
    for (size_t i = 0; rc == 0 && i < ledger.count;) {
        struct lease *lease = &ledger.leases[i++];

        if (!is_meant(lease, domain, device) || (claim && lease->claim != claim))
            continue;
        if (!transaction_may_act(transaction, lease)) {
            ++*others;
            continue;
        }
        if (lease->state == LEASE_KEPT)
            continue;
        if (!device && is_to_be_kept(transaction, lease)) {
            lease->state = LEASE_KEPT;
            lease->time = host_seconds(transaction->host);
            log_lease("release", lease, "kept");
            changed = true;
            continue;
        }
        if (lease->origin == LEASE_FOUND || lease->state == LEASE_RESERVED) {
            log_lease("release", lease, "left in place");
            ledger_remove(&ledger, lease);
            changed = true;
            i--;
            continue;
        }
        if (lease->claim && lease->claim == transaction->statedir.claim &&
            ledger_find(mine, &lease->vgpu.device))
            continue;
        if (transaction_is_stuck_elsewhere(transaction, lease)) {
            /* Nothing more can be written by this transaction: to whoever comes next. */
            transaction_give_up(transaction, lease);
            changed = true;
            continue;
        }
        rc = transaction_claim_removal(transaction, &ledger, lease, error);
        if (rc == 0 && (rc = ledger_add(mine, lease)) < 0)
            error_set(error, rc, "no memory for the leases");
        changed = true;
    }
    if (rc == 0 && changed)
        return transaction_commit(transaction, &ledger, error);
    transaction_abort(transaction);
    return rc;
}

static int
remove_leases(struct transaction *transaction, const struct ledger *mine, size_t first,
              struct deadline deadline, struct error *error)
{
    int worst = 0;

    for (size_t i = first; i < mine->count; i++) {
        struct error failure;
        /* One that is busy must not use up the time of those after it. */
        struct deadline patience =
            deadline_in(transaction->host, deadline_left(deadline) / (unsigned)(mine->count - i));
        int rc = apply_remove(transaction, &mine->leases[i], patience, deadline, &failure);

        if (rc < 0) {
            error_add(error, "%s", failure.text);
            worst = rc;
        } else {
            log_lease("release", &mine->leases[i], "removed");
        }
    }
    return worst;
}

int
release_leases(struct transaction *transaction, const struct name *domain,
               const struct name *device, struct deadline deadline, struct error *error)
{
    AUTO(ledger_clear) struct ledger mine = {0};
    const uint64_t claim = transaction->statedir.claim;
    unsigned pause = 1;
    int worst = 0;

    error->text[0] = '\0';
    for (;;) {
        size_t others, done = mine.count;
        int rc = claim_leases(transaction, domain, device, claim, &mine, &others, error);

        if (rc < 0)
            return rc;
        rc = remove_leases(transaction, &mine, done, deadline, error);
        if (rc < 0)
            worst = rc;
        if (others == 0)
            return worst;
        if (!deadline_pause(deadline, &pause)) {
            error_add(error, "another process is still at work on %zu of its vGPUs", others);
            return -ETIMEDOUT;
        }
    }
}

static int
give_back(const struct host *host, const struct name *domain, const struct name *device,
          struct error *error)
{
    AUTO(transaction_close) struct transaction transaction;
    AUTO(ledger_clear) struct ledger ledger = {0};
    AUTO(policy_clear) struct policy policy = {0};
    struct error ignored;
    int rc = transaction_open(host, false, &transaction, error);

    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    rc = statedir_load(&transaction.statedir, &ledger, error);
    if (rc < 0 || !ledger_has_domain(&ledger, domain))
        return rc;
    /* A broken configuration strands nothing: its defaults will do. */
    if (policy_load(host, &policy, &ignored) < 0)
        log_failure("release", domain->text, &ignored);
    transaction.lock_timeout = policy.lock_timeout;
    transaction.deadline = deadline_in(host, policy.release_timeout);
    return release_leases(&transaction, domain, device, transaction.deadline, error);
}

int
release_domain(const struct host *host, const struct name *domain, struct error *error)
{
    return give_back(host, domain, NULL, error);
}

int
release_device(const struct host *host, const struct name *domain, const struct name *device,
               struct error *error)
{
    return give_back(host, domain, device, error);
}
