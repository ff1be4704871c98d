/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/fit.h"
#include "base/memory.h"
#include "placement/constraints.h"

#include <string.h>

/* Whether a <vgpu:device> names this parent. Other demands leave the parent alone while they can
 * have another one. The function that is the source of a hostdev does not count here: no other
 * parent will do for that demand. */
static bool
is_named(const struct loads *loads, const struct inventory_parent *parent)
{
    const struct placement_problem *problem = loads->problem;

    for (size_t i = 0; i < problem->demands->count; i++) {
        const char *named = problem->demands->items[i].terms.attributes.said[ATTRIBUTE_PARENT];

        if (named && !strcmp(named, parent->name.text))
            return true;
    }
    return false;
}

static enum reason
reason_of(enum room_why why)
{
    static const enum reason reasons[] = {
        [ROOM_NEVER] = REASON_NO_TYPE,
        [ROOM_UNREADABLE] = REASON_UNREADABLE,
        [ROOM_FULL] = REASON_FULL,
        [ROOM_IN_USE] = REASON_IN_USE,
        [ROOM_OTHER_SIZE] = REASON_OTHER_SIZE,
        [ROOM_WITHHELD] = REASON_FULL,
        [ROOM_UNTOLD] = REASON_FULL,
        [ROOM_MIXING] = REASON_OTHER_SIZE,
        [ROOM_FREE] = REASON_NONE,
    };

    return reasons[why];
}

static bool
wants_sure(const struct loads *loads, const struct gpu_load *load)
{
    return loads->problem->certainty == PLACEMENT_SURE ||
           (loads->problem->certainty == PLACEMENT_TRY_SEEN && load->drops > 0);
}

/* What is against one place, beside a rule. *counts: whether the place is a part of the GPU's room.
 * A place that only another demand may have is one too, because places that are to stay free may be
 * there. */
static enum reason
judge_place(const struct loads *loads, enum reason rule, const struct place *place, bool *counts)
{
    const struct gpu_load *load = loads_on(loads, place->parent->gpu);
    struct bounds here;
    unsigned places;

    *counts = false;
    if (place_available(place) == INVENTORY_NEVER)
        return REASON_NO_TYPE;
    if (gpu_load_on(load, place->parent)->is_owned)
        return rule == REASON_NONE ? REASON_FULL : rule;
    *counts = rule == REASON_OTHER_PARENT || rule == REASON_OTHER_VF;
    if (rule != REASON_NONE)
        return rule;
    here = gpu_room_at(load, place);
    places = wants_sure(loads, load) ? here.least : here.most;
    if (places == 0)
        return reason_of(here.why);
    if (loads_is_rejected(loads, place))
        return REASON_REJECTED;
    *counts = true;
    return REASON_NONE;
}

/* The reason of the parent that came closest. usable: over which parents the GPU's room is
 * counted. */
static enum reason
judge_parents(const struct loads *loads, const enum reason *rules,
              const struct inventory_type *type, bool *usable, struct fit *ret)
{
    enum reason reason = REASON_NO_TYPE;
    bool named = false;

    for (size_t i = 0; i < type->gpu->parent_count; i++) {
        const struct place place = {type->gpu->parents[i], type};
        enum reason here = judge_place(loads, rules[i], &place, &usable[i]);

        ret->places += here == REASON_NONE;
        if (here > reason || (here == REASON_NONE && named && !is_named(loads, place.parent))) {
            reason = here;
            ret->place = place;
            named = is_named(loads, place.parent);
        }
    }
    return reason;
}

static unsigned
less(unsigned count, size_t reserve)
{
    if (count == BOUNDS_ANY)
        return count;
    return count > reserve ? count - (unsigned)reserve : 0;
}

enum reason
fit_judge_by(const struct loads *loads, const enum reason *rules, const struct inventory_type *type,
             struct fit *ret)
{
    const struct gpu_load *load = loads_on(loads, type->gpu);
    const struct policy_gpu *policy = policy_find_gpu(loads->problem->policy, &type->gpu->name);
    AUTO_FREE bool *usable = memory_zeroed(type->gpu->parent_count, sizeof(*usable));
    size_t reserve = policy ? policy->reserve : 0;
    enum reason reason;
    struct bounds left;

    *ret = (struct fit){.used = load->kept + load->puts};
    reason = judge_parents(loads, rules, type, usable, ret);
    left = gpu_room_left(load, type, usable);
    ret->total = ret->used + left.most;
    if (reason != REASON_NONE)
        return reason;
    if (left.most == 0)
        return REASON_FULL;
    ret->left = left;
    ret->left.least = less(left.least, reserve);
    ret->left.most = less(left.most, reserve);
    return (wants_sure(loads, load) ? ret->left.least : ret->left.most) ? REASON_NONE
                                                                        : REASON_RESERVED;
}

enum reason
fit_judge(const struct loads *loads, const struct demand_terms *terms,
          const struct inventory_type *type, struct fit *ret)
{
    AUTO_FREE enum reason *rules = memory_zeroed(type->gpu->parent_count, sizeof(*rules));

    for (size_t i = 0; i < type->gpu->parent_count; i++) {
        const struct place place = {type->gpu->parents[i], type};

        rules[i] = constraints_judge(loads, terms, &place);
    }
    return fit_judge_by(loads, rules, type, ret);
}
