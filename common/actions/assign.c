/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/assign.h"
#include "actions/adopt.h"
#include "actions/assignment.h"
#include "actions/making.h"
#include "actions/passthrough.h"
#include "actions/release.h"
#include "base/shell-word.h"
#include "domain/status-files.h"
#include "lease/daemon.h"
#include "lease/log.h"
#include "lease/marks.h"
#include "lease/saved-type.h"
#include "placement/feasibility.h"

#include <string.h>

#define BOOT_PAUSE 500 /* ms between two looks for a GPU that may still come up */

/* Finds the daemon that owes the release of the leases. If the domain runs, its other leases name
 * the daemon. If it has no others, the new lease names no daemon, and only the guest's status file
 * protects it. The daemon's next start (reconnect) records the daemon then. */
static int
find_daemon(struct assignment *assignment, const struct ledger *ledger, struct error *error)
{
    struct transaction *transaction = &assignment->transaction;

    if (!assignment->device)
        return assignment_check_daemon(transaction, error);
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        if (name_equal(&lease->domain, &assignment->request->domain) &&
            lease->state == LEASE_HELD && process_alive(transaction->host, lease->daemon))
            transaction->daemon = lease->daemon;
    }
    return 0;
}

/* All vGPUs are made. Makes their leases held, if the daemon that will give them back still
 * lives. */
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

        /* The ledger was moved away meanwhile. It gets the lease again, because we still have the
         * claim. */
        if (!lease) {
            ledger_add(&ledger, &assignment->plan.steps[i].lease);
            lease = &ledger.leases[ledger.count - 1];
        }
        if (lease->claim != transaction->statedir.claim || lease->state != LEASE_PENDING) {
            transaction_abort(transaction);
            return transaction_lost(&assignment->plan.steps[i].lease.vgpu.device, error);
        }
        if (marks_say_ended(&ledger, transaction->host, lease)) {
            transaction_abort(transaction);
            return error_set(error, -ESRCH, "the guest has ended while its vGPUs were being made");
        }
        lease->state = LEASE_HELD;
        lease->daemon = transaction->daemon;
        lease->time = host_seconds(transaction->host);
    }
    return transaction_commit(transaction, &ledger, error);
}

/* Waits a moment for a GPU that may still come up. That time is not taken from prepare_timeout.
 * False: it is too late. */
static bool
wait_for_boot(struct assignment *assignment)
{
    struct transaction *transaction = &assignment->transaction;
    const struct policy *policy = &assignment->snapshot.policy;
    unsigned pause = BOOT_PAUSE;

    if (!deadline_pause(deadline_in(transaction->host, assignment->boot_wait_left), &pause))
        return false;
    transaction->deadline = deadline_in(transaction->host, policy->prepare_timeout);
    transaction->lock_timeout = policy->lock_timeout;
    return true;
}

/* The result of a step: the next step, at once or after a pause, or the end. */
enum result {
    RESULT_NEXT,
    RESULT_PAUSE,
    RESULT_END, /* assignment.rc says how */
};

static enum result
end(struct assignment *assignment, int rc)
{
    assignment->rc = rc;
    return RESULT_END;
}

static enum result
remove_claimed(struct assignment *assignment, enum start_step step, struct error *error)
{
    struct transaction *transaction = &assignment->transaction;
    struct recovery *recovery = &assignment->recovery;

    recovery_remove(recovery, transaction,
                    step == START_REMOVE_OWN ? OCCASION_START : OCCASION_ROOM,
                    assignment->snapshot.policy.release_timeout);
    if (deadline_left(transaction->deadline) > 0)
        return RESULT_NEXT;
    if (recovery->unremovable.count) {
        *error = recovery->failure;
        return end(assignment, -EBUSY);
    }
    return end(assignment, error_set(error, -ETIMEDOUT,
                                     "removing what was in the way took all of "
                                     "prepare_timeout; start the guest again"));
}

static enum result
make(struct assignment *assignment, struct error *error)
{
    switch (making_carry_out(assignment, error)) {
    case MAKING_DONE:
        assignment->done |= START_MADE;
        return RESULT_NEXT;
    case MAKING_AGAIN:
        assignment->rc = -ETIMEDOUT;
        return RESULT_PAUSE;
    default:
        return RESULT_END;
    }
}

/* Whatever becomes of the ledger, the guest has the device by then: nothing is undone any more. */
static enum result
hand_over(struct assignment *assignment, struct error *error)
{
    int rc = assignment->handover->run(assignment->handover->data, error);

    if (rc < 0)
        return end(assignment, rc);
    assignment->done |= START_HANDED_OVER;
    return RESULT_NEXT;
}

static enum result
record(struct assignment *assignment, struct error *error)
{
    int rc = hold(assignment, error);

    if (rc < 0)
        return end(assignment, rc);
    assignment->done |= START_HELD;
    return RESULT_NEXT;
}

static enum result
carry_out(struct assignment *assignment, enum start_step step, struct error *error)
{
    bool has_time = deadline_left(assignment->transaction.deadline) > 0;

    switch (step) {
    case START_LOOK:
    case START_LOOK_AT_OTHERS:
    case START_LOOK_PATIENTLY:
        return has_time ? RESULT_NEXT : RESULT_END;
    case START_PAUSE:
        return RESULT_PAUSE;
    case START_WAIT_FOR_BOOT:
        return wait_for_boot(assignment) ? RESULT_NEXT : RESULT_END;
    case START_REMOVE_OWN:
    case START_REMOVE_OTHERS:
        return remove_claimed(assignment, step, error);
    case START_MAKE:
        return make(assignment, error);
    case START_HAND_OVER:
        return hand_over(assignment, error);
    case START_HOLD:
        return record(assignment, error);
    case START_DONE:
        return end(assignment, 0);
    default:
        return RESULT_END;
    }
}

/* One step after another, until all is done or nothing more can be. */
static int
assign(struct assignment *assignment, struct error *error)
{
    unsigned pause = 1;
    enum result result;

    do {
        bool is_made = assignment->done & START_MADE;
        enum start_step step =
            is_made ? start_next(assignment->done) : assignment_decide(assignment, error);

        result = carry_out(assignment, step, error);
        if (result == RESULT_PAUSE && !deadline_pause(assignment->transaction.deadline, &pause))
            result = RESULT_END;
    } while (result != RESULT_END);
    return assignment->rc;
}

/* All or none: gives back what this call has claimed, as a release does. */
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

/* A demand without room now may never have room. Counters and exit statuses tell the difference.
 * The difference is judged at the end, because no step of a start depends on it. By then the lock
 * is given back, so what the decision took does not count. */
static void
classify(struct assignment *assignment, struct error *error)
{
    const struct placement_problem problem = assignment_problem(assignment);
    struct error ignored;

    assignment->effort = 0;
    if (feasibility_of(&problem, false, &ignored) == FEASIBILITY_NO)
        error->class = ERROR_NEVER;
}

/* Reads what is asked for, and opens the transaction. 1: there is something to do. */
static int
begin(struct assignment *assignment, const struct host *host, struct error *error)
{
    const struct policy *policy = &assignment->snapshot.policy;
    struct transaction *transaction = &assignment->transaction;
    int rc = snapshot_read(&assignment->snapshot, host, assignment->request, "prepare", error);

    if (rc <= 0)
        return rc;
    if (!assignment->device && saved_type_end_restore(host, &assignment->request->domain))
        snapshot_bind_to_saved(&assignment->snapshot, host, assignment->request);
    rc = transaction_open(host, true, transaction, error);
    if (rc < 0)
        return rc;
    transaction->daemon = daemon_find(host);
    transaction->lock_timeout = policy->lock_timeout;
    transaction->deadline = deadline_in(host, policy->prepare_timeout);
    return 1;
}

/* Whether the domain had the device of a lease, and its XML names the device still. Nothing was
 * made yet for a reservation. */
static bool
is_own(const struct request *request, const struct lease *lease)
{
    return lease->state != LEASE_RESERVED && name_equal(&lease->domain, &request->domain) &&
           status_files_has(request, &lease->vgpu.device);
}

/* Without the lock: the devices of such leases. A device that somebody else made anew does not
 * count. */
static void
find_own(const struct host *host, const struct request *request, struct names *ret)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error ignored;

    if (statedir_peek(host, &ledger, &ignored) < 0)
        return;
    for (size_t i = 0; i < ledger.count; i++) {
        const struct lease *lease = &ledger.leases[i];

        if (is_own(request, lease) && !vgpu_is_wrong(host, &lease->vgpu))
            names_append(ret, &lease->vgpu.device);
    }
}

/* Makes held what find_own has found, unless a process is at work on it. */
static int
hold_own(struct transaction *transaction, const struct request *request, const struct names *own,
         struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    int rc = transaction_begin(transaction, &ledger, error);

    if (rc < 0)
        return rc;
    rc = assignment_check_daemon(transaction, error);
    if (rc < 0) {
        transaction_abort(transaction);
        return rc;
    }
    for (size_t i = 0; i < ledger.count; i++) {
        struct lease *lease = &ledger.leases[i];

        if (names_has(own, &lease->vgpu.device) && is_own(request, lease) &&
            !statedir_is_claimed(&transaction->statedir, lease))
            adopt_lease(transaction, &ledger, lease);
    }
    return transaction_commit(transaction, &ledger, error);
}

/* The domain gets nothing from us. It may start with a device that it had, because its XML names
 * the device still. The domain does not ask us, so a failure does not stop it. */
static void
keep_own(const struct host *host, const struct request *request, unsigned lock_timeout)
{
    AUTO(transaction_close) struct transaction transaction = TRANSACTION_NONE;
    AUTO(names_clear) struct names own = {0};
    struct error error;
    int rc;

    if (request_concerns_us(request))
        find_own(host, request, &own);
    if (own.count == 0)
        return;
    rc = transaction_open(host, false, &transaction, &error);
    if (rc == 0) {
        transaction.daemon = daemon_find(host);
        transaction.lock_timeout = lock_timeout;
        rc = hold_own(&transaction, request, &own, &error);
    }
    if (rc < 0)
        log_failure(host, "prepare", request->name, &error);
}

int
assign_domain(const struct host *host, const struct request *request, struct error *error)
{
    AUTO(assignment_clear)
    struct assignment assignment = {
        .transaction = TRANSACTION_NONE,
        .request = request,
        .patience = ASSIGNMENT_QUICK,
    };
    unsigned waited, left;
    int rc = passthrough_take(host, request, &waited, error);

    if (rc == 0)
        rc = begin(&assignment, host, error);
    left = assignment.snapshot.policy.lock_timeout;
    left -= waited < left ? waited : left;
    if (rc == 0)
        keep_own(host, request, left);
    assignment.transaction.lock_timeout = left;
    if (rc > 0) {
        rc = assign(&assignment, error);
        if (rc < 0)
            undo(&assignment);
        if (rc == REFUSED && error->class == ERROR_NO_ROOM)
            classify(&assignment, error);
        if (rc == REFUSED)
            demands_tell_saved(&assignment.snapshot.demands, error);
        if (rc == REFUSED && (error->class == ERROR_NO_ROOM || error->class == ERROR_NEVER))
            error_advise_command(error, "see", "vgpuctl explain %s",
                                 shell_word(request->name).text);
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
        .patience = ASSIGNMENT_QUICK,
        .device = device,
        .handover = handover,
        .recovery.running = true,
        .done = START_RUNNING,
    };
    struct error failure;
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
    if (assignment.done & START_HANDED_OVER)
        log_lease(host, "attach", &assignment.plan.steps[0].lease, "ok");
    else
        undo(&assignment);
    if (rc == 0 && marks_leave(host, MARK_RAN, &request->domain,
                               assignment.transaction.statedir.claim + 1, &failure) < 0)
        log_failure(host, "attach", request->name, &failure);
    if (rc == 0 || !(assignment.done & START_HANDED_OVER))
        return rc;
    if (rc == -ESRCH)
        return error_set(error, rc,
                         "%s was given, and its guest has ended; 'vgpuctl reconcile' removes it",
                         device->text);
    error_wrap(error, "the guest has %s, and the ledger does not say so yet", device->text);
    return rc;
}
