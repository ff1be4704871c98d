/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/pass.h"
#include "base/reader.h"
#include "lease/log.h"
#include "lease/proving.h"
#include "policy/policy-load.h"

void
pass_clear(struct pass *pass)
{
    look_clear(&pass->look);
    removals_clear(&pass->todo);
}

void
pass_read_policy(const struct host *host, const char *event, const char *whom, struct policy *ret)
{
    struct error fault;

    if (policy_load(host, ret, &fault) < 0)
        log_failure(host, event, whom, &fault);
}

int
pass_look(struct pass *pass, const struct name *domain, unsigned patience, struct error *error)
{
    const struct statedir *statedir = &pass->transaction->statedir;
    const struct host *host = pass->transaction->host;
    int rc = 0;

    reader_begin(host->reader, patience);
    if (pass->before)
        look_take_with(&pass->look, statedir, pass->before, domain);
    else
        rc = look_take(&pass->look, statedir, domain, error);
    if (rc == 0 && pass->row->guests == PASS_GUESTS_OF_ENDED)
        look_at_guests_if_needed(&pass->look, statedir);
    if (rc == 0 && pass->row->guests == PASS_ALL_GUESTS)
        rc = look_at_guests(&pass->look, host, error);
    return rc;
}

static enum fate
judge(const struct pass *pass, const struct ledger *ledger, const struct lease *lease,
      const char **why)
{
    struct fate_facts facts = fate_gather(&pass->transaction->statedir, &pass->look, ledger, lease);

    if (pass->keeps_none)
        facts.bits &= ~(unsigned)FACT_TO_KEEP;
    if (pass->own && name_equal(pass->own, &lease->domain))
        facts.bits |= FACT_OWN;
    return fate_judge(pass->row->occasion, &facts, why);
}

void
pass_foresee(struct pass *pass)
{
    const struct ledger *ledger = &pass->look.before;

    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];
        const char *why;
        enum fate fate;

        if (pass->row->concerns && !pass->row->concerns(pass, lease))
            continue;
        fate = judge(pass, ledger, lease, &why);
        if (pass->row->tell)
            pass->row->tell(pass, lease, fate, why);
    }
}

static bool
is_to_do(const struct pass_row *row, enum fate fate)
{
    return fate == FATE_FORGET ||
           (!row->only_forgets && (fate == FATE_KEEP || fate == FATE_REMOVE));
}

/* Does what was decided about a lease. A lease that is forgotten leaves the ledger. */
static int
carry_out(struct pass *pass, struct ledger *ledger, struct lease *lease, enum fate fate,
          struct error *error)
{
    const struct host *host = pass->transaction->host;

    if (fate == FATE_REMOVE)
        return removals_claim(&pass->todo, pass->transaction, ledger, lease, error);
    log_lease(host, pass->row->event, lease, fate == FATE_KEEP ? "kept" : pass->row->forgotten);
    if (fate == FATE_KEEP) {
        lease->state = LEASE_KEPT;
        lease->time = host_seconds(host);
    } else {
        ledger_remove(ledger, lease);
    }
    return 0;
}

/* *changed: the ledger has changed. */
static int
go_over(struct pass *pass, struct ledger *ledger, bool *changed, struct error *error)
{
    const struct pass_row *row = pass->row;
    int rc = 0;

    pass->waiting = 0;
    for (size_t i = 0; rc == 0 && i < ledger->count;) {
        struct lease *lease = &ledger->leases[i];
        const size_t count = ledger->count;
        const char *why;
        enum fate fate;

        if (row->concerns && !row->concerns(pass, lease)) {
            i++;
            continue;
        }
        fate = judge(pass, ledger, lease, &why);
        if (row->tell)
            row->tell(pass, lease, fate, why);
        pass->waiting += fate == FATE_WAIT;
        if (is_to_do(row, fate)) {
            *changed = true;
            rc = carry_out(pass, ledger, lease, fate, error);
        }
        i += ledger->count == count;
    }
    return rc;
}

/* Removes traces of processes and guests that ended. */
static void
sweep(const struct pass *pass, struct ledger *ledger)
{
    const struct statedir *statedir = &pass->transaction->statedir;

    proving_sweep(statedir->host, statedir->claims);
    fate_sweep_cards(statedir, &pass->look, ledger);
}

int
pass_decide(struct pass *pass, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct transaction *transaction = pass->transaction;
    bool changed = pass->row->tidies;
    int rc = transaction_begin(transaction, &ledger, error);

    if (rc < 0)
        return rc;
    if (pass->row->tidies)
        sweep(pass, &ledger);
    rc = go_over(pass, &ledger, &changed, error);
    if (rc == 0 && pass->row->conclude)
        rc = pass->row->conclude(pass, &ledger, &changed, error);
    if (rc == 0 && changed)
        return transaction_commit(transaction, &ledger, error);
    transaction_abort(transaction);
    return rc;
}
