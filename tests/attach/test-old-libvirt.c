/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A libvirt that gives no guest a virtual function that keeps its driver: no command promises one.
 * The test stands between libvirt and those who ask for its version.
 */

#include "cli/command.h"
#include "device/vgpu.h"
#include "fake/typed.h"
#include "libvirt/version.h"

#include <libvirt/libvirt.h>
#include <stdio.h>
#include <string.h>

#define FIRST "0000:3d:00.4"
#define MACHINE                                                                                    \
    "gpu 0000:3d:00.0 vf vfs 4 rule size\n"                                                        \
    "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n"                                 \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {
    {.scene = &scene,
     .machine = MACHINE,
     .configuration = "classes = { any = { types = [ \"L40S-8Q\", \"T4-1B\" ]; }; };",
     .inside = true},
    &typed};
#define TEST(name) TYPED_TEST(name, here)

/* Without a call of libvirt the linker would not let this program stand before it. */
static int
initialize(void **state)
{
    return virInitialize();
}
UNIT_PROGRAM(initialize, NULL)

static unsigned long version;

const char *
virConnectGetType(virConnectPtr connection)
{
    return "QEMU";
}

int
virConnectGetLibVersion(virConnectPtr connection, unsigned long *ret)
{
    *ret = version;
    return 0;
}

/* The guest 1 has a function in its definition, guest 2 runs with one, and guest 3 has none. */
static int
run(const char *line)
{
    AUTO_FREE char *one =
        typed_functions(1, TYPED_DEFINED, "L40S-8Q", (const char *const[]){FIRST, NULL});
    AUTO_FREE char *two =
        typed_functions(2, "", "L40S-8Q", (const char *const[]){"0000:3d:00.5", NULL});
    AUTO_FREE char *three = typed_functions(3, TYPED_DEFINED, "", (const char *const[]){NULL});
    AUTO_FREE char *all = NULL;

    assert_true(asprintf(&all, "%s%s%s", one, two, three) > 0);
    return typed_run(&scene, typed_libvirt(&scene, all), line, &typed);
}

#define LACK                                                                                       \
    "libvirt 9.0.0 gives no guest a virtual function that keeps its driver; install libvirt "      \
    "9.7.0 or later"

TEST(nobody_promises_a_function)
{
    version = 9000000;
    assert_int_equal(run("vgpuctl attach guest3 --type L40S-8Q"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "vgpuctl: attach: guest3: ua-gpu0 (L40S-8Q) cannot be on ");
    typed_assert_has(typed.faults, LACK);
    assert_int_equal(run("vgpuctl explain guest1"), COMMAND_FAILED);
    typed_assert_has(typed.printed, "and cannot have what it asks for.");
    typed_assert_has(typed.faults,
                     "vgpuctl: explain: guest1: ua-gpu0 (L40S-8Q) cannot be on " FIRST ": " LACK);
    assert_null(strstr(typed.printed, "chosen"));
    assert_int_equal(run("vgpuctl check --all"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "ua-gpu0 (L40S-8Q) cannot be on " FIRST ": " LACK);
}

/* A file is asked about by the libvirt of this host. */
TEST(nor_for_a_file)
{
    AUTO_FREE char *xml = typed_functions(1, "", "L40S-8Q", (const char *const[]){FIRST, NULL});

    version = 9000000;
    fake_write(&scene.kernel, "one.xml", xml);
    assert_int_equal(run("vgpuctl check one.xml"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "cannot be on " FIRST ": " LACK);
    assert_int_equal(run("vgpuctl explain one.xml"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "cannot be on " FIRST ": " LACK);
    assert_int_equal(run("vgpuctl --root . check one.xml"), COMMAND_DONE);
    assert_int_equal(run("vgpuctl --root . explain one.xml"), COMMAND_DONE);
}

/* A mediated device needs no such libvirt. A class may prefer a function, and is then refused. A
 * guest that runs has what libvirt gave it. */
TEST(what_can_be_had_is_had)
{
    version = 9000000;
    assert_int_equal(run("vgpuctl attach guest3 --class any"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "ua-gpu0 (any) cannot be on ");
    typed_assert_has(typed.faults, LACK);
    assert_int_equal(run("vgpuctl attach guest3 --type T4-1B"), COMMAND_DONE);
    assert_null(strstr(typed.printed, "0000:3d:"));
    assert_int_equal(run("vgpuctl explain guest2"), COMMAND_DONE);
    assert_false(version_lacks(9000000, &vgpu_pool));
    assert_false(version_lacks(9000000, &vgpu_xe));
}

TEST(a_newer_one_gives_functions)
{
    static const unsigned long versions[] = {VERSION_GIVES_FUNCTIONS, 11003000, 0};

    for (size_t i = 0; i < COUNT(versions); i++) {
        version = versions[i];
        assert_int_equal(run("vgpuctl attach guest3 --type L40S-8Q"), COMMAND_DONE);
        typed_assert_has(typed.printed, "0000:3d:");
        assert_int_equal(run("vgpuctl explain guest1"), COMMAND_DONE);
        assert_int_equal(run("vgpuctl check --all"), COMMAND_DONE);
    }
}
