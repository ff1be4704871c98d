/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/assignment.h"
#include "base/array.h"
#include "base/reader.h"
#include "lease/daemon.h"
#include "lease/marks.h"
#include "lease/recent-removal.h"
#include "placement/boot-wait.h"

#include <string.h>

void
assignment_clear(struct assignment *assignment)
{
    plan_clear(&assignment->plan);
    names_clear(&assignment->ours);
    free(assignment->rejections);
    recovery_clear(&assignment->recovery);
    snapshot_clear(&assignment->snapshot);
    transaction_close(&assignment->transaction);
}

struct placement_problem
assignment_problem(struct assignment *assignment)
{
    struct placement_problem problem = snapshot_problem(&assignment->snapshot, assignment->request);

    problem.rejections = assignment->rejections;
    problem.rejection_count = assignment->rejection_count;
    problem.running = assignment->device;
    problem.effort = &assignment->effort;
    return problem;
}

int
assignment_check_daemon(const struct transaction *transaction, struct error *error)
{
    if (transaction->daemon.pid &&
        process_same(daemon_find(transaction->host), transaction->daemon))
        return 0;
    return error_set(error, -ESRCH,
                     "libvirt's daemon, which must give the vGPUs back, is not there");
}

/* Finds places for the demands, and enters pending leases for them into the ledger. */
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

/* Whether a change since the look could be the reason of a refusal. A place on a GPU that could
 * serve the demands, or one of their devices, was given to somebody or given back. */
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

/* How many ms to wait for each silent card after all: a quarter of the time, for all of them
 * together. 0: they were waited for already, or no card is silent. */
static unsigned
find_patience(const struct assignment *assignment)
{
    const struct inventory *inventory = &assignment->snapshot.inventory;
    unsigned share = deadline_left(assignment->transaction.deadline) / 4, silent = 0;

    for (size_t i = 0; i < inventory->gpu_count; i++)
        silent += inventory->gpus[i]->is_silent;
    if (assignment->patience > ASSIGNMENT_QUICK || silent == 0 ||
        share / silent <= ASSIGNMENT_QUICK)
        return 0;
    return share / silent;
}

/* Whether another domain has a lease or a card, which it may not need any more. */
static bool
has_others(const struct ledger *ledger, const struct name *domain)
{
    return ARRAY_HAS(ledger->leases, ledger->count, lease, !name_equal(&lease->domain, domain)) ||
           ARRAY_HAS(ledger->cards.items, ledger->cards.count, card,
                     !name_equal(&card->domain, domain));
}

bool
assignment_has_recent_removal(const struct host *host, const struct placement_problem *problem)
{
    const struct inventory *inventory = problem->inventory;

    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct lease there = {.gpu = inventory->gpus[i]->name};

        if (placement_concerns(problem, &there) &&
            recent_removal_on(host, &inventory->gpus[i]->name))
            return true;
    }
    return false;
}

/* Asks whether there is a place for each demand. If so, the places are in the ledger, pending. */
static unsigned
ask_places(struct assignment *assignment, struct error *error)
{
    const struct placement_problem problem = assignment_problem(assignment);
    const struct snapshot *snapshot = &assignment->snapshot;
    unsigned facts = START_ASKED_PLACES;

    assignment->rc = plan(assignment, &problem, &assignment->snapshot.ledger, error);
    if (assignment->rc == 0)
        return facts | START_PLACED;
    if (assignment->rc != REFUSED)
        return facts | START_FAILED;
    facts |= start_refusal(error->class);
    if (assignment_has_recent_removal(assignment->transaction.host, &problem) &&
        deadline_left(assignment->transaction.deadline) > 0)
        facts |= START_JUST_REMOVED;
    if (assignment->looks_at_all || !has_others(problem.ledger, &problem.request->domain))
        facts |= START_SAW_OTHERS;
    if (is_outdated(assignment, &problem))
        facts |= START_OUTDATED;
    assignment->boot_wait_left =
        boot_wait_left(&snapshot->policy, &snapshot->ledger.drained, &snapshot->inventory,
                       host_uptime(assignment->transaction.host));
    return assignment->boot_wait_left ? facts | START_BOOTING : facts;
}

/* Asks whether removing leftovers of others makes room. If so, they are claimed. */
static unsigned
ask_others(struct assignment *assignment, struct error *error)
{
    const struct placement_problem problem = assignment_problem(assignment);
    struct recovery *recovery = &assignment->recovery;
    struct error failure;
    bool changed;
    int rc = recovery_claim_others(recovery, &assignment->transaction, &problem,
                                   &assignment->snapshot.ledger, &changed, &failure);

    if (rc < 0) {
        *error = failure;
        assignment->rc = rc;
        return START_ASKED_OTHERS | START_FAILED;
    }
    if (!changed && recovery->unremovable.count)
        error_add(error, "%s", recovery->failure.text);
    return changed ? START_ASKED_OTHERS | START_OTHERS_GO : START_ASKED_OTHERS;
}

/* This call may have recorded a place that somebody else has taken meanwhile. A virtual function
 * has the same name whoever gave it its type, so the vGPU there is not ours: it was found. */
static void
mark_found(const struct assignment *assignment, const struct inventory *inventory,
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

/* Asks what the domain has itself. */
static unsigned
ask_own(struct assignment *assignment, struct error *error)
{
    struct snapshot *snapshot = &assignment->snapshot;
    struct recovery *recovery = &assignment->recovery;
    unsigned facts = find_patience(assignment) ? START_HASTY : 0;

    assignment->rc =
        recovery_claim_own(recovery, &assignment->transaction, &assignment->request->domain,
                           &snapshot->demands, &snapshot->inventory, &snapshot->ledger, error);
    if (assignment->rc < 0)
        return facts | START_FAILED;
    if (recovery->is_busy) {
        assignment->rc = -ETIMEDOUT;
        facts |= START_OWN_BUSY | (recovery->is_unknown ? START_OWN_SILENT : 0);
    }
    return recovery->needed.count || recovery->todo.count ? facts | START_OWN_GOES : facts;
}

/* Copies what is promised to the guest. Its start forgets these leases, as it takes the places. */
static void
take_promises(struct assignment *assignment, struct ledger *promised)
{
    const struct ledger *ledger = &assignment->snapshot.ledger;
    const uint64_t now = host_seconds(assignment->transaction.host);

    if (assignment->device)
        return;
    snapshot_bind_to_promises(&assignment->snapshot, assignment->transaction.host,
                              assignment->request);
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        if (lease_binds(lease, &assignment->request->domain, now))
            ledger_add(promised, lease);
    }
}

/* Decides the next step, with the lock held. */
static enum start_step
decide(struct assignment *assignment, struct error *error)
{
    struct snapshot *snapshot = &assignment->snapshot;
    AUTO(ledger_clear) struct ledger promised = {0};
    enum start_step step;
    unsigned facts;

    take_promises(assignment, &promised);
    mark_found(assignment, &snapshot->inventory, &snapshot->ledger);
    facts = assignment->done | ask_own(assignment, error);
    while ((step = start_next(facts)) <= START_ASK_OTHERS)
        facts |= step == START_ASK_PLACES ? ask_places(assignment, error)
                                          : ask_others(assignment, error);
    if (step == START_LOOK_AT_OTHERS)
        assignment->looks_at_all = true;
    if (step == START_LOOK_PATIENTLY)
        assignment->patience = find_patience(assignment);
    /* Until the places are taken, nobody else may get them. */
    for (size_t i = 0; step != START_MAKE && i < promised.count; i++) {
        if (!ledger_find(&snapshot->ledger, &promised.leases[i].vgpu.device))
            ledger_add(&snapshot->ledger, &promised.leases[i]);
    }
    return step;
}

/* Looks without the lock, because drivers take their time to answer. */
static int
look(struct assignment *assignment, struct error *error)
{
    struct snapshot *snapshot = &assignment->snapshot;
    const struct statedir *statedir = &assignment->transaction.statedir;
    const struct name *own = assignment->looks_at_all ? NULL : &assignment->request->domain;
    int rc;

    reader_begin(assignment->transaction.host->reader, assignment->patience);
    ledger_clear(&snapshot->ledger);
    rc = statedir_load(statedir, &snapshot->ledger, error);
    if (rc < 0)
        return rc;
    if (!assignment->device)
        snapshot_bind_to_promises(snapshot, statedir->host, assignment->request);
    return snapshot_look(snapshot, statedir, own, &assignment->recovery.look, error);
}

enum start_step
assignment_decide(struct assignment *assignment, struct error *error)
{
    struct transaction *transaction = &assignment->transaction;
    struct ledger *ledger = &assignment->snapshot.ledger;
    enum start_step step = START_REFUSE;

    assignment->rc = look(assignment, error);
    if (assignment->rc < 0)
        return START_REFUSE;
    assignment->rc =
        snapshot_lock(&assignment->snapshot, transaction, &assignment->recovery.look, error);
    if (assignment->rc < 0)
        return START_REFUSE;
    assignment->effort = 0;
    if (!assignment->device)
        assignment->rc = assignment_check_daemon(transaction, error);
    if (assignment->rc == 0)
        step = decide(assignment, error);
    if (!start_is_recorded(step)) {
        transaction_abort(transaction);
        return step;
    }
    assignment->rc = transaction_commit(transaction, ledger, error);
    return assignment->rc < 0 ? START_REFUSE : step;
}
