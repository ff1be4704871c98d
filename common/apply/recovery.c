/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "apply/recovery.h"
#include "base/memory.h"
#include "lease/log.h"
#include "placement/victim.h"

#include <stdio.h>

static void
drop_work(struct recovery *recovery)
{
    removals_clear(&recovery->needed);
    removals_clear(&recovery->todo);
}

void
recovery_clear(struct recovery *recovery)
{
    drop_work(recovery);
    ledger_clear(&recovery->evicted);
    names_clear(&recovery->unremovable);
    look_clear(&recovery->look);
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

/* Whether the device is there as a demand wants it, and so that the other demands can be met. */
static bool
is_wanted(const struct demands *demands, const struct demand *demand, const struct lease *lease,
          const struct inventory *inventory)
{
    const struct inventory_vgpu *vgpu = inventory_find_vgpu(inventory, &lease->vgpu.device);
    const struct inventory_type *type;
    unsigned rank;

    if (!demand || !vgpu)
        return false;
    type = inventory_type_of(vgpu);
    return type && demand_ranks(&demand->terms, type, &rank) &&
           !demands_oppose(demands, demand, type, inventory);
}

/* Whether the inventory shows the device on the lease's parent, and of the lease's type. */
static bool
is_listed(const struct inventory *inventory, const struct lease *lease)
{
    const struct inventory_vgpu *vgpu = inventory_find_vgpu(inventory, &lease->vgpu.device);

    return vgpu && name_equal(&vgpu->type, &lease->vgpu.type) &&
           name_equal(&vgpu->parent->name, &lease->vgpu.parent);
}

/* Whether the lease's card is silent. The inventory does not show all of such a card. */
static bool
is_on_silent(const struct inventory *inventory, const struct lease *lease)
{
    const struct inventory_gpu *gpu = inventory_find_gpu(inventory, &lease->gpu);

    return gpu && gpu->is_silent;
}

static struct fate_facts
own_facts(const struct transaction *transaction, const struct look *look,
          const struct demands *demands, const struct inventory *inventory,
          const struct ledger *ledger, const struct lease *lease)
{
    const struct demand *demand = find_demand(demands, &lease->vgpu.device);
    struct fate_facts facts = fate_gather(&transaction->statedir, look, ledger, lease);

    if (is_on_silent(inventory, lease))
        facts.bits |= FACT_UNKNOWN;
    if (is_listed(inventory, lease))
        facts.bits |= FACT_LISTED;
    if (demand)
        facts.bits |= FACT_NAMED;
    if (is_wanted(demands, demand, lease, inventory))
        facts.bits |= FACT_WANTED;
    return facts;
}

enum fate
recovery_judge_own(const struct transaction *transaction, const struct look *look,
                   const struct demands *demands, const struct inventory *inventory,
                   const struct ledger *ledger, const struct lease *lease, const char **why)
{
    struct fate_facts facts = own_facts(transaction, look, demands, inventory, ledger, lease);

    return fate_judge(OCCASION_START, &facts, why);
}

static int
wait_for(struct recovery *recovery, const struct lease *lease, bool unknown, struct error *error)
{
    recovery->is_busy = true;
    recovery->is_unknown = unknown;
    if (unknown) {
        error_set(
            error, -ETIMEDOUT,
            "the vGPU %s (%s, %s) is on %s, whose driver does not answer; see the kernel's log",
            lease->vgpu.device.text, lease->vgpu.type.text, lease_state_name(lease->state),
            lease->gpu.text);
        return 0;
    }
    error_set(error, -ETIMEDOUT,
              "the vGPU %s (%s, %s) on %s is still being worked on, by another process or by the "
              "kernel, since an earlier start or end of this guest; see the kernel's log",
              lease->vgpu.device.text, lease->vgpu.type.text, lease_state_name(lease->state),
              lease->vgpu.parent.text);
    return 0;
}

/* 1: the lease is to be forgotten. */
static int
claim_own(struct recovery *recovery, struct transaction *transaction, const struct demands *demands,
          const struct inventory *inventory, struct ledger *ledger, struct lease *lease,
          struct error *error)
{
    const struct fate_facts facts =
        own_facts(transaction, &recovery->look, demands, inventory, ledger, lease);
    const char *why;
    enum fate fate = fate_judge(OCCASION_START, &facts, &why);

    if (fate == FATE_REUSE || fate == FATE_FORGET || fate == FATE_LEAVE)
        return fate == FATE_FORGET;
    if (names_has(&recovery->unremovable, &lease->vgpu.device) &&
        !(facts.bits & (FACT_CLAIMED | FACT_ABSENT)))
        return facts.bits & FACT_NAMED ? error_set(error, -EBUSY, "%s", recovery->failure.text) : 0;
    return fate == FATE_WAIT
               ? wait_for(recovery, lease, facts.bits & FACT_UNKNOWN, error)
               : removals_claim(facts.bits & FACT_NAMED ? &recovery->needed : &recovery->todo,
                                transaction, ledger, lease, error);
}

int
recovery_claim_own(struct recovery *recovery, struct transaction *transaction,
                   const struct name *domain, const struct demands *demands,
                   const struct inventory *inventory, struct ledger *ledger, struct error *error)
{
    recovery->is_busy = false;
    drop_work(recovery);
    for (size_t i = 0; i < ledger->count && !recovery->is_busy;) {
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

bool
recovery_sort_others(const struct statedir *statedir, const struct look *look,
                     const struct name *domain, bool running, const char *event,
                     struct ledger *ledger, bool *may_evict)
{
    bool forgotten = false;

    for (size_t i = 0; i < ledger->count;) {
        struct lease *lease = &ledger->leases[i];
        struct fate_facts facts = fate_gather(statedir, look, ledger, lease);
        const char *why;
        enum fate fate;

        /* A lease of its own, under a demanded UUID, may have a place that the rules forbid by
         * now. */
        if (!running && name_equal(&lease->domain, domain))
            facts.bits |= FACT_OWN;
        fate = fate_judge(OCCASION_ROOM, &facts, &why);
        if (fate == FATE_FORGET) {
            if (event)
                log_lease(statedir->host, event, lease, "forgotten");
            ledger_remove(ledger, lease);
            forgotten = true;
            continue;
        }
        may_evict[i++] = fate == FATE_REMOVE;
    }
    return forgotten;
}

/* The place of another domain's device, promised to a demand. If the demand names a virtual
 * function, the place is that function. */
static struct lease
reservation_of(const struct transaction *transaction, const struct placement_problem *problem,
               const struct demand *demand, const struct lease *evicted)
{
    struct lease place = *evicted;

    place.vgpu.device = demand->hostdev->source;
    if (demand_vf(demand))
        place.vgpu.parent = *demand_vf(demand);
    place.domain = problem->request->domain;
    snprintf(place.domain_name, sizeof(place.domain_name), "%s", problem->request->name);
    place.alias[0] = '\0';
    place.state = LEASE_RESERVED;
    place.origin = LEASE_MADE;
    place.daemon = transaction->daemon;
    place.claim = transaction->statedir.claim;
    place.release = LEASE_REAP;
    place.time = host_seconds(transaction->host);
    return place;
}

/*
 * A call removes other domains' devices to get their places. Until the call has planned anew, these
 * places are reserved for its domain, under the devices of its demands. Its next decision drops the
 * reservations. A virtual function that a demand names keeps the lease of the other domain until it
 * is free, so it is not reserved. Only another guest that names the same function could be faster.
 */
static void
reserve_places(const struct recovery *recovery, const struct transaction *transaction,
               const struct placement_problem *problem, struct ledger *ledger)
{
    const struct demands *demands = problem->demands;

    for (size_t i = 0, k = 0; i < recovery->evicted.count && k < demands->count; k++) {
        struct lease place;

        /* A device without a lease is somebody else's. A reservation must not make it ours. */
        if (ledger_find(ledger, &demands->items[k].hostdev->source) ||
            inventory_find_vgpu(problem->inventory, &demands->items[k].hostdev->source))
            continue;
        place =
            reservation_of(transaction, problem, &demands->items[k], &recovery->evicted.leases[i]);
        ledger_add(ledger, &place);
        i++;
    }
}

int
recovery_claim_others(struct recovery *recovery, struct transaction *transaction,
                      const struct placement_problem *problem, struct ledger *ledger, bool *changed,
                      struct error *error)
{
    AUTO_FREE bool *may_evict = memory_zeroed(ledger->count, sizeof(*may_evict));
    size_t index;
    int rc;

    *changed =
        recovery_sort_others(&transaction->statedir, &recovery->look, &problem->request->domain,
                             recovery->running, "recovery", ledger, may_evict);
    if (*changed)
        return 0;
    for (size_t i = 0; i < ledger->count; i++)
        may_evict[i] &= !names_has(&recovery->unremovable, &ledger->leases[i].vgpu.device);
    index = victim_find(problem, may_evict);
    if (index == SIZE_MAX)
        return 0;
    *changed = true;
    ledger_add(&recovery->evicted, &ledger->leases[index]);
    rc = removals_claim(&recovery->todo, transaction, ledger, &ledger->leases[index], error);
    if (rc == 0)
        reserve_places(recovery, transaction, problem, ledger);
    return rc;
}

/* If a removal was refused, it is not tried again in this call. */
static void
note(struct recovery *recovery, const struct removals *removals)
{
    for (size_t i = 0; i < removals->count; i++) {
        const struct removal *removal = &removals->items[i];

        if (removal->fate == FATE_REMOVED)
            continue;
        recovery->failure = removal->why;
        names_append(&recovery->unremovable, &removal->lease.vgpu.device);
    }
}

void
recovery_remove(struct recovery *recovery, struct transaction *transaction,
                enum fate_occasion occasion, unsigned patience_for_others)
{
    struct removal_terms terms = {
        .occasion = occasion,
        .event = "recovery",
        .deadline = transaction->deadline,
    };

    remove_all(transaction, &recovery->needed, &terms);
    terms.deadline = deadline_earlier(transaction->deadline,
                                      deadline_in(transaction->host, patience_for_others));
    remove_all(transaction, &recovery->todo, &terms);
    note(recovery, &recovery->todo);
    note(recovery, &recovery->needed);
    drop_work(recovery);
}
