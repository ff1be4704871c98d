/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "apply/transaction.h"
#include "lease/marks.h"

int
transaction_open(const struct host *host, bool make, struct transaction *ret, struct error *error)
{
    *ret = (struct transaction){
        .host = host,
        .statedir = STATEDIR_CLOSED,
        .writer = WRITER_IDLE(host),
    };
    ret->statedir.host = host;
    return statedir_open(host, make, &ret->statedir, error);
}

void
transaction_open_to_look(const struct host *host, struct transaction *ret)
{
    *ret = (struct transaction){.host = host, .writer = WRITER_IDLE(host)};
    statedir_open_to_look(host, &ret->statedir);
}

static enum lease_state
on_its_way(const struct lease *lease)
{
    return lease->state == LEASE_REMOVING ? LEASE_REMOVING : LEASE_LEAVING;
}

/* A lease that is going keeps the time since when, however often its removal is tried. */
static void
set_state(const struct transaction *transaction, struct lease *lease, enum lease_state state)
{
    if (!lease_state_is_going(lease->state) || !lease_state_is_going(state))
        lease->time = host_seconds(transaction->host);
    lease->state = state;
}

/* A writer that was left behind keeps the claim, but it works on one device only. Hands back the
 * leases of all others. */
static void
give_up_others(struct transaction *transaction)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error ignored;
    bool changed = false;

    if (transaction_begin(transaction, &ledger, &ignored) < 0)
        return;
    for (size_t i = 0; i < ledger.count; i++) {
        struct lease *lease = &ledger.leases[i];

        if (!lease->claim || lease->claim != transaction->statedir.claim ||
            !transaction_is_stuck_elsewhere(transaction, &lease->vgpu.device))
            continue;
        set_state(transaction, lease, on_its_way(lease));
        transaction_hand_back(transaction, &ledger, lease);
        changed = true;
    }
    if (!changed)
        transaction_abort(transaction);
    else if (transaction_commit(transaction, &ledger, &ignored) < 0)
        return;
}

void
transaction_close(struct transaction *transaction)
{
    writer_stop(&transaction->writer);
    if (transaction->writer.left && transaction->statedir.claim)
        give_up_others(transaction);
    statedir_close(&transaction->statedir);
}

int
transaction_begin(struct transaction *transaction, struct ledger *ledger, struct error *error)
{
    struct deadline patience = deadline_in(transaction->host, transaction->lock_timeout);
    int rc;

    *ledger = (struct ledger){0};
    rc = statedir_lock(&transaction->statedir, patience, error);
    transaction->lock_timeout = deadline_left(patience);
    if (rc < 0)
        return rc;
    rc = statedir_load(&transaction->statedir, ledger, error);
    if (rc < 0)
        statedir_unlock(&transaction->statedir);
    else
        marks_read(transaction->host, ledger);
    return rc;
}

int
transaction_commit(struct transaction *transaction, const struct ledger *ledger,
                   struct error *error)
{
    int rc = statedir_store(&transaction->statedir, ledger, error);

    if (rc == 0)
        marks_sweep(transaction->host, ledger);
    statedir_unlock(&transaction->statedir);
    return rc;
}

void
transaction_abort(struct transaction *transaction)
{
    statedir_unlock(&transaction->statedir);
}

int
transaction_claim_removal(struct transaction *transaction, struct ledger *ledger,
                          struct lease *lease, struct error *error)
{
    int rc = statedir_claim(&transaction->statedir, ledger, error);

    if (rc < 0)
        return rc;
    lease->claim = transaction->statedir.claim;
    set_state(transaction, lease, on_its_way(lease));
    return 0;
}

bool
transaction_is_stuck_elsewhere(const struct transaction *transaction, const struct name *device)
{
    return transaction->writer.left && !name_equal(device, &transaction->writer.device);
}

void
transaction_hand_back(const struct transaction *transaction, struct ledger *ledger,
                      struct lease *lease)
{
    lease->claim = statedir_take_number(&transaction->statedir, ledger);
}

int
transaction_lost(const struct name *device, struct error *error)
{
    return error_set(error, -ESTALE,
                     "the ledger was changed by somebody else meanwhile (the lease of %s)",
                     device->text);
}

int
transaction_begin_with(struct transaction *transaction, const struct name *device,
                       struct ledger *ledger, struct lease **ret, struct error *error)
{
    int rc = transaction_begin(transaction, ledger, error);

    if (rc < 0)
        return rc;
    *ret = ledger_find(ledger, device);
    if (*ret && (*ret)->claim && (*ret)->claim == transaction->statedir.claim)
        return 1;
    transaction_abort(transaction);
    return 0;
}

int
transaction_move(struct transaction *transaction, const struct name *device, enum lease_state state,
                 struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct lease *lease;
    int rc = transaction_begin_with(transaction, device, &ledger, &lease, error);

    if (rc <= 0)
        return rc < 0 ? rc : transaction_lost(device, error);
    set_state(transaction, lease, state);
    return transaction_commit(transaction, &ledger, error);
}

int
transaction_forget(struct transaction *transaction, const struct name *device, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct lease *lease;
    int rc = transaction_begin_with(transaction, device, &ledger, &lease, error);

    if (rc <= 0)
        return rc;
    ledger_remove(&ledger, lease);
    return transaction_commit(transaction, &ledger, error);
}
