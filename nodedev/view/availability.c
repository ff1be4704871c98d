/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/availability.h"
#include "apply/recovery.h"
#include "base/memory.h"
#include "lease/look.h"
#include "lease/statedir.h"
#include "placement/fit.h"

#include <limits.h>
#include <string.h>

/* What a start of anybody's would forget is forgotten in the copy, what it may remove is told. */
static void
find_evictable(struct availability *availability, const struct host *host)
{
    const struct name nobody = {0};
    struct ledger *ledger = &availability->ledger;
    AUTO_FREE bool *may_evict = NULL;
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    AUTO(look_clear) struct look look = {0};

    statedir_open_to_look(host, &statedir);
    look_take_with(&look, &statedir, ledger, NULL);
    look_at_guests_if_needed(&look, &statedir);
    may_evict = memory_zeroed(ledger->count, sizeof(*may_evict));
    recovery_sort_others(&statedir, &look, &nobody, true, NULL, ledger, may_evict);
    eviction_make(&availability->after, &availability->now, may_evict, EVICTION_MOST);
}

void
availability_init(struct availability *availability, const struct host *host,
                  const struct snapshot *snapshot)
{
    *availability = (struct availability){.request = {.name = memory_copy("")}};
    availability->now = snapshot_problem(snapshot, &availability->request);
    availability->now.demands = &availability->demands;
    availability->now.ledger = &availability->ledger;
    ledger_copy(&snapshot->ledger, &availability->ledger);
    find_evictable(availability, host);
}

void
availability_clear(struct availability *availability)
{
    eviction_clear(&availability->after);
    request_clear(&availability->request);
    ledger_clear(&availability->ledger);
}

/* Several functions may each offer a place, and the GPU not have it for all of them: only its own
 * limit tells that, and that is not a limit of mixed sizes or of GPU instances. Nor is it known
 * what a driver takes once something is gone, if its limit is only what vgpu.conf says. */
static bool
is_known(const struct inventory *inventory, size_t gpu, size_t type, int left, bool evicts)
{
    const struct inventory_gpu *card = &inventory->gpus[gpu];
    const struct inventory_type *kind = &card->types[type];
    bool is_exact =
        card->is_summed || kind->is_pooled || (kind->max && inventory_max_counts_all(card, kind));
    size_t parents = 0;

    for (size_t i = 0; i < inventory->parent_count; i++)
        parents += inventory->parents[i].gpu == gpu;
    return evicts ? is_exact && !kind->is_limited : is_exact || parents == 1 || left <= 1;
}

/* Places left by everything but what is to stay free; -errno: unreadable. */
static int
count_left(const struct placement_problem *problem, size_t gpu, size_t type)
{
    const struct demand demand = {.label = "", .wanted = "", .numa = POLICY_NUMA_IGNORE};
    AUTO(capacity_clear) struct capacity capacity = {0};
    struct fit fit = {0};

    if (!problem->policy->enabled)
        return 0;
    capacity_init(&capacity, problem);
    switch (fit_judge(&capacity, &demand, gpu, type, &fit)) {
    case REASON_NONE:
        return fit.room < INT_MAX ? (int)fit.room : INT_MAX;
    case REASON_UNREADABLE:
        return problem->inventory->parents[fit.parent].available[type];
    default:
        return 0;
    }
}

unsigned
availability_memory(const struct availability *availability, size_t gpu)
{
    AUTO(capacity_clear) struct capacity capacity = {0};

    capacity_init(&capacity, &availability->after.problem);
    return capacity_free(&capacity, gpu);
}

int
availability_of(const struct availability *availability, size_t gpu, size_t type, int *at_most)
{
    const struct placement_problem *now = &availability->now;
    const struct placement_problem *after = &availability->after.problem;
    int left = count_left(now, gpu, type), then = count_left(after, gpu, type);
    bool evicts = then > left;

    *at_most = evicts ? then : left;
    if (*at_most >= EVICTION_PLENTY / 2)
        *at_most = -ENODATA;
    if (*at_most < 0)
        return *at_most;
    return is_known(now->inventory, gpu, type, *at_most, evicts) ? *at_most : -ENODATA;
}
