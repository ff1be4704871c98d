/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/room.h"

#include <limits.h>

static int
smaller(int64_t a, int64_t b)
{
    return (int)(a < b ? a : b);
}

/* MiB that the vGPUs of an inventory have on a GPU; -1 if the size of one is not known. */
static int64_t
sum_made(const struct inventory *inventory, size_t gpu)
{
    int64_t sum = 0;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &inventory->vgpus[i];
        const struct inventory_type *type;

        if (inventory->parents[vgpu->parent].gpu != gpu)
            continue;
        type = inventory_find_type(&inventory->gpus[gpu], &vgpu->type);
        if (!type || !type->framebuffer)
            return -1;
        sum += type->framebuffer;
    }
    return sum;
}

/* No guest gets more than what nobody has once a start has made room. */
static int64_t
find_rest(const struct host_view *view, size_t gpu, const struct room *room)
{
    bool is_summed = view->snapshot.inventory.gpus[gpu].is_summed;
    int64_t kept = sum_made(view->availability.after.problem.inventory, gpu);
    int64_t rest = is_summed   ? availability_memory(&view->availability, gpu)
                   : kept >= 0 ? room->total - kept
                               : -1;

    return rest < 0 ? room->total : rest;
}

/* Vgpus of several sizes can be there side by side: then what one type takes is not all. */
static bool
is_shared_by_sizes(const struct inventory_gpu *card)
{
    bool has_instances = false;

    for (size_t i = 0; i < card->count; i++)
        has_instances |= card->types[i].slices > 0;
    return card->is_mixed || has_instances;
}

/* The most that any of the types can get, and that any of them might; -1 if no figure is known.
 * What pools have adds up. */
static void
find_free(const struct host_view *view, size_t gpu, struct room *room)
{
    const struct inventory_gpu *card = &view->snapshot.inventory.gpus[gpu];
    int64_t least = -1, most = -1, rest = room->is_in_vgpus ? INT_MAX : find_rest(view, gpu, room);
    int64_t pooled = 0, pooled_at_most = 0;
    bool is_told = true;

    for (size_t i = 0; i < card->count; i++) {
        int64_t size = room->is_in_vgpus ? 1 : card->types[i].framebuffer;
        int at_most, available = host_view_available(view, gpu, i, &at_most);
        int64_t some = available >= 0 ? available * size : -1;
        int64_t all = at_most >= 0 ? at_most * size : -1;

        if (card->types[i].is_pooled && some >= 0 && all >= 0) {
            pooled += some;
            pooled_at_most += all;
            some = pooled;
            all = pooled_at_most;
        }
        least = some > least ? some : least;
        most = all > most ? all : most;
        is_told &= at_most >= 0;
    }
    if (!room->is_in_vgpus && (!is_told || (most > 0 && is_shared_by_sizes(card))))
        most = rest;
    else if (!is_told)
        most = -1;
    room->free_at_most = most < 0 ? -1 : smaller(most, rest);
    least = room->free_at_most >= 0 ? smaller(least, room->free_at_most) : least;
    room->free = least >= 0 && least == room->free_at_most ? (int)least : -1;
}

int
room_share(const struct host_view *view, const struct room *room, const struct host_view_vgpu *vgpu)
{
    const struct inventory *inventory = &view->snapshot.inventory;
    const struct inventory_type *type;
    size_t gpu;

    if (room->is_in_vgpus)
        return 1;
    type = inventory_find_gpu(inventory, vgpu->gpu, &gpu)
               ? inventory_find_type(&inventory->gpus[gpu], vgpu->type)
               : NULL;
    if (type && type->framebuffer)
        return (int)type->framebuffer;
    return vgpu->lease && vgpu->lease->framebuffer ? (int)vgpu->lease->framebuffer : -1;
}

static int
sum_shares(const struct host_view *view, size_t gpu, const struct room *room)
{
    const struct name *name = &view->snapshot.inventory.gpus[gpu].name;
    int sum = 0;

    for (size_t i = 0; i < view->vgpu_count; i++) {
        int share = room_share(view, room, &view->vgpus[i]);

        if (!name_equal(view->vgpus[i].gpu, name))
            continue;
        if (share < 0 || sum > INT_MAX - share)
            return -1;
        sum += share;
    }
    return sum;
}

void
room_of(const struct host_view *view, size_t gpu, struct room *ret)
{
    unsigned framebuffer = view->snapshot.inventory.gpus[gpu].framebuffer;

    *ret = (struct room){
        .is_in_vgpus = framebuffer == 0 || framebuffer > INT_MAX,
        .total = framebuffer <= INT_MAX ? (int)framebuffer : -1,
    };
    ret->used = sum_shares(view, gpu, ret);
    find_free(view, gpu, ret);
    if (ret->is_in_vgpus)
        ret->total = ret->used >= 0 && ret->free >= 0 ? ret->used + ret->free : -1;
}
