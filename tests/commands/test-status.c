/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The picture of vgpuctl status for whole machines. check-terminal.sh tests how status watches a
 * machine. */

#include "base/memory.h"
#include "fake/typed.h"

#include <stdio.h>
#include <string.h>

#define HERE "test:///default"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene}, &typed};
#define TEST(function) TYPED_TEST(function, here)

static void
foreign(const char *parent, const char *type, const char *device)
{
    assert_int_equal(fake_make(&scene.kernel, parent, type, device), 0);
}

/* Guests that run, a vGPU that a guest left, and a vGPU that somebody else made. The defined
 * domains ask for other types. */
static void
begin_t4(void)
{
    scene_start(&scene, "gpu 0000:18:00.0 rule size numa 0 board \"GRID T4\"\n"
                        "gpu 0000:3b:00.0 rule size numa 1 board \"GRID T4\"\n");
    scene_configure(&scene, "gpus = ({ address = \"0000:3b:00.0\"; reserve = 1; });");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-2Q"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-2Q"), 0);
    foreign("0000:3b:00.0", "nvidia-222", scene_device(3));
}

TEST(t4)
{
    AUTO_FREE char *first = typed_domain(1, "", (const unsigned[]){1, 0});
    AUTO_FREE char *second = typed_domain(2, "", (const unsigned[]){2, 0});
    AUTO_FREE char *third = typed_domain(3, TYPED_DEFINED, (const unsigned[]){3, 0});
    AUTO_FREE char *domains = NULL;
    const char *libvirt;

    begin_t4();
    assert_true(asprintf(&domains, "%s%s%s", first, second, third) > 0);
    libvirt = typed_libvirt(&scene, domains);
    typed_golden(&scene, libvirt, "status/t4", "vgpuctl status");
    scene.kernel.booted = UINT64_C(1795500000000000000);
    typed_golden(&scene, libvirt, "status/t4-json", "vgpuctl status --json 0000:18:00.0");
    typed_facts(&scene, libvirt, "vgpuctl status --json 0000:3b:00.0", 0,
                "\"used\": 1024, \"free\": 14336, \"free-at-most\": 14336,\n"
                "\"state\": \"foreign\", \"domain\": \"guest3\",\n\"since\": null");
    /* README.md shows this output; check-golden.sh compares. */
    typed_golden(&scene, libvirt, "readme/status", "vgpuctl status 0000:18:00.0");
    typed_golden_on(&scene, libvirt, &typed_page, "status/page", "vgpuctl status 0000:18:00.0");
    typed_golden(&scene, libvirt, "status/t4-unknown", "vgpuctl status 0000:19:00.0");
}

/* No line is longer than the screen. On a narrow screen names are cut. */
TEST(widths)
{
    struct terminal screen = typed_screen;

    begin_t4();
    for (unsigned width = 60; width <= 200; width += 20) {
        screen.width = width;
        assert_int_equal(typed_run_on(&scene, HERE, &screen, "vgpuctl status", &typed), 0);
        for (const char *line = typed.printed; *line; line += strcspn(line, "\n") + 1) {
            if (strcspn(line, "\n") > width)
                fail_msg("%u columns, and: %s", width, line);
        }
    }
    screen.width = 60;
    typed_golden_on(&scene, HERE, &screen, "status/narrow", "vgpuctl status");
    screen.width = 80;
    screen.has_colour = true;
    typed_golden_on(&scene, HERE, &screen, "status/colour", "vgpuctl status 0000:18:00.0");
}

/* All types are shown on a screen that has room for them. */
TEST(many_types)
{
    const struct terminal wide = {.is_screen = true, .width = 2000};
    AUTO_FREE char *machine = NULL;
    size_t size;
    FILE *out = memory_stream(&machine, &size);

    fprintf(out, "gpu 0000:18:00.0 rule size\n");
    for (unsigned gib = 1; gib <= 32; gib++)
        fprintf(out,
                "type nvidia-%u \"GRID LONG-LONG-LONG-LONG-LONG-LONG-LONG-LONG-%uQ\" "
                "framebuffer %u max 1\n",
                900 + gib, gib, gib * 1024);
    memory_stream_end(out, &machine);
    scene_start(&scene, machine);
    assert_int_equal(typed_run_on(&scene, HERE, &wide, "vgpuctl status", &typed), 0);
    typed_assert_has(typed.printed, ", 1 LONG-LONG-LONG-LONG-LONG-LONG-LONG-LONG-32Q\n");
}

/* The name of a type leaves no room for the owner of its vGPU. The owner is cut to a few
 * characters. */
TEST(a_long_name)
{
    struct terminal screen = typed_screen;

    scene_start(&scene, "gpu 0000:18:00.0 rule size\ntype nvidia-901 \"GRID LONG-LONG-LONG-LONG-"
                        "LONG-LONG-LONG-LONG-1B\" framebuffer 1024 max 16\n");
    foreign("0000:18:00.0", "nvidia-901", scene_device(3));
    screen.width = 60;
    assert_int_equal(typed_run_on(&scene, HERE, &screen, "vgpuctl status", &typed), 0);
    typed_assert_has(typed.printed, "\n a dddddd.. LONG-LONG");
    assert_true(strcspn(typed.printed, "\n") <= screen.width);
}

/* Memory that no vGPU can have is not free. */
TEST(closed)
{
    begin_t4();
    scene_configure(&scene, "gpus = ({ address = \"0000:3b:00.0\"; enabled = false; });");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl drain 0000:18:00.0", &typed), 0);
    typed_facts(
        &scene, HERE, "vgpuctl status", 0,
        "[aaaaaaaaaabbbbbbbbb-----------------------------------------------------------] a\n"
        "free: 0 MiB, drained ('vgpuctl undrain' ends that)\n"
        "[aaaaa-------------------------------------------------------------------------] a\n"
        "free: 0 MiB, disabled by vgpu.conf");
}

/* Kept vGPUs make room. On a full card no type has room. */
TEST(kept)
{
    scene_start(&scene, "gpu 0000:18:00.0 rule size numa 0\n"
                        "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 2\n"
                        "type nvidia-231 \"GRID T4-2Q\" framebuffer 2048 max 1\n");
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    typed_facts(&scene, HERE, "vgpuctl status", 0,
                "1024 of 2048 MiB in use\nfree: 2048 MiB: 2 T4-1B, 1 T4-2Q");
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-2Q"), 0);
    typed_facts(&scene, HERE, "vgpuctl status", 0,
                "2048 of 2048 MiB in use\na guest2 T4-2Q 2048 MiB orphan\n"
                "free: 0 MiB: 0 T4-2Q (end)");
}

/* A defined guest asks for a type, whether its XML names the class or the configuration does. */
TEST(asked)
{
    AUTO_FREE char *guest = typed_domain(3, TYPED_DEFINED, (const unsigned[]){3, 0});

    scene_start(&scene, "gpu 0000:18:00.0 rule size board \"GRID T4\"\n");
    scene_configure(&scene, "classes = { small = { types = [ \"T4-4A\", \"T4-8A\" ]; };\n"
                            "            large = { types = [ \"T4-16A\" ]; }; };\n"
                            "default_class = \"small\";");
    typed_facts(&scene, typed_libvirt(&scene, guest), "vgpuctl status --json", 0,
                "\"name\": \"GRID T4-4A\", \"asked\": 1,\n\"name\": \"GRID T4-8A\", \"asked\": 1,\n"
                "\"name\": \"GRID T4-16A\", \"asked\": 0,");
}

TEST(machines)
{
    scene_start_machine(&scene, "mixed");
    foreign("mtty", "mtty-2", scene_device(1));
    typed_facts(&scene, HERE, "vgpuctl status", 0,
                "0 of 16384 MiB in use\n"
                "free: 16384 MiB: 16 T4-1B, 8 T4-2B, 4 T4-4A, 2 T4-8A, 1 T4-16A 0000:e7:00.0\n"
                "mtty 1 vGPU in use\na dddddddd-0000-4000-8000-000000000001 mtty-2 orphan\n"
                "free: 11 mtty-2, 22 mtty-1");
    typed_facts(&scene, HERE, "vgpuctl status --json", 0,
                "\"gpu\": \"mtty\", \"name\": \"\", \"driver\": \"\", \"enabled\": true,\n"
                "\"unit\": \"vGPU\", \"total\": 23, \"used\": 1, \"free\": 22,\n"
                "\"share\": 1, \"state\": \"orphan\", \"domain\": null, \"domain-uuid\": null,\n"
                "\"type\": \"mtty-1\", \"name\": \"mtty-1\", \"asked\": 0, \"available\": 22,");
    scene_stop(&scene);
    scene_start_machine(&scene, "mixed-size");
    assert_int_equal(typed_prepare(&scene, 1, "L4-2Q", "0000:af:00.4"), 0);
    assert_int_equal(typed_prepare(&scene, 2, "L4-12Q", "0000:af:00.5"), 0);
    typed_facts(&scene, HERE, "vgpuctl status", 0,
                "14336 of 24576 MiB in use\n"
                "free: at most 10240 MiB: at most 5 L4-2Q, 0 L4-12Q, at most 10 L4-1B");
    typed_facts(&scene, HERE, "vgpuctl status --json", 0,
                "\"used\": 14336, \"free\": null, \"free-at-most\": 10240,\n"
                "\"name\": \"NVIDIA L4-12Q\", \"share\": 12288,\n"
                "\"name\": \"NVIDIA L4-2Q\", \"asked\": 1, \"available\": null, "
                "\"available-at-most\": 5");
    scene_stop(&scene);
    scene_start_machine(&scene, "a30-mig");
    assert_int_equal(typed_prepare(&scene, 1, "A30-1-6C", "0000:41:00.4"), 0);
    typed_facts(&scene, HERE, "vgpuctl status", 0,
                "1 vGPU in use\na guest1 A30-1-6C orphan\nfree: at most 7 A30-1-6C");
    scene_stop(&scene);
    scene_start_machine(&scene, "l40s");
    scene_configure(&scene, "classes = { small = { types = [ \"L40S-4Q\" ]; }; };");
    assert_int_equal(typed_prepare(&scene, 1, "L40S-8Q", "0000:3d:00.4"), 0);
    typed_facts(&scene, HERE, "vgpuctl status", 0,
                "free: at most 40960 MiB: at most 5 L40S-8Q, 0 L40S-4Q 0000:e7:00.0\n"
                "free: 49152 MiB: at most 6 L40S-8Q, at most 12 L40S-4Q, at most 16 L40S-1B");
    scene_stop(&scene);
    scene_start_machine(&scene, "gvt-g");
    typed_golden(&scene, HERE, "status/gvt-g", "vgpuctl status");
    scene_stop(&scene);
    scene_start(&scene, "");
    typed_facts(&scene, HERE, "vgpuctl status", 0, "no GPU on this host offers vGPUs;");
    typed_facts(&scene, HERE, "vgpuctl status --json", 0, "\"status\": [], \"errors\": [],");
}

/* The driver of one card does not answer. status invents nothing for this card, and shows the
 * others. */
TEST(silent)
{
    begin_t4();
    snprintf(scene.kernel.faults->slow, sizeof(scene.kernel.faults->slow), "0000:18:00");
    scene.kernel.faults->mute = true;
    typed_golden(&scene, HERE, "status/silent", "vgpuctl status");
    typed_facts(&scene, HERE, "vgpuctl gpus", 0, "0000:18:00.0 GRID T4 0 mdev 2 2048 - - yes");
}

/* A GPU disappeared, and a guest's vGPU was on it. */
TEST(gone)
{
    scene_start_machine(&scene, "mtty");
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger",
               "libvirt-vgpu-ledger 1 6a7f1e0c-0000-4000-8000-000000000001 2\n"
               "mdev dddddddd-0000-4000-8000-000000000001 nvidia-222 1024 0000:18:00.0 "
               "0000:18:00.0 aaaaaaaa-0000-4000-8000-000000000001 guest1 - held made 1:1 0 "
               "reap 1\n");
    typed_facts(&scene, HERE, "vgpuctl status", 0,
                "The GPU 0000:18:00.0 is not here; guest1 has a nvidia-222 on it (held).");
}

TEST(wrong_usage)
{
    scene_start_machine(&scene, "mtty");
    typed_golden(&scene, HERE, "status/no-terminal", "vgpuctl status --watch");
    typed_facts(&scene, HERE, "vgpuctl status --json 0000:99:00.0", 1, "\"word\": \"not-found\",");
}
