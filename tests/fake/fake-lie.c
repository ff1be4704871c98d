/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Drivers that lie, with one lie at a time (fake-kernel.h). */

#include "fake/fake-parts.h"

void
fake_note_change(const struct fake_kernel *fake, const struct fake_parent *parent,
                 const struct fake_type *type, int by)
{
    const size_t index = (size_t)(type - fake_gpu_of(fake, parent)->types);

    /* A snapshot has no clock, and does not lie. */
    if (!fake->faults)
        return;
    fake->usage->last[parent->gpu] =
        (struct fake_change){.at = fake_now(),
                             .by = by,
                             .parent = (size_t)(parent - fake->machine->parents),
                             .type = index};
    fake->usage->removed[parent->gpu][index] |= by < 0;
}

/* Returns the room before the GPU's last change, if that change was not long ago. */
static unsigned
tell_late(const struct fake_kernel *fake, const struct fake_parent *parent,
          const struct fake_type *type)
{
    const struct fake_change last = fake->usage->last[parent->gpu];
    const struct fake_parent *changed = &fake->machine->parents[last.parent];
    const struct fake_type *of = &fake_gpu_of(fake, parent)->types[last.type];
    unsigned room;

    if (last.by == 0 || fake_now() >= last.at + FAKE_LATE)
        return fake_room(fake, parent, type);
    fake_count_one(fake, changed, of, -last.by);
    room = fake_room(fake, parent, type);
    fake_count_one(fake, changed, of, last.by);
    fake->usage->last[parent->gpu] = last;
    return room;
}

/* Is exactly one vGPU on the GPU, and could this parent make another one? */
static bool
is_beside(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    return fake->usage->made[parent->gpu] == 1 &&
           (!fake_gpu_of(fake, parent)->vfs || !fake->usage->here[parent - fake->machine->parents]);
}

unsigned
fake_told(const struct fake_kernel *fake, const struct fake_parent *parent,
          const struct fake_type *type)
{
    const struct fake_gpu *gpu = fake_gpu_of(fake, parent);
    const size_t index = (size_t)(type - gpu->types);

    switch (fake->faults->lie) {
    case FAKE_LIE_FORGOTTEN:
        return fake->usage->removed[parent->gpu][index] ? 0 : fake_room(fake, parent, type);
    case FAKE_LIE_LATE:
        return tell_late(fake, parent, type);
    case FAKE_LIE_BESIDE:
        return index + 1 == gpu->type_count ? is_beside(fake, parent)
                                            : fake_room(fake, parent, type);
    case FAKE_LIE_NOTHING:
        return 0;
    default:
        return fake_room(fake, parent, type);
    }
}

bool
fake_lied(const struct fake_kernel *fake, const struct fake_parent *parent,
          const struct fake_type *type)
{
    return fake->faults->lie == FAKE_LIE_MAXIMUM &&
           fake->usage->made[parent->gpu] >= type->max * 3 / 4;
}
