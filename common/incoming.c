/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "incoming.h"
#include "boot.h"
#include "catalogue.h"
#include "ceiling.h"
#include "clearance.h"
#include "intent.h"
#include "leftovers.h"
#include "log.h"
#include "outlook.h"
#include "plan.h"
#include "rewrite.h"

#include <string.h>

struct arrival {
    const struct host *host;
    const struct request *request;
    struct intent intent;
    struct inventory inventory;
    struct ledger ledger;
    struct placement_choice *choices; /* per demand */
    struct rewrite_source *sources;   /* per hostdev */
};

static void
arrival_clear(struct arrival *arrival)
{
    intent_clear(&arrival->intent);
    inventory_clear(&arrival->inventory);
    ledger_clear(&arrival->ledger);
    free(arrival->choices);
    free(arrival->sources);
}

static struct placement_question
question_of(const struct arrival *arrival)
{
    return (struct placement_question){
        .request = arrival->request,
        .demands = &arrival->intent.demands,
        .policy = &arrival->intent.policy,
        .inventory = &arrival->inventory,
        .ledger = &arrival->ledger,
    };
}

/* A picture of the host, taken without the lock: prepare looks again. */
static int
look(struct arrival *arrival, struct error *error)
{
    int rc = statedir_peek(arrival->host, &arrival->ledger, error);

    if (rc == 0)
        rc = inventory_scan(arrival->host, &arrival->intent.filter, &arrival->inventory, error);
    if (rc == 0)
        ceiling_apply(&arrival->intent.policy, &arrival->inventory);
    return rc;
}

/* --- where -------------------------------------------------------------------------------------
 */

/* Whether virtual functions come into it: those must be chosen now. */
static bool
needs_choice(const struct arrival *arrival)
{
    const struct demands *demands = &arrival->intent.demands;
    bool needed = false;

    for (size_t i = 0; i < demands->count; i++)
        needed |= demands->items[i].hostdev->kind == REQUEST_PCI;
    for (size_t i = 0; i < arrival->inventory.parent_count; i++)
        needed |= arrival->inventory.parents[i].interface->hostdev == REQUEST_PCI;
    return needed;
}

/* What is there already was not made for a guest that comes from elsewhere, but for what was kept
 * for this very one. */
static bool
has_others(const struct arrival *arrival)
{
    for (size_t i = 0; i < arrival->intent.demands.count; i++) {
        const struct lease *lease =
            ledger_find(&arrival->ledger, &arrival->intent.demands.items[i].hostdev->source);

        if (arrival->choices[i].way != PLACEMENT_MAKE &&
            !(arrival->choices[i].way == PLACEMENT_TAKE && lease && lease->state == LEASE_KEPT &&
              name_equal(&lease->domain, &arrival->request->domain)))
            return true;
    }
    return false;
}

/* The nearest to what the XML says that the question has room for: 1, or 0; -ENOMEM, -E2BIG. */
static int
find_room(struct arrival *arrival, const struct placement_question *question)
{
    struct error ignored;

    for (int freedom = DEMAND_ANY_UUID; freedom <= DEMAND_ANY_KIND; freedom++) {
        int rc;

        demands_set_free(&arrival->intent.demands, (enum demand_freedom)freedom);
        rc = placement_find(question, arrival->choices, &ignored);
        if (rc == -ENOMEM || (rc == 0 && !has_others(arrival)))
            return rc < 0 ? rc : 1;
        /* Others wait for the lock: one search without an end is enough. */
        if (rc == -E2BIG)
            return rc;
    }
    return 0;
}

/* The same once all is gone that a start may take out of its way: prepare does that, but only where
 * the XML says by then. */
static int
find_clearable(struct arrival *arrival, const struct job *job, const struct guests *guests)
{
    const struct placement_question question = question_of(arrival);
    const struct ledger *ledger = &arrival->ledger;
    AUTO(clearance_clear) struct clearance clearance = {0};
    AUTO_FREE bool *gone = calloc(ledger->count + 1, sizeof(*gone));

    if (!gone)
        return -ENOMEM;
    for (size_t i = 0; i < ledger->count; i++)
        gone[i] = leftovers_may_reap(job, guests, &arrival->request->domain, &ledger->leases[i]);
    if (clearance_make(&clearance, &question, gone, CLEARANCE_LIKELY) < 0)
        return -ENOMEM;
    return find_room(arrival, &clearance.question);
}

/* A place that could ever be had. */
static int
find_any(struct arrival *arrival, struct error *error)
{
    const struct placement_question question = question_of(arrival);
    int rc = -ENOSPC;

    for (int freedom = DEMAND_ANY_UUID; freedom <= DEMAND_ANY_KIND; freedom++) {
        demands_set_free(&arrival->intent.demands, (enum demand_freedom)freedom);
        rc = outlook_find(&question, arrival->choices, error);
        if (rc == -ENOMEM || rc == 0)
            return rc;
    }
    return rc;
}

/* One that can be had now (1); else after some clearing, or another day (0). */
static int
find_places(struct arrival *arrival, const struct job *job, const struct guests *guests,
            struct error *error)
{
    const struct placement_question question = question_of(arrival);
    int rc = find_room(arrival, &question);

    if (rc == 0) {
        rc = find_clearable(arrival, job, guests);
        if (rc > 0)
            return 0;
    }
    if (rc == 0 || rc == -E2BIG)
        return find_any(arrival, error);
    return rc < 0 ? error_set(error, rc, "no memory for the placement") : rc;
}

/* An earlier try's, which this one replaces. */
static void
forget_reserved(const struct arrival *arrival, struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->count;) {
        struct lease *lease = &ledger->leases[i];

        if (lease->state == LEASE_RESERVED && name_equal(&lease->domain, &arrival->request->domain))
            ledger_remove(ledger, lease);
        else
            i++;
    }
}

/* Promises the virtual functions that were chosen. */
static int
reserve(struct arrival *arrival, struct error *error)
{
    const struct placement_question question = question_of(arrival);
    const struct plan_actor actor = {process_parent(arrival->host), 0, statedir_time()};
    AUTO(plan_clear) struct plan plan = {0};
    int rc = plan_build(&question, arrival->choices, &actor, &plan);

    for (size_t i = 0; rc == 0 && i < plan.count; i++) {
        struct lease *lease = &plan.steps[i].lease;

        lease->state = LEASE_RESERVED;
        if (lease->vgpu.interface->hostdev == REQUEST_PCI && plan.steps[i].way == PLACEMENT_MAKE &&
            !ledger_find(&arrival->ledger, &lease->vgpu.device))
            rc = ledger_add(&arrival->ledger, lease);
    }
    return rc < 0 ? error_set(error, rc, "no memory for the leases") : 0;
}

/* Under the lock. */
static int
choose_under_lock(struct arrival *arrival, struct job *job, struct error *error)
{
    AUTO(guests_clear) struct guests guests = {0};
    int rc = 0;

    inventory_clear(&arrival->inventory);
    rc = inventory_scan(arrival->host, &arrival->intent.filter, &arrival->inventory, error);
    if (rc < 0)
        return rc;
    ceiling_apply(&arrival->intent.policy, &arrival->inventory);
    catalogue_keep(arrival->host, job->statedir.dir, &arrival->inventory);
    forget_reserved(arrival, &arrival->ledger);
    leftovers_read_guests(job, &arrival->ledger, &guests);
    leftovers_forget_gone(job, &guests, &arrival->request->domain, &arrival->ledger);
    rc = find_places(arrival, job, &guests, error);
    return rc > 0 ? reserve(arrival, error) : rc;
}

static int
choose_places(struct arrival *arrival, struct error *error)
{
    const struct placement_question question = question_of(arrival);
    AUTO(job_end) struct job job = JOB_NONE;
    int rc;

    arrival->choices = calloc(arrival->intent.demands.count + 1, sizeof(*arrival->choices));
    if (!arrival->choices)
        return error_set(error, -ENOMEM, "no memory for the placement");
    if (!needs_choice(arrival))
        return outlook_find(&question, arrival->choices, error);
    rc = job_begin(arrival->host, true, &job, error);
    if (rc < 0)
        return rc;
    job.lock_timeout = arrival->intent.policy.lock_timeout;
    ledger_clear(&arrival->ledger);
    rc = job_look(&job, &arrival->ledger, error);
    if (rc < 0)
        return rc;
    rc = choose_under_lock(arrival, &job, error);
    if (rc == 0)
        return job_record(&job, &arrival->ledger, error);
    job_leave(&job);
    return rc;
}

/* --- under which name --------------------------------------------------------------------------
 */

/* Whether any parent has, or is still losing, a device of that UUID. */
static bool
is_there(const struct arrival *arrival, const struct name *uuid)
{
    const struct inventory *inventory = &arrival->inventory;
    struct vgpu found;
    struct name gpu;

    if (vgpu_find(arrival->host, uuid, &found, &gpu) == 0)
        return true;
    for (size_t i = 0; i < inventory->parent_count; i++) {
        const struct vgpu vgpu = {
            .interface = inventory->parents[i].interface,
            .device = *uuid,
            .parent = inventory->parents[i].name,
        };
        struct name type;

        if (vgpu_look(arrival->host, &vgpu, &type) != VGPU_GONE)
            return true;
    }
    return false;
}

/* Ours, left in place for this very domain's next start, and what it asks for. */
static bool
is_kept_for(const struct arrival *arrival, const struct demand *demand, const struct lease *lease)
{
    const struct inventory *inventory = &arrival->inventory;
    const struct inventory_vgpu *vgpu = inventory_find_vgpu(inventory, &lease->vgpu.device);
    const struct inventory_type *type;
    unsigned rank;

    if (!vgpu || lease->state != LEASE_KEPT)
        return false;
    type = inventory_find_type(&inventory->gpus[inventory->parents[vgpu->parent].gpu], &vgpu->type);
    return type && demand_ranks(demand, type, &rank);
}

static bool
can_keep(const struct arrival *arrival, const struct demand *demand)
{
    const struct name *uuid = &demand->hostdev->source;
    const struct lease *lease = ledger_find(&arrival->ledger, uuid);

    if (arrival->intent.policy.migrate_uuid == POLICY_NEW_UUID)
        return false;
    if (lease && !name_equal(&lease->domain, &arrival->request->domain))
        return false;
    return !is_there(arrival, uuid) || (lease && is_kept_for(arrival, demand, lease));
}

/* What one hostdev becomes. */
static int
choose_source(struct arrival *arrival, size_t index, struct rewrite_source *ret)
{
    const struct demand *demand = &arrival->intent.demands.items[index];
    const struct inventory_parent *parent =
        &arrival->inventory.parents[arrival->choices[index].parent];

    ret->kind = parent->interface->hostdev;
    if (ret->kind == REQUEST_PCI) {
        ret->source = parent->name;
        return 0;
    }
    if (demand->hostdev->kind == REQUEST_MDEV && can_keep(arrival, demand))
        return 0;
    return name_new_uuid(&ret->source);
}

static int
choose_sources(struct arrival *arrival, struct error *error)
{
    const struct demands *demands = &arrival->intent.demands;
    int rc = 0;

    arrival->sources = rewrite_own(arrival->request);
    if (!arrival->sources)
        return error_set(error, -ENOMEM, "no memory for the UUIDs");
    for (size_t i = 0; i < demands->count && rc == 0; i++)
        rc = choose_source(
            arrival, i, &arrival->sources[demands->items[i].hostdev - arrival->request->hostdevs]);
    return rc < 0 ? error_set(error, -EIO, "the kernel gives no random UUID") : 0;
}

/* What was promised, and will not be asked for. */
static void
take_back(struct arrival *arrival)
{
    AUTO(job_end) struct job job = JOB_NONE;
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error ignored;

    if (job_begin(arrival->host, false, &job, &ignored) < 0)
        return;
    job.lock_timeout = arrival->intent.policy.lock_timeout;
    if (job_look(&job, &ledger, &ignored) < 0)
        return;
    forget_reserved(arrival, &ledger);
    if (job_record(&job, &ledger, &ignored) < 0)
        return;
}

static void
log_changes(const struct arrival *arrival)
{
    const struct request *request = arrival->request;

    for (size_t i = 0; i < request->hostdev_count; i++) {
        if (!name_equal(&request->hostdevs[i].source, &arrival->sources[i].source))
            log_renamed(request->name, &request->domain, &request->hostdevs[i].source,
                        &arrival->sources[i].source);
    }
}

int
incoming_rewrite(const struct host *host, const struct document *document,
                 const struct request *request, struct document *ret, struct error *error)
{
    AUTO(arrival_clear) struct arrival arrival = {.host = host, .request = request};
    int rc = intent_read(&arrival.intent, host, request, "incoming", error);

    *ret = (struct document){0};
    if (rc <= 0)
        return rc;
    rc = look(&arrival, error);
    if (rc == 0)
        rc = choose_places(&arrival, error);
    /* What is not there yet may come up: prepare waits for it, where the XML says. */
    if ((rc == -ENOENT || rc == -ENOSPC) &&
        boot_left(host, &arrival.intent.policy, &arrival.inventory) > 0)
        return 0;
    if (rc < 0)
        return rc;
    rc = choose_sources(&arrival, error);
    if (rc == 0)
        rc = rewrite_sources(document, request, arrival.sources, ret, error);
    if (rc == 0)
        log_changes(&arrival);
    else if (needs_choice(&arrival))
        take_back(&arrival);
    return rc;
}
