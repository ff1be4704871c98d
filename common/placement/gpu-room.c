/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/gpu-room.h"
#include "base/memory.h"

/* --- what the driver's word comes to ---------------------------------------------------------- */

static unsigned
add(unsigned a, unsigned b)
{
    return b < BOUNDS_ANY - a ? a + b : BOUNDS_ANY;
}

static unsigned
at_most(uint64_t count)
{
    return count < BOUNDS_ANY ? (unsigned)count : BOUNDS_ANY;
}

static struct bounds
none(enum room_why why)
{
    return (struct bounds){.why = why};
}

/* Whether the rule of one size at a time holds for a type of this GPU. */
static bool
is_sized(const struct gpu_load *load, const struct inventory_type *type)
{
    return load->gpu->one_size && type->framebuffer && inventory_type_shares_time(type);
}

/* Whether a vGPU of another size was put, or stays. */
static bool
has_other_put(const struct gpu_load *load, const struct inventory_type *type)
{
    return is_sized(load, type) && load->sized_puts > gpu_load_group(load, type)->puts;
}

static bool
has_other_kept(const struct gpu_load *load, const struct inventory_type *type)
{
    return is_sized(load, type) && load->sized_kept > gpu_load_group(load, type)->kept;
}

/* Whether vGPUs of another type may be there, and the driver may want one type at a time. A driver
 * that offers the type takes several. */
static bool
may_be_refused(const struct gpu_load *load, const struct inventory_type *type)
{
    const struct load_group *counts = &load->types[inventory_type_index(type)];

    return is_sized(load, type) && !counts->is_offered && counts->own_drops == 0 &&
           load->kept + load->puts > counts->own_puts;
}

/* MIG: whether no instance of the type's size is free, by the driver's word. */
static bool
lacks_instance(const struct gpu_load *load, const struct inventory_type *type)
{
    return load->types[inventory_type_index(type)].lacks;
}

/* Whether an instance of the type's size may be free. The driver's word allows it, or more vGPUs
 * were dropped from such instances than put there. If types of several sizes are for such
 * instances, vGPUs share an instance in time. Then one drop is enough. A vGPU that was put may have
 * gone to another instance, and a large vGPU leaves place for several small ones. */
static bool
has_instance(const struct gpu_load *load, const struct inventory_type *type)
{
    size_t freed = 0, put = 0, groups = 0;

    if (!lacks_instance(load, type))
        return true;
    for (size_t i = 0; i < load->gpu->type_count; i++) {
        if (load->gpu->types[i].slices != type->slices || load->types[i].alike != i)
            continue;
        groups++;
        freed += load->types[i].drops;
        put += load->types[i].puts;
    }
    return freed > (groups > 1 ? 0 : put);
}

/* Whether a drop can have made place for a type at all. */
static bool
is_raised(const struct gpu_load *load, const struct inventory_type *type)
{
    return load->drops > 0 && has_instance(load, type) &&
           (load->time == LOAD_EVER || !has_other_kept(load, type));
}

/* How many places the drops have made for sure. Each vGPU that was dropped has made one, for the
 * types of its group. vGPUs of the group that were put take what the driver `offered`, and then
 * these places. If the GPU is empty now, at least one place is sure, because an empty GPU takes any
 * of its types. The types of GPU instances are an exception, because their instances may not be
 * there. */
static unsigned
count_freed(const struct gpu_load *load, const struct inventory_type *type, size_t offered)
{
    const struct load_group *group = gpu_load_group(load, type);
    size_t beyond = group->puts > offered ? group->puts - offered : 0;

    if (load->kept == 0 && load->puts == 0 && !type->slices)
        return group->drops > 0 ? at_most(group->drops) : 1;
    return group->drops > beyond ? at_most(group->drops - beyond) : 0;
}

/*
 * What is left of the driver's word on a parent that takes many vGPUs, after all vGPUs that were
 * put. If the driver offers 11 of a type, a vGPU of that type takes about an eleventh of what is
 * free. The driver rounds its figures down, so 11 means 11 and a fraction, and the share is between
 * a twelfth and an eleventh. The result is exact if all these types have the same figure.
 */
static struct bounds
share_left(const struct gpu_load *load, const struct place *place)
{
    const int word = place_available(place);
    const double whole = word;
    double taken_most = 0, taken_least = 0, most;
    struct bounds left = none(ROOM_FULL);

    if (word <= 0)
        return left;
    for (size_t i = 0; i <= load->gpu->type_count; i++) {
        int other =
            i < load->gpu->type_count && load->types[i].own_puts ? place->parent->available[i] : 0;
        double of = other > 0 ? other : whole;

        taken_most += (double)load->types[i].own_puts / of;
        taken_least += (double)load->types[i].own_puts / (of + 1);
    }
    if (taken_most < 1)
        left.least = (unsigned)(whole * (1 - taken_most) + 1e-6);
    /* The room is less than that bound, so the largest whole number below the bound counts. */
    most = (whole + 1) * (1 - taken_least) - 1e-6;
    left.most = most > left.least ? (unsigned)most : left.least;
    if (load->is_short && is_sized(load, place->type))
        left.least = 0;
    if (left.most > 0)
        left.why = left.least == left.most ? ROOM_FREE : ROOM_UNTOLD;
    return left;
}

/* Whether a vGPU of another size was put that may have taken the GPU instance of a type. vGPUs that
 * share an instance in time have one size (kernel_vgpu_mgr.c of NVIDIA's open kernel modules, 595),
 * unless the instance takes mixed sizes. No file tells that an instance takes mixed sizes, so none
 * is assumed to. */
static bool
may_have_lost_instance(const struct gpu_load *load, const struct inventory_type *type)
{
    const struct load_group *group = gpu_load_group(load, type);

    for (size_t i = 0; i < load->gpu->type_count; i++) {
        if (load->gpu->types[i].slices == type->slices && &load->types[i] != group &&
            load->types[i].alike == i && load->types[i].puts > 0)
            return true;
    }
    return false;
}

/* Whether one of the functions has a place for sure. Several functions may offer the same place,
 * and each vGPU that was put may have taken a place. A GPU instance is there for sure if the driver
 * offers it, or a vGPU was dropped from it. */
static bool
is_sure(const struct gpu_load *load, const struct inventory_type *type)
{
    size_t offered =
        gpu_load_group(load, type)->drops + load->types[inventory_type_index(type)].is_offered;

    if (type->slices)
        return offered > gpu_load_group(load, type)->puts && !may_have_lost_instance(load, type);
    return (load->kept == 0 && load->puts == 0) || offered > load->puts;
}

/* Whether the type needs memory, and nobody tells how much there is. Only the driver knows whether
 * the memory is enough. */
static bool
is_guess(const struct place *place)
{
    return place->parent->has_unknown_memory && place->type->framebuffer;
}

static struct bounds
word_on_function(const struct gpu_load *load, const struct place *place)
{
    bool sure = place->parent->is_separate || (is_sure(load, place->type) && !is_guess(place));

    if (gpu_load_on(load, place->parent)->vgpus ||
        (place_available(place) == 0 && !is_raised(load, place->type)))
        return none(ROOM_FULL);
    return (struct bounds){sure, 1, sure ? ROOM_FREE : ROOM_UNTOLD, 0};
}

static struct bounds
word_on_parent(const struct gpu_load *load, const struct place *place)
{
    struct bounds left = share_left(load, place);

    if (!is_raised(load, place->type))
        return left;
    left.least = add(left.least, count_freed(load, place->type, (size_t)place_available(place)));
    return (struct bounds){left.least, BOUNDS_ANY, ROOM_UNTOLD, 0};
}

static struct bounds
take_word(const struct gpu_load *load, const struct place *place)
{
    const struct load_parent *on = gpu_load_on(load, place->parent);
    int word = place_available(place);

    if (word == INVENTORY_NEVER)
        return none(ROOM_NEVER);
    if (*place->parent->user && load->time == LOAD_NOW)
        return none(ROOM_IN_USE);
    if (word < 0 && load->time == LOAD_NOW)
        return (struct bounds){.why = ROOM_UNREADABLE, .error = -word};
    if (word < 0)
        return (struct bounds){0, on->takes_one ? !on->vgpus : BOUNDS_ANY, ROOM_UNREADABLE, -word};
    if (load->is_withheld && load->time == LOAD_EVER)
        return (struct bounds){0, on->takes_one ? !on->vgpus : BOUNDS_ANY, ROOM_WITHHELD, 0};
    return on->takes_one ? word_on_function(load, place) : word_on_parent(load, place);
}

/* --- what limits leave ------------------------------------------------------------------------ */

/* Whether a limit counts for a type. On a GPU that takes one size at a time, the memory counts on
 * another day only. Today the driver's word and the maximum of the size leave less. */
static bool
binds(const struct gpu_load *load, const struct limit *limit, const struct inventory_type *type)
{
    return limit->binds[inventory_type_index(type)] &&
           (load->time == LOAD_EVER || !load->gpu->one_size || !limit->is_memory);
}

/* Whether what is left of a limit can be had for sure. */
static bool
is_enough(const struct gpu_load *load, const struct limit *limit)
{
    return limit->is_enough && (load->time == LOAD_EVER || limit->source == LIMIT_TOLD ||
                                limit->source == LIMIT_TABLE ||
                                (limit->source == LIMIT_CONFIGURED && load->drops == 0));
}

/* Makes bounds no wider than what a limit leaves. */
static void
narrow(uint64_t leaves, struct bounds *bounds)
{
    unsigned most = at_most(leaves);

    if (bounds->most > 0 && most == 0)
        bounds->why = ROOM_FULL;
    bounds->most = bounds->most < most ? bounds->most : most;
    bounds->least = bounds->least < most ? bounds->least : most;
}

/* Applies the rule of one size at a time. Nobody knows whether the GPU takes several sizes another
 * day. */
static void
apply_one_size(const struct gpu_load *load, const struct inventory_type *type,
               struct bounds *bounds)
{
    if (bounds->most == 0 ||
        (!has_other_put(load, type) && !(load->drops > 0 && has_other_kept(load, type))))
        return;
    if (load->time == LOAD_NOW)
        *bounds = none(ROOM_OTHER_SIZE);
    else
        *bounds = (struct bounds){0, bounds->most, ROOM_MIXING, 0};
}

struct bounds
gpu_room_at(const struct gpu_load *load, const struct place *place)
{
    const struct load_use one = {*place, 0};
    const bool may_be_sure = !load->is_short || !is_sized(load, place->type);
    struct bounds bounds = take_word(load, place);
    bool enough = false;

    for (size_t i = 0; bounds.most > 0 && i < load->gpu->limit_count; i++) {
        const struct limit *limit = gpu_load_limit(load, i);
        uint64_t need;

        if (!binds(load, limit, place->type))
            continue;
        enough |= may_be_sure && is_enough(load, limit);
        need = gpu_load_need(load, i, &one);
        if (need)
            narrow(gpu_load_rest(load, i) / need, &bounds);
    }
    if (enough && bounds.why == ROOM_UNTOLD)
        bounds.least = bounds.most;
    if (bounds.most > 0 && bounds.least == bounds.most)
        bounds.why = ROOM_FREE;
    if (bounds.least > 0 && may_be_refused(load, place->type))
        bounds = (struct bounds){0, bounds.most, ROOM_UNTOLD, 0};
    apply_one_size(load, place->type, &bounds);
    return bounds;
}

/* Whether the driver does not know of a limit, or leaves the limit to us. Then the driver's word
 * may be more than there is room for. */
static bool
is_beside_word(const struct limit *limit)
{
    return limit->source == LIMIT_CONFIGURED || (limit->source == LIMIT_TOLD && limit->is_memory);
}

struct bounds
gpu_room_told(const struct gpu_load *load, const struct place *place)
{
    const struct load_parent *on = gpu_load_on(load, place->parent);
    int word = place_available(place);
    bool is_exact = word >= 0;

    for (size_t i = 0; i < load->gpu->limit_count; i++) {
        const struct limit *limit = gpu_load_limit(load, i);

        is_exact &= !binds(load, limit, place->type) || !is_beside_word(limit);
    }
    if (!is_exact)
        return gpu_room_at(load, place);
    if (on->takes_one)
        word = word > 0 && on->vgpus == 0;
    return (struct bounds){(unsigned)word, (unsigned)word, word ? ROOM_FREE : ROOM_FULL, 0};
}

/* --- of the whole GPU ------------------------------------------------------------------------- */

static int
by_size(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* How many of the open parents can get a vGPU within a limit. The parents that need the least of
 * the limit come first. */
static uint64_t
count_under(const struct gpu_load *load, size_t limit, const struct inventory_type *type,
            const bool *open)
{
    AUTO_FREE uint64_t *needs = memory_zeroed(load->gpu->parent_count, sizeof(*needs));
    uint64_t rest = gpu_load_rest(load, limit);
    size_t count = 0, fit = 0;

    for (size_t i = 0; i < load->gpu->parent_count; i++) {
        const struct load_use one = {{load->gpu->parents[i], type}, 0};

        if (open[i])
            needs[count++] = gpu_load_need(load, limit, &one);
    }
    if (count > 1)
        qsort(needs, count, sizeof(*needs), by_size);
    for (; fit < count && needs[fit] <= rest; fit++)
        rest -= needs[fit];
    return fit;
}

/* Adds up what the usable parents take. open: which parents take a vGPU. *enough: each open parent
 * has a place of its own. */
static struct bounds
add_parents_up(const struct gpu_load *load, const struct inventory_type *type, const bool *usable,
               bool *open, bool *enough)
{
    struct bounds sum = none(ROOM_NEVER);

    *enough = true;
    for (size_t i = 0; i < load->gpu->parent_count; i++) {
        const struct place place = {load->gpu->parents[i], type};
        struct bounds here = none(ROOM_NEVER);

        if (!usable || usable[i])
            here = gpu_room_at(load, &place);
        open[i] = here.most > 0;
        *enough &= !open[i] || place.parent->is_separate;
        sum.least = add(sum.least, here.least);
        sum.most = add(sum.most, here.most);
        if (here.why > sum.why) {
            sum.why = here.why;
            sum.error = here.error;
        }
    }
    return sum;
}

struct bounds
gpu_room_left(const struct gpu_load *load, const struct inventory_type *type, const bool *usable)
{
    AUTO_FREE bool *open = memory_zeroed(load->gpu->parent_count, sizeof(*open));
    bool is_one = load->gpu->parent_count < 2, enough;
    struct bounds bounds = add_parents_up(load, type, usable, open, &enough);

    enough |= is_one;
    for (size_t i = 0; !is_one && i < load->gpu->limit_count; i++) {
        const struct limit *limit = gpu_load_limit(load, i);
        uint64_t need = limit->needs[inventory_type_index(type)];

        if (!binds(load, limit, type))
            continue;
        enough |= is_enough(load, limit);
        if (limit->held)
            narrow(count_under(load, i, type, open), &bounds);
        else if (need)
            narrow(gpu_load_rest(load, i) / need, &bounds);
    }
    /* Each function may offer the same place. */
    if (!enough && bounds.least > 1)
        bounds.least = 1;
    if (bounds.least < bounds.most && bounds.why == ROOM_FREE)
        bounds.why = ROOM_UNTOLD;
    return bounds;
}

struct bounds
gpu_room_rest(const struct gpu_load *load, size_t limit)
{
    unsigned rest = at_most(gpu_load_rest(load, limit));

    return (struct bounds){rest, rest, rest ? ROOM_FREE : ROOM_FULL, 0};
}

bool
gpu_room_is_in_the_way(const struct gpu_load *load, const struct inventory_vgpu *vgpu,
                       const struct inventory_type *type)
{
    const struct inventory_type *other = inventory_type_of(vgpu);

    return !lacks_instance(load, type) || (other && other->slices == type->slices);
}
