/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A release is never forgotten, though libvirt calls it only once. If the release cannot do its
 * work, the next process does it, even while the daemon lives. */

#include "actions/reconcile.h"
#include "actions/release.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATE "run/libvirt-vgpu"

/* A machine with one place. */
static struct scene scene;
static const struct scene_case here = {.scene = &scene,
                                       .machine = "gpu mtty rule pool 2\n"
                                                  "type mtty-2 \"Dual port serial\" uses 2\n"};
#define TEST(function) SCENE_TEST(function, here)

static int
root(void)
{
    return scene.kernel.host.root;
}

static size_t
marks_in(const char *directory)
{
    AUTO(names_clear) struct names names = {0};

    return host_list(&scene.kernel.host, &names, STATE "/%s", directory) < 0 ? 0 : names.count;
}

static size_t
marks(void)
{
    return marks_in("released");
}

/* Somebody has the ledger's lock as long as the descriptor is open. */
static int
hold_lock(void)
{
    int fd = openat(root(), STATE "/lock", O_RDWR | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    return fd;
}

static void
assert_reconciled(enum outcome outcome, const char *why)
{
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};
    struct error error = {0};

    assert_int_equal(reconcile_host(&scene.kernel.host, &outcomes, &error), 0);
    assert_int_equal(outcomes.count, 1);
    assert_non_null(strstr(outcomes.items[0].why.text, why));
    assert_int_equal(outcomes.items[0].outcome, outcome);
}

static void
assert_given_back(void)
{
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(marks(), 1);
    assert_reconciled(OUTCOME_REMOVED, "has ended");
    assert_int_equal(marks(), 0);
    scene_assert_empty(&scene);
}

TEST(one_that_succeeds_leaves_no_mark)
{
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_release(&scene, 2, 1), 0);
    assert_int_equal(marks(), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(marks(), 0);
    scene_assert_empty(&scene);
}

/* The driver is slow. The place is not free before the vGPU is gone. */
TEST(one_waits_until_nothing_is_left)
{
    uint64_t began;

    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    scene.kernel.faults->remove_delay = 200;
    began = fake_now();
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_true(fake_now() >= began + 200);
    scene_assert_empty(&scene);
}

/* The error of a release is about this release, though its caller's may have a text already. */
TEST(one_says_only_what_it_met)
{
    const struct host *host = &scene.kernel.host;
    struct name domain, device;
    char name[] = "guest1";
    struct request request = {.name = name};
    struct error error;

    assert_int_equal(name_parse_uuid(&domain, "aaaaaaaa-0000-4000-8000-000000000001"), 0);
    assert_int_equal(name_parse_uuid(&device, scene_device(1)), 0);
    request.domain = domain;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    scene.kernel.faults->fail_with = EIO;
    for (int i = 0; i < 3; i++) {
        scene.kernel.faults->fail_at = scene.kernel.faults->writes + 1;
        error_refuse(&error, ERROR_DENIED, "what failed before");
        assert_int_equal(i % 2 ? release_domain(host, &request, "-", &error)
                               : release_device(host, &domain, &device, &error),
                         -EIO);
        assert_non_null(strstr(error.text, scene_device(1)));
        assert_null(strstr(error.text, "before"));
        assert_int_equal(error.class, ERROR_FAILED);
    }
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
}

TEST(one_that_cannot_read_the_ledger_says_so)
{
    char name[] = "guest1";
    struct request request = {.name = name};
    struct error error;

    assert_int_equal(name_parse_uuid(&request.domain, "aaaaaaaa-0000-4000-8000-000000000001"), 0);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    fake_write(&scene.kernel, STATE "/ledger", "rubbish\n");
    assert_true(release_domain(&scene.kernel.host, &request, "-", &error) < 0);
    assert_non_null(strstr(error.text, "/" STATE "/ledger"));
    assert_int_equal(marks(), 1);
}

/* Somebody else ordered the removal earlier, and the kernel has not finished it. */
static struct host_ops ops;
static int (*write_to_kernel)(const struct host *host, const char *path, const char *text);

static int
another_removes(const struct host *host, const char *path, const char *text)
{
    if (!strstr(path, "/remove"))
        return write_to_kernel(host, path, text);
    if (fork() == 0)
        _exit(write_to_kernel(host, path, text) != 0);
    while (host_exists(host, "sys/bus/mdev/devices/%s/mdev_type", scene_device(1)))
        fake_sleep(1);
    return -ENODEV;
}

TEST(one_waits_for_another_removal)
{
    uint64_t began;

    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    ops = *scene.kernel.host.ops;
    write_to_kernel = ops.write;
    ops.write = another_removes;
    scene.kernel.host.ops = &ops;
    scene.kernel.faults->remove_delay = 200;
    began = fake_now();
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_true(fake_now() >= began + 200);
    scene_assert_empty(&scene);
}

/* reconcile finishes the first release. A guest that needs the place finishes the second. */
TEST(one_that_gets_no_lock_is_made_up_for)
{
    scene_configure(&scene, "lock_timeout = \"50ms\";");
    for (int i = 0; i < 2; i++) {
        int fd;

        assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
        fd = hold_lock();
        assert_int_equal(scene_release(&scene, 1, 1), 0);
        close(fd);
        if (i == 0)
            assert_given_back();
    }
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    assert_int_equal(scene_leases(&scene, ""), 1);
    assert_int_equal(marks(), 0);
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    scene_assert_empty(&scene);
}

/* /run is full: no content can be written to it. A link, which has no content, can still be
 * made. */
TEST(one_that_cannot_write_is_made_up_for)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(mkdirat(root(), STATE "/ledger.new", 0755), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(unlinkat(root(), STATE "/ledger.new", AT_REMOVEDIR), 0);
    assert_given_back();
}

/* Changes the digit of the version in the ledger's title. */
static void
write_version(char version)
{
    AUTO_CLOSE int fd = openat(root(), STATE "/ledger", O_WRONLY | O_CLOEXEC);

    assert_int_equal(pwrite(fd, &version, 1, strlen("libvirt-vgpu-ledger ")), 1);
}

/* After a downgrade: a file of a newer program stays as it is, until the newer program is back. */
TEST(one_that_finds_a_newer_ledger_is_made_up_for)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    write_version('2');
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 1);
    scene_assert_said(&scene, "/run/libvirt-vgpu/ledger: line 1: version 2, this program knows "
                              "only 1; install the libvirt-vgpu that wrote it, or else ");
    fake_sleep(1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    write_version('1');
    assert_given_back();
}

/* The release has no free descriptor, then one, then two, and so on. */
TEST(one_without_descriptors_is_made_up_for)
{
    for (unsigned free_ones = 0; free_ones < 12; free_ones++) {
        struct rlimit before, limit;
        int lowest, status;
        pid_t pid;

        assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
        /* If the ledger cannot be read, the number of the mark is a time. */
        fake_sleep(1);
        pid = fork();
        if (pid == 0) {
            char name[] = "guest1";
            struct request request = {.name = name};
            struct error error;

            lowest = dup(0);
            close(lowest);
            getrlimit(RLIMIT_NOFILE, &before);
            limit = (struct rlimit){(rlim_t)lowest + free_ones, before.rlim_max};
            setrlimit(RLIMIT_NOFILE, &limit);
            _exit(name_parse_uuid(&request.domain, "aaaaaaaa-0000-4000-8000-000000000001") < 0 ||
                  release_domain(&scene.kernel.host, &request, "-", &error) < 0);
        }
        /* The fake kernel itself needs some descriptors, and aborts without them. This counts as a
         * killed release. */
        assert_int_equal(waitpid(pid, &status, 0), pid);
        scene_reconcile(&scene);
        scene_assert_empty(&scene);
        assert_int_equal(marks(), 0);
    }
}

/* The release waits for the lock. */
TEST(one_that_is_killed_is_made_up_for)
{
    int status;
    pid_t pid;

    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    pid = fork();
    if (pid == 0) {
        int fd = hold_lock();

        /* Its own lock keeps the release waiting. */
        (void)fd;
        _exit(scene_release(&scene, 1, 1));
    }
    while (marks() == 0) {
        assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
        fake_sleep(1);
    }
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_given_back();
}

/* --- releases that never came ----------------------------------------------------------------- */

/* Writes libvirt's status file of a running guest. libvirt also says that the guest runs. */
static void
run(unsigned guest, unsigned device)
{
    AUTO_FREE char *xml = scene_xml(guest, "", (const unsigned[]){device, 0});

    scene_put_status(&scene, guest, getpid(), xml);
    assert_int_equal(scene_hook(&scene, xml, "started", "begin"), 0);
}

static void
end(unsigned guest)
{
    char path[64];

    snprintf(path, sizeof(path), "run/libvirt/qemu/guest%u.xml", guest);
    assert_int_equal(unlinkat(root(), path, 0), 0);
}

/* The release was killed before it left its mark, or the hook was not installed at that moment. */
TEST(one_that_never_came_is_made_up_for)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    run(1, 1);
    assert_int_equal(marks_in("ran"), 1);
    assert_reconciled(OUTCOME_LEFT, "its guest runs");
    end(1);
    assert_reconciled(OUTCOME_REMOVED, "has ended");
    assert_int_equal(marks_in("ran"), 0);
    /* A guest that needs the place does not wait for this release either. */
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    run(1, 1);
    end(1);
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    assert_int_equal(scene_leases(&scene, ""), 1);
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    assert_int_equal(marks_in("ran"), 0);
    scene_assert_empty(&scene);
}

/* Other hooks may sleep for an hour between prepare and `started`. An earlier run, whose vGPU was
 * kept, says nothing about this run. */
TEST(one_that_has_not_run_yet_is_left_alone)
{
    scene_configure(&scene, "release = \"keep\";");
    fake_write(&scene.kernel, "run/libvirt/qemu/other.xml", "<domstatus/>");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
        assert_reconciled(OUTCOME_LEFT, "will give it back");
        run(1, 1);
        end(1);
        assert_int_equal(scene_release(&scene, 1, 1), 0);
        assert_int_equal(scene_leases(&scene, "kept"), 1);
    }
}

/* A guest without our vGPUs leaves no mark. */
TEST(others_leave_no_mark)
{
    run(3, 3);
    assert_int_equal(marks_in("ran"), 0);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    run(3, 3);
    assert_int_equal(marks_in("ran"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
}

/* A hook that could not record a guest's vGPUs leaves no mark either, because there is no lease. */
TEST(reconnect_that_records_nothing_leaves_no_mark)
{
    AUTO_FREE char *xml = scene_xml(1, "<vgpu:device type=\"mtty-2\"/>", (const unsigned[]){1, 0});

    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_int_equal(unlinkat(root(), STATE "/ledger", 0), 0);
    assert_int_equal(mkdirat(root(), STATE "/ledger.new", 0755), 0);
    assert_int_equal(scene_hook(&scene, xml, "reconnect", "begin"), 0);
    assert_int_equal(marks_in("ran"), 0);
    assert_int_equal(unlinkat(root(), STATE "/ledger.new", AT_REMOVEDIR), 0);
    assert_int_equal(scene_hook(&scene, xml, "reconnect", "begin"), 0);
    assert_int_equal(marks_in("ran"), 1);
}

/* If there are no such files, nothing is concluded from that. */
TEST(without_status_files_nothing_ends)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    run(1, 1);
    end(1);
    assert_int_equal(unlinkat(root(), "run/libvirt/qemu", AT_REMOVEDIR), 0);
    assert_reconciled(OUTCOME_LEFT, "will give it back");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
}

/* A mark does not cover leases that were made later. */
TEST(the_next_run_is_not_released)
{
    int fd;

    scene_configure(&scene, "lock_timeout = \"50ms\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    fd = hold_lock();
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    close(fd);
    assert_int_equal(marks(), 1);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_reconciled(OUTCOME_LEFT, "will give it back");
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 1);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(marks(), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
}

/* If a vGPU is to be kept, it is kept. */
TEST(one_of_a_kept_device_is_made_up_for)
{
    int fd;

    scene_configure(&scene, "lock_timeout = \"50ms\"; release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    fd = hold_lock();
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    close(fd);
    assert_reconciled(OUTCOME_KEPT, "has ended");
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    assert_int_equal(marks(), 0);
}

/* The prepare was killed. Its writer works for longer than the release waits. */
TEST(a_device_that_comes_late_is_given_back)
{
    int status;
    pid_t pid;

    scene.kernel.faults->create_delay = 9000;
    pid = fork();
    if (pid == 0)
        _exit(scene_prepare(&scene, 1, 1, "mtty-2"));
    while (scene_leases(&scene, "pending") == 0)
        fake_sleep(1);
    fake_sleep(100);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "pending"), 1);
    fake_sleep(20000);
    scene.kernel.faults->create_delay = 0;
    assert_int_equal(marks(), 1);
    assert_reconciled(OUTCOME_REMOVED, "has ended");
    assert_int_equal(marks(), 0);
    scene_assert_empty(&scene);
}
