/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/fit.h"
#include "base/memory.h"
#include "placement/constraints.h"

#include <string.h>

/* Whether a request names this parent. Other demands leave it alone while they can have another
 * one. A hostdev that names its function leaves no choice, and does not count here. */
static bool
is_named(const struct rooms *rooms, size_t parent)
{
    const struct placement_problem *problem = rooms->problem;
    const char *name = problem->inventory->parents[parent].name.text;

    for (size_t i = 0; i < problem->demands->count; i++) {
        const struct request_device *device = problem->demands->items[i].device;

        if (device && device->parent && !strcmp(device->parent, name))
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
        [ROOM_UNTOLD] = REASON_FULL,
        [ROOM_MIXING] = REASON_OTHER_SIZE,
        [ROOM_FREE] = REASON_NONE,
    };

    return reasons[why];
}

static bool
wants_sure(const struct rooms *rooms, size_t gpu)
{
    return rooms->problem->certainty == PLACEMENT_SURE ||
           (rooms->problem->certainty == PLACEMENT_TRY_SEEN && rooms->gpus[gpu].drops > 0);
}

/* What stands against one parent. *counts: its places are the GPU's room, be they this demand's or
 * not; they may have to stay free. */
static enum reason
judge_parent(const struct rooms *rooms, const struct demand *demand, size_t gpu, size_t parent,
             size_t type, bool *counts)
{
    enum reason reason;
    struct bounds here;
    unsigned places;

    *counts = false;
    if (gpu_load_word(&rooms->gpus[gpu], type, parent) == INVENTORY_NEVER)
        return REASON_NO_TYPE;
    reason = constraints_judge(rooms, demand, gpu, parent, type);
    if (rooms->owned[parent])
        return reason == REASON_NONE ? REASON_FULL : reason;
    *counts = reason == REASON_OTHER_PARENT || reason == REASON_OTHER_VF;
    if (reason != REASON_NONE)
        return reason;
    here = gpu_room_at(&rooms->gpus[gpu], type, parent);
    places = wants_sure(rooms, gpu) ? here.least : here.most;
    if (places == 0)
        return reason_of(here.why);
    if (rooms_is_rejected(rooms, parent, type))
        return REASON_REJECTED;
    *counts = true;
    return REASON_NONE;
}

/* The reason of the parent that came closest. usable: over which parents the GPU's room is
 * counted. */
static enum reason
judge_parents(const struct rooms *rooms, const struct demand *demand, size_t gpu, size_t type,
              bool *usable, struct fit *ret)
{
    const struct gpu_load *room = &rooms->gpus[gpu];
    enum reason reason = REASON_NO_TYPE;
    bool named = false;

    for (size_t i = 0; i < room->parent_count; i++) {
        size_t parent = room->parents[i];
        enum reason here = judge_parent(rooms, demand, gpu, parent, type, &usable[parent]);

        ret->places += here == REASON_NONE;
        if (here > reason || (here == REASON_NONE && named && !is_named(rooms, parent))) {
            reason = here;
            ret->parent = parent;
            named = is_named(rooms, parent);
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
fit_judge(const struct rooms *rooms, const struct demand *demand, size_t gpu, size_t type,
          struct fit *ret)
{
    const struct inventory *inventory = rooms->problem->inventory;
    const struct policy_gpu *policy =
        policy_find_gpu(rooms->problem->policy, &inventory->gpus[gpu].name);
    AUTO_FREE bool *usable = memory_zeroed(inventory->parent_count, sizeof(*usable));
    size_t reserve = policy ? policy->reserve : 0;
    enum reason reason;
    struct bounds left;

    *ret = (struct fit){.used = rooms->gpus[gpu].made + rooms->gpus[gpu].puts};
    reason = judge_parents(rooms, demand, gpu, type, usable, ret);
    left = gpu_room_left(&rooms->gpus[gpu], type, usable);
    ret->total = ret->used + left.most;
    if (reason != REASON_NONE)
        return reason;
    if (left.most == 0)
        return REASON_FULL;
    ret->left = left;
    ret->left.least = less(left.least, reserve);
    ret->left.most = less(left.most, reserve);
    return (wants_sure(rooms, gpu) ? ret->left.least : ret->left.most) ? REASON_NONE
                                                                       : REASON_RESERVED;
}
