/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/availability.h"
#include "apply/recovery.h"
#include "base/memory.h"
#include "lease/fate.h"
#include "lease/look.h"
#include "lease/marks.h"
#include "lease/statedir.h"
#include "placement/constraints.h"
#include "placement/fit.h"

/* Removes from the copy of the ledger the leases that any start would forget. Marks in `gone` the
 * leases whose vGPUs a start may remove. */
static void
find_evictable(struct availability *availability, const struct host *host)
{
    const struct name nobody = {0};
    struct ledger *ledger = &availability->ledger;
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    AUTO(look_clear) struct look look = {0};

    availability->gone = memory_zeroed(ledger->count, sizeof(*availability->gone));
    statedir_open_to_look(host, &statedir);
    availability->is_unsure = statedir_is_unsure(&statedir, ledger);
    marks_read(host, ledger);
    look_take_with(&look, &statedir, ledger, NULL);
    look_at_guests_if_needed(&look, &statedir);
    fate_sweep_cards(&statedir, &look, ledger);
    recovery_sort_others(&statedir, &look, &nobody, true, NULL, ledger, availability->gone);
}

static const struct demand_terms anybody = {.kinds = DEMAND_ANY_DEVICE};

/* Counts the places that are left, without those that must stay free. */
static struct bounds
count_left(const struct loads *loads, const struct inventory_type *type)
{
    struct fit fit;

    switch (fit_judge(loads, &anybody, type, &fit)) {
    case REASON_NONE:
        return fit.left;
    case REASON_UNREADABLE:
        return (struct bounds){.most = BOUNDS_ANY, .why = ROOM_UNREADABLE};
    default:
        return (struct bounds){.why = ROOM_FULL};
    }
}

/* Counts the places that are left, or that are left once a start has made room. */
static struct bounds
count_places(const struct availability *availability, const struct inventory_type *type)
{
    struct bounds left = count_left(&availability->now, type);
    struct bounds then = count_left(&availability->then, type);
    struct bounds best = count_left(&availability->best, type);

    if (best.most <= left.most)
        return left;
    /* Nothing is removed while there is room without that. What is removed later may leave more
     * room. */
    best.least = then.least > left.least ? then.least : left.least;
    best.why = best.least < best.most && best.why == ROOM_FREE ? ROOM_UNTOLD : best.why;
    return best;
}

/* Counts the kept vGPUs of a type. A guest that names one gets it, even if there is no place for
 * another: the places left are reserved, or there are more vGPUs than may be. */
static unsigned
count_kept(const struct availability *availability, const struct inventory_type *type)
{
    const struct ledger *ledger = &availability->ledger;
    unsigned count = 0;

    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];
        const struct inventory_vgpu *vgpu =
            placement_vgpu(&availability->problem, &lease->vgpu.device);

        if (lease->state != LEASE_KEPT || !vgpu || inventory_type_of(vgpu) != type)
            continue;
        count += constraints_judge(&availability->now, &anybody,
                                   &(struct place){vgpu->parent, type}) == REASON_NONE;
    }
    return count;
}

static struct bounds
judge(const struct availability *availability, const struct inventory_type *type)
{
    struct bounds places;
    unsigned kept;

    if (!availability->problem.policy->enabled)
        return (struct bounds){.why = ROOM_FULL};
    places = count_places(availability, type);
    kept = count_kept(availability, type);
    if (kept > places.most) {
        places.most = kept;
        places.why = ROOM_UNTOLD;
    }
    return places;
}

/* Judges each type once. Callers ask again for each figure, and nothing changes meanwhile. */
static void
judge_all(struct availability *availability)
{
    const struct inventory *inventory = availability->problem.inventory;

    availability->left = memory_zeroed(inventory->gpu_count, sizeof(*availability->left));
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct inventory_gpu *gpu = inventory->gpus[i];

        availability->left[i] = memory_zeroed(gpu->type_count, sizeof(**availability->left));
        for (size_t k = 0; k < gpu->type_count; k++)
            availability->left[i][k] = judge(availability, &gpu->types[k]);
    }
}

void
availability_init(struct availability *availability, const struct host *host,
                  const struct snapshot *snapshot)
{
    static const struct request nobody = {.name = (char *)""}; /* a domain that does not exist */
    static const struct demands none;

    *availability = (struct availability){0};
    ledger_copy(&snapshot->ledger, &availability->ledger);
    find_evictable(availability, host);
    availability->problem = snapshot_problem(snapshot, &nobody);
    availability->problem.demands = &none;
    availability->problem.ledger = &availability->ledger;
    availability->after = availability->problem;
    availability->after.gone = availability->gone;
    availability->best_after = availability->after;
    availability->best_after.in_best_order = true;
    loads_init(&availability->now, &availability->problem);
    loads_init(&availability->then, &availability->after);
    loads_init(&availability->best, &availability->best_after);
    judge_all(availability);
}

void
availability_clear(struct availability *availability)
{
    for (size_t i = 0; availability->left && i < availability->problem.inventory->gpu_count; i++)
        free(availability->left[i]);
    free(availability->left);
    loads_clear(&availability->now);
    loads_clear(&availability->then);
    loads_clear(&availability->best);
    free(availability->gone);
    ledger_clear(&availability->ledger);
}

struct bounds
availability_of(const struct availability *availability, const struct inventory_type *type)
{
    return availability->left[type->gpu->index][inventory_type_index(type)];
}
