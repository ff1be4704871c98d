/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whole machines (tests/machines). The hook starts guests on them until they are full. */

#include "fake/scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = NULL};
#define TEST(name) SCENE_TEST(name, here)

/* Starts guests with this type until one is refused. Returns their number. */
static unsigned
fill(const char *type, unsigned first)
{
    unsigned count = 0;

    while (scene_prepare(&scene, first + count, first + count, type) == 0)
        count++;
    assert_non_null(strstr(scene.said, "no GPU can take"));
    return count;
}

static void
empty(unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(scene_release(&scene, first + i, first + i), 0);
}

/* The true room of a whole machine for each type, from NVIDIA's table or the driver's pool. */
TEST(rooms)
{
    static const struct {
        const char *machine, *type;
        unsigned capacity;
    } table[] = {
        {"t4x8", "T4-1B", 8 * 16},      {"t4x8", "GRID T4-16Q", 8},
        {"m60", "M60-1Q", 2 * 8},       {"m60", "M60-8Q", 2},
        {"a40", "A40-1Q", 2 * 32},      {"a40", "NVIDIA A40-8Q", 2 * 6},
        {"a40", "A40-48Q", 2},          {"a100", "A100-5C", 8},
        {"a100", "nvidia-473", 1},      {"mixed", "T4-4Q", 4},
        {"mixed", "A2-4Q", 4},          {"mixed", "mtty-2", 12},
        {"gvt-g", "i915-GVTg_V5_4", 4}, {"gvt-g", "i915-GVTg_V5_2", 2},
        {"mtty", "mtty-1", 24},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        unsigned count;

        scene_start_machine(&scene, table[i].machine);
        count = fill(table[i].type, 1);
        if (count != table[i].capacity)
            fail_msg("%s has room for %u of %s, not %u: %s", table[i].machine, count, table[i].type,
                     table[i].capacity, scene.said);
        empty(1, count);
        scene_assert_empty(&scene);
        if (i + 1 < sizeof(table) / sizeof(*table))
            scene_stop(&scene);
    }
}

/* Packed: the cards are filled one after the other. So the other cards can take any other size. */
TEST(packing_keeps_cards_for_other_sizes)
{
    scene_start_machine(&scene, "t4x8");
    for (unsigned i = 1; i <= 17; i++)
        assert_int_equal(scene_prepare(&scene, i, i, "T4-1Q"), 0);
    assert_int_equal(fill("T4-16Q", 100), 6);
}

/* Spread: each card has some vGPUs, so another size finds no card. */
TEST(spreading_uses_every_card)
{
    scene_start_machine(&scene, "t4x8");
    scene_configure(&scene, "placement = \"spread\";");
    for (unsigned i = 1; i <= 8; i++)
        assert_int_equal(scene_prepare(&scene, i, i, "T4-1Q"), 0);
    assert_int_equal(fill("T4-16Q", 100), 0);
    assert_int_equal(fill("T4-1B", 100), 8 * 15);
}

/* A type of another series may share a card if its size is the same. An old driver allows only the
 * same type. */
TEST(what_may_share_is_the_drivers_word)
{
    scene_start_machine(&scene, "m60");
    assert_int_equal(scene_prepare(&scene, 1, 1, "M60-1Q"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "M60-1B"), 0);
    assert_int_equal(scene_prepare(&scene, 3, 3, "M60-1A"), 1);
    scene_stop(&scene);
    scene_start_machine(&scene, "a40");
    assert_int_equal(scene_prepare(&scene, 1, 1, "A40-2Q"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "A40-2B"), 0);
    assert_int_equal(scene_prepare(&scene, 3, 3, "A40-4Q"), 0);
    assert_int_equal(scene_prepare(&scene, 4, 4, "A40-8Q"), 1);
}

/* The smallest type with enough memory, on boards of different makes. */
TEST(frame_buffer_classes)
{
    AUTO_FREE char *xml = scene_xml(1, "<vgpu:device class=\"big\"/>", (const unsigned[]){1, 0});

    scene_start_machine(&scene, "a40");
    scene_configure(&scene, "classes = { big = { framebuffer = \"5G\"; }; };");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "nvidia-561");
}
