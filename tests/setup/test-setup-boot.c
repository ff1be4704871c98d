/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl setup while the host comes up: what comes late, and what holds libvirt up. */

#include "cli/command.h"
#include "prove/workbench.h"
#include "setup/cards.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static const struct typed_case here = {
    {.scene = &scene, .machine = NVIDIAS INTELS, .begin = install_tools}, &typed};
#define TEST(function) TYPED_TEST(function, here)

/* While the host comes up, a tool may fail because it ran too early. */
TEST(early)
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

#define BUS "sys/bus/pci/devices/"

static void
move(const char *from, const char *to)
{
    int root = scene.kernel.host.root;

    assert_int_equal(renameat(root, from, root, to), 0);
}

/* systemd's socket, which it reads. */
static int notices = -1;

static void
open_notices(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    notices = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "libvirt-vgpu-test-%d", getpid());
    assert_int_equal(bind(notices, (const struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                                      strlen(address.sun_path + 1))),
                     0);
    address.sun_path[0] = '@';
    setenv("NOTIFY_SOCKET", address.sun_path, true);
}

static void
close_notices(void)
{
    unsetenv("NOTIFY_SOCKET");
    close(notices);
}

static void
assert_told(bool is_told)
{
    char text[32] = "";

    assert_int_equal(recv(notices, text, sizeof(text) - 1, MSG_DONTWAIT), is_told ? 7 : -1);
    assert_string_equal(text, is_told ? "READY=1" : "");
}

static bool
is_told_within(int milliseconds)
{
    struct pollfd notice = {.fd = notices, .events = POLLIN};
    int rc;

    do {
        rc = poll(&notice, 1, milliseconds);
    } while (rc < 0 && errno == EINTR);
    return rc == 1;
}

static void
wait_for_notice(void)
{
    assert_true(is_told_within(60000));
    assert_told(true);
    fake_sleep(100000);
}

/* systemd is told once that the unit is up: at the end, or when boot_wait is over, although a tool
 * hangs. */
TEST(up_in_time)
{
    open_notices();
    nvidia_tools->fault = NVIDIA_HANGS;
    nvidia_tools->hanging = wait_for_notice;
    declare("functions = \"all\";");
    for (unsigned left = 0; left <= 50; left += 50) {
        fake_set_uptime(120000 - left); /* boot_wait is two minutes, if it is not said */
        nvidia_tools->changes = 0;
        nvidia_tools->fault_at = 1;
        run("vgpuctl setup " NVIDIA, 1, "did not end within 100 seconds");
        assert_told(false);
    }
    nvidia_tools->fault_at = 0;
    fake_set_uptime(1000);
    run("vgpuctl setup", 0, "done");
    assert_told(true);
    assert_told(false);
    fake_set_uptime(FAKE_UPTIME);
    setenv("NOTIFY_SOCKET", "/nonexistent/socket", true);
    run("vgpuctl setup", 0, "as declared");
    typed_assert_has(typed.faults, "systemd cannot be told at /nonexistent/socket that this unit");
    close_notices();
}

/* --- a card that somebody uses ---------------------------------------------------------------- */

#define START 10000 /* ms of uptime */

static struct seen {
    uint64_t told; /* when systemd was told; 0: not yet */
} * seen;

/* Notes when systemd is told. */
static pid_t
watch(void)
{
    struct pollfd notice = {.fd = notices, .events = POLLIN};
    pid_t pid = fork();

    if (pid == 0) {
        while (fake_clock_wait(NULL, &notice, 1, 3600000000000ull) <= 0)
            ;
        seen->told = fake_now();
        _exit(0);
    }
    return pid;
}

/* libvirt's status file of a guest that has a function. */
static void
run_guest(void)
{
    AUTO_FREE char *xml = typed_functions(9, "", "", (const char *const[]){"0000:3d:00.5", NULL});

    scene_put_status(&scene, 9, getpid(), xml);
}

static void
end_guest(void)
{
    (void)!unlinkat(scene.kernel.host.root, "run/libvirt/qemu/guest9.xml", 0);
}

/* Does something after so many seconds, in a process of its own. */
static pid_t
after(unsigned seconds, void (*happens)(void))
{
    pid_t pid = fork();

    if (pid == 0) {
        fake_sleep(seconds * 1000);
        happens();
        _exit(0);
    }
    return pid;
}

static void
intel_comes(void)
{
    int root = scene.kernel.host.root;

    (void)!renameat(root, BUS "later", root, BUS INTEL);
}

static void
nothing(void)
{
}

TEST(busy_at_boot)
{
    static const struct {
        unsigned ends; /* when the guest ends, in seconds; 0: not before boot_wait is over */
        unsigned intel;
        int status;
        unsigned told[2], done[2]; /* from when until when, in seconds */
    } rows[] = {
        {3, 0, 0, {3, 14}, {3, 14}},
        {40, 0, 0, {15, 15}, {40, 80}},
        {0, 0, COMMAND_BUSY, {15, 15}, {110, 110}},
        {0, 20, COMMAND_BUSY, {20, 40}, {110, 110}},
    };

    open_notices();
    seen = fake_clock_take_flags(sizeof(*seen));
    scene_configure(&scene, "gpus = (\n"
                            "{ address = \"" INTEL "\"; setup = { functions = 3; }; },\n"
                            "{ address = \"" NVIDIA "\"; setup = { sizes = \"mixed\"; }; } );");
    for (size_t i = 0; i < COUNT(rows); i++) {
        pid_t watcher, others[2];
        uint64_t done;

        nvidia_tools_boot(&scene.kernel);
        assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 4), 0);
        assert_int_equal(fake_enable(&scene.kernel, INTEL, 0), 0);
        if (rows[i].intel)
            move(BUS INTEL, BUS "later");
        run_guest();
        fake_set_uptime(START);
        watcher = watch();
        others[0] = after(rows[i].ends, rows[i].ends ? end_guest : nothing);
        others[1] = after(rows[i].intel, rows[i].intel ? intel_comes : nothing);
        run("vgpuctl setup", rows[i].status,
            rows[i].status ? NVIDIA " is in use: 0000:3d:00.5 by guest9" : "done");
        done = fake_now() - START;
        scene_assert_ends_well(watcher);
        scene_assert_ends_well(others[0]);
        scene_assert_ends_well(others[1]);
        end_guest();
        assert_int_equal(nvidia_tools->is_mixed, rows[i].status == 0);
        assert_int_equal(fake_enabled(&scene.kernel, INTEL), 3);
        assert_in_range(seen->told - START, rows[i].told[0] * 1000, rows[i].told[1] * 1000 + 100);
        assert_in_range(done, rows[i].done[0] * 1000, rows[i].done[1] * 1000 + 1000);
        assert_int_equal(strstr(typed.faults, "and libvirt does not wait for it") != NULL,
                         done > 15000);
        assert_told(true);
        assert_told(false);
    }
    fake_clock_return_flags(seen);
    close_notices();
    fake_set_uptime(FAKE_UPTIME);
}

static void
tool_answers(void)
{
    nvidia_tools->modes_status = 0;
}

/* Mixed sizes might be lost, and the tool does not tell: libvirt does not wait for that. */
TEST(unread_at_boot)
{
    pid_t watcher, other;

    open_notices();
    seen = fake_clock_take_flags(sizeof(*seen));
    declare("functions = \"all\";");
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 2), 0);
    nvidia_tools->modes_status = 9;
    fake_set_uptime(START);
    watcher = watch();
    other = after(40, tool_answers);
    run("vgpuctl setup", 0, "done");
    assert_in_range(fake_now() - START, 40000, 81000);
    scene_assert_ends_well(watcher);
    scene_assert_ends_well(other);
    assert_in_range(seen->told - START, 15000, 15100);
    typed_assert_has(typed.faults, "may take its sizes away");
    typed_assert_has(typed.faults, "and libvirt does not wait for it");
    assert_told(true);
    fake_clock_return_flags(seen);
    close_notices();
    fake_set_uptime(FAKE_UPTIME);
}

/* A person is told at once. */
TEST(busy_for_a_person)
{
    assert_int_equal(fake_enable(&scene.kernel, NVIDIA, 4), 0);
    run_guest();
    declare("sizes = \"mixed\";");
    fake_set_uptime(START);
    run("vgpuctl setup", COMMAND_BUSY, NVIDIA " is in use: 0000:3d:00.5 by guest9");
    assert_in_range(fake_now() - START, 0, 1000);
    end_guest();
    fake_set_uptime(FAKE_UPTIME);
}

/* Another vgpuctl has the card for a moment. */
TEST(taken_at_boot)
{
    AUTO(workbench_close) struct workbench bench = WORKBENCH_NONE;
    const struct snapshot none = {0};
    struct error error;
    struct name card;
    int is_taken[2];
    char byte;
    pid_t other;

    assert_int_equal(name_parse_pci(&card, NVIDIA), 0);
    assert_int_equal(pipe(is_taken), 0);
    declare("functions = \"all\";");
    fake_set_uptime(START);
    open_notices();
    other = fork();
    if (other == 0) {
        if (workbench_take_with_leases(&scene.kernel.host, &card, &none, &bench, &error) < 0 ||
            write(is_taken[1], "", 1) != 1)
            _exit(1);
        fake_sleep(5000);
        workbench_close(&bench);
        _exit(0);
    }
    assert_int_equal(read(is_taken[0], &byte, 1), 1);
    run("vgpuctl setup", 0, "done");
    scene_assert_ends_well(other);
    assert_int_equal(fake_enabled(&scene.kernel, NVIDIA), 4);
    close(is_taken[0]);
    close(is_taken[1]);
    close_notices();
    fake_set_uptime(FAKE_UPTIME);
}

/* A card of Intel's that comes late is set up while a tool of NVIDIA's hangs. */
static void
come_late(void)
{
    move(BUS "later", BUS INTEL);
    for (unsigned i = 0; i < 100 && fake_enabled(&scene.kernel, INTEL) == 0; i++)
        fake_sleep(1000);
    assert_int_equal(fake_enabled(&scene.kernel, INTEL), 3);
}

TEST(side_by_side)
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
