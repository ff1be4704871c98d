/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl ready: the GPUs that it waits for at boot, and for how long. */

#include "cli/command.h"
#include "fake/typed.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MACHINE "gpu mtty rule pool 4\ntype mtty-2 \"Dual port serial\" uses 2\n"
#define BOTH                                                                                       \
    "boot_wait = \"100s\";\ngpus = ({ address = \"mtty\"; },\n { address = \"0000:18:00.0\"; });\n"
#define BUS  "sys/class/mdev_bus/mtty"
#define AWAY "sys/class/mtty"

#define FROM "/etc/libvirt-vgpu/vgpu.conf"
#define MISSING(gpus)                                                                              \
    "vgpuctl: ready: these GPUs offer no types yet: " gpus                                         \
    "; is the driver loaded, and are its virtual functions enabled?\n"

static struct scene scene;
static struct typed typed;

static void
begin(void)
{
    fake_set_uptime(20000);
}

static const struct typed_case here = {{.scene = &scene, .machine = MACHINE, .begin = begin},
                                       &typed};
#define TEST(function) TYPED_TEST(function, here)

static void
ready(const char *configuration, const char *options, int status, const char *faults)
{
    char line[64];

    scene_configure(&scene, configuration);
    snprintf(line, sizeof(line), "vgpuctl ready%s", options);
    assert_int_equal(typed_run(&scene, NULL, line, &typed), status);
    assert_string_equal(typed.faults, faults);
}

/* The driver comes and goes. */
static void
move(const char *from, const char *to)
{
    int root = scene.kernel.host.root;

    if (renameat(root, from, root, to) < 0)
        fail_msg("%s: %s", from, strerror(errno));
}

TEST(nothing_to_wait_for)
{
    ready("", "", COMMAND_DONE, "");
    ready("gpus = ({ address = \"mtty\"; });", "", COMMAND_DONE, "");
    ready("gpus = ({ address = \"0000:18:00.0\"; enabled = false; });", "", COMMAND_DONE, "");
    ready("enabled = false; gpus = ({ address = \"0000:18:00.0\"; });", "", COMMAND_DONE, "");
    assert_string_equal(typed.printed, "");
}

TEST(given_up_at_once)
{
    ready(BOTH, " --timeout 0", COMMAND_BUSY, MISSING("0000:18:00.0 (" FROM ":3)"));
    fake_set_uptime(100010);
    ready(BOTH, "", COMMAND_BUSY, MISSING("0000:18:00.0 (" FROM ":3)"));
    assert_string_equal(typed.printed, "");
    ready(BOTH, " --timeout soon", COMMAND_USAGE,
          "vgpuctl: ready: --timeout soon: not a number from 0 to 86400\n");
    ready("colour = 1;", "", COMMAND_FAILED,
          "vgpuctl: ready: /etc/libvirt-vgpu/vgpu.conf:1: unknown key \"colour\"; see "
          "vgpu.conf(5)\n");
}

TEST(it_comes)
{
    pid_t driver;

    move(BUS, AWAY);
    driver = fork();
    if (driver == 0) {
        fake_sleep(700);
        move(AWAY, BUS);
        _exit(0);
    }
    ready("boot_wait = \"100s\"; gpus = ({ address = \"mtty\"; });", "", COMMAND_DONE, "");
    assert_string_equal(typed.printed,
                        "waiting 80 s at most for mtty (/etc/libvirt-vgpu/vgpu.conf:1)\n");
    assert_int_equal(waitpid(driver, NULL, 0), driver);
}

TEST(it_does_not_come)
{
    move(BUS, AWAY);
    ready("gpus = ({ address = \"mtty\"; });", " --timeout 1", COMMAND_BUSY,
          MISSING("mtty (" FROM ":1)"));
    typed_assert_has(typed.printed, "waiting 1 s at most for mtty ");
    /* boot_wait is counted from boot. So only its rest is left. */
    fake_set_uptime(99400);
    ready(BOTH, "", COMMAND_BUSY, MISSING("mtty (" FROM ":2); 0000:18:00.0 (" FROM ":3)"));
    typed_assert_has(typed.printed, "waiting 1 s at most for mtty ");
}

/* The driver lists nothing yet for these virtual functions, even if it listed types earlier. A
 * partitioned GPU that is full counts as ready. */
TEST(functions)
{
    static const char configuration[] = "gpus = ({ address = \"0000:41:00.0\"; });";
    static const char missing[] = MISSING("0000:41:00.0 (" FROM ":1)");

    scene_stop(&scene);
    scene_start(&scene, "gpu 0000:41:00.0 vf vfs 4 rule size mig\n"
                        "type nvidia-689 \"NVIDIA A30-1-6C\" framebuffer 6144 instances 1\n");
    ready(configuration, " --timeout 0", COMMAND_DONE, "");
    assert_int_equal(typed_prepare(&scene, 1, "A30-1-6C", "0000:41:00.4"), 0);
    ready(configuration, " --timeout 0", COMMAND_DONE, "");
    assert_int_equal(fake_remove(&scene.kernel, "0000:41:00.4"), 0);
    fake_instances(&scene.kernel, "0000:41:00.0", "nvidia-689", 0);
    assert_true(host_exists(&scene.kernel.host, "run/libvirt-vgpu/types"));
    ready(configuration, " --timeout 0", COMMAND_BUSY, missing);
    fake_instances(&scene.kernel, "0000:41:00.0", "nvidia-689", 1);
    ready(configuration, " --timeout 0", COMMAND_DONE, "");
    for (unsigned i = 4; i < 8; i++) {
        char address[] = "0000:41:00.0";

        address[strlen(address) - 1] = (char)('0' + i);
        fake_bind(&scene.kernel, address, "vfio-pci");
    }
    ready(configuration, " --timeout 0", COMMAND_BUSY, missing);
}
