/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/arrival.h"
#include "actions/pass.h"
#include "apply/recovery.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/reader.h"
#include "lease/daemon.h"
#include "placement/boot-wait.h"
#include "placement/feasibility.h"
#include "placement/plan.h"

#define PATIENCE   2000 /* ms that a card has to answer, in each look */
#define MOST_LOOKS 2    /* further looks, each because a place was promised after the last one */

void
arrival_clear(struct arrival *arrival)
{
    snapshot_clear(&arrival->snapshot);
    free(arrival->choices);
    names_clear(&arrival->own);
}

/* Finds the guest's own devices that it may have back, as a start would. If somebody has a leaving
 * device open, prepare would fail with that device, and not with another one. Files of all
 * processes are looked at, so this is done without the lock. */
static void
find_own(struct arrival *arrival)
{
    const struct ledger *ledger = &arrival->snapshot.ledger;
    AUTO(open_files_clear) struct open_files files = {0};

    names_clear(&arrival->own);
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];
        char holder[64];

        if (name_equal(&lease->domain, &arrival->request->domain) &&
            demands_name(&arrival->snapshot.demands, &lease->vgpu.device) &&
            (lease->state == LEASE_KEPT ||
             (lease->state == LEASE_LEAVING &&
              vgpu_holder(arrival->host, &files, &lease->vgpu, holder, sizeof(holder)) == 0)))
            names_append(&arrival->own, &lease->vgpu.device);
    }
}

/* Drops each device that somebody is at work on, or whose lease has changed since the look. The
 * guest may not get such a device. */
static void
keep_seen(struct arrival *arrival, const struct look *look)
{
    struct names *own = &arrival->own;
    size_t count = 0;

    for (size_t i = 0; i < own->count; i++) {
        const struct lease *lease = ledger_find(&arrival->snapshot.ledger, &own->items[i]);

        if (lease && look_device(look, lease))
            own->items[count++] = own->items[i];
    }
    own->count = count;
}

/* All searches under the lock have one bound together. */
static struct placement_problem
problem_of(struct arrival *arrival)
{
    struct placement_problem problem = snapshot_problem(&arrival->snapshot, arrival->request);

    problem.effort = &arrival->effort;
    return problem;
}

/* --- where ------------------------------------------------------------------------------------ */

bool
arrival_may_have(const struct arrival *arrival, const struct lease *lease)
{
    return names_has(&arrival->own, &lease->vgpu.device);
}

/* Whether the guest may have the devices that are there already under the demands' sources. Its own
 * devices in other states are on their way out, and all others stay somebody else's. */
static bool
are_usable(const struct arrival *arrival, const struct placement_problem *problem,
           const struct placement_choice *choices)
{
    for (size_t i = 0; i < problem->demands->count; i++) {
        const struct lease *lease =
            placement_lease(problem, &problem->demands->items[i].hostdev->source);

        if (choices[i].way != PLACEMENT_CREATE && !(lease && arrival_may_have(arrival, lease)))
            return false;
    }
    return true;
}

/* Whether a demand could be met where its hostdev says, if it were the only one. */
static bool
can_stay(const struct arrival *arrival, const struct placement_problem *problem, size_t index)
{
    struct demand demand = problem->demands->items[index];
    struct demands demands = *problem->demands;
    struct placement_problem alone = *problem;
    struct placement_choice choice;
    struct error ignored;

    demand_set_free(&demand, DEMAND_AS_IT_SAYS);
    demands.items = &demand;
    demands.count = 1;
    alone.demands = &demands;
    return placement_find(&alone, &choice, &ignored) == 0 && are_usable(arrival, &alone, &choice);
}

/*
 * Finds the places nearest to the XML that have room. 1: found; 0: there are none; REFUSED: the
 * search takes too long while others wait for the lock. At first all demands stay that can. If that
 * finds nothing, none has to stay.
 */
static int
find_room(struct arrival *arrival, const struct placement_problem *problem)
{
    struct demands *demands = &arrival->snapshot.demands;
    AUTO_FREE bool *stays = memory_zeroed(demands->count, sizeof(*stays));
    struct error ignored;

    for (size_t i = 0; i < demands->count; i++)
        stays[i] = can_stay(arrival, problem, i);
    for (int way = 0; way < 4; way++) {
        int rc;

        for (size_t i = 0; i < demands->count; i++)
            demand_set_free(&demands->items[i], way % 2 == 0 && stays[i] ? DEMAND_AS_IT_SAYS
                                                : way < 2                ? DEMAND_ANY_PLACE
                                                                         : DEMAND_ANY_KIND);
        rc = placement_find(problem, arrival->choices, &ignored);
        if (rc < 0 && ignored.class == ERROR_UNDECIDED)
            return rc;
        if (rc == 0 && are_usable(arrival, problem, arrival->choices))
            return 1;
    }
    return 0;
}

/* The same, as if all were gone that a start may remove. It is prepare that removes such vGPUs, and
 * only for the places that the XML names by then. */
static int
find_clearable(struct arrival *arrival, const bool *may_evict)
{
    struct placement_problem problem = problem_of(arrival);

    problem.gone = may_evict;
    problem.certainty = PLACEMENT_TRY_SEEN;
    return find_room(arrival, &problem);
}

/* Finds places that the host could ever give, or sets is_unknown. */
static int
find_any(struct arrival *arrival, struct error *error)
{
    const struct placement_problem problem = problem_of(arrival);
    const struct snapshot *snapshot = &arrival->snapshot;
    bool waiting = boot_wait_left(&snapshot->policy, &snapshot->ledger.drained,
                                  &snapshot->inventory, host_uptime(arrival->host)) > 0;
    enum feasibility feasibility = FEASIBILITY_NO;

    for (int freedom = DEMAND_AS_IT_SAYS;
         feasibility == FEASIBILITY_NO && freedom <= DEMAND_ANY_KIND; freedom++) {
        demands_set_free(&arrival->snapshot.demands, (enum demand_freedom)freedom);
        feasibility = feasibility_judge(&problem, waiting, arrival->choices, error);
    }
    if (feasibility == FEASIBILITY_NO)
        return REFUSED;
    arrival->is_unknown = !arrival->choices[0].place.parent;
    return 0;
}

/* 1: places that have room now. 0: places that need some clearing first, or another day. */
static int
find_places(struct arrival *arrival, const bool *may_evict, struct error *error)
{
    const struct placement_problem problem = problem_of(arrival);
    int rc = find_room(arrival, &problem);

    if (rc > 0)
        return 1;
    if (rc == 0)
        rc = find_clearable(arrival, may_evict);
    return rc > 0 ? 0 : find_any(arrival, error);
}

/* --- what is promised ------------------------------------------------------------------------- */

/* Takes the reservations of an earlier try out of the ledger, because this try replaces them.
 * `promised` gets the promises among them, because the demands are bound to these. */
static void
take_reserved(const struct arrival *arrival, struct ledger *ledger, struct ledger *promised)
{
    for (size_t i = 0; i < ledger->count;) {
        struct lease *lease = &ledger->leases[i];

        if (lease->state != LEASE_RESERVED ||
            !name_equal(&lease->domain, &arrival->request->domain)) {
            i++;
            continue;
        }
        if (lease_is_promise(lease))
            ledger_add(promised, lease);
        ledger_remove(ledger, lease);
    }
}

static bool
is_bound_to(const struct demands *demands, const struct name *place)
{
    return ARRAY_HAS(demands->items, demands->count, demand,
                     name_equal(&demand->terms.place, place));
}

/* Whether a place was promised after the look: no demand is bound to it. */
static bool
has_new_promise(const struct arrival *arrival)
{
    const struct ledger *ledger = &arrival->snapshot.ledger;
    const uint64_t now = host_seconds(arrival->host);

    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        if (lease_binds(lease, &arrival->request->domain, now) &&
            !is_bound_to(&arrival->snapshot.demands, &lease->vgpu.parent))
            return true;
    }
    return false;
}

/* Reserves the virtual functions that were chosen, and what was promised. A promise has a number,
 * so that no release of an earlier run ends it. */
static void
reserve(struct arrival *arrival, struct transaction *transaction)
{
    const struct placement_problem problem = problem_of(arrival);
    const struct plan_actor actor = {daemon_find(arrival->host), 0, host_seconds(arrival->host)};
    AUTO(plan_clear) struct plan plan = {0};

    plan_build(&problem, arrival->choices, &actor, &plan);
    for (size_t i = 0; i < plan.count; i++) {
        struct lease *lease = &plan.steps[i].lease;
        const bool is_promised = *problem.demands->items[i].terms.place.text;

        lease->state = LEASE_RESERVED;
        if (is_promised) {
            lease->daemon = LEASE_PROMISED;
            lease->claim = statedir_take_number(&transaction->statedir, &arrival->snapshot.ledger);
        }
        if ((is_promised || lease->vgpu.interface->hostdev == REQUEST_PCI) &&
            plan.steps[i].way == PLACEMENT_CREATE &&
            !ledger_find(&arrival->snapshot.ledger, &lease->vgpu.device))
            ledger_add(&arrival->snapshot.ledger, lease);
    }
}

/* --- under the lock, or without ------------------------------------------------------------ */

/* Whether virtual functions are involved: those must be chosen now. */
static bool
needs_choice(const struct arrival *arrival)
{
    const struct demands *demands = &arrival->snapshot.demands;
    bool needed = false;

    for (size_t i = 0; i < demands->count; i++)
        needed |= demands->items[i].hostdev->kind == REQUEST_PCI;
    for (size_t i = 0; i < arrival->snapshot.inventory.parent_count; i++)
        needed |= arrival->snapshot.inventory.parents[i]->interface->hostdev == REQUEST_PCI;
    return needed;
}

/* Looks without the lock. The arrival has looked once before, and has claimed nothing since. */
static int
look(struct arrival *arrival, const struct transaction *transaction, struct look *look,
     struct error *error)
{
    struct ledger *ledger = &arrival->snapshot.ledger;
    int rc;

    reader_begin(arrival->host->reader, PATIENCE);
    ledger_clear(ledger);
    rc = statedir_load(&transaction->statedir, ledger, error);
    if (rc < 0)
        return rc;
    snapshot_bind_to_promises(&arrival->snapshot, arrival->host, arrival->request);
    find_own(arrival);
    return snapshot_look(&arrival->snapshot, &transaction->statedir, NULL, look, error);
}

/* Chooses with the lock held. */
static int
choose_under_lock(struct arrival *arrival, struct transaction *transaction, const struct look *look,
                  struct error *error)
{
    AUTO_FREE bool *may_evict = NULL;
    AUTO(ledger_clear) struct ledger promised = {0};
    struct ledger *ledger = &arrival->snapshot.ledger;
    int rc;

    if (has_new_promise(arrival))
        return error_set(error, -EAGAIN, "a place was promised to the guest just now");
    snapshot_bind_to_promises(&arrival->snapshot, arrival->host, arrival->request);
    keep_seen(arrival, look);
    take_reserved(arrival, ledger, &promised);
    may_evict = memory_zeroed(arrival->snapshot.ledger.count, sizeof(*may_evict));
    recovery_sort_others(&transaction->statedir, look, &arrival->request->domain, false, "recovery",
                         &arrival->snapshot.ledger, may_evict);
    rc = find_places(arrival, may_evict, error);
    if (rc > 0)
        reserve(arrival, transaction);
    for (size_t i = 0; rc == 0 && i < promised.count; i++)
        ledger_add(ledger, &promised.leases[i]);
    return rc < 0 ? rc : 0;
}

static int
lock_and_choose(struct arrival *arrival, struct error *error)
{
    AUTO(transaction_close) struct transaction transaction = TRANSACTION_NONE;
    AUTO(look_clear) struct look seen = {0};
    int rc = transaction_open(arrival->host, true, &transaction, error);

    if (rc < 0)
        return rc;
    transaction.lock_timeout = arrival->snapshot.policy.lock_timeout;
    for (unsigned looks = 0;; looks++) {
        look_clear(&seen);
        rc = look(arrival, &transaction, &seen, error);
        if (rc == 0)
            rc = snapshot_lock(&arrival->snapshot, &transaction, &seen, error);
        if (rc < 0)
            return rc;
        rc = choose_under_lock(arrival, &transaction, &seen, error);
        if (rc == 0)
            return transaction_commit(&transaction, &arrival->snapshot.ledger, error);
        transaction_abort(&transaction);
        if (rc != -EAGAIN || looks == MOST_LOOKS)
            return rc;
    }
}

int
arrival_choose(struct arrival *arrival, struct error *error)
{
    int rc = statedir_peek(arrival->host, &arrival->snapshot.ledger, error);

    reader_begin(arrival->host->reader, PATIENCE);
    if (rc == 0)
        snapshot_bind_to_promises(&arrival->snapshot, arrival->host, arrival->request);
    if (rc == 0)
        rc = snapshot_scan(&arrival->snapshot, arrival->host, error);
    if (rc < 0)
        return rc;
    arrival->choices = memory_zeroed(arrival->snapshot.demands.count, sizeof(*arrival->choices));
    if (needs_choice(arrival))
        return lock_and_choose(arrival, error);
    find_own(arrival);
    return find_any(arrival, error);
}

static bool
is_reserved_for_it(const struct pass *pass, const struct lease *lease)
{
    return lease->state == LEASE_RESERVED && name_equal(&lease->domain, pass->scope);
}

static const struct pass_row give_up_row = {
    .occasion = OCCASION_RELEASE,
    .event = "incoming",
    .forgotten = "forgotten",
    .concerns = is_reserved_for_it,
};

void
arrival_give_up(const struct arrival *arrival)
{
    AUTO(transaction_close) struct transaction transaction = TRANSACTION_NONE;
    AUTO(pass_clear)
    struct pass pass = {
        .row = &give_up_row, .transaction = &transaction, .scope = &arrival->request->domain};
    struct error ignored;

    if (!needs_choice(arrival) ||
        transaction_open(arrival->host, false, &transaction, &ignored) < 0)
        return;
    transaction.lock_timeout = arrival->snapshot.policy.lock_timeout;
    if (pass_look(&pass, &arrival->request->domain, PATIENCE, &ignored) < 0 ||
        pass_decide(&pass, &ignored) < 0)
        return;
}
