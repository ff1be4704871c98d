/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* prove: a card that behaves as its driver says passes. Each lie is found, and nothing is left. */

#include "base/cleanup.h"
#include "base/memory.h"
#include "capture/archive.h"
#include "fake/typed.h"
#include "program/program.h"
#include "prove/workbench.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CARD      "0000:18:00.0"
#define FUNCTIONS "0000:3d:00.0"
#define ONE_TYPE  "0000:06:00.0"

/* Three cards: one makes vGPUs itself; the virtual functions of one are vGPUs; one takes only one
 * type at a time. The program does not expect the last one of any card. */
#define MACHINE                                                                                    \
    "gpu " CARD " rule size numa 0\n"                                                              \
    "type nvidia-232 \"GRID T4-4Q\" framebuffer 4096 max 4\n"                                      \
    "type nvidia-233 \"GRID T4-8Q\" framebuffer 8192 max 2\n"                                      \
    "type nvidia-252 \"GRID T4-4B\" framebuffer 4096 max 4\n"                                      \
    "gpu " FUNCTIONS " vf vfs 4 rule size numa 1\n"                                                \
    "type nvidia-1153 \"NVIDIA L40S-24Q\" framebuffer 24576 max 2\n"                               \
    "type nvidia-1155 \"NVIDIA L40S-48Q\" framebuffer 49152 max 1\n"                               \
    "type nvidia-1162 \"NVIDIA L40S-24A\" framebuffer 24576 max 2\n"                               \
    "gpu " ONE_TYPE " rule type numa 1\n"                                                          \
    "type nvidia-11 \"GRID M60-1A\" framebuffer 1024 max 8\n"                                      \
    "type nvidia-12 \"GRID M60-1B\" framebuffer 1024 max 8\n"

static struct scene scene;
static struct typed typed;

static const char *
nowhere(void)
{
    return typed_libvirt(&scene, "");
}

/* --- cards that tell the truth ---------------------------------------------------------------- */

/* The figure after some words; 0: the words are not there. */
static unsigned
figure_after(const char *text, const char *words)
{
    const char *at = strstr(text, words);

    return at ? (unsigned)strtoul(at + strlen(words), NULL, 10) : 0;
}

/* The number of steps that --dry-run tells: so many at least, and so many at most. */
static void
estimate(const char *line, unsigned *least, unsigned *most)
{
    char dry[96];

    snprintf(dry, sizeof(dry), "%s --dry-run", line);
    assert_int_equal(typed_run(&scene, nowhere(), dry, &typed), 0);
    *least = figure_after(typed.printed, ": about ");
    *most = figure_after(typed.printed, " to ");
    *most = *most ? *most : *least;
}

UNIT_TEST(a_truthful_card_passes)
{
    static const struct {
        const char *machine, *gpu;
        bool is_exact; /* the number of steps is known before */
    } rows[] = {
        {"t4x8", "0000:18:00.0", false},         {"a100", "0000:41:00.0", false},
        {"a30-mig", "0000:41:00.0", false},      {"gvt-g", "0000:00:02.0", true},
        {"mixed", "0000:e7:00.0", false},        {"mtty", "mtty", true},
        {"rtx-pro-6000", "0000:8c:00.0", false}, {"a16-a2", "0000:5e:00.0", false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned least, most, steps;
        char line[64];

        snprintf(line, sizeof(line), "vgpuctl prove %s", rows[i].gpu);
        scene_start_machine(&scene, rows[i].machine);
        estimate(line, &least, &most);
        if (typed_run(&scene, nowhere(), line, &typed) != 0)
            fail_msg("%s: %s%s", rows[i].machine, typed.printed, typed.faults);
        typed_assert_has(typed.printed, "the GPU behaves as predicted");
        steps = figure_after(typed.printed, ": ");
        if (steps < least || steps > most || (least == most) != rows[i].is_exact)
            fail_msg("%s: about %u to %u steps were %u", rows[i].machine, least, most, steps);
        scene_assert_empty(&scene);
        scene_stop(&scene);
    }
}

/* --- cards that lie --------------------------------------------------------------------------- */

/* The lie of a driver, and the words of prove about it. */
static const struct lie {
    enum fake_lie lie;
    unsigned removal; /* ms that a removal takes */
    const char *gpu, *words;
} lies[] = {
    {FAKE_LIE_FORGOTTEN, 0, CARD,
     "room for 1 more GRID T4-4Q was predicted on " CARD "; the driver offers 0"},
    {FAKE_LIE_LATE, 0, CARD,
     "the driver's figures were right only 2.0 s after the step; at first, "
     "with 1 GRID T4-4Q on it: room for 3 more GRID T4-4Q was predicted on " CARD
     "; the driver offers 4"},
    {FAKE_LIE_MAXIMUM, 0, CARD,
     "the driver says that the GPU takes 4 vGPUs of type GRID T4-4Q, and it takes 3"},
    {FAKE_LIE_BESIDE, 0, CARD,
     "room for 0 more GRID T4-4B was predicted on " CARD "; the driver offers 1"},
    {FAKE_TRUTH, 20000, CARD,
     "the driver took 20000 ms to remove a vGPU of type GRID T4-4Q, and "
     "release_timeout of vgpu.conf is 5000 ms"},
    {FAKE_LIE_FORGOTTEN, 0, FUNCTIONS,
     "room for 1 more NVIDIA L40S-24Q was predicted on 0000:3d:00.4 and 2 other functions; the "
     "driver offers 0"},
    {FAKE_LIE_LATE, 0, FUNCTIONS, "the driver's figures were right only 2.0 s after the step"},
    {FAKE_LIE_MAXIMUM, 0, FUNCTIONS,
     "room for 1 more NVIDIA L40S-24Q was predicted on 0000:3d:00.5; the driver refuses it "
     "(Input/output error)"},
    {FAKE_LIE_BESIDE, 0, FUNCTIONS,
     "the driver offers 1 NVIDIA L40S-24A, a type that it did not list before"},
    {FAKE_TRUTH, 20000, FUNCTIONS, "the driver took 20000 ms to remove a vGPU"},
    {FAKE_LIE_KEPT, 0, FUNCTIONS,
     "a vGPU of type NVIDIA L40S-24Q was removed from 0000:3d:00.4, and is still there"},
    {FAKE_TRUTH, 0, ONE_TYPE,
     "with 1 GRID M60-1A on it: room for 7 more GRID M60-1B was predicted on " ONE_TYPE
     "; the driver offers 0"},
};

static void
lie(const struct lie *row)
{
    scene_start(&scene, MACHINE);
    scene.kernel.faults->lie = row->lie;
    scene.kernel.faults->remove_delay = row->removal;
}

/* The driver tells the truth again. Then reconcile removes what is left. */
static void
make_good(void)
{
    scene.kernel.faults->lie = FAKE_TRUTH;
    scene.kernel.faults->remove_delay = 0;
    typed_run(&scene, nowhere(), "vgpuctl reconcile", &typed);
    scene_assert_empty(&scene);
    typed_run(&scene, nowhere(), "vgpuctl reconcile", &typed);
    typed_run(&scene, nowhere(), "vgpuctl gpus --json -o ENABLED", &typed);
    assert_null(strstr(typed.printed, "false"));
    scene_stop(&scene);
}

UNIT_TEST(each_lie_is_named)
{
    for (size_t i = 0; i < COUNT(lies); i++) {
        char line[64];

        snprintf(line, sizeof(line), "vgpuctl prove %s", lies[i].gpu);
        lie(&lies[i]);
        if (typed_run(&scene, nowhere(), line, &typed) != 1 ||
            !strstr(typed.printed, lies[i].words))
            fail_msg("row %zu: %s%s", i, typed.printed, typed.faults);
        make_good();
    }
}

/* A wrong figure of the administrator is not laid at the driver's door. */
UNIT_TEST(who_is_wrong_is_named)
{
    scene_start(&scene, MACHINE);
    scene_configure(&scene, "max_instances = ({ types = [ \"L40S-24Q\" ]; max = 3; });");
    assert_int_equal(typed_run(&scene, nowhere(), "vgpuctl prove " FUNCTIONS, &typed), 1);
    typed_assert_has(typed.printed, "vgpu.conf says that the GPU takes 3 vGPUs of type NVIDIA "
                                    "L40S-24Q, and it takes 2");
    make_good();
}

/* --- a trial that does not come to its end -------------------------------------------------- */

/* The driver makes no vGPU in the longest time. That is a finding, and no proof. */
UNIT_TEST(a_driver_that_hangs_is_a_finding)
{
    static const char *const rows[] = {CARD, FUNCTIONS};

    for (size_t i = 0; i < COUNT(rows); i++) {
        char line[64];

        scene_start(&scene, MACHINE);
        scene.kernel.faults->stuck = true;
        snprintf(line, sizeof(line), "vgpuctl prove %s", rows[i]);
        assert_int_equal(typed_run(&scene, nowhere(), line, &typed), 1);
        typed_assert_has(typed.printed, "in 60 s, and prepare_timeout of vgpu.conf is 30000 ms");
        typed_assert_has(typed.printed, "1 prediction failed, and not all was tried");
        assert_null(strstr(typed.printed, "the GPU behaves as predicted"));
        typed_assert_has(typed.faults, "in 60 s; see the kernel's log");
        assert_null(strstr(typed.faults, "prepare_timeout"));
        scene.kernel.faults->stuck = false;
        /* The writer that was left behind makes the vGPU now, and ends. */
        while (scene_leases(&scene, "") > 0) {
            fake_sleep(1);
            typed_run(&scene, nowhere(), "vgpuctl reconcile", &typed);
        }
        make_good();
    }
}

/* --- a card that somebody uses ---------------------------------------------------------------- */

/* prove does nothing, and its exit status says why. */
static void
must_refuse(const char *uri, const char *line, int status, const char *words)
{
    const size_t leases = scene_leases(&scene, ""), devices = fake_count(&scene.kernel);

    if (typed_run(&scene, uri, line, &typed) != status)
        fail_msg("%s: %d %s%s", line, typed.status, typed.printed, typed.faults);
    typed_assert_has(typed.faults, words);
    assert_int_equal(scene_leases(&scene, ""), leases);
    assert_int_equal(fake_count(&scene.kernel), devices);
}

UNIT_TEST(a_card_in_use_is_left_alone)
{
    static const char guest[] = "dddddddd-0000-4000-8000-000000000009";
    struct fake_guest open;

    scene_start(&scene, MACHINE);
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-4Q"), 0);
    must_refuse(nowhere(), "vgpuctl prove " CARD, 4,
                CARD " is in use: the vGPU dddddddd-0000-4000-8000-000000000001 is that of guest1 "
                     "(held); keep new guests away until the GPU is empty with 'vgpuctl drain " CARD
                     "'");
    assert_int_equal(scene_release(&scene, 1, 1), 0);

    assert_int_equal(fake_make(&scene.kernel, CARD, "nvidia-233", guest), 0);
    must_refuse(nowhere(), "vgpuctl prove " CARD, 4,
                "somebody else has the vGPU dddddddd-0000-4000-8000-000000000009 (nvidia-233)");
    open = fake_open(&scene.kernel, guest);
    must_refuse(nowhere(), "vgpuctl prove " CARD, 4, CARD " is in use: ");
    fake_close(&open);
    assert_int_equal(fake_remove(&scene.kernel, guest), 0);
    make_good();
}

/* Another process is proving the card, or has died while it did. */
UNIT_TEST(one_at_a_time)
{
    AUTO(snapshot_clear) struct snapshot none = {0};
    AUTO(workbench_close) struct workbench bench = WORKBENCH_NONE;
    struct error error;
    struct name card;

    scene_start(&scene, MACHINE);
    assert_int_equal(name_parse(&card, CARD), 0);
    assert_int_equal(workbench_take(&scene.kernel.host, &card, &none, &bench, &error), 0);
    must_refuse(nowhere(), "vgpuctl prove " CARD, 4,
                CARD " is being proved or set up by another vgpuctl");
    assert_int_equal(typed_run(&scene, nowhere(), "vgpuctl status", &typed), 0);
    typed_assert_has(typed.printed, "being proved or set up by vgpuctl just now");
    statedir_close(&bench.transaction.statedir);
    bench.is_taken = false;
    assert_int_equal(typed_run(&scene, nowhere(), "vgpuctl prove " CARD, &typed), 0);
    make_good();
}

/* Cards without anything to prove, and the message for a word that means no GPU. */
UNIT_TEST(a_pool_is_as_it_is)
{
    scene_start(&scene, "pci 0000:c1:00.0 driver gim vendor 1002 device 74a1 numa 1\n"
                        "pci 0000:c1:02.0 driver vfio-pci physfn 0000:c1:00.0 vendor 1002 device "
                        "74b5\n");
    scene_configure(&scene, "pools = { mi300 = { functions = [ \"0000:c1:02.*\" ]; }; };\n");
    must_refuse(nowhere(), "vgpuctl prove 0000:c1:00.0", 2,
                "there is nothing to prove on 0000:c1:00.0");
    must_refuse(nowhere(), "vgpuctl prove 0000:99:00.0", 1, "there is no GPU \"0000:99:00.0\"");
    make_good();
}

/* Functions that a domain names are left alone, whether the domain runs or not. */
UNIT_TEST(functions_of_domains_are_skipped)
{
    AUTO_FREE char *xml = NULL;

    scene_start(&scene, MACHINE);
    xml = typed_functions(9, TYPED_DEFINED, "", (const char *const[]){"0000:3d:00.4", NULL});
    assert_int_equal(typed_run(&scene, typed_libvirt(&scene, xml),
                               "vgpuctl prove " FUNCTIONS " --dry-run", &typed),
                     0);
    scene.kernel.faults->lie = FAKE_LIE_MAXIMUM;
    assert_int_equal(
        typed_run(&scene, typed_libvirt(&scene, xml), "vgpuctl prove " FUNCTIONS, &typed), 1);
    typed_assert_has(typed.printed, "was predicted on 0000:3d:00.6; the driver refuses it");
    assert_null(strstr(typed.printed, "0000:3d:00.4"));
    make_good();
    scene_start(&scene, MACHINE);
    must_refuse("test:///nowhere", "vgpuctl prove " FUNCTIONS, 1,
                "only libvirt knows which virtual functions domains name");
    make_good();
}

/* --- Intel's cards ---------------------------------------------------------------------------- */

UNIT_TEST(memory_adds_up)
{
    scene_start(&scene, "gpu 0000:03:00.0 xe vfs 4 memory 16384 numa 1\n");
    scene_configure(&scene, "profiles = { b50-4g = { vram = \"4G\"; }; b50-8g = { vram = \"8G\"; "
                            "}; };\n");
    if (typed_run(&scene, nowhere(), "vgpuctl prove 0000:03:00.0", &typed) != 0)
        fail_msg("%s%s", typed.printed, typed.faults);
    make_good();
}

/* --- the output ------------------------------------------------------------------------------- */

UNIT_TEST(what_is_printed)
{
    const char *uri;

    scene_start(&scene, MACHINE);
    uri = nowhere();
    typed_golden(&scene, uri, "prove/dry-run", "vgpuctl prove " CARD " --dry-run");
    typed_golden(&scene, uri, "prove/dry-run-all", "vgpuctl prove " CARD " --dry-run --all");
    typed_agree(&scene, uri, "vgpuctl prove " CARD " --dry-run");
    typed_facts(&scene, uri, "vgpuctl prove " CARD " --dry-run --json", 0,
                "\"steps\": null, \"steps-at-most\": 8");
    typed_golden(&scene, uri, "prove/dry-run-columns",
                 "vgpuctl prove " CARD
                 " --dry-run --all --columns ACTION,TYPE,BESIDE,STEPS-AT-MOST");
    typed_golden(&scene, uri, "prove/gpu", "vgpuctl prove " CARD);
    typed_golden(&scene, uri, "prove/gpu-json", "vgpuctl prove " CARD " --json");
    scene.kernel.faults->lie = FAKE_LIE_MAXIMUM;
    typed_golden(&scene, uri, "prove/lie", "vgpuctl prove " CARD);
    typed_golden(&scene, uri, "prove/lie-json", "vgpuctl prove " CARD " --json");
    make_good();
}

/* On a terminal prove shows its progress. */
UNIT_TEST(progress_is_shown)
{
    scene_start(&scene, MACHINE);
    scene.kernel.faults->create_delay = 1000;
    assert_int_equal(typed_run_on(&scene, nowhere(), &typed_screen, "vgpuctl prove " CARD, &typed),
                     0);
    typed_assert_has(typed.printed, CARD ": [..........");
    typed_assert_has(typed.printed, CARD ": [##########..........] 50 %, about 4 s left");
    scene.kernel.faults->create_delay = 0;
    make_good();
}

/* The fake kernel runs no programs. So this runs the real tar. */
static int
run_program(const struct host *host, char *const argv[], int out, unsigned milliseconds)
{
    const struct host real = {.root = -1, .ops = &host_kernel};

    return program_run(&real, argv, out, milliseconds);
}

/* With --capture, the capture's manifest has the steps, for people. */
UNIT_TEST(the_steps_are_captured)
{
    AUTO_FREE char *manifest = NULL;
    char path[320], line[400];
    struct error error;

    scene_start(&scene, MACHINE);
    scene.kernel.host.run = run_program;
    snprintf(path, sizeof(path), "%s/proof.tar.gz", scene.kernel.path);
    snprintf(line, sizeof(line), "vgpuctl prove " CARD " --capture %s", path);
    if (typed_run(&scene, nowhere(), line, &typed) != 0)
        fail_msg("%s%s", typed.printed, typed.faults);
    assert_int_equal(archive_read(&scene.kernel.host, path, &manifest, &error), 1);
    typed_assert_has(manifest, "\n# step 1: make nvidia-232 on " CARD ": done after ");
    typed_assert_has(manifest, "\n# " CARD ": 12 steps");
    make_good();
}

/* In a public capture the steps do not have the names of profiles. */
UNIT_TEST(steps_without_names)
{
    AUTO_FREE char *manifest = NULL;
    char path[320], line[400];
    struct error error;

    scene_start(&scene, "gpu 0000:03:00.0 xe vfs 4 memory 16384 numa 1\n");
    scene_configure(&scene, "profiles = { payroll = { vram = \"8G\"; }; };\n");
    scene.kernel.host.run = run_program;
    snprintf(path, sizeof(path), "%s/proof.tar.gz", scene.kernel.path);
    snprintf(line, sizeof(line), "vgpuctl prove 0000:03:00.0 --capture %s", path);
    typed_run(&scene, nowhere(), line, &typed);
    assert_int_equal(archive_read(&scene.kernel.host, path, &manifest, &error), 1);
    typed_assert_has(manifest, "\n# step 1: make profile-1 on ");
    assert_null(strstr(manifest, "payroll"));
    make_good();
}

static pid_t vgpuctl;
static int (*write_of_fake)(const struct host *host, const char *path, const char *text);

/* Somebody presses Ctrl-C while a vGPU is being made. */
static int
write_and_signal(const struct host *host, const char *path, const char *text)
{
    kill(vgpuctl, SIGINT);
    return write_of_fake(host, path, text);
}

/* Runs prove until the signal, and sees that the signal has waited to the end. */
static void
interrupt(const char *line)
{
    static struct host_ops ops;
    sigset_t interrupts;

    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigprocmask(SIG_UNBLOCK, &interrupts, NULL);
    vgpuctl = getpid();
    ops = *scene.kernel.host.ops;
    write_of_fake = ops.write;
    ops.write = write_and_signal;
    scene.kernel.host.ops = &ops;
    typed_expect(&scene, nowhere(), line, 1, "stopped at step 1 of about ", &typed);
    ops.write = write_of_fake;
    assert_int_equal(sigwaitinfo(&interrupts, NULL), SIGINT);
}

/* The vGPUs that were made are removed. What was found is told, also to a file. */
UNIT_TEST(a_signal_waits_until_all_is_told)
{
    AUTO_FREE char *manifest = NULL;
    char path[320], line[400];
    struct error error;

    scene_start(&scene, MACHINE);
    scene.kernel.host.run = run_program;
    interrupt("vgpuctl prove " CARD);
    typed_assert_has(typed.printed, " s: not all was tried; no prediction has failed so far\n");
    snprintf(path, sizeof(path), "%s/proof.tar.gz", scene.kernel.path);
    snprintf(line, sizeof(line), "vgpuctl prove " CARD " --json --capture %s", path);
    interrupt(line);
    typed_assert_has(typed.printed, "\"text\": \"stopped at step 1 of about ");
    assert_int_equal(archive_read(&scene.kernel.host, path, &manifest, &error), 1);
    typed_assert_has(manifest, "not all was tried");
    make_good();
}
