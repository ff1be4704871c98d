/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/random-host.h"
#include "actions/snapshot.h"
#include "device/type-name.h"
#include "device/vgpu.h"
#include "fake/captured.h"
#include "fake/chance.h"
#include "fake/fake-parts.h"

#include <stdio.h>
#include <string.h>

/* --- the small one ---------------------------------------------------------------------------- */

#define BOARD "0000:19:00.0"
#define MACHINE                                                                                    \
    "gpu mtty rule pool 8\n"                                                                       \
    "type mtty-2 \"Dual port serial\" uses 2\n"                                                    \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 2\n"                                      \
    "gpu " BOARD " rule size\n"                                                                    \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 2\n"                                      \
    "gpu 0000:3d:00.0 vf vfs 2 rule size board \"NVIDIA L40S\"\n"
#define DEVICE(number) "dddddddd-0000-4000-8000-0000000000" number

/* Guests 5 and 6 name one function. */
static const struct random_host small = {
    .name = "the small host",
    .kinds = {{"mtty-2", "mtty-2", 4, false},
              {"T4-1B", "nvidia-222", 4, false},
              {"L40S-1B", "nvidia-1145", 2, false}},
    .kind_count = 3,
    .wishes = {{{DEVICE("11"), 0}},
               {{DEVICE("21"), 0}, {DEVICE("22"), 0}},
               {{DEVICE("31"), 0}, {DEVICE("32"), 1}},
               {{DEVICE("41"), 1}, {DEVICE("42"), 1}},
               {{"0000:3d:00.4", 2}},
               {{"0000:3d:00.4", 2}, {DEVICE("61"), 0}},
               {{"0000:3d:00.5", 2}, {DEVICE("71"), 1}},
               {{DEVICE("11"), 0}}},
    .board = BOARD,
    .board_kind = 1,
    .board_room = 2,
};

/* --- kinds of a captured one ------------------------------------------------------------------ */

static bool
has_type(const struct inventory_gpu *gpu, const char *id)
{
    struct name name;

    return name_parse(&name, id) == 0 && inventory_find_type(gpu, &name);
}

/* The kind of a GPU; NULL: it has none yet. */
static struct kind *
kind_of(struct random_host *host, const struct inventory_gpu *gpu)
{
    return ARRAY_FIND(host->kinds, host->kind_count, each, has_type(gpu, each->id));
}

static const struct fake_gpu *
find_gpu(const struct fake_machine *machine, const char *name)
{
    return ARRAY_FIND(machine->gpus, machine->gpu_count, each, !strcmp(each->name, name));
}

static unsigned
smaller(unsigned one, unsigned other)
{
    return one < other ? one : other;
}

/* How many vGPUs of a type an idle GPU takes, by the fake driver's rule. In a pool these are its
 * functions. */
static unsigned
room_of(const struct fake_machine *machine, const struct inventory_type *type)
{
    const struct fake_gpu *gpu = find_gpu(machine, type->gpu->name.text);
    const struct fake_type *made = gpu ? fake_find_type(gpu, type->id.text) : NULL;
    unsigned room;

    if (!made)
        return type->max;
    if (gpu->rule == RULE_POOL)
        return gpu->pool / made->uses;
    room = gpu->rule == RULE_MIXED ? gpu->memory / made->framebuffer : made->max;
    room = gpu->ceiling ? smaller(room, gpu->ceiling) : room;
    return gpu->vfs ? smaller(room, gpu->vfs) : room;
}

/* How many vGPUs of a type all GPUs take together that have the type. */
static unsigned
room_of_all(const struct inventory *inventory, const struct fake_machine *machine,
            const struct inventory_type *type)
{
    unsigned room = 0;

    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct inventory_type *same = inventory_find_type(inventory->gpus[i], &type->id);

        room += same ? room_of(machine, same) : 0;
    }
    return room;
}

/* Does a GPU that has its kind already offer this type, too? */
static bool
is_taken(struct random_host *host, const struct inventory *inventory, const char *id)
{
    bool ret = false;

    for (size_t i = 0; i < inventory->gpu_count; i++)
        ret |= kind_of(host, inventory->gpus[i]) && has_type(inventory->gpus[i], id);
    return ret;
}

/* Adds the GPU's kind: any type of which not all guests can have a vGPU. If there is none, adds the
 * type with the least room. */
static void
add_kind(struct random_host *host, const struct inventory *inventory,
         const struct fake_machine *machine, const struct inventory_gpu *gpu, uint64_t *chances)
{
    struct kind *kind = &host->kinds[host->kind_count];
    unsigned scarce = 0;

    assert(host->kind_count < KINDS);
    for (size_t i = 0; i < gpu->type_count; i++) {
        const struct inventory_type *type = &gpu->types[i];
        unsigned room = room_of_all(inventory, machine, type);
        const char *word = type_name_last_word(type->name);

        if (room == 0 || is_taken(host, inventory, type->id.text))
            continue;
        if (room < GUESTS ? chance(chances, ++scarce) > 0
                          : scarce > 0 || (kind->room && kind->room <= room))
            continue;
        kind->room = room;
        kind->is_lent = !find_gpu(machine, gpu->name.text);
        snprintf(kind->id, sizeof(kind->id), "%s", type->id.text);
        snprintf(kind->word, sizeof(kind->word), "%s",
                 strncmp(kind->id, "nvidia-", 7) ? kind->id : word);
    }
    host->kind_count += kind->room > 0;
}

/* --- the vGPUs for which guests ask ----------------------------------------------------------- */

/* Chooses a function of this kind, if functions are vGPUs themselves. False: the kind has mediated
 * devices. */
static bool
choose_function(struct random_host *host, const struct inventory *inventory,
                const struct kind *kind, uint64_t *chances, char *source, size_t size)
{
    unsigned count = 0;

    for (size_t i = 0; i < inventory->parent_count; i++) {
        const struct inventory_parent *parent = inventory->parents[i];

        if (kind_of(host, parent->gpu) == kind && parent->interface != &vgpu_mdev &&
            chance(chances, ++count) == 0)
            snprintf(source, size, "%s", parent->name.text);
    }
    return count > 0;
}

static void
add_wish(struct random_host *host, const struct inventory *inventory, unsigned guest, unsigned k,
         uint64_t *chances)
{
    struct wish *wish = &host->wishes[guest][k];

    wish->kind = chance(chances, host->kind_count);
    if (!choose_function(host, inventory, &host->kinds[wish->kind], chances, wish->source,
                         sizeof(wish->source)))
        snprintf(wish->source, sizeof(wish->source), DEVICE("%u%u"), guest + 1, k + 1);
    if (k > 0 && !strcmp(wish->source, wish[-1].source))
        *wish->source = '\0';
}

static void
make(struct random_host *ret, const struct inventory *inventory, const struct fake_machine *machine,
     uint64_t *chances)
{
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        if (!kind_of(ret, inventory->gpus[i]))
            add_kind(ret, inventory, machine, inventory->gpus[i], chances);
    }
    assert(ret->kind_count > 0);
    for (unsigned guest = 0; guest + 1 < GUESTS; guest++) {
        add_wish(ret, inventory, guest, 0, chances);
        if (maybe(chances, 40))
            add_wish(ret, inventory, guest, 1, chances);
    }
    memcpy(ret->wishes[GUESTS - 1], ret->wishes[0], sizeof(ret->wishes[0]));
}

/* --- a host ----------------------------------------------------------------------------------- */

void
random_host_start(struct random_host *ret, struct scene *scene, const char *capture,
                  uint64_t *chances)
{
    AUTO(captured_clear) struct captured captured = {0};
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    struct error error;

    *ret = small;
    if (!capture) {
        scene_start(scene, MACHINE);
        return;
    }
    *ret = (struct random_host){.name = capture};
    captured_read(&captured, ret->name);
    scene_start(scene, captured.machine);
    scene_configure(scene, captured.configuration);
    if (snapshot_take(&snapshot, &scene->kernel.host, &inventory_all_types, &error) < 0)
        fail_msg("%s: %s", ret->name, error.text);
    make(ret, &snapshot.inventory, scene->kernel.machine, chances);
}
