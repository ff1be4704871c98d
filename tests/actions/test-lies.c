/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A driver may say something that is not true. Even then a start gives a guest the requested vGPU,
 * or refuses with a reason. Nothing is lost. */

#include "fake/scene.h"
#include "fake/typed.h"

#include <stdio.h>
#include <string.h>

#define CARD "0000:18:00.0"
#define VF1  "0000:3d:00.4"
#define VF2  "0000:3d:00.5"

#define MACHINE                                                                                    \
    "gpu " CARD " rule size numa 0\n"                                                              \
    "type nvidia-232 \"GRID T4-4Q\" framebuffer 4096 max 4\n"                                      \
    "type nvidia-233 \"GRID T4-8Q\" framebuffer 8192 max 2\n"                                      \
    "type nvidia-252 \"GRID T4-4B\" framebuffer 4096 max 4\n"                                      \
    "gpu 0000:3d:00.0 vf vfs 4 rule size numa 1\n"                                                 \
    "type nvidia-1153 \"NVIDIA L40S-24Q\" framebuffer 24576 max 2\n"                               \
    "type nvidia-1155 \"NVIDIA L40S-48Q\" framebuffer 49152 max 1\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {.scene = {.scene = &scene, .machine = MACHINE},
                                       .typed = &typed};
#define TEST(function) TYPED_TEST(function, here)

static void
set(enum fake_lie lie)
{
    scene.kernel.faults->lie = lie;
}

/* The driver tells the truth again, and all guests are gone. Then no vGPU or lease of them is
 * left. */
static void
make_good(void)
{
    set(FAKE_TRUTH);
    scene.kernel.faults->remove_delay = 0;
    typed_run(&scene, typed_libvirt(&scene, ""), "vgpuctl reconcile", &typed);
    scene_assert_empty(&scene);
}

/* All guests from guest 1 on end, even those that did not start. */
static void
release_all(unsigned last)
{
    for (unsigned guest = 1; guest <= last; guest++)
        assert_int_equal(scene_release(&scene, guest, guest), 0);
    make_good();
}

static void
must_start(unsigned guest, const char *type)
{
    if (scene_prepare(&scene, guest, guest, type) != 0)
        fail_msg("guest %u: %s", guest, scene.said);
}

static void
must_refuse(unsigned guest, const char *type, const char *words)
{
    const size_t leases = scene_leases(&scene, "");

    assert_int_equal(scene_prepare(&scene, guest, guest, type), 1);
    scene_assert_said(&scene, words);
    assert_int_equal(scene_leases(&scene, ""), leases);
}

TEST(a_list_that_does_not_come_back)
{
    set(FAKE_LIE_FORGOTTEN);
    must_start(1, "T4-4Q");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    must_refuse(2, "T4-4Q", CARD " does not offer it now, though nothing is on it");
    must_start(3, "T4-8Q");
    assert_int_equal(scene_release(&scene, 3, 3), 0);
    make_good();
}

TEST(figures_that_are_late)
{
    set(FAKE_LIE_LATE);
    for (unsigned guest = 1; guest <= 4; guest++)
        must_start(guest, "T4-4Q");
    must_refuse(5, "T4-4Q", CARD);
    assert_int_equal(scene_release(&scene, 4, 4), 0);
    /* Only the driver knows that there is room again, and it says this late. Another call has
     * removed the vGPU, so the next start looks again. */
    must_start(5, "T4-4Q");
    release_all(5);
}

/* A start waits for figures only after a removal, and only for a moment. */
TEST(figures_that_are_right)
{
    const struct host *host = &scene.kernel.host;
    uint64_t begin;

    for (unsigned guest = 1; guest <= 4; guest++)
        must_start(guest, "T4-4Q");
    assert_int_equal(scene_release(&scene, 4, 4), 0);
    must_start(4, "T4-4Q");
    begin = host_uptime(host);
    must_refuse(5, "T4-4Q", CARD " is full (4 of 4)");
    assert_in_range(host_uptime(host) - begin, 1000, 3500);
    begin = host_uptime(host);
    must_refuse(5, "T4-4Q", CARD " is full (4 of 4)");
    assert_in_range(host_uptime(host) - begin, 0, 500);

    /* What was removed on another card makes no room on this one. */
    scene_must_start_at(&scene, 7, VF1, "L40S-24Q");
    assert_int_equal(scene_release_at(&scene, 7, VF1), 0);
    begin = host_uptime(host);
    must_refuse(5, "T4-4Q", CARD " is full (4 of 4)");
    assert_in_range(host_uptime(host) - begin, 0, 500);
    release_all(5);
}

/* A kept vGPU is removed to make room. The driver shows the room only later. */
TEST(late_figures_after_an_eviction)
{
    scene_configure(&scene, "release = \"keep\";\n");
    must_start(1, "T4-4Q");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    fake_sleep(FAKE_LATE);
    set(FAKE_LIE_LATE);
    must_start(2, "T4-8Q");
    assert_int_equal(scene_leases(&scene, ""), 1);
}

TEST(a_maximum_that_is_wrong)
{
    set(FAKE_LIE_MAXIMUM);
    for (unsigned guest = 1; guest <= 3; guest++)
        must_start(guest, "T4-4Q");
    must_refuse(4, "T4-4Q", CARD " refused it");
    release_all(4);
}

TEST(a_type_that_appears_beside_another)
{
    set(FAKE_LIE_BESIDE);
    must_refuse(1, "T4-4B", CARD);
    must_start(2, "T4-4Q");
    must_start(3, "T4-4B");
    release_all(3);
}

/* release does not wait until the driver has removed the vGPU. Nobody gets the place before
 * that. */
TEST(a_removal_that_takes_long)
{
    uint64_t began;

    scene.kernel.faults->remove_delay = 20000;
    must_start(1, "T4-8Q");
    must_start(2, "T4-8Q");
    began = fake_now();
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_in_range(fake_now() - began, 0, 6000);
    must_refuse(3, "T4-8Q", CARD);
    fake_sleep(20000);
    must_start(4, "T4-8Q");
    scene.kernel.faults->remove_delay = 0;
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    assert_int_equal(scene_release(&scene, 4, 4), 0);
    make_good();
}

TEST(a_function_that_keeps_its_type)
{
    scene_must_start_at(&scene, 1, VF1, "L40S-24Q");
    set(FAKE_LIE_KEPT);
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    assert_int_equal(scene_leases(&scene, ""), 1);
    scene_must_refuse_at(&scene, 2, VF1, "L40S-24Q", VF1);
    scene_must_start_at(&scene, 3, VF2, "L40S-24Q");
    assert_int_equal(scene_release_at(&scene, 3, VF2), 0);
    make_good();
}
