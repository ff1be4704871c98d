/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "prove/course.h"
#include "base/array.h"

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

/* How many vGPUs of a type fill the GPU. This may be an estimate. */
static unsigned
count_to_fill(const struct bounds *room)
{
    return room->most == BOUNDS_ANY ? room->least : room->most;
}

/* How many pairs of these types can be on the GPU together. */
static unsigned
count_pairs(const struct gpu_load *empty, const bool *usable, const struct course *course)
{
    AUTO(gpu_load_clear) struct gpu_load load = {0};
    unsigned pairs = 0;

    gpu_load_init(&load, empty->inventory, empty->gpu, LOAD_NOW);
    for (size_t i = 0; i < course->count; i++) {
        const struct load_use use = {find_parent(empty, usable, course->types[i]), course->types[i],
                                     0};
        const size_t mark = gpu_load_put(&load, &use);

        for (size_t k = i + 1; k < course->count; k++)
            pairs += gpu_room_left(&load, course->types[k], usable).most > 0;
        gpu_load_rewind(&load, mark);
    }
    return pairs;
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
        ret->steps += 2 * count_to_fill(&room);
    }
    ret->steps += COURSE_PAIR_STEPS * count_pairs(empty, usable, ret);
}

void
course_clear(struct course *course)
{
    free(course->types);
    *course = (struct course){0};
}
