/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/rooms.h"
#include "base/array.h"
#include "placement/quota.h"

/* --- as it is at first ------------------------------------------------------------------------ */

struct gpu_load *
rooms_on(const struct rooms *rooms, const struct inventory_gpu *gpu)
{
    return &rooms->loads[gpu->index];
}

static void
drop_gone(struct rooms *rooms)
{
    const struct inventory *inventory = rooms->problem->inventory;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = inventory->vgpus[i];

        if (placement_vgpu_is_gone(rooms->problem, vgpu))
            gpu_load_drop(rooms_on(rooms, vgpu->parent->gpu), vgpu);
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
    struct load_use use = {
        .place = {.parent = inventory_find_parent(inventory, &lease->vgpu.parent)},
        .framebuffer = lease->framebuffer};

    if (!use.place.parent || inventory_find_vgpu(inventory, &lease->vgpu.device))
        return;
    use.place.type = inventory_find_type(use.place.parent->gpu, &lease->vgpu.type);
    gpu_load_put(rooms_on(rooms, use.place.parent->gpu), &use);
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
    const struct inventory_parent *parent;

    if (lease->vgpu.interface->hostdev != REQUEST_PCI || lease->state == LEASE_KEPT ||
        name_equal(&lease->domain, &rooms->problem->request->domain))
        return;
    parent = inventory_find_parent(rooms->problem->inventory, &lease->vgpu.parent);
    if (parent)
        gpu_load_on(rooms_on(rooms, parent->gpu), parent)->is_owned = true;
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
            rooms_settle(rooms, &place);
    }
}

void
rooms_init(struct rooms *rooms, const struct placement_problem *problem)
{
    const struct inventory *inventory = problem->inventory;
    enum load_time time = problem->host == PLACEMENT_NOW ? LOAD_NOW : LOAD_EVER;

    *rooms = (struct rooms){
        .problem = problem,
        .loads = memory_zeroed(inventory->gpu_count, sizeof(*rooms->loads)),
        .quota_used = memory_zeroed(problem->policy->quota_count, sizeof(*rooms->quota_used)),
    };
    for (size_t i = 0; i < inventory->gpu_count; i++)
        gpu_load_init(&rooms->loads[i], inventory->gpus[i], time);
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
        gpu_load_clear(&rooms->loads[i]);
    free(rooms->loads);
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
rooms_take(struct rooms *rooms, const struct place *place)
{
    const struct load_use use = {.place = *place};
    const struct rooms_place taken = {
        .at = *place, .mark = gpu_load_put(rooms_on(rooms, place->parent->gpu), &use)};

    push(rooms, &taken);
}

void
rooms_return(struct rooms *rooms)
{
    const struct rooms_place *last = &rooms->places[--rooms->place_count];

    gpu_load_rewind(rooms_on(rooms, last->at.parent->gpu), last->mark);
}

void
rooms_settle(struct rooms *rooms, const struct place *place)
{
    const struct rooms_place there = {.at = *place, .is_there = true};

    push(rooms, &there);
}

/* --- what the kernel has refused -------------------------------------------------------------- */

bool
rooms_is_rejected(const struct rooms *rooms, const struct place *place)
{
    const struct placement_problem *problem = rooms->problem;

    return ARRAY_HAS(problem->rejections, problem->rejection_count, rejection,
                     name_equal(&rejection->parent, &place->parent->name) &&
                         name_equal(&rejection->type, &place->type->id));
}

const struct placement_rejection *
rooms_find_rejection(const struct rooms *rooms, const struct inventory_type *type)
{
    const struct placement_problem *problem = rooms->problem;

    for (size_t i = 0; i < problem->rejection_count; i++) {
        const struct placement_rejection *rejection = &problem->rejections[i];
        const struct inventory_parent *parent =
            inventory_find_parent(problem->inventory, &rejection->parent);

        if (name_equal(&rejection->type, &type->id) && parent && parent->gpu == type->gpu)
            return rejection;
    }
    return NULL;
}
