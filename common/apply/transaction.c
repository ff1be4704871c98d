/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "apply/transaction.h"

int
job_begin(const struct host *host, bool make, struct job *ret, struct error *error)
{
    *ret = (struct job){
        .host = host,
        .statedir = STATEDIR_CLOSED,
        .writer = WRITER_IDLE(host),
    };
    return statedir_open(host, make, &ret->statedir, error);
}

void
job_begin_to_look(const struct host *host, struct job *ret)
{
    *ret = (struct job){.host = host, .writer = WRITER_IDLE(host)};
    statedir_open_to_look(host, &ret->statedir);
}

/* The claim lives on with a writer that was left behind; but only one device is its own. */
static void
give_up_others(struct job *job)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error ignored;
    bool changed = false;

    if (job_look(job, &ledger, &ignored) < 0)
        return;
    for (size_t i = 0; i < ledger.count; i++) {
        struct lease *lease = &ledger.leases[i];

        if (!lease->claim || lease->claim != job->statedir.claim ||
            !job_is_stuck_elsewhere(job, lease))
            continue;
        job_give_up(lease);
        changed = true;
    }
    if (!changed)
        job_leave(job);
    else if (job_record(job, &ledger, &ignored) < 0)
        return;
}

void
job_end(struct job *job)
{
    writer_stop(&job->writer);
    if (!job->writer.left)
        statedir_unclaim(&job->statedir);
    else if (job->statedir.claim)
        give_up_others(job);
    statedir_close(&job->statedir);
}

int
job_look(struct job *job, struct ledger *ledger, struct error *error)
{
    struct deadline patience = deadline_in(job->lock_timeout);
    int rc;

    *ledger = (struct ledger){0};
    rc = statedir_lock(&job->statedir, patience, error);
    job->lock_timeout = deadline_left(patience);
    if (rc < 0)
        return rc;
    rc = statedir_load(&job->statedir, ledger, error);
    if (rc < 0)
        job_leave(job);
    return rc;
}

int
job_record(struct job *job, const struct ledger *ledger, struct error *error)
{
    int rc = statedir_store(&job->statedir, ledger, error);

    job_leave(job);
    return rc;
}

void
job_leave(struct job *job)
{
    statedir_unlock(&job->statedir);
}

bool
job_may_act(const struct job *job, const struct lease *lease)
{
    return !statedir_is_claimed(&job->statedir, lease->claim);
}

int
job_claim(struct job *job, struct ledger *ledger, struct lease *lease, enum lease_state state,
          struct error *error)
{
    int rc = statedir_claim(&job->statedir, ledger, error);

    if (rc < 0)
        return rc;
    lease->claim = job->statedir.claim;
    lease->state = state;
    lease->time = statedir_time();
    return 0;
}

static enum lease_state
on_its_way(const struct lease *lease)
{
    return lease->state == LEASE_REMOVING ? LEASE_REMOVING : LEASE_LEAVING;
}

int
job_claim_removal(struct job *job, struct ledger *ledger, struct lease *lease, struct error *error)
{
    return job_claim(job, ledger, lease, on_its_way(lease), error);
}

bool
job_is_stuck_elsewhere(const struct job *job, const struct lease *lease)
{
    return job->writer.left && !name_equal(&lease->vgpu.device, &job->writer.device);
}

void
job_give_up(struct lease *lease)
{
    lease->state = on_its_way(lease);
    lease->claim = 0;
    lease->time = statedir_time();
}

/* The lease of a device, if it is this job's. */
static struct lease *
find_mine(const struct job *job, const struct ledger *ledger, const struct name *device)
{
    struct lease *lease = ledger_find(ledger, device);

    return lease && lease->claim && lease->claim == job->statedir.claim ? lease : NULL;
}

int
job_move(struct job *job, const struct name *device, enum lease_state state, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct lease *lease;
    int rc = job_look(job, &ledger, error);

    if (rc < 0)
        return rc;
    lease = find_mine(job, &ledger, device);
    if (!lease) {
        job_leave(job);
        return error_set(error, -ESTALE,
                         "the ledger was changed by somebody else meanwhile (the lease of %s)",
                         device->text);
    }
    lease->state = state;
    lease->time = statedir_time();
    return job_record(job, &ledger, error);
}

int
job_hand_back(struct job *job, const struct name *device, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct lease *lease;
    int rc = job_look(job, &ledger, error);

    if (rc < 0)
        return rc;
    lease = find_mine(job, &ledger, device);
    if (!lease || (job->writer.left && !job_is_stuck_elsewhere(job, lease))) {
        job_leave(job);
        return 0;
    }
    job_give_up(lease);
    return job_record(job, &ledger, error);
}

int
job_forget(struct job *job, const struct name *device, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct lease *lease;
    int rc = job_look(job, &ledger, error);

    if (rc < 0)
        return rc;
    lease = find_mine(job, &ledger, device);
    if (!lease) {
        job_leave(job);
        return 0;
    }
    ledger_remove(&ledger, lease);
    return job_record(job, &ledger, error);
}
