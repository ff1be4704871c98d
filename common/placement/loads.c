/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/loads.h"
#include "base/array.h"

/* --- what other domains have used of each quota ----------------------------------------------- */

static bool
binds(const struct policy_quota *quota, const char *name, const struct name *uuid)
{
    for (size_t i = 0; i < quota->domains.count; i++) {
        if (policy_is_domain(quota->domains.items[i], name, uuid))
            return true;
    }
    return false;
}

/* The type of a lease, as its own GPU describes it, or else any other GPU. A type that nobody asks
 * for is not described on every GPU, so the size is taken from the lease. */
static struct inventory_type
type_of(const struct inventory *inventory, const struct lease *lease)
{
    const struct name *id = &lease->vgpu.type;
    const struct inventory_type *found = NULL;
    const struct inventory_gpu *own = inventory_find_gpu(inventory, &lease->gpu);
    struct inventory_type ret = {.id = *id};

    if (own)
        found = inventory_find_type(own, id);
    for (size_t gpu = 0; !found && gpu < inventory->gpu_count; gpu++)
        found = inventory_find_type(inventory->gpus[gpu], id);
    if (found)
        ret = *found;
    if (lease->framebuffer)
        ret.framebuffer = lease->framebuffer;
    return ret;
}

/* Whether a domain has the vGPU of a lease, is getting it, or has its place reserved. */
static bool
counts_for_quota(const struct lease *lease)
{
    if (lease_is_nobodys(lease))
        return false;
    return lease->state == LEASE_PENDING || lease->state == LEASE_HELD ||
           lease->state == LEASE_RESERVED;
}

static size_t
count_quota(const struct placement_problem *problem, size_t index)
{
    const struct policy_quota *quota = &problem->policy->quotas[index];
    const struct policy_class *class = policy_find_class(problem->policy, quota->class);
    size_t used = 0;

    for (size_t i = 0; i < problem->ledger->count; i++) {
        const struct lease *lease = &problem->ledger->leases[i];
        const struct inventory_type type = type_of(problem->inventory, lease);

        used += counts_for_quota(lease) && !placement_lease_is_gone(problem, lease) && class &&
                demand_class_has(class, &type) &&
                !name_equal(&lease->domain, &problem->request->domain) &&
                binds(quota, lease->domain_name, &lease->domain);
    }
    return class && binds(quota, problem->request->name, &problem->request->domain) ? used
                                                                                    : SIZE_MAX;
}

/* For each quota of the policy, the number of other domains' vGPUs that count for it; SIZE_MAX: it
 * does not bind this domain. A lease counts if the domain has the vGPU, is getting it, or has the
 * place reserved. A lease that is kept or on its way back does not count. */
static void
quota_count(const struct placement_problem *problem, size_t *used)
{
    for (size_t i = 0; i < problem->policy->quota_count; i++)
        used[i] = count_quota(problem, i);
}

/* --- as it is at first ------------------------------------------------------------------------ */

struct gpu_load *
loads_on(const struct loads *loads, const struct inventory_gpu *gpu)
{
    return &loads->gpus[gpu->index];
}

static void
drop_gone(struct loads *loads)
{
    const struct inventory *inventory = loads->problem->inventory;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = inventory->vgpus[i];

        if (placement_vgpu_is_gone(loads->problem, vgpu))
            gpu_load_drop(loads_on(loads, vgpu->parent->gpu), vgpu);
    }
}

/* States in which a vGPU takes its place although /sys may not show it. A vGPU that is being
 * removed is shown until it is gone, and the driver's figures count it until then. */
static bool
may_be_invisible(enum lease_state state)
{
    return state == LEASE_PENDING || state == LEASE_RESERVED;
}

/* Puts the vGPU of a lease on the load of its GPU, unless the inventory shows the vGPU. */
static void
put_claim(struct loads *loads, const struct lease *lease)
{
    const struct inventory *inventory = loads->problem->inventory;
    struct load_use use = {
        .place = {.parent = inventory_find_parent(inventory, &lease->vgpu.parent)},
        .framebuffer = lease->framebuffer};

    if (!use.place.parent || inventory_find_vgpu(inventory, &lease->vgpu.device))
        return;
    use.place.type = inventory_find_type(use.place.parent->gpu, &lease->vgpu.type);
    gpu_load_put(loads_on(loads, use.place.parent->gpu), &use);
}

static void
put_claims(struct loads *loads)
{
    const struct ledger *ledger = loads->problem->ledger, *changed = loads->problem->changed;

    for (size_t i = 0; i < ledger->count; i++) {
        if (may_be_invisible(ledger->leases[i].state) &&
            !placement_lease_is_gone(loads->problem, &ledger->leases[i]))
            put_claim(loads, &ledger->leases[i]);
    }
    for (size_t i = 0; changed && i < changed->count; i++) {
        const struct lease *known = ledger_find(ledger, &changed->leases[i].vgpu.device);

        if (!known || !may_be_invisible(known->state))
            put_claim(loads, &changed->leases[i]);
    }
}

/* If the ledger gives a virtual function to another domain, the function is not free, even without
 * a type. It may have lost its type, or be about to get one. A function whose lease is kept is not
 * marked: a domain that names it may have it. */
static void
mark_owned(struct loads *loads, const struct lease *lease)
{
    const struct inventory_parent *parent;

    if (lease->vgpu.interface->hostdev != REQUEST_PCI || lease->state == LEASE_KEPT ||
        name_equal(&lease->domain, &loads->problem->request->domain))
        return;
    parent = inventory_find_parent(loads->problem->inventory, &lease->vgpu.parent);
    if (parent)
        gpu_load_on(loads_on(loads, parent->gpu), parent)->is_owned = true;
}

static void
mark_all_owned(struct loads *loads)
{
    const struct ledger *ledger = loads->problem->ledger, *changed = loads->problem->changed;

    for (size_t i = 0; i < ledger->count; i++) {
        if (!placement_lease_is_gone(loads->problem, &ledger->leases[i]))
            mark_owned(loads, &ledger->leases[i]);
    }
    for (size_t i = 0; changed && i < changed->count; i++)
        mark_owned(loads, &changed->leases[i]);
}

/* Enters the vGPUs that a running domain has already, because no demand stands for them. */
static void
settle_held(struct loads *loads)
{
    const struct placement_problem *problem = loads->problem;

    for (size_t i = 0; i < problem->ledger->count; i++) {
        const struct lease *lease = &problem->ledger->leases[i];
        const struct inventory_vgpu *vgpu = placement_vgpu(problem, &lease->vgpu.device);
        struct place place;

        if (!vgpu || lease->state != LEASE_HELD ||
            !name_equal(&lease->domain, &problem->request->domain) ||
            demands_name(problem->demands, &vgpu->device))
            continue;
        place = (struct place){vgpu->parent, inventory_type_of(vgpu)};
        if (place.type)
            loads_settle(loads, &place);
    }
}

/* The type of a vGPU that the guest brings along: somebody else made the vGPU, and it is there now.
 * NULL: the hostdev is no such vGPU, or another day is asked about. Then the vGPU may have another
 * type. */
static const struct inventory_type *
brought_type(const struct placement_problem *problem, const struct request_hostdev *hostdev)
{
    const struct inventory_vgpu *vgpu =
        problem->host == PLACEMENT_NOW && !demands_name(problem->demands, &hostdev->source) &&
                !ledger_find(problem->ledger, &hostdev->source)
            ? inventory_find_vgpu(problem->inventory, &hostdev->source)
            : NULL;

    return vgpu ? inventory_type_of(vgpu) : NULL;
}

static void
find_brought(struct loads *loads)
{
    const struct request *request = loads->problem->request;

    for (size_t i = 0; i < request->hostdev_count; i++) {
        const struct inventory_type *type = brought_type(loads->problem, &request->hostdevs[i]);

        if (type)
            ARRAY_ADD(loads->brought, loads->brought_count, type);
    }
}

void
loads_init(struct loads *loads, const struct placement_problem *problem)
{
    const struct inventory *inventory = problem->inventory;
    enum load_time time = problem->host == PLACEMENT_NOW ? LOAD_NOW : LOAD_EVER;

    *loads = (struct loads){
        .problem = problem,
        .gpus = memory_zeroed(inventory->gpu_count, sizeof(*loads->gpus)),
        .quota_used = memory_zeroed(problem->policy->quota_count, sizeof(*loads->quota_used)),
        .states = memory_zeroed(inventory->gpu_count, sizeof(*loads->states)),
    };
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        gpu_load_init(&loads->gpus[i], inventory->gpus[i], time);
        loads->gpus[i].is_best |= problem->in_best_order;
    }
    drop_gone(loads);
    put_claims(loads);
    mark_all_owned(loads);
    quota_count(problem, loads->quota_used);
    if (problem->running)
        settle_held(loads);
    find_brought(loads);
}

void
loads_clear(struct loads *loads)
{
    for (size_t i = 0; loads->problem && i < loads->problem->inventory->gpu_count; i++)
        gpu_load_clear(&loads->gpus[i]);
    free(loads->gpus);
    free(loads->quota_used);
    free(loads->places);
    free(loads->states);
    free(loads->brought);
    *loads = (struct loads){0};
}

/* --- as the search goes on -------------------------------------------------------------------- */

/* The domain gets one more of a type, or one less. */
static void
count_for_quotas(struct loads *loads, const struct inventory_type *type, bool more)
{
    const struct policy *policy = loads->problem->policy;

    for (size_t i = 0; i < policy->quota_count; i++) {
        if (loads->quota_used[i] != SIZE_MAX &&
            demand_class_has(policy_find_class(policy, policy->quotas[i].class), type))
            loads->quota_used[i] += more ? 1 : -1;
    }
}

static void
push(struct loads *loads, const struct loads_place *place)
{
    count_for_quotas(loads, place->at.type, true);
    ARRAY_ADD(loads->places, loads->place_count, *place);
}

void
loads_take(struct loads *loads, const struct place *place)
{
    const struct load_use use = {.place = *place};
    const struct inventory_gpu *gpu = place->parent->gpu;
    const struct loads_place taken = {
        .at = *place,
        .mark = gpu_load_put(loads_on(loads, gpu), &use),
        .state = loads->states[gpu->index],
    };

    loads->states[gpu->index] = ++loads->last_state;
    push(loads, &taken);
}

void
loads_return(struct loads *loads)
{
    const struct loads_place *last = &loads->places[--loads->place_count];

    const struct inventory_gpu *gpu = last->at.parent->gpu;

    count_for_quotas(loads, last->at.type, false);
    gpu_load_rewind(loads_on(loads, gpu), last->mark);
    loads->states[gpu->index] = last->state;
}

void
loads_settle(struct loads *loads, const struct place *place)
{
    const struct loads_place there = {.at = *place, .is_there = true};

    push(loads, &there);
}

/* --- what the kernel has refused -------------------------------------------------------------- */

bool
loads_is_rejected(const struct loads *loads, const struct place *place)
{
    const struct placement_problem *problem = loads->problem;

    return ARRAY_HAS(problem->rejections, problem->rejection_count, rejection,
                     name_equal(&rejection->parent, &place->parent->name) &&
                         name_equal(&rejection->type, &place->type->id));
}

const struct placement_rejection *
loads_find_rejection(const struct loads *loads, const struct inventory_type *type)
{
    const struct placement_problem *problem = loads->problem;

    for (size_t i = 0; i < problem->rejection_count; i++) {
        const struct placement_rejection *rejection = &problem->rejections[i];
        const struct inventory_parent *parent =
            inventory_find_parent(problem->inventory, &rejection->parent);

        if (name_equal(&rejection->type, &type->id) && parent && parent->gpu == type->gpu)
            return rejection;
    }
    return NULL;
}
