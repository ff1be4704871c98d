/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl setup: what NVIDIA's newer drivers have for each GPU instance, and a scheduler that is
 * made. */

#include "cli/command.h"
#include "fake/chance.h"
#include "setup/cards.h"

#include <stdio.h>
#include <string.h>

#define VGPU   SMI "vgpu -i " NVIDIA " "
#define STATE  SMI "vgpu set-scheduler-state -i " NVIDIA " "
#define MIG    SMI "-i " NVIDIA " -mig 1"
#define MAKE   SMI "mig -i " NVIDIA " -cgi "
#define REMOVE SMI "mig -i " NVIDIA " -dci; " SMI "mig -i " NVIDIA " -dgi"

static void
start(void)
{
    nvidia_tools_install(&scene.kernel, NVIDIA, 4);
    nvidia_tools->age = NVIDIA_PRESENT;
    nvidia_tools->can_slice = true;
    nvidia_tools_boot(&scene.kernel);
    fake_write(&scene.kernel, "proc/driver/nvidia/params",
               "RegistryDwords: \"\"\nRegistryDwordsPerDevice: \"\"\n");
}

static const struct typed_case here = {{.scene = &scene, .machine = NVIDIAS, .begin = start},
                                       &typed};
#define TEST(function) TYPED_TEST(function, here)

/* Whether the last setup saw all parts as declared. */
static bool
is_recorded(void)
{
    struct name target;

    return host_link(&scene.kernel.host, &target, "run/libvirt-vgpu/setup/" NVIDIA) == 0;
}

/* --- steps ------------------------------------------------------------------------------------ */

static void
with_a_scheduler(void)
{
    with_functions();
    nvidia_tools->scheduler = 2;
}

static void
with_a_scheduler_and_no_functions(void)
{
    nvidia_tools->scheduler = 2;
}

/* Two of one profile, and one whose vGPU has no graphics. */
static void
with_instances(void)
{
    with_functions();
    nvidia_tools->is_mig = nvidia_tools->is_mig_to_be = true;
    nvidia_tools_add_instance("1g.24gb+gfx");
    nvidia_tools_add_instance("2g.48gb");
    nvidia_tools_add_instance("1g.24gb+gfx");
}

static void
with_mixed_instances(void)
{
    with_instances();
    nvidia_tools->instances[0].is_mixed = true;
    nvidia_tools->instances[2].scheduler = 2;
}

static void
without_slicing(void)
{
    with_functions();
    nvidia_tools->is_mig = nvidia_tools->is_mig_to_be = true;
    nvidia_tools->is_sliced = false;
    nvidia_tools_add_instance("1g.24gb+gfx");
}

#define ALL   "functions = \"all\"; "
#define THREE ALL "instances = [ \"1g.24gb+gfx\", \"1g.24gb+gfx\", \"2g.48gb\" ]; "
#define ONE   ALL "instances = [ \"1g.24gb+gfx\" ]; "

/* By NVIDIA's guides: time slicing before the instances, and what is theirs after them. A scheduler
 * is lost with the functions. What is not said is not lost. */
TEST(steps)
{
    static const struct {
        void (*start)(void);
        const char *said, *asked; /* NULL: nothing, and it is refused */
    } rows[] = {
        {bare, ALL "scheduler = \"equal-share\";", ENABLE "; " STATE "-p 2"},
        {with_functions, "scheduler = \"fixed-share\";", STATE "-p 3"},
        {with_functions, ALL "scheduler = \"best-effort\";", ""},
        {with_a_scheduler, "scheduler = \"best-effort\";", STATE "-p 1"},
        {with_a_scheduler, ALL, ""},
        {with_a_scheduler_and_no_functions, ALL, NULL},
        {with_a_scheduler_and_no_functions, ALL "scheduler = \"equal-share\";",
         ENABLE "; " STATE "-p 2"},
        {with_functions, "sizes = \"mixed\"; scheduler = \"equal-share\";",
         VGPU "-shm 1; " STATE "-p 2"},
        {bare, ONE "sizes = \"mixed\"; scheduler = \"equal-share\";",
         MIG "; " ENABLE "; " MAKE "1g.24gb+gfx -C; " VGPU "-gi 1 -shm 1; " STATE "-gi 1 -p 2"},
        {bare, ONE "sizes = \"equal\"; scheduler = \"best-effort\"; time_slicing = \"on\";",
         MIG "; " ENABLE "; " MAKE "1g.24gb+gfx -C"},
        {bare, ONE "time_slicing = \"off\";",
         MIG "; " ENABLE "; " VGPU "-smts 0; " MAKE "1g.24gb+gfx -C"},
        {with_instances, THREE "sizes = [ \"mixed\", \"equal\", \"equal\" ];", VGPU "-gi 1 -shm 1"},
        {with_instances,
         THREE "sizes = [ \"equal\", \"mixed\", \"equal\" ]; "
               "scheduler = [ \"fixed-share\", \"equal-share\", \"best-effort\" ];",
         VGPU "-gi 3 -shm 1; " STATE "-gi 1 -p 3; " STATE "-gi 3 -p 2"},
        {with_mixed_instances, THREE "sizes = \"equal\";", VGPU "-gi 1 -shm 0"},
        {with_mixed_instances, THREE, ""},
        {with_mixed_instances, ONE, NULL},
        {with_mixed_instances, ONE "sizes = \"mixed\";", NULL},
        {with_mixed_instances, ONE "sizes = \"mixed\"; scheduler = \"best-effort\";",
         REMOVE "; " MAKE "1g.24gb+gfx -C; " VGPU "-gi 1 -shm 1"},
        {with_mixed_instances, ALL "instances = [ ];",
         REMOVE "; /usr/lib/nvidia/sriov-manage -d " NVIDIA "; " SMI "-i " NVIDIA
                " -mig 0; " ENABLE},
        {without_slicing, ONE, ""},
        {without_slicing, ONE "time_slicing = \"on\"; sizes = \"mixed\";",
         REMOVE "; " VGPU "-smts 1; " MAKE "1g.24gb+gfx -C; " VGPU "-gi 1 -shm 1"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        nvidia_tools_boot(&scene.kernel);
        nvidia_tools->asked[0] = '\0';
        rows[i].start();
        declare(rows[i].said);
        if (!rows[i].asked) {
            run("vgpuctl setup", COMMAND_FAILED, "of which /etc/libvirt-vgpu/vgpu.conf:1 says");
            assert_string_equal(nvidia_tools->asked, "");
            continue;
        }
        run("vgpuctl setup", 0, rows[i].asked[0] ? "done" : "as declared");
        assert_string_equal(nvidia_tools->asked, rows[i].asked);
        run("vgpuctl setup", 0, "as declared");
        assert_string_equal(nvidia_tools->asked, rows[i].asked);
        assert_true(is_recorded());
        if (nvidia_tools->instance_count == 0)
            run("vgpuctl gpus -rn -o SETUP", 0, "as\\x20declared");
    }
}

TEST(what_people_see)
{
    declare(THREE "time_slicing = \"on\"; sizes = [ \"mixed\", \"equal\", \"equal\" ]; "
                  "scheduler = [ \"equal-share\", \"fixed-share\", \"best-effort\" ];");
    typed_golden(&scene, HERE, "setup/instances-dry-run", "vgpuctl setup --dry-run");
    typed_golden(&scene, HERE, "setup/instances-done", "vgpuctl setup");
    typed_golden(&scene, HERE, "setup/instances-print", "vgpuctl setup --print");
    typed_golden(&scene, HERE, "check/instances", "vgpuctl check --print");
}

/* A card on which there is a vGPU changes neither sizes nor a scheduler. */
TEST(in_use)
{
    with_functions();
    declare(ALL "scheduler = \"equal-share\";");
    assert_int_equal(fake_make(&scene.kernel, "0000:3d:00.4", "nvidia-1152", "0000:3d:00.4"), 0);
    run("vgpuctl setup", COMMAND_BUSY, NVIDIA " is in use");
    assert_string_equal(nvidia_tools->asked, "");
    assert_int_equal(fake_remove(&scene.kernel, "0000:3d:00.4"), 0);
    /* Another program makes one after the look. */
    nvidia_tools->has_vgpu = true;
    run("vgpuctl setup", COMMAND_FAILED,
        "set-scheduler-state -i " NVIDIA " -p 2 failed (exit status 19); see journalctl -k");
    nvidia_tools->has_vgpu = false;
    run("vgpuctl setup", 0, "done");
}

/* --- drivers and cards that cannot ------------------------------------------------------------ */

/* The other parts are made, and the card has not failed. */
TEST(cannot)
{
    static const struct {
        enum nvidia_age age;
        bool can_slice;
        const char *odd_word, *said, *words; /* NULL: it can */
    } rows[] = {
        {NVIDIA_SETS, false, NULL, ONE "sizes = \"mixed\";",
         "its driver sets no sizes of GPU instances, which drivers from 575 on do"},
        {NVIDIA_SETS, false, NULL, ONE "sizes = \"equal\"; time_slicing = \"off\";", NULL},
        {NVIDIA_SETS, false, NULL, ONE "time_slicing = \"on\";",
         "its driver has no time slicing of GPU instances"},
        {NVIDIA_PRESENT, false, NULL, ONE "time_slicing = \"on\";",
         "its driver has no time slicing of GPU instances"},
        {NVIDIA_PRESENT, true, NULL, THREE "sizes = \"mixed\";",
         "its GPU instance 2g.48gb takes one vGPU, so it has no sizes"},
        {NVIDIA_PRESENT, true, "Unheard", ONE "sizes = \"mixed\";",
         "nvidia-smi does not know the sizes of its GPU instance 1 (1g.24gb+gfx)"},
        {NVIDIA_PRESENT, true, "Unheard", ONE "time_slicing = \"off\";",
         "nvidia-smi does not tell whether time slicing of its GPU instances is on"},
        {NVIDIA_PRESENT, true, "Unheard", ONE "scheduler = \"equal-share\";",
         "nvidia-smi does not know the scheduler of its GPU instance 1"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        nvidia_tools->age = rows[i].age;
        nvidia_tools->can_slice = rows[i].can_slice;
        nvidia_tools->odd_word = rows[i].odd_word;
        nvidia_tools_boot(&scene.kernel);
        declare(rows[i].said);
        run("vgpuctl setup", 0, "done");
        assert_int_equal(nvidia_tools->instance_count, strstr(rows[i].said, "2g.") ? 3 : 1);
        assert_int_equal(strstr(typed.printed, "cannot") != NULL, rows[i].words != NULL);
        typed_assert_has(typed.faults, rows[i].words ? rows[i].words : "");
        nvidia_tools->asked[0] = '\0';
        run("vgpuctl setup", 0, rows[i].words ? "cannot" : "as declared");
        assert_string_equal(nvidia_tools->asked, "");
        assert_int_equal(is_recorded(), !rows[i].words);
    }
    nvidia_tools->odd_word = NULL;
    nvidia_tools->age = NVIDIA_SETS;
    nvidia_tools_boot(&scene.kernel);
    declare(ONE "sizes = \"mixed\";");
    typed_golden(&scene, HERE, "setup/cannot", "vgpuctl setup --json");
}

/* An older driver is told its scheduler when it is loaded, so that is compared. */
TEST(compared)
{
    static const char advice[] = "NVreg_RegistryDwordsPerDevice=\"pci=" NVIDIA ";RmPVMRL=0x01\"";

    for (unsigned age = NVIDIA_OLD; age < NVIDIA_SETS; age++) {
        nvidia_tools->age = age;
        nvidia_tools->can_slice = false;
        nvidia_tools_boot(&scene.kernel);
        declare(ALL "scheduler = \"equal-share\";");
        run("vgpuctl setup", COMMAND_FAILED, advice);
        assert_int_equal(fake_enabled(&scene.kernel, NVIDIA), 4);
        typed_assert_has(typed.printed, "failed");
        run("vgpuctl gpus -rn -o SETUP", 0, "differs");
    }
    nvidia_tools->age = NVIDIA_SETS;
    nvidia_tools_boot(&scene.kernel);
    declare(ONE "scheduler = \"equal-share\";");
    run("vgpuctl setup", COMMAND_FAILED, advice);
    assert_int_equal(nvidia_tools->instance_count, 1);
}

/* --- any card, any declaration ---------------------------------------------------------------- */

static const char *
random_state(uint64_t *seed)
{
    static const char *const words[] = {"", "best-effort", "equal-share", "fixed-share"};
    static char text[512];
    bool instances = maybe(seed, 50), mixed = maybe(seed, 40);
    size_t at;

    nvidia_tools->age = maybe(seed, 70) ? NVIDIA_PRESENT : NVIDIA_OLD + chance(seed, 3);
    nvidia_tools->can_slice = nvidia_tools->age == NVIDIA_PRESENT && maybe(seed, 80);
    nvidia_tools_boot(&scene.kernel);
    if (maybe(seed, 30))
        maybe(seed, 50) ? with_mixed_instances() : with_instances();
    else if (maybe(seed, 50))
        maybe(seed, 50) ? with_a_scheduler() : without_slicing();
    for (unsigned i = 0; i < nvidia_tools->instance_count; i++) {
        nvidia_tools->instances[i].is_mixed &= nvidia_tools->instances[i].is_shared;
        if (!nvidia_tools->instances[i].is_shared)
            nvidia_tools->instances[i].scheduler = 1;
    }
    if (nvidia_tools->age < NVIDIA_SETS)
        nvidia_tools->scheduler = 1;
    at = (size_t)snprintf(text, sizeof(text), "%s%s", maybe(seed, 70) ? ALL : "",
                          instances ? "instances = [ \"1g.24gb+gfx\", \"1g.24gb+gfx\" ]; " : "");
    if (instances && !mixed && maybe(seed, 50))
        at += (size_t)snprintf(text + at, sizeof(text) - at, "time_slicing = \"%s\"; ",
                               maybe(seed, 50) ? "on" : "off");
    if (mixed)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "sizes = %s; ",
                               instances && maybe(seed, 50) ? "[ \"mixed\", \"equal\" ]"
                                                            : "\"mixed\"");
    if (maybe(seed, 60))
        snprintf(text + at, sizeof(text) - at, "scheduler = \"%s\"; ",
                 words[1 + chance(seed, mixed ? 2 : 3)]);
    return text;
}

/* What a setup has done is done: the next one changes nothing. What is not said stays, or it is
 * refused. */
TEST(anything)
{
    uint64_t seed = chance_setting("SEED", SEED);

    for (uint64_t i = chance_rounds(300); i > 0; i--) {
        uint64_t began = seed;
        const char *said = random_state(&seed);
        const struct nvidia_tools before = *nvidia_tools;
        AUTO_FREE char *first = NULL;
        int status;

        declare(said);
        nvidia_tools->asked[0] = '\0';
        status = typed_run(&scene, HERE, "vgpuctl setup", &typed);
        first = strdup(nvidia_tools->asked);
        nvidia_tools->asked[0] = '\0';
        if (typed_run(&scene, HERE, "vgpuctl setup", &typed) != status ||
            (*nvidia_tools->asked && nvidia_tools->age != NVIDIA_TELLS))
            fail_msg("SEED=%llu ROUNDS=1: %s\n%s; then %s\n%s%s", (unsigned long long)began, said,
                     first, nvidia_tools->asked, typed.printed, typed.faults);
        if (status != COMMAND_DONE && !strstr(typed.faults, "of which /etc/libvirt-vgpu") &&
            !strstr(typed.faults, "is in MIG mode") && !strstr(typed.faults, "RmPVMRL="))
            fail_msg("SEED=%llu ROUNDS=1: %s\n%s", (unsigned long long)began, said, typed.faults);
        if (strstr(said, "functions") || strstr(said, "instances"))
            continue;
        assert_int_equal(nvidia_tools->instance_count, before.instance_count);
        assert_memory_equal(nvidia_tools->instances, before.instances, sizeof(before.instances));
    }
}
