/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/fake-parts.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

const struct fake_parent *
fake_find_parent(const struct fake_kernel *fake, const char *name)
{
    for (size_t i = 0; i < fake->machine->parent_count; i++) {
        if (!strcmp(fake->machine->parents[i].name, name))
            return &fake->machine->parents[i];
    }
    return NULL;
}

const struct fake_type *
fake_find_type(const struct fake_gpu *gpu, const char *id)
{
    for (size_t i = 0; i < gpu->type_count; i++) {
        if (!strcmp(gpu->types[i].id, id))
            return &gpu->types[i];
    }
    return NULL;
}

const struct fake_type *
fake_find_type_word(const struct fake_gpu *gpu, const char *word)
{
    for (size_t i = 0; i < gpu->type_count; i++) {
        const char *last = strrchr(gpu->types[i].name, ' ');

        if (!strcmp(gpu->types[i].id, word) || (last && !strcmp(last + 1, word)))
            return &gpu->types[i];
    }
    return NULL;
}

const struct fake_gpu *
fake_gpu_of(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    return &fake->machine->gpus[parent->gpu];
}

void
fake_free_instances(const struct fake_kernel *fake)
{
    for (size_t i = 0; i < fake->machine->gpu_count; i++) {
        const struct fake_gpu *gpu = &fake->machine->gpus[i];

        for (size_t t = 0; t < gpu->type_count; t++)
            fake->usage->free_instances[i][t] = (unsigned)gpu->types[t].instances;
    }
}

void
fake_count_one(const struct fake_kernel *fake, const struct fake_parent *parent,
               const struct fake_type *type, int by)
{
    const struct fake_gpu *gpu = fake_gpu_of(fake, parent);
    struct fake_usage *usage = fake->usage;
    size_t index = (size_t)(type - gpu->types);

    fake_note_change(fake, parent, type, by);
    usage->made[parent->gpu] += (unsigned)by;
    usage->units[parent->gpu] += (unsigned)by * type->uses;
    usage->memory[parent->gpu] += (unsigned)by * type->framebuffer;
    usage->of_type[parent->gpu][index] += (unsigned)by;
    if (type->instances >= 0)
        usage->free_instances[parent->gpu][index] -= (unsigned)by;
    usage->here[parent - fake->machine->parents] += (unsigned)by;
    if (usage->made[parent->gpu] == 0)
        usage->first[parent->gpu] = 0;
    else if (!usage->first[parent->gpu])
        usage->first[parent->gpu] = (unsigned)index + 1;
}

/* How many vGPUs of a type fit beside the frame buffer that a process of the host has. */
static unsigned
most_beside(const struct fake_gpu *gpu, const struct fake_type *type)
{
    unsigned whole = type->max * type->framebuffer;

    if (!gpu->taken)
        return type->max;
    return whole > gpu->taken ? (whole - gpu->taken) / type->framebuffer : 0;
}

/* The room that a GPU has if its ceiling does not count. A partitioned GPU makes no time-sliced
 * vGPU. */
static unsigned
room_below(const struct fake_kernel *fake, size_t index, const struct fake_type *type)
{
    const struct fake_gpu *gpu = &fake->machine->gpus[index];
    const struct fake_usage *usage = fake->usage;
    unsigned first = usage->first[index], made = usage->made[index], most;
    bool other;

    if (gpu->mig || type->instances >= 0)
        return gpu->mig && type->instances >= 0 ? usage->free_instances[index][type - gpu->types]
                                                : 0;
    if (gpu->rule == RULE_POOL)
        return (gpu->pool - usage->units[index]) / type->uses;
    if (gpu->rule == RULE_MIXED)
        return (gpu->memory - usage->memory[index]) / type->framebuffer;
    if (gpu->rule == RULE_APART)
        return type->alone - usage->of_type[index][type - gpu->types];
    other =
        first && (gpu->rule == RULE_TYPE ? &gpu->types[first - 1] != type
                                         : gpu->types[first - 1].framebuffer != type->framebuffer);
    most = most_beside(gpu, type);
    return other || made >= most ? 0 : most - made;
}

/* The room of the whole GPU. Its driver makes only a number of vGPUs, whatever their sizes are. */
static unsigned
room_of_gpu(const struct fake_kernel *fake, size_t index, const struct fake_type *type)
{
    const struct fake_gpu *gpu = &fake->machine->gpus[index];
    unsigned room = room_below(fake, index, type), made = fake->usage->made[index];
    unsigned ceiling = type->instances >= 0 ? gpu->each * gpu->parts : gpu->ceiling;

    if (ceiling == 0 || room == 0)
        return room;
    if (made >= ceiling)
        return 0;
    return room < ceiling - made ? room : ceiling - made;
}

unsigned
fake_room(const struct fake_kernel *fake, const struct fake_parent *parent,
          const struct fake_type *type)
{
    const struct fake_gpu *gpu = fake_gpu_of(fake, parent);
    unsigned room = room_of_gpu(fake, parent->gpu, type);

    if (gpu->rule == RULE_POOL || !gpu->vfs)
        return room;
    return room && fake->usage->here[parent - fake->machine->parents] == 0;
}

int
fake_refusal(const struct fake_kernel *fake, const struct fake_parent *parent,
             const struct fake_type *type)
{
    if (fake->faults->refuse) {
        __atomic_sub_fetch(&fake->faults->refuse, 1, __ATOMIC_SEQ_CST);
        return -EIO;
    }
    if (fake_room(fake, parent, type) > 0 && !fake_lied(fake, parent, type))
        return 0;
    return fake_gpu_of(fake, parent)->rule == RULE_POOL ? -ENOSPC : -EIO;
}

void
fake_pause_create(const struct fake_kernel *fake, const struct fake_parent *parent)
{
    AUTO_CLOSE int fd = -1;
    struct path path;

    if (!fake->faults->create_delay)
        return;
    assert(path_format(&path, "busy-%zu", parent->gpu) == 0);
    fd = openat(fake->host.root, path.text, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert(fd >= 0 && flock(fd, LOCK_EX) == 0);
    fake_sleep(fake->faults->create_delay);
}
