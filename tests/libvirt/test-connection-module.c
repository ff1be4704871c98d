/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* When libvirt's library is loaded, and the message if it cannot be loaded. */

#include "cli/command.h"
#include "fake/typed.h"
#include "libvirt/connection.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"
#define ABSENT "/nowhere/connection.so"
#define REMEDY "install libvirt-vgpu again"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = MACHINE}, &typed};

static bool
is_loaded(void)
{
    void *module = dlopen(fake_module(), RTLD_NOW | RTLD_NOLOAD);

    if (module)
        dlclose(module);
    return module;
}

/* A module that is built for this test, in the directory of tests/libvirt. */
static const char *
built(const char *name)
{
    static char path[PATH_MAX];

    snprintf(path, sizeof(path), "%.*s/tests/libvirt/%s",
             (int)(strrchr(fake_module(), '/') - fake_module()), fake_module(), name);
    return path;
}

/* libvirt's status file says that a guest runs, and has a device. */
static void
run_guest(unsigned guest, unsigned device)
{
    AUTO_FREE char *xml = scene_xml(guest, "", (const unsigned[]){device, 0});

    scene_put_status(&scene, guest, getpid(), xml);
}

/* libvirt's files name the guests of two vGPUs. The ledger knows only one of these vGPUs. So
 * libvirt need not be asked for all definitions, one by one. */
static void
whose_guests_all_run(void)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    run_guest(1, 1);
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-222", scene_device(2)), 0);
    run_guest(2, 2);
    assert_int_equal(
        typed_run(&scene, "test:///default", "vgpuctl list -rn -o STATE,DOMAIN", &typed),
        COMMAND_DONE);
    assert_string_equal(typed.printed, "held guest1\nforeign guest2\n");
    assert_int_equal(typed_run(&scene, "test:///default", "vgpuctl orphans", &typed), COMMAND_DONE);
    typed_assert_has(typed.faults, "no orphans: ");
    assert_int_equal(typed_run(&scene, "test:///default", "vgpuctl metrics", &typed), COMMAND_DONE);
    typed_assert_has(typed.printed, "libvirt_vgpu_orphans 0\n");
    assert_false(is_loaded());
}

/* This test is the first, because a loaded library stays loaded. */
TYPED_TEST(who_asks_no_libvirt_does_not_load_it, here)
{
    static const char *const lines[] = {
        "vgpuctl gpus",
        "vgpuctl types",
        "vgpuctl list",
        "vgpuctl status",
        "vgpuctl check",
        "vgpuctl reconcile",
        "vgpuctl drain 0000:18:00.0",
        "vgpuctl doctor",
        "vgpuctl metrics",
        "vgpuctl undrain 0000:18:00.0",
        "vgpuctl --help",
        "vgpuctl --version",
        "vgpuctl ready",
    };

    for (size_t i = 0; i < COUNT(lines); i++) {
        typed_run(&scene, NULL, lines[i], &typed);
        if (is_loaded())
            fail_msg("%s loads libvirt", lines[i]);
    }
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(typed_run(&scene, "test:///default", lines[i], &typed), COMMAND_DONE);
    assert_false(is_loaded());
    whose_guests_all_run();
    assert_int_equal(typed_run(&scene, "test:///default", "vgpuctl status", &typed), COMMAND_DONE);
    assert_true(is_loaded());
}

static void
refused(const char *path, const char *words)
{
    const struct host host = {.module = path};
    struct error error;

    assert_int_equal(connection_load(&host, &error), -ENOTCONN);
    typed_assert_has(error.text, "cannot ask libvirt: ");
    typed_assert_has(error.text, words);
    typed_assert_has(error.text, REMEDY);
}

UNIT_TEST(a_module_of_another_build_is_refused)
{
    refused(built("old-module.so"), "old-module.so is of version 0.0.9, and this is version");
    refused(built("odd-module.so"), "odd-module.so was not built together with this program");
    refused("libm.so.6", "libm.so.6 was not built together with this program");
}

UNIT_TEST(one_that_is_absent_is_named)
{
    refused(ABSENT, ABSENT ": cannot open shared object file: No such file");
}

/* The message has one line for one host, and for three hosts. All facts that do not need libvirt
 * are printed. */
TYPED_TEST(commands_say_so_once, here)
{
    scene.kernel.host.module = ABSENT;
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(typed_run(&scene, "test:///default", "vgpuctl list", &typed), COMMAND_DONE);
    typed_assert_has(typed.printed, "GRID T4-1B");
    typed_assert_has(typed.faults, "vgpuctl: list: cannot ask libvirt: " ABSENT);
    typed_assert_has(typed.faults, "so no vGPU is shown as an orphan");
    assert_int_equal(typed_run(&scene, "test:///default", "vgpuctl explain guest1", &typed),
                     COMMAND_FAILED);
    typed_assert_has(typed.faults, "vgpuctl: explain: cannot ask libvirt: " ABSENT);
    assert_int_equal(
        typed_run(&scene, NULL, "vgpuctl list -c test:///default -c test:///default", &typed),
        COMMAND_FAILED);
    typed_assert_has(typed.faults, "vgpuctl: list: cannot ask libvirt: " ABSENT);
    assert_ptr_equal(strchr(typed.faults, '\n'), typed.faults + strlen(typed.faults) - 1);
}
