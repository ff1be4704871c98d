/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Real hosts, with figures that their owners published (tests/machines/real-*; the numbers are the
 * rows of real-hosts.md). The vGPUs of a host are made by our own starts. Then the types must have
 * the published figures. Starts beside these vGPUs must succeed or be refused as on that host.
 */

#include "cli/command.h"
#include "fake/scene.h"
#include "fake/typed.h"

#include <stdio.h>
#include <string.h>

#define MOST 48 /* guests of a row */
#define MI300X(function)                                                                           \
    "pci 0000:c1:" function                                                                        \
    " driver vfio-pci physfn 0000:c1:00.0 vendor 1002 device 74b5 class 0x120000\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {.scene = {.scene = &scene, .machine = ""}, .typed = &typed};
#define TEST(name) TYPED_TEST(name, here)

struct row {
    const char *machine, *gpu;
    const char *text;   /* the machine; NULL: a file of tests/machines has it */
    bool has_functions; /* of vendor-specific VFIO: a guest names the function */
    struct {
        const char *type;
        unsigned count;
    } made[2];
    const char *figures; /* "TYPE AVAILABLE MAX;" for some types; "*" stands for all other types */
    const char *one_more, *too_many, *words;
    const char *configuration;
    /* What the card itself tells, in MiB, if that is published. A vGPU has its size at most, so the
     * card has less in use than we say, and more is free. */
    long in_use, left;
};

static const struct row rows[] = {
    {.machine = "real-01-rtxa6000",
     .gpu = "0000:01:00.0",
     .made = {{"RTXA6000-2Q", 1}},
     .figures = "nvidia-523 23 24;nvidia-525 23 24;nvidia-535 23 24;nvidia-522 0 32;nvidia-526 0 "
                "16;nvidia-527 0 12;nvidia-528 0 8;nvidia-529 0 6;nvidia-530 0 4;nvidia-531 0 "
                "3;nvidia-532 0 2;nvidia-533 0 1;nvidia-548 0 12;nvidia-554 0 1;* 0",
     .one_more = "RTXA6000-2B",
     .too_many = "RTXA6000-1Q",
     .words = "holds nvidia-"},
    {.machine = "real-03-v100s",
     .gpu = "0000:3b:00.0",
     .made = {{"V100S-8Q", 1}},
     .figures = "nvidia-358 3 4;nvidia-368 3 4;nvidia-9008 3 4;* 0",
     .one_more = "V100S-8A",
     .too_many = "V100S-4Q",
     .words = "holds nvidia-"},
    {.machine = "real-04-v100dx",
     .gpu = "0000:1a:00.0",
     .figures = "nvidia-194 32 32;nvidia-199 1 1;nvidia-219 16 16",
     .one_more = "V100DX-1Q",
     .too_many = "nvidia-250",
     .words = "nvidia-250"},
    {.machine = "real-05-p40",
     .gpu = "0000:02:00.0",
     .figures = "nvidia-156 12 12;nvidia-215 12 12;nvidia-241 24 24;nvidia-283 6 6;nvidia-284 4 "
                "4;nvidia-285 3 3;nvidia-286 2 2",
     .one_more = "P40-12C",
     .too_many = "P40-24Q",
     .words = "holds nvidia-"},
    {.machine = "m60",
     .gpu = "0000:06:00.0",
     .figures = "nvidia-11 16 16;nvidia-12 16 16;nvidia-13 8 8",
     .one_more = "M60-1Q",
     .too_many = NULL},
    {.machine = "real-07-a2",
     .gpu = "0000:08:00.0",
     .made = {{"A2-4Q", 1}},
     .figures = "nvidia-746 3 4;nvidia-751 3 4;nvidia-754 3 4;* 0",
     .one_more = "A2-4C",
     .too_many = "A2-8Q",
     .words = "holds nvidia-"},
    {.machine = "real-08-l40s",
     .gpu = "0000:3d:00.0",
     .has_functions = true,
     .made = {{"L40S-48Q", 1}},
     .figures = "* 0",
     .one_more = NULL,
     .too_many = "L40S-1B",
     .words = "0000:3d:00.0"},
    {.machine = "real-09-l40s-3b",
     .gpu = "0000:3d:00.0",
     .has_functions = true,
     .made = {{"L40S-3Q", 1}},
     .figures = "nvidia-2164 - 16;nvidia-1149 - 16",
     .one_more = "L40S-3B",
     .too_many = "L40S-1B",
     .words = "0000:3d:00.0"},
    {.machine = "real-10-rtx6000-ada",
     .gpu = "0000:3e:00.0",
     .has_functions = true,
     .made = {{"RTX6000-Ada-2Q", 1}},
     .figures = "nvidia-941 0 32;nvidia-943 0 16;nvidia-950 0 1",
     .one_more = "RTX6000-Ada-2Q",
     .too_many = "RTX6000-Ada-3Q",
     .words = "0000:3e:00.0"},
    {.machine = "real-11-a10",
     .gpu = "0000:d8:00.0",
     .has_functions = true,
     .made = {{"A10-6Q", 1}},
     .figures = "nvidia-588 0 24;nvidia-592 0 8",
     .one_more = "A10-6A",
     .too_many = "A10-8Q",
     .words = "0000:d8:00.0"},
    {.machine = "real-12-rtx-pro-6000",
     .gpu = "0001:42:00.0",
     .has_functions = true,
     .made = {{"DC-3Q", 1}},
     .figures = "nvidia-1518 0;nvidia-1521 0;nvidia-1523 0;nvidia-1540 0", /* it lists no 96Q */
     .one_more = "DC-3A",
     .too_many = "DC-6Q",
     .words = "0001:42:00.0"},
    {.machine = "real-12-rtx-pro-6000",
     .gpu = "0001:42:00.0",
     .has_functions = true,
     .made = {{"DC-2B", 31}},
     .figures = "nvidia-1518 1 32",
     .one_more = "DC-2B",
     .too_many = "DC-2B",
     .words = "0001:42:00.0"},
    {.machine = "real-12-rtx-pro-6000-mixed",
     .gpu = "0001:42:00.0",
     .has_functions = true,
     .made = {{"DC-3Q", 10}, {"DC-2B", 21}},
     .figures = "nvidia-1518 1",
     .one_more = "DC-4Q",
     .too_many = "DC-2B",
     .words = "0001:42:00.0"},
    {.machine = "real-13-rtx-pro-6000-mig",
     .gpu = "0001:42:00.0",
     .has_functions = true,
     .made = {{"DC-1-2Q", 47}},
     .figures = "nvidia-1550 1 -",
     .one_more = "DC-1-2Q",
     .too_many = "DC-1-2Q",
     .words = "no other virtual function"},
    {.machine = "real-26-a40",
     .gpu = "0000:e8:00.0",
     .figures = "nvidia-555 32 32;nvidia-557 32 32;nvidia-575 2 2;nvidia-576 1 1"},
    {.machine = "real-26-a40",
     .gpu = "0000:e8:00.0",
     .made = {{"vfio-pci-575", 1}},
     .figures = "nvidia-565 1 2;nvidia-575 1 2;* 0",
     .one_more = "565",
     .too_many = "nvidia-555",
     .words = "holds nvidia-565"},
    /* Each of 32 functions, whatever the kernel calls its types. */
    {.machine = "real-26-a40",
     .gpu = "0000:e8:00.0",
     .made = {{"A40-1B", 31}},
     .figures = "nvidia-555 1 32;nvidia-557 1 32;nvidia-567 1 32;* 0",
     .one_more = "vfio-pci-557",
     .too_many = "nvidia-555",
     .words = "is full (32 of 32)"},
    {.machine = "real-27-a100-mig",
     .gpu = "0000:41:00.0",
     .figures = "nvidia-699 - 7",
     .one_more = "A100D-1-10C"},
    {.machine = "real-25-rtx6000",
     .gpu = "0000:01:00.0",
     .made = {{"RTX6000-1Q", 1}},
     .figures = "nvidia-256 23 24;nvidia-257 0 12;nvidia-258 0 8;nvidia-259 0 6",
     .one_more = "RTX6000-1Q",
     .too_many = "RTX6000-2Q",
     .words = "holds nvidia-"},
    /* The same host, if its driver counted the 816 MiB of the host's process. */
    {.machine = "row 25",
     .text = "gpu 0000:01:00.0 rule size taken 816 board \"GRID RTX6000\"\n",
     .gpu = "0000:01:00.0",
     .made = {{"RTX6000-1Q", 1}},
     .figures = "nvidia-256 - 24;nvidia-257 0 12;nvidia-258 0 8;nvidia-259 0 6",
     .one_more = "RTX6000-1Q",
     .too_many = "RTX6000-2Q",
     .words = "holds nvidia-"},
    {.machine = "real-29-rtx-pro-6000",
     .gpu = "0001:8c:00.0",
     .has_functions = true,
     .made = {{"DC-6Q", 2}},
     .figures =
         "nvidia-1518 0 32;nvidia-1519 0 32;nvidia-1521 0 24;nvidia-1540 0 2;nvidia-1544 0 1",
     .in_use = 11840,
     .left = 86047,
     .one_more = "DC-6Q",
     .too_many = "DC-2B",
     .words = "0001:8c:00.0"},
    {.machine = "real-29-rtx-pro-6000",
     .gpu = "0001:42:00.0",
     .has_functions = true,
     .made = {{"DC-1-12Q", 1}},
     .figures = "nvidia-9112 - -",
     .one_more = "DC-1-12Q",
     .too_many = NULL},
    {.machine = "real-16-gvt-g-small",
     .gpu = "0000:00:02.0",
     .figures = "i915-GVTg_V5_4 1 -;i915-GVTg_V5_8 2 -",
     .one_more = "i915-GVTg_V5_4",
     .too_many = "i915-GVTg_V5_8",
     .words = "0000:00:02.0"},
    {.machine = "real-17-gvt-g-large",
     .gpu = "0000:00:02.0",
     .figures = "i915-GVTg_V5_1 1 -;i915-GVTg_V5_2 2 -;i915-GVTg_V5_4 5 -;i915-GVTg_V5_8 7 -",
     .one_more = "i915-GVTg_V5_1",
     .too_many = "i915-GVTg_V5_2",
     .words = "0000:00:02.0"},
    /* An Arc Pro B70, 32,504 MiB of which go to its functions; and a B50 since Linux fef8b64e48e8.
     */
    {.machine = "row 18",
     .text = "gpu 0000:03:00.0 xe vfs 4 memory 32504 vendor 8086 device e223\n",
     .gpu = "0000:03:00.0",
     .has_functions = true,
     .configuration = "gpus = ({ address = \"0000:03:00.0\"; vram = \"32504M\"; });\n"
                      "profiles = { quarter = { vram = \"8126M\"; }; };\n",
     .made = {{"quarter", 3}},
     .figures = "quarter 1 -",
     .one_more = "quarter",
     .too_many = "quarter",
     .words = "no other virtual function"},
    {.machine = "row 19",
     .text = "gpu 0000:03:00.0 xe vfs 2 memory 14096 vendor 8086 device e212\n",
     .gpu = "0000:03:00.0",
     .has_functions = true,
     .configuration =
         "gpus = ({ address = \"0000:03:00.0\"; vram = \"14096M\"; });\n"
         "profiles = { half = { vram = \"7048M\"; }; whole = { vram = \"14096M\"; }; };\n",
     .made = {{"half", 1}},
     .figures = "half 1 -;whole 0 -",
     .one_more = "half",
     .too_many = "whole",
     .words = "no other virtual function"},
    /* An MI300X whose functions are bound to vfio-pci. */
    {.machine = "row 32",
     .text = "pci 0000:c1:00.0 driver gim vendor 1002 device 74a1 class 0x120000\n" MI300X("00.4")
         MI300X("00.5") MI300X("00.6") MI300X("00.7") MI300X("01.0") MI300X("01.1") MI300X("01.2")
             MI300X("01.3"),
     .gpu = "0000:c1:00.0",
     .has_functions = true,
     .configuration = "pools = { mi300x = { functions = [ \"0000:c1:0[01].[0-7]\" ]; driver = "
                      "\"vfio-pci\"; framebuffer = \"24G\"; }; };\n",
     .made = {{"mi300x", 7}},
     .figures = "mi300x 1 8",
     .one_more = "mi300x",
     .too_many = "mi300x",
     .words = "0000:c1:01.4"},
};

static bool
starts(const struct row *row, unsigned guest, const char *type)
{
    int status = row->has_functions
                     ? scene_prepare_at(&scene, guest, scene_function(row->gpu, guest - 1), type)
                     : scene_prepare(&scene, guest, guest, type);

    return status == 0;
}

/* Compares one line of types: "TYPE AVAILABLE MAX", with what is wanted. */
static void
check_line(const struct row *row, const char *type, const char *available, const char *max)
{
    char *wanted = strdup(row->figures), *rest = wanted, *item;

    while ((item = strsep(&rest, ";"))) {
        const char *id = strsep(&item, " "), *left = strsep(&item, " ");

        if (strcmp(id, type) != 0 && strcmp(id, "*") != 0)
            continue;
        if (strcmp(left, available) != 0 || (item && strcmp(item, max) != 0))
            fail_msg("%s: %s is %s of %s, not %s of %s", row->machine, type, available, max, left,
                     item ? item : "any");
        break;
    }
    free(wanted);
}

static void
check_figures(const struct row *row)
{
    char line[128], *rest, *item;
    size_t count = 0;

    snprintf(line, sizeof(line), "vgpuctl types %s --raw --noheadings --columns=TYPE,AVAILABLE,MAX",
             row->gpu);
    assert_int_equal(typed_run(&scene, NULL, line, &typed), COMMAND_DONE);
    for (rest = typed.printed; (item = strsep(&rest, "\n")) && *item; count++) {
        const char *type = strsep(&item, " "), *available = strsep(&item, " ");

        check_line(row, type, available, item);
    }
    assert_true(count > 0);
}

/* Compares the frame buffer in use and the free one with what the card tells. */
static void
check_memory(const struct row *row)
{
    const char *line;
    long used, most;

    assert_int_equal(typed_run(&scene, NULL, "vgpuctl gpus -rn -o GPU,USED,FREE-AT-MOST", &typed),
                     COMMAND_DONE);
    line = strstr(typed.printed, row->gpu);
    assert_non_null(line);
    assert_int_equal(sscanf(line, "%*s %ld %ld", &used, &most), 2);
    if (used < row->in_use || most > row->left)
        fail_msg("%s: %ld MiB in use, at most %ld free, and the card tells %ld and %ld",
                 row->machine, used, most, row->in_use, row->left);
}

static void
check_row(const struct row *row)
{
    unsigned guest = 0;

    if (row->configuration)
        scene_configure(&scene, row->configuration);
    for (size_t i = 0; i < sizeof(row->made) / sizeof(*row->made); i++) {
        for (unsigned k = 0; k < row->made[i].count; k++) {
            if (!starts(row, ++guest, row->made[i].type))
                fail_msg("%s: vGPU %u, %s: %s", row->machine, guest, row->made[i].type, scene.said);
        }
    }
    check_figures(row);
    if (row->in_use)
        check_memory(row);
    if (row->one_more && !starts(row, ++guest, row->one_more))
        fail_msg("%s: one more %s: %s", row->machine, row->one_more, scene.said);
    if (row->too_many && starts(row, ++guest, row->too_many))
        fail_msg("%s: one %s too many starts", row->machine, row->too_many);
    if (row->too_many)
        scene_assert_said(&scene, row->words);
}

TEST(published_figures)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        scene_stop(&scene);
        if (rows[i].text)
            scene_start(&scene, rows[i].text);
        else
            scene_start_machine(&scene, rows[i].machine);
        check_row(&rows[i]);
    }
}

/* The Tesla P4 of row 2: idle, all of its types 0, and its driver makes one all the same. */
TEST(a_card_that_offers_nothing)
{
    static const struct row p4 = {.machine = "real-02-p4", .gpu = "0000:01:00.0", .figures = "* 0"};

    scene_stop(&scene);
    scene_start_machine(&scene, p4.machine);
    scene.kernel.faults->lie = FAKE_LIE_NOTHING;
    check_figures(&p4);
    assert_false(starts(&p4, 1, "P4-4Q"));
    scene_assert_said(&scene, "does not offer it now, though nothing is on it");
    assert_int_equal(fake_make(&scene.kernel, p4.gpu, "nvidia-65", scene_device(9)), 0);
}

static unsigned bars_read;
static ssize_t (*read_of_kernel)(const struct host *host, const char *path, char *buffer,
                                 size_t size);

static ssize_t
read_and_watch(const struct host *host, const char *path, char *buffer, size_t size)
{
    const char *name = strrchr(path, '/');

    bars_read += name && !strncmp(name, "/resource", strlen("/resource"));
    return read_of_kernel(host, path, buffer, size);
}

/* The Arc Pro B65 of row 30 has 32 GiB, no functions yet, and a BAR of 57,344 MiB. Nothing takes
 * the BAR for memory. */
TEST(a_bar_is_no_memory)
{
    static const char *const lines[] = {"vgpuctl gpus",
                                        "vgpuctl types",
                                        "vgpuctl status",
                                        "vgpuctl doctor",
                                        "vgpuctl sriov enable 0000:e3:00.0",
                                        "vgpuctl gpus",
                                        "vgpuctl doctor"};
    static struct host_ops ops;

    scene_stop(&scene);
    scene_start(&scene, "gpu 0000:e3:00.0 xe vfs 7 memory 31744 vendor 8086 device e222\n");
    scene_configure(&scene, "profiles = { b65-8g = { vram = \"8G\"; }; };\n");
    assert_int_equal(fake_enable(&scene.kernel, "0000:e3:00.0", 0), 0);
    fake_write(&scene.kernel, "sys/devices/0000:e3:00.0/resource",
               "0x00000000e0000000 0x00000000e0ffffff 0x0000000000140204\n"
               "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
               "0x0000380000000000 0x0000380dffffffff 0x000000000014220c\n");
    ops = *scene.kernel.host.ops;
    read_of_kernel = ops.read;
    ops.read = read_and_watch;
    scene.kernel.host.ops = &ops;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        typed_run(&scene, NULL, lines[i], &typed);
        assert_null(strstr(typed.printed, "57344"));
        assert_null(strstr(typed.printed, "56 GiB"));
    }
    typed_assert_has(typed.printed, "gives all functions of such a card 31744 MiB, or 26982 MiB");
    assert_int_equal(bars_read, 0);
}
