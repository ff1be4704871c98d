/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/rooms.h"
#include "base/array.h"
#include "placement/quota.h"

/* --- as it is at first ------------------------------------------------------------------------ */

static void
drop_gone(struct rooms *rooms)
{
    const struct inventory *inventory = rooms->problem->inventory;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        if (placement_vgpu_is_gone(rooms->problem, &inventory->vgpus[i]))
            gpu_load_drop(&rooms->gpus[inventory->parents[inventory->vgpus[i].parent].gpu], i);
    }
}

/* States in which a vGPU takes its place although /sys may not show it. A vGPU that is being
 * removed is shown until it is gone, and the driver's figures count it until then. */
static bool
may_be_invisible(enum lease_state state)
{
    return state == LEASE_PENDING || state == LEASE_RESERVED;
}

/* Puts the claim of a lease in, unless the inventory shows its vGPU. */
static void
put_claim(struct rooms *rooms, const struct lease *lease)
{
    const struct inventory *inventory = rooms->problem->inventory;
    struct load_use use = {.type = LOAD_NO_TYPE, .framebuffer = lease->framebuffer};
    const struct inventory_type *type;
    size_t gpu;

    if (inventory_find_vgpu(inventory, &lease->vgpu.device) ||
        !inventory_find_parent(inventory, &lease->vgpu.parent, &use.parent))
        return;
    gpu = inventory->parents[use.parent].gpu;
    type = inventory_find_type(&inventory->gpus[gpu], &lease->vgpu.type);
    if (type)
        use.type = (size_t)(type - inventory->gpus[gpu].types);
    gpu_load_put(&rooms->gpus[gpu], &use);
}

static void
put_claims(struct rooms *rooms)
{
    const struct ledger *ledger = rooms->problem->ledger, *changed = rooms->problem->changed;

    for (size_t i = 0; i < ledger->count; i++) {
        if (may_be_invisible(ledger->leases[i].state) &&
            !placement_lease_is_gone(rooms->problem, &ledger->leases[i]))
            put_claim(rooms, &ledger->leases[i]);
    }
    for (size_t i = 0; changed && i < changed->count; i++) {
        const struct lease *known = ledger_find(ledger, &changed->leases[i].vgpu.device);

        if (!known || !may_be_invisible(known->state))
            put_claim(rooms, &changed->leases[i]);
    }
}

/* If the ledger gives a virtual function to another domain, it is not free, even without a type. It
 * may have lost its type, or be about to get it. A kept one goes to the domain that names it. */
static void
mark_owned(struct rooms *rooms, const struct lease *lease)
{
    size_t parent;

    if (lease->vgpu.interface->hostdev == REQUEST_PCI && lease->state != LEASE_KEPT &&
        !name_equal(&lease->domain, &rooms->problem->request->domain) &&
        inventory_find_parent(rooms->problem->inventory, &lease->vgpu.parent, &parent))
        rooms->owned[parent] = true;
}

static void
mark_all_owned(struct rooms *rooms)
{
    const struct ledger *ledger = rooms->problem->ledger, *changed = rooms->problem->changed;

    for (size_t i = 0; i < ledger->count; i++) {
        if (!placement_lease_is_gone(rooms->problem, &ledger->leases[i]))
            mark_owned(rooms, &ledger->leases[i]);
    }
    for (size_t i = 0; changed && i < changed->count; i++)
        mark_owned(rooms, &changed->leases[i]);
}

/* Enters what a running domain has already. No demand speaks of it. */
static void
settle_held(struct rooms *rooms)
{
    const struct placement_problem *problem = rooms->problem;
    const struct inventory *inventory = problem->inventory;

    for (size_t i = 0; i < problem->ledger->count; i++) {
        const struct lease *lease = &problem->ledger->leases[i];
        const struct inventory_vgpu *vgpu = placement_vgpu(problem, &lease->vgpu.device);
        const struct inventory_type *type;
        const struct inventory_gpu *gpu;

        if (!vgpu || lease->state != LEASE_HELD ||
            !name_equal(&lease->domain, &problem->request->domain) ||
            demands_name(problem->demands, &vgpu->device))
            continue;
        gpu = &inventory->gpus[inventory->parents[vgpu->parent].gpu];
        type = inventory_find_type(gpu, &vgpu->type);
        if (type)
            rooms_settle(rooms, vgpu->parent, (size_t)(type - gpu->types));
    }
}

void
rooms_init(struct rooms *rooms, const struct placement_problem *problem)
{
    const struct inventory *inventory = problem->inventory;
    enum load_time time = problem->host == PLACEMENT_NOW ? LOAD_NOW : LOAD_EVER;

    *rooms = (struct rooms){
        .problem = problem,
        .gpus = memory_zeroed(inventory->gpu_count, sizeof(*rooms->gpus)),
        .owned = memory_zeroed(inventory->parent_count, sizeof(*rooms->owned)),
        .quota_used = memory_zeroed(problem->policy->quota_count, sizeof(*rooms->quota_used)),
    };
    for (size_t i = 0; i < inventory->gpu_count; i++)
        gpu_load_init(&rooms->gpus[i], inventory, i, time);
    drop_gone(rooms);
    put_claims(rooms);
    mark_all_owned(rooms);
    if (problem->running)
        settle_held(rooms);
    quota_count(problem, rooms->quota_used);
}

void
rooms_clear(struct rooms *rooms)
{
    for (size_t i = 0; rooms->problem && i < rooms->problem->inventory->gpu_count; i++)
        gpu_load_clear(&rooms->gpus[i]);
    free(rooms->gpus);
    free(rooms->owned);
    free(rooms->quota_used);
    free(rooms->places);
    *rooms = (struct rooms){0};
}

/* --- as the search goes on -------------------------------------------------------------------- */

static void
push(struct rooms *rooms, const struct rooms_place *place)
{
    ARRAY_ADD(rooms->places, rooms->place_count, *place);
}

void
rooms_take(struct rooms *rooms, size_t parent, size_t type)
{
    const struct load_use use = {.parent = parent, .type = type};
    struct rooms_place place = {
        .gpu = rooms->problem->inventory->parents[parent].gpu, .parent = parent, .type = type};

    place.mark = gpu_load_put(&rooms->gpus[place.gpu], &use);
    push(rooms, &place);
}

void
rooms_return(struct rooms *rooms)
{
    const struct rooms_place *last = &rooms->places[--rooms->place_count];

    gpu_load_rewind(&rooms->gpus[last->gpu], last->mark);
}

void
rooms_settle(struct rooms *rooms, size_t parent, size_t type)
{
    const struct rooms_place place = {.gpu = rooms->problem->inventory->parents[parent].gpu,
                                      .parent = parent,
                                      .type = type,
                                      .is_there = true};

    push(rooms, &place);
}

/* --- what the kernel has refused -------------------------------------------------------------- */

bool
rooms_is_rejected(const struct rooms *rooms, size_t parent, size_t type)
{
    const struct placement_problem *problem = rooms->problem;
    const struct inventory_parent *self = &problem->inventory->parents[parent];
    const struct name *id = &problem->inventory->gpus[self->gpu].types[type].id;

    return ARRAY_HAS(problem->rejections, problem->rejection_count, rejection,
                     name_equal(&rejection->parent, &self->name) &&
                         name_equal(&rejection->type, id));
}

const struct placement_rejection *
rooms_find_rejection(const struct rooms *rooms, size_t gpu, size_t type)
{
    const struct placement_problem *problem = rooms->problem;
    const struct inventory *inventory = problem->inventory;
    const struct name *id = &inventory->gpus[gpu].types[type].id;
    size_t parent;

    return ARRAY_FIND(problem->rejections, problem->rejection_count, rejection,
                      name_equal(&rejection->type, id) &&
                          inventory_find_parent(inventory, &rejection->parent, &parent) &&
                          inventory->parents[parent].gpu == gpu);
}
