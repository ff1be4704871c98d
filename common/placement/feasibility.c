/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/feasibility.h"
#include "base/array.h"
#include "placement/constraints.h"
#include "placement/placement.h"

#include <string.h>

/* --- a host without its vGPUs ----------------------------------------------------------------- */

/* Whether a parent is a virtual function that has a vGPU. */
static bool
is_in_use(const struct inventory_parent *parent)
{
    return parent->interface->hostdev == REQUEST_PCI &&
           ARRAY_HAS(parent->gpu->vgpus, parent->gpu->vgpu_count, vgpu, (*vgpu)->parent == parent);
}

/* Virtual functions that had better not be named: those that are avoided anyway, those with a vGPU
 * now, and those of a GPU that is closed today. A guest that is sent to a function in use might be
 * given somebody else's vGPU. */
static void
list_avoided(const struct placement_problem *problem, struct names *ret)
{
    const struct inventory *inventory = problem->inventory;

    for (size_t i = 0; problem->avoided && i < problem->avoided->count; i++)
        ARRAY_ADD(ret->items, ret->count, problem->avoided->items[i]);
    for (size_t i = 0; i < inventory->parent_count; i++) {
        const struct inventory_parent *parent = inventory->parents[i];

        if (is_in_use(parent) ||
            constraints_closed(problem->ledger, &parent->gpu->name, &problem->request->domain,
                               false) != REASON_NONE)
            ARRAY_ADD(ret->items, ret->count, parent->name);
    }
}

/* As placement_find, for another day. Takes functions that are avoided only if there is no other
 * way. */
static int
find_empty(const struct placement_problem *problem, struct placement_choice *choices,
           struct error *error)
{
    AUTO(names_clear) struct names avoided = {0};
    struct placement_problem free = *problem;
    int rc;

    list_avoided(problem, &avoided);
    free.avoided = &avoided;
    rc = placement_find(&free, choices, error);
    return rc == REFUSED ? placement_find(problem, choices, error) : rc;
}

/* What is not known of the places that were chosen. The first of them that is not sure counts. */
static const char *
find_unknown(const struct placement_problem *problem, const struct placement_choice *choices)
{
    static const char *const words[] = {
        [ROOM_UNREADABLE] = "how many a GPU takes its driver does not tell",
        [ROOM_WITHHELD] = "why a GPU without vGPUs offers nothing its driver does not tell",
        [ROOM_UNTOLD] = "how many a GPU takes its driver does not tell",
        [ROOM_MIXING] = "whether a GPU takes several sizes its driver does not tell",
        [ROOM_FREE] = NULL,
    };
    AUTO(loads_clear) struct loads loads = {0};
    const char *found = NULL;

    loads_init(&loads, problem);
    for (size_t i = 0; i < problem->demands->count && !found; i++) {
        const struct place *place = &choices[i].place;

        if (choices[i].way != PLACEMENT_CREATE)
            continue;
        found = words[gpu_room_at(loads_on(&loads, place->parent->gpu), place).why];
        loads_take(&loads, place);
    }
    return found ? found : words[ROOM_UNTOLD];
}

/* --- what is not listed ----------------------------------------------------------------------- */

/* Whether an earlier demand has got this virtual function already. */
static bool
is_given(const struct placement_choice *choices, size_t count,
         const struct inventory_parent *parent)
{
    return parent->interface->hostdev == REQUEST_PCI &&
           ARRAY_HAS(choices, count, choice, choice->place.parent == parent);
}

static const struct inventory_type *
find_type(const struct inventory_gpu *gpu, const struct demand *demand)
{
    unsigned rank;

    return ARRAY_FIND(gpu->types, gpu->type_count, type, demand_ranks(&demand->terms, type, &rank));
}

/* Whether policy and request let a demand have a parent. *unlisted: the GPU may have a type for the
 * demand that its driver does not list or offer now. */
static bool
may_be_on(const struct loads *loads, const struct demand *demand,
          const struct inventory_parent *parent, struct placement_choice *choice, bool *unlisted)
{
    const struct inventory_gpu *gpu = parent->gpu;
    const struct place place = {parent, find_type(gpu, demand)};

    *choice = (struct placement_choice){PLACEMENT_CREATE, place};
    *unlisted = inventory_may_have_more(gpu) && (!place.type || !inventory_offers(gpu));
    return (place.type || *unlisted) &&
           constraints_judge(loads, &demand->terms, &place) == REASON_NONE;
}

/* Whether each demand can have a parent. At least one of the demands gets a type that its GPU may
 * have, but does not list or offer now. Free parents are taken first. */
static bool
find_unlisted(const struct placement_problem *problem, struct placement_choice *choices)
{
    const struct inventory *inventory = problem->inventory;
    const struct ledger nothing = {0};
    struct placement_problem empty = *problem;
    AUTO(loads_clear) struct loads loads = {0};
    bool any = false;

    empty.host = PLACEMENT_EMPTY;
    empty.ledger = &nothing;
    empty.changed = NULL;
    empty.gone = NULL;
    loads_init(&loads, &empty);
    for (size_t i = 0; i < problem->demands->count; i++) {
        const struct demand *demand = &problem->demands->items[i];
        size_t count = inventory->parent_count;
        bool found = false;

        for (size_t k = 0; !found && k < 2 * count; k++) {
            const struct inventory_parent *parent = inventory->parents[k % count];
            bool unlisted;

            found = is_in_use(parent) == k / count && !is_given(choices, i, parent) &&
                    may_be_on(&loads, demand, parent, &choices[i], &unlisted);
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
        choices[i] = (struct placement_choice){PLACEMENT_CREATE, {NULL, NULL}};
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

/* Rows that need places for sure come first. If all rows are refused, the caller gets the refusal
 * of the last one, which asks for the least. */
static const struct {
    enum placement_host host;
    enum placement_certainty certainty;
} rows[] = {
    {PLACEMENT_WITHOUT_OURS, PLACEMENT_SURE},
    {PLACEMENT_EMPTY, PLACEMENT_SURE},
    {PLACEMENT_WITHOUT_OURS, PLACEMENT_TRY},
    {PLACEMENT_EMPTY, PLACEMENT_TRY},
};

static enum feasibility
undecided(const struct placement_problem *problem, struct placement_choice *choices)
{
    forget_choices(problem, choices);
    return FEASIBILITY_UNKNOWN;
}

/* Judges the emptied host. FEASIBILITY_NO, with its refusal in error: it has no place. */
static enum feasibility
judge_empty(const struct placement_problem *problem, const struct error *now,
            struct placement_choice *choices, struct error *error)
{
    struct placement_problem then = *problem;

    then.changed = NULL;
    then.gone = NULL;
    then.rejection_count = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        then.host = rows[i].host;
        then.certainty = rows[i].certainty;
        if (find_empty(&then, choices, error) == 0) {
            *error = *now;
            return then.certainty == PLACEMENT_SURE ? FEASIBILITY_YES
                                                    : unknown(error, find_unknown(&then, choices));
        }
        if (error->class == ERROR_UNDECIDED)
            return undecided(problem, choices);
    }
    return FEASIBILITY_NO;
}

static enum feasibility
judge(const struct placement_problem *problem, bool waiting, struct placement_choice *choices,
      struct error *error)
{
    enum feasibility ever;
    struct error now;

    if (placement_find(problem, choices, &now) == 0)
        return FEASIBILITY_YES;
    *error = now;
    if (now.class == ERROR_UNDECIDED)
        return undecided(problem, choices);
    ever = judge_empty(problem, &now, choices, error);
    if (ever != FEASIBILITY_NO)
        return ever;
    if (!demands_conflict(problem->demands, problem->inventory) && find_unlisted(problem, choices))
        return unknown(error, "not every type that a GPU has is listed now");
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

bool
feasibility_is_disabled(const struct placement_problem *problem, bool waiting)
{
    const struct policy *policy = problem->policy;
    AUTO_FREE struct policy_gpu *gpus = memory_zeroed(policy->gpu_count, sizeof(*gpus));
    struct placement_problem then = *problem;
    struct policy enabling = *policy;
    struct error ignored;

    for (size_t i = 0; i < policy->gpu_count; i++) {
        gpus[i] = policy->gpus[i];
        gpus[i].enabled = true;
    }
    enabling.gpus = gpus;
    then.policy = &enabling;
    return feasibility_of(&then, waiting, &ignored) != FEASIBILITY_NO;
}
