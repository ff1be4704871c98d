/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An administrator enables and disables virtual functions, by NVIDIA's tool or by the kernel, but
 * not while somebody uses them. */

#include "fake/typed.h"
#include "prove/workbench.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define NVIDIA "0000:3d:00.0"
#define INTEL  "0000:03:00.0"
#define MACHINE                                                                                    \
    "gpu " NVIDIA " vf vfs 4 rule size\n"                                                          \
    "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n"                                 \
    "gpu " INTEL " xe vfs 3 memory 24480\n"                                                        \
    "pci 0000:41:00.0 driver ice\n"
#define INTEL_FIRST  "0000:03:00.4"
#define INTEL_SECOND "0000:03:00.5"
#define PROFILES     "profiles = { b60-8g = { vram = \"8G\"; }; };"
#define TOOL         "usr/lib/nvidia/sriov-manage"
#define HERE         "test:///default"
#define UNIT         "etc/systemd/system/multi-user.target.wants/libvirt-vgpu-sriov@"
#define TYPE         "L40S-8Q"
#define FIRST        "0000:3d:00.4"

static struct scene scene;
static struct typed typed;

/* NVIDIA's tool, as far as we use it: the arguments that it was given, and its work. */
static struct {
    char asked[256]; /* the arguments; "": it was not called */
    int answer;      /* the result of running it */
    bool is_idle;    /* the tool does nothing */
} tool;

static int
run_tool(const struct host *host, char *const argv[], int out, unsigned milliseconds)
{
    size_t at = strlen(tool.asked);

    assert_int_equal(out, -1);
    assert_true(milliseconds >= 60000);
    assert_null(argv[3]);
    snprintf(tool.asked + at, sizeof(tool.asked) - at, "%s%s %s %s", at ? "; " : "", argv[0],
             argv[1], argv[2]);
    if (tool.answer == 0 && !tool.is_idle)
        assert_int_equal(
            fake_enable((const struct fake_kernel *)host, argv[2], strcmp(argv[1], "-e") ? 0 : 4),
            0);
    return tool.answer;
}

static void
begin(void)
{
    memset(&tool, 0, sizeof(tool));
    scene.kernel.host.run = run_tool;
    fake_write(&scene.kernel, "run/systemd/system/any", "");
    fake_write(&scene.kernel, TOOL, "");
}

static const struct typed_case here = {{.scene = &scene, .machine = MACHINE, .begin = begin},
                                       &typed};
#define TEST(function) TYPED_TEST(function, here)

static void
run(const char *line, int status, const char *words)
{
    typed_expect(&scene, HERE, line, status, words, &typed);
}

/* Starts the machine anew, without functions. */
static void
start_off(void)
{
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 0), 0);
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 0), 0);
    scene.kernel.faults->writes = 0;
}

static unsigned
number(const char *gpu, const char *attribute)
{
    uint64_t ret;

    assert_int_equal(
        host_read_number(&scene.kernel.host, &ret, "sys/bus/pci/devices/%s/%s", gpu, attribute), 0);
    return (unsigned)ret;
}

/* Which GPUs have how many functions. A GPU whose functions are off is a GPU for the other
 * commands, too: they say what is wrong with it. */
TEST(who_has_how_many)
{
    static const char off[] = "the virtual functions of " NVIDIA " are off, so it offers no vGPUs: "
                              "'vgpuctl sriov enable " NVIDIA "' enables them";

    start_off();
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 2), 0);
    fake_write(&scene.kernel, UNIT NVIDIA ".service", "");
    typed_golden(&scene, HERE, "sriov/status", "vgpuctl sriov status");
    typed_golden(&scene, HERE, "sriov/status-json", "vgpuctl sriov status 3d:00.0 --json");
    run("vgpuctl sriov status 41:00.0", 1, "there is no GPU \"41:00.0\" here that can");
    run("vgpuctl sriov status --count 1", 2, "status takes no --count");
    run("vgpuctl sriov enable " NVIDIA " --raw", 2, "enable prints no table");
    run("vgpuctl sriov enable", 2, "enable which GPU? 'vgpuctl sriov status' lists them");
    run("vgpuctl status 3d:00.0", 1, off);
    run("vgpuctl types " NVIDIA, 1, off);
    run("vgpuctl drain " NVIDIA, 1, off);
    run("vgpuctl prove " NVIDIA, 1, off);
    run("vgpuctl status 41:00.0", 1, "no GPU on this host offers vGPUs; is its driver loaded?");
}

/* A kept vGPU lost its function, because somebody disabled the functions. */
TEST(a_kept_vgpu_without_functions)
{
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare_at(&scene, 1, FIRST, TYPE), 0);
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 0), 0);
    run("vgpuctl status", 0, "The virtual functions of " NVIDIA " are off; guest1 has a ");
}

TEST(nvidias)
{
    start_off();
    typed_golden(&scene, HERE, "sriov/enable", "vgpuctl sriov enable 3d:00.0");
    assert_string_equal(tool.asked, "/usr/lib/nvidia/sriov-manage -e " NVIDIA);
    assert_int_equal(number(NVIDIA, "sriov_drivers_autoprobe"), 1);
    typed_golden(&scene, HERE, "sriov/enabled-already", "vgpuctl sriov enable " NVIDIA);
    typed_golden(&scene, HERE, "sriov/enable-json", "vgpuctl sriov enable " NVIDIA " --json");
    fake_write(&scene.kernel, UNIT NVIDIA ".service", "");
    run("vgpuctl sriov enable 0000:3D:00.0", 0, NVIDIA " has 4 virtual functions already\n");
    assert_null(strstr(typed.printed, "boot"));
    assert_string_equal(tool.asked, "/usr/lib/nvidia/sriov-manage -e " NVIDIA);
    tool.asked[0] = '\0';
    typed_golden(&scene, HERE, "sriov/disable", "vgpuctl sriov disable 3d:00.0");
    assert_string_equal(tool.asked, "/usr/lib/nvidia/sriov-manage -d " NVIDIA);
    assert_int_equal(fake_enabled(&scene.kernel, NVIDIA), 0);
    run("vgpuctl sriov disable 3d:00.0", 0, NVIDIA " had no virtual functions\n");
    assert_string_equal(tool.asked, "/usr/lib/nvidia/sriov-manage -d " NVIDIA);
    /* If there is the tool, the command writes nothing itself. */
    assert_int_equal(scene.kernel.faults->writes, 0);
}

/* The tool may report anything. Only the functions that are there afterwards count. */
TEST(nvidias_tool_fails)
{
    static const struct {
        int answer;
        const char *golden;
    } rows[] = {
        {-ETIMEDOUT, "sriov/tool-hangs"},
        {1, "sriov/tool-fails"},
        {0, "sriov/tool-does-nothing"},
    };

    start_off();
    tool.is_idle = true;
    for (size_t i = 0; i < COUNT(rows); i++) {
        tool.answer = rows[i].answer;
        typed_golden(&scene, HERE, rows[i].golden, "vgpuctl sriov enable 3d:00.0");
    }
    run("vgpuctl sriov enable 3d:00.0 --count 2", 2, "takes no --count");
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 4), 0);
    run("vgpuctl sriov disable 3d:00.0", 1, NVIDIA " still has 4 virtual functions");
    tool.asked[0] = '\0';
    assert_int_equal(fchmodat(scene.kernel.host.root, TOOL, 0666, 0), 0);
    run("vgpuctl sriov disable 3d:00.0", 1, "/" TOOL ": others than root may write it");
    assert_int_equal(unlinkat(scene.kernel.host.root, TOOL, 0), 0);
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 0), 0);
    typed_golden(&scene, HERE, "sriov/no-tool", "vgpuctl sriov enable 3d:00.0");
    assert_string_equal(tool.asked, "");
    fake_write(&scene.kernel, TOOL, "");
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 4), 0);
    scene.kernel.host.run = NULL;
    run("vgpuctl sriov disable 3d:00.0", 1, "/usr/lib/nvidia/sriov-manage: ");
}

/* Without the tool, by the kernel: first the host's own driver is told not to take the
 * functions. */
TEST(others)
{
    struct name driver;

    start_off();
    run("vgpuctl sriov enable 03:00.0", 0, INTEL " has 3 virtual functions now\n");
    assert_int_equal(fake_enabled(&scene.kernel, INTEL), 3);
    assert_int_equal(number(INTEL, "sriov_drivers_autoprobe"), 0);
    assert_true(host_link(&scene.kernel.host, &driver, "sys/bus/pci/devices/0000:03:00.4/driver") <
                0);
    assert_int_equal(scene.kernel.faults->writes, 2);
    run("vgpuctl sriov enable 03:00.0", 0, "already");
    run("vgpuctl sriov enable 03:00.0 --count 3", 0, "already");
    assert_int_equal(scene.kernel.faults->writes, 2);
    run("vgpuctl sriov enable 03:00.0 --count 2", 1,
        INTEL " has 3 virtual functions, and the kernel changes that only to 0: 'vgpuctl sriov "
              "disable " INTEL "' first");
    run("vgpuctl sriov disable 03:00.0", 0, INTEL " has no virtual functions any more\n");
    run("vgpuctl sriov enable 03:00.0 --count 2", 0, INTEL " has 2 virtual functions now\n");
    assert_int_equal(fake_enabled(&scene.kernel, INTEL), 2);
    assert_string_equal(tool.asked, "");
}

/* Intel's driver shares its card's memory out among the functions. But a profile of vgpu.conf needs
 * its own amount. So enabling takes the shares back, except from functions that a guest or the
 * administrator uses. */
TEST(shares)
{
    static const struct {
        const char *configuration;
        uint64_t first, second; /* the memory of the first two functions, in GiB */
    } rows[] = {
        {PROFILES, 0, 0},
        {"", 4, 4},
        {"profiles = { quick = { exec_quantum = \"5ms\"; }; };", 4, 4},
        {"profiles = { quick = { exec_quantum = \"5ms\"; }; b60-8g = { vram = \"8G\"; }; };", 4, 4},
        {"profiles = { quick = { exec_quantum = \"5ms\"; }; b60-8g = { vram = \"8G\"; }; };"
         "gpus = ( { address = \"" INTEL "\"; types = [ \"b60-8g\" ]; } );",
         0, 0},
        {PROFILES "gpus = ( { address = \"" INTEL "\"; enabled = false; } );", 4, 4},
        {PROFILES "pools = { whole = { functions = [ \"" INTEL_FIRST "\" ]; }; };", 4, 0},
        {"profiles = ", 4, 4},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        start_off();
        scene_configure(&scene, rows[i].configuration);
        run("vgpuctl sriov enable 03:00.0", 0, INTEL " has 3 virtual functions now\n");
        assert_int_equal(*fake_profile(&scene.kernel, INTEL_FIRST), rows[i].first << 30);
        assert_int_equal(*fake_profile(&scene.kernel, INTEL_SECOND), rows[i].second << 30);
        assert_int_equal(strstr(typed.printed, "shared out") != NULL, rows[i].second == 0);
    }
    start_off();
    scene_configure(&scene, PROFILES);
    typed_golden(&scene, HERE, "sriov/shares", "vgpuctl sriov enable 03:00.0");
    /* Memory that an administrator gave a function earlier is never taken back. */
    start_off();
    *fake_profile(&scene.kernel, INTEL_SECOND) = 1ull << 30;
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 3), 0);
    run("vgpuctl sriov enable 03:00.0", 0, "already");
    assert_int_equal(*fake_profile(&scene.kernel, INTEL_FIRST), 0);
    assert_int_equal(*fake_profile(&scene.kernel, INTEL_SECOND), 1ull << 30);
}

/* The driver may refuse to take a share back, and by then a guest may have a function. */
TEST(shares_that_stay)
{
    start_off();
    scene_configure(&scene, PROFILES);
    scene.kernel.faults->fail_at = 3;
    scene.kernel.faults->fail_with = EIO;
    typed_golden(&scene, HERE, "sriov/share-stays", "vgpuctl sriov enable 03:00.0");
    assert_int_equal(fake_enabled(&scene.kernel, INTEL), 3);
    assert_int_equal(*fake_profile(&scene.kernel, INTEL_FIRST), 4ull << 30);
    assert_int_equal(*fake_profile(&scene.kernel, INTEL_SECOND), 0);
    scene.kernel.faults->fail_at = 0;
    assert_int_equal(typed_prepare(&scene, 1, "b60-8g", INTEL_FIRST), 0);
    assert_int_equal(*fake_profile(&scene.kernel, INTEL_FIRST), 8ull << 30);
    /* A guest may get the function before the command looks at it. Then the function keeps its
     * share. */
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 0), 0);
    run("vgpuctl sriov enable 03:00.0", 0, "shared out");
    assert_int_equal(*fake_profile(&scene.kernel, INTEL_FIRST), 4ull << 30);
    assert_int_equal(*fake_profile(&scene.kernel, INTEL_SECOND), 0);
}

/* A process takes a share back, and is killed. The next one goes on. While the process lives, the
 * function is left to it. */
TEST(shares_half_taken_back)
{
    static const char tag[] = "run/libvirt-vgpu/functions/" INTEL_FIRST ".former";
    int root;

    for (int lives = 1; lives >= 0; lives--) {
        start_off();
        scene_configure(&scene, PROFILES);
        root = scene.kernel.host.root;
        fake_write(&scene.kernel, "run/libvirt-vgpu/functions/0000:00:00.0", "");
        assert_int_equal(symlinkat("settling-4711", root, tag), 0);
        if (lives)
            fake_write(&scene.kernel, "proc/4711/comm", "vgpuctl\n");
        run("vgpuctl sriov enable 03:00.0", 0, "shared out");
        assert_int_equal(*fake_profile(&scene.kernel, INTEL_FIRST), lives ? 4ull << 30 : 0);
        assert_int_equal(*fake_profile(&scene.kernel, INTEL_SECOND), 0);
        assert_int_equal(host_exists(&scene.kernel.host, "%s", tag), lives);
        unlinkat(root, tag, 0);
        unlinkat(root, "proc/4711/comm", 0);
        unlinkat(root, "proc/4711", AT_REMOVEDIR);
    }
}

/* The n-th write fails. Then there are no functions, and the host's drivers take functions as
 * before. */
TEST(others_fail)
{
    for (unsigned n = 1; n <= 2; n++) {
        start_off();
        scene.kernel.faults->fail_at = n;
        scene.kernel.faults->fail_with = ENOENT;
        run("vgpuctl sriov enable 03:00.0", 1,
            n == 1 ? "sriov_drivers_autoprobe: " : INTEL ": its driver does not do that");
        assert_int_equal(fake_enabled(&scene.kernel, INTEL), 0);
        assert_int_equal(number(INTEL, "sriov_drivers_autoprobe"), 1);
    }
    scene.kernel.faults->fail_at = 0;
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 3), 0);
    scene.kernel.faults->fail_at = scene.kernel.faults->writes + 1;
    scene.kernel.faults->fail_with = EBUSY;
    run("vgpuctl sriov disable 03:00.0", 4, "disabling the virtual functions of " INTEL);
    assert_int_equal(fake_enabled(&scene.kernel, INTEL), 3);
}

/* A process that we may not look at may have a function open that is bound to VFIO. */
TEST(may_be_in_use)
{
    scene_forbid_list(&scene, "proc/1/fd");
    fake_bind(&scene.kernel, FIRST, "vfio-pci");
    run("vgpuctl sriov disable 3d:00.0", 4,
        FIRST " by a process, perhaps, as not all can be looked at");
}

/* A function is in use by a lease, by a guest that does not ask us for a vGPU, or by a process. A
 * kept function does not count as used. */
TEST(in_use)
{
    AUTO_FREE char *foreign =
        typed_functions(9, "", "", (const char *const[]){"0000:3d:00.5", NULL});
    AUTO_FREE char *kept = NULL;
    struct fake_guest guest;
    pid_t qemu;

    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(typed_prepare(&scene, 1, TYPE, FIRST), 0);
    assert_int_equal(typed_prepare(&scene, 2, TYPE, "0000:3d:00.6"), 0);
    kept = typed_functions(2, "", TYPE, (const char *const[]){"0000:3d:00.6", NULL});
    assert_int_equal(scene_hook(&scene, kept, "release", "end"), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    scene_put_status(&scene, 9, getpid(), foreign);
    assert_int_equal(fake_make(&scene.kernel, "0000:3d:00.7", "nvidia-1152", "0000:3d:00.7"), 0);
    guest = fake_open(&scene.kernel, "0000:3d:00.7");
    qemu = fake_hand_over(&guest);
    run("vgpuctl sriov disable 3d:00.0", 4,
        NVIDIA " is in use: " FIRST " by guest1 (held), "
               "0000:3d:00.5 by guest9, 0000:3d:00.7 by process ");
    typed_assert_has(typed.faults, "); shut these guests down or migrate them; 'vgpuctl "
                                   "drain " NVIDIA "' keeps others away");
    assert_null(strstr(typed.faults, "0000:3d:00.6"));
    assert_string_equal(tool.asked, "");
    fake_end(qemu);
    assert_int_equal(unlinkat(scene.kernel.host.root, "run/libvirt/qemu/guest9.xml", 0), 0);
    run("vgpuctl sriov enable 3d:00.0", 0, "already");
    /* One user is enough for a refusal. */
    run("vgpuctl sriov disable 3d:00.0", 4, NVIDIA " is in use: " FIRST " by guest1 (held); shut");
    /* Guests of another card do not count. */
    run("vgpuctl sriov disable 03:00.0", 0, INTEL " has no virtual functions any more\n");
}

/* If there are many users, not all are named. */
TEST(many_users)
{
    scene_stop(&scene);
    scene_start(&scene, "gpu " NVIDIA " vf vfs 16 rule size\n"
                        "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 16\n");
    scene.kernel.host.run = run_tool;
    for (unsigned i = 0; i < 11; i++)
        assert_int_equal(typed_prepare(&scene, i + 1, TYPE, scene_function(NVIDIA, i)), 0);
    typed_golden(&scene, HERE, "sriov/in-use", "vgpuctl sriov disable 3d:00.0");
    assert_string_equal(tool.asked, "");
}

static const struct host_ops *kernel_ops;
static unsigned looks;

/* Each look at all processes begins with their list. */
static int
count_looks(const struct host *host, const char *path, struct words *ret)
{
    looks += !strcmp(path, "proc");
    return kernel_ops->list(host, path, ret);
}

/* One look is enough for all functions of a card, whether or not somebody is found. */
TEST(one_look)
{
    struct host_ops ops;
    struct fake_guest guest;
    pid_t qemu;

    scene_stop(&scene);
    scene_start(&scene, "gpu " NVIDIA " vf vfs 64 rule size\n"
                        "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 16\n");
    scene.kernel.host.run = run_tool;
    fake_write(&scene.kernel, TOOL, "");
    kernel_ops = scene.kernel.host.ops;
    ops = *kernel_ops;
    ops.list = count_looks;
    scene.kernel.host.ops = &ops;
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-1152", FIRST), 0);
    guest = fake_open(&scene.kernel, FIRST);
    qemu = fake_hand_over(&guest);
    looks = 0;
    run("vgpuctl sriov disable 3d:00.0", 4, NVIDIA " is in use: " FIRST " by process ");
    assert_int_equal(looks, 1);
    fake_end(qemu);
    assert_int_equal(fake_remove(&scene.kernel, FIRST), 0);
    looks = 0;
    run("vgpuctl sriov disable 3d:00.0", 0, "has no virtual functions any more");
    /* Once before the card is taken, and once when nobody else can get it any more. */
    assert_int_equal(looks, 2);
    scene.kernel.host.ops = kernel_ops;
}

/* A program has a function of Intel's open by a node of DRM's. */
TEST(drawn_on)
{
    int node;

    fake_put_device(&scene.kernel, "dev/dri/renderD129",
                    "sys/devices/" INTEL_FIRST "/drm/renderD129");
    node = openat(scene.kernel.host.root, "dev/dri/renderD129", O_RDWR | O_CLOEXEC);
    assert_true(node >= 0);
    run("vgpuctl sriov disable 03:00.0", 4, INTEL " is in use: " INTEL_FIRST " by process ");
    close(node);
    run("vgpuctl sriov disable 03:00.0", 0, INTEL " has no virtual functions any more\n");
}

/* A device that is no GPU is not touched, unless vgpu.conf calls it a GPU. */
TEST(which_card)
{
    start_off();
    fake_write(&scene.kernel, "sys/devices/0000:41:00.0/sriov_totalvfs", "8\n");
    fake_write(&scene.kernel, "sys/devices/0000:41:00.0/sriov_numvfs", "0\n");
    fake_write(&scene.kernel, "sys/devices/0000:41:00.0/class", "0x020000\n");
    typed_golden(&scene, HERE, "sriov/no-gpu", "vgpuctl sriov enable 41:00.0");
    typed_golden(&scene, HERE, "sriov/unknown", "vgpuctl sriov enable 0000:42:00.0");
    run("vgpuctl sriov enable ../../" NVIDIA, 1, "there is no GPU \"../../");
    scene_configure(&scene, "gpus = ({ address = \"0000:41:00.0\"; });");
    run("vgpuctl sriov enable 41:00.0", 1, "enabling 8 virtual functions of 0000:41:00.0: ");
    fake_write(&scene.kernel, "sys/devices/0000:41:00.0/sriov_totalvfs", "0\n");
    run("vgpuctl sriov enable 41:00.0", 1, "its sriov_totalvfs is 0");
}

/* A host with a broken configuration or ledger enables its functions at boot. There disabling is
 * refused. */
TEST(broken_files)
{
    static const struct {
        const char *file, *text, *why;
    } rows[] = {{"etc/libvirt-vgpu/vgpu.conf", "placement = ", "vgpu.conf:1: "},
                {"run/libvirt-vgpu/ledger", "rubbish\n", "/run/libvirt-vgpu/ledger"}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        start_off();
        scene_configure(&scene, "");
        fake_write(&scene.kernel, rows[i].file, rows[i].text);
        run("vgpuctl sriov enable 3d:00.0", 0, "has 4 virtual functions now");
        run("vgpuctl sriov disable 3d:00.0", 1, rows[i].why);
        assert_int_equal(fake_enabled(&scene.kernel, NVIDIA), 4);
    }
}

/* Two calls that change one card would disturb each other. */
TEST(taken_by_another)
{
    AUTO(workbench_close) struct workbench bench = WORKBENCH_NONE;
    const struct snapshot none = {0};
    struct error error;
    struct name card;

    start_off();
    assert_int_equal(name_parse_pci(&card, NVIDIA), 0);
    assert_int_equal(workbench_take_with_leases(&scene.kernel.host, &card, &none, &bench, &error),
                     0);
    run("vgpuctl sriov enable 3d:00.0", 4, "is being proved or set up by another vgpuctl");
    assert_int_equal(fake_enabled(&scene.kernel, NVIDIA), 0);
}

TEST(wrong_words)
{
    static const char *const lines[][2] = {
        {"vgpuctl sriov", "its status|enable|disable is missing; usage: vgpuctl sriov "
                          "status|enable|disable [GPU]"},
        {"vgpuctl sriov enable", "enable which GPU? 'vgpuctl sriov status' lists them"},
        {"vgpuctl sriov start 3d:00.0", "status, enable or disable, please, not \"start\""},
        {"vgpuctl sriov disable 3d:00.0 --count 2", "disable takes no --count: all go"},
        {"vgpuctl sriov enable 03:00.0 --count 0", "--count 0: not a number from 1 to 65535"},
        {"vgpuctl sriov enable 03:00.0 --count 4", INTEL " can have 3 virtual functions, not 4"},
        {"vgpuctl sriov enable 03:00.0 --root /", "it takes no --root"},
    };

    for (size_t i = 0; i < COUNT(lines); i++)
        run(lines[i][0], 2, lines[i][1]);
    assert_int_equal(scene.kernel.faults->writes, 0);
}
