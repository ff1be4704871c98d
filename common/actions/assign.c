/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/assign.h"
#include "actions/release.h"
#include "apply/apply.h"
#include "apply/recovery.h"
#include "base/array.h"
#include "device/scan.h"
#include "device/type-cache.h"
#include "lease/log.h"
#include "placement/boot-wait.h"
#include "placement/ineligible.h"
#include "placement/max-instances.h"
#include "placement/plan.h"
#include "placement/resolution.h"

#include <string.h>

#define BOOT_PAUSE    500  /* ms between two looks for a GPU that may still come up */
#define LONGEST_GOING 3000 /* ms that a UUID may stay taken after its device went */
#define ASK_AGAIN     3 /* times that a driver which still offers a place is asked for it again, */
#define ASK_PAUSE     500 /* after so many ms: one that has only just come up refuses at first */

struct assignment {
    struct job job;
    const struct request *request;
    const struct name *device; /* the only one, of a running domain; NULL: all of a starting one */
    struct intent intent;
    struct leftovers leftovers;
    struct placement_refusal *refusals;
    size_t refusal_count;
    unsigned asked_again;
    struct plan plan;
    struct names ours;       /* vGPUs that this call has made, or taken back */
    unsigned boot_left;      /* ms that a GPU which is not there yet is worth waiting for */
    struct deadline gone_by; /* when a device that is being removed must be gone */
};

/* What one look under the lock came to. */
enum look {
    LOOK_PLANNED, /* the plan is in the ledger, to be carried out */
    LOOK_REMOVE,  /* another's leftover is claimed, to be removed before the next look */
    LOOK_REMOVE_OWN,
    LOOK_WAIT, /* somebody is at work on the domain's leases */
};

static void
assignment_clear(struct assignment *assignment)
{
    plan_clear(&assignment->plan);
    names_clear(&assignment->ours);
    free(assignment->refusals);
    leftovers_clear(&assignment->leftovers);
    intent_clear(&assignment->intent);
    job_end(&assignment->job);
}

/* Places the demands and enters them into the ledger, pending. */
static int
plan(struct assignment *assignment, const struct placement_question *question,
     struct ledger *ledger, struct error *error)
{
    struct job *job = &assignment->job;
    AUTO_FREE struct placement_choice *choices = calloc(question->demands->count, sizeof(*choices));
    struct plan_actor actor;
    int rc;

    if (!choices)
        return error_set(error, -ENOMEM, "no memory for the placement");
    rc = placement_find(question, choices, error);
    if (rc == 0)
        rc = statedir_claim(&job->statedir, ledger, error);
    if (rc < 0)
        return rc;
    actor = (struct plan_actor){job->daemon, job->statedir.claim, statedir_time()};
    plan_clear(&assignment->plan);
    rc = plan_build(question, choices, &actor, &assignment->plan);
    for (size_t i = 0; rc == 0 && i < assignment->plan.count; i++) {
        const struct lease *lease = &assignment->plan.steps[i].lease;
        struct lease *known = ledger_find(ledger, &lease->vgpu.device);

        if (assignment->plan.steps[i].way == PLACEMENT_TAKE)
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

/* A plan; or when there is no room, what others left behind and that stands in the way. */
static int
plan_or_reap(struct assignment *assignment, struct ledger *ledger,
             const struct inventory *inventory, bool *changed, struct error *error)
{
    const struct placement_question question = {
        .request = assignment->request,
        .demands = &assignment->intent.demands,
        .policy = &assignment->intent.policy,
        .inventory = inventory,
        .ledger = ledger,
        .refusals = assignment->refusals,
        .refusal_count = assignment->refusal_count,
        .running = assignment->device,
    };
    struct leftovers *leftovers = &assignment->leftovers;
    struct error refusal;
    int rc = plan(assignment, &question, ledger, error), claimed;

    if (rc != -ENOSPC && rc != -EEXIST)
        return rc < 0 ? rc : LOOK_PLANNED;
    refusal = *error;
    claimed =
        leftovers_claim_others(leftovers, &assignment->job, &question, ledger, changed, error);
    if (claimed < 0)
        return claimed;
    if (*changed)
        return LOOK_REMOVE;
    *error = refusal;
    if (leftovers->stubborn.count)
        error_add(error, "%s", leftovers->problem.text);
    return rc;
}

/* Places that an earlier look of this call has claimed, and where somebody else was faster: a
 * function is called the same whoever gives it its type. */
static void
disown(const struct assignment *assignment, const struct inventory *inventory,
       struct ledger *ledger)
{
    const uint64_t claim = assignment->job.statedir.claim;

    for (size_t i = 0; claim && i < ledger->count; i++) {
        struct lease *lease = &ledger->leases[i];

        if (lease->claim == claim && lease->state == LEASE_PENDING &&
            inventory_find_vgpu(inventory, &lease->vgpu.device) &&
            !names_has(&assignment->ours, &lease->vgpu.device))
            lease->origin = LEASE_FOUND;
    }
}

/* With the lock held: what is to be done next; the ledger says so already, if *changed. */
static int
decide(struct assignment *assignment, struct ledger *ledger, bool *changed, struct error *error)
{
    AUTO(inventory_clear) struct inventory inventory = {0};
    int rc = scan_host(assignment->job.host, &assignment->intent.filter, &inventory, error);

    ledger_clear(&assignment->leftovers.todo);
    *changed = true;
    if (rc == 0 &&
        (leftovers_add_going(assignment->job.host, ledger, &inventory) < 0 ||
         stranger_add_all(assignment->job.host, &assignment->intent.demands, &inventory) < 0))
        rc = error_set(error, -ENOMEM, "no memory for the GPUs");
    if (rc == 0) {
        ceiling_apply(&assignment->intent.policy, &inventory);
        catalogue_keep(assignment->job.host, assignment->job.statedir.dir, &inventory);
    }
    disown(assignment, &inventory, ledger);
    if (rc == 0)
        rc = leftovers_claim_own(&assignment->leftovers, &assignment->job,
                                 &assignment->request->domain, &assignment->intent.demands,
                                 &inventory, ledger, error);
    if (rc == -EAGAIN) {
        *changed = false;
        return LOOK_WAIT;
    }
    if (rc < 0)
        return rc;
    if (assignment->leftovers.todo.count)
        return LOOK_REMOVE_OWN;
    rc = plan_or_reap(assignment, ledger, &inventory, changed, error);
    if (rc == -ENOSPC || rc == -ENOENT)
        assignment->boot_left =
            boot_left(assignment->job.host, &assignment->intent.policy, &inventory);
    return rc;
}

/* A restart of the daemon leaves its hooks running, and starts the guest anew, perhaps: nothing of
 * that is ours, and nobody would give back what we make. */
static int
check_daemon(const struct job *job, struct error *error)
{
    if (job->daemon.pid && process_same(process_parent(job->host), job->daemon))
        return 0;
    return error_set(error, -ESRCH, "libvirt's daemon ended while the vGPUs were being made");
}

static int
look(struct assignment *assignment, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct job *job = &assignment->job;
    bool changed = false;
    int rc = job_look(job, &ledger, error), recorded;

    if (rc < 0)
        return rc;
    if (!assignment->device)
        rc = check_daemon(job, error);
    if (rc == 0)
        rc = decide(assignment, &ledger, &changed, error);
    if (rc < 0 || !changed) {
        job_leave(job);
        return rc;
    }
    recorded = job_record(job, &ledger, error);
    return recorded < 0 ? recorded : rc;
}

/* Where the XML leaves no choice. NVIDIA's driver has the one error for all its reasons, and the
 * next look tells by its list whether it means it. */
static bool
may_ask_again(struct assignment *assignment, size_t index, int why)
{
    unsigned pause = ASK_PAUSE;

    return demand_place(&assignment->intent.demands.items[index]) && why == -EIO &&
           assignment->asked_again++ < ASK_AGAIN &&
           deadline_pause(assignment->job.deadline, &pause);
}

/* The kernel said no: remember it, so that the next look tries elsewhere. -EAGAIN to look again. */
static int
refused(struct assignment *assignment, size_t index, int why, struct error *error)
{
    const struct lease *lease = &assignment->plan.steps[index].lease;
    const struct placement_refusal refusal = {lease->vgpu.parent, lease->vgpu.type, why};
    int rc = job_forget(&assignment->job, &lease->vgpu.device, error);

    if (rc < 0)
        return rc;
    /* The UUID was taken meanwhile, or its last device is not quite gone: no fault of the GPU. */
    if (why == -EEXIST && deadline_left(assignment->gone_by) > 0)
        return error_set(error, -EAGAIN, "the vGPU %s is not quite gone; start the guest again",
                         lease->vgpu.device.text);
    log_lease("prepare", lease, strerror(-why));
    if (may_ask_again(assignment, index, why))
        return error_set(error, -EAGAIN, "the kernel refuses a vGPU of type %s on %s (%s)",
                         lease->vgpu.type.text, lease->vgpu.parent.text, strerror(-why));
    if (why == -EEXIST)
        return error_set(error, why,
                         "the kernel has a device %s already, and does not show it: it is still "
                         "being removed, perhaps while a process has it open; try again, or give "
                         "this guest another UUID",
                         lease->vgpu.device.text);
    rc = ARRAY_ADD(assignment->refusals, assignment->refusal_count, refusal);
    if (rc < 0)
        return error_set(error, rc, "no memory for a refusal");
    return error_set(error, -EAGAIN,
                     "the kernel refuses a vGPU of type %s on %s (%s), and took all of "
                     "prepare_timeout for that",
                     lease->vgpu.type.text, lease->vgpu.parent.text, strerror(-why));
}

/* What is taken back must be closed, or QEMU would fail with a riddle. */
static int
take(struct assignment *assignment, const struct lease *lease, struct error *error)
{
    int rc = apply_check_unused(&assignment->job, lease, error);

    if (rc == -ENODEV)
        return error_set(error, -EAGAIN, "the vGPU %s went away; start the guest again",
                         lease->vgpu.device.text);
    return rc;
}

/* One that is taken back has the parameters of its last run; and a virtual function may have those
 * of whoever had it before. */
static bool
must_configure(const struct plan_step *step)
{
    if (step->way == PLACEMENT_MAKE)
        return *step->params || step->lease.vgpu.interface->hostdev == REQUEST_PCI;
    return step->way == PLACEMENT_TAKE;
}

/* -EAGAIN: look again, something was refused or is not as it was. */
static int
carry_out(struct assignment *assignment, struct error *error)
{
    for (size_t i = 0; i < assignment->plan.count; i++) {
        const struct plan_step *step = &assignment->plan.steps[i];
        int rc = 0;

        if (step->way == PLACEMENT_TAKE)
            rc = take(assignment, &step->lease, error);
        if (step->way == PLACEMENT_MAKE) {
            rc = apply_make(&assignment->job, &step->lease, error);
            if (rc < 0 && rc != -ETIMEDOUT && rc != -ECHILD)
                rc = refused(assignment, i, rc, error);
            else if (rc == 0 && names_add(&assignment->ours, step->lease.vgpu.device.text) < 0)
                rc = error_set(error, -ENOMEM, "no memory for the vGPUs");
        }
        if (rc == 0 && must_configure(step))
            rc = apply_configure(&assignment->job, &step->lease, step->params, error);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* Whose release the leases are owed. Of a running domain its other leases tell; if there are none,
 * its status file alone keeps the lease, until the daemon is told of at its next start. */
static int
find_daemon(struct assignment *assignment, const struct ledger *ledger, struct error *error)
{
    struct job *job = &assignment->job;

    if (!assignment->device)
        return check_daemon(job, error);
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        if (name_equal(&lease->domain, &assignment->request->domain) &&
            lease->state == LEASE_HELD && process_alive(job->host, lease->daemon))
            job->daemon = lease->daemon;
    }
    return 0;
}

/* All is made: the leases are held, if libvirt is still there to give them back one day. */
static int
hold(struct assignment *assignment, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct job *job = &assignment->job;
    int rc = job_look(job, &ledger, error);

    if (rc < 0)
        return rc;
    rc = find_daemon(assignment, &ledger, error);
    if (rc < 0) {
        job_leave(job);
        return rc;
    }
    for (size_t i = 0; i < assignment->plan.count; i++) {
        struct lease *lease = ledger_find(&ledger, &assignment->plan.steps[i].lease.vgpu.device);

        /* A ledger that was moved away meanwhile gets what was made: we still have the claim. */
        if (!lease && ledger_add(&ledger, &assignment->plan.steps[i].lease) == 0)
            lease = &ledger.leases[ledger.count - 1];
        if (!lease || lease->claim != job->statedir.claim || lease->state != LEASE_PENDING) {
            job_leave(job);
            return error_set(error, -ESTALE,
                             "the ledger was changed by somebody else meanwhile (the lease of %s)",
                             assignment->plan.steps[i].lease.vgpu.device.text);
        }
        lease->state = LEASE_HELD;
        lease->daemon = job->daemon;
        lease->time = statedir_time();
        lease->claim = 0;
    }
    return job_record(job, &ledger, error);
}

/* Looks again in a moment, if a GPU may still come up: the time that libvirt is kept waiting then
 * is not prepare_timeout's. False: all are there, or it is too late. */
static bool
wait_for_boot(struct assignment *assignment)
{
    struct job *job = &assignment->job;
    unsigned pause = BOOT_PAUSE;

    if (!assignment->boot_left || !deadline_pause(deadline_in(assignment->boot_left), &pause))
        return false;
    assignment->boot_left = 0;
    job->deadline = deadline_in(assignment->intent.policy.prepare_timeout);
    job->lock_timeout = assignment->intent.policy.lock_timeout;
    return true;
}

static int
assign(struct assignment *assignment, struct error *error)
{
    const struct demands nobodys = {0};
    struct job *job = &assignment->job;
    unsigned pause = 1;

    for (;;) {
        int rc = look(assignment, error);

        if (rc == LOOK_REMOVE || rc == LOOK_REMOVE_OWN) {
            leftovers_remove(&assignment->leftovers, job,
                             rc == LOOK_REMOVE_OWN ? &assignment->intent.demands : &nobodys,
                             assignment->intent.policy.release_timeout);
            if (deadline_left(job->deadline) > 0)
                continue;
        }
        if (rc == LOOK_PLANNED) {
            rc = carry_out(assignment, error);
            if (rc != -EAGAIN)
                return rc;
        } else if (rc < 0) {
            if (!wait_for_boot(assignment))
                return rc;
            continue;
        }
        if (deadline_pause(job->deadline, &pause))
            continue;
        if (rc == LOOK_REMOVE || rc == LOOK_REMOVE_OWN)
            return error_set(error, -ETIMEDOUT,
                             "removing what was in the way took all of prepare_timeout; start the "
                             "guest again");
        return -ETIMEDOUT;
    }
}

/* All or none: what this call has claimed goes, as at a release. */
static void
undo(struct assignment *assignment)
{
    struct job *job = &assignment->job;
    struct error problem;

    if (job->statedir.claim &&
        release_leases(job, &assignment->request->domain, assignment->device,
                       deadline_in(assignment->intent.policy.release_timeout), &problem) < 0)
        log_problem("prepare", assignment->request->name, &problem);
}

/* What is asked for, and with which means. 1: there is something to do. */
static int
begin(struct assignment *assignment, const struct host *host, struct error *error)
{
    const struct policy *policy = &assignment->intent.policy;
    struct job *job = &assignment->job;
    int rc = intent_read(&assignment->intent, host, assignment->request, "prepare", error);

    if (rc <= 0)
        return rc;
    rc = job_begin(host, true, job, error);
    if (rc < 0)
        return rc;
    job->daemon = process_parent(host);
    job->lock_timeout = policy->lock_timeout;
    job->deadline = deadline_in(policy->prepare_timeout);
    assignment->gone_by = deadline_earlier(job->deadline, deadline_in(LONGEST_GOING));
    return 1;
}

int
assign_domain(const struct host *host, const struct request *request, struct error *error)
{
    AUTO(assignment_clear)
    struct assignment assignment = {
        .job = JOB_NONE,
        .request = request,
    };
    int rc = begin(&assignment, host, error);

    if (rc > 0) {
        rc = assign(&assignment, error);
        if (rc == 0)
            rc = hold(&assignment, error);
        if (rc < 0)
            undo(&assignment);
        if (rc == -ENOSPC)
            error_add(error, "see 'vgpuctl explain %s'", request->name);
    }
    for (size_t i = 0; rc == 0 && i < assignment.plan.count; i++)
        log_lease("prepare", &assignment.plan.steps[i].lease, "ok");
    return rc;
}

int
assign_device(const struct host *host, const struct request *request, const struct name *device,
              const struct assign_handover *handover, struct error *error)
{
    AUTO(assignment_clear)
    struct assignment assignment = {
        .job = JOB_NONE,
        .request = request,
        .device = device,
        .leftovers.running = true,
    };
    int rc = begin(&assignment, host, error);

    if (rc == 0)
        return error_set(error, -EOPNOTSUPP,
                         "vgpu.conf says enabled = false: no guest gets a vGPU here");
    if (rc < 0)
        return rc;
    assignment.job.daemon = (struct process){0};
    demands_keep_only(&assignment.intent.demands, device);
    if (assignment.intent.demands.count == 0)
        return error_set(error, -EINVAL, "the domain asks for no vGPU %s", device->text);
    rc = assign(&assignment, error);
    if (rc == 0)
        rc = handover->run(handover->data, error);
    if (rc < 0) {
        undo(&assignment);
        return rc;
    }
    log_lease("attach", &assignment.plan.steps[0].lease, "ok");
    /* The guest has it by now, whatever the ledger says. */
    rc = hold(&assignment, error);
    if (rc < 0)
        error_wrap(error, "the guest has %s, and the ledger does not say so yet", device->text);
    return rc;
}
