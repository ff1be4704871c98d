/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "apply/recovery.h"
#include "apply/apply.h"
#include "lease/fate.h"
#include "lease/log.h"

#include <stdio.h>

void
leftovers_clear(struct leftovers *leftovers)
{
    ledger_clear(&leftovers->todo);
    ledger_clear(&leftovers->vacated);
    names_clear(&leftovers->stubborn);
}

int
leftovers_add_going(const struct host *host, const struct ledger *ledger,
                    struct inventory *inventory)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];
        struct name type;

        if ((lease->state == LEASE_LEAVING || lease->state == LEASE_REMOVING) &&
            !inventory_find_vgpu(inventory, &lease->vgpu.device) &&
            vgpu_look(host, &lease->vgpu, &type) == VGPU_PARTIAL)
            rc = inventory_add_going(inventory, &lease->vgpu.device, &lease->vgpu.parent);
    }
    return rc;
}

static bool
is_stubborn(const struct leftovers *leftovers, const struct name *device)
{
    for (size_t i = 0; i < leftovers->stubborn.count; i++) {
        if (name_equal(&leftovers->stubborn.items[i], device))
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
claim(struct leftovers *leftovers, struct job *job, struct ledger *ledger, struct lease *lease,
      struct error *error)
{
    int rc = job_claim_removal(job, ledger, lease, error);

    if (rc == 0 && (rc = ledger_add(&leftovers->todo, lease)) < 0)
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

enum leftovers_own
leftovers_judge_own(const struct job *job, const struct demands *demands,
                    const struct inventory *inventory, const struct lease *lease)
{
    const struct demand *demand = find_demand(demands, &lease->vgpu.device);
    struct name type;
    enum vgpu_look look = vgpu_look(job->host, &lease->vgpu, &type);

    if (!job_may_act(job, lease))
        return LEFTOVERS_BUSY;
    if (look == VGPU_GONE && has_just_gone(inventory, lease))
        return LEFTOVERS_BUSY;
    /* A promise, which this start is to keep: nothing was made for it. */
    if (look == VGPU_GONE || lease->state == LEASE_RESERVED)
        return LEFTOVERS_FORGET;
    if (look == VGPU_WHOLE && is_wanted(demand, lease, inventory))
        return LEFTOVERS_STAY;
    if (lease->origin == LEASE_FOUND)
        return LEFTOVERS_FORGET;
    return look == VGPU_PARTIAL && demand ? LEFTOVERS_GOING : LEFTOVERS_REMOVE;
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
claim_own(struct leftovers *leftovers, struct job *job, const struct demands *demands,
          const struct inventory *inventory, struct ledger *ledger, struct lease *lease,
          struct error *error)
{
    enum leftovers_own judgement = leftovers_judge_own(job, demands, inventory, lease);

    if (judgement == LEFTOVERS_STAY || judgement == LEFTOVERS_FORGET)
        return judgement == LEFTOVERS_FORGET;
    if (judgement == LEFTOVERS_BUSY)
        return still_at_work(lease, error);
    if (is_stubborn(leftovers, &lease->vgpu.device))
        return find_demand(demands, &lease->vgpu.device)
                   ? error_set(error, -EBUSY, "%s", leftovers->problem.text)
                   : 0;
    if (judgement == LEFTOVERS_GOING)
        return still_at_work(lease, error);
    return claim(leftovers, job, ledger, lease, error);
}

int
leftovers_claim_own(struct leftovers *leftovers, struct job *job, const struct name *domain,
                    const struct demands *demands, const struct inventory *inventory,
                    struct ledger *ledger, struct error *error)
{
    for (size_t i = 0; i < ledger->count;) {
        struct lease *lease = &ledger->leases[i];
        const struct demand *demand = find_demand(demands, &lease->vgpu.device);
        int rc = 0;

        if (name_equal(&lease->domain, domain) && (demand || !leftovers->running))
            rc = claim_own(leftovers, job, demands, inventory, ledger, lease, error);
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
is_abandoned(const struct job *job, const struct guests *guests, const struct lease *lease)
{
    const char *why;

    if (lease->state == LEASE_KEPT)
        return job_may_act(job, lease);
    return judge_lease(job, guests, lease, &why) != JUDGEMENT_LEAVE;
}

bool
leftovers_may_reap(const struct job *job, const struct guests *guests, const struct name *domain,
                   const struct lease *lease)
{
    /* The domain's own: one under a demanded UUID may be where the rules forbid it by now. */
    if (name_equal(&lease->domain, domain))
        return lease->origin == LEASE_MADE && job_may_act(job, lease);
    return is_abandoned(job, guests, lease);
}

bool
leftovers_is_gone(const struct job *job, const struct guests *guests, const struct lease *lease)
{
    const char *why;

    return judge_lease(job, guests, lease, &why) == JUDGEMENT_FORGET;
}

/* More room than was counted. */
bool
leftovers_forget_gone(const struct job *job, const struct guests *guests, const struct name *domain,
                      struct ledger *ledger)
{
    bool changed = false;

    for (size_t i = 0; i < ledger->count;) {
        struct lease *lease = &ledger->leases[i];

        if (name_equal(&lease->domain, domain) || !leftovers_is_gone(job, guests, lease)) {
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
leftovers_read_guests(const struct job *job, const struct ledger *ledger, struct guests *ret)
{
    bool needed = false;
    struct error problem;

    *ret = (struct guests){0};
    for (size_t i = 0; i < ledger->count && !needed; i++)
        needed = judge_needs_guests(job, &ledger->leases[i]);
    if (needed && guests_read(job->host, ret, &problem) < 0)
        ret->complete = false;
}

/* A place that was another's, claimed for a demand; a virtual function is what the demand names. */
static struct lease
lease_of_place(const struct job *job, const struct placement_question *question,
               const struct demand *demand, const struct lease *vacated)
{
    struct lease place = *vacated;

    place.vgpu.device = demand->hostdev->source;
    if (demand_place(demand))
        place.vgpu.parent = *demand_place(demand);
    place.domain = question->request->domain;
    snprintf(place.domain_name, sizeof(place.domain_name), "%s", question->request->name);
    place.alias[0] = '\0';
    place.state = LEASE_PENDING;
    place.origin = LEASE_MADE;
    place.daemon = job->daemon;
    place.claim = job->statedir.claim;
    place.release = LEASE_REAP;
    place.time = statedir_time();
    return place;
}

/*
 * The places that this call has others' devices removed from stay its own until it has planned:
 * claims of the domain's, under its demands' devices, which its next look forgets and plans anew.
 */
static int
hold_places(const struct leftovers *leftovers, const struct job *job,
            const struct placement_question *question, struct ledger *ledger)
{
    const struct demands *demands = question->demands;
    int rc = 0;

    for (size_t i = 0, k = 0; rc == 0 && i < leftovers->vacated.count && k < demands->count; k++) {
        struct lease place;

        /* What is there without a lease is somebody else's: it must not become ours by one. */
        if (ledger_find(ledger, &demands->items[k].hostdev->source) ||
            inventory_find_vgpu(question->inventory, &demands->items[k].hostdev->source))
            continue;
        place = lease_of_place(job, question, &demands->items[k], &leftovers->vacated.leases[i]);
        rc = ledger_add(ledger, &place);
        i++;
    }
    return rc;
}

int
leftovers_claim_others(struct leftovers *leftovers, struct job *job,
                       const struct placement_question *question, struct ledger *ledger,
                       bool *changed, struct error *error)
{
    const struct name *domain = &question->request->domain;
    AUTO(guests_clear) struct guests guests = {0};
    AUTO_FREE bool *may_reap = NULL;
    size_t index;
    int rc;

    leftovers_read_guests(job, ledger, &guests);
    *changed = leftovers_forget_gone(job, &guests, domain, ledger);
    if (*changed)
        return 0;
    may_reap = calloc(ledger->count + 1, sizeof(*may_reap));
    if (!may_reap)
        return error_set(error, -ENOMEM, "no memory for the leases");
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        may_reap[i] = (leftovers->running ? is_abandoned(job, &guests, lease)
                                          : leftovers_may_reap(job, &guests, domain, lease)) &&
                      !is_stubborn(leftovers, &lease->vgpu.device);
    }
    index = placement_reap(question, may_reap);
    if (index == SIZE_MAX)
        return 0;
    *changed = true;
    rc = ledger_add(&leftovers->vacated, &ledger->leases[index]);
    if (rc == 0)
        rc = claim(leftovers, job, ledger, &ledger->leases[index], error);
    if (rc == 0)
        rc = hold_places(leftovers, job, question, ledger);
    return rc == -ENOMEM ? error_set(error, rc, "no memory for the leases") : rc;
}

void
leftovers_remove(struct leftovers *leftovers, struct job *job, const struct demands *needed,
                 unsigned patience_for_others)
{
    struct deadline others = deadline_earlier(job->deadline, deadline_in(patience_for_others));

    for (size_t i = 0; i < leftovers->todo.count; i++) {
        const struct lease *lease = &leftovers->todo.leases[i];
        struct deadline deadline =
            find_demand(needed, &lease->vgpu.device) ? job->deadline : others;
        struct deadline patience =
            deadline_in(deadline_left(deadline) / (unsigned)(leftovers->todo.count - i));
        struct error problem;

        if (apply_remove(job, lease, patience, deadline, &problem) == 0) {
            log_lease("mend", lease, "removed");
            continue;
        }
        leftovers->problem = problem;
        log_problem("mend", lease->domain_name, &problem);
        /* This call may go on for long, and its owner may want to start. */
        if (job_hand_back(job, &lease->vgpu.device, &problem) < 0)
            log_problem("mend", lease->domain_name, &problem);
        if (names_add(&leftovers->stubborn, lease->vgpu.device.text) < 0)
            break;
    }
    ledger_clear(&leftovers->todo);
}
