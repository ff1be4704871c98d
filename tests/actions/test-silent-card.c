/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A card's driver does not answer, or is slow. It delays only the guests that need this card. */

#include "fake/scene.h"

#include <stdio.h>
#include <string.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type x-1 \"X-1\" framebuffer 1024 max 2\n"                                                    \
    "gpu 0000:3b:00.0 rule size\n"                                                                 \
    "type x-1 \"X-1\" framebuffer 1024 max 2\n"                                                    \
    "type y-1 \"Y-1\" framebuffer 2048 max 1\n"
#define FUNCTIONS                                                                                  \
    "gpu 0000:18:00.0 vf vfs 2 rule size board \"NVIDIA L40S\"\n"                                  \
    "gpu 0000:3b:00.0 vf vfs 2 rule size board \"NVIDIA L40S\"\n"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = MACHINE};
static const struct scene_case functions = {.scene = &scene, .machine = FUNCTIONS};

/* Makes the driver of this card silent or slow: "0000:18:00". */
static void
make_slow(const char *card, unsigned milliseconds)
{
    snprintf(scene.kernel.faults->slow, sizeof(scene.kernel.faults->slow), "%s", card);
    scene.kernel.faults->slow_by = milliseconds;
}

static void
make_mute(const char *card)
{
    make_slow(card, 0);
    scene.kernel.faults->mute = true;
}

/* --- the tests -------------------------------------------------------------------------------- */

SCENE_TEST(another_card_serves, here)
{
    uint64_t began = fake_now();

    make_mute("0000:18:00");
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "X-1"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_true(fake_now() - began <= 1000);
    assert_int_equal(scene_leases(&scene, "held"), 1);
}

/* No other card has room. The start gives the card a share of its time, and then refuses and names
 * the silent driver. It does not say "never", because nobody knows the room of that card. */
SCENE_TEST(who_needs_it_is_told, here)
{
    uint64_t began = fake_now();

    make_mute("0000:3b:00");
    assert_int_equal(scene_prepare(&scene, 1, 1, "Y-1"), 1);
    scene_assert_said(&scene, "0000:3b:00.0 has a driver that does not answer");
    assert_true(fake_now() - began >= 5000);
    assert_true(fake_now() - began <= 10000);
    scene_assert_empty(&scene);
}

/* The guest still has a vGPU of an earlier start on that card. Nobody knows its present state. As
 * long as nobody knows, the vGPU is not made on another card, and its lease stays. */
SCENE_TEST(whose_own_is_there_waits, here)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "Y-1"), 0);
    make_mute("0000:3b:00");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 1);
        scene_assert_said(&scene, "(y-1, held) is on 0000:3b:00.0, whose driver does not answer");
        assert_int_equal(scene_leases(&scene, "held"), 1);
    }
}

SCENE_TEST(who_needs_a_slow_card_gets_it, here)
{
    make_slow("0000:3b:00", 300);
    assert_int_equal(scene_prepare(&scene, 1, 1, "Y-1"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
}

/* The card has a guest's vGPU. The driver is slow when this guest ends. */
SCENE_TEST(release_has_its_own_time, functions)
{
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare_at(&scene, 1, scene_function("0000:18:00.0", 0), "L40S-8Q"), 0);
    make_slow("0000:18:00", 2000);
    assert_int_equal(scene_release_at(&scene, 1, scene_function("0000:18:00.0", 0)), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
}

SCENE_TEST(functions_of_another_card_serve, functions)
{
    uint64_t began = fake_now();

    make_mute("0000:18:00");
    assert_int_equal(scene_prepare_at(&scene, 1, scene_function("0000:3b:00.0", 0), "L40S-8Q"), 0);
    assert_true(fake_now() - began <= 1000);
    assert_int_equal(scene_prepare_at(&scene, 2, scene_function("0000:18:00.0", 0), "L40S-8Q"), 1);
    scene_assert_said(&scene, "has a driver that does not answer");
    assert_int_equal(scene_leases(&scene, "held"), 1);
}
