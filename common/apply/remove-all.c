/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "apply/remove-all.h"
#include "apply/apply.h"
#include "base/array.h"
#include "lease/log.h"
#include "lease/recent-removal.h"

#include <limits.h>
#include <string.h>

/* One removal, and what is known of it so far. */
struct attempt {
    struct transaction *transaction;
    const struct vgpu *vgpu;
    unsigned patience; /* ms that users have to let go */
    unsigned waited;   /* ms that users were waited for */
    struct deadline deadline;
    struct look_device seen; /* of the device, at the last look */
    unsigned bits;           /* for fate.h */
    struct error *error;     /* "" until it is known why it failed */
};

int
removals_claim(struct removals *removals, struct transaction *transaction, struct ledger *ledger,
               struct lease *lease, struct error *error)
{
    const struct removal removal = {.lease = *lease, .fate = FATE_REMOVE};
    int rc;

    if (ARRAY_HAS(removals->items, removals->count, tried,
                  name_equal(&tried->lease.vgpu.device, &lease->vgpu.device)))
        return 0;
    rc = transaction_claim_removal(transaction, ledger, lease, error);
    if (rc == 0)
        ARRAY_ADD(removals->items, removals->count, removal);
    return rc;
}

void
removals_clear(struct removals *removals)
{
    free(removals->items);
    *removals = (struct removals){0};
}

/* The write was made, or the driver was quicker. Waits until nothing of the vGPU is left. */
static int
wait_gone(struct attempt *attempt)
{
    unsigned pause = 1;

    for (;;) {
        apply_look(attempt->transaction, attempt->vgpu, attempt->deadline, &attempt->seen);
        if (attempt->seen.state == VGPU_ABSENT)
            return 0;
        if (!deadline_pause(attempt->deadline, &pause))
            return -ETIMEDOUT;
    }
}

static bool
is_gone(int rc)
{
    return rc == -ENODEV || rc == -ENOENT;
}

/*
 * -EAGAIN and -EBUSY mean that the driver is still cleaning up, or that another removal is under
 * way. The lease must still be ours before each write. A virtual function may have its next owner
 * by then, whose vGPU has the same name.
 */
static int
write_remove(struct attempt *attempt)
{
    struct transaction *transaction = attempt->transaction;
    unsigned pause = 1;

    for (;;) {
        int rc =
            transaction_move(transaction, &attempt->vgpu->device, LEASE_REMOVING, attempt->error);

        if (rc < 0)
            return rc;
        attempt->bits |= FACT_WRITTEN;
        rc = writer_remove(&transaction->writer, attempt->vgpu, attempt->deadline);
        if (rc == 0 || is_gone(rc))
            return wait_gone(attempt);
        if (transaction->writer.left)
            return rc;
        attempt->bits &= ~(unsigned)FACT_WRITTEN;
        apply_look(transaction, attempt->vgpu, attempt->deadline, &attempt->seen);
        if (attempt->seen.state == VGPU_ABSENT)
            return 0;
        if ((rc != -EAGAIN && rc != -EBUSY) || !deadline_pause(attempt->deadline, &pause))
            return rc;
        rc = apply_wait_unused(transaction, attempt->vgpu, attempt->deadline, &attempt->seen);
        if (rc < 0)
            return is_gone(rc) ? wait_gone(attempt) : rc;
    }
}

/* 0: nothing of the vGPU is left. */
static int
prove_and_write(struct attempt *attempt)
{
    struct transaction *transaction = attempt->transaction;
    const struct vgpu *vgpu = attempt->vgpu;
    struct deadline users = deadline_in(transaction->host, attempt->patience);
    int rc = -ETIMEDOUT;

    if (!vgpu_is_known(vgpu)) {
        attempt->seen.state = VGPU_UNKNOWN;
        return error_set(attempt->error, -EPROTONOSUPPORT,
                         "the vGPU %s stays on %s: this libvirt-vgpu does not know its interface; "
                         "install the version that gave it",
                         vgpu->device.text, vgpu->parent.text);
    }
    /* If the writer is stuck at this device, fail even if nothing of it is there. The writer may
     * still make it. */
    if (transaction_is_stuck_elsewhere(transaction, &vgpu->device))
        apply_look(transaction, vgpu, users, &attempt->seen);
    else if (!transaction->writer.left)
        rc = apply_wait_unused(transaction, vgpu, users, &attempt->seen);
    attempt->waited = attempt->patience - deadline_left(users);
    if (rc == 0 && deadline_left(attempt->deadline) == 0)
        /* Order no removal without time to wait for it. */
        return error_set(attempt->error, -ETIMEDOUT,
                         "the vGPU %s was not removed from %s yet: no time was left for it; the "
                         "next start of its guest or 'vgpuctl reconcile' sees to it",
                         vgpu->device.text, vgpu->parent.text);
    if (rc == 0)
        return write_remove(attempt);
    return is_gone(rc) ? wait_gone(attempt) : rc;
}

static int
explain(const struct attempt *attempt, int rc)
{
    const struct transaction *transaction = attempt->transaction;
    const struct vgpu *vgpu = attempt->vgpu;

    if (*attempt->error->text)
        return rc;
    if (transaction_is_stuck_elsewhere(transaction, &vgpu->device))
        return error_set(attempt->error, rc,
                         "the vGPU %s was not removed from %s yet: the driver takes too long with "
                         "%s before it; see the kernel's log",
                         vgpu->device.text, vgpu->parent.text, transaction->writer.device.text);
    if (rc == -EBUSY)
        return apply_explain_busy(transaction, vgpu, attempt->error);
    return error_set(attempt->error, rc, "the vGPU %s was not removed from %s: %s",
                     vgpu->device.text, vgpu->parent.text,
                     rc == -ETIMEDOUT ? "its driver takes too long; see the kernel's log"
                                      : strerror(-rc));
}

/* Tries the removal: 0, or why not. attempt->bits gets the outcome. */
static int
try(struct attempt *attempt, const struct lease *lease)
{
    struct transaction *transaction = attempt->transaction;
    int rc = prove_and_write(attempt);

    if (transaction->writer.left &&
        !transaction_is_stuck_elsewhere(transaction, &attempt->vgpu->device))
        attempt->bits |= FACT_SILENT;
    attempt->bits |= FACT_TRIED | fate_of_device(&attempt->seen, lease);
    return rc < 0 ? explain(attempt, rc) : 0;
}

/* Carries out the fate of a lease. If the lease was made for its removal, it has no former
 * state. */
static void
change(const struct transaction *transaction, const struct removal *removal, struct ledger *ledger,
       struct lease *lease)
{
    if (removal->fate == FATE_REMOVED ||
        (removal->fate == FATE_RESTORE && lease_is_nobodys(lease))) {
        ledger_remove(ledger, lease);
        return;
    }
    if (removal->fate == FATE_RESTORE) {
        lease->state = removal->lease.state;
        lease->time = removal->lease.time;
    }
    transaction_hand_back(transaction, ledger, lease);
}

/* Under the lock: asks fate.h what becomes of the lease, and records that. *why as in
 * fate_judge. */
static int
record(struct transaction *transaction, enum fate_occasion occasion, unsigned bits,
       struct removal *removal, const char **why, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct fate_facts facts = {.state = removal->lease.state, .bits = bits, .unreadable = ""};
    const struct name *device = &removal->lease.vgpu.device;
    struct lease *lease;
    int rc = transaction_begin_with(transaction, device, &ledger, &lease, error);

    if (rc < 0)
        return rc;
    if (rc == 0)
        facts.bits |= FACT_LOST;
    else if (process_alive(transaction->host, lease->daemon))
        facts.bits |= FACT_DAEMON;
    removal->fate = fate_judge(occasion, &facts, why);
    if (rc == 0)
        return transaction_lost(device, error);
    if (removal->fate == FATE_LEAVE) {
        transaction_abort(transaction);
        return 0;
    }
    change(transaction, removal, &ledger, lease);
    return transaction_commit(transaction, &ledger, error);
}

static void
tell(const struct host *host, const struct removal_terms *terms, const struct removal *removal,
     const char *why)
{
    if (terms->event && removal->fate == FATE_REMOVED)
        log_lease(host, terms->event, &removal->lease,
                  lease_state_is_going(removal->lease.state) ? "removed, which had failed before"
                                                             : why);
    if (removal->fate == FATE_REMOVED)
        return;
    if (terms->failures && *terms->failures->text)
        error_add(terms->failures, "%s", removal->why.text);
    else if (terms->failures)
        *terms->failures = removal->why;
    else
        log_lease_failure(host, terms->event, &removal->lease, &removal->why);
}

/* *patience is the time that users have left, for all removals. This removal gets its share:
 * to_come counts it and those after it. */
static void
remove_one(struct transaction *transaction, const struct removal_terms *terms,
           struct removal *removal, unsigned *patience, unsigned to_come)
{
    const struct host *host = transaction->host;
    struct deadline deadline = terms->each ? deadline_in(host, terms->each) : terms->deadline;
    unsigned left = deadline_left(deadline),
             share = (left < *patience ? left : *patience) / to_come;
    struct attempt attempt = {
        .transaction = transaction,
        .vgpu = &removal->lease.vgpu,
        .patience = share,
        .deadline = deadline,
        .seen.state = VGPU_UNKNOWN,
        .error = &removal->why,
    };
    const char *why = "";
    struct error failure;
    int rc;

    removal->why.text[0] = '\0';
    removal->rc = try(&attempt, &removal->lease);
    if (removal->rc == 0)
        recent_removal_note(host, &removal->lease.gpu);
    *patience -= attempt.waited < *patience ? attempt.waited : *patience;
    rc = record(transaction, terms->occasion, attempt.bits, removal, &why, &failure);
    if (rc < 0) {
        removal->fate = FATE_LEAVE;
        if (removal->rc == 0)
            removal->why = failure;
        removal->rc = removal->rc < 0 ? removal->rc : rc;
    }
    tell(host, terms, removal, why);
}

void
remove_all(struct transaction *transaction, struct removals *removals,
           const struct removal_terms *terms)
{
    unsigned patience = terms->patience ? terms->patience : UINT_MAX, to_come = 0;

    for (size_t i = 0; i < removals->count; i++)
        to_come += removals->items[i].fate == FATE_REMOVE;
    for (size_t i = 0; i < removals->count; i++) {
        if (removals->items[i].fate == FATE_REMOVE)
            remove_one(transaction, terms, &removals->items[i], &patience, to_come--);
    }
}
