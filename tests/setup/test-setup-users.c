/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl setup: a card that anybody uses is not touched, and the other cards are set up. */

#include "cli/command.h"
#include "device/scan.h"
#include "prove/workbench.h"
#include "setup/cards.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#define MEDIATED     "gpu " NVIDIA " vfs 4 rule size\n" L40S_8Q
#define SECOND       "0000:3d:00.5"
#define INTEL_FIRST  "0000:03:00.4"
#define INTEL_SECOND "0000:03:00.5"
#define MDEV         "dddddddd-0000-4000-8000-000000000007"
#define PROFILES     "profiles = { b60-8g = { vram = \"8G\"; }; };\n"

/* What a user has until the end of its row. */
static pid_t qemu;
static int node = -1;
static struct workbench bench;

static void
set_up(const char *gpu)
{
    AUTO_FREE char *machine = NULL;

    bench = WORKBENCH_NONE;
    assert_true(asprintf(&machine, "%s" INTELS, gpu) > 0);
    scene_start(&scene, machine);
    install_both();
}

static int
tear_down(void **state)
{
    if (qemu)
        fake_end(qemu);
    if (node >= 0)
        close(node);
    qemu = 0;
    node = -1;
    workbench_close(&bench);
    typed_clear(&typed);
    scene_stop(&scene);
    return 0;
}

/* --- the users -------------------------------------------------------------------------------- */

static void
hold(void)
{
    assert_int_equal(typed_prepare(&scene, 1, "L40S-8Q", FIRST), 0);
}

static void
keep(void)
{
    AUTO_FREE char *kept = typed_functions(2, "", "L40S-8Q", (const char *const[]){FIRST, NULL});

    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(typed_prepare(&scene, 2, "L40S-8Q", FIRST), 0);
    assert_int_equal(scene_hook(&scene, kept, "release", "end"), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
}

/* A vGPU that another program made, and nobody has open now. */
static void
make_anothers(void)
{
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-1152", FIRST), 0);
}

static void
make_anothers_mdev(void)
{
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-1152", MDEV), 0);
}

static void
open_device(const char *device)
{
    struct fake_guest guest = fake_open(&scene.kernel, device);

    qemu = fake_hand_over(&guest);
}

static void
open_anothers(void)
{
    make_anothers();
    open_device(FIRST);
}

static void
open_anothers_mdev(void)
{
    make_anothers_mdev();
    open_device(MDEV);
}

/* libvirt's status file of a guest that asks us for nothing. */
static void
run_guest(const char *device)
{
    AUTO_FREE char *xml = typed_functions(9, "", "", (const char *const[]){device, NULL});

    scene_put_status(&scene, 9, getpid(), xml);
}

static void
run_with_function(void)
{
    run_guest(SECOND);
}

static void
run_with_card(void)
{
    run_guest(NVIDIA);
}

static void
run_with_intels(void)
{
    run_guest(INTEL_SECOND);
}

/* The card is in a guest that the hook knows. */
static void
take_card(void)
{
    AUTO_FREE char *xml = typed_functions(5, "", "", (const char *const[]){NVIDIA, NULL});

    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 0), 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
}

/* A function that VFIO has, and a program. */
static void
open_function(const char *function)
{
    fake_bind(&scene.kernel, function, "vfio-pci");
    node = fake_open_group(&scene.kernel, function);
    assert_true(node >= 0);
}

static void
open_nvidias(void)
{
    open_function(FIRST);
}

static void
open_intels(void)
{
    open_function(INTEL_FIRST);
}

static void
hold_intels(void)
{
    scene_configure(&scene, PROFILES);
    assert_int_equal(typed_prepare(&scene, 1, "b60-8g", INTEL_FIRST), 0);
}

static void
open_node(const char *path)
{
    node = openat(scene.kernel.host.root, path, O_RDONLY | O_CLOEXEC);
    assert_true(node >= 0);
}

static void
put_nvidias_node(void)
{
    fake_write(&scene.kernel, "proc/driver/nvidia/gpus/" NVIDIA "/information",
               "Model: \t\t NVIDIA L40S\nDevice Minor: \t 7\n");
    fake_write(&scene.kernel, "dev/nvidia7", "195:7\n");
}

static void
compute(void)
{
    put_nvidias_node();
    open_node("dev/nvidia7");
}

/* Intel's driver gives each of these to users of graphics. */
static void
put_drm(void)
{
    fake_put_device(&scene.kernel, "dev/dri/card1", "sys/devices/" INTEL "/drm/card1");
    fake_put_device(&scene.kernel, "dev/dri/renderD128", "sys/devices/" INTEL "/drm/renderD128");
    fake_put_device(&scene.kernel, "dev/dri/card2", "sys/devices/" INTEL_FIRST "/drm/card2");
}

static void
draw(void)
{
    put_drm();
    open_node("dev/dri/card1");
}

static void
render(void)
{
    put_drm();
    open_node("dev/dri/renderD128");
}

static void
draw_on_function(void)
{
    put_drm();
    open_node("dev/dri/card2");
}

/* Another vgpuctl has the card. */
static void
take_for(const char *gpu)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    struct error error;
    struct name card;

    assert_int_equal(name_parse_pci(&card, gpu), 0);
    assert_int_equal(snapshot_take(&snapshot, &scene.kernel.host, &inventory_all_types, &error), 0);
    assert_int_equal(workbench_take(&scene.kernel.host, &card, &snapshot, &bench, &error), 0);
}

static void
prove_nvidias(void)
{
    take_for(NVIDIA);
}

static void
prove_intels(void)
{
    take_for(INTEL);
}

/* --- tests ------------------------------------------------------------------------------------ */

UNIT_TEST(each_user)
{
    static const struct {
        const char *gpu;
        void (*begin)(void);
        const char *words;
    } rows[] = {
        {NVIDIAS, hold, "the vGPU " FIRST " is that of guest1 (held)"},
        {NVIDIAS, keep,
         "the vGPU " FIRST " is that of guest2 (kept); remove it with 'vgpuctl reap "},
        {NVIDIAS, make_anothers,
         NVIDIA " is in use: it has the vGPU " FIRST ", which nobody has open"},
        {NVIDIAS, open_anothers, NVIDIA " is in use: " FIRST " by process "},
        {MEDIATED, make_anothers_mdev, "it has the vGPU " MDEV},
        {MEDIATED, open_anothers_mdev, NVIDIA " is in use: " MDEV " by process "},
        {NVIDIAS, run_with_function, NVIDIA " is in use: " SECOND " by guest9"},
        {NVIDIAS, run_with_card, NVIDIA " is in use: " NVIDIA " by guest9"},
        {NVIDIAS, take_card, "the guest guest5 takes the card " NVIDIA " itself"},
        {NVIDIAS, open_nvidias, NVIDIA " is in use: " FIRST " by process "},
        {NVIDIAS, compute, NVIDIA " is in use: " NVIDIA " by process "},
        {NVIDIAS, prove_nvidias, NVIDIA " is being proved"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned before;

        set_up(rows[i].gpu);
        assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 4), 0);
        rows[i].begin();
        before = fake_enabled(&scene.kernel, NVIDIA);
        declare_both("functions = \"all\"; sizes = \"mixed\";", "functions = \"all\";");
        run("vgpuctl setup", COMMAND_BUSY, rows[i].words);
        declare_both("functions = \"all\"; instances = [ \"1g.24gb+gfx\" ];",
                     "functions = \"all\";");
        run("vgpuctl setup", COMMAND_BUSY, rows[i].words);
        assert_string_equal(nvidia_tools->asked, "");
        assert_int_equal(fake_enabled(&scene.kernel, NVIDIA), before);
        assert_int_equal(fake_enabled(&scene.kernel, INTEL), 3);
        tear_down(NULL);
    }
}

UNIT_TEST(each_user_of_intels)
{
    static const struct {
        void (*begin)(void);
        const char *words;
    } rows[] = {
        {hold_intels, "the vGPU " INTEL_FIRST " is that of guest1 (held)"},
        {run_with_intels, INTEL " is in use: " INTEL_SECOND " by guest9"},
        {open_intels, INTEL " is in use: " INTEL_FIRST " by process "},
        {draw, INTEL " is in use: " INTEL " by process "},
        {render, INTEL " is in use: " INTEL " by process "},
        {draw_on_function, INTEL " is in use: " INTEL_FIRST " by process "},
        {prove_intels, INTEL " is being proved"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        set_up(NVIDIAS);
        fake_write(&scene.kernel, "sys/devices/" INTEL "/sriov_drivers_autoprobe", "0\n");
        assert_int_equal(fake_enable(&scene.kernel, INTEL, 3), 0);
        rows[i].begin();
        declare_both("functions = \"all\";", "functions = 2;");
        run("vgpuctl setup", COMMAND_BUSY, rows[i].words);
        assert_int_equal(fake_enabled(&scene.kernel, INTEL), 3);
        assert_int_equal(fake_enabled(&scene.kernel, NVIDIA), 4);
        tear_down(NULL);
    }
}

/* What people see. What is as declared needs nothing. */
UNIT_TEST(who_is_none)
{
    set_up(NVIDIAS);
    /* Under valgrind, the process has valgrind's name. */
    assert_int_equal(prctl(PR_SET_NAME, "test-setup"), 0);
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 4), 0);
    hold();
    declare_both("functions = \"all\"; sizes = \"mixed\";", "functions = \"all\";");
    typed_golden(&scene, HERE, "setup/in-use", "vgpuctl setup");
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
    compute();
    run("vgpuctl setup", COMMAND_BUSY, NVIDIA " is in use: " NVIDIA " by process ");
    typed_assert_has(typed.faults, "test-setup");
    /* Anybody can take the name of a daemon. */
    assert_int_equal(prctl(PR_SET_NAME, "nvidia-persistenced"), 0);
    run("vgpuctl setup", COMMAND_BUSY, "(nvidia-persiste)");
    assert_int_equal(prctl(PR_SET_NAME, "test-setup"), 0);
    nvidia_tools->is_mixed = true;
    run("vgpuctl setup", COMMAND_DONE, "as declared");
    tear_down(NULL);
}

/* --- programs that are no users --------------------------------------------------------------- */

#define ACCOUNT 117 /* the user of the persistence daemon */

static const struct host_ops *fake_ops;

static int
status(const struct host *host, const char *path, struct stat *ret)
{
    int rc = fake_ops->status(host, path, ret);

    if (!strcmp(path, "run/nvidia-persistenced"))
        ret->st_uid = ACCOUNT;
    /* A process that its user has made undumpable. */
    else if (!strcmp(path, "proc/4711"))
        ret->st_uid = 0;
    return rc;
}

/* A process of this user has the node open. */
static void
put_process(const char *program, uid_t user, const char *open)
{
    static struct host_ops ops;
    int root = scene.kernel.host.root;
    char text[64];

    fake_ops = scene.kernel.host.ops;
    ops = *fake_ops;
    ops.status = status;
    scene.kernel.host.ops = &ops;
    snprintf(text, sizeof(text), "Name:\tdaemon\nUid:\t%u\t0\t0\t0\n", user);
    fake_write(&scene.kernel, "proc/4711/status", text);
    fake_write(&scene.kernel, "proc/4711/comm", "daemon\n");
    fake_write(&scene.kernel, "proc/4711/fd/5", "");
    assert_int_equal(unlinkat(root, "proc/4711/fd/5", 0), 0);
    assert_int_equal(symlinkat(program, root, "proc/4711/exe"), 0);
    assert_int_equal(symlinkat(open, root, "proc/4711/fd/5"), 0);
    fake_write(&scene.kernel, "run/nvidia-persistenced/socket", "");
}

UNIT_TEST(bystanders)
{
    static const struct {
        const char *program;
        uid_t user;
        const char *open;
        bool is_user;
    } rows[] = {
        {"/usr/bin/nvidia-persistenced", 0, "/dev/nvidia7", false},
        {"/usr/bin/nvidia-persistenced (deleted)", 0, "/dev/nvidia7", false},
        {"/usr/bin/nvidia-persistenced", ACCOUNT, "/dev/nvidia7", false},
        {"/usr/bin/nvidia-persistenced", 65534, "/dev/nvidia7", true},
        {"/usr/bin/nvidia-vgpu-mgr", 0, "/dev/nvidia7", false},
        {"/usr/bin/nvidia-vgpu-mgr", ACCOUNT, "/dev/nvidia7", true},
        {"/usr/bin/nv-hostengine", 0, "/dev/nvidia7", false},
        {"/tmp/nv-hostengine", 1000, "/dev/nvidia7", true},
        {"/usr/bin/python3", 0, "/dev/nvidia7", true},
        {"/usr/lib/systemd/systemd-logind", 0, "/dev/dri/card1", false},
        {"/usr/lib/systemd/systemd", 0, "/dev/dri/card1", false},
        {"/usr/bin/seatd", 0, "/dev/dri/card1", false},
        {"/usr/sbin/plymouthd (deleted)", 0, "/dev/dri/card2", false},
        {"/home/mallory/seatd", 1000, "/dev/dri/renderD128", true},
        {"/usr/lib/systemd/systemd", 1000, "/dev/dri/renderD128", true},
        {"/usr/bin/Xorg", 0, "/dev/dri/card1", true},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        set_up(NVIDIAS);
        fake_write(&scene.kernel, "sys/devices/" INTEL "/sriov_drivers_autoprobe", "0\n");
        assert_int_equal(fake_enable(&scene.kernel, INTEL, 3), 0);
        declare_both("functions = \"all\"; sizes = \"mixed\";", "functions = 2;");
        put_nvidias_node();
        put_drm();
        put_process(rows[i].program, rows[i].user, rows[i].open);
        run("vgpuctl setup", rows[i].is_user ? COMMAND_BUSY : COMMAND_DONE,
            rows[i].is_user ? "by process 4711 (daemon)" : "done");
        tear_down(NULL);
    }
}

/* --- who may ---------------------------------------------------------------------------------- */

/* Becomes another user, and root again. If the test does not run as root, its own user loses the
 * right to write. */
static void
become_another(bool another)
{
    if (getuid() == 0)
        assert_int_equal(seteuid(another ? 65534 : 0), 0);
    else
        assert_int_equal(fchmodat(scene.kernel.host.root, "run", another ? 0555 : 0755, 0), 0);
    /* Such a change takes /proc/self away, which the simulated clock needs. */
    prctl(PR_SET_DUMPABLE, 1);
}

/* One line, however many cards there are, and nothing is changed. */
UNIT_TEST(another_user)
{
    static const char *const lines[] = {"vgpuctl setup", "vgpuctl setup --json",
                                        "vgpuctl setup --dry-run"};

    set_up(NVIDIAS);
    declare_both("functions = \"all\"; sizes = \"mixed\";", "functions = \"all\";");
    assert_int_equal(chmod(scene.kernel.path, 0755), 0);
    become_another(true);
    for (size_t i = 0; i < COUNT(lines); i++) {
        run(lines[i], COMMAND_FAILED, "Permission denied; run it as root\n");
        assert_ptr_equal(strchr(typed.faults, '\n') + 1, strchr(typed.faults, '\0'));
    }
    become_another(false);
    assert_string_equal(nvidia_tools->asked, "");
    assert_int_equal(fake_enabled(&scene.kernel, INTEL), 0);
    tear_down(NULL);
}
