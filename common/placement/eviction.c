/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/eviction.h"
#include "base/array.h"

#include <string.h>

/* What goes: a flag per lease of the ledger, and one per vGPU of the inventory. */
struct going {
    bool *leases, *vgpus;
};

static void
going_clear(struct going *going)
{
    free(going->leases);
    free(going->vgpus);
}

static void
going_init(struct going *going, const struct placement_problem *problem)
{
    going->leases = memory_zeroed(problem->ledger->count, sizeof(*going->leases));
    going->vgpus = memory_zeroed(problem->inventory->vgpu_count, sizeof(*going->vgpus));
}

static void
keep_leases(struct eviction *eviction, const struct ledger *before, const struct going *going)
{
    struct ledger *after = &eviction->ledger;

    for (size_t i = 0; i < before->count; i++) {
        if (!going->leases[i])
            ARRAY_ADD(after->leases, after->count, before->leases[i]);
    }
}

/* What stays of the vGPUs, and how many go from each GPU. */
static void
keep_vgpus(struct eviction *eviction, const struct inventory *before, const struct going *going,
           size_t *cleared)
{
    struct inventory *after = &eviction->inventory;

    for (size_t i = 0; i < before->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &before->vgpus[i];

        if (going->vgpus[i]) {
            cleared[before->parents[vgpu->parent].gpu]++;
            after->parents[vgpu->parent].framebuffer = after->parents[vgpu->parent].former;
        } else {
            ARRAY_ADD(after->vgpus, after->vgpu_count, *vgpu);
        }
    }
}

/* Whether a vGPU has a GPU instance of the shape that a type of its GPU needs. */
static bool
has_instance(const struct inventory *inventory, const struct inventory_vgpu *vgpu, size_t gpu,
             size_t type)
{
    const struct inventory_gpu *card = &inventory->gpus[gpu];
    const struct inventory_type *other = inventory_find_type(card, &vgpu->type);

    return inventory->parents[vgpu->parent].gpu == gpu && other &&
           other->slices == card->types[type].slices;
}

static bool
frees_instance(const struct inventory *inventory, size_t gpu, size_t type,
               const struct going *going)
{
    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        if (going->vgpus[i] && has_instance(inventory, &inventory->vgpus[i], gpu, type))
            return true;
    }
    return false;
}

/* Whether the lease of this vGPU is one of those that go. */
static bool
is_gone(const struct ledger *ledger, const struct inventory_vgpu *vgpu, const bool *gone)
{
    const struct lease *lease = ledger_find(ledger, &vgpu->device);

    return lease && gone[lease - ledger->leases];
}

bool
eviction_frees_instance(const struct placement_problem *problem, size_t gpu, size_t type,
                        const bool *gone)
{
    const struct inventory *inventory = problem->inventory;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        if (is_gone(problem->ledger, &inventory->vgpus[i], gone) &&
            has_instance(inventory, &inventory->vgpus[i], gpu, type))
            return true;
    }
    return false;
}

/* What stays on a GPU. */
struct staying {
    uint64_t framebuffer; /* MiB of vGPUs whose size is known, if that of the type is */
    int same;             /* others of the type */
    bool on_parent;       /* any on this very parent */
    bool other_size;      /* any whose frame buffer keeps the type away */
};

static struct staying
find_staying(const struct inventory *inventory, size_t parent, const struct inventory_type *type)
{
    size_t gpu = inventory->parents[parent].gpu;
    struct staying staying = {0};

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &inventory->vgpus[i];
        const struct inventory_type *other;

        if (inventory->parents[vgpu->parent].gpu != gpu)
            continue;
        other = inventory_find_type(&inventory->gpus[gpu], &vgpu->type);
        if (other && other->framebuffer && type->framebuffer)
            staying.framebuffer += other->framebuffer;
        else
            staying.same += name_equal(&vgpu->type, &type->id);
        staying.on_parent |= vgpu->parent == parent;
        staying.other_size |=
            other && inventory_is_kept_off(&inventory->gpus[gpu], type, other->framebuffer);
    }
    return staying;
}

/* How many places for a type so much frame buffer takes. */
static int
places_of(const struct inventory_type *type, uint64_t framebuffer)
{
    return framebuffer ? (int)((framebuffer + type->framebuffer - 1) / type->framebuffer) : 0;
}

/* What a parent could offer of a type, once so many have gone from its GPU. */
static int
guess_available(const struct inventory *inventory, size_t index, size_t type, size_t cleared,
                enum eviction_guess guess)
{
    const struct inventory_parent *parent = &inventory->parents[index];
    const struct inventory_gpu *gpu = &inventory->gpus[parent->gpu];
    const struct inventory_type *kind = &gpu->types[type];
    struct staying staying = find_staying(inventory, index, kind);
    int available = parent->available[type], then;

    if ((available < 0 && guess != EVICTION_MOST) || staying.other_size ||
        !inventory_may_have(parent, kind))
        return available;
    if (!name_equal(&parent->name, &gpu->name))
        then = !staying.on_parent;
    else if (kind->max)
        then = (int)kind->max - staying.same - places_of(kind, staying.framebuffer);
    else
        then = guess == EVICTION_MOST     ? EVICTION_PLENTY
               : guess == EVICTION_LIKELY ? available + (int)cleared
                                          : available;
    return then > available ? then : available;
}

static void
copy_parents(struct inventory *inventory, const struct inventory *before)
{
    inventory->parents = memory_zeroed(before->parent_count, sizeof(*inventory->parents));
    for (; inventory->parent_count < before->parent_count; inventory->parent_count++) {
        const struct inventory_parent *parent = &before->parents[inventory->parent_count];
        size_t count = before->gpus[parent->gpu].count;
        int *available = memory_zeroed(count, sizeof(*available));

        if (count)
            memcpy(available, parent->available, count * sizeof(*available));
        inventory->parents[inventory->parent_count] = *parent;
        inventory->parents[inventory->parent_count].available = available;
    }
}

static void
make(struct eviction *eviction, const struct placement_problem *problem, const struct going *going,
     enum eviction_guess guess)
{
    struct inventory *inventory = &eviction->inventory;
    AUTO_FREE size_t *cleared = memory_zeroed(problem->inventory->gpu_count, sizeof(*cleared));

    *eviction = (struct eviction){.problem = *problem};
    eviction->problem.inventory = inventory;
    eviction->problem.ledger = &eviction->ledger;
    inventory->gpus = problem->inventory->gpus;
    inventory->gpu_count = problem->inventory->gpu_count;
    inventory->ineligible = problem->inventory->ineligible;
    inventory->ineligible_count = problem->inventory->ineligible_count;
    keep_leases(eviction, problem->ledger, going);
    copy_parents(inventory, problem->inventory);
    keep_vgpus(eviction, problem->inventory, going, cleared);
    for (size_t i = 0; i < inventory->parent_count; i++) {
        size_t gpu = inventory->parents[i].gpu;

        for (size_t type = 0; type < inventory->gpus[gpu].count; type++) {
            if (!cleared[gpu] && inventory->parents[i].available[type] >= 0)
                continue;
            if (!inventory_lacks_instance(problem->inventory, gpu, type) ||
                frees_instance(problem->inventory, gpu, type, going))
                inventory->parents[i].available[type] =
                    guess_available(inventory, i, type, cleared[gpu], guess);
        }
    }
}

void
eviction_make(struct eviction *eviction, const struct placement_problem *problem, const bool *gone,
              enum eviction_guess guess)
{
    AUTO(going_clear) struct going going = {0};
    const struct ledger *ledger = problem->ledger;

    going_init(&going, problem);
    memcpy(going.leases, gone, ledger->count * sizeof(*gone));
    for (size_t i = 0; i < problem->inventory->vgpu_count; i++)
        going.vgpus[i] = is_gone(ledger, &problem->inventory->vgpus[i], gone);
    make(eviction, problem, &going, guess);
}

/* A device that the domain runs with while it asks for more. */
static bool
is_kept_on(const struct placement_problem *problem, const struct lease *lease)
{
    return problem->running && lease->state == LEASE_HELD &&
           name_equal(&lease->domain, &problem->request->domain);
}

void
eviction_make_all(struct eviction *eviction, const struct placement_problem *problem,
                  bool foreign_too, enum eviction_guess guess)
{
    AUTO(going_clear) struct going going = {0};
    const struct ledger *ledger = problem->ledger;

    going_init(&going, problem);
    for (size_t i = 0; i < ledger->count; i++)
        going.leases[i] = !is_kept_on(problem, &ledger->leases[i]);
    for (size_t i = 0; i < problem->inventory->vgpu_count; i++) {
        const struct lease *lease = ledger_find(ledger, &problem->inventory->vgpus[i].device);

        going.vgpus[i] = lease ? going.leases[lease - ledger->leases] : foreign_too;
    }
    make(eviction, problem, &going, guess);
    eviction->problem.changed = NULL;
}

void
eviction_clear(struct eviction *eviction)
{
    for (size_t i = 0; i < eviction->inventory.parent_count; i++)
        free(eviction->inventory.parents[i].available);
    free(eviction->inventory.parents);
    free(eviction->inventory.vgpus);
    free(eviction->ledger.leases);
    *eviction = (struct eviction){0};
}
