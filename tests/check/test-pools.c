/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl check: pools and profiles of vgpu.conf, on hosts with the cards they are for. */

#include "base/array.h"
#include "cli/command.h"
#include "fake/typed.h"

#include <stdio.h>

#define HERE "test:///default"
#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size numa 0\ntype nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = MACHINE}, &typed};
#define TEST(function) TYPED_TEST(function, here)

static int
run(const char *line)
{
    return typed_run(&scene, HERE, line, &typed);
}

TEST(pools)
{
    scene_stop(&scene);
    scene_start(&scene, "pci 0000:c1:00.0 driver gim\n"
                        "pci 0000:c1:02.0 driver vfio-pci physfn 0000:c1:00.0\n"
                        "pci 0000:c1:02.1 driver amdgpu physfn 0000:c1:00.0\n");
    scene_configure(&scene,
                    "pools = {\n"
                    "  mi300 = { functions = [ \"0000:c1:02.*\" ]; driver = \"vfio-pci\"; };\n"
                    "  again = { functions = [ \"0000:c1:02.0\" ]; };\n"
                    "};\n");
    typed_golden(&scene, HERE, "check/pools", "vgpuctl check");
    scene_configure(&scene, "pools = { mi300 = { driver = \"a/b\"; }; \n"
                            "a*b = { functions = [ \"0000:c1:02.*\" ]; }; \n"
                            "none = { functions = [ ]; functoins = 1; }; };\n");
    typed_golden(&scene, HERE, "check/pools-faulty", "vgpuctl check");
}

/* 100 s is the longest time that Intel's driver accepts. */
#define LONG_TIMES                                                                                 \
    "profiles = {\n"                                                                               \
    "  slow = { vram = \"1G\";\n"                                                                  \
    "    exec_quantum = \"101s\"; preempt_timeout = \"100s\"; };\n"                                \
    "  late = {\n"                                                                                 \
    "    exec_quantum = \"100s\";\n"                                                               \
    "    preempt_timeout = \"100001ms\"; };\n"                                                     \
    "};\n"

TEST(profiles)
{
    scene_configure(&scene, "profiles = { b50-4g = { vram = \"4G\"; }; };\n");
    typed_golden(&scene, HERE, "check/profiles-other-cards", "vgpuctl check");
    scene_stop(&scene);
    scene_start(&scene, "gpu 0000:03:00.0 xe vfs 1 memory 16384\n");
    scene_configure(&scene, "gpus = ( { address = \"0000:03:00.0\"; vram = \"16G\"; } );\n"
                            "profiles = {\n"
                            "  b50-4g = { vram = \"4G\"; exec_quantum = \"20ms\"; };\n"
                            "  b50-32g = { vram = \"32G\"; preempt_timeout = \"500ms\"; };\n"
                            "};\n");
    typed_golden(&scene, HERE, "check/profiles", "vgpuctl check");
    typed_facts(
        &scene, HERE, "vgpuctl check --print", 0,
        "vram = \"16G\"; # /etc/libvirt-vgpu/vgpu.conf:1\n"
        "b50-4g = { vram = \"4G\"; # /etc/libvirt-vgpu/vgpu.conf:3 exec_quantum = \"20ms\";\n"
        "preempt_timeout = \"500ms\"; # /etc/libvirt-vgpu/vgpu.conf:4 }; }; (end)");
    scene_configure(&scene, "pools = { both = { functions = [ \"0000:03:00.4\" ]; }; };\n"
                            "profiles = { both = { vram = \"4G\"; };\n"
                            "none = { }; a*b = { vram = \"4\"; }; \n"
                            "odd = { exec_quantum = 20; vram = \"1G\"; vrma = \"1G\"; }; };\n");
    typed_golden(&scene, HERE, "check/profiles-faulty", "vgpuctl check");
    scene_configure(&scene, LONG_TIMES);
    typed_golden(&scene, HERE, "check/profiles-times", "vgpuctl check");
    scene_stop(&scene);
    scene_start(&scene, "pci 0000:03:00.0 driver xe\n");
    scene_configure(&scene, "profiles = { b50-4g = { vram = \"4G\"; }; };\n");
    typed_facts(&scene, HERE, "vgpuctl check", 0,
                "warnings: 1) /etc/libvirt-vgpu: warning: no GPU on this host offers vGPUs;");
    scene_configure(&scene, LONG_TIMES);
    typed_facts(
        &scene, HERE, "vgpuctl check", 1,
        "exec_quantum of the profile \"slow\" must be at most 100s:\n"
        "preempt_timeout of the profile \"late\" must be at most 100s:\n"
        "no GPU on this host offers vGPUs;\nfaults: 2; no guest can be given these profiles");
}

/* Intel's driver has given the two functions these shares. vgpu.conf says how much memory all
 * functions may have. */
static void
shared_out(const char *says, unsigned first, unsigned second)
{
    char text[256];

    snprintf(text, sizeof(text),
             "profiles = { b50-2g = { vram = \"2G\"; }; };\n"
             "gpus = ( { address = \"0000:03:00.0\";\n vram = \"%s\"; } );\n",
             says);
    scene_configure(&scene, text);
    *fake_profile(&scene.kernel, "0000:03:00.4") = (uint64_t)first << 20;
    *fake_profile(&scene.kernel, "0000:03:00.5") = (uint64_t)second << 20;
}

/* If a share is no power of 2, it is the whole memory divided by the number of functions. The file
 * states more memory. */
TEST(profiles_of_a_smaller_card)
{
    static const struct {
        const char *says;
        unsigned first, second;
    } silent[] = {
        {"14096M", 7048, 7048}, /* the file states the same memory */
        {"14G", 4096, 4096},    /* the driver rounds the shares down, so there may be more memory */
        {"14G", 0, 0},          /* no memory is shared out */
        {"14G", 7048, 0},       /* the driver did not make these shares */
        {"14G", 7048, 1024},
    };

    scene_stop(&scene);
    scene_start(&scene, "gpu 0000:03:00.0 xe vfs 2 memory 14096\n");
    for (size_t i = 0; i < COUNT(silent); i++) {
        shared_out(silent[i].says, silent[i].first, silent[i].second);
        assert_int_equal(run("vgpuctl check"), COMMAND_DONE);
        assert_string_equal(typed.faults, "");
    }
    shared_out("14G", 7048, 7048);
    typed_golden(&scene, HERE, "check/profiles-smaller-card", "vgpuctl check");
    /* A guest's function has the memory of its profile. This is no share. */
    assert_int_equal(typed_prepare(&scene, 1, "b50-2g", "0000:03:00.4"), 0);
    assert_int_equal(run("vgpuctl check"), COMMAND_DONE);
    assert_string_equal(typed.faults, "");
}

/* The driver has three rules for the shares. None of them may make a file that states the card's
 * true memory look wrong. */
TEST(profiles_of_the_true_size)
{
    static const char *const rules[] = {"shares 1", "shares 2", "shares 3", "admin"};
    char machine[128];

    for (size_t i = 0; i < COUNT(rules); i++) {
        scene_stop(&scene);
        snprintf(machine, sizeof(machine), "gpu 0000:03:00.0 xe vfs 7 memory 14096 %s\n", rules[i]);
        scene_start(&scene, machine);
        scene_configure(&scene, "profiles = { b50-2g = { vram = \"2G\"; }; };\n"
                                "gpus = ( { address = \"0000:03:00.0\"; vram = \"14096M\"; } );\n");
        fake_write(&scene.kernel, "sys/devices/0000:03:00.0/sriov_drivers_autoprobe", "0\n");
        for (unsigned count = 1; count <= 7; count++) {
            assert_int_equal(fake_enable(&scene.kernel, "0000:03:00.0", 0), 0);
            assert_int_equal(fake_enable(&scene.kernel, "0000:03:00.0", count), 0);
            assert_true(*fake_profile(&scene.kernel, "0000:03:00.4") > 0);
            assert_int_equal(run("vgpuctl check"), COMMAND_DONE);
            if (*typed.faults)
                fail_msg("%s, %u functions: %s", rules[i], count, typed.faults);
        }
    }
}
