/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an assignment does next: plan, remove what is in the way, wait, look again, or give up. */

#include "actions/assignment.h"
#include "base/array.h"
#include "base/reader.h"
#include "device/type-cache.h"
#include "lease/marks.h"
#include "placement/boot-wait.h"

#include <string.h>

/* Places the demands and enters them into the ledger, pending. */
static int
plan(struct assignment *assignment, const struct placement_problem *problem, struct ledger *ledger,
     struct error *error)
{
    struct transaction *transaction = &assignment->transaction;
    AUTO_FREE struct placement_choice *choices =
        memory_zeroed(problem->demands->count, sizeof(*choices));
    struct plan_actor actor;
    int rc = placement_find(problem, choices, error);

    if (rc == 0)
        rc = statedir_claim(&transaction->statedir, ledger, error);
    if (rc < 0)
        return rc;
    actor = (struct plan_actor){transaction->daemon, transaction->statedir.claim,
                                host_seconds(transaction->host)};
    plan_clear(&assignment->plan);
    plan_build(problem, choices, &actor, &assignment->plan);
    for (size_t i = 0; i < assignment->plan.count; i++) {
        const struct lease *lease = &assignment->plan.steps[i].lease;
        struct lease *known = ledger_find(ledger, &lease->vgpu.device);

        if (assignment->plan.steps[i].way == PLACEMENT_REUSE)
            names_append(&assignment->ours, &lease->vgpu.device);
        if (known)
            *known = *lease;
        else
            ledger_add(ledger, lease);
    }
    return 0;
}

/* Whether a place on one of the GPUs that could serve the demands, or a device of theirs, was given
 * to somebody, or given back, since they were looked at: what is refused for that may be wrong. */
static bool
is_outdated(const struct assignment *assignment, const struct placement_problem *problem)
{
    const struct ledger *changed = &assignment->snapshot.changed;

    for (size_t i = 0; i < changed->count; i++) {
        const struct lease *lease = &changed->leases[i];

        if (!look_had_place(&assignment->recovery.look, problem->ledger, lease) &&
            placement_concerns(problem, lease))
            return true;
    }
    return false;
}

/* Whether cards that have not answered yet are to be waited for after all: a quarter of the time,
 * for all of them together. */
static bool
becomes_patient(struct assignment *assignment)
{
    const struct inventory *inventory = &assignment->snapshot.inventory;
    unsigned share = deadline_left(assignment->transaction.deadline) / 4, silent = 0;

    for (size_t i = 0; i < inventory->gpu_count; i++)
        silent += inventory->gpus[i].is_silent;
    if (assignment->patience > ASSIGNMENT_QUICK || silent == 0 ||
        share / silent <= ASSIGNMENT_QUICK)
        return false;
    assignment->patience = share / silent;
    return true;
}

/* Whether anybody else has a lease, which may be of no use to him any more. */
static bool
has_others(const struct ledger *ledger, const struct name *domain)
{
    return ARRAY_HAS(ledger->leases, ledger->count, lease, !name_equal(&lease->domain, domain));
}

/* There is no room, or something is in the way: whether removing what others left behind helps. */
static enum assignment_step
evict(struct assignment *assignment, const struct placement_problem *problem, bool *changed,
      struct error *error)
{
    struct recovery *recovery = &assignment->recovery;
    const struct error refusal = *error;
    int rc;

    assignment->rc = REFUSED;
    if (!assignment->looks_at_all && has_others(problem->ledger, &problem->request->domain)) {
        assignment->looks_at_all = true;
        return STEP_LOOK;
    }
    rc = recovery_claim_others(recovery, &assignment->transaction, problem,
                               &assignment->snapshot.ledger, changed, error);
    if (rc < 0)
        return assignment_fail(assignment, rc);
    if (*changed)
        return STEP_EVICT;
    *error = refusal;
    if (is_outdated(assignment, problem) || becomes_patient(assignment))
        return STEP_LOOK;
    if (recovery->unremovable.count)
        error_add(error, "%s", recovery->failure.text);
    return assignment_fail(assignment, REFUSED);
}

/* A plan, or what is in its way, or none. */
static enum assignment_step
plan_or_evict(struct assignment *assignment, bool *changed, struct error *error)
{
    const struct placement_problem problem = assignment_problem(assignment);
    const struct snapshot *snapshot = &assignment->snapshot;
    int rc = plan(assignment, &problem, &assignment->snapshot.ledger, error);
    enum assignment_step step;

    if (rc == 0)
        return STEP_CARRY_OUT;
    if (rc != REFUSED || error->class == ERROR_UNDECIDED)
        return assignment_fail(assignment, rc);
    step = error->class == ERROR_NEVER ? assignment_fail(assignment, rc)
                                       : evict(assignment, &problem, changed, error);
    if (step != STEP_FAILED || assignment->rc != REFUSED || error->class == ERROR_TAKEN)
        return step;
    assignment->boot_wait_left = boot_wait_left(&snapshot->policy, &snapshot->inventory,
                                                host_uptime(assignment->transaction.host));
    return assignment->boot_wait_left ? STEP_BOOT_WAIT : step;
}

/* Places that an earlier look of this call has claimed, and where somebody else was faster: a
 * function is called the same whoever gives it its type. */
static void
disown(const struct assignment *assignment, const struct inventory *inventory,
       struct ledger *ledger)
{
    const uint64_t claim = assignment->transaction.statedir.claim;

    for (size_t i = 0; claim && i < ledger->count; i++) {
        struct lease *lease = &ledger->leases[i];

        if (lease->claim == claim && lease->state == LEASE_PENDING &&
            inventory_find_vgpu(inventory, &lease->vgpu.device) &&
            !names_has(&assignment->ours, &lease->vgpu.device))
            lease->origin = LEASE_FOUND;
    }
}

/* With the lock held: what is to be done next; the ledger says so already, if *changed. */
static enum assignment_step
decide(struct assignment *assignment, bool *changed, struct error *error)
{
    struct transaction *transaction = &assignment->transaction;
    struct snapshot *snapshot = &assignment->snapshot;
    struct recovery *recovery = &assignment->recovery;
    int rc;

    ledger_clear(&snapshot->changed);
    look_compare(&recovery->look, &snapshot->ledger, &snapshot->changed);
    type_cache_store(transaction->host, transaction->statedir.dir, &snapshot->inventory);
    disown(assignment, &snapshot->inventory, &snapshot->ledger);
    rc = recovery_claim_own(recovery, transaction, &assignment->request->domain, &snapshot->demands,
                            &snapshot->inventory, &snapshot->ledger, error);
    if (rc < 0)
        return assignment_fail(assignment, rc);
    if (recovery->is_busy) {
        assignment->rc = -ETIMEDOUT;
        return recovery->is_unknown && becomes_patient(assignment) ? STEP_LOOK : STEP_WAIT;
    }
    *changed = true;
    return recovery_has_work(recovery) ? STEP_REMOVE_OWN
                                       : plan_or_evict(assignment, changed, error);
}

/* Without the lock, as drivers take their time to answer. */
static int
look(struct assignment *assignment, struct error *error)
{
    struct snapshot *snapshot = &assignment->snapshot;
    struct look *look = &assignment->recovery.look;
    const struct statedir *statedir = &assignment->transaction.statedir;
    const struct name *own = assignment->looks_at_all ? NULL : &assignment->request->domain;
    int rc;

    reader_begin(assignment->transaction.host->reader, assignment->patience);
    ledger_clear(&snapshot->ledger);
    rc = statedir_load(statedir, &snapshot->ledger, error);
    if (rc < 0)
        return rc;
    look_take_with(look, statedir, &snapshot->ledger, own);
    if (assignment->looks_at_all)
        look_at_guests_if_needed(look, statedir);
    return snapshot_look(snapshot, assignment->transaction.host, error);
}

enum assignment_step
assignment_decide(struct assignment *assignment, struct error *error)
{
    struct transaction *transaction = &assignment->transaction;
    struct ledger *ledger = &assignment->snapshot.ledger;
    bool changed = false;
    enum assignment_step step;
    int rc = look(assignment, error);

    if (rc < 0)
        return assignment_fail(assignment, rc);
    ledger_clear(ledger);
    rc = transaction_begin(transaction, ledger, error);
    if (rc < 0)
        return assignment_fail(assignment, rc);
    if (!assignment->device)
        rc = assignment_check_daemon(transaction, error);
    step = rc < 0 ? assignment_fail(assignment, rc) : decide(assignment, &changed, error);
    if (step == STEP_FAILED || step == STEP_BOOT_WAIT || step == STEP_LOOK || !changed) {
        transaction_abort(transaction);
        return step;
    }
    rc = transaction_commit(transaction, ledger, error);
    return rc < 0 ? assignment_fail(assignment, rc) : step;
}
