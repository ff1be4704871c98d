/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "prove/course.h"
#include "base/array.h"

#define FILL_STEPS 2 /* for each vGPU: it is made, and removed */
#define PAIR_STEPS 8 /* for each two types: two vGPUs are made and removed, twice */

/* Is a type that is alike chosen already? */
static bool
has_alike(const struct gpu_load *load, const struct course *course,
          const struct inventory_type *type)
{
    return ARRAY_HAS(course->types, course->count, chosen,
                     gpu_load_group(load, *chosen) == gpu_load_group(load, type));
}

/* The first usable place for a type that has room. The GPU has room for one. */
static struct place
find_place(const struct gpu_load *empty, const bool *usable, const struct inventory_type *type)
{
    struct place place = {.type = type};

    for (size_t i = 0; i < empty->gpu->parent_count; i++) {
        place.parent = empty->gpu->parents[i];
        if (usable[i] && gpu_room_at(empty, &place).most > 0)
            return place;
    }
    place.parent = empty->gpu->parents[0];
    return place;
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

/* Whether a type fits beside one vGPU of another. */
static bool
fits_beside(struct gpu_load *load, const bool *usable, const struct inventory_type *type,
            const struct inventory_type *other)
{
    const struct load_use use = {find_place(load, usable, type), 0};
    const size_t mark = gpu_load_put(load, &use);
    const bool fits = gpu_room_left(load, other, usable).most > 0;

    gpu_load_rewind(load, mark);
    return fits;
}

/* Adds each two of the types that may be on the GPU together. `mixing` is the GPU as it would be if
 * it took several sizes at a time. */
static void
add_pairs(const struct gpu_load *empty, const bool *usable, struct course *course)
{
    AUTO(gpu_load_clear) struct gpu_load load = {0}, mixed = {0};
    struct inventory_gpu mixing = *empty->gpu;

    mixing.one_size = false;
    gpu_load_init(&load, empty->gpu, LOAD_NOW);
    gpu_load_init(&mixed, &mixing, LOAD_NOW);
    for (size_t i = 0; i < course->count; i++) {
        for (size_t k = i + 1; k < course->count; k++) {
            const struct inventory_type *type = course->types[i], *other = course->types[k];
            const bool sure = fits_beside(&load, usable, type, other);

            if (sure || fits_beside(&mixed, usable, type, other))
                add_part(course, i, k,
                         (struct bounds){.least = sure ? PAIR_STEPS : 0, .most = PAIR_STEPS});
        }
    }
}

void
course_choose(const struct gpu_load *empty, const bool *usable, bool all, struct course *ret)
{
    *ret = (struct course){0};
    for (size_t i = 0; i < empty->gpu->type_count; i++) {
        const struct inventory_type *type = &empty->gpu->types[i];
        const struct bounds room = gpu_room_left(empty, type, usable);

        if (room.most == 0 || (!all && has_alike(empty, ret, type)))
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
