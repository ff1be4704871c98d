/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "prove/course.h"
#include "base/array.h"
#include "base/memory.h"

#include <string.h>

#define FILL_STEPS 2 /* for each vGPU: it is made, and removed */
#define PAIR_STEPS 8 /* for each two types: two vGPUs are made and removed, twice */

/* Is a type of the same size chosen already? */
static bool
has_size(const struct course *course, const struct inventory_gpu *card,
         const struct inventory_type *type)
{
    return type->framebuffer && ARRAY_HAS(course->types, course->count, chosen,
                                          card->types[*chosen].framebuffer == type->framebuffer &&
                                              card->types[*chosen].slices == type->slices);
}

/* The first usable parent that has room for a type. The GPU has room for one. */
static size_t
find_parent(const struct gpu_load *empty, const bool *usable, size_t type)
{
    for (size_t i = 0; i < empty->parent_count; i++) {
        if (usable[empty->parents[i]] && gpu_room_at(empty, type, empty->parents[i]).most > 0)
            return empty->parents[i];
    }
    return empty->parents[0];
}

static unsigned
add(unsigned a, unsigned b)
{
    return b < BOUNDS_ANY - a ? a + b : BOUNDS_ANY;
}

static struct bounds
times(const struct bounds *bounds, unsigned by)
{
    struct bounds ret = *bounds;

    ret.least *= by;
    ret.most = ret.most < BOUNDS_ANY / by ? ret.most * by : BOUNDS_ANY;
    return ret;
}

static void
add_part(struct course *course, size_t type, size_t beside, struct bounds steps)
{
    const struct course_part part = {type, beside, steps};

    ARRAY_ADD(course->parts, course->part_count, part);
}

/* The GPU as it would be if it took several sizes at a time. The caller frees ret->gpus, and
 * nothing else. */
static void
mix_sizes(const struct gpu_load *empty, struct inventory *ret)
{
    const struct inventory *inventory = empty->inventory;

    *ret = *inventory;
    ret->gpus = memory_zeroed(inventory->gpu_count, sizeof(*ret->gpus));
    memcpy(ret->gpus, inventory->gpus, inventory->gpu_count * sizeof(*ret->gpus));
    ret->gpus[empty->gpu].one_size = false;
}

/* Whether a type fits beside one vGPU of another. */
static bool
fits_beside(struct gpu_load *load, const bool *usable, size_t type, size_t other)
{
    const struct load_use use = {find_parent(load, usable, type), type, 0};
    const size_t mark = gpu_load_put(load, &use);
    const bool fits = gpu_room_left(load, other, usable).most > 0;

    gpu_load_rewind(load, mark);
    return fits;
}

/* Adds each two of the types that may be on the GPU together. */
static void
add_pairs(const struct gpu_load *empty, const bool *usable, struct course *course)
{
    AUTO(gpu_load_clear) struct gpu_load load = {0}, mixed = {0};
    struct inventory inventory;

    mix_sizes(empty, &inventory);
    gpu_load_init(&load, empty->inventory, empty->gpu, LOAD_NOW);
    gpu_load_init(&mixed, &inventory, empty->gpu, LOAD_NOW);
    for (size_t i = 0; i < course->count; i++) {
        for (size_t k = i + 1; k < course->count; k++) {
            const size_t type = course->types[i], other = course->types[k];
            const bool sure = fits_beside(&load, usable, type, other);

            if (sure || fits_beside(&mixed, usable, type, other))
                add_part(course, i, k,
                         (struct bounds){.least = sure ? PAIR_STEPS : 0, .most = PAIR_STEPS});
        }
    }
    free(inventory.gpus);
}

void
course_choose(const struct gpu_load *empty, const bool *usable, bool all, struct course *ret)
{
    const struct inventory_gpu *card = gpu_load_card(empty);

    *ret = (struct course){0};
    for (size_t type = 0; type < card->count; type++) {
        const struct bounds room = gpu_room_left(empty, type, usable);

        if (room.most == 0 || (!all && has_size(ret, card, &card->types[type])))
            continue;
        ARRAY_ADD(ret->types, ret->count, type);
        add_part(ret, ret->count - 1, COURSE_ALONE, times(&room, FILL_STEPS));
    }
    add_pairs(empty, usable, ret);
}

struct bounds
course_steps(const struct course *course)
{
    struct bounds sum = {0};

    for (size_t i = 0; i < course->part_count; i++) {
        sum.least = add(sum.least, course->parts[i].steps.least);
        sum.most = add(sum.most, course->parts[i].steps.most);
    }
    return sum;
}

void
course_clear(struct course *course)
{
    free(course->types);
    free(course->parts);
    *course = (struct course){0};
}
