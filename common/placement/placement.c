/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/placement.h"
#include "base/array.h"
#include "placement/alternatives.h"
#include "placement/candidate.h"
#include "placement/constraints.h"
#include "placement/eviction.h"
#include "placement/reason.h"

#include <string.h>

/* All of it happens under the lock, so the search is bounded: by candidates tried, and by parents
 * looked at, about two seconds' worth on a large host. */
#define MOST_TRIES 100000
#define MOST_LOOKS 2000000

struct ban {
    size_t demand; /* the first of those that are alike */
    size_t gpu, type;
};

struct search {
    const struct placement_question *question;
    struct room room;
    size_t *order; /* the demands that need a place, most constrained first */
    size_t count;
    struct placement_choice *choices;
    struct ban *bans;
    size_t ban_count;
    size_t tries, looks;
    size_t settled; /* demands that were looked at for what is there already */
};

static void
search_clear(struct search *search)
{
    room_clear(&search->room);
    free(search->order);
    free(search->bans);
}

/* --- what is there already -------------------------------------------------------------------- */

static bool
is_others(const struct placement_question *question, const struct lease *lease)
{
    return lease && !name_equal(&lease->domain, &question->request->domain);
}

/* What a guest can be given instead of what is in its way. */
static const char *
other_source(const struct demand *demand)
{
    return demand_place(demand) ? "another virtual function" : "another UUID";
}

/* A vGPU that is there already under the demand's source: it is the one (1), or it is in the way.
 */
static int
settle_existing(struct search *search, const struct demand *demand, struct placement_choice *choice,
                struct error *error)
{
    const struct placement_question *question = search->question;
    const struct inventory *inventory = question->inventory;
    const struct name *device = &demand->hostdev->source;
    const struct inventory_vgpu *vgpu = inventory_find_vgpu(inventory, device);
    const struct lease *lease = ledger_find(question->ledger, device);
    const struct inventory_gpu *gpu;
    const struct inventory_type *type;
    enum verdict verdict;
    unsigned rank;
    size_t index;

    if (demand->freedom != DEMAND_AS_IT_SAYS)
        return 0;
    if (is_others(question, lease) &&
        (lease->state == LEASE_LEAVING || lease->state == LEASE_REMOVING))
        return error_set(
            error, -EEXIST,
            "%s: the vGPU %s is still being given back by the guest %s (%s); try again",
            demand->label, device->text, lease->domain_name, lease_state_name(lease->state));
    if (is_others(question, lease) && lease->state != LEASE_KEPT)
        return error_set(error, -EEXIST,
                         "%s: the vGPU %s belongs to the guest %s (%s); give this guest %s",
                         demand->label, device->text, lease->domain_name,
                         lease_state_name(lease->state), other_source(demand));
    if (!vgpu)
        return 0;
    index = inventory->parents[vgpu->parent].gpu;
    gpu = &inventory->gpus[index];
    type = inventory_find_type(gpu, &vgpu->type);
    if (!type)
        return error_set(error, -EEXIST,
                         "%s: a device %s is there already, and being made or removed by somebody "
                         "else",
                         demand->label, device->text);
    if (!demand_ranks(demand, type, &rank))
        return error_set(error, -EEXIST,
                         "%s: a vGPU %s is there already, of type %s (%s) on %s and not %s; remove "
                         "it, or give this guest %s",
                         demand->label, device->text, type->id.text, type->name, gpu->name.text,
                         demand->wanted, other_source(demand));
    *choice = (struct placement_choice){
        .way = lease && lease->origin == LEASE_MADE ? PLACEMENT_TAKE : PLACEMENT_FIND,
        .parent = vgpu->parent,
        .type = (size_t)(type - gpu->types),
    };
    verdict = rules_judge(&search->room, demand, index, vgpu->parent, choice->type);
    if (verdict != VERDICT_GOOD)
        return error_set(error, -EEXIST, "%s: the vGPU %s is there already, on %s, which %s",
                         demand->label, device->text, gpu->name.text, reason_of_rule(verdict));
    room_settle(&search->room, choice->parent, choice->type);
    return 1;
}

/* Settles what is there, and collects the demands that need a place. */
static int
begin(struct search *search, const struct placement_question *question,
      struct placement_choice *choices, struct error *error)
{
    *search = (struct search){.question = question, .choices = choices};
    search->order = calloc(question->demands->count + 1, sizeof(*search->order));
    if (!search->order || room_init(&search->room, question) < 0)
        return error_set(error, -ENOMEM, "no memory for the placement");
    for (; search->settled < question->demands->count; search->settled++) {
        size_t i = search->settled;
        int rc = settle_existing(search, &question->demands->items[i], &choices[i], error);

        if (rc < 0) {
            others_add(&search->room, &question->demands->items[i], error);
            return rc;
        }
        if (rc == 0)
            search->order[search->count++] = i;
    }
    return 0;
}

/* --- what is to be made ----------------------------------------------------------------------- */

static bool
same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* Demands that may change places in any assignment. */
static bool
is_alike(const struct demand *a, const struct demand *b)
{
    const struct request_device *left = a->device, *right = b->device;

    return a->class == b->class && a->order == b->order && a->numa == b->numa &&
           demand_may_be(a, REQUEST_MDEV) == demand_may_be(b, REQUEST_MDEV) &&
           demand_may_be(a, REQUEST_PCI) == demand_may_be(b, REQUEST_PCI) && !demand_place(a) &&
           !demand_place(b) && same_text(a->wanted, b->wanted) &&
           same_text(left ? left->parent : NULL, right ? right->parent : NULL) &&
           same_text(left ? left->traits : NULL, right ? right->traits : NULL);
}

static bool
is_banned(const struct search *search, const struct demand *demand,
          const struct candidate *candidate)
{
    for (size_t i = 0; i < search->ban_count; i++) {
        const struct ban *ban = &search->bans[i];

        if (ban->gpu == candidate->gpu && ban->type == candidate->type &&
            is_alike(demand, &search->question->demands->items[ban->demand]))
            return true;
    }
    return false;
}

/*
 * Depth first. What has failed for a demand is not tried for one that is alike and comes after it:
 * the two could change places. That keeps a request for many equal vGPUs from trying all orders.
 * 1: placed; 0: there is no way; -ENOMEM, -E2BIG.
 */
static int
place(struct search *search, size_t depth)
{
    const struct demand *demand;
    AUTO_FREE struct candidate *candidates = NULL;
    size_t count, bans = search->ban_count;
    int rc;

    if (depth == search->count)
        return 1;
    demand = &search->question->demands->items[search->order[depth]];
    search->looks += search->question->inventory->parent_count;
    if (search->looks > MOST_LOOKS)
        return -E2BIG;
    rc = candidate_list(&search->room, demand, &candidates, &count);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct ban ban = {search->order[depth], candidates[i].gpu, candidates[i].type};

        if (is_banned(search, demand, &candidates[i]))
            continue;
        if (++search->tries > MOST_TRIES)
            return -E2BIG;
        room_occupy(&search->room, candidates[i].parent, candidates[i].type);
        rc = place(search, depth + 1);
        room_leave(&search->room);
        if (rc > 0)
            search->choices[search->order[depth]] =
                (struct placement_choice){PLACEMENT_MAKE, candidates[i].parent, candidates[i].type};
        else if (rc == 0)
            rc = ARRAY_ADD(search->bans, search->ban_count, ban);
    }
    search->ban_count = bans;
    return rc;
}

/* Those with the fewest candidates first; equal ones keep their order. -ENOSPC if one has none. */
static int
sort_by_choice(struct search *search, struct error *error)
{
    AUTO_FREE size_t *counts = calloc(search->count + 1, sizeof(*counts));

    if (!counts)
        return error_set(error, -ENOMEM, "no memory for the placement");
    for (size_t i = 0; i < search->count; i++) {
        const struct demand *demand = &search->question->demands->items[search->order[i]];
        AUTO_FREE struct candidate *candidates = NULL;
        size_t moving = search->order[i], k = i;

        if (candidate_list(&search->room, demand, &candidates, &counts[i]) < 0)
            return error_set(error, -ENOMEM, "no memory for the placement");
        if (counts[i] == 0)
            return reason_none(&search->room, demand, error);
        for (size_t mine = counts[i]; k > 0 && counts[k - 1] > mine; k--) {
            counts[k] = counts[k - 1];
            counts[k - 1] = mine;
            search->order[k] = search->order[k - 1];
        }
        search->order[k] = moving;
    }
    return 0;
}

/* Gives each the best that is left, until one finds nothing: that one says why. */
static int
explain_together(struct search *search, struct error *error)
{
    const struct demand *demand = NULL;

    for (size_t i = 0; i < search->count; i++) {
        AUTO_FREE struct candidate *candidates = NULL;
        size_t count;

        demand = &search->question->demands->items[search->order[i]];
        if (candidate_list(&search->room, demand, &candidates, &count) < 0 || count == 0)
            break;
        room_occupy(&search->room, candidates[0].parent, candidates[0].type);
    }
    return reason_not_together(&search->room, search->order, search->count, demand, error);
}

int
placement_find(const struct placement_question *question, struct placement_choice *choices,
               struct error *error)
{
    AUTO(search_clear) struct search search;
    int rc = begin(&search, question, choices, error);

    if (rc == 0)
        rc = sort_by_choice(&search, error);
    if (rc < 0)
        return rc;
    rc = place(&search, 0);
    if (rc > 0)
        return 0;
    if (rc == 0)
        return explain_together(&search, error);
    if (rc == -E2BIG)
        return error_set(error, rc,
                         "its %zu vGPUs can be placed in more ways than were tried; name a parent "
                         "for some of them",
                         question->demands->count);
    return error_set(error, rc, "no memory for the placement");
}

/* The first lease that helps a demand which has no candidate. -ENOSPC if one cannot be helped: then
 * nothing is to be reaped in vain for another. */
static int
reap_for(struct search *search, const bool *may_reap, bool together, size_t *best)
{
    for (size_t i = 0; i < search->count; i++) {
        const struct demand *demand = &search->question->demands->items[search->order[i]];
        AUTO_FREE struct candidate *candidates = NULL;
        size_t count, lease;

        if (candidate_list(&search->room, demand, &candidates, &count) < 0)
            return -ENOMEM;
        if (count > 0 && together)
            room_occupy(&search->room, candidates[0].parent, candidates[0].type);
        if (count > 0)
            continue;
        lease = candidate_reap(&search->room, demand, may_reap);
        if (lease == SIZE_MAX)
            return -ENOSPC;
        *best = *best == SIZE_MAX ? lease : *best;
    }
    return 0;
}

/* Those whom the fewest GPUs could ever take first. */
static int
sort_by_chances(struct search *search, const bool *may_reap)
{
    AUTO_FREE size_t *chances = calloc(search->count + 1, sizeof(*chances));

    if (!chances)
        return -ENOMEM;
    for (size_t i = 0; i < search->count; i++) {
        size_t moving = search->order[i], k = i;
        size_t mine = candidate_count_chances(&search->room,
                                              &search->question->demands->items[moving], may_reap);

        for (; k > 0 && chances[k - 1] > mine; k--) {
            chances[k] = chances[k - 1];
            search->order[k] = search->order[k - 1];
        }
        chances[k] = mine;
        search->order[k] = moving;
    }
    return 0;
}

/* Whether all demands could be met together if some leases' devices were gone; if that cannot be
 * told, they could. */
static bool
could_meet(const struct placement_question *question, const bool *gone,
           struct placement_choice *choices)
{
    AUTO(clearance_clear) struct clearance clearance = {0};
    struct error ignored;
    int rc = clearance_make(&clearance, question, gone, CLEARANCE_MOST);

    if (rc == 0)
        rc = placement_find(&clearance.question, choices, &ignored);
    return rc != -ENOSPC && rc != -ENOENT;
}

/* The same of all that may be reaped. What has a demanded UUID may stay, or make room for another.
 */
static bool
could_meet_all(const struct placement_question *question, const bool *may_reap,
               struct placement_choice *choices)
{
    const struct demands *demands = question->demands;
    AUTO_FREE bool *gone = calloc(question->ledger->count + 1, sizeof(*gone));

    for (int keep = 0; gone && keep < 2; keep++) {
        for (size_t i = 0; i < question->ledger->count; i++)
            gone[i] = may_reap[i];
        for (size_t i = 0; keep && i < demands->count; i++) {
            const struct lease *lease =
                ledger_find(question->ledger, &demands->items[i].hostdev->source);

            if (lease)
                gone[lease - question->ledger->leases] = false;
        }
        if (could_meet(question, gone, choices))
            return true;
    }
    return !gone;
}

size_t
placement_reap(const struct placement_question *question, const bool *may_reap)
{
    AUTO(search_clear) struct search search = {0};
    AUTO_FREE struct placement_choice *choices =
        calloc(question->demands->count + 1, sizeof(*choices));
    const struct demands *demands = question->demands;
    struct error ignored;
    size_t best = SIZE_MAX;
    int rc;

    if (!choices)
        return best;
    /* What has a demanded UUID and may not stay goes first, if at all: nothing else would help. */
    if (begin(&search, question, choices, &ignored) < 0) {
        const struct lease *lease =
            ledger_find(question->ledger, &demands->items[search.settled].hostdev->source);

        best = lease ? (size_t)(lease - question->ledger->leases) : SIZE_MAX;
        return best != SIZE_MAX && may_reap[best] && could_meet(question, may_reap, choices)
                   ? best
                   : SIZE_MAX;
    }
    /* First by themselves; and if each then has a way, with the others having the best that is
     * left. */
    rc = reap_for(&search, may_reap, false, &best);
    if (rc == 0 && best == SIZE_MAX)
        rc = sort_by_chances(&search, may_reap);
    if (rc == 0 && best == SIZE_MAX)
        rc = reap_for(&search, may_reap, true, &best);
    /* Nothing is reaped in vain, which a lone demand's has been seen not to be already. */
    if (rc == 0 && best != SIZE_MAX && demands->count > 1 &&
        !could_meet_all(question, may_reap, choices))
        return SIZE_MAX;
    return rc < 0 ? SIZE_MAX : best;
}
