/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/capacity.h"
#include "base/memory.h"
#include "placement/quota.h"

#include <stdio.h>
#include <string.h>

/* States in which a vGPU takes its place although /sys does not show it. One that is being removed
 * is shown until it is gone, and so is its place in the driver's figures. */
static bool
may_be_invisible(enum lease_state state)
{
    return state == LEASE_PENDING || state == LEASE_RESERVED;
}

/* Unless the inventory shows it. */
static void
count_claim(struct capacity *capacity, const struct lease *lease)
{
    const struct inventory *inventory = capacity->problem->inventory;
    struct capacity_claim claim = {.framebuffer = lease->framebuffer};

    if (inventory_find_vgpu(inventory, &lease->vgpu.device) ||
        !inventory_find_parent(inventory, &lease->vgpu.parent, &claim.parent))
        return;
    claim.gpu = inventory->parents[claim.parent].gpu;
    claim.type = inventory_find_type(&inventory->gpus[claim.gpu], &lease->vgpu.type);
    capacity->claims[capacity->claim_count++] = claim;
}

static void
count_claims(struct capacity *capacity)
{
    const struct ledger *ledger = capacity->problem->ledger, *changed = capacity->problem->changed;

    for (size_t i = 0; i < ledger->count; i++) {
        if (may_be_invisible(ledger->leases[i].state))
            count_claim(capacity, &ledger->leases[i]);
    }
    for (size_t i = 0; changed && i < changed->count; i++) {
        const struct lease *known = ledger_find(ledger, &changed->leases[i].vgpu.device);

        if (!known || !may_be_invisible(known->state))
            count_claim(capacity, &changed->leases[i]);
    }
}

/* The parents of each GPU, in their order. */
static void
sort_parents(struct capacity *capacity)
{
    const struct inventory *inventory = capacity->problem->inventory;
    size_t next = 0;

    for (size_t i = 0; i < inventory->parent_count; i++)
        capacity->gpus[inventory->parents[i].gpu].parent_count++;
    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++) {
        capacity->gpus[gpu].first_parent = next;
        next += capacity->gpus[gpu].parent_count;
        capacity->gpus[gpu].parent_count = 0;
    }
    for (size_t i = 0; i < inventory->parent_count; i++) {
        struct capacity_gpu *gpu = &capacity->gpus[inventory->parents[i].gpu];

        capacity->parents[gpu->first_parent + gpu->parent_count++] = i;
    }
    for (size_t i = 0; i < inventory->vgpu_count; i++)
        capacity->gpus[inventory->parents[inventory->vgpus[i].parent].gpu].made++;
}

/* A virtual function that has a vGPU has no place, whatever its driver said before it was made. */
static void
mark_taken(struct capacity *capacity)
{
    const struct inventory *inventory = capacity->problem->inventory;

    for (size_t i = 0; i < inventory->vgpu_count; i++)
        capacity->taken[inventory->vgpus[i].parent] = true;
}

/* A virtual function that the ledger says is another domain's is not to be had, even if it has no
 * type: it may have lost that, or be about to. What is kept goes to whom names it. */
static void
mark_owned(struct capacity *capacity, const struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];
        size_t parent;

        if (lease->vgpu.interface->hostdev == REQUEST_PCI && lease->state != LEASE_KEPT &&
            !name_equal(&lease->domain, &capacity->problem->request->domain) &&
            inventory_find_parent(capacity->problem->inventory, &lease->vgpu.parent, &parent))
            capacity->owned[parent] = true;
    }
}

/* What a running domain has already: no demand speaks of it. */
static void
settle_held(struct capacity *capacity)
{
    const struct placement_problem *problem = capacity->problem;
    const struct inventory *inventory = problem->inventory;

    for (size_t i = 0; i < problem->ledger->count; i++) {
        const struct lease *lease = &problem->ledger->leases[i];
        const struct inventory_vgpu *vgpu = inventory_find_vgpu(inventory, &lease->vgpu.device);
        const struct inventory_type *type;
        const struct inventory_gpu *gpu;

        if (!vgpu || lease->state != LEASE_HELD ||
            !name_equal(&lease->domain, &problem->request->domain) ||
            demands_name(problem->demands, &vgpu->device))
            continue;
        gpu = &inventory->gpus[inventory->parents[vgpu->parent].gpu];
        type = inventory_find_type(gpu, &vgpu->type);
        if (type)
            capacity_settle(capacity, vgpu->parent, (size_t)(type - gpu->types));
    }
}

void
capacity_init(struct capacity *capacity, const struct placement_problem *problem)
{
    const struct inventory *inventory = problem->inventory;
    const struct ledger *changed = problem->changed;

    *capacity = (struct capacity){.problem = problem};
    capacity->gpus = memory_zeroed(inventory->gpu_count, sizeof(*capacity->gpus));
    capacity->parents = memory_zeroed(inventory->parent_count, sizeof(*capacity->parents));
    capacity->owned = memory_zeroed(inventory->parent_count, sizeof(*capacity->owned));
    capacity->taken = memory_zeroed(inventory->parent_count, sizeof(*capacity->taken));
    capacity->quota_used =
        memory_zeroed(problem->policy->quota_count, sizeof(*capacity->quota_used));
    capacity->claims = memory_zeroed(problem->ledger->count + (changed ? changed->count : 0) +
                                         problem->demands->count,
                                     sizeof(*capacity->claims));
    sort_parents(capacity);
    mark_taken(capacity);
    mark_owned(capacity, problem->ledger);
    if (changed)
        mark_owned(capacity, changed);
    count_claims(capacity);
    if (problem->running)
        settle_held(capacity);
    quota_count(problem, capacity->quota_used);
}

void
capacity_clear(struct capacity *capacity)
{
    free(capacity->gpus);
    free(capacity->parents);
    free(capacity->owned);
    free(capacity->taken);
    free(capacity->quota_used);
    free(capacity->claims);
    *capacity = (struct capacity){0};
}

const struct placement_rejection *
capacity_find_rejection(const struct capacity *capacity, size_t gpu, size_t type)
{
    const struct placement_problem *problem = capacity->problem;
    const struct inventory *inventory = problem->inventory;
    const struct name *id = &inventory->gpus[gpu].types[type].id;

    for (size_t i = 0; i < problem->rejection_count; i++) {
        size_t parent;

        if (name_equal(&problem->rejections[i].type, id) &&
            inventory_find_parent(inventory, &problem->rejections[i].parent, &parent) &&
            inventory->parents[parent].gpu == gpu)
            return &problem->rejections[i];
    }
    return NULL;
}

bool
capacity_has_place(const struct capacity *capacity, size_t parent)
{
    for (size_t i = 0; i < capacity->claim_count; i++) {
        if (capacity->claims[i].parent == parent && !capacity->claims[i].settled)
            return false;
    }
    return !capacity->taken[parent] && !capacity->owned[parent];
}

bool
capacity_is_function(const struct capacity *capacity, size_t parent)
{
    const struct inventory *inventory = capacity->problem->inventory;
    const struct inventory_parent *self = &inventory->parents[parent];

    return !name_equal(&self->name, &inventory->gpus[self->gpu].name);
}

/* What a parent has, or will have by a claim on it. */
static unsigned
held_by(const struct capacity *capacity, size_t parent)
{
    unsigned held = capacity->problem->inventory->parents[parent].framebuffer;

    for (size_t i = 0; i < capacity->claim_count; i++) {
        const struct capacity_claim *claim = &capacity->claims[i];

        if (claim->parent == parent && !claim->settled && claim->framebuffer > held)
            held = claim->framebuffer;
    }
    return held;
}

unsigned
capacity_free(const struct capacity *capacity, size_t gpu)
{
    const struct capacity_gpu *known = &capacity->gpus[gpu];
    const struct inventory_gpu *card = &capacity->problem->inventory->gpus[gpu];
    unsigned free = card->is_summed ? card->framebuffer : 0;

    for (size_t i = 0; card->is_summed && i < known->parent_count; i++) {
        unsigned held = held_by(capacity, capacity->parents[known->first_parent + i]);

        free = held < free ? free - held : 0;
    }
    return free;
}

unsigned
capacity_needs(const struct capacity *capacity, size_t parent, size_t type)
{
    const struct inventory *inventory = capacity->problem->inventory;
    const struct inventory_parent *self = &inventory->parents[parent];
    const struct inventory_gpu *card = &inventory->gpus[self->gpu];
    unsigned wanted = card->types[type].framebuffer;

    return card->is_summed && wanted > self->framebuffer ? wanted - self->framebuffer : 0;
}

bool
capacity_is_rejected(const struct capacity *capacity, size_t parent, size_t type)
{
    const struct placement_problem *problem = capacity->problem;
    const struct inventory_parent *self = &problem->inventory->parents[parent];
    const struct name *id = &problem->inventory->gpus[self->gpu].types[type].id;

    for (size_t i = 0; i < problem->rejection_count; i++) {
        if (name_equal(&problem->rejections[i].parent, &self->name) &&
            name_equal(&problem->rejections[i].type, id))
            return true;
    }
    return false;
}

static void
push(struct capacity *capacity, size_t parent, size_t type, bool own)
{
    const struct inventory *inventory = capacity->problem->inventory;
    size_t gpu = inventory->parents[parent].gpu;

    capacity->claims[capacity->claim_count++] = (struct capacity_claim){
        .parent = parent,
        .gpu = gpu,
        .type = &inventory->gpus[gpu].types[type],
        .framebuffer = inventory->gpus[gpu].types[type].framebuffer,
        .own = own,
        .settled = !own,
    };
}

void
capacity_take(struct capacity *capacity, size_t parent, size_t type)
{
    push(capacity, parent, type, true);
}

void
capacity_return(struct capacity *capacity)
{
    capacity->claim_count--;
}

void
capacity_settle(struct capacity *capacity, size_t parent, size_t type)
{
    push(capacity, parent, type, false);
}
