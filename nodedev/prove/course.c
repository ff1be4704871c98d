/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "prove/course.h"
#include "base/array.h"

/* Whether a type of the same size is chosen already. */
static bool
has_size(const struct course *course, const struct inventory_gpu *card,
         const struct inventory_type *type)
{
    return type->framebuffer && ARRAY_HAS(course->types, course->count, chosen,
                                          card->types[*chosen].framebuffer == type->framebuffer &&
                                              card->types[*chosen].slices == type->slices);
}

/* How many vGPUs of a type fill the GPU, as far as that is known. */
static unsigned
count_to_fill(const struct bounds *room)
{
    return room->most == BOUNDS_ANY ? room->least : room->most;
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
    if (ret->count > 1)
        ret->steps += (unsigned)(ret->count * (ret->count - 1) / 2) * COURSE_PAIR_STEPS;
}

void
course_clear(struct course *course)
{
    free(course->types);
    *course = (struct course){0};
}
