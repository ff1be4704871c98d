/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl setup when NVIDIA's tool does not tell how a card is. */

#include "cli/command.h"
#include "fake/fake-parts.h"
#include "setup/cards.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* The driver numbers the first GPU of a machine so. */
#define PROC_INSTANCES "proc/driver/nvidia/capabilities/gpu64/mig"

static void
begin(void)
{
    nvidia_tools_install(&scene.kernel, NVIDIA, 4);
    declare("functions = \"all\";");
}

static const struct typed_case here = {{.scene = &scene, .machine = NVIDIAS, .begin = begin},
                                       &typed};
#define TEST(function) TYPED_TEST(function, here)

static void
put_in_mig_mode(const char *instance)
{
    nvidia_tools->is_mig = nvidia_tools->is_mig_to_be = true;
    nvidia_tools->instance_count = 0;
    if (instance)
        nvidia_tools_add_instance(instance);
}

/* The driver shows an instance in /proc. */
static void
with_an_instance_in_proc(void)
{
    put_in_mig_mode("1g.24gb+gfx");
    fake_put(scene.kernel.host.root, "DeviceFileMinor: 21\n", PROC_INSTANCES "/gi7/access");
}

static void
with_half_the_functions(void)
{
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 2), 0);
}

static void
mixed_on_half_the_functions(void)
{
    with_half_the_functions();
    nvidia_tools->is_mixed = true;
}

static void
in_empty_mig_mode(void)
{
    put_in_mig_mode(NULL);
}

/* What a tool could not tell is not absent: nothing is done that could take it away. */
TEST(unread)
{
    static const char sizes[] = "may take its sizes away, which cannot be read: ";
    static const struct {
        void (*start)(void);
        int modes, instances; /* exit statuses */
        const char *refused;
    } rows[] = {
        {mixed_on_half_the_functions, 9, 0, sizes},
        {with_half_the_functions, 9, 0, sizes},
        {with_half_the_functions, 0, 9, NULL},
        {with_an_instance_in_proc, 9, 0, "would take its instances (1, whose profiles NVIDIA does"},
        {with_an_instance_in_proc, 0, 9, "would take its instances (1, whose profiles NVIDIA does"},
        {in_empty_mig_mode, 0, 9, NULL},
        {bare, 9, 0, NULL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        nvidia_tools_boot(&scene.kernel);
        nvidia_tools->asked[0] = '\0';
        rows[i].start();
        nvidia_tools->modes_status = rows[i].modes;
        nvidia_tools->instances_status = rows[i].instances;
        run("vgpuctl setup", rows[i].refused ? COMMAND_FAILED : COMMAND_DONE,
            rows[i].refused ? rows[i].refused : "done");
        if (rows[i].refused)
            assert_string_equal(nvidia_tools->asked, "");
        (void)!unlinkat(scene.kernel.host.root, PROC_INSTANCES "/gi7/access", 0);
        (void)!unlinkat(scene.kernel.host.root, PROC_INSTANCES "/gi7", AT_REMOVEDIR);
    }
    /* Of a part that is said, the tool's own failure is told. */
    nvidia_tools_boot(&scene.kernel);
    with_half_the_functions();
    nvidia_tools->modes_status = 9;
    scene_configure(&scene, "gpus = ( { address = \"" NVIDIA "\"; setup = { functions = \"all\"; "
                            "sizes = \"mixed\"; }; } );");
    run("vgpuctl setup", COMMAND_FAILED,
        "vgpuctl: setup: /usr/bin/nvidia-smi -q -i " NVIDIA " failed");
    assert_null(strstr(typed.faults, "say them as well"));
    begin();
    /* A tool that is not installed is an answer. */
    nvidia_tools_boot(&scene.kernel);
    with_half_the_functions();
    assert_int_equal(unlinkat(scene.kernel.host.root, "usr/bin/nvidia-smi", 0), 0);
    run("vgpuctl setup", 0, "done");
}
