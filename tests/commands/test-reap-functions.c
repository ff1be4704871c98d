/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Virtual functions in vgpuctl list, orphans and reap. */

#include "cli/command.h"
#include "fake/typed.h"

#include <stdio.h>
#include <string.h>

static struct scene scene;
static struct typed typed;
static const char *libvirt;

static int
run(const char *line)
{
    return typed_run(&scene, libvirt, line, &typed);
}

/* guest1 runs with the first function. guest2 is defined with the second, and does not ask us for a
 * vGPU. The third belonged to guest3, which does not exist any more. The fourth belongs to
 * nobody. */
#define CARD "0000:3d:00.0"

static const char *const places[] = {"0000:3d:00.4", "0000:3d:00.5", "0000:3d:00.6",
                                     "0000:3d:00.7"};
enum { RUNS, IS_DEFINED, IS_LEFT, IS_NOBODYS };

static void
begin(void)
{
    AUTO_FREE char *running =
        typed_functions(1, "", "L40S-8Q", (const char *const[]){places[RUNS], NULL});
    AUTO_FREE char *defined =
        typed_functions(2, TYPED_DEFINED, "", (const char *const[]){places[IS_DEFINED], NULL});
    AUTO_FREE char *left =
        typed_functions(3, "", "L40S-8Q", (const char *const[]){places[IS_LEFT], NULL});
    char domains[8192];

    assert_int_equal(typed_prepare(&scene, 1, "L40S-8Q", places[RUNS]), 0);
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(typed_prepare(&scene, 3, "L40S-8Q", places[IS_LEFT]), 0);
    assert_int_equal(scene_hook(&scene, left, "release", "end"), 0);
    scene_configure(&scene, "release_timeout = \"500ms\";");
    for (size_t i = 0; i < COUNT(places); i++) {
        if (i == IS_DEFINED || i == IS_NOBODYS)
            assert_int_equal(fake_make(&scene.kernel, places[i], "nvidia-1152", places[i]), 0);
    }
    snprintf(domains, sizeof(domains), "%s%s", running, defined);
    libvirt = typed_libvirt(&scene, domains);
}

static const struct typed_case here = {
    {.scene = &scene,
     .machine = "gpu " CARD " vf vfs 5 rule size\n"
                "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n"
                "type nvidia-1155 \"NVIDIA L40S-24Q\" framebuffer 24576 max 2\n",
     .begin = begin},
    &typed};
#define TEST(function) TYPED_TEST(function, here)

TEST(shown)
{
    /* mdevctl defines no virtual functions, even if a file in its directory looks like that. */
    fake_write(&scene.kernel, "etc/mdevctl.d/0000:3d:00.7/dddddddd-0000-4000-8000-000000000006",
               "{}");
    typed_golden(&scene, libvirt, "list/reap-functions",
                 "vgpuctl list -o DEVICE,NAME,PARENT,GPU,STATE,DOMAIN,ORIGIN");
    typed_golden(&scene, libvirt, "orphans/functions",
                 "vgpuctl orphans -o DEVICE,TYPE,NAME,PARENT,GPU,ORIGIN,STATE,DOMAIN");
    typed_golden(&scene, libvirt, "reap/functions-dry-run", "vgpuctl reap --dry-run");
    assert_int_equal(fake_count(&scene.kernel), COUNT(places));
}

TEST(reaped)
{
    typed_golden(&scene, libvirt, "reap/functions", "vgpuctl reap");
    assert_int_equal(fake_count(&scene.kernel), COUNT(places) - 1);
    assert_string_equal(fake_type_of(&scene.kernel, places[IS_LEFT]), "");
    /* Functions of others are reaped only if they are named, in upper or lower case. Each is reaped
     * only once. */
    assert_int_equal(run("vgpuctl reap 3d:00.7 0000:3d:00.7 0000:3D:00.7"), COMMAND_DONE);
    assert_string_equal(typed.printed, "0000:3d:00.7 removed\n");
    assert_string_equal(fake_type_of(&scene.kernel, places[IS_NOBODYS]), "");
    assert_int_equal(run("vgpuctl reap 3D:00.4"), COMMAND_BUSY);
    typed_assert_has(typed.printed, "0000:3d:00.4 left alone: the domain guest1 refers to it\n");
    assert_int_equal(run("vgpuctl reap 0000:3d:00.5"), COMMAND_BUSY);
    typed_assert_has(typed.printed, "0000:3d:00.5 left alone: the domain guest2 refers to it\n");
    assert_int_equal(fake_count(&scene.kernel), 2);
    assert_int_equal(scene_leases(&scene, ""), 1);
    /* A function without a type is no vGPU, and neither is the GPU. Nothing is written to
     * either. */
    scene.kernel.faults->writes = 0;
    assert_int_equal(run("vgpuctl reap 0000:3d:01.0"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "there is no vGPU 0000:3d:01.0 here; see 'vgpuctl orphans'");
    assert_int_equal(run("vgpuctl reap " CARD), COMMAND_FAILED);
    typed_assert_has(typed.faults, "there is no vGPU " CARD " here");
    assert_int_equal(run("vgpuctl reap 3d:01.0"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "or by the address of a virtual function");
    assert_int_equal(scene.kernel.faults->writes, 0);
}

/* The function is open, or was just closed and its driver still works. Everything stays as before
 * until the function is closed and the driver has finished. */
TEST(in_use)
{
    struct fake_guest stray;

    stray = fake_open(&scene.kernel, places[IS_NOBODYS]);
    assert_true(stray.device >= 0);
    for (int dry = 1; dry >= 0; dry--) {
        assert_int_equal(
            run(dry ? "vgpuctl reap --dry-run 0000:3d:00.7" : "vgpuctl reap 0000:3d:00.7"),
            COMMAND_BUSY);
        typed_assert_has(typed.printed, "0000:3d:00.7 left alone: ");
        typed_assert_has(typed.printed, " in use by process ");
        typed_assert_has(typed.faults, "1 of 1 vGPUs were left alone");
        assert_string_equal(fake_type_of(&scene.kernel, places[IS_NOBODYS]), "nvidia-1152");
        assert_int_equal(scene_leases(&scene, ""), 2);
    }
    scene.kernel.faults->exiting = 60000;
    fake_close(&stray);
    assert_int_equal(run("vgpuctl reap 0000:3d:00.7"), COMMAND_BUSY);
    typed_assert_has(typed.printed, "0000:3d:00.7 left alone: the vGPU ");
    assert_string_equal(fake_type_of(&scene.kernel, places[IS_NOBODYS]), "nvidia-1152");
    scene.kernel.faults->exiting = 0;
    /* The last write may still be going on. It may be the write that removed the vGPU. */
    while (run("vgpuctl reap 0000:3d:00.7") == COMMAND_BUSY)
        fake_sleep(1);
    assert_string_equal(fake_type_of(&scene.kernel, places[IS_NOBODYS]), "");
    assert_int_equal(scene_leases(&scene, ""), 2);
}

/* The function of a lease now has another type. The lease is forgotten, and the type stays. */
TEST(of_others)
{
    assert_int_equal(fake_remove(&scene.kernel, places[RUNS]), 0);
    assert_int_equal(fake_remove(&scene.kernel, places[IS_DEFINED]), 0);
    assert_int_equal(fake_remove(&scene.kernel, places[IS_LEFT]), 0);
    assert_int_equal(fake_remove(&scene.kernel, places[IS_NOBODYS]), 0);
    assert_int_equal(fake_make(&scene.kernel, places[IS_LEFT], "nvidia-1155", places[IS_LEFT]), 0);
    typed_golden(&scene, libvirt, "list/reap-functions-other-type",
                 "vgpuctl list -o DEVICE,NAME,STATE,DOMAIN,ORIGIN");
    assert_int_equal(run("vgpuctl reap"), COMMAND_DONE);
    assert_string_equal(typed.printed, "0000:3d:00.6 forgotten\n");
    assert_string_equal(fake_type_of(&scene.kernel, places[IS_LEFT]), "nvidia-1155");
    assert_int_equal(run("vgpuctl list -rn -o DEVICE,TYPE,STATE,ORIGIN"), COMMAND_DONE);
    typed_assert_has(typed.printed, "0000:3d:00.6 nvidia-1155 orphan foreign\n");
}
