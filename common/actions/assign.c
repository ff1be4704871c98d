/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/assign.h"
#include "actions/release.h"
#include "actions/snapshot.h"
#include "apply/apply.h"
#include "apply/recovery.h"
#include "base/array.h"
#include "base/reader.h"
#include "device/type-cache.h"
#include "lease/daemon.h"
#include "lease/log.h"
#include "lease/marks.h"
#include "placement/boot-wait.h"
#include "placement/feasibility.h"
#include "placement/plan.h"

#include <string.h>

#define QUICK         500  /* ms that a card may take to answer while others may have room */
#define BOOT_PAUSE    500  /* ms between two looks for a GPU that may still come up */
#define LONGEST_GOING 3000 /* ms that a UUID may stay taken after its device went */
#define ASK_AGAIN     3 /* times that a driver which still offers a place is asked for it again, */
#define ASK_PAUSE     500 /* after so many ms: one that has only just come up refuses at first */

struct assignment {
    struct transaction transaction;
    const struct request *request;
    const struct name *device; /* the only one, of a running domain; NULL: all of a starting one */
    struct snapshot snapshot;
    struct recovery recovery;
    unsigned patience; /* ms that a card may take to answer */
    bool looks_at_all; /* leases, and at the guests; at first only at the domain's own */
    struct placement_rejection *rejections;
    size_t rejection_count;
    unsigned asked_again;
    struct plan plan;
    struct names ours;       /* vGPUs that this call has made, or taken back */
    unsigned boot_wait_left; /* ms that a GPU which is not there yet is worth waiting for */
    int rc;                  /* of the step that failed */
    struct deadline gone_by; /* when a device that is being removed must be gone */
};

/* What is to be done next. */
enum step {
    STEP_CARRY_OUT,  /* the plan is in the ledger, to be carried out */
    STEP_REMOVE_OWN, /* own leases that nobody wants are claimed, to be removed before all else */
    STEP_EVICT,      /* another's is claimed, to be removed before the next look */
    STEP_LOOK,       /* what was seen does not do for a decision: look again, at all leases */
    STEP_WAIT,       /* somebody is at work on the domain's leases: look again */
    STEP_BOOT_WAIT,  /* a GPU may still come up: look again later */
    STEP_AGAIN,      /* something was refused, or is not as it was: look again */
    STEP_DONE,
    STEP_FAILED, /* assignment.rc says how */
};

static void
assignment_clear(struct assignment *assignment)
{
    plan_clear(&assignment->plan);
    names_clear(&assignment->ours);
    free(assignment->rejections);
    recovery_clear(&assignment->recovery);
    snapshot_clear(&assignment->snapshot);
    transaction_close(&assignment->transaction);
}

static enum step
fail(struct assignment *assignment, int rc)
{
    assignment->rc = rc;
    return STEP_FAILED;
}

/* Places the demands and enters them into the ledger, pending. */
static int
plan(struct assignment *assignment, const struct placement_problem *problem, struct ledger *ledger,
     struct error *error)
{
    struct transaction *transaction = &assignment->transaction;
    AUTO_FREE struct placement_choice *choices = calloc(problem->demands->count, sizeof(*choices));
    struct plan_actor actor;
    int rc;

    if (!choices)
        return error_set(error, -ENOMEM, "no memory for the placement");
    rc = placement_find(problem, choices, error);
    if (rc == 0)
        rc = statedir_claim(&transaction->statedir, ledger, error);
    if (rc < 0)
        return rc;
    actor = (struct plan_actor){transaction->daemon, transaction->statedir.claim,
                                host_seconds(transaction->host)};
    plan_clear(&assignment->plan);
    rc = plan_build(problem, choices, &actor, &assignment->plan);
    for (size_t i = 0; rc == 0 && i < assignment->plan.count; i++) {
        const struct lease *lease = &assignment->plan.steps[i].lease;
        struct lease *known = ledger_find(ledger, &lease->vgpu.device);

        if (assignment->plan.steps[i].way == PLACEMENT_REUSE)
            rc = names_add(&assignment->ours, lease->vgpu.device.text);
        if (rc < 0)
            break;
        if (known)
            *known = *lease;
        else
            rc = ledger_add(ledger, lease);
    }
    return rc < 0 ? error_set(error, rc, "no memory for the plan") : 0;
}

static struct placement_problem
problem_of(const struct assignment *assignment)
{
    struct placement_problem problem = snapshot_problem(&assignment->snapshot, assignment->request);

    problem.rejections = assignment->rejections;
    problem.rejection_count = assignment->rejection_count;
    problem.running = assignment->device;
    return problem;
}

/* Whether a place on one of the GPUs that could serve the demands, or a device of theirs, was given
 * to somebody, or given back, since they were looked at: what is refused for that may be wrong. */
static bool
is_outdated(const struct assignment *assignment, const struct placement_problem *problem)
{
    const struct ledger *changed = &assignment->snapshot.changed;

    for (size_t i = 0; i < changed->count; i++) {
        const struct lease *lease = &changed->leases[i];

        if (!look_only_moved(&assignment->recovery.look, problem->ledger, lease) &&
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
    if (assignment->patience > QUICK || silent == 0 || share / silent <= QUICK)
        return false;
    assignment->patience = share / silent;
    return true;
}

/* There is no room, or something is in the way: whether removing what others left behind helps. */
static enum step
evict(struct assignment *assignment, const struct placement_problem *problem, bool *changed,
      struct error *error)
{
    struct recovery *recovery = &assignment->recovery;
    const struct error refusal = *error;
    int rc;

    assignment->rc = REFUSED;
    if (!assignment->looks_at_all) {
        assignment->looks_at_all = true;
        return STEP_LOOK;
    }
    rc = recovery_claim_others(recovery, &assignment->transaction, problem,
                               &assignment->snapshot.ledger, changed, error);
    if (rc < 0)
        return fail(assignment, rc);
    if (*changed)
        return STEP_EVICT;
    *error = refusal;
    if (is_outdated(assignment, problem) || becomes_patient(assignment))
        return STEP_LOOK;
    if (recovery->unremovable.count)
        error_add(error, "%s", recovery->failure.text);
    return fail(assignment, REFUSED);
}

/* A plan, or what is in its way, or none. */
static enum step
plan_or_evict(struct assignment *assignment, bool *changed, struct error *error)
{
    const struct placement_problem problem = problem_of(assignment);
    const struct snapshot *snapshot = &assignment->snapshot;
    int rc = plan(assignment, &problem, &assignment->snapshot.ledger, error);
    enum step step;

    if (rc == 0)
        return STEP_CARRY_OUT;
    if (rc != REFUSED || error->class == ERROR_UNDECIDED)
        return fail(assignment, rc);
    step = error->class == ERROR_NEVER ? fail(assignment, rc)
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
static enum step
decide(struct assignment *assignment, bool *changed, struct error *error)
{
    struct transaction *transaction = &assignment->transaction;
    struct snapshot *snapshot = &assignment->snapshot;
    struct recovery *recovery = &assignment->recovery;
    int rc;

    ledger_clear(&recovery->todo);
    ledger_clear(&snapshot->changed);
    if (look_compare(&recovery->look, &snapshot->ledger, &snapshot->changed) < 0)
        return fail(assignment, error_set(error, -ENOMEM, "no memory for the leases"));
    type_cache_store(transaction->host, transaction->statedir.dir, &snapshot->inventory);
    disown(assignment, &snapshot->inventory, &snapshot->ledger);
    rc = recovery_claim_own(recovery, transaction, &assignment->request->domain, &snapshot->demands,
                            &snapshot->inventory, &snapshot->ledger, error);
    if (rc < 0)
        return fail(assignment, rc);
    if (recovery->is_busy) {
        assignment->rc = -ETIMEDOUT;
        return recovery->is_unknown && becomes_patient(assignment) ? STEP_LOOK : STEP_WAIT;
    }
    *changed = true;
    return recovery->todo.count ? STEP_REMOVE_OWN : plan_or_evict(assignment, changed, error);
}

/* A restart of the daemon leaves its hooks running, and starts the guest anew, perhaps: nothing of
 * that is ours, and nobody would give back what we make. */
static int
check_daemon(const struct transaction *transaction, struct error *error)
{
    if (transaction->daemon.pid &&
        process_same(daemon_find(transaction->host), transaction->daemon))
        return 0;
    return error_set(error, -ESRCH, "libvirt's daemon ended while the vGPUs were being made");
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
    if (rc == 0)
        rc = look_take_with(look, statedir, &snapshot->ledger, own, error);
    if (rc < 0)
        return rc;
    if (assignment->looks_at_all)
        look_at_guests_if_needed(look, statedir);
    return snapshot_look(snapshot, assignment->transaction.host, error);
}

static enum step
look_and_decide(struct assignment *assignment, struct error *error)
{
    struct transaction *transaction = &assignment->transaction;
    struct ledger *ledger = &assignment->snapshot.ledger;
    bool changed = false;
    enum step step;
    int rc = look(assignment, error);

    if (rc < 0)
        return fail(assignment, rc);
    ledger_clear(ledger);
    rc = transaction_begin(transaction, ledger, error);
    if (rc < 0)
        return fail(assignment, rc);
    if (!assignment->device)
        rc = check_daemon(transaction, error);
    step = rc < 0 ? fail(assignment, rc) : decide(assignment, &changed, error);
    if (step == STEP_FAILED || step == STEP_BOOT_WAIT || step == STEP_LOOK || !changed) {
        transaction_abort(transaction);
        return step;
    }
    rc = transaction_commit(transaction, ledger, error);
    return rc < 0 ? fail(assignment, rc) : step;
}

/* Where the XML leaves no choice. NVIDIA's driver has the one error for all its reasons, and the
 * next look tells by its list whether it means it. */
static bool
may_ask_again(struct assignment *assignment, size_t index, int why)
{
    unsigned pause = ASK_PAUSE;

    return demand_vf(&assignment->snapshot.demands.items[index]) && why == -EIO &&
           assignment->asked_again++ < ASK_AGAIN &&
           deadline_pause(assignment->transaction.deadline, &pause);
}

/* The kernel said no: remember it, so that the next look tries elsewhere. */
static enum step
rejected(struct assignment *assignment, size_t index, int why, struct error *error)
{
    const struct lease *lease = &assignment->plan.steps[index].lease;
    const struct placement_rejection rejection = {lease->vgpu.parent, lease->vgpu.type, why};
    int rc = transaction_forget(&assignment->transaction, &lease->vgpu.device, error);

    if (rc < 0)
        return fail(assignment, rc);
    /* The UUID was taken meanwhile, or its last device is not quite gone: no fault of the GPU. */
    if (why == -EEXIST && deadline_left(assignment->gone_by) > 0) {
        error_set(error, -ETIMEDOUT, "the vGPU %s is not quite gone; start the guest again",
                  lease->vgpu.device.text);
        return STEP_AGAIN;
    }
    log_lease(assignment->transaction.host, "prepare", lease, strerror(-why));
    if (may_ask_again(assignment, index, why)) {
        error_set(error, -ETIMEDOUT, "the kernel refuses a vGPU of type %s on %s (%s)",
                  lease->vgpu.type.text, lease->vgpu.parent.text, strerror(-why));
        return STEP_AGAIN;
    }
    if (why == -EEXIST)
        return fail(assignment,
                    error_set(error, why,
                              "the kernel has a device %s already, and does not show it: it is "
                              "still being removed, perhaps while a process has it open; try "
                              "again, or give this guest another UUID",
                              lease->vgpu.device.text));
    rc = ARRAY_ADD(assignment->rejections, assignment->rejection_count, rejection);
    if (rc < 0)
        return fail(assignment, error_set(error, rc, "no memory for a refusal"));
    error_set(error, -ETIMEDOUT,
              "the kernel refuses a vGPU of type %s on %s (%s), and took all of prepare_timeout "
              "for that",
              lease->vgpu.type.text, lease->vgpu.parent.text, strerror(-why));
    return STEP_AGAIN;
}

/* What was there when it was looked at. */
static enum step
gone(const struct lease *lease, struct error *error)
{
    error_set(error, -ETIMEDOUT, "the vGPU %s went away; start the guest again",
              lease->vgpu.device.text);
    return STEP_AGAIN;
}

/* Whether somebody has removed, or changed, what he had made. */
static bool
has_gone(const struct assignment *assignment, const struct lease *lease)
{
    reader_begin(assignment->transaction.host->reader, assignment->patience);
    return vgpu_is_wrong(assignment->transaction.host, &lease->vgpu);
}

/* What is taken back must be closed, or QEMU would fail with a riddle. */
static enum step
reuse(struct assignment *assignment, const struct lease *lease, struct error *error)
{
    int rc = apply_check_unused(&assignment->transaction, lease, error);

    if (rc == 0)
        return STEP_DONE;
    return rc == -ENODEV ? gone(lease, error) : fail(assignment, rc);
}

static enum step
create(struct assignment *assignment, size_t index, struct error *error)
{
    const struct lease *lease = &assignment->plan.steps[index].lease;
    int rc = apply_make(&assignment->transaction, lease, error);

    if (rc == -ETIMEDOUT || rc == -ECHILD)
        return fail(assignment, rc);
    if (rc < 0)
        return rejected(assignment, index, rc, error);
    if (names_add(&assignment->ours, lease->vgpu.device.text) < 0)
        return fail(assignment, error_set(error, -ENOMEM, "no memory for the vGPUs"));
    return STEP_DONE;
}

/* One that is taken back has the parameters of its last run; and a virtual function may have those
 * of whoever had it before. */
static bool
must_configure(const struct plan_step *step)
{
    if (step->way == PLACEMENT_CREATE)
        return *step->params || step->lease.vgpu.interface->hostdev == REQUEST_PCI;
    return step->way == PLACEMENT_REUSE;
}

static enum step
carry_out(struct assignment *assignment, struct error *error)
{
    for (size_t i = 0; i < assignment->plan.count; i++) {
        const struct plan_step *planned = &assignment->plan.steps[i];
        enum step step = STEP_DONE;
        int rc;

        if (planned->way == PLACEMENT_REUSE)
            step = reuse(assignment, &planned->lease, error);
        if (planned->way == PLACEMENT_FOREIGN && has_gone(assignment, &planned->lease))
            step = gone(&planned->lease, error);
        if (planned->way == PLACEMENT_CREATE)
            step = create(assignment, i, error);
        if (step != STEP_DONE)
            return step;
        if (!must_configure(planned))
            continue;
        rc = apply_configure(&assignment->transaction, &planned->lease, planned->params, error);
        if (rc < 0)
            return fail(assignment, rc);
    }
    return STEP_DONE;
}

/* Whose release the leases are owed. Of a running domain its other leases tell; if there are none,
 * its status file alone keeps the lease, until the daemon is told of at its next start. */
static int
find_daemon(struct assignment *assignment, const struct ledger *ledger, struct error *error)
{
    struct transaction *transaction = &assignment->transaction;

    if (!assignment->device)
        return check_daemon(transaction, error);
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        if (name_equal(&lease->domain, &assignment->request->domain) &&
            lease->state == LEASE_HELD && process_alive(transaction->host, lease->daemon))
            transaction->daemon = lease->daemon;
    }
    return 0;
}

/* All is made: the leases are held, if libvirt is still there to give them back one day. */
static int
hold(struct assignment *assignment, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct transaction *transaction = &assignment->transaction;
    int rc = transaction_begin(transaction, &ledger, error);

    if (rc < 0)
        return rc;
    rc = find_daemon(assignment, &ledger, error);
    if (rc < 0) {
        transaction_abort(transaction);
        return rc;
    }
    for (size_t i = 0; i < assignment->plan.count; i++) {
        struct lease *lease = ledger_find(&ledger, &assignment->plan.steps[i].lease.vgpu.device);

        /* A ledger that was moved away meanwhile gets what was made: we still have the claim. */
        if (!lease && ledger_add(&ledger, &assignment->plan.steps[i].lease) == 0)
            lease = &ledger.leases[ledger.count - 1];
        if (!lease || lease->claim != transaction->statedir.claim ||
            lease->state != LEASE_PENDING) {
            transaction_abort(transaction);
            return transaction_lost(&assignment->plan.steps[i].lease.vgpu.device, error);
        }
        if (marks_say_ended(&transaction->statedir, lease)) {
            transaction_abort(transaction);
            return error_set(error, -ESRCH, "the guest has ended while its vGPUs were being made");
        }
        lease->state = LEASE_HELD;
        lease->daemon = transaction->daemon;
        lease->time = host_seconds(transaction->host);
    }
    return transaction_commit(transaction, &ledger, error);
}

/* Looks again in a moment, if a GPU may still come up: the time that libvirt is kept waiting then
 * is not prepare_timeout's. False: all are there, or it is too late. */
static bool
wait_for_boot(struct assignment *assignment)
{
    struct transaction *transaction = &assignment->transaction;
    unsigned pause = BOOT_PAUSE;

    if (!assignment->boot_wait_left ||
        !deadline_pause(deadline_in(assignment->transaction.host, assignment->boot_wait_left),
                        &pause))
        return false;
    assignment->boot_wait_left = 0;
    transaction->deadline =
        deadline_in(assignment->transaction.host, assignment->snapshot.policy.prepare_timeout);
    transaction->lock_timeout = assignment->snapshot.policy.lock_timeout;
    return true;
}

/* One step after another until all is made, or cannot be. */
static int
assign(struct assignment *assignment, struct error *error)
{
    const struct demands nobodys = {0};
    struct transaction *transaction = &assignment->transaction;
    unsigned pause = 1;

    for (;;) {
        enum step step = look_and_decide(assignment, error);
        bool removes = step == STEP_REMOVE_OWN || step == STEP_EVICT;

        if (step == STEP_CARRY_OUT)
            step = carry_out(assignment, error);
        switch (step) {
        case STEP_DONE:
            return 0;
        case STEP_FAILED:
            return assignment->rc;
        case STEP_BOOT_WAIT:
            if (!wait_for_boot(assignment))
                return assignment->rc;
            continue;
        case STEP_LOOK:
            if (deadline_left(transaction->deadline) > 0)
                continue;
            return assignment->rc;
        case STEP_REMOVE_OWN:
        case STEP_EVICT:
            recovery_remove(&assignment->recovery, transaction,
                            step == STEP_REMOVE_OWN ? &assignment->snapshot.demands : &nobodys,
                            assignment->snapshot.policy.release_timeout);
            if (deadline_left(transaction->deadline) > 0)
                continue;
            break;
        default:
            break;
        }
        if (deadline_pause(transaction->deadline, &pause))
            continue;
        return removes ? error_set(error, -ETIMEDOUT,
                                   "removing what was in the way took all of prepare_timeout; "
                                   "start the guest again")
                       : -ETIMEDOUT;
    }
}

/* All or none: what this call has claimed goes, as at a release. */
static void
undo(struct assignment *assignment)
{
    struct transaction *transaction = &assignment->transaction;
    const struct release_scope scope = {
        .domain = &assignment->request->domain,
        .device = assignment->device,
        .claim = transaction->statedir.claim,
    };
    struct deadline deadline =
        deadline_in(transaction->host, assignment->snapshot.policy.release_timeout);
    struct error failure;

    if (scope.claim && release_leases(transaction, &scope, deadline, &failure) < 0)
        log_failure(transaction->host, "prepare", assignment->request->name, &failure);
}

/* What has no room now may never have any: that is for counters and exit statuses, and no haste. */
static void
classify(const struct assignment *assignment, struct error *error)
{
    const struct placement_problem problem = problem_of(assignment);
    struct error ignored;

    if (feasibility_of(&problem, false, &ignored) == FEASIBILITY_NO)
        error->class = ERROR_NEVER;
}

/* What is asked for, and with which means. 1: there is something to do. */
static int
begin(struct assignment *assignment, const struct host *host, struct error *error)
{
    const struct policy *policy = &assignment->snapshot.policy;
    struct transaction *transaction = &assignment->transaction;
    int rc = snapshot_read(&assignment->snapshot, host, assignment->request, "prepare", error);

    if (rc <= 0)
        return rc;
    rc = transaction_open(host, true, transaction, error);
    if (rc < 0)
        return rc;
    transaction->daemon = daemon_find(host);
    transaction->lock_timeout = policy->lock_timeout;
    transaction->deadline = deadline_in(host, policy->prepare_timeout);
    assignment->gone_by = deadline_earlier(transaction->deadline, deadline_in(host, LONGEST_GOING));
    return 1;
}

int
assign_domain(const struct host *host, const struct request *request, struct error *error)
{
    AUTO(assignment_clear)
    struct assignment assignment = {
        .transaction = TRANSACTION_NONE,
        .request = request,
        .patience = QUICK,
    };
    int rc = begin(&assignment, host, error);

    if (rc > 0) {
        rc = assign(&assignment, error);
        if (rc == 0)
            rc = hold(&assignment, error);
        if (rc < 0)
            undo(&assignment);
        if (rc == REFUSED && error->class == ERROR_NO_ROOM)
            classify(&assignment, error);
        if (rc == REFUSED && (error->class == ERROR_NO_ROOM || error->class == ERROR_NEVER))
            error_add(error, "see 'vgpuctl explain %s'", request->name);
    }
    for (size_t i = 0; rc == 0 && i < assignment.plan.count; i++)
        log_lease(host, "prepare", &assignment.plan.steps[i].lease, "ok");
    return rc;
}

int
assign_device(const struct host *host, const struct request *request, const struct name *device,
              const struct assign_handover *handover, struct error *error)
{
    AUTO(assignment_clear)
    struct assignment assignment = {
        .transaction = TRANSACTION_NONE,
        .request = request,
        .patience = QUICK,
        .device = device,
        .recovery.running = true,
    };
    int rc = begin(&assignment, host, error);

    if (rc == 0)
        return error_set(error, -EOPNOTSUPP,
                         "vgpu.conf says enabled = false: no guest gets a vGPU here");
    if (rc < 0)
        return rc;
    assignment.transaction.daemon = (struct process){0};
    demands_keep_only(&assignment.snapshot.demands, device);
    if (assignment.snapshot.demands.count == 0)
        return error_set(error, -EINVAL, "the domain asks for no vGPU %s", device->text);
    rc = assign(&assignment, error);
    if (rc == 0)
        rc = handover->run(handover->data, error);
    if (rc < 0) {
        undo(&assignment);
        return rc;
    }
    log_lease(host, "attach", &assignment.plan.steps[0].lease, "ok");
    /* The guest has it by now, whatever the ledger says. */
    rc = hold(&assignment, error);
    if (rc == 0)
        marks_leave(host, MARK_RAN, &request->domain, assignment.transaction.statedir.claim + 1,
                    "attach");
    if (rc < 0)
        error_wrap(error, "the guest has %s, and the ledger does not say so yet", device->text);
    return rc;
}
