/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/feasibility.h"
#include "base/memory.h"
#include "placement/constraints.h"
#include "placement/eviction.h"
#include "placement/placement.h"

#include <string.h>

/* --- a host without its vGPUs ----------------------------------------------------------------- */

/* What is asked of a host that is emptied. */
struct empty {
    bool foreign_too;
    enum eviction_guess guess;
    bool mixed; /* as if every GPU took several sizes */
};

static struct inventory_gpu *
copy_gpus(const struct inventory *inventory)
{
    struct inventory_gpu *gpus = memory_zeroed(inventory->gpu_count, sizeof(*gpus));

    for (size_t i = 0; i < inventory->gpu_count; i++) {
        gpus[i] = inventory->gpus[i];
        gpus[i].is_mixed = true;
    }
    return gpus;
}

/* Whether a parent is a virtual function that has a vGPU. */
static bool
is_in_use(const struct inventory *inventory, size_t parent)
{
    bool found = false;

    for (size_t i = 0;
         inventory->parents[parent].interface->hostdev == REQUEST_PCI && i < inventory->vgpu_count;
         i++)
        found |= inventory->vgpus[i].parent == parent;
    return found;
}

/* Virtual functions that had best not be named: what is avoided anyway, and what has a vGPU now. A
 * guest that is sent there might be given somebody else's. */
static void
list_in_use(const struct placement_problem *problem, struct names *ret)
{
    const struct inventory *inventory = problem->inventory;

    for (size_t i = 0; problem->avoided && i < problem->avoided->count; i++)
        names_append(ret, &problem->avoided->items[i]);
    for (size_t i = 0; i < inventory->parent_count; i++) {
        if (is_in_use(inventory, i))
            names_append(ret, &inventory->parents[i].name);
    }
}

/* The errors of placement_find. */
static int
find_empty(const struct placement_problem *problem, const struct empty *empty,
           struct placement_choice *choices, struct error *error)
{
    AUTO(eviction_clear) struct eviction eviction = {0};
    AUTO(names_clear) struct names in_use = {0};
    AUTO_FREE struct inventory_gpu *gpus = NULL;
    int rc;

    eviction_make_all(&eviction, problem, empty->foreign_too, empty->guess);
    if (empty->mixed) {
        gpus = copy_gpus(problem->inventory);
        eviction.inventory.gpus = gpus;
    }
    list_in_use(problem, &in_use);
    eviction.problem.rejection_count = 0;
    eviction.problem.avoided = &in_use;
    rc = placement_find(&eviction.problem, choices, error);
    eviction.problem.avoided = problem->avoided;
    return rc == REFUSED ? placement_find(&eviction.problem, choices, error) : rc;
}

/* --- what is not listed ----------------------------------------------------------------------- */

/* Whether an earlier demand has been given a virtual function already. */
static bool
is_given(const struct inventory *inventory, const struct placement_choice *choices, size_t count,
         size_t parent)
{
    bool is_vf = inventory->parents[parent].interface->hostdev == REQUEST_PCI;

    for (size_t i = 0; is_vf && i < count; i++) {
        if (choices[i].parent == parent)
            return true;
    }
    return false;
}

static bool
has_type(const struct inventory_gpu *gpu, const struct demand *demand, size_t *type)
{
    unsigned rank;

    for (*type = 0; *type < gpu->count; ++*type) {
        if (demand_ranks(demand, &gpu->types[*type], &rank))
            return true;
    }
    *type = FEASIBILITY_NO_TYPE;
    return false;
}

/* Whether policy and request let a demand have a parent; *unlisted: its GPU may have a type for it,
 * and lists none now. */
static bool
may_be_on(const struct capacity *capacity, const struct demand *demand, size_t parent,
          struct placement_choice *choice, bool *unlisted)
{
    const struct inventory *inventory = capacity->problem->inventory;
    size_t gpu = inventory->parents[parent].gpu, type;
    bool listed = has_type(&inventory->gpus[gpu], demand, &type);

    *choice = (struct placement_choice){PLACEMENT_CREATE, parent, type};
    *unlisted =
        inventory_may_have_more(inventory, gpu) && (!listed || !inventory_offers(inventory, gpu));
    return (listed || *unlisted) &&
           constraints_judge(capacity, demand, gpu, parent, listed ? type : CONSTRAINTS_ANY_TYPE) ==
               REASON_NONE;
}

/* Whether each demand has a parent, rather a free one, at least one of them where a type need only
 * not be listed now. */
static bool
find_unlisted(const struct placement_problem *problem, struct placement_choice *choices)
{
    const struct inventory *inventory = problem->inventory;
    const struct ledger nothing = {0};
    struct placement_problem empty = *problem;
    AUTO(capacity_clear) struct capacity capacity = {0};
    bool any = false;

    empty.ledger = &nothing;
    empty.changed = NULL;
    capacity_init(&capacity, &empty);
    for (size_t i = 0; i < problem->demands->count; i++) {
        const struct demand *demand = &problem->demands->items[i];
        size_t count = inventory->parent_count;
        bool found = false;

        for (size_t k = 0; !found && k < 2 * count; k++) {
            size_t parent = k % count;
            bool unlisted;

            found = is_in_use(inventory, parent) == k / count &&
                    !is_given(inventory, choices, i, parent) &&
                    may_be_on(&capacity, demand, parent, &choices[i], &unlisted);
            any |= found && unlisted;
        }
        if (!found)
            return false;
    }
    return any;
}

/* --- the answer ------------------------------------------------------------------------------- */

static void
forget_choices(const struct placement_problem *problem, struct placement_choice *choices)
{
    for (size_t i = 0; i < problem->demands->count; i++)
        choices[i] =
            (struct placement_choice){PLACEMENT_CREATE, FEASIBILITY_NO_PARENT, FEASIBILITY_NO_TYPE};
}

static enum feasibility
unknown(struct error *error, const char *what)
{
    struct error why = *error;

    error_set(error, 0, "%s", what);
    if (*why.text)
        error_add(error, "now %s", why.text);
    error->class = ERROR_NO_ROOM;
    error->line = why.line;
    return FEASIBILITY_UNKNOWN;
}

/* In the order of what is best known. The last row's refusal is what the emptied host says. */
static const struct {
    struct empty empty;
    const char *unknown; /* NULL: it is known */
} rows[] = {
    {{false, EVICTION_LEAST, false}, NULL},
    {{true, EVICTION_LEAST, false}, NULL},
    {{false, EVICTION_MOST, false}, "how many a GPU takes its driver does not tell"},
    {{true, EVICTION_MOST, false}, "how many a GPU takes its driver does not tell"},
    {{true, EVICTION_MOST, true}, "whether a GPU takes several sizes its driver does not tell"},
};

static enum feasibility
judge(const struct placement_problem *problem, bool waiting, struct placement_choice *choices,
      struct error *error)
{
    struct error now, empty = {0};
    int rc = placement_find(problem, choices, &now);

    if (rc == 0)
        return FEASIBILITY_YES;
    if (rc == REFUSED && now.class == ERROR_UNDECIDED) {
        forget_choices(problem, choices);
        *error = now;
        return FEASIBILITY_UNKNOWN;
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        *error = now;
        rc = find_empty(problem, &rows[i].empty, choices, &empty);
        if (rc == 0)
            return rows[i].unknown ? unknown(error, rows[i].unknown) : FEASIBILITY_YES;
        if (rc == REFUSED && empty.class == ERROR_UNDECIDED) {
            forget_choices(problem, choices);
            *error = empty;
            return FEASIBILITY_UNKNOWN;
        }
        /* What the emptied host says is the reason, unless that is only as if sizes were mixed. */
        if (!rows[i].empty.mixed && rows[i].empty.foreign_too)
            now = empty;
    }
    if (find_unlisted(problem, choices))
        return unknown(error, "not every type that a GPU has is listed now");
    *error = now;
    error->class = ERROR_NEVER;
    if (!waiting)
        return FEASIBILITY_NO;
    forget_choices(problem, choices);
    return unknown(error, "a GPU of vgpu.conf is not there yet");
}

enum feasibility
feasibility_judge(const struct placement_problem *problem, bool waiting,
                  struct placement_choice *choices, struct error *error)
{
    struct placement_problem together = *problem;
    size_t effort = 0;

    if (!together.effort)
        together.effort = &effort;
    return judge(&together, waiting, choices, error);
}

enum feasibility
feasibility_of(const struct placement_problem *problem, bool waiting, struct error *error)
{
    AUTO_FREE struct placement_choice *choices =
        memory_zeroed(problem->demands->count, sizeof(*choices));

    return feasibility_judge(problem, waiting, choices, error);
}
