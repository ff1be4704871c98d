/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl setup while the host comes up: what comes late, and what holds libvirt up. */

#include "cli/command.h"
#include "fake/nvidia-tools.h"
#include "fake/typed.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#define NVIDIA "0000:3d:00.0"
#define INTEL  "0000:03:00.0"
#define HERE   "test:///default"

static struct scene scene;
static struct typed typed;

static void
begin(void)
{
    nvidia_tools_install(&scene.kernel, NVIDIA, 4);
    nvidia_tools_boot(&scene.kernel);
}

static const struct typed_case here = {
    {.scene = &scene,
     .machine = "gpu " NVIDIA " vf vfs 4 rule size\n"
                "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n"
                "gpu " INTEL " xe vfs 3 memory 24480\n",
     .begin = begin},
    &typed};

static void
run(const char *line, int status, const char *words)
{
    typed_expect(&scene, HERE, line, status, words, &typed);
}

static void
declare(const char *setup)
{
    AUTO_FREE char *text = NULL;

    assert_true(
        asprintf(&text, "gpus = ( { address = \"" NVIDIA "\"; setup = { %s }; } );", setup) > 0);
    scene_configure(&scene, text);
}

/* While the host comes up, a tool may fail because it ran too early. */
static void
early(void **state)
{
    uint64_t before;

    declare("functions = \"all\"; sizes = \"mixed\";");
    nvidia_tools->fault_at = 1;
    run("vgpuctl setup", 1, "sriov-manage -e " NVIDIA " failed");
    nvidia_tools->changes = 0;
    scene_configure(&scene, "boot_wait = \"60m\"; gpus = ( { address = \"" NVIDIA
                            "\"; setup = { functions = \"all\"; }; } );");
    fake_set_uptime(FAKE_UPTIME - 20000);
    run("vgpuctl setup", 0, "done");
    assert_int_equal(fake_enabled(&scene.kernel, NVIDIA), 4);
    /* A tool that is not installed does not come. */
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 0), 0);
    assert_int_equal(unlinkat(scene.kernel.host.root, "usr/lib/nvidia/sriov-manage", 0), 0);
    before = fake_now();
    run("vgpuctl setup", 1, "there is no /usr/lib/nvidia/sriov-manage: install NVIDIA's");
    assert_true(fake_now() - before < 2000);
}

/* Reads systemd's socket, as systemd does. Waits for a notice. */
static int notices = -1;

static void
wait_for_notice(void)
{
    struct pollfd notice = {.fd = notices, .events = POLLIN};
    char text[32] = "";
    int rc;

    do {
        rc = poll(&notice, 1, 60000);
    } while (rc < 0 && errno == EINTR);
    assert_int_equal(rc, 1);
    assert_int_equal(recv(notices, text, sizeof(text) - 1, MSG_DONTWAIT), 7);
    assert_string_equal(text, "READY=1");
    fake_sleep(100000);
}

/* systemd is told once that the unit is up: at the end, or when boot_wait is over, although a tool
 * hangs. */
static void
up_in_time(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char byte;

    notices = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "libvirt-vgpu-test-%d", getpid());
    assert_int_equal(bind(notices, (const struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                                      strlen(address.sun_path + 1))),
                     0);
    address.sun_path[0] = '@';
    setenv("NOTIFY_SOCKET", address.sun_path, true);
    nvidia_tools->fault = NVIDIA_HANGS;
    nvidia_tools->hanging = wait_for_notice;
    declare("functions = \"all\";");
    for (unsigned left = 0; left <= 50; left += 50) {
        fake_set_uptime(120000 - left); /* boot_wait is two minutes, if it is not said */
        nvidia_tools->changes = 0;
        nvidia_tools->fault_at = 1;
        run("vgpuctl setup " NVIDIA, 1, "did not end within 100 seconds");
        assert_int_equal(recv(notices, &byte, 1, MSG_DONTWAIT), -1);
    }
    nvidia_tools->fault_at = 0;
    fake_set_uptime(1000);
    run("vgpuctl setup", 0, "done");
    wait_for_notice();
    assert_int_equal(recv(notices, &byte, 1, MSG_DONTWAIT), -1);
    fake_set_uptime(FAKE_UPTIME);
    setenv("NOTIFY_SOCKET", "/nonexistent/socket", true);
    run("vgpuctl setup", 0, "as declared");
    typed_assert_has(typed.faults, "systemd cannot be told at /nonexistent/socket that this unit");
    unsetenv("NOTIFY_SOCKET");
    close(notices);
}

/* A card of Intel's that comes late is set up while a tool of NVIDIA's hangs. */
#define BUS "sys/bus/pci/devices/"

static void
move(const char *from, const char *to)
{
    int root = scene.kernel.host.root;

    assert_int_equal(renameat(root, from, root, to), 0);
}

static void
come_late(void)
{
    move(BUS "later", BUS INTEL);
    for (unsigned i = 0; i < 100 && fake_enabled(&scene.kernel, INTEL) == 0; i++)
        fake_sleep(1000);
    assert_int_equal(fake_enabled(&scene.kernel, INTEL), 3);
}

static void
side_by_side(void **state)
{
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 0), 0);
    scene_configure(&scene, "boot_wait = \"60m\"; gpus = (\n"
                            "{ address = \"" NVIDIA "\"; setup = { functions = 4; }; },\n"
                            "{ address = \"" INTEL "\"; setup = { functions = 3; }; } );");
    fake_set_uptime(FAKE_UPTIME - 20000);
    move(BUS INTEL, BUS "later");
    nvidia_tools->fault_at = 1;
    nvidia_tools->fault = NVIDIA_HANGS;
    nvidia_tools->hanging = come_late;
    run("vgpuctl setup", 0, "done");
    assert_int_equal(fake_enabled(&scene.kernel, NVIDIA), 4);
    fake_set_uptime(FAKE_UPTIME);
}

#define TEST(function) TYPED_TEST(function, here)

int
main(void)
{
    const struct CMUnitTest tests[] = {TEST(early), TEST(up_in_time), TEST(side_by_side)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
