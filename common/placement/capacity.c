/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/capacity.h"
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

static void
count_claims(struct room *room)
{
    const struct inventory *inventory = room->question->inventory;
    const struct ledger *ledger = room->question->ledger;

    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];
        struct room_claim claim = {.framebuffer = lease->framebuffer};

        if (!may_be_invisible(lease->state) ||
            inventory_find_vgpu(inventory, &lease->vgpu.device) ||
            !inventory_find_parent(inventory, &lease->vgpu.parent, &claim.parent))
            continue;
        claim.gpu = inventory->parents[claim.parent].gpu;
        claim.type = inventory_find_type(&inventory->gpus[claim.gpu], &lease->vgpu.type);
        room->claims[room->claim_count++] = claim;
    }
}

/* The parents of each GPU, in their order. */
static void
sort_places(struct room *room)
{
    const struct inventory *inventory = room->question->inventory;
    size_t next = 0;

    for (size_t i = 0; i < inventory->parent_count; i++)
        room->gpus[inventory->parents[i].gpu].place_count++;
    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++) {
        room->gpus[gpu].first_place = next;
        next += room->gpus[gpu].place_count;
        room->gpus[gpu].place_count = 0;
    }
    for (size_t i = 0; i < inventory->parent_count; i++) {
        struct room_gpu *gpu = &room->gpus[inventory->parents[i].gpu];

        room->places[gpu->first_place + gpu->place_count++] = i;
    }
    for (size_t i = 0; i < inventory->vgpu_count; i++)
        room->gpus[inventory->parents[inventory->vgpus[i].parent].gpu].made++;
}

/* A virtual function that the ledger says is another domain's is not to be had, even if it has no
 * type: it may have lost that, or be about to. What is kept goes to whom names it. */
static void
mark_owned(struct room *room)
{
    const struct ledger *ledger = room->question->ledger;

    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];
        size_t parent;

        if (lease->vgpu.interface->hostdev == REQUEST_PCI && lease->state != LEASE_KEPT &&
            !name_equal(&lease->domain, &room->question->request->domain) &&
            inventory_find_parent(room->question->inventory, &lease->vgpu.parent, &parent))
            room->owned[parent] = true;
    }
}

static bool
is_demanded(const struct placement_question *question, const struct name *device)
{
    for (size_t i = 0; i < question->demands->count; i++) {
        if (name_equal(&question->demands->items[i].hostdev->source, device))
            return true;
    }
    return false;
}

/* What a running domain has already: no demand speaks of it. */
static void
settle_held(struct room *room)
{
    const struct placement_question *question = room->question;
    const struct inventory *inventory = question->inventory;

    for (size_t i = 0; i < question->ledger->count; i++) {
        const struct lease *lease = &question->ledger->leases[i];
        const struct inventory_vgpu *vgpu = inventory_find_vgpu(inventory, &lease->vgpu.device);
        const struct inventory_type *type;
        const struct inventory_gpu *gpu;

        if (!vgpu || lease->state != LEASE_HELD ||
            !name_equal(&lease->domain, &question->request->domain) ||
            is_demanded(question, &vgpu->device))
            continue;
        gpu = &inventory->gpus[inventory->parents[vgpu->parent].gpu];
        type = inventory_find_type(gpu, &vgpu->type);
        if (type)
            room_settle(room, vgpu->parent, (size_t)(type - gpu->types));
    }
}

int
room_init(struct room *room, const struct placement_question *question)
{
    const struct inventory *inventory = question->inventory;

    *room = (struct room){.question = question};
    room->gpus = calloc(inventory->gpu_count + 1, sizeof(*room->gpus));
    room->places = calloc(inventory->parent_count + 1, sizeof(*room->places));
    room->owned = calloc(inventory->parent_count + 1, sizeof(*room->owned));
    room->quota_used = calloc(question->policy->quota_count + 1, sizeof(*room->quota_used));
    room->claims =
        calloc(question->ledger->count + question->demands->count + 1, sizeof(*room->claims));
    if (!room->gpus || !room->places || !room->owned || !room->quota_used || !room->claims)
        return -ENOMEM;
    sort_places(room);
    mark_owned(room);
    count_claims(room);
    if (question->running)
        settle_held(room);
    quota_count(question, room->quota_used);
    return 0;
}

void
room_clear(struct room *room)
{
    free(room->gpus);
    free(room->places);
    free(room->owned);
    free(room->quota_used);
    free(room->claims);
    *room = (struct room){0};
}

const struct placement_refusal *
room_find_refusal(const struct room *room, size_t gpu, size_t type)
{
    const struct placement_question *question = room->question;
    const struct inventory *inventory = question->inventory;
    const struct name *id = &inventory->gpus[gpu].types[type].id;

    for (size_t i = 0; i < question->refusal_count; i++) {
        size_t parent;

        if (name_equal(&question->refusals[i].type, id) &&
            inventory_find_parent(inventory, &question->refusals[i].parent, &parent) &&
            inventory->parents[parent].gpu == gpu)
            return &question->refusals[i];
    }
    return NULL;
}

bool
room_is_claimed(const struct room *room, size_t parent)
{
    for (size_t i = 0; i < room->claim_count; i++) {
        if (room->claims[i].parent == parent && !room->claims[i].settled)
            return true;
    }
    return room->owned[parent];
}

bool
room_is_function(const struct room *room, size_t parent)
{
    const struct inventory *inventory = room->question->inventory;
    const struct inventory_parent *place = &inventory->parents[parent];

    return !name_equal(&place->name, &inventory->gpus[place->gpu].name);
}

bool
room_is_refused(const struct room *room, size_t parent, size_t type)
{
    const struct placement_question *question = room->question;
    const struct inventory_parent *place = &question->inventory->parents[parent];
    const struct name *id = &question->inventory->gpus[place->gpu].types[type].id;

    for (size_t i = 0; i < question->refusal_count; i++) {
        if (name_equal(&question->refusals[i].parent, &place->name) &&
            name_equal(&question->refusals[i].type, id))
            return true;
    }
    return false;
}

static void
push(struct room *room, size_t parent, size_t type, bool own)
{
    const struct inventory *inventory = room->question->inventory;
    size_t gpu = inventory->parents[parent].gpu;

    room->claims[room->claim_count++] = (struct room_claim){
        .parent = parent,
        .gpu = gpu,
        .type = &inventory->gpus[gpu].types[type],
        .framebuffer = inventory->gpus[gpu].types[type].framebuffer,
        .own = own,
        .settled = !own,
    };
}

void
room_occupy(struct room *room, size_t parent, size_t type)
{
    push(room, parent, type, true);
}

void
room_leave(struct room *room)
{
    room->claim_count--;
}

void
room_settle(struct room *room, size_t parent, size_t type)
{
    push(room, parent, type, false);
}
