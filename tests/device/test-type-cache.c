/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* type-cache: which lines of the file are remembered, for which cards, and which lines are
 * stored. */

#include "device/scan.h"
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

/* A card that lists only the types that it would make now, and a card that lists all types. */
static struct inventory
two_cards(void)
{
    struct inventory inventory = {0};
    struct inventory_gpu *partial;
    struct name card, other;

    assert_int_equal(name_parse(&card, CARD), 0);
    assert_int_equal(name_parse(&other, "0000:18:00.0"), 0);
    partial = inventory_add_gpu(&inventory, &card);
    partial->is_partial = partial->one_size = true;
    inventory_add_gpu(&inventory, &other);
    return inventory;
}

static void
what_is_remembered(void **state)
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
        {CARD " ../x A\n", ""},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(inventory_clear) struct inventory inventory = two_cards();

        fake_write(&scene.kernel, CACHE, rows[i].text);
        type_cache_recall(&scene.kernel.host, &inventory);
        assert_int_equal(inventory.gpus[1]->type_count, 0);
        assert_int_equal(inventory.gpus[0]->type_count, *rows[i].wanted ? 1 : 0);
        if (*rows[i].wanted)
            assert_string_equal(inventory.gpus[0]->types[0].name, rows[i].wanted);
    }
}

/* Only new lines are stored: types with a name, of the card that lists only some types. */
static void
what_is_stored(void **state)
{
    AUTO(inventory_clear) struct inventory inventory = two_cards();
    const struct host plain = {.root = scene.kernel.host.root, .ops = &host_kernel};
    struct inventory_type named = {.name = "GRID T4-1B"}, nameless = {.name = "nvidia-2"};
    char text[256];
    AUTO_CLOSE int directory = -1;

    (void)state;
    assert_int_equal(name_parse(&named.id, "nvidia-1"), 0);
    assert_int_equal(name_parse(&nameless.id, "nvidia-2"), 0);
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", "");
    directory = openat(scene.kernel.host.root, "run/libvirt-vgpu", O_PATH | O_DIRECTORY);
    inventory_add_type(inventory.gpus[0], &nameless);
    inventory_add_type(inventory.gpus[1], &named);
    type_cache_store(&scene.kernel.host, directory, &inventory);
    assert_true(host_read(&plain, text, sizeof(text), CACHE) < 0);
    inventory_add_type(inventory.gpus[0], &named);
    type_cache_store(&scene.kernel.host, directory, &inventory);
    assert_true(host_read(&plain, text, sizeof(text), CACHE) > 0);
    assert_string_equal(text, CARD " nvidia-1 GRID T4-1B");
    assert_int_equal(faccessat(directory, "types.new", F_OK, 0), -1);
    /* A known type stays as it is, and so does all else in the file. */
    fake_write(&scene.kernel, CACHE, CARD " nvidia-1 GRID T4-1B\n" CARD " nvidia-9 Other\n");
    type_cache_store(&scene.kernel.host, directory, &inventory);
    assert_true(host_read(&plain, text, sizeof(text), CACHE) > 0);
    assert_non_null(strstr(text, "Other"));
}

#define L40S                                                                                       \
    "type nvidia-1148 \"NVIDIA L40S-2Q\" framebuffer 2048 max 24\n"                                \
    "type nvidia-1155 \"NVIDIA L40S-24Q\" framebuffer 24576 max 2\n"
#define FIRST  "0000:3d:00.4"
#define SECOND "0000:3d:00.5"

/* Whether a look takes the card for one that takes one size at a time. The look is remembered. */
static bool
takes_one_size(void)
{
    AUTO(inventory_clear) struct inventory inventory = {0};
    AUTO_CLOSE int directory =
        openat(scene.kernel.host.root, "run/libvirt-vgpu", O_PATH | O_DIRECTORY);
    struct error error;

    assert_int_equal(scan_host(&scene.kernel.host, NULL, &inventory_all_types, &inventory, &error),
                     0);
    type_cache_store(&scene.kernel.host, directory, &inventory);
    return inventory.gpus[0]->one_size;
}

/* What was seen beside a vGPU counts once the card is empty, or full. */
static void
several_sizes_are_remembered(void **state)
{
    (void)state;
    scene_stop(&scene);
    scene_start(&scene, "gpu " CARD " vf vfs 4 rule mixed memory 49152\n" L40S);
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", "");
    assert_true(takes_one_size());
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-1148", NULL), 0);
    assert_false(takes_one_size());
    assert_int_equal(fake_remove(&scene.kernel, FIRST), 0);
    assert_false(takes_one_size());
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-1155", NULL), 0);
    assert_int_equal(fake_make(&scene.kernel, SECOND, "nvidia-1155", NULL), 0);
    assert_false(takes_one_size());
}

/* Somebody has switched the mode off. A vGPU shows that. */
static void
until_one_size_is_seen(void **state)
{
    (void)state;
    scene_stop(&scene);
    scene_start(&scene, "gpu " CARD " vf vfs 4 rule size\n" L40S);
    fake_write(&scene.kernel, CACHE, CARD " *\n" CARD " nvidia-1148 NVIDIA L40S-2Q\n");
    assert_false(takes_one_size());
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-1148", NULL), 0);
    assert_true(takes_one_size());
    assert_int_equal(fake_remove(&scene.kernel, FIRST), 0);
    assert_true(takes_one_size());
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(what_is_remembered, here),
        SCENE_TEST(what_is_stored, here),
        SCENE_TEST(several_sizes_are_remembered, here),
        SCENE_TEST(until_one_size_is_seen, here),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
