/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl evacuate, as far as no guest has to move: its plan, and who stays.
 * tests/vm/scenarios/evacuate.sh tests the rest. */

#include "cli/command.h"
#include "fake/typed.h"
#include "libvirt/warm-up.h"

#include <stdio.h>
#include <string.h>

#define MACHINE                                                                                    \
    "gpu 0000:3d:00.0 vf vfs 4 rule size board \"NVIDIA L40S\"\n"                                  \
    "gpu 0000:5e:00.0 vf vfs 4 rule size board \"NVIDIA L40S\"\n"                                  \
    "gpu 0000:7f:00.0 vf vfs 1 rule size board \"NVIDIA L40S\"\n"                                  \
    "gpu 0000:9f:00.0 vf vfs 1 rule size board \"NVIDIA L40S\"\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = MACHINE}, &typed};

/* libvirt's test driver with guests that run: two with 16 GiB on one GPU, one with 8 GiB on
 * another.
 */
static const char *
three_guests(void)
{
    AUTO_FREE char *one =
        typed_functions(1, "", "L40S-16Q", (const char *const[]){"0000:3d:00.4", NULL});
    AUTO_FREE char *two =
        typed_functions(2, "", "L40S-16Q", (const char *const[]){"0000:3d:00.5", NULL});
    AUTO_FREE char *three =
        typed_functions(3, "", "L40S-8Q", (const char *const[]){"0000:5e:00.4", NULL});
    AUTO_FREE char *text = NULL;

    assert_int_equal(typed_prepare(&scene, 1, "L40S-16Q", "0000:3d:00.4"), 0);
    assert_int_equal(typed_prepare(&scene, 2, "L40S-16Q", "0000:3d:00.5"), 0);
    assert_int_equal(typed_prepare(&scene, 3, "L40S-8Q", "0000:5e:00.4"), 0);
    assert_true(asprintf(&text, "%s%s%s", one, two, three) > 0);
    return typed_libvirt(&scene, text);
}

/* What is foreseen for one guest is not foreseen for the next. The GPU of another size takes none.
 */
static void
the_plan(void **state)
{
    const char *uri = three_guests();

    typed_golden(&scene, uri, "evacuate/plan", "vgpuctl evacuate 3d:00.0 --dry-run");
    typed_golden(&scene, uri, "evacuate/plan-json", "vgpuctl evacuate 3d:00.0 --dry-run --json");
    typed_golden(&scene, uri, "evacuate/three-gpus",
                 "vgpuctl evacuate 3d:00.0 7f:00.0 9f:00.0 --dry-run -o DOMAIN,HOW,TO,REASON");
    assert_false(host_exists(&scene.kernel.host, "var/lib/libvirt-vgpu/drained/0000:3d:00.0"));
    assert_int_equal(scene_leases(&scene, ""), 3);
    assert_int_equal(scene_leases(&scene, "held"), 3);
}

/* A vGPU without a guest, and a guest that cannot move. */
static void
who_stays(void **state)
{
    const char *uri = three_guests();

    assert_int_equal(scene_release_at(&scene, 3, "0000:5e:00.4"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:5e:00.5", "nvidia-1152", "0000:5e:00.5"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:7f:00.4", "nvidia-1152", "0000:7f:00.4"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:9f:00.4", "nvidia-1152", "0000:9f:00.4"), 0);
    typed_expect(&scene, uri, "vgpuctl evacuate 3d:00.0", COMMAND_BUSY, "what stays: 2 of 2",
                 &typed);
    typed_assert_has(typed.printed, "is not one that it is to move to");
    typed_expect(&scene, uri, "vgpuctl evacuate 5e:00.0", COMMAND_BUSY, "what stays: 1 of 1",
                 &typed);
    typed_assert_has(typed.printed, "0000:5e:00.5 is none of ours");
    typed_expect(&scene, uri, "vgpuctl gpus -o GPU,DRAINED -rn", COMMAND_DONE,
                 "0000:3d:00.0 yes\n0000:5e:00.0 yes\n0000:7f:00.0 no\n0000:9f:00.0 no\n", &typed);
    assert_int_equal(scene_leases(&scene, "held"), 2);
}

/* A guest that is on both. The name of one GPU begins like that of the other. */
static void
two_names(void **state)
{
    AUTO_FREE char *xml = scene_xml(1,
                                    "<vgpu:device alias=\"ua-gpu1\" type=\"mtty-2\" "
                                    "parent=\"mtty2\"/>"
                                    "<vgpu:device alias=\"ua-gpu2\" type=\"mtty-2\" "
                                    "parent=\"mtty\"/>",
                                    (unsigned[]){1, 2, 0});

    scene_stop(&scene);
    scene_start(&scene, "gpu mtty rule pool 4\ntype mtty-2 \"Dual port serial\" uses 2\n"
                        "gpu mtty2 rule pool 4\ntype mtty-2 \"Dual port serial\" uses 2\n");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    typed_expect(&scene, typed_libvirt(&scene, ""),
                 "vgpuctl evacuate mtty mtty2 --dry-run -rn -o FROM", COMMAND_BUSY,
                 "what stays: 1 of 1", &typed);
    typed_assert_has(typed.printed, "mtty2,mtty\n");
}

/* Nobody knows what a broken vgpu.conf allows, so no guest moves. */
static void
a_broken_configuration(void **state)
{
    const char *uri = three_guests();

    scene_configure(&scene, "gpus = (");
    typed_expect(&scene, uri, "vgpuctl evacuate 5e:00.0 --dry-run", COMMAND_BUSY,
                 "what stays: 1 of 1", &typed);
    typed_assert_has(typed.printed, "/etc/libvirt-vgpu/vgpu.conf:1: ");
    typed_expect(&scene, uri, "vgpuctl evacuate 5e:00.0", COMMAND_FAILED,
                 "guests that could not be moved: 1 of 1", &typed);
    typed_assert_has(typed.printed, " stayed /etc/libvirt-vgpu/vgpu.conf:1: ");
    assert_int_equal(scene_leases(&scene, "held"), 3);
    assert_int_equal(scene_leases(&scene, ""), 3);
}

static void
nothing_there(void **state)
{
    typed_expect(&scene, three_guests(), "vgpuctl evacuate 7f:00.0", COMMAND_DONE, "", &typed);
    typed_assert_has(typed.faults, "nothing is there");
    typed_expect(&scene, three_guests(), "vgpuctl evacuate 99:00.0", COMMAND_FAILED, "99:00.0",
                 &typed);
}

int
main(void)
{
#define TEST(name) TYPED_TEST(name, here)
    const struct CMUnitTest tests[] = {TEST(the_plan), TEST(who_stays), TEST(two_names),
                                       TEST(a_broken_configuration), TEST(nothing_there)};

    return cmocka_run_group_tests(tests, warm_up_connection, NULL);
}
