/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The room for vGPUs that share GPU instances (MIG) in time: none is promised that the driver
 * refuses, and none is refused that it makes.
 *
 * The driver here keeps the rules of NVIDIA's open kernel modules (kernel_vgpu_mgr.c, 595), which
 * the owner of an RTX PRO 6000 measured, too. An instance that is not shared takes one vGPU. One
 * that is shared takes vGPUs of one frame buffer size, so many as its memory holds, or of mixed
 * sizes. No more than twelve in any case. The driver takes the first instance that fits. A look at
 * the card sees its vGPUs, and for each type whether a vGPU of it would be made. The modes of the
 * instances are not seen.
 */

#include "base/array.h"
#include "device/maxima.h"
#include "fake/chance.h"
#include "fake/fake-snapshot.h"
#include "fake/unit.h"
#include "placement/gpu-room.h"

#include <stdio.h>

#define MEMORY    24 /* GiB of an instance */
#define MOST      12 /* vGPUs on an instance */
#define FUNCTIONS 8

static const unsigned sizes[] = {2, 3, 6, 12, 24}; /* GiB of a type */

struct instance {
    bool is_shared, is_mixed;
    unsigned has[COUNT(sizes)];
};

struct card {
    struct instance instances[4];
    size_t count;
    int on[FUNCTIONS], type[FUNCTIONS]; /* of each function's vGPU; -1: it has none */
};

static bool
fits(const struct instance *instance, size_t type)
{
    unsigned count = 0, memory = 0;
    bool other = false;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        count += instance->has[i];
        memory += instance->has[i] * sizes[i];
        other |= i != type && instance->has[i];
    }
    if (!instance->is_shared)
        return count == 0;
    return (instance->is_mixed || !other) && count < MOST && memory + sizes[type] <= MEMORY;
}

/* The instance that the driver takes; -1: it refuses. */
static int
choose(const struct card *card, size_t type)
{
    for (size_t i = 0; i < card->count; i++) {
        if (fits(&card->instances[i], type))
            return (int)i;
    }
    return -1;
}

static bool
make(struct card *card, size_t function, size_t type)
{
    int on = choose(card, type);

    if (on < 0)
        return false;
    card->on[function] = on;
    card->type[function] = (int)type;
    card->instances[on].has[type]++;
    return true;
}

static void
drop(struct card *card, size_t function)
{
    card->instances[card->on[function]].has[card->type[function]]--;
    card->type[function] = -1;
}

static struct card
random_card(uint64_t *seed)
{
    struct card card = {.count = 1 + chance(seed, COUNT(card.instances))};

    for (size_t i = 0; i < card.count; i++) {
        card.instances[i].is_shared = maybe(seed, 80);
        card.instances[i].is_mixed = maybe(seed, 40);
    }
    for (size_t i = 0; i < FUNCTIONS; i++)
        card.type[i] = -1;
    for (unsigned i = chance(seed, FUNCTIONS); i > 0; i--)
        (void)make(&card, i, chance(seed, COUNT(sizes)));
    return card;
}

/* What a look sees of the card. */
static void
describe(const struct card *card, char *ret, size_t size)
{
    size_t at =
        (size_t)snprintf(ret, size, "gpu v vf vfs %d mig parts %zu\n", FUNCTIONS, card->count);

    for (size_t i = 0; i < COUNT(sizes); i++) {
        unsigned made = 0;

        for (size_t k = 0; k < FUNCTIONS; k++)
            made += card->type[k] == (int)i;
        at += (size_t)snprintf(ret + at, size - at,
                               "type x-%u \"P X-%u\" framebuffer %u max 48 slices 1 instances %u\n",
                               sizes[i], sizes[i], sizes[i] * 1024, made + (choose(card, i) >= 0));
    }
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        if (card->type[i] >= 0)
            at += (size_t)snprintf(ret + at, size - at, "foreign %u X-%u v.%u\n", i + 1,
                                   sizes[card->type[i]], i);
    }
}

static const struct inventory_type *
find_type(const struct inventory_gpu *gpu, size_t type)
{
    return ARRAY_FIND(gpu->types, gpu->type_count, each, each->framebuffer == sizes[type] * 1024);
}

static void
play(uint64_t *seed, uint64_t began)
{
    struct card card = random_card(seed);
    AUTO(fake_snapshot_clear) struct fake_snapshot snapshot = {0};
    AUTO(gpu_load_clear) struct gpu_load load = {0};
    const struct inventory_gpu *gpu;
    char machine[2048], steps[256] = "";
    size_t at = 0;

    describe(&card, machine, sizeof(machine));
    fake_snapshot_make(&snapshot, machine);
    maxima_add(NULL, &snapshot.inventory);
    gpu = snapshot.inventory.gpus[0];
    gpu_load_init(&load, gpu, LOAD_NOW);
    for (size_t i = 0; i < gpu->vgpu_count; i++) {
        if (!maybe(seed, 20))
            continue;
        at += (size_t)snprintf(steps + at, sizeof(steps) - at, "drop v.%zu; ",
                               gpu->vgpus[i]->parent->index);
        drop(&card, gpu->vgpus[i]->parent->index);
        gpu_load_drop(&load, gpu->vgpus[i]);
    }
    for (size_t i = 0; i < FUNCTIONS; i++) {
        size_t type = chance(seed, COUNT(sizes));
        const struct load_use use = {{gpu->parents[i], find_type(gpu, type)}, 0};
        struct bounds room;
        bool made;

        if (card.type[i] >= 0)
            continue;
        room = gpu_room_at(&load, &use.place);
        made = make(&card, i, type);
        at += (size_t)snprintf(steps + at, sizeof(steps) - at, "put X-%u v.%zu; ", sizes[type], i);
        if (made ? room.most == 0 : room.least > 0)
            fail_msg("SEED=%llu ROUNDS=1: %s%s: %u..%u, and the driver %s",
                     (unsigned long long)began, machine, steps, room.least, room.most,
                     made ? "makes it" : "refuses");
        if (!made)
            return;
        gpu_load_put(&load, &use);
    }
}

UNIT_TEST(no_promise_is_broken)
{
    uint64_t seed = chance_setting("SEED", SEED);

    for (uint64_t i = chance_rounds(2000); i > 0; i--) {
        uint64_t began = seed;

        play(&seed, began);
    }
}
