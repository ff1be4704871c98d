/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "apply/recovery.h"
#include "apply/apply.h"
#include "lease/fate.h"
#include "lease/log.h"

#include <stdio.h>

void
recovery_clear(struct recovery *recovery)
{
    ledger_clear(&recovery->todo);
    ledger_clear(&recovery->evicted);
    names_clear(&recovery->unremovable);
}

static bool
is_unremovable(const struct recovery *recovery, const struct name *device)
{
    for (size_t i = 0; i < recovery->unremovable.count; i++) {
        if (name_equal(&recovery->unremovable.items[i], device))
            return true;
    }
    return false;
}

static const struct demand *
find_demand(const struct demands *demands, const struct name *device)
{
    for (size_t i = 0; i < demands->count; i++) {
        if (name_equal(&demands->items[i].hostdev->source, device))
            return &demands->items[i];
    }
    return NULL;
}

static int
claim(struct recovery *recovery, struct transaction *transaction, struct ledger *ledger,
      struct lease *lease, struct error *error)
{
    int rc = transaction_claim_removal(transaction, ledger, lease, error);

    if (rc == 0 && (rc = ledger_add(&recovery->todo, lease)) < 0)
        error_set(error, rc, "no memory for the leases");
    return rc;
}

/* Whether the device is there just as a demand wants it. */
static bool
is_wanted(const struct demand *demand, const struct lease *lease, const struct inventory *inventory)
{
    const struct inventory_vgpu *vgpu = inventory_find_vgpu(inventory, &lease->vgpu.device);
    const struct inventory_type *type;
    unsigned rank;

    if (!demand || !vgpu)
        return false;
    type = inventory_find_type(&inventory->gpus[inventory->parents[vgpu->parent].gpu], &vgpu->type);
    return type && demand_ranks(demand, type, &rank);
}

/* Whether it went while the inventory was read, which then says of what was ours that it is there
 * and nobody's. */
static bool
has_just_gone(const struct inventory *inventory, const struct lease *lease)
{
    const struct inventory_vgpu *vgpu = inventory_find_vgpu(inventory, &lease->vgpu.device);

    return vgpu && name_equal(&vgpu->type, &lease->vgpu.type) &&
           name_equal(&inventory->parents[vgpu->parent].name, &lease->vgpu.parent);
}

enum recovery_own
recovery_judge_own(const struct transaction *transaction, const struct demands *demands,
                   const struct inventory *inventory, const struct lease *lease)
{
    const struct demand *demand = find_demand(demands, &lease->vgpu.device);
    struct name type;
    enum vgpu_state look = vgpu_state(transaction->host, &lease->vgpu, &type);

    if (!transaction_may_act(transaction, lease))
        return RECOVERY_BUSY;
    if (look == VGPU_ABSENT && has_just_gone(inventory, lease))
        return RECOVERY_BUSY;
    /* A promise, which this start is to keep: nothing was made for it. */
    if (look == VGPU_ABSENT || lease->state == LEASE_RESERVED)
        return RECOVERY_FORGET;
    if (look == VGPU_PRESENT && is_wanted(demand, lease, inventory))
        return RECOVERY_STAY;
    if (lease->origin == LEASE_FOUND)
        return RECOVERY_FORGET;
    return look == VGPU_TRANSIENT && demand ? RECOVERY_GOING : RECOVERY_REMOVE;
}

static int
still_at_work(const struct lease *lease, struct error *error)
{
    return error_set(error, -EAGAIN,
                     "the vGPU %s (%s, %s) on %s is still being worked on, by another process or "
                     "by the kernel, since an earlier start or end of this guest; see the kernel's "
                     "log",
                     lease->vgpu.device.text, lease->vgpu.type.text, lease_state_name(lease->state),
                     lease->vgpu.parent.text);
}

/* 1: the lease is to be forgotten. */
static int
claim_own(struct recovery *recovery, struct transaction *transaction, const struct demands *demands,
          const struct inventory *inventory, struct ledger *ledger, struct lease *lease,
          struct error *error)
{
    enum recovery_own judgement = recovery_judge_own(transaction, demands, inventory, lease);

    if (judgement == RECOVERY_STAY || judgement == RECOVERY_FORGET)
        return judgement == RECOVERY_FORGET;
    if (judgement == RECOVERY_BUSY)
        return still_at_work(lease, error);
    if (is_unremovable(recovery, &lease->vgpu.device))
        return find_demand(demands, &lease->vgpu.device)
                   ? error_set(error, -EBUSY, "%s", recovery->failure.text)
                   : 0;
    if (judgement == RECOVERY_GOING)
        return still_at_work(lease, error);
    return claim(recovery, transaction, ledger, lease, error);
}

int
recovery_claim_own(struct recovery *recovery, struct transaction *transaction,
                   const struct name *domain, const struct demands *demands,
                   const struct inventory *inventory, struct ledger *ledger, struct error *error)
{
    for (size_t i = 0; i < ledger->count;) {
        struct lease *lease = &ledger->leases[i];
        const struct demand *demand = find_demand(demands, &lease->vgpu.device);
        int rc = 0;

        if (name_equal(&lease->domain, domain) && (demand || !recovery->running))
            rc = claim_own(recovery, transaction, demands, inventory, ledger, lease, error);
        if (rc < 0)
            return rc;
        if (rc > 0)
            ledger_remove(ledger, lease);
        else
            i++;
    }
    return 0;
}

/* Whether another domain's lease may be taken out of the way. */
static bool
is_abandoned(const struct transaction *transaction, const struct status_files *guests,
             const struct lease *lease)
{
    const char *why;

    if (lease->state == LEASE_KEPT)
        return transaction_may_act(transaction, lease);
    return judge_lease(transaction, guests, lease, &why) != JUDGEMENT_LEAVE;
}

bool
recovery_may_reap(const struct transaction *transaction, const struct status_files *guests,
                  const struct name *domain, const struct lease *lease)
{
    /* The domain's own: one under a demanded UUID may be where the rules forbid it by now. */
    if (name_equal(&lease->domain, domain))
        return lease->origin == LEASE_MADE && transaction_may_act(transaction, lease);
    return is_abandoned(transaction, guests, lease);
}

bool
recovery_is_gone(const struct transaction *transaction, const struct status_files *guests,
                 const struct lease *lease)
{
    const char *why;

    return judge_lease(transaction, guests, lease, &why) == JUDGEMENT_FORGET;
}

/* More room than was counted. */
bool
recovery_forget_gone(const struct transaction *transaction, const struct status_files *guests,
                     const struct name *domain, struct ledger *ledger)
{
    bool changed = false;

    for (size_t i = 0; i < ledger->count;) {
        struct lease *lease = &ledger->leases[i];

        if (name_equal(&lease->domain, domain) || !recovery_is_gone(transaction, guests, lease)) {
            i++;
            continue;
        }
        log_lease("mend", lease, "forgotten");
        ledger_remove(ledger, lease);
        changed = true;
    }
    return changed;
}

/* Status files are read only where the answer depends on them: few hosts ever have such a lease.
 * What cannot be read counts as running. */
void
recovery_read_guests(const struct transaction *transaction, const struct ledger *ledger,
                     struct status_files *ret)
{
    bool needed = false;
    struct error failure;

    *ret = (struct status_files){0};
    for (size_t i = 0; i < ledger->count && !needed; i++)
        needed = judge_needs_guests(transaction, &ledger->leases[i]);
    if (needed && status_files_read(transaction->host, ret, &failure) < 0)
        ret->complete = false;
}

/* A place that was another's, claimed for a demand; a virtual function is what the demand names. */
static struct lease
lease_of_place(const struct transaction *transaction, const struct placement_problem *problem,
               const struct demand *demand, const struct lease *evicted)
{
    struct lease place = *evicted;

    place.vgpu.device = demand->hostdev->source;
    if (demand_vf(demand))
        place.vgpu.parent = *demand_vf(demand);
    place.domain = problem->request->domain;
    snprintf(place.domain_name, sizeof(place.domain_name), "%s", problem->request->name);
    place.alias[0] = '\0';
    place.state = LEASE_PENDING;
    place.origin = LEASE_MADE;
    place.daemon = transaction->daemon;
    place.claim = transaction->statedir.claim;
    place.release = LEASE_REAP;
    place.time = host_seconds(transaction->host);
    return place;
}

/*
 * The places that this call has others' devices removed from stay its own until it has planned:
 * claims of the domain's, under its demands' devices, which its next look forgets and plans anew.
 */
static int
hold_places(const struct recovery *recovery, const struct transaction *transaction,
            const struct placement_problem *problem, struct ledger *ledger)
{
    const struct demands *demands = problem->demands;
    int rc = 0;

    for (size_t i = 0, k = 0; rc == 0 && i < recovery->evicted.count && k < demands->count; k++) {
        struct lease place;

        /* What is there without a lease is somebody else's: it must not become ours by one. */
        if (ledger_find(ledger, &demands->items[k].hostdev->source) ||
            inventory_find_vgpu(problem->inventory, &demands->items[k].hostdev->source))
            continue;
        place =
            lease_of_place(transaction, problem, &demands->items[k], &recovery->evicted.leases[i]);
        rc = ledger_add(ledger, &place);
        i++;
    }
    return rc;
}

int
recovery_claim_others(struct recovery *recovery, struct transaction *transaction,
                      const struct placement_problem *problem, struct ledger *ledger, bool *changed,
                      struct error *error)
{
    const struct name *domain = &problem->request->domain;
    AUTO(status_files_clear) struct status_files guests = {0};
    AUTO_FREE bool *may_reap = NULL;
    size_t index;
    int rc;

    recovery_read_guests(transaction, ledger, &guests);
    *changed = recovery_forget_gone(transaction, &guests, domain, ledger);
    if (*changed)
        return 0;
    may_reap = calloc(ledger->count + 1, sizeof(*may_reap));
    if (!may_reap)
        return error_set(error, -ENOMEM, "no memory for the leases");
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        may_reap[i] =
            (recovery->running ? is_abandoned(transaction, &guests, lease)
                               : recovery_may_reap(transaction, &guests, domain, lease)) &&
            !is_unremovable(recovery, &lease->vgpu.device);
    }
    index = placement_pick_victim(problem, may_reap);
    if (index == SIZE_MAX)
        return 0;
    *changed = true;
    rc = ledger_add(&recovery->evicted, &ledger->leases[index]);
    if (rc == 0)
        rc = claim(recovery, transaction, ledger, &ledger->leases[index], error);
    if (rc == 0)
        rc = hold_places(recovery, transaction, problem, ledger);
    return rc == -ENOMEM ? error_set(error, rc, "no memory for the leases") : rc;
}

void
recovery_remove(struct recovery *recovery, struct transaction *transaction,
                const struct demands *needed, unsigned patience_for_others)
{
    struct deadline others = deadline_earlier(transaction->deadline,
                                              deadline_in(transaction->host, patience_for_others));

    for (size_t i = 0; i < recovery->todo.count; i++) {
        const struct lease *lease = &recovery->todo.leases[i];
        struct deadline deadline =
            find_demand(needed, &lease->vgpu.device) ? transaction->deadline : others;
        struct deadline patience = deadline_in(
            transaction->host, deadline_left(deadline) / (unsigned)(recovery->todo.count - i));
        struct error failure;

        if (apply_remove(transaction, lease, patience, deadline, &failure) == 0) {
            log_lease("mend", lease, "removed");
            continue;
        }
        recovery->failure = failure;
        log_failure("mend", lease->domain_name, &failure);
        /* This call may go on for long, and its owner may want to start. */
        if (transaction_hand_back(transaction, &lease->vgpu.device, &failure) < 0)
            log_failure("mend", lease->domain_name, &failure);
        if (names_add(&recovery->unremovable, lease->vgpu.device.text) < 0)
            break;
    }
    ledger_clear(&recovery->todo);
}
