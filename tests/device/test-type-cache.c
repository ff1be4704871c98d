/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* type-cache: which lines of the file are remembered, for which cards, and which lines are
 * stored. */

#include "device/type-cache.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define CACHE "run/libvirt-vgpu/types"
#define CARD  "0000:3d:00.0"
#define TEN   "0123456789"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = ""};
#define TEST(function) SCENE_TEST(function, here)

/* A card that lists only the types that it would make now, and a card that lists all types. */
static struct inventory
two_cards(void)
{
    struct inventory inventory = {0};
    struct inventory_gpu *gpu;
    struct name card, other;

    assert_int_equal(name_parse(&card, CARD), 0);
    assert_int_equal(name_parse(&other, "0000:18:00.0"), 0);
    gpu = inventory_add_gpu(&inventory, &card);
    gpu->is_partial = true;
    snprintf(gpu->vendor, sizeof(gpu->vendor), "10de");
    snprintf(gpu->device, sizeof(gpu->device), "26b9");
    assert_int_equal(name_parse(&gpu->driver, "nvidia"), 0);
    inventory_add_gpu(&inventory, &other);
    return inventory;
}

/* As scan.c does. */
static void
recall(struct inventory *inventory)
{
    free(inventory->remembered);
    inventory->remembered = type_cache_read(&scene.kernel.host);
    type_cache_recall(&scene.kernel.host, inventory);
}

TEST(what_is_remembered)
{
    static const struct {
        const char *text, *wanted; /* "": nothing is stored */
    } rows[] = {
        {CARD " nvidia-1 A B\n", "A B"},
        {CARD " nvidia-1 A", "A"},
        {"0000:19:00.0 nvidia-1 A\n\n" CARD " nvidia-1 B\n", "B"},
        {CARD " nvidia-1 " TEN TEN TEN TEN TEN TEN "123\n", TEN TEN TEN TEN TEN TEN "123"},
        {CARD " nvidia-1 " TEN TEN TEN TEN TEN TEN "1234\n", ""},
        {"0000:18:00.0 nvidia-1 A\n", ""},
        {CARD " nvidia-1 \n", ""},
        {CARD " nvidia-1\n", ""},
        {CARD "\n", ""},
        {"../x nvidia-1 A\n", ""},
        /* what is at the address: the same, another device, vendor or driver */
        {CARD " 10de:26b9:nvidia nvidia-1 A B\n", "A B"},
        {CARD " 10de:1eb8:nvidia nvidia-1 A B\n", ""},
        {CARD " 8086:26b9:nvidia nvidia-1 A B\n", ""},
        {CARD " 10de:26b9:nouveau nvidia-1 A B\n", ""},
        {CARD " 10de:26b9:nvidia nvidia-1\n", ""},
        {CARD " 10de:26b9:nvidia\n", ""},
        {CARD " 10de:26b9:nvidia *\n", ""},
        {CARD " ../x A\n", ""},
        {"", ""},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(inventory_clear) struct inventory inventory = two_cards();

        fake_write(&scene.kernel, CACHE, rows[i].text);
        recall(&inventory);
        assert_int_equal(inventory.gpus[1]->type_count, 0);
        assert_false(inventory.gpus[0]->has_all_sizes);
        assert_int_equal(inventory.gpus[0]->type_count, *rows[i].wanted ? 1 : 0);
        if (*rows[i].wanted)
            assert_string_equal(inventory.gpus[0]->types[0].name, rows[i].wanted);
    }
}

/* Only new lines are stored: types with a name, of the card that lists only some types. */
TEST(what_is_stored)
{
    AUTO(inventory_clear) struct inventory inventory = two_cards();
    const struct host plain = {.root = scene.kernel.host.root, .ops = &host_kernel};
    struct inventory_type named = {.name = "GRID T4-1B"}, nameless = {.name = "nvidia-2"};
    char text[256];
    AUTO_CLOSE int directory = -1;

    assert_int_equal(name_parse(&named.id, "nvidia-1"), 0);
    assert_int_equal(name_parse(&nameless.id, "nvidia-2"), 0);
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", "");
    directory = openat(scene.kernel.host.root, "run/libvirt-vgpu", O_PATH | O_DIRECTORY);
    inventory_add_type(inventory.gpus[0], &nameless);
    inventory_add_type(inventory.gpus[1], &named);
    type_cache_store(directory, &inventory);
    assert_true(host_read(&plain, text, sizeof(text), CACHE) < 0);
    inventory_add_type(inventory.gpus[0], &named);
    type_cache_store(directory, &inventory);
    assert_true(host_read(&plain, text, sizeof(text), CACHE) > 0);
    assert_string_equal(text, CARD " 10de:26b9:nvidia nvidia-1 GRID T4-1B");
    assert_int_equal(faccessat(directory, "types.new", F_OK, 0), -1);
    /* A known type stays as it is, and so does all else in the file. */
    fake_write(&scene.kernel, CACHE,
               CARD " 10de:26b9:nvidia nvidia-1 GRID T4-1B\n" CARD " nvidia-9 Other\n");
    inventory.remembered = type_cache_read(&scene.kernel.host);
    type_cache_store(directory, &inventory);
    assert_true(host_read(&plain, text, sizeof(text), CACHE) > 0);
    assert_non_null(strstr(text, "Other"));
}

/* A name is found by its GPU, what is there, and the type's id. Nothing else is a name. */
TEST(what_a_type_is_called)
{
    static const struct {
        const char *text, *wanted; /* "": it is not known */
    } rows[] = {
        {CARD " 10de:26b9:nvidia nvidia-1 A B\n", "A B"},
        {"0000:19:00.0 ::x nvidia-1 C\n" CARD " 10de:26b9:nvidia nvidia-1 A\n", "A"},
        {CARD " 10de:26b9:nvidia nvidia-12 A\n", ""},
        {CARD " 10de:26b9:nouveau nvidia-1 A\n", ""},
        {"1" CARD " 10de:26b9:nvidia nvidia-1 A\n", ""},
        {CARD " nvidia-1 A\n", ""},
        {CARD " 10de:26b9:nvidia nvidia-1 \n", ""},
        {CARD " 10de:26b9:nvidia nvidia-1 " TEN TEN TEN TEN TEN TEN "1234\n", ""},
        {"", ""},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(inventory_clear) struct inventory inventory = two_cards();
        struct inventory_type type = {0};

        assert_int_equal(name_parse(&type.id, "nvidia-1"), 0);
        fake_write(&scene.kernel, CACHE, rows[i].text);
        inventory.remembered = type_cache_read(&scene.kernel.host);
        assert_int_equal(type_cache_name(&inventory, inventory.gpus[0], &type),
                         *rows[i].wanted != '\0');
        assert_string_equal(type.name, rows[i].wanted);
    }
}

/* Reads what is stored of a card whose sizes are all known. Returns whether that is remembered. */
static bool
remembers_all_sizes(bool is_in_table)
{
    AUTO(inventory_clear) struct inventory before = two_cards(), after = two_cards();
    struct inventory_type type = {.name = "GRID T4-1B", .is_in_table = is_in_table};
    AUTO_FREE char *text = NULL;

    assert_int_equal(name_parse(&type.id, "nvidia-1"), 0);
    inventory_add_type(before.gpus[0], &type);
    before.gpus[0]->has_all_sizes = before.gpus[1]->has_all_sizes = true;
    text = type_cache_text(&before);
    fake_write(&scene.kernel, CACHE, text);
    recall(&after);
    assert_false(after.gpus[1]->has_all_sizes);
    assert_int_equal(after.gpus[0]->type_count, is_in_table ? 0 : 1);
    return after.gpus[0]->has_all_sizes;
}

/* Types that a table has are not stored. So nobody may think later that all are. */
TEST(all_sizes)
{
    AUTO(inventory_clear) struct inventory inventory = two_cards();

    assert_true(remembers_all_sizes(false));
    assert_false(remembers_all_sizes(true));
    /* another card was there then */
    fake_write(&scene.kernel, CACHE, CARD " 10de:1eb8:nvidia * all sizes\n");
    recall(&inventory);
    assert_false(inventory.gpus[0]->has_all_sizes);
}
