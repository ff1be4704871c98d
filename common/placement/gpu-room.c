/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/gpu-room.h"
#include "base/array.h"
#include "base/memory.h"

#include <limits.h>
#include <string.h>

/* What is on a parent. */
struct room_parent {
    size_t vgpus;    /* that stay there, or were put there */
    bool is_single;  /* a virtual function: it takes one */
    bool is_dropped; /* the vGPU that the inventory shows there is gone */
};

/* Types are alike if vGPUs of them can take each other's places: they have the same frame buffer,
 * and need the same GPU instance. Of each group the first type counts for all. */
struct room_count {
    size_t alike;       /* the first type of the group */
    size_t put;         /* of this very type */
    size_t staying, in; /* of the group: what the inventory shows and stays; what was put */
    size_t freed;       /* of the group: what was dropped */
    bool is_offered;    /* some parent would make one, as the driver shows it */
    bool lacks;         /* and none, as no instance is free for the type (MIG) */
};

struct room_step {
    bool is_drop;
    struct room_use use;
    size_t vgpu;
};

static const struct inventory_gpu *
card_of(const struct gpu_room *room)
{
    return &room->inventory->gpus[room->gpu];
}

static const struct limit *
limit_of(const struct gpu_room *room, size_t limit)
{
    return &card_of(room)->limits[limit];
}

static int
word_of(const struct gpu_room *room, size_t type, size_t parent)
{
    return room->inventory->parents[parent].available[type];
}

/* --- groups of types -------------------------------------------------------------------------- */

static size_t
find_alike(const struct inventory_gpu *card, const struct inventory_type *type)
{
    for (size_t i = 0; i < card->count; i++) {
        const struct inventory_type *other = &card->types[i];

        if (other == type || (type->framebuffer && other->framebuffer == type->framebuffer &&
                              other->slices == type->slices))
            return i;
    }
    return card->count;
}

/* The group of a vGPU: that of its type or, if that does not tell a size, the first of its size. */
static struct room_count *
count_of(const struct gpu_room *room, const struct room_use *use)
{
    const struct inventory_gpu *card = card_of(room);
    const struct inventory_type unlisted = {.framebuffer = use->framebuffer};
    bool is_listed = use->type != ROOM_NO_TYPE &&
                     (card->types[use->type].framebuffer || !use->framebuffer);

    return &room->types[is_listed ? room->types[use->type].alike : find_alike(card, &unlisted)];
}

/* Whether a vGPU's frame buffer is known, and so keeps others away. */
static bool
has_size(const struct gpu_room *room, const struct room_use *use)
{
    return use->framebuffer ||
           (use->type != ROOM_NO_TYPE && card_of(room)->types[use->type].framebuffer);
}

static size_t
type_of(const struct gpu_room *room, const struct inventory_vgpu *vgpu)
{
    const struct inventory_gpu *card = card_of(room);
    const struct inventory_type *type = inventory_find_type(card, &vgpu->type);

    return type ? (size_t)(type - card->types) : ROOM_NO_TYPE;
}

/* --- a room and its steps --------------------------------------------------------------------- */

/* What one more vGPU needs of a limit, beyond what its parent has already. */
static uint64_t
need_of(const struct gpu_room *room, size_t index, const struct room_use *use)
{
    const struct limit *limit = limit_of(room, index);
    uint64_t need = use->type != ROOM_NO_TYPE ? limit->needs[use->type]
                    : limit->is_memory        ? use->framebuffer
                                              : limit->other;
    uint64_t had = 0;

    if (limit->held)
        had =
            room->on[use->parent].is_dropped ? limit->base[use->parent] : limit->held[use->parent];
    return need > had ? need - had : 0;
}

/* What a limit has back once a vGPU is gone. */
static uint64_t
back_of(const struct gpu_room *room, size_t index, const struct room_use *use)
{
    const struct limit *limit = limit_of(room, index);

    if (!limit->held)
        return need_of(room, index, use);
    return limit->held[use->parent] > limit->base[use->parent]
               ? limit->held[use->parent] - limit->base[use->parent]
               : 0;
}

/* What the driver says of a type on all parents. */
static void
hear_word(struct gpu_room *room, size_t type)
{
    const struct inventory_gpu *card = card_of(room);
    bool is_told = false;

    for (size_t i = 0; i < room->parent_count; i++) {
        room->types[type].is_offered |= word_of(room, type, room->parents[i]) > 0;
        is_told |= room->on[room->parents[i]].vgpus == 0;
    }
    room->types[type].lacks = is_told && !room->types[type].is_offered &&
                              ARRAY_HAS(card->types, card->count, other, other->slices > 0);
}

/* The parents of the GPU, and what is on them. */
static void
add_parents(struct gpu_room *room)
{
    const struct inventory *inventory = room->inventory;

    for (size_t i = 0; i < inventory->parent_count; i++) {
        const struct inventory_parent *parent = &inventory->parents[i];

        if (parent->gpu != room->gpu)
            continue;
        room->parents[room->parent_count++] = i;
        room->on[i].is_single = !name_equal(&parent->name, &card_of(room)->name);
        for (size_t k = 0; k < card_of(room)->limit_count; k++) {
            const struct limit *limit = limit_of(room, k);

            room->used[k] += limit->held ? limit->held[i] : 0;
        }
    }
}

static void
add_vgpus(struct gpu_room *room)
{
    const struct inventory *inventory = room->inventory;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &inventory->vgpus[i];
        const struct room_use use = {vgpu->parent, type_of(room, vgpu), vgpu->framebuffer};

        if (inventory->parents[vgpu->parent].gpu != room->gpu)
            continue;
        room->made++;
        room->sized_staying += has_size(room, &use);
        room->on[vgpu->parent].vgpus++;
        count_of(room, &use)->staying++;
        for (size_t k = 0; k < card_of(room)->limit_count; k++)
            room->used[k] += limit_of(room, k)->held ? 0 : need_of(room, k, &use);
    }
}

void
gpu_room_init(struct gpu_room *room, const struct inventory *inventory, size_t gpu,
              enum room_time time)
{
    const struct inventory_gpu *card = &inventory->gpus[gpu];

    *room = (struct gpu_room){
        .inventory = inventory,
        .gpu = gpu,
        .time = time,
        .parents = memory_zeroed(inventory->parent_count, sizeof(*room->parents)),
        .on = memory_zeroed(inventory->parent_count, sizeof(*room->on)),
        .types = memory_zeroed(card->count + 1, sizeof(*room->types)),
        .used = memory_zeroed(card->limit_count, sizeof(*room->used)),
    };
    for (size_t i = 0; i < card->count; i++)
        room->types[i].alike = find_alike(card, &card->types[i]);
    room->types[card->count].alike = card->count;
    add_parents(room);
    add_vgpus(room);
    for (size_t i = 0; i < card->count; i++)
        hear_word(room, i);
}

void
gpu_room_clear(struct gpu_room *room)
{
    free(room->parents);
    free(room->on);
    free(room->types);
    free(room->used);
    free(room->steps);
    *room = (struct gpu_room){0};
}

static size_t
push(struct gpu_room *room, const struct room_step *step)
{
    ARRAY_ADD(room->steps, room->step_count, *step);
    return room->step_count - 1;
}

size_t
gpu_room_put(struct gpu_room *room, const struct room_use *use)
{
    const struct room_step step = {.use = *use};

    for (size_t i = 0; i < card_of(room)->limit_count; i++)
        room->used[i] += need_of(room, i, use);
    room->puts++;
    room->sized_puts += has_size(room, use);
    room->on[use->parent].vgpus++;
    count_of(room, use)->in++;
    room->types[use->type == ROOM_NO_TYPE ? card_of(room)->count : use->type].put++;
    return push(room, &step);
}

size_t
gpu_room_drop(struct gpu_room *room, size_t vgpu)
{
    const struct inventory_vgpu *gone = &room->inventory->vgpus[vgpu];
    const struct room_step step = {.is_drop = true,
                                   .use = {gone->parent, type_of(room, gone), gone->framebuffer}};
    struct room_count *count = count_of(room, &step.use);

    for (size_t i = 0; i < card_of(room)->limit_count; i++)
        room->used[i] -= back_of(room, i, &step.use);
    room->made--;
    room->drops++;
    room->sized_staying -= has_size(room, &step.use);
    room->on[gone->parent].vgpus--;
    room->on[gone->parent].is_dropped = true;
    count->staying--;
    count->freed++;
    return push(room, &step);
}

static void
take_back(struct gpu_room *room, const struct room_step *step)
{
    struct room_count *count = count_of(room, &step->use);

    if (step->is_drop) {
        room->on[step->use.parent].is_dropped = false;
        room->on[step->use.parent].vgpus++;
        room->drops--;
        room->made++;
        room->sized_staying += has_size(room, &step->use);
        count->staying++;
        count->freed--;
    } else {
        room->on[step->use.parent].vgpus--;
        room->puts--;
        room->sized_puts -= has_size(room, &step->use);
        count->in--;
        room->types[step->use.type == ROOM_NO_TYPE ? card_of(room)->count : step->use.type].put--;
    }
    for (size_t i = 0; i < card_of(room)->limit_count; i++) {
        if (step->is_drop)
            room->used[i] += back_of(room, i, &step->use);
        else
            room->used[i] -= need_of(room, i, &step->use);
    }
}

void
gpu_room_rewind(struct gpu_room *room, size_t mark)
{
    while (room->step_count > mark) {
        room->step_count--;
        take_back(room, &room->steps[room->step_count]);
    }
}

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

/* Whether a GPU that takes one size at a time has another one, of what was put or, if so asked, of
 * what stays. */
static bool
has_other_size(const struct gpu_room *room, size_t type, bool staying)
{
    const struct inventory_type *kind = &card_of(room)->types[type];
    const struct room_count *alike = &room->types[room->types[type].alike];

    return card_of(room)->one_size && kind->framebuffer && !kind->slices &&
           (room->sized_puts > alike->in || (staying && room->sized_staying > alike->staying));
}

/* MIG: whether an instance of the type's size is free, by the driver's word or by what was dropped.
 */
static bool
has_instance(const struct gpu_room *room, size_t type)
{
    const struct inventory_gpu *card = card_of(room);
    size_t freed = 0, put = 0;

    for (size_t i = 0; room->types[type].lacks && i < card->count; i++) {
        if (card->types[i].slices != card->types[type].slices || room->types[i].alike != i)
            continue;
        freed += room->types[i].freed;
        put += room->types[i].in;
    }
    return !room->types[type].lacks || freed > put;
}

/* Whether a drop can have made place for a type at all. */
static bool
is_raised(const struct gpu_room *room, size_t type)
{
    return room->drops > 0 && has_instance(room, type) && !has_other_size(room, type, true);
}

/* How many places the drops have made for sure: one each for what is alike, unless what was put has
 * taken them, beyond what the driver `offered`; and one if the GPU is empty by now, as an empty GPU
 * takes any of its types. */
static unsigned
count_freed(const struct gpu_room *room, size_t type, size_t offered)
{
    const struct room_count *count = &room->types[room->types[type].alike];
    size_t beyond = count->in > offered ? count->in - offered : 0;

    if (room->made == 0 && room->puts == 0)
        return count->freed > 0 ? at_most(count->freed) : 1;
    return count->freed > beyond ? at_most(count->freed - beyond) : 0;
}

/* What is left of the driver's word on a parent that takes many, after all that was put: each takes
 * the share that the driver's own figure says, one of as many as there is place for of its type.
 * That is exact for types that need equal parts, and for types of one size. */
static unsigned
share_left(const struct gpu_room *room, size_t type, size_t parent)
{
    int whole = word_of(room, type, parent);
    double taken = 0;

    if (whole <= 0)
        return 0;
    for (size_t i = 0; i <= card_of(room)->count; i++) {
        int of = i < card_of(room)->count && room->types[i].put ? word_of(room, i, parent) : 0;

        taken += (double)room->types[i].put / (of > 0 ? of : whole);
    }
    return taken < 1 ? (unsigned)(whole * (1 - taken) + 1e-6) : 0;
}

static struct bounds
word_on_function(const struct gpu_room *room, size_t type, size_t parent)
{
    if (room->on[parent].vgpus)
        return none(ROOM_FULL);
    if (word_of(room, type, parent) > 0)
        return (struct bounds){1, 1, ROOM_FREE, 0};
    if (!is_raised(room, type))
        return none(ROOM_FULL);
    return (struct bounds){room->inventory->parents[parent].apart || room->time == ROOM_EVER ||
                               count_freed(room, type, room->types[type].is_offered) > 0,
                           1, ROOM_UNTOLD, 0};
}

static struct bounds
word_on_parent(const struct gpu_room *room, size_t type, size_t parent)
{
    unsigned left = share_left(room, type, parent);

    if (!is_raised(room, type))
        return (struct bounds){left, left, left ? ROOM_FREE : ROOM_FULL, 0};
    left = add(left, count_freed(room, type, (size_t)word_of(room, type, parent)));
    return (struct bounds){left, BOUNDS_ANY, ROOM_UNTOLD, 0};
}

static struct bounds
take_word(const struct gpu_room *room, size_t type, size_t parent)
{
    int word = word_of(room, type, parent);

    if (word == INVENTORY_NEVER)
        return none(ROOM_NEVER);
    if (word < 0 && room->time == ROOM_NOW)
        return (struct bounds){.why = ROOM_UNREADABLE, .error = -word};
    if (word < 0)
        return (struct bounds){0, room->on[parent].is_single ? !room->on[parent].vgpus : BOUNDS_ANY,
                               ROOM_UNREADABLE, -word};
    return room->on[parent].is_single ? word_on_function(room, type, parent)
                                      : word_on_parent(room, type, parent);
}

/* --- what limits leave ------------------------------------------------------------------------ */

/* Whether what is left of a limit can be had for sure. */
static bool
is_enough(const struct gpu_room *room, const struct limit *limit)
{
    return limit->is_enough && (room->time == ROOM_EVER || limit->source == LIMIT_TOLD ||
                                (limit->source == LIMIT_CONFIGURED && room->drops == 0));
}

static uint64_t
rest_of(const struct gpu_room *room, size_t limit)
{
    uint64_t total = limit_of(room, limit)->total, used = room->used[limit];

    return total > used ? total - used : 0;
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

/* One size at a time; another day perhaps several. */
static void
mind_sizes(const struct gpu_room *room, size_t type, struct bounds *bounds)
{
    if (bounds->most == 0 || !has_other_size(room, type, room->drops > 0))
        return;
    if (room->time == ROOM_NOW)
        *bounds = none(ROOM_OTHER_SIZE);
    else
        *bounds = (struct bounds){0, bounds->most, ROOM_MIXING, 0};
}

struct bounds
gpu_room_at(const struct gpu_room *room, size_t type, size_t parent)
{
    struct bounds bounds = take_word(room, type, parent);
    bool enough = false;

    for (size_t i = 0; bounds.most > 0 && i < card_of(room)->limit_count; i++) {
        const struct room_use one = {parent, type, 0};
        uint64_t need = need_of(room, i, &one);

        if (!limit_of(room, i)->binds[type])
            continue;
        enough |= is_enough(room, limit_of(room, i));
        if (need)
            narrow(rest_of(room, i) / need, &bounds);
    }
    if (enough && bounds.why == ROOM_UNTOLD)
        bounds.least = bounds.most;
    if (bounds.most > 0 && bounds.least == bounds.most)
        bounds.why = ROOM_FREE;
    mind_sizes(room, type, &bounds);
    return bounds;
}

/* --- of the whole GPU ------------------------------------------------------------------------- */

static int
by_size(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* How many of the parents that take one a limit leaves: those first that need the least of it. */
static uint64_t
count_under(const struct gpu_room *room, size_t limit, size_t type, const bool *open)
{
    AUTO_FREE uint64_t *needs = memory_zeroed(room->parent_count, sizeof(*needs));
    uint64_t rest = rest_of(room, limit);
    size_t count = 0, fit = 0;

    for (size_t i = 0; i < room->parent_count; i++) {
        const struct room_use one = {room->parents[i], type, 0};

        if (open[i])
            needs[count++] = need_of(room, limit, &one);
    }
    if (count > 1)
        qsort(needs, count, sizeof(*needs), by_size);
    for (; fit < count && needs[fit] <= rest; fit++)
        rest -= needs[fit];
    return fit;
}

/* What the parents say, added up; and which of them take one. *enough: each has a place of its own.
 */
static struct bounds
add_parents_up(const struct gpu_room *room, size_t type, const bool *usable, bool *open,
               bool *enough)
{
    struct bounds sum = none(ROOM_NEVER);

    *enough = true;
    for (size_t i = 0; i < room->parent_count; i++) {
        struct bounds here = none(ROOM_NEVER);

        if (!usable || usable[room->parents[i]])
            here = gpu_room_at(room, type, room->parents[i]);
        open[i] = here.most > 0;
        *enough &= !open[i] || room->inventory->parents[room->parents[i]].apart;
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
gpu_room_left(const struct gpu_room *room, size_t type, const bool *usable)
{
    AUTO_FREE bool *open = memory_zeroed(room->parent_count, sizeof(*open));
    bool enough;
    struct bounds bounds = add_parents_up(room, type, usable, open, &enough);

    enough |= room->parent_count < 2;
    for (size_t i = 0; room->parent_count > 1 && i < card_of(room)->limit_count; i++) {
        const struct limit *limit = limit_of(room, i);

        if (!limit->binds[type])
            continue;
        enough |= is_enough(room, limit);
        if (limit->held)
            narrow(count_under(room, i, type, open), &bounds);
        else if (limit->needs[type])
            narrow(rest_of(room, i) / limit->needs[type], &bounds);
    }
    /* Each function may offer the same place. */
    if (!enough && bounds.least > 1)
        bounds.least = 1;
    if (bounds.least < bounds.most && bounds.why == ROOM_FREE)
        bounds.why = ROOM_UNTOLD;
    return bounds;
}

struct bounds
gpu_room_rest(const struct gpu_room *room, size_t limit)
{
    unsigned rest = at_most(rest_of(room, limit));

    return (struct bounds){rest, rest, rest ? ROOM_FREE : ROOM_FULL, 0};
}

bool
gpu_room_is_single(const struct gpu_room *room, size_t parent)
{
    return room->on[parent].is_single;
}

bool
gpu_room_is_in_the_way(const struct gpu_room *room, size_t vgpu, size_t type)
{
    const struct inventory_gpu *card = card_of(room);
    size_t other = type_of(room, &room->inventory->vgpus[vgpu]);

    return !room->types[type].lacks ||
           (other != ROOM_NO_TYPE && card->types[other].slices == card->types[type].slices);
}
