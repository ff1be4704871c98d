/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "leftovers.h"
#include "apply.h"
#include "log.h"

void
leftovers_clear(struct leftovers *leftovers)
{
    ledger_clear(&leftovers->todo);
    names_clear(&leftovers->stubborn);
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
        if (name_equal(&demands->items[i].hostdev->uuid, device))
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

/* 1: the lease is to be forgotten. */
static int
claim_own(struct leftovers *leftovers, struct job *job, const struct demand *demand,
          const struct inventory *inventory, struct ledger *ledger, struct lease *lease,
          struct error *error)
{
    struct name type;
    enum vgpu_look look = vgpu_look(job->host, &lease->vgpu, &type);

    if (!job_may_act(job, lease))
        return -EAGAIN;
    if (look == VGPU_GONE)
        return 1;
    if (look == VGPU_WHOLE && is_wanted(demand, lease, inventory))
        return 0;
    if (lease->origin == LEASE_FOUND)
        return 1;
    if (is_stubborn(leftovers, &lease->vgpu.device))
        return demand ? error_set(error, -EBUSY, "%s", leftovers->problem.text) : 0;
    if (look == VGPU_PARTIAL && demand)
        return -EAGAIN;
    return claim(leftovers, job, ledger, lease, error);
}

int
leftovers_claim_own(struct leftovers *leftovers, struct job *job, const struct name *domain,
                    const struct demands *demands, const struct inventory *inventory,
                    struct ledger *ledger, struct error *error)
{
    for (size_t i = 0; i < ledger->count;) {
        struct lease *lease = &ledger->leases[i];
        int rc = 0;

        if (name_equal(&lease->domain, domain))
            rc = claim_own(leftovers, job, find_demand(demands, &lease->vgpu.device), inventory,
                           ledger, lease, error);
        if (rc < 0)
            return rc;
        if (rc > 0)
            ledger_remove(ledger, lease);
        else
            i++;
    }
    return 0;
}

static bool
is_abandoned(const struct job *job, const struct lease *lease)
{
    switch (lease->state) {
    case LEASE_KEPT:
    case LEASE_LEAVING:
    case LEASE_REMOVING:
        return job_may_act(job, lease);
    case LEASE_PENDING:
        return job_may_act(job, lease) && !process_alive(job->host, lease->daemon);
    default:
        return false;
    }
}

/* Forgets what is gone: more room than was counted. */
static bool
forget_gone(struct job *job, const struct name *domain, struct ledger *ledger)
{
    bool changed = false;

    for (size_t i = 0; i < ledger->count;) {
        struct lease *lease = &ledger->leases[i];
        struct name type;

        if (name_equal(&lease->domain, domain) || !is_abandoned(job, lease) ||
            (lease->origin == LEASE_MADE &&
             vgpu_look(job->host, &lease->vgpu, &type) != VGPU_GONE)) {
            i++;
            continue;
        }
        ledger_remove(ledger, lease);
        changed = true;
    }
    return changed;
}

int
leftovers_claim_others(struct leftovers *leftovers, struct job *job,
                       const struct placement_question *question, struct ledger *ledger,
                       bool *changed, struct error *error)
{
    const struct name *domain = &question->request->domain;
    AUTO_FREE bool *may_reap = NULL;
    size_t index;

    *changed = forget_gone(job, domain, ledger);
    if (*changed)
        return 0;
    may_reap = calloc(ledger->count + 1, sizeof(*may_reap));
    if (!may_reap)
        return error_set(error, -ENOMEM, "no memory for the leases");
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        /* The domain's own: one under a demanded UUID may be where the rules forbid it by now. */
        may_reap[i] = (name_equal(&lease->domain, domain)
                           ? lease->origin == LEASE_MADE && job_may_act(job, lease)
                           : is_abandoned(job, lease)) &&
                      !is_stubborn(leftovers, &lease->vgpu.device);
    }
    index = placement_reap(question, may_reap);
    if (index == SIZE_MAX)
        return 0;
    *changed = true;
    return claim(leftovers, job, ledger, &ledger->leases[index], error);
}

void
leftovers_remove(struct leftovers *leftovers, struct job *job, struct deadline deadline)
{
    for (size_t i = 0; i < leftovers->todo.count; i++) {
        const struct lease *lease = &leftovers->todo.leases[i];
        struct deadline patience =
            deadline_in(deadline_left(deadline) / (unsigned)(leftovers->todo.count - i));
        struct error problem;

        if (apply_remove(job, lease, patience, deadline, &problem) == 0) {
            log_lease("mend", lease, "removed");
            continue;
        }
        leftovers->problem = problem;
        log_problem("mend", lease->domain_name, &problem);
        if (names_add(&leftovers->stubborn, lease->vgpu.device.text) < 0)
            break;
    }
    ledger_clear(&leftovers->todo);
}
