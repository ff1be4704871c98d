/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Events that were interrupted, and how reconcile finishes them. */

#include "actions/reconcile.h"
#include "actions/release.h"
#include "fake/fake-clock.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MACHINE "gpu mtty rule pool 4\ntype mtty-2 \"Dual port serial\" uses 2\n"
#define LEDGER  "run/libvirt-vgpu/ledger"

static struct scene scene;
static struct lease_outcomes outcomes;

static void
end(void)
{
    lease_outcomes_clear(&outcomes);
}

static const struct scene_case here = {.scene = &scene, .machine = MACHINE, .end = end};
#define TEST(function) SCENE_TEST(function, here)

/* Before it is done, the same is foreseen: all but a removal that then fails. */
static void
reconcile(void)
{
    AUTO(lease_outcomes_clear) struct lease_outcomes foreseen = {0};
    unsigned writes = scene.kernel.faults->writes;
    struct error error;

    if (reconcile_foresee(&scene.kernel.host, &foreseen, &error) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(scene.kernel.faults->writes, writes);
    lease_outcomes_clear(&outcomes);
    if (reconcile_host(&scene.kernel.host, &outcomes, &error) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(foreseen.count, outcomes.count);
    for (size_t i = 0; i < outcomes.count; i++) {
        const struct lease_outcome *before = &foreseen.items[i], *after = &outcomes.items[i];

        assert_string_equal(before->lease.vgpu.device.text, after->lease.vgpu.device.text);
        if (after->outcome == OUTCOME_LEFT && before->outcome == OUTCOME_REMOVED)
            continue;
        assert_int_equal(before->outcome, after->outcome);
        assert_string_equal(before->why.text, after->why.text);
    }
}

/* The state of the only lease in the ledger. */
static void
reconciles_to(enum outcome outcome, const char *why)
{
    reconcile();
    assert_int_equal(outcomes.count, 1);
    if (outcomes.items[0].outcome != outcome || !strstr(outcomes.items[0].why.text, why))
        fail_msg("%s: %s", outcome_name(outcomes.items[0].outcome), outcomes.items[0].why.text);
}

/* Runs a hook whose daemon ends right after it. Guest N then has device N. */
static void
prepare_and_lose_daemon(unsigned guest)
{
    int status;
    pid_t daemon = fork();

    if (daemon == 0) {
        pid_t hook = fork();

        if (hook == 0)
            _exit(scene_prepare(&scene, guest, guest, "mtty-2"));
        _exit(waitpid(hook, &status, 0) != hook || status != 0);
    }
    scene_assert_ends_well(daemon);
}

/* The text of libvirt's status file for a guest with these devices, which a process runs. */
static char *
status_text(unsigned guest, int pid, const unsigned *numbers)
{
    AUTO_FREE char *xml = NULL;
    char *text = NULL, devices[256] = "";

    for (const unsigned *number = numbers; *number; number++) {
        size_t at = strlen(devices);

        snprintf(devices + at, sizeof(devices) - at,
                 "<vgpu:device alias=\"ua-gpu%u\" type=\"mtty-2\"/>", *number);
    }
    xml = scene_xml(guest, devices, numbers);
    assert_true(asprintf(&text,
                         "<!--\nWARNING: THIS IS AN AUTO-GENERATED FILE.\n-->\n\n"
                         "<domstatus state='running' reason='booted' pid='%d'>\n"
                         "  <taint flag='hook-script'/>\n  <monitor path='/x' type='unix'/>\n"
                         "%s</domstatus>\n",
                         pid, xml) > 0);
    return text;
}

static void
status_file_of(unsigned guest, const char *text)
{
    char path[64];

    snprintf(path, sizeof(path), "run/libvirt/qemu/guest%u.xml", guest);
    fake_write(&scene.kernel, path, text);
}

static void
status_file(unsigned guest, int pid, const unsigned *numbers)
{
    AUTO_FREE char *text = status_text(guest, pid, numbers);

    status_file_of(guest, text);
}

/* The same text, with an item repeated in front of these words. With a count of 0 the text ends
 * there. */
static void
swollen_file(unsigned guest, unsigned device, const char *words, const char *item, size_t count)
{
    AUTO_FREE char *text = status_text(guest, getpid(), (const unsigned[]){device, 0});
    char *place = strstr(text, words), *large = malloc(strlen(text) + count * strlen(item) + 1);
    char *at = mempcpy(large, text, (size_t)(place - text));

    for (size_t i = 0; i < count; i++)
        at = stpcpy(at, item);
    strcpy(at, count ? place : "");
    status_file_of(guest, large);
    free(large);
}

TEST(nothing_to_do)
{
    reconcile();
    assert_int_equal(outcomes.count, 0);
}

/* A slow start: there is no process and no status file, and nobody has the device open. The daemon
 * lives, so the lease is not judged. */
TEST(a_starting_guest_is_left_alone)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    reconciles_to(OUTCOME_LEFT, "will give it back");
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(fake_count(&scene.kernel), 1);
}

TEST(the_leases_of_a_dead_daemon)
{
    prepare_and_lose_daemon(1);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    /* The guest still runs. */
    status_file(1, getpid(), (const unsigned[]){1, 0});
    reconciles_to(OUTCOME_LEFT, "its guest runs");
    /* A status file without any facts. */
    fake_write(&scene.kernel, "run/libvirt/qemu/guest1.xml", "<domstatus pid='1'><domain>");
    reconciles_to(
        OUTCOME_LEFT,
        "not all guests are known: /run/libvirt/qemu/guest1.xml: cannot read the domain XML: ");
    /* An old status file. Its process is gone. */
    status_file(1, 0x3fffffff, (const unsigned[]){1, 0});
    fake_write(&scene.kernel, "run/libvirt/qemu/other.xml", "<domstatus pid='1073741823'><cut");
    reconciles_to(OUTCOME_REMOVED, "its guest is gone, and the daemon");
    scene_assert_empty(&scene);
}

#define LARGE (9 << 20) /* bytes, more than the program reads of any file */

/* A status file may be unreadable, because of anything in its guest's XML. Other guests lose
 * nothing by that. */
TEST(an_unreadable_guest_costs_only_its_own)
{
    static const struct {
        const char *words, *item;
        size_t count;
        const char *why;
    } rows[] = {
        {"<devices>", " ", LARGE,
         "/run/libvirt/qemu/guest1.xml: cannot read the domain XML: it is"},
        {"<devices>", "<a xmlns='urn:x'/>", 20001, "20001 namespace declarations"},
        {"<devices>", "", 0, "/run/libvirt/qemu/guest1.xml: cannot read the domain XML: line "},
        /* Only the name of the file tells its guest. */
        {"<domain", " ", LARGE, "larger than 8 MiB"},
        {"<domstatus", "", 0, "/run/libvirt/qemu/guest1.xml: cannot read the domain XML: line "},
        /* The guest's devices come before that point, so they were read. */
        {"</devices>", " ", LARGE, "its guest runs"},
        {"</domstatus>", "<a xmlns='urn:x'/>", 20001, "its guest runs"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct lease_outcome *own, *other;

        prepare_and_lose_daemon(1);
        prepare_and_lose_daemon(2);
        swollen_file(1, 1, rows[i].words, rows[i].item, rows[i].count);
        reconcile();
        assert_int_equal(outcomes.count, 2);
        own = &outcomes.items[strcmp(outcomes.items[0].lease.domain_name, "guest1") != 0];
        other = &outcomes.items[own == outcomes.items];
        if (own->outcome != OUTCOME_LEFT || !strstr(own->why.text, rows[i].why))
            fail_msg("row %zu: %s: %s", i, outcome_name(own->outcome), own->why.text);
        if (other->outcome != OUTCOME_REMOVED)
            fail_msg("row %zu: %s: %s", i, outcome_name(other->outcome), other->why.text);
        assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-2");
        status_file(1, 0x3fffffff, (const unsigned[]){1, 0});
        reconciles_to(OUTCOME_REMOVED, "its guest is gone");
        scene_assert_empty(&scene);
    }
}

/* Devices that were read from the file count as the guest's, even if another guest has their
 * lease. */
TEST(an_unreadable_guest_has_what_was_read)
{
    prepare_and_lose_daemon(1);
    swollen_file(2, 1, "</devices>", " ", LARGE);
    reconciles_to(OUTCOME_LEFT, "another guest has it");
    assert_int_equal(fake_count(&scene.kernel), 1);
}

/* Nothing of the file can be read, or the file itself cannot be opened. */
TEST(a_guest_without_a_readable_file)
{
    prepare_and_lose_daemon(1);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(2)), 0);
    fake_write(&scene.kernel, "run/libvirt/qemu/other.xml", "<domstatus pid='1'>");
    assert_int_equal(symlinkat("other.xml", scene.kernel.host.root, "run/libvirt/qemu/guest1.xml"),
                     0);
    reconciles_to(OUTCOME_LEFT, "/run/libvirt/qemu/guest1.xml: Too many levels");
    assert_int_equal(unlinkat(scene.kernel.host.root, "run/libvirt/qemu/guest1.xml", 0), 0);
    reconciles_to(OUTCOME_REMOVED, "its guest is gone");
    assert_int_equal(fake_count(&scene.kernel), 1);
}

TEST(a_device_in_use_stays)
{
    struct fake_guest stray;

    scene_configure(&scene, "release_timeout = \"50ms\";\n");
    prepare_and_lose_daemon(1);
    stray = fake_open(&scene.kernel, scene_device(1));
    reconciles_to(OUTCOME_LEFT, "in use by process");
    assert_int_equal(outcomes.failed, 1);
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    fake_close(&stray);
    scene_configure(&scene, "");
    reconciles_to(OUTCOME_REMOVED, "was not finished");
    scene_assert_empty(&scene);
}

static uint64_t
time_of_the_lease(void)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error error;

    assert_int_equal(statedir_peek(&scene.kernel.host, &ledger, &error), 0);
    assert_int_equal(ledger.count, 1);
    return ledger.leases[0].time;
}

/* doctor tells for how long a lease has been leaving, however often reconcile has tried since. */
TEST(how_long_it_is_leaving)
{
    struct fake_guest stray;
    uint64_t since;

    scene_configure(&scene, "release_timeout = \"50ms\";\n");
    prepare_and_lose_daemon(1);
    stray = fake_open(&scene.kernel, scene_device(1));
    fake_sleep(2000);
    reconciles_to(OUTCOME_LEFT, "in use by process");
    since = time_of_the_lease();
    for (unsigned i = 0; i < 3; i++) {
        fake_sleep(200000);
        reconciles_to(OUTCOME_LEFT, "in use by process");
        assert_int_equal(time_of_the_lease(), since);
    }
    fake_close(&stray);
}

TEST(unplugged_from_a_running_guest)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    status_file(1, getpid(), (const unsigned[]){0});
    reconciles_to(OUTCOME_REMOVED, "has it no more");
    scene_assert_empty(&scene);
}

TEST(plugged_into_another_guest)
{
    prepare_and_lose_daemon(1);
    status_file(2, getpid(), (const unsigned[]){1, 0});
    reconciles_to(OUTCOME_LEFT, "another guest has it");
    assert_int_equal(fake_count(&scene.kernel), 1);
}

TEST(found_devices_are_never_removed)
{
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    prepare_and_lose_daemon(1);
    reconciles_to(OUTCOME_FORGOTTEN, "its guest is gone");
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

TEST(kept_for_the_next_start)
{
    scene_configure(&scene, "release = \"keep\";\n");
    prepare_and_lose_daemon(1);
    reconciles_to(OUTCOME_KEPT, "its guest is gone");
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    reconciles_to(OUTCOME_LEFT, "next start");
    assert_int_equal(fake_remove(&scene.kernel, scene_device(1)), 0);
    reconciles_to(OUTCOME_FORGOTTEN, "kept");
    scene_assert_empty(&scene);
}

TEST(what_a_guest_holds_is_adopted)
{
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(2)), 0);
    status_file(1, getpid(), (const unsigned[]){1, 0});
    fake_write(&scene.kernel, "run/libvirt/qemu/guest2.xml.new", "<domst");
    reconciles_to(OUTCOME_ADOPTED, "no lease named it");
    assert_int_equal(scene_leases(&scene, "held"), 1);
    reconciles_to(OUTCOME_LEFT, "its guest runs");
    /* The guest ends while no libvirt runs. */
    status_file(1, 0x3fffffff, (const unsigned[]){1, 0});
    reconciles_to(OUTCOME_REMOVED, "its guest is gone");
    assert_int_equal(fake_count(&scene.kernel), 1);
}

static struct host_ops ops;
static int (*open_any)(const struct host *host, const char *path, int flags, mode_t mode);
static unsigned reads; /* of the ledger */

static int
open_counted(const struct host *host, const char *path, int flags, mode_t mode)
{
    reads += !strcmp(path, LEDGER);
    return open_any(host, path, flags, mode);
}

/* What is adopted is recorded in the one hold of the lock that decides what is to go. A second hold
 * might not come, and then nothing would go. */
TEST(an_adoption_needs_no_lock_of_its_own)
{
    struct error error;

    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    status_file(1, getpid(), (const unsigned[]){1, 0});
    ops = *scene.kernel.host.ops;
    open_any = ops.open;
    ops.open = open_counted;
    scene.kernel.host.ops = &ops;
    reads = 0;
    lease_outcomes_clear(&outcomes);
    assert_int_equal(reconcile_host(&scene.kernel.host, &outcomes, &error), 0);
    /* Once for the look, and once under the lock. */
    assert_int_equal(reads, 2);
    assert_int_equal(scene_leases(&scene, "held"), 1);
}

static int
rebuild(void)
{
    struct error error;

    lease_outcomes_clear(&outcomes);
    return reconcile_rebuild(&scene.kernel.host, &outcomes, &error);
}

/* reconcile finds the vGPUs of a running guest again. They are removed at the guest's end, as
 * always. */
TEST(a_broken_ledger_is_rebuilt)
{
    struct host host = {.root = scene.kernel.host.root, .ops = &host_kernel};
    char text[64];

    prepare_and_lose_daemon(1);
    status_file(1, getpid(), (const unsigned[]){1, 0});
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(2)), 0);
    fake_write(&scene.kernel, LEDGER, "rubbish\n");
    assert_int_equal(rebuild(), 0);
    assert_memory_equal(outcomes.set_aside.text, "/" LEDGER ".broken-2",
                        strlen("/" LEDGER ".broken-2"));
    assert_true(host_read(&host, text, sizeof(text), "%s", outcomes.set_aside.text + 1) > 0);
    assert_string_equal(text, "rubbish");
    assert_int_equal(outcomes.count, 1);
    assert_int_equal(outcomes.items[0].outcome, OUTCOME_ADOPTED);
    assert_string_equal(outcomes.items[0].lease.vgpu.device.text, scene_device(1));
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
    assert_int_equal(fake_count(&scene.kernel), 1);
}

TEST(a_sound_ledger_is_not_rebuilt)
{
    assert_int_equal(rebuild(), 0);
    assert_string_equal(outcomes.set_aside.text, "");
    prepare_and_lose_daemon(1);
    assert_int_equal(rebuild(), 0);
    assert_string_equal(outcomes.set_aside.text, "");
    assert_int_equal(outcomes.count, 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
}

/* The ledger is refused, whatever is wrong with it. Its first line tells if it is of another
 * version. */
TEST(whatever_is_wrong_with_it)
{
    static const char *const texts[] = {
        "",
        "libvirt-vgpu-ledger 2 00000000-0000-0000-0000-000000000000 1\n",
        "libvirt-vgpu-ledger 1\n",
        "\xff\n",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        fake_write(&scene.kernel, LEDGER, texts[i]);
        assert_int_equal(rebuild(), 0);
        if (!*outcomes.set_aside.text)
            fail_msg("not set aside: %s", texts[i]);
        unlinkat(scene.kernel.host.root, outcomes.set_aside.text + 1, 0);
        reconcile();
    }
}

/* A guest's status file cannot be read. So a new ledger might lack this guest's lease, and its vGPU
 * would be lost for good. */
TEST(a_guest_that_cannot_be_read_stops_it)
{
    struct error error;

    prepare_and_lose_daemon(1);
    fake_write(&scene.kernel, "run/libvirt/qemu/guest1.xml", "<domstatus pid='1'><domain>");
    fake_write(&scene.kernel, LEDGER, "rubbish\n");
    lease_outcomes_clear(&outcomes);
    assert_int_equal(reconcile_rebuild(&scene.kernel.host, &outcomes, &error), -EIO);
    assert_non_null(strstr(error.text, "; nothing was changed"));
    assert_non_null(strstr(error.text, "guest1.xml"));
    assert_string_equal(outcomes.set_aside.text, "");
    assert_int_equal(reconcile_host(&scene.kernel.host, &outcomes, &error), -EBADMSG);
    assert_non_null(strstr(error.text, "'vgpuctl reconcile --rebuild' makes another"));
}

/* The hook does the same when it needs the place. */
TEST(the_hook_makes_room)
{
    prepare_and_lose_daemon(1);
    prepare_and_lose_daemon(2);
    swollen_file(1, 1, "<devices>", " ", LARGE);
    if (scene_prepare(&scene, 3, 3, "mtty-2") != 0)
        fail_msg("%s", scene.said);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-2");
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(2)), "");
    status_file(3, getpid(), (const unsigned[]){3, 0});
    assert_int_equal(scene_prepare(&scene, 4, 4, "mtty-2"), 1);
}

/* The guest's XML names its vGPU still, and asks us for nothing any more. While QEMU starts, only
 * the lease protects the vGPU. */
TEST(it_starts_and_asks_no_more)
{
    AUTO_FREE char *xml = scene_xml(1, "", (const unsigned[]){1, 0});

    prepare_and_lose_daemon(1);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    reconciles_to(OUTCOME_LEFT, "libvirt's daemon runs");
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    scene_assert_empty(&scene);
}

static int (*lock_of_fake)(const struct host *host, int fd, uint64_t nanoseconds);

/* The daemon of this hook ends while the hook waits for the lock. */
static int
lock_and_lose_daemon(const struct host *host, int fd, uint64_t nanoseconds)
{
    const pid_t daemon = getppid();

    kill(daemon, SIGKILL);
    while (getppid() == daemon)
        sched_yield();
    return lock_of_fake(host, fd, nanoseconds);
}

/* Another daemon may start the guest meanwhile. So a hook whose daemon has ended takes no lease. */
TEST(it_asks_no_more_and_its_daemon_ends)
{
    AUTO_FREE char *xml = scene_xml(1, "", (const unsigned[]){1, 0}), *before = NULL, *after = NULL;
    struct host_ops losing = *scene.kernel.host.ops;
    char path[320], byte;
    int ends[2], status;
    pid_t daemon;

    prepare_and_lose_daemon(1);
    snprintf(path, sizeof(path), "%s/" LEDGER, scene.kernel.path);
    before = scene_read(path);
    assert_int_equal(pipe(ends), 0);
    daemon = fork();
    if (daemon == 0) {
        if (fork() == 0) {
            lock_of_fake = losing.lock;
            losing.lock = lock_and_lose_daemon;
            scene.kernel.host.ops = &losing;
            _exit(scene_hook(&scene, xml, "prepare", "begin"));
        }
        for (;;)
            pause();
    }
    close(ends[1]);
    assert_int_equal(waitpid(daemon, &status, 0), daemon);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    after = scene_read(path);
    assert_string_equal(after, before);
}

/* A writer was left behind with the only lease. When the writer ends, its claim ends, too. */
static void
the_driver_comes_round(void)
{
    /* The removal ends at a whole millisecond. So it does not end between two looks. */
    (void)fake_clock_wait(&scene.kernel.host, NULL, 0, 500000);
    do {
        fake_sleep(1);
        reconcile();
        assert_int_equal(outcomes.count, 1);
    } while (outcomes.items[0].outcome == OUTCOME_LEFT);
    assert_int_equal(outcomes.items[0].outcome, OUTCOME_FORGOTTEN);
    assert_int_equal(fake_count(&scene.kernel), 0);
}

/* A status file whose content arrives slowly. */
static int
put_slow_file(void)
{
    const struct host *host = &scene.kernel.host;
    int slow;

    assert_int_equal(mkfifoat(host->root, "run/libvirt/qemu/slow.xml", 0600), 0);
    slow = openat(host->root, "run/libvirt/qemu/slow.xml", O_RDWR | O_CLOEXEC);
    assert_true(slow >= 0);
    assert_int_equal(write(slow, "<", 1), 1);
    return slow;
}

/* Waits until a process has begun to read the file. */
static void
wait_for_reader(int slow)
{
    int unread = 1;

    while (unread && ioctl(slow, FIONREAD, &unread) == 0)
        fake_sleep(1);
}

/* Starts a reconcile in a child process. A status file holds it up. It will find this many leases,
 * and leave them all alone. Returns the file, which the caller closes. */
static int
begin_slow_reconcile(size_t count, pid_t *ret)
{
    const struct host *host = &scene.kernel.host;
    int slow = put_slow_file();

    *ret = fork();
    if (*ret == 0) {
        struct error error;
        bool right;

        close(slow);
        right = reconcile_host(host, &outcomes, &error) == 0 && outcomes.count == count;
        for (size_t i = 0; i < outcomes.count; i++)
            right &= outcomes.items[i].outcome == OUTCOME_LEFT;
        _exit(!right);
    }
    wait_for_reader(slow);
    return slow;
}

static void
end_slow_reconcile(int slow, pid_t other)
{
    close(slow);
    scene_assert_ends_well(other);
}

/* The same with a start that needs another guest's place. So it has to read these files. */
TEST(a_start_reads_them_without_the_lock)
{
    int slow;
    pid_t start;

    scene_configure(&scene, "lock_timeout = \"100ms\";\n");
    prepare_and_lose_daemon(1);
    status_file(1, getpid(), (const unsigned[]){1, 0});
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    slow = put_slow_file();
    start = fork();
    if (start == 0) {
        close(slow);
        _exit(scene_prepare(&scene, 3, 3, "mtty-2"));
    }
    wait_for_reader(slow);
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    assert_int_equal(scene_leases(&scene, ""), 1);
    end_slow_reconcile(slow, start);
    assert_int_equal(scene_leases(&scene, "held"), 2);
}

/* Another guest's file may take long to read. This must not delay anybody else. */
TEST(slow_status_files_keep_nobody_waiting)
{
    int slow;
    pid_t other;

    scene_configure(&scene, "lock_timeout = \"100ms\";\n");
    prepare_and_lose_daemon(1);
    status_file(1, getpid(), (const unsigned[]){1, 0});
    slow = begin_slow_reconcile(2, &other);
    if (scene_prepare(&scene, 2, 2, "mtty-2") != 0)
        fail_msg("%s", scene.said);
    end_slow_reconcile(slow, other);
    assert_int_equal(scene_leases(&scene, "held"), 2);
}

/* When the files were read, the guest had a vGPU. It gave the vGPU back before its lease was
 * judged. */
TEST(given_back_meanwhile_is_not_adopted)
{
    int slow;
    pid_t other;

    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_leases(&scene, "found"), 1);
    status_file(1, getpid(), (const unsigned[]){1, 0});
    slow = begin_slow_reconcile(0, &other);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    end_slow_reconcile(slow, other);
    assert_int_equal(scene_leases(&scene, ""), 0);
    assert_int_equal(fake_count(&scene.kernel), 1);
}

/* reconcile claims all its leases together, and meanwhile their guests cannot use them. So its
 * waits for devices in use must not add up. */
TEST(many_in_use_take_no_longer_than_one)
{
    struct fake_guest stray[2];
    uint64_t start;

    scene_configure(&scene, "release_timeout = \"2s\";\n");
    for (unsigned i = 0; i < COUNT(stray); i++) {
        prepare_and_lose_daemon(i + 1);
        stray[i] = fake_open(&scene.kernel, scene_device(i + 1));
    }
    start = fake_now();
    reconcile();
    assert_in_range(fake_now() - start, 2000, 2999);
    assert_int_equal(outcomes.failed, 2);
    for (unsigned i = 0; i < COUNT(stray); i++) {
        assert_non_null(strstr(outcomes.items[i].why.text, "in use by process"));
        fake_close(&stray[i]);
    }
    reconcile();
    scene_assert_empty(&scene);
}

/* A driver that does not answer one removal does not delay the other removals. */
TEST(a_stuck_removal_keeps_one_only)
{
    scene_configure(&scene, "release_timeout = \"50ms\";\n");
    prepare_and_lose_daemon(1);
    prepare_and_lose_daemon(2);
    scene.kernel.faults->remove_delay = 2000;
    reconcile();
    assert_int_equal(outcomes.failed, 2);
    assert_non_null(strstr(outcomes.items[1].why.text, "takes too long with"));
    if (scene_prepare(&scene, 2, 2, "mtty-2") != 0)
        fail_msg("%s", scene.said);
    scene.kernel.faults->remove_delay = 0;
    scene_configure(&scene, "");
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    the_driver_comes_round();
    scene_assert_empty(&scene);
}

/* It does not delay the removal of the guest's other devices either. */
TEST(a_stuck_release_keeps_one_only)
{
    AUTO_FREE char *xml = scene_xml(1,
                                    "<vgpu:device alias=\"ua-gpu1\" type=\"mtty-2\"/>"
                                    "<vgpu:device alias=\"ua-gpu2\" type=\"mtty-2\"/>",
                                    (const unsigned[]){1, 2, 0});

    scene_configure(&scene, "release_timeout = \"50ms\";\n");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    scene.kernel.faults->remove_delay = 2000;
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    scene.kernel.faults->remove_delay = 0;
    scene_configure(&scene, "");
    reconcile();
    assert_int_equal(outcomes.count, 2);
    assert_int_equal(outcomes.items[0].outcome, OUTCOME_LEFT);
    assert_int_equal(outcomes.items[1].outcome, OUTCOME_REMOVED);
    the_driver_comes_round();
    scene_assert_empty(&scene);
}

/* The device is free, but there was no time left to remove it. The message must not say "in
 * use". */
TEST(no_time_is_not_in_use)
{
    struct name domain;
    struct error error;
    struct transaction transaction;

    assert_int_equal(name_parse_uuid(&domain, "aaaaaaaa-0000-4000-8000-000000000001"), 0);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(transaction_open(&scene.kernel.host, false, &transaction, &error), 0);
    transaction.lock_timeout = 10000;
    assert_int_equal(release_leases(&transaction, &(struct release_scope){.domain = &domain},
                                    deadline_in(&scene.kernel.host, 0), &error),
                     -ETIMEDOUT);
    if (!strstr(error.text, "no time was left"))
        fail_msg("%s", error.text);
    transaction_close(&transaction);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    reconcile();
    scene_assert_empty(&scene);
}

/* reconcile runs together with a release. One of them acts, and nothing is written twice. */
TEST(release_and_reconcile)
{
    unsigned writes = scene.kernel.faults->writes;

    scene.kernel.faults->remove_delay = 2;
    for (unsigned round = 0; round < 100; round++) {
        struct fake_guest stray;
        pid_t other;

        scene_configure(&scene, "release_timeout = \"1ms\";\n");
        assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
        stray = fake_open(&scene.kernel, scene_device(1));
        assert_int_equal(scene_release(&scene, 1, 1), 0);
        assert_int_equal(scene_leases(&scene, "leaving"), 1);
        fake_close(&stray);
        scene_configure(&scene, "release_timeout = \"5s\";\n");
        other = fork();
        if (other == 0) {
            struct error error;

            fake_sleep(round % 5);
            _exit(reconcile_host(&scene.kernel.host, &outcomes, &error) < 0);
        }
        assert_int_equal(scene_release(&scene, 1, 1), 0);
        scene_assert_ends_well(other);
        scene_assert_empty(&scene);
    }
    /* One write for a create, and one for a remove. */
    assert_int_equal(scene.kernel.faults->writes - writes, 200);
}
