/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl setup: cards become what vgpu.conf declares, and nothing else changes. */

#include "cli/command.h"
#include "fake/chance.h"
#include "setup/cards.h"
#include "vendor/card-vendor.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define MACHINE NVIDIAS INTELS "pci 0000:41:00.0 driver ice\n"
#define BUS     "sys/bus/pci/devices/"

static const struct typed_case here = {{.scene = &scene, .machine = MACHINE, .begin = install_both},
                                       &typed};
#define TEST(function) TYPED_TEST(function, here)

static void
partition(const char *first, const char *second)
{
    nvidia_tools->is_mig = nvidia_tools->is_mig_to_be = true;
    nvidia_tools->instance_count = 0;
    if (first)
        nvidia_tools_add_instance(first);
    if (first && second)
        nvidia_tools_add_instance(second);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* The states from which a card of NVIDIA's is set up. */
static void
with_mixed_sizes(void)
{
    with_functions();
    nvidia_tools->is_mixed = true;
}

static void
in_mig_mode(void)
{
    with_functions();
    partition("1g.24gb+gfx", "2g.48gb+gfx");
}

static void
with_instances_but_no_functions(void)
{
    partition("1g.24gb+gfx", NULL);
}

#define TWO "instances = [ \"2g.48gb+gfx\", \"1g.24gb+gfx\" ];"

TEST(steps)
{
    static const struct {
        void (*start)(void);
        const char *said, *asked;
    } rows[] = {
        {bare, "functions = \"all\";", ENABLE},
        {bare, "functions = 4;", ENABLE},
        {with_functions, "functions = \"all\";", ""},
        {with_mixed_sizes, "functions = \"all\";", ""},
        {bare, "functions = \"all\"; sizes = \"mixed\";",
         ENABLE "; " SMI "vgpu -i " NVIDIA " -shm 1"},
        {with_functions, "sizes = \"mixed\";", SMI "vgpu -i " NVIDIA " -shm 1"},
        {with_mixed_sizes, "functions = \"all\"; sizes = \"mixed\";", ""},
        {with_mixed_sizes, "sizes = \"equal\";", SMI "vgpu -i " NVIDIA " -shm 0"},
        {bare, "functions = \"all\"; " TWO,
         SMI "-i " NVIDIA " -mig 1; " ENABLE "; " SMI "mig -i " NVIDIA
             " -cgi 2g.48gb+gfx,1g.24gb+gfx -C"},
        {in_mig_mode, "functions = \"all\"; " TWO, ""},
        {in_mig_mode, "functions = \"all\"; instances = [ \"4g.96gb+gfx\" ];",
         SMI "mig -i " NVIDIA " -dci; " SMI "mig -i " NVIDIA " -dgi; " SMI "mig -i " NVIDIA
             " -cgi 4g.96gb+gfx -C"},
        {in_mig_mode, "functions = \"all\"; instances = [ ];",
         SMI "mig -i " NVIDIA " -dci; " SMI "mig -i " NVIDIA
             " -dgi; /usr/lib/nvidia/sriov-manage -d " NVIDIA "; " SMI "-i " NVIDIA
             " -mig 0; " ENABLE},
        {with_mixed_sizes, "functions = \"all\"; sizes = \"equal\"; " TWO, NULL},
        {with_mixed_sizes, "functions = \"all\"; " TWO, NULL},
        {in_mig_mode, "instances = [ ];", NULL},
        {with_instances_but_no_functions, "functions = \"all\";", NULL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        nvidia_tools_boot(&scene.kernel);
        nvidia_tools->asked[0] = '\0';
        rows[i].start();
        declare_both(rows[i].said, "");
        if (!rows[i].asked) {
            assert_int_equal(typed_run(&scene, HERE, "vgpuctl setup", &typed), COMMAND_FAILED);
            assert_string_equal(nvidia_tools->asked, "");
            continue;
        }
        run("vgpuctl setup", 0, rows[i].asked[0] ? "done" : "as declared");
        assert_string_equal(nvidia_tools->asked, rows[i].asked);
        run("vgpuctl setup", 0, "as declared");
        assert_string_equal(nvidia_tools->asked, rows[i].asked);
    }
}

TEST(what_people_see)
{
    declare_both("functions = \"all\"; sizes = \"mixed\";", "functions = 2;");
    typed_golden(&scene, HERE, "setup/dry-run", "vgpuctl setup --dry-run");
    assert_string_equal(nvidia_tools->asked, "");
    assert_int_equal(fake_enabled(&scene.kernel, INTEL), 0);
    typed_golden(&scene, HERE, "setup/done", "vgpuctl setup");
    assert_int_equal(fake_enabled(&scene.kernel, INTEL), 2);
    typed_golden(&scene, HERE, "setup/as-declared", "vgpuctl setup 3d:00.0 --json");
    declare_both("functions = \"all\"; sizes = \"mixed\";", "functions = 3;");
    typed_golden(&scene, HERE, "setup/other-number", "vgpuctl setup");
    declare_both("functions = \"all\"; " TWO, "");
    typed_golden(&scene, HERE, "setup/loses", "vgpuctl setup");
    run("vgpuctl setup 03:00.0", 1,
        "no GPU whose setup vgpu.conf declares is called \"03:00.0\"; there are: " NVIDIA);
    scene_configure(&scene, "");
    typed_golden(&scene, HERE, "setup/nothing", "vgpuctl setup");
    scene_configure(&scene, "gpus = ( { setup = 3; } );");
    run("vgpuctl setup", 1, "address is missing");
}

/* What --print writes declares the cards as they are. */
TEST(as_they_are)
{
    typed_golden(&scene, HERE, "setup/print-bare", "vgpuctl setup --print");
    with_mixed_sizes();
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 2), 0);
    typed_golden(&scene, HERE, "setup/print", "vgpuctl setup --print");
    run("vgpuctl setup --print", 0, "gpus = (");
    scene_configure(&scene, typed.printed);
    run("vgpuctl setup", 0, "as declared");
    assert_null(strstr(typed.printed, "done"));
    run("vgpuctl setup --print", 0, "# add this to the group at /etc/libvirt-vgpu/vgpu.conf:2\n");
    in_mig_mode();
    scene_configure(&scene, "");
    run("vgpuctl setup --print", 0, "instances = [ \"1g.24gb+gfx\", \"2g.48gb+gfx\" ];");
    scene_configure(&scene, typed.printed);
    run("vgpuctl setup", 0, "as declared");
    assert_null(strstr(typed.printed, "done"));
    assert_string_equal(nvidia_tools->asked, "");
    run("vgpuctl setup --print --dry-run", 2, "--print prints all GPUs");
    /* What cannot be read is told. */
    assert_int_equal(unlinkat(scene.kernel.host.root, "usr/bin/nvidia-smi", 0), 0);
    run("vgpuctl setup --print", 0, "setup = { functions = \"all\"; }");
    typed_assert_has(typed.faults, "GPU instances and mixed sizes of " NVIDIA
                                   " are left out, as they cannot be read: there is no "
                                   "/usr/bin/nvidia-smi");
}

/* What only NVIDIA's tool tells is known from the last setup, for this declaration and these
 * functions. */
TEST(remembered)
{
    static const char column[] = "vgpuctl gpus -rn -o SETUP";
    struct path link, other;

    with_functions();
    declare_both("functions = \"all\"; sizes = \"mixed\";", "");
    run(column, 0, "-\n");
    run("vgpuctl setup", 0, "done");
    run(column, 0, "as\\x20declared\\x20at\\x2020");
    declare_both("functions = \"all\"; sizes = \"equal\";", "");
    run(column, 0, "-\n");
    declare_both("functions = \"all\"; sizes = \"mixed\";", "");
    run(column, 0, "as\\x20declared\\x20at\\x2020");
    /* A change by hand is not seen, so it is said when the setup saw the card. */
    nvidia_tools->is_mixed = false;
    run(column, 0, "as\\x20declared\\x20at\\x2020");
    run("vgpuctl metrics", 0, "libvirt_vgpu_gpu_as_declared_seen_seconds{gpu=\"" NVIDIA "\"} 1");
    /* A setup that fails at its first change; the record is gone. */
    nvidia_tools->changes = 0;
    nvidia_tools->fault_at = 1;
    run("vgpuctl setup", 1, "failed");
    run(column, 0, "-\n");
    run("vgpuctl setup", 0, "done");
    run(column, 0, "as\\x20declared\\x20at\\x2020");
    run("vgpuctl setup", 0, "as declared");
    run(column, 0, "as\\x20declared\\x20at\\x2020");
    /* A GPU that is drained is set up as well. */
    nvidia_tools->is_mixed = false;
    run("vgpuctl drain " NVIDIA, 0, "");
    run("vgpuctl setup", 0, "done");
    run(column, 0, "as\\x20declared\\x20at\\x2020");
    run("vgpuctl undrain " NVIDIA, 0, "");
    /* Functions that are enabled anew are others. */
    assert_int_equal(path_format(&link, "sys/bus/pci/devices/" NVIDIA "/virtfn0"), 0);
    assert_int_equal(path_format(&other, "sys/bus/pci/devices/" NVIDIA "/other"), 0);
    assert_int_equal(host_make_link(&scene.kernel.host, other.text, "../" FIRST), 0);
    assert_int_equal(
        renameat(scene.kernel.host.root, other.text, scene.kernel.host.root, link.text), 0);
    run(column, 0, "-\n");
}

/* --- what is refused -------------------------------------------------------------------------- */

TEST(refusals)
{
    static const struct {
        const char *nvidias, *intels, *words;
    } rows[] = {
        {"functions = 3;", "",
         "NVIDIA's tool enables all functions of " NVIDIA ": write functions = \"all\""},
        {"functions = 5;", "",
         NVIDIA " can have 4 virtual functions, and /etc/libvirt-vgpu/vgpu.conf:1 says 5"},
        {"", "sizes = \"mixed\";", "only cards of NVIDIA's have sizes, and " INTEL " is none"},
        {"", "instances = [ \"1g.5gb\" ];", "only cards of NVIDIA's have instances"},
        {"", "functions = 4;", INTEL " can have 3 virtual functions"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        declare_both(rows[i].nvidias, rows[i].intels);
        run("vgpuctl setup", 1, rows[i].words);
        run("vgpuctl setup --dry-run", 1, rows[i].words);
        assert_int_equal(typed_run(&scene, HERE, "vgpuctl check", &typed), COMMAND_DONE);
        typed_assert_has(typed.faults, rows[i].words);
    }
    assert_string_equal(nvidia_tools->asked, "");
    declare_both("functions = \"all\"; instances = [ ]; sizes = \"mixed\";",
                 "functions = \"all\";");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl check", &typed), COMMAND_DONE);
    assert_null(strstr(typed.faults, "functions"));
    assert_null(strstr(typed.faults, "sizes"));
    nvidia_tools->has_mig = false;
    declare_both("instances = [ \"1g.5gb\" ];", "");
    run("vgpuctl setup", 1, NVIDIA " cannot have GPU instances (MIG)");
    declare_both("instances = [ ];", "");
    run("vgpuctl setup", 0, "as declared");
    scene_configure(&scene,
                    "gpus = ( { address = \"0000:99:00.0\"; setup = { functions = 1; }; } );");
    run("vgpuctl setup", 1,
        "there is no PCI device 0000:99:00.0, which /etc/libvirt-vgpu/vgpu.conf:1 names");
    scene_configure(&scene,
                    "gpus = ( { address = \"0000:41:00.0\"; setup = { functions = 1; }; } );");
    run("vgpuctl setup", 1, "0000:41:00.0 can have no virtual functions");
    /* AMD's driver makes its functions itself. */
    fake_write(&scene.kernel, "sys/devices/" INTEL "/vendor", "0x1002\n");
    declare_both("", "functions = 2;");
    run("vgpuctl setup", 1,
        INTEL
        " has 0 virtual functions, and not the 2 of /etc/libvirt-vgpu/vgpu.conf:2; AMD's driver");
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 2), 0);
    run("vgpuctl setup", 0, "as declared");
    assert_string_equal(nvidia_tools->asked, "");
}

/* --- faults ----------------------------------------------------------------------------------- */

/* Each change fails, hangs or lies, once. The answer is right, the other card is set up, and the
 * next call finishes. */
TEST(faults)
{
    static const char *const words[] = {
        [NVIDIA_FAILS] = " failed (exit status 1); see journalctl -k",
        [NVIDIA_HANGS] = " did not end within 100 seconds; see journalctl -k",
        [NVIDIA_LIES] = "ended well, ",
    };
    static const char *const said[] = {"functions = \"all\"; " TWO,
                                       "functions = \"all\"; sizes = \"mixed\";"};

    for (size_t i = 0; i < COUNT(said); i++) {
        for (unsigned fault = NVIDIA_FAILS; fault <= NVIDIA_LIES; fault++) {
            for (unsigned at = 1; at <= 3 - i; at++) {
                nvidia_tools_boot(&scene.kernel);
                assert_int_equal(fake_enable(&scene.kernel, INTEL, 0), 0);
                nvidia_tools->changes = 0;
                nvidia_tools->fault_at = at;
                nvidia_tools->fault = fault;
                declare_both(said[i], "functions = \"all\";");
                if (typed_run(&scene, HERE, "vgpuctl setup", &typed) != COMMAND_FAILED)
                    fail_msg("%s, fault %u at %u: %s", said[i], fault, at, typed.printed);
                if (fault == NVIDIA_LIES && strstr(typed.faults, "sriov-manage ended well"))
                    continue;
                typed_assert_has(typed.faults, words[fault]);
                assert_int_equal(fake_enabled(&scene.kernel, INTEL), 3);
                run("vgpuctl setup", 0, "done");
            }
        }
    }
}

static void
vanish(void)
{
    int root = scene.kernel.host.root;

    assert_int_equal(renameat(root, BUS NVIDIA, root, BUS "gone"), 0);
}

/* A card that is gone tells no number of functions. */
TEST(gone)
{
    int root = scene.kernel.host.root;

    declare_both("functions = \"all\";", "");
    nvidia_tools->fault_at = 1;
    nvidia_tools->fault = NVIDIA_HANGS;
    nvidia_tools->hanging = vanish;
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl setup -rn -o PART,DECLARED,RESULT", &typed),
                     COMMAND_FAILED);
    assert_string_equal(typed.printed, "functions all failed\n");
    assert_int_equal(renameat(root, BUS "gone", root, BUS NVIDIA), 0);
}

/* On some cards MIG mode comes with a reset, for which NVIDIA's daemons are stopped. */
#define ELSEWHERE "0000:5e:00.0"
#define STOP      "/usr/bin/systemctl stop nvidia-vgpu-mgr.service"
#define START     "/usr/bin/systemctl start nvidia-vgpu-mgr.service"
#define RESET     SMI "--gpu-reset -i " NVIDIA

static void
with_daemon(void)
{
    nvidia_tools_boot(&scene.kernel);
    nvidia_tools->needs_reset = nvidia_tools->has_daemon = nvidia_tools->daemon_runs = true;
    nvidia_tools->asked[0] = '\0';
    nvidia_tools->changes = nvidia_tools->fault_at = 0;
}

/* No guest gets a vGPU on another card while the daemon is away. */
static void
expect_all_taken(void)
{
    assert_true(host_exists(&scene.kernel.host, "run/libvirt-vgpu/proving/" NVIDIA));
    assert_true(host_exists(&scene.kernel.host, "run/libvirt-vgpu/proving/" ELSEWHERE));
}

TEST(reset)
{
    const char *const mode = SMI "-i " NVIDIA " -mig 1; ";

    scene_stop(&scene);
    scene_start(&scene, MACHINE "gpu " ELSEWHERE " vf vfs 4 rule size\n" L40S_8Q);
    nvidia_tools_install(&scene.kernel, NVIDIA, 4);
    with_daemon();
    declare_both("instances = [ \"1g.24gb+gfx\" ];", "");
    run("vgpuctl setup", 0, "done");
    assert_memory_equal(nvidia_tools->asked, mode, strlen(mode));
    assert_non_null(strstr(nvidia_tools->asked, "; " STOP "; " RESET "; " START "; "));
    assert_true(nvidia_tools->daemon_runs);
    run("vgpuctl setup", 0, "as declared");
    declare_both("instances = [ ];", "");
    run("vgpuctl setup", 0, "done");
    assert_true(!nvidia_tools->is_mig && nvidia_tools->daemon_runs);

    /* Another card's vGPU needs the daemon. */
    with_daemon();
    declare_both("instances = [ \"1g.24gb+gfx\" ];", "");
    assert_int_equal(fake_make(&scene.kernel, "0000:5e:00.7", "nvidia-1152", "0000:5e:00.7"), 0);
    typed_golden(&scene, HERE, "setup/reset", "vgpuctl setup");
    assert_true(nvidia_tools->daemon_runs);
    assert_null(strstr(nvidia_tools->asked, STOP));
    assert_int_equal(fake_remove(&scene.kernel, "0000:5e:00.7"), 0);

    /* The daemon is started again, whatever becomes of the reset; also by the next setup. */
    for (unsigned fault = NVIDIA_FAILS; fault <= NVIDIA_LIES; fault++) {
        with_daemon();
        nvidia_tools->fault_at = 3;
        nvidia_tools->fault = fault;
        nvidia_tools->hanging = expect_all_taken;
        assert_int_equal(typed_run(&scene, HERE, "vgpuctl setup", &typed), COMMAND_FAILED);
        typed_assert_has(typed.faults, fault == NVIDIA_LIES ? "has: off until a reset" : RESET);
        assert_true(nvidia_tools->daemon_runs);
        assert_false(host_exists(&scene.kernel.host, "run/libvirt-vgpu/proving/" ELSEWHERE));
        run("vgpuctl setup", 0, "done");
    }
    with_daemon();
    nvidia_tools->fault_at = 4;
    nvidia_tools->fault = NVIDIA_FAILS;
    run("vgpuctl setup", 1, START " failed");
    run("vgpuctl setup", 0, "done");
    assert_true(nvidia_tools->daemon_runs);
    nvidia_tools->daemon_runs = false;
    typed_golden(&scene, HERE, "setup/daemons", "vgpuctl setup");
    assert_true(nvidia_tools->daemon_runs);
}

/* The process is killed before or after each change, by a tool or by the kernel. The next one
 * finishes the card. */
TEST(killed)
{
    for (unsigned fault = NVIDIA_KILLED_BEFORE; fault <= NVIDIA_KILLED_AFTER; fault++) {
        for (unsigned at = 1; at <= 7; at++) {
            pid_t child;
            int status;

            /* From instances of another profile, to those that are said or to none. */
            nvidia_tools_boot(&scene.kernel);
            with_functions();
            partition("4g.96gb+gfx", NULL);
            nvidia_tools->is_mig_to_be = nvidia_tools->is_mig = true;
            declare_both(
                at < 4 ? "functions = \"all\"; " TWO : "functions = \"all\"; instances = [ ];", "");
            nvidia_tools->changes = 0;
            nvidia_tools->fault_at = at < 4 ? at : at - 3;
            nvidia_tools->fault = fault;
            child = fork();
            if (child == 0) {
                (void)typed_run(&scene, HERE, "vgpuctl setup", &typed);
                _exit(1);
            }
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
            assert_int_equal(typed_run(&scene, HERE, "vgpuctl setup", &typed), COMMAND_DONE);
            run("vgpuctl setup", 0, "as declared");
            assert_null(strstr(typed.printed, "done"));
            assert_int_equal(nvidia_tools->instance_count, at < 4 ? 2 : 0);
            assert_int_equal(fake_enabled(&scene.kernel, NVIDIA), 4);
        }
    }
}

/* The driver may list no type for new instances, until nvidia-vgpud has run once more. */
TEST(types_of_instances)
{
    static const char restart[] = "; /usr/bin/systemctl restart nvidia-vgpud.service";

    scene_stop(&scene);
    scene_start(&scene,
                "gpu " NVIDIA " vf vfs 4 rule size mig\n"
                "type nvidia-700 \"NVIDIA A30-2-12C\" framebuffer 12288 slices 2 instances 0\n"
                "gpu " INTEL " xe vfs 3 memory 24480\n");
    nvidia_tools_install(&scene.kernel, NVIDIA, 4);
    nvidia_tools_boot(&scene.kernel);
    nvidia_tools->is_mig = nvidia_tools->is_mig_to_be = true;
    declare_both("instances = [ \"2g.12gb\" ];", "");
    run("vgpuctl setup", 0, "done");
    assert_null(strstr(nvidia_tools->asked, "systemctl")); /* without functions there is no list */
    declare_both("functions = \"all\"; instances = [ \"2g.12gb\" ];", "");
    run("vgpuctl setup", 1,
        "\"list\" of its types ended well, but the card has: none; see 'systemctl ");
    assert_string_equal(nvidia_tools->asked + strlen(nvidia_tools->asked) - strlen(restart),
                        restart);
    nvidia_tools->instance_count = 0;
    nvidia_tools->listed = "nvidia-700";
    run("vgpuctl setup", 0, "done");
    assert_string_equal(nvidia_tools->asked + strlen(nvidia_tools->asked) - strlen(restart),
                        restart);
    run("vgpuctl setup", 0, "as declared");
    assert_null(strstr(typed.printed, "types"));
    /* The process ended after the instances and before the restart. */
    for (unsigned fault = NVIDIA_FAILS; fault <= NVIDIA_HANGS; fault++) {
        fake_instances(&scene.kernel, NVIDIA, "nvidia-700", 0);
        nvidia_tools->changes = 0;
        nvidia_tools->fault_at = 1;
        nvidia_tools->fault = fault;
        run("vgpuctl setup", 1, "/usr/bin/systemctl restart nvidia-vgpud.service ");
        typed_golden(&scene, HERE, "setup/types", "vgpuctl setup");
    }
}

/* The memory that a driver shares out among new functions is taken back, also if the process that
 * enabled them ended before that. */
TEST(shares)
{
    scene_configure(&scene, "gpus = ( { address = \"" INTEL "\"; setup = { functions = 2; }; } );\n"
                            "profiles = { b60-4g = { vram = \"4G\"; }; };\n");
    fake_write(&scene.kernel, "sys/devices/" INTEL "/sriov_drivers_autoprobe", "0\n");
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 2), 0);
    typed_golden(&scene, HERE, "setup/shares", "vgpuctl setup");
    run("vgpuctl setup", 0, "as declared");
    assert_null(strstr(typed.printed, "done"));
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 0), 0);
    typed_golden(&scene, HERE, "setup/functions-and-shares", "vgpuctl setup");
    run("vgpuctl setup", 0, "as declared");
    assert_null(strstr(typed.printed, "done"));
}

/* --- any card, any declaration ---------------------------------------------------------------- */

static const char *
random_state(uint64_t *seed)
{
    static char text[256];
    size_t at = 0;

    nvidia_tools_boot(&scene.kernel);
    if (maybe(seed, 60))
        with_functions();
    if (maybe(seed, 40))
        partition(maybe(seed, 70) ? "1g.24gb+gfx" : NULL, maybe(seed, 50) ? "2g.48gb+gfx" : NULL);
    else
        nvidia_tools->is_mixed = maybe(seed, 40);
    text[0] = '\0';
    if (maybe(seed, 70))
        at += (size_t)snprintf(text + at, sizeof(text) - at, "functions = \"all\"; ");
    if (maybe(seed, 50))
        at += (size_t)snprintf(text + at, sizeof(text) - at, "instances = [ %s ];",
                               maybe(seed, 60) ? "\"1g.24gb+gfx\"" : "");
    else if (maybe(seed, 60))
        snprintf(text + at, sizeof(text) - at, "sizes = \"%s\";",
                 maybe(seed, 60) ? "mixed" : "equal");
    return text;
}

/* The setup is done, and then there is nothing left to do; or it is refused, and nothing changes.
 * No part that is not said changes. */
TEST(anything)
{
    uint64_t seed = chance_setting("SEED", SEED);

    for (uint64_t i = chance_rounds(300); i > 0; i--) {
        const char *said = random_state(&seed);
        const struct nvidia_tools before = *nvidia_tools;
        const struct nvidia_tools *now = nvidia_tools;
        unsigned functions = fake_enabled(&scene.kernel, NVIDIA);
        int status;

        declare_both(said, "");
        status = typed_run(&scene, HERE, "vgpuctl setup", &typed);
        nvidia_tools->asked[0] = '\0';
        if (status == COMMAND_DONE) {
            assert_int_equal(typed_run(&scene, HERE, "vgpuctl setup", &typed), COMMAND_DONE);
            assert_null(strstr(typed.printed, "done"));
            assert_string_equal(now->asked, "");
        } else {
            assert_true(
                strstr(typed.faults, "of which /etc/libvirt-vgpu/vgpu.conf:1 says nothing") ||
                strstr(typed.faults, "is in MIG mode, in which only GPU instances have sizes"));
            assert_int_equal(now->changes, before.changes);
        }
        if (status != COMMAND_DONE || !strstr(said, "functions"))
            assert_int_equal(fake_enabled(&scene.kernel, NVIDIA), functions);
        if (status != COMMAND_DONE || !strstr(said, "instances")) {
            assert_int_equal(now->instance_count, before.instance_count);
            assert_int_equal(now->is_mig, before.is_mig);
        }
        if (status != COMMAND_DONE || !strstr(said, "sizes"))
            assert_int_equal(now->is_mixed, before.is_mixed);
    }
}

/* What NVIDIA's driver was told when it was loaded is compared, and nothing is written. */
TEST(the_scheduler)
{
    static const struct {
        const char *all, *per_device, *word;
    } rows[] = {
        {"", "", "best-effort"},
        {"RmPVMRL=0x01", "", "equal-share"},
        {"Other=1;RmPVMRL=0x11;More=2", "", "fixed-share"},
        {"RmPVMRL=0x001e0001", "", "equal-share"},
        {"RmPVMRL=0x11", "pci=" NVIDIA ";RmPVMRL=0x01", "equal-share"},
        {"RmPVMRL=0x11", "pci=0000:18:00.0;RmPVMRL=0x01", "fixed-share"},
        {"", "pci=0000:18:00.0;RmPVMRL=0x01; pci=3d:00;RmPVMRL=0x11", "fixed-share"},
        {"", "pci=0:3d:0;RmPVMRL=0x01", "best-effort"},
        {"RmPVMRL=0x77", "", NULL},
        {"RmPVMRL=", "", NULL},
        {NULL, NULL, NULL},
    };
    static const char *const words[] = {"best-effort", "equal-share", "fixed-share"};

    with_functions();
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[512], said[64];

        snprintf(text, sizeof(text),
                 "ResmanDebugLevel: 4294967295\nRegistryDwords: \"%s\"\n"
                 "RegistryDwordsPerDevice: \"%s\"\nRmMsg: \"RmPVMRL=0x01\"\n",
                 rows[i].all ? rows[i].all : "", rows[i].all ? rows[i].per_device : "");
        if (rows[i].all)
            fake_write(&scene.kernel, "proc/driver/nvidia/params", text);
        else
            fake_write(&scene.kernel, "proc/driver/nvidia/params", "ResmanDebugLevel: 0\n");
        for (size_t k = 0; k < COUNT(words); k++) {
            bool is_so = rows[i].word && !strcmp(words[k], rows[i].word);

            snprintf(said, sizeof(said), "scheduler = \"%s\";", words[k]);
            declare_both(said, "");
            run("vgpuctl setup " NVIDIA, is_so ? COMMAND_DONE : COMMAND_FAILED,
                is_so ? words[k] : "NVIDIA's driver is told its scheduler when it is loaded");
            if (!is_so)
                typed_assert_has(typed.faults, rows[i].word ? rows[i].word : "it is not known");
            run("vgpuctl gpus -rn -o SETUP", COMMAND_DONE,
                is_so          ? "as\\x20declared"
                : rows[i].word ? "differs"
                               : "-");
        }
    }
    /* The other parts are made all the same. A card that offers nothing has a line. */
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 0), 0);
    run("vgpuctl gpus -rn -o GPU,MADE,FREE,ENABLED,DRAINED,SETUP", COMMAND_DONE,
        NVIDIA " 0 - yes no -\n");
    declare_both("functions = \"all\";", "functions = 2;");
    run("vgpuctl gpus -rn -o GPU,MADE,FREE,ENABLED,DRAINED,SETUP", COMMAND_DONE,
        NVIDIA " 0 - yes no differs\n" INTEL " 0 - yes no differs\n");
    run("vgpuctl gpus -rn -o GPU,NUMA,DRIVER", COMMAND_DONE, NVIDIA " 1 nvidia\n" INTEL " - xe\n");
    run("vgpuctl gpus --json", COMMAND_DONE, "\"setup\": \"differs\"");
    declare_both("functions = \"all\"; scheduler = \"equal-share\";", "");
    fake_write(&scene.kernel, "proc/driver/nvidia/params",
               "RegistryDwords: \"\"\nRegistryDwordsPerDevice: \"\"\n");
    run("vgpuctl setup " NVIDIA, COMMAND_FAILED,
        "NVreg_RegistryDwordsPerDevice=\"pci=" NVIDIA ";RmPVMRL=0x01\"");
    assert_int_equal(fake_enabled(&scene.kernel, NVIDIA), 4);
    declare_both("", "scheduler = \"equal-share\";");
    run("vgpuctl setup " INTEL, COMMAND_FAILED, "only cards of NVIDIA's have a scheduler");
    fake_write(&scene.kernel, "proc/driver/nvidia/params", "RegistryDwords: \"RmPVMRL=1\"\n");
    run("vgpuctl setup --print", COMMAND_DONE, "scheduler = \"equal-share\";");
}

/* --- a vendor that no file of the product knows
 * --------------------------------------------------- */

static int
set_all_functions(const struct host *host, const struct name *card, bool on, struct error *error)
{
    struct fake_kernel *kernel = (struct fake_kernel *)host;

    return fake_enable(kernel, card->text, on ? 3 : 0);
}

static unsigned
tell_fixed_share(const struct host *host, const struct name *card)
{
    return POLICY_SCHEDULER_FIXED_SHARE;
}

TEST(another_vendor)
{
    static const struct card_vendor tools = {
        .id = "8086",
        .name = "Hose",
        .set_functions = set_all_functions,
        .function_tool = "hose-manage",
        .scheduler = tell_fixed_share,
    };
    static const struct card_vendor loads = {
        .id = "8086", .name = "Hose", .functions_fixed = "its driver was born with them"};
    static const struct card_vendor *const with_tools[] = {&tools, NULL};
    static const struct card_vendor *const with_loads[] = {&loads, NULL};

    scene.kernel.host.card_vendors = with_tools;
    declare_both("", "functions = 2;");
    run("vgpuctl setup " INTEL, COMMAND_FAILED, "Hose's tool enables all functions of " INTEL);
    declare_both("", "functions = \"all\"; scheduler = \"fixed-share\";");
    run("vgpuctl setup " INTEL, COMMAND_DONE, "done");
    assert_int_equal(fake_enabled(&scene.kernel, INTEL), 3);
    run("vgpuctl setup " INTEL, COMMAND_DONE, "as declared");
    run("vgpuctl sriov disable " INTEL, COMMAND_DONE, "");
    assert_int_equal(fake_enabled(&scene.kernel, INTEL), 0);
    /* NVIDIA's row is not there, so nobody has NVIDIA's tools. */
    declare_both("sizes = \"mixed\";", "");
    run("vgpuctl setup " NVIDIA, COMMAND_FAILED, "only cards of NVIDIA's have sizes");
    scene.kernel.host.card_vendors = with_loads;
    declare_both("", "functions = 2;");
    run("vgpuctl setup " INTEL, COMMAND_FAILED, "its driver was born with them");
    run("vgpuctl sriov enable " INTEL, COMMAND_FAILED,
        INTEL " has 0 virtual functions; its driver was born with them");
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 2), 0);
    run("vgpuctl sriov enable " INTEL " --count 2", COMMAND_DONE,
        "has 2 virtual functions already");
    run("vgpuctl sriov enable " INTEL " --count 3", COMMAND_FAILED,
        "its driver was born with them");
    scene.kernel.host.card_vendors = NULL;
}
