/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The driver's word is the best that anybody knows. Random cards with random vGPUs are read from a
 * tree. What their driver would make is never refused, unless a figure that was told forbids it.
 * What it would refuse is never promised. The drivers count each type by itself, or share the
 * memory between types as NVIDIA's drivers do: with one size, with functions, with mixed sizes.
 */

#include "device/scan.h"
#include "device/vgpu.h"
#include "fake/chance.h"
#include "fake/scene.h"
#include "placement/gpu-room.h"

#include <stdio.h>

#define CARD   "0000:18:00.0"
#define HOSTS  150
#define MEMORY 16384 /* MiB */
#define DEVICE 1000  /* the number of the first vGPU */

struct card {
    struct fake_kernel kernel;
    struct inventory inventory;
    const struct inventory_gpu *gpu;
    struct gpu_load load;
    unsigned made; /* vGPUs, so far */
    uint64_t seed; /* of the round, for a failure */
    const char *machine;
};

#define MUST(card, condition, format, ...)                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("SEED=%llu ROUNDS=1: " format "\n%s", (unsigned long long)(card)->seed,       \
                     __VA_ARGS__, (card)->machine);                                                \
    } while (0)

static char *
random_machine(uint64_t *seed)
{
    static const char *const rules[] = {"size", "mixed", "apart", "apart"};
    const char *rule = rules[chance(seed, COUNT(rules))];
    bool functions = maybe(seed, 60), vf = functions && maybe(seed, 50);
    unsigned number = 1;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out, "gpu " CARD " rule %s", rule);
    if (functions)
        fprintf(out, "%s vfs %u", vf ? " vf" : "", 1 + chance(seed, 6));
    if (*rule == 'm')
        fprintf(out, " memory %u", MEMORY + 512 * chance(seed, 4));
    fprintf(out, "\n");
    for (unsigned gib = 1; gib <= 16; gib *= 2) {
        if (gib < 16 && maybe(seed, 40))
            continue;
        fprintf(out, "type nvidia-%u \"GRID X-%uQ\" framebuffer %u", 900 + number++, gib,
                1024 * gib);
        if (*rule == 's')
            fprintf(out, " max %u", 16 / gib);
        if (*rule == 'a')
            fprintf(out, " %s %u", maybe(seed, 50) ? "alone" : "max", 1 + chance(seed, 10));
        fprintf(out, "\n");
    }
    fclose(out);
    return text;
}

/* Makes a vGPU. Returns whether the driver took it. */
static bool
make(struct card *card, const struct place *place)
{
    const char *parent = place->parent->name.text;

    return fake_make(&card->kernel, parent, place->type->id.text,
                     place->parent->interface->hostdev == REQUEST_PCI
                         ? parent
                         : scene_device(DEVICE + card->made++)) == 0;
}

static void
look(struct card *card)
{
    struct error error;

    gpu_load_clear(&card->load);
    inventory_clear(&card->inventory);
    assert_int_equal(
        scan_host(&card->kernel.host, NULL, &inventory_all_types, &card->inventory, &error), 0);
    assert_int_equal(card->inventory.gpu_count, 1);
    card->gpu = card->inventory.gpus[0];
    gpu_load_init(&card->load, card->gpu, LOAD_NOW);
}

static struct place
random_place(const struct card *card, uint64_t *seed)
{
    return (struct place){card->gpu->parents[chance(seed, (unsigned)card->gpu->parent_count)],
                          &card->gpu->types[chance(seed, (unsigned)card->gpu->type_count)]};
}

/* Whether a figure of the driver's own is used up, so that the type may be refused. */
static bool
is_told_full(const struct card *card, const struct inventory_type *type)
{
    size_t made = 0;

    for (size_t i = 0; i < card->gpu->vgpu_count; i++)
        made += card->gpu->one_size || inventory_type_of(card->gpu->vgpus[i]) == type;
    return type->max && made >= type->max;
}

static void
check_word(struct card *card, const struct place *place)
{
    const struct bounds said = gpu_room_at(&card->load, place);
    bool offered = place_available(place) > 0;

    MUST(card, said.most > 0 || !offered || is_told_full(card, place->type),
         "%s is refused on %s, and the driver would make one", place->type->name,
         place->parent->name.text);
    MUST(card, said.least == 0 || offered, "%s is promised on %s, and the driver would make none",
         place->type->name, place->parent->name.text);
}

static void
check_all_words(struct card *card)
{
    for (size_t i = 0; i < card->gpu->parent_count; i++) {
        for (size_t k = 0; k < card->gpu->type_count; k++) {
            const struct place place = {card->gpu->parents[i], &card->gpu->types[k]};

            check_word(card, &place);
        }
    }
}

/* As many as are sure on the whole card can be made, one after the other, wherever the driver
 * makes one. */
static void
check_promise(struct card *card, const struct inventory_type *type)
{
    const unsigned sure = gpu_room_left(&card->load, type, NULL).least;
    unsigned made = 0;

    for (size_t i = 0; i < card->gpu->parent_count; i++) {
        const struct place place = {card->gpu->parents[i], type};

        while (made < sure && make(card, &place))
            made++;
    }
    MUST(card, made == sure, "%u of %s are promised, and %u were made", sure, type->name, made);
}

/* Others begin up to three vGPUs for which there is room. */
static void
claim(struct card *card, uint64_t *seed)
{
    struct place claimed[3];
    size_t count = 0;

    for (unsigned i = chance(seed, 4); i > 0; i--) {
        const struct load_use use = {random_place(card, seed), 0};

        if (gpu_room_at(&card->load, &use.place).least == 0)
            continue;
        gpu_load_put(&card->load, &use);
        claimed[count++] = use.place;
    }
    for (size_t i = 0; i < count; i++)
        MUST(card, make(card, &claimed[i]), "%s was promised to claim %zu, and is refused",
             claimed[i].type->name, i);
}

static void
play(uint64_t first)
{
    uint64_t seed = first;
    AUTO_FREE char *machine = random_machine(&seed);
    struct card card = {.seed = first, .machine = machine};

    fake_start(&card.kernel, machine);
    look(&card);
    for (unsigned i = chance(&seed, 8); i > 0; i--) {
        const struct place place = random_place(&card, &seed);

        (void)make(&card, &place);
    }
    look(&card);
    check_all_words(&card);
    claim(&card, &seed);
    check_promise(&card, &card.gpu->types[chance(&seed, (unsigned)card.gpu->type_count)]);
    look(&card);
    check_all_words(&card);
    gpu_load_clear(&card.load);
    inventory_clear(&card.inventory);
    fake_stop(&card.kernel);
}

UNIT_TEST(is_neither_refused_nor_exceeded)
{
    uint64_t first = chance_setting("SEED", SEED), rounds = chance_rounds(HOSTS);

    for (uint64_t i = 0; i < rounds; i++)
        play(first + i);
}
