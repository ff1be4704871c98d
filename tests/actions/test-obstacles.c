/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Obstacles for a start: a driver that refuses, is late or lies; a device that is still in use;
 * another hook. */

#include "fake/scene.h"
#include "lease/marks.h"
#include "lease/statedir.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = SCENE_T4_AND_MTTY};
#define TEST(name) SCENE_TEST(name, here)

static const char class_conf[] = "classes = { small = { types = [ \"T4-2Q\", \"mtty-2\" ]; }; };";

TEST(refused_create_goes_elsewhere_or_says_so)
{
    const char *device = "<vgpu:device class=\"small\"/>";
    AUTO_FREE char *xml = scene_xml(1, device, (const unsigned[]){1, 0});

    scene_configure(&scene, class_conf);
    scene.kernel.faults->refuse = 1;
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-2");
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    scene.kernel.faults->refuse = 2;
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(
        &scene,
        "0000:18:00.0 refused it (Input/output error), mtty refused it (Input/output error)");
    scene_assert_empty(&scene);
}

/* For every n: the n-th write fails, and afterwards all is as before. */
TEST(any_failing_write_is_undone)
{
    const char *devices = "<vgpu:device alias=\"ua-gpu1\" type=\"T4-1B\"/>"
                          "<vgpu:device alias=\"ua-gpu2\" type=\"T4-1B\"/>"
                          "<vgpu:device alias=\"ua-gpu3\" type=\"mtty-1\"/>";
    AUTO_FREE char *xml = scene_xml(1, devices, (const unsigned[]){1, 2, 3, 0});
    static const int errors[] = {EIO, ENOSPC, EUSERS, ENODEV, ENOENT, EAGAIN, EBUSY, ENOMEM};

    scene_configure(&scene, "release_timeout = \"1s\";");
    for (size_t e = 0; e < sizeof(errors) / sizeof(*errors); e++) {
        for (unsigned n = 1; n <= 3; n++) {
            scene.kernel.faults->writes = 0;
            scene.kernel.faults->fail_at = n;
            scene.kernel.faults->fail_with = errors[e];
            assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
            scene_assert_said(&scene, strerror(errors[e]));
            scene_assert_empty(&scene);
        }
        /* The three creates succeed, and the n-th remove fails. A later call removes the rest. */
        for (unsigned n = 1; n <= 3; n++) {
            scene.kernel.faults->writes = 0;
            scene.kernel.faults->fail_at = 0;
            assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
            scene.kernel.faults->fail_at = 3 + n;
            assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
            scene.kernel.faults->fail_at = 0;
            assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
            scene_assert_empty(&scene);
        }
    }
}

/* The driver registers after libvirt has started its guests. A start waits for it, but only if the
 * configuration names the GPU, and only until a fixed time after boot. */
TEST(a_gpu_that_comes_up_late)
{
    static const char late[] = "boot_wait = \"100s\"; prepare_timeout = \"200ms\";\n"
                               "gpus = ({ address = \"mtty\"; }, { address = \"nothing\"; });\n";
    pid_t hook;

    scene_configure(&scene, late);
    /* The host has been up for longer than this time, or no named GPU is missing. Then a start is
     * refused at once. */
    fake_set_uptime(100010);
    assert_int_equal(scene_prepare(&scene, 1, 1, "no-such"), 1);
    fake_set_uptime(99000);
    scene_configure(&scene, "boot_wait = \"100s\"; gpus = ({ address = \"mtty\"; });");
    assert_int_equal(scene_prepare(&scene, 1, 1, "no-such"), 1);
    scene_assert_said(&scene, "no-such, which no GPU here has");
    /* A named GPU is missing. It appears half a second later. */
    scene_configure(&scene, late);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(7)), 0);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(8)), 0);
    hook = fork();
    if (hook == 0)
        _exit(scene_prepare(&scene, 1, 1, "mtty-2"));
    fake_sleep(700);
    assert_int_equal(waitpid(hook, NULL, WNOHANG), 0);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(7)), 0);
    scene_assert_ends_well(hook);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-2");
    /* The GPU does not come, and the wait ends. */
    fake_set_uptime(99900);
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 1);
    assert_in_range(fake_now(), 100000, 101000);
}

/* libvirt's daemon was restarted while a hook waited (systemd lets hooks run on). The new daemon
 * has started the same guest before the GPU appears. Then the old hook changes nothing. */
TEST(a_hook_whose_daemon_is_gone)
{
    struct fake_guest qemu;
    int ends[2], status;
    pid_t daemon;

    scene_configure(&scene, "boot_wait = \"100s\"; release_timeout = \"100ms\";\n"
                            "gpus = ({ address = \"mtty\"; }, { address = \"nothing\"; });\n");
    fake_set_uptime(99000);
    scene.kernel.faults->refuse = 1;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    daemon = fork();
    if (daemon == 0) {
        if (fork() == 0)
            _exit(scene_prepare(&scene, 1, 1, "mtty-2"));
        fake_sleep(300);
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(waitpid(daemon, &status, 0), daemon);
    assert_int_equal(scene.kernel.faults->refuse, 0);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    qemu = fake_open(&scene.kernel, scene_device(1));
    /* Waits until the old hook has ended. */
    assert_int_equal(read(ends[0], &status, 1), 0);
    close(ends[0]);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-2");
    fake_close(&qemu);
}

TEST(busy_at_release_is_left_and_taken_back)
{
    struct fake_guest stray;

    scene_configure(&scene, "release_timeout = \"200ms\"; prepare_timeout = \"2s\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    assert_int_equal(scene.kernel.faults->writes, 1);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    scene_assert_said(&scene, "in use");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    fake_close(&stray);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    assert_int_equal(scene.kernel.faults->writes, 2);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    scene_assert_empty(&scene);
}

/* A leftover of another guest is removed to make room when there is no other room. */
TEST(recovery_of_others_make_room)
{
    struct fake_guest stray;

    scene_configure(&scene, "release_timeout = \"50ms\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-2"), 1);
    scene_assert_said(&scene, "in use");
    fake_close(&stray);
    scene_configure(&scene, "");
    assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-2"), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "");
    assert_int_equal(scene_leases(&scene, ""), 2);
}

/* libvirt called the release of this guest, and the release did not finish. Only a mark says that
 * the guest has ended. A claim of the lease removes the mark. So the lease must not become held
 * again. Otherwise nobody would give it back while the daemon lives. */
TEST(what_was_released_is_to_go)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct fake_guest stray;
    struct name domain;
    struct error error;

    scene_configure(&scene, "release_timeout = \"50ms\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(statedir_peek(&scene.kernel.host, &ledger, &error), 0);
    domain = ledger.leases[0].domain;
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    assert_int_equal(marks_leave(&scene.kernel.host, MARK_RELEASED, &domain,
                                 statedir_number_above(&scene.kernel.host, &ledger), &error),
                     0);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-2"), 1);
    scene_assert_said(&scene, "in use");
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    fake_close(&stray);
    scene_reconcile(&scene);
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_leases(&scene, ""), 1);
}

/* A start could not remove another guest's vGPU. Then the vGPU belongs to its owner again, even
 * while the start still waits. */
TEST(what_was_in_the_way_is_let_go)
{
    struct fake_guest stray;
    int status;
    pid_t hook;

    scene_configure(&scene,
                    "boot_wait = \"100s\"; prepare_timeout = \"2s\"; release_timeout = \"50ms\";\n"
                    "gpus = ({ address = \"mtty\"; }, { address = \"nothing\"; });\n");
    fake_set_uptime(90000);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    hook = fork();
    if (hook == 0) {
        close(stray.group);
        close(stray.device);
        _exit(scene_prepare(&scene, 3, 3, "mtty-2"));
    }
    fake_sleep(700);
    fake_close(&stray);
    if (scene_prepare(&scene, 1, 1, "mtty-2") != 0)
        fail_msg("%s", scene.said);
    assert_true(fake_now() < 92000);
    assert_int_equal(waitpid(hook, &status, 0), hook);
    assert_true(fake_now() >= 100000);
    assert_int_not_equal(status, 0);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    assert_int_equal(scene_leases(&scene, ""), 2);
}

/* The driver does not answer a create. Prepare gives up, and nobody touches the device until the
 * create has ended. */
TEST(stuck_create_is_left_to_its_writer)
{
    scene_configure(&scene, "prepare_timeout = \"50ms\"; release_timeout = \"50ms\";");
    scene.kernel.faults->stuck = true;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    scene_assert_said(&scene, "has not made the vGPU");
    scene_assert_said(&scene, " ms; see the kernel's log, it may be stuck; all of prepare_timeout");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    scene_assert_said(&scene, "00000001 (mtty-2, leaving) on mtty is still being worked on");
    scene.kernel.faults->stuck = false;
    scene_configure(&scene, "");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
}

/* The device is not in /sys yet, but it will appear. So its lease must stay until then. */
TEST(stuck_create_that_shows_nothing)
{
    scene_configure(&scene, "prepare_timeout = \"50ms\"; release_timeout = \"50ms\";");
    scene.kernel.faults->unseen = true;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    assert_int_equal(fake_count(&scene.kernel), 0);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    scene.kernel.faults->unseen = false;
    while (!*fake_type_of(&scene.kernel, scene_device(1)))
        fake_sleep(1);
    scene_configure(&scene, "");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
}

TEST(changed_request_replaces_what_is_left)
{
    struct fake_guest stray;

    scene_configure(&scene, "release_timeout = \"50ms\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    fake_close(&stray);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-1"), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-1");
    assert_int_equal(scene_leases(&scene, ""), 1);
    assert_int_equal(scene_prepare(&scene, 1, 5, "mtty-1"), 0);
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_leases(&scene, ""), 1);
}

/* A process has the guest's old vGPU open, and another start would not change that. So the refusal
 * names the process. */
TEST(an_own_device_of_another_type_is_in_use)
{
    struct fake_guest stray;

    scene_configure(&scene, "release_timeout = \"50ms\"; prepare_timeout = \"200ms\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-1"), 1);
    scene_assert_said(&scene, "in use by process");
    assert_null(strstr(scene.said, "start the guest again"));
    fake_close(&stray);
}

static int
write_nothing(const struct host *host, const char *path, const char *text)
{
    return 0;
}

/* The driver accepts every write, but does nothing. */
TEST(a_driver_that_lies)
{
    static struct host_ops ops;

    ops = *scene.kernel.host.ops;
    ops.write = write_nothing;
    scene.kernel.host.ops = &ops;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    scene_assert_said(&scene, "No such device");
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* A UUID may stay taken for a moment after its device is gone. The hook waits for this, for a
 * limited time. The time starts when the hook sees the taken UUID. Earlier waits of the start do
 * not count. */
TEST(a_uuid_that_is_not_quite_gone)
{
    AUTO_FREE char *xml = scene_xml(1,
                                    "<vgpu:device alias=\"ua-gpu1\" type=\"mtty-2\"/>"
                                    "<vgpu:device alias=\"ua-gpu2\" type=\"mtty-2\"/>",
                                    (const unsigned[]){1, 2, 0});
    struct fake_faults *faults = scene.kernel.faults;

    faults->create_delay = 4000;
    faults->fail_at = faults->writes + 2;
    faults->fail_with = EEXIST;
    if (scene_hook(&scene, xml, "prepare", "begin") != 0)
        fail_msg("%s", scene.said);
    assert_int_equal(scene_leases(&scene, "held"), 2);
}

/* A parent disappears, and attributes cannot be read. The other parents still work. */
TEST(sick_parents_are_passed_over)
{
    fake_vanish(&scene.kernel, "0000:18:00.0");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene.kernel.faults->unreadable = 1;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    scene_assert_said(&scene, "mtty does not tell its room (Input/output error)");
    scene_assert_empty(&scene);
}
