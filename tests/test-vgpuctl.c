/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The command line of vgpuctl: what it prints where, and exits with. */

#include "vgpuctl.h"
#include "command.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

#define MACHINE "gpu mtty rule pool 4\ntype mtty-2 \"Dual port serial\" uses 2\n"

static struct scene scene;
static char *printed, *faults;

static int
setup(void **state)
{
    (void)state;
    scene_start(&scene, MACHINE);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    free(printed);
    free(faults);
    printed = faults = NULL;
    scene_stop(&scene);
    return 0;
}

/* Runs a line of words. */
static int
run(const char *line)
{
    AUTO_FREE char *copy = strdup(line);
    char *argv[16], *rest = copy, *word;
    int argc = 0, status;
    size_t size;
    FILE *out, *err;

    while ((word = strsep(&rest, " ")))
        argv[argc++] = word;
    argv[argc] = NULL;
    free(printed);
    free(faults);
    out = open_memstream(&printed, &size);
    err = open_memstream(&faults, &size);
    status = vgpuctl_run(&scene.kernel.host, argc, argv, out, err);
    fclose(out);
    fclose(err);
    return status;
}

static void
assert_has(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("no \"%s\" in: %s", words, text);
}

static void
help_and_version(void **state)
{
    (void)state;
    assert_int_equal(run("vgpuctl --help"), COMMAND_DONE);
    assert_string_equal(faults, "");
    for (size_t i = 0; i < command_count; i++) {
        assert_has(printed, commands[i]->name);
        assert_has(printed, commands[i]->help);
    }
    assert_int_equal(run("vgpuctl --version"), COMMAND_DONE);
    assert_has(printed, "vgpuctl (libvirt-vgpu) ");
}

static void
wrong_usage(void **state)
{
    static const struct {
        const char *line, *words;
    } rows[] = {
        {"vgpuctl", "a command, please"},
        {"vgpuctl reconsile", "no command \"reconsile\" (did you mean reconcile?)"},
        {"vgpuctl --rot /", "what is --rot?"},
        {"vgpuctl --root", "what is --root?"},
        {"vgpuctl reconcile now", "usage: vgpuctl reconcile"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(run(rows[i].line), COMMAND_USAGE);
        assert_has(faults, rows[i].words);
        assert_string_equal(printed, "");
        assert_ptr_equal(strchr(faults, '\n'), faults + strlen(faults) - 1);
    }
    assert_int_equal(run("vgpuctl --root /no/such reconcile"), COMMAND_FAILED);
    assert_has(faults, "--root /no/such: No such file or directory");
}

static void
reconcile(void **state)
{
    struct fake_guest stray;

    (void)state;
    assert_int_equal(run("vgpuctl reconcile"), COMMAND_DONE);
    assert_string_equal(printed, "");
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", "release_timeout = \"50ms\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(run("vgpuctl reconcile"), COMMAND_BUSY);
    assert_has(printed, "dddddddd-0000-4000-8000-000000000001 guest1 left alone: the vGPU ");
    assert_has(faults, "vgpuctl: reconcile: 1 of 1 vGPUs could not be given back yet");
    fake_close(&stray);
    fake_write(&scene.kernel, "etc/libvirt-vgpu/vgpu.conf", "");
    assert_int_equal(run("vgpuctl reconcile"), COMMAND_DONE);
    assert_has(printed, " guest1 removed: its removal was not finished\n");
    assert_string_equal(faults, "");
    scene_assert_empty(&scene);
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", "rubbish\n");
    assert_int_equal(run("vgpuctl reconcile"), COMMAND_FAILED);
    assert_has(faults, "vgpuctl: reconcile: /run/libvirt-vgpu/ledger");
}

int
main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(help_and_version),
        TEST(wrong_usage),
        TEST(reconcile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
