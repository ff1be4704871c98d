/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl list, orphans and reap show who refers to which vGPU, with libvirt's test driver. */

#include "actions/reap.h"
#include "cli/command.h"
#include "fake/typed.h"
#include "libvirt/connection.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"
#define GPU  "0000:18:00.0"
#define TYPE "nvidia-222"

/* Device 1 belongs to guest1, which runs. Device 2 belongs to guest2, which is defined. Device 3
 * was left by guest3, which does not exist any more. Others made the other devices: by hand for
 * guest5, and with mdevctl. */
enum { RUNNING = 1, DEFINED, LEFT, BY_HAND, USED_BY_HAND, BY_MDEVCTL, LAST = BY_MDEVCTL };

static struct scene scene;
static struct typed typed;
static const char *libvirt;

static void
make(unsigned number)
{
    assert_int_equal(fake_make(&scene.kernel, GPU, TYPE, scene_device(number)), 0);
}

/* The guest has started and ended, and its device is kept. */
static void
keep(unsigned guest)
{
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, guest, guest, TYPE), 0);
    assert_int_equal(scene_release(&scene, guest, guest), 0);
    scene_configure(&scene, "release_timeout = \"500ms\";");
}

static void
begin(void)
{
    AUTO_FREE char *running = typed_domain(1, "", (const unsigned[]){RUNNING, 0});
    AUTO_FREE char *defined = typed_domain(2, TYPED_DEFINED, (const unsigned[]){DEFINED, 0});
    AUTO_FREE char *hand = typed_domain(5, TYPED_DEFINED, (const unsigned[]){USED_BY_HAND, 0});
    char domains[8192];

    snprintf(domains, sizeof(domains), "%s%s%s", running, defined, hand);
    libvirt = typed_libvirt(&scene, domains);
}

static const struct typed_case here = {{.scene = &scene, .machine = MACHINE, .begin = begin},
                                       &typed};
#define TEST(function) TYPED_TEST(function, here)

static void
populate(void)
{
    assert_int_equal(scene_prepare(&scene, RUNNING, RUNNING, TYPE), 0);
    keep(DEFINED);
    keep(LEFT);
    for (unsigned i = BY_HAND; i <= BY_MDEVCTL; i++)
        make(i);
    fake_write(&scene.kernel, "etc/mdevctl.d/" GPU "/dddddddd-0000-4000-8000-000000000006", "{}");
}

static int
run(const char *line)
{
    return typed_run(&scene, libvirt, line, &typed);
}

/* Runs this line. %s in it stands for a device. */
static int
run_on(const char *format, unsigned number)
{
    char line[256];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(line, sizeof(line), format, scene_device(number));
#pragma GCC diagnostic pop
    return run(line);
}

/* Checks that the output has the line "DEVICE words". */
static void
assert_said(unsigned number, const char *words)
{
    char line[512];

    snprintf(line, sizeof(line), "%s %s", scene_device(number), words);
    typed_assert_has(typed.printed, line);
}

static bool
is_there(unsigned number)
{
    return *fake_type_of(&scene.kernel, scene_device(number));
}

/* A process that keeps the kernel from removing the device as long as the process lives. The proof
 * that nobody uses the device still succeeds. */
static pid_t
hold_up(unsigned number)
{
    int ready[2];
    pid_t pid;
    char byte;

    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        close(fake_open(&scene.kernel, scene_device(number)).group);
        if (write(ready[1], "", 1) == 1)
            pause();
        _exit(0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

static void
end(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(shown)
{
    populate();
    typed_golden(&scene, libvirt, "list/reap-devices",
                 "vgpuctl list -o DEVICE,STATE,ORIGIN,DOMAIN");
    typed_agree(&scene, libvirt, "vgpuctl list");
    typed_golden(&scene, libvirt, "orphans/devices",
                 "vgpuctl orphans -o DEVICE,TYPE,NAME,PARENT,GPU,ORIGIN,STATE,DOMAIN");
    typed_agree(&scene, libvirt, "vgpuctl orphans");
    assert_int_equal(run("vgpuctl orphans --root /"), COMMAND_USAGE);
}

TEST(holders)
{
    struct fake_guest stray;
    pid_t qemu;
    char words[64], comm[32];
    FILE *file = fopen("/proc/self/comm", "re");

    assert_true(file && fgets(comm, sizeof(comm), file));
    fclose(file);
    comm[strcspn(comm, "\n")] = '\0';
    make(BY_HAND);
    assert_int_equal(run("vgpuctl orphans -J"), COMMAND_DONE);
    /* Not every user may look at every process. */
    if (!strstr(typed.printed, "\"holder\": \"\""))
        typed_assert_has(typed.printed, "\"holder\": null");
    stray = fake_open(&scene.kernel, scene_device(BY_HAND));
    qemu = fake_hand_over(&stray);
    assert_int_equal(run("vgpuctl orphans"), COMMAND_DONE);
    snprintf(words, sizeof(words), "foreign %d (%s)\n", qemu, comm);
    typed_assert_has(typed.printed, words);
    fake_end(qemu);
}

/* Without names reap removes the orphans that are ours. */
TEST(ours)
{
    populate();
    typed_golden(&scene, libvirt, "reap/devices-dry-run", "vgpuctl reap --dry-run");
    assert_int_equal(fake_count(&scene.kernel), LAST);
    typed_golden(&scene, libvirt, "reap/devices-dry-run-json", "vgpuctl reap --dry-run --json");
    typed_golden(&scene, libvirt, "reap/devices", "vgpuctl reap");
    typed_facts(
        &scene, libvirt, "vgpuctl reap --json", 0,
        "\"vgpus\": [ { \"outcome\": \"left alone\", "
        "\"device\": \"dddddddd-0000-4000-8000-000000000004\",\n"
        "\"outcome\": \"left alone\", \"device\": \"dddddddd-0000-4000-8000-000000000006\",");
    assert_false(is_there(LEFT));
    assert_int_equal(fake_count(&scene.kernel), LAST - 1);
    assert_int_equal(scene_leases(&scene, ""), 2);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
}

TEST(nothing)
{
    assert_int_equal(run("vgpuctl reap --dry-run"), COMMAND_DONE);
    assert_string_equal(typed.printed, "");
    assert_false(host_exists(&scene.kernel.host, "run/libvirt-vgpu"));
    assert_int_equal(run("vgpuctl reap"), COMMAND_DONE);
    assert_string_equal(typed.printed, "");
    assert_int_equal(run("vgpuctl orphans"), COMMAND_DONE);
    assert_string_equal(typed.printed, "");
}

/* Foreign vGPUs are removed if they are named. Each is removed once. The ledger stays as it was. */
TEST(named)
{
    char line[256];

    populate();
    snprintf(line, sizeof(line), "vgpuctl reap %s %s", scene_device(BY_HAND),
             "DDDDDDDD-0000-4000-8000-000000000004");
    assert_int_equal(run(line), COMMAND_DONE);
    assert_string_equal(typed.printed, "dddddddd-0000-4000-8000-000000000004 removed\n");
    assert_false(is_there(BY_HAND));
    assert_int_equal(run_on("vgpuctl reap --dry-run %s", BY_MDEVCTL), COMMAND_DONE);
    assert_said(BY_MDEVCTL, "would be removed\n");
    assert_true(is_there(BY_MDEVCTL));
    assert_int_equal(run_on("vgpuctl reap %s", BY_MDEVCTL), COMMAND_DONE);
    assert_false(is_there(BY_MDEVCTL));
    assert_true(is_there(LEFT));
    assert_int_equal(scene_leases(&scene, ""), 3);
}

TEST(referred_to)
{
    struct fake_guest guest;
    char words[128];
    pid_t qemu;

    populate();
    guest = fake_open(&scene.kernel, scene_device(RUNNING));
    qemu = fake_hand_over(&guest);
    assert_int_equal(run_on("vgpuctl reap %s", RUNNING), COMMAND_BUSY);
    snprintf(words, sizeof(words),
             "left alone: the domain guest1 refers to it; it is in use by process %d (", qemu);
    assert_said(RUNNING, words);
    assert_string_equal(typed.faults, "vgpuctl: reap: 1 of 1 vGPUs were left alone\n");
    fake_end(qemu);
    assert_int_equal(run_on("vgpuctl reap %s", DEFINED), COMMAND_BUSY);
    assert_said(DEFINED, "left alone: the domain guest2 refers to it\n");
    assert_int_equal(run_on("vgpuctl reap --dry-run %s", USED_BY_HAND), COMMAND_BUSY);
    assert_said(USED_BY_HAND, "left alone: the domain guest5 refers to it\n");
    assert_int_equal(fake_count(&scene.kernel), LAST);
    assert_int_equal(scene_leases(&scene, ""), 3);
}

/* The driver is slower than reap's wait. The vGPU stays, and reap reports that. */
TEST(a_removal_that_takes_too_long)
{
    populate();
    scene_configure(&scene, "release_timeout = \"50ms\";");
    scene.kernel.faults->remove_delay = 5000;
    assert_int_equal(run_on("vgpuctl reap %s", LEFT), COMMAND_BUSY);
    assert_string_equal(typed.faults, "vgpuctl: reap: 1 of 1 vGPUs were left alone\n");
    scene.kernel.faults->remove_delay = 0;
}

/* Everything stays as before until the device is closed. But a lease that was claimed gets another
 * number. A process that read the lease earlier must read it again. */
TEST(in_use)
{
    static const unsigned numbers[] = {LEFT, BY_HAND};
    static const char *const lines[] = {"vgpuctl reap --dry-run %s", "vgpuctl reap %s"};

    populate();
    for (size_t i = 0; i < COUNT(numbers); i++) {
        struct fake_guest stray = fake_open(&scene.kernel, scene_device(numbers[i]));
        pid_t qemu = fake_hand_over(&stray);
        char words[64];

        snprintf(words, sizeof(words), " in use by process %d (", qemu);
        for (size_t k = 0; k < COUNT(lines); k++) {
            const uint64_t before = scene_number(&scene, scene_device(numbers[i]));

            assert_int_equal(run_on(lines[k], numbers[i]), COMMAND_BUSY);
            assert_true(k && before ? scene_number(&scene, scene_device(numbers[i])) > before
                                    : scene_number(&scene, scene_device(numbers[i])) == before);
            assert_said(numbers[i], "left alone: ");
            typed_assert_has(typed.printed, words);
            assert_true(is_there(numbers[i]));
            assert_int_equal(scene_leases(&scene, ""), 3);
            assert_int_equal(scene_leases(&scene, "kept"), 2);
        }
        assert_int_equal(run("vgpuctl reap"), numbers[i] == LEFT ? COMMAND_BUSY : COMMAND_DONE);
        fake_end(qemu);
        run_on("vgpuctl reap %s", numbers[i]);
        assert_false(is_there(numbers[i]));
        keep(LEFT);
    }
}

TEST(being_started)
{
    pid_t hook;

    scene.kernel.faults->stuck = true;
    hook = fork();
    if (hook == 0)
        _exit(scene_prepare(&scene, 7, 7, TYPE));
    while (!scene_leases(&scene, "pending") || !is_there(7))
        fake_sleep(1);
    assert_int_equal(run("vgpuctl reap"), COMMAND_DONE);
    assert_string_equal(typed.printed, "");
    assert_int_equal(run_on("vgpuctl reap %s", 7), COMMAND_BUSY);
    assert_said(7, "left alone: a process is at work on it\n");
    assert_int_equal(run("vgpuctl orphans"), COMMAND_DONE);
    assert_string_equal(typed.printed, "");
    scene.kernel.faults->stuck = false;
    scene_assert_ends_well(hook);
    /* libvirt was asked before it knew the domain. */
    assert_int_equal(run_on("vgpuctl reap %s", 7), COMMAND_BUSY);
    assert_said(7, "left alone: libvirt's daemon runs, and will give it back\n");
    assert_true(is_there(7));
}

/* The daemon that ran an unknown guest is gone. Another process now has its pid. */
TEST(daemon_is_gone)
{
    struct fake_guest stray;
    uint64_t number;
    int status;
    pid_t daemon = fork();

    if (daemon == 0) {
        pid_t hook = fork();

        if (hook == 0)
            _exit(scene_prepare(&scene, 7, 7, TYPE));
        _exit(waitpid(hook, &status, 0) != hook || status != 0);
    }
    scene_assert_ends_well(daemon);
    assert_int_equal(run("vgpuctl list -rn -o DEVICE,STATE,DOMAIN"), COMMAND_DONE);
    assert_said(7, "orphan guest7\n");
    /* The device is in use all the same. No daemon owes its release, so the device stays as it
     * was. */
    stray = fake_open(&scene.kernel, scene_device(7));
    number = scene_number(&scene, scene_device(7));
    assert_int_equal(run("vgpuctl reap"), COMMAND_BUSY);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_true(scene_number(&scene, scene_device(7)) > number);
    fake_close(&stray);
    assert_int_equal(run("vgpuctl reap"), COMMAND_DONE);
    assert_said(7, "removed\n");
    scene_assert_empty(&scene);
}

/* A change after libvirt was asked is not judged by libvirt's earlier answer. */
TEST(changed_meanwhile)
{
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};
    const struct ledger before = {0};
    const struct names named = {0};
    const struct reap_order order = {.before = &before, .named = &named};
    struct error error;

    keep(LEFT);
    assert_int_equal(reap_devices(&scene.kernel.host, &order, &outcomes, &error), 0);
    assert_int_equal(outcomes.count, 1);
    assert_int_equal(outcomes.items[0].outcome, OUTCOME_LEFT);
    assert_non_null(strstr(outcomes.items[0].why.text, "just changed"));
    assert_true(is_there(LEFT));
    assert_int_equal(scene_leases(&scene, "kept"), 1);
}

/* A domain that libvirt's API does not know may still be in libvirt's files. */
TEST(status_files)
{
    AUTO_FREE char *xml = scene_xml(9, "", (const unsigned[]){BY_HAND, 0});
    char path[64];

    populate();
    scene_put_status(&scene, 9, getpid(), xml);
    assert_int_equal(run_on("vgpuctl reap %s", BY_HAND), COMMAND_BUSY);
    assert_said(BY_HAND, "left alone: a running guest has it, as libvirt's status files say\n");
    fake_write(&scene.kernel, "run/libvirt/qemu/guest9.xml", "<domstatus");
    assert_int_equal(run_on("vgpuctl reap %s", BY_HAND), COMMAND_BUSY);
    assert_said(BY_HAND, "left alone: not all guests are known: /run/libvirt/qemu/guest9.xml: ");
    snprintf(path, sizeof(path), "run/libvirt/qemu/guest%u.xml", LEFT);
    fake_write(&scene.kernel, path, "<domstatus");
    assert_int_equal(run("vgpuctl reap"), COMMAND_DONE);
    assert_said(LEFT, "left alone: not all guests are known: ");
    assert_int_equal(fake_count(&scene.kernel), LAST);
    /* The lease says whose device it is, and the unreadable guest is another guest. */
    assert_int_equal(unlinkat(scene.kernel.host.root, path, 0), 0);
    assert_int_equal(run("vgpuctl reap"), COMMAND_DONE);
    assert_false(is_there(LEFT));
    assert_int_equal(fake_count(&scene.kernel), LAST - 1);
}

/* A libvirt with one more domain, which is larger than we read. */
static const char *
libvirt_with_a_costly_domain(void)
{
    AUTO_FREE char *defined = typed_domain(2, TYPED_DEFINED, (const unsigned[]){DEFINED, 0});
    AUTO_FREE char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out, "%s<domain type='test'><name>costly</name><metadata><m:a xmlns:m='urn:m'>",
            defined);
    for (int i = 0; i < 300000; i++)
        fprintf(out, "<m:b/>");
    fprintf(out, "</m:a></metadata><memory>65536</memory><os><type>hvm</type></os></domain>");
    fclose(out);
    return typed_libvirt(&scene, text);
}

/* For a kept vGPU only its own domain is read. All other domains are read if another vGPU belongs
 * to nobody. */
TEST(no_more_than_it_takes)
{
    keep(DEFINED);
    libvirt = libvirt_with_a_costly_domain();
    assert_int_equal(run("vgpuctl list -rn -o DEVICE,STATE,DOMAIN"), COMMAND_DONE);
    assert_said(DEFINED, "kept guest2\n");
    assert_string_equal(typed.faults, "");
    assert_int_equal(run("vgpuctl orphans"), COMMAND_DONE);
    typed_assert_has(typed.faults, "no orphans: a domain refers to every vGPU here");
    make(BY_HAND);
    assert_int_equal(run("vgpuctl list -rn -o DEVICE,STATE,DOMAIN"), COMMAND_DONE);
    assert_said(DEFINED, "kept guest2\n");
    assert_said(BY_HAND, "foreign -\n");
    typed_assert_has(typed.faults, "vgpuctl: list: the domain costly: ");
}

TEST(no_libvirt)
{
    static const char *const lines[] = {"vgpuctl orphans", "vgpuctl reap", "vgpuctl reap --dry-run",
                                        "vgpuctl reap dddddddd-0000-4000-8000-000000000004"};
    char line[512];

    populate();
    libvirt = "test:///no/such/node.xml";
    for (size_t i = 0; i < COUNT(lines); i++) {
        assert_int_equal(run(lines[i]), COMMAND_FAILED);
        assert_string_equal(typed.printed, "");
        typed_assert_has(typed.faults, ": cannot connect to test:///no/such/node.xml: ");
        typed_assert_has(typed.faults, "; only libvirt knows which domains are defined");
    }
    assert_int_equal(fake_count(&scene.kernel), LAST);
    assert_int_equal(run("vgpuctl list -rn -o DEVICE,STATE"), COMMAND_DONE);
    assert_said(LEFT, "kept\n");
    assert_said(BY_HAND, "foreign\n");
    typed_assert_has(typed.faults, "vgpuctl: list: cannot connect to test:///no/such/node.xml: ");
    typed_assert_has(typed.faults, "; so no vGPU is shown as an orphan\n");
    /* Another machine's file system has no libvirt that could be asked. So this is no problem. */
    snprintf(line, sizeof(line), "vgpuctl list -rn -o DEVICE,STATE --root %s", scene.kernel.path);
    assert_int_equal(run(line), COMMAND_DONE);
    assert_said(LEFT, "kept\n");
    assert_string_equal(typed.faults, "");
}

TEST(unknown)
{
    char line[256];

    populate();
    snprintf(line, sizeof(line), "vgpuctl reap %s %s", scene_device(BY_HAND), scene_device(77));
    assert_int_equal(run(line), COMMAND_FAILED);
    typed_assert_has(typed.faults,
                     "vgpuctl: reap: there is no vGPU dddddddd-0000-4000-8000-000000000077 here");
    assert_string_equal(typed.printed, "");
    assert_int_equal(run("vgpuctl reap guest1"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "there is no vGPU \"guest1\": ");
    assert_int_equal(fake_count(&scene.kernel), LAST);
    assert_int_equal(scene_leases(&scene, ""), 3);
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", "rubbish\n");
    assert_int_equal(run_on("vgpuctl reap %s", BY_HAND), COMMAND_FAILED);
    typed_assert_has(typed.faults, "/run/libvirt-vgpu/ledger");
    assert_true(is_there(BY_HAND));
}

/* The device of a lease is gone, because somebody removed it. */
TEST(gone)
{
    populate();
    assert_int_equal(fake_remove(&scene.kernel, scene_device(LEFT)), 0);
    assert_int_equal(run_on("vgpuctl reap --dry-run %s", LEFT), COMMAND_DONE);
    assert_said(LEFT, "would be forgotten\n");
    assert_int_equal(run_on("vgpuctl reap %s", LEFT), COMMAND_DONE);
    assert_said(LEFT, "forgotten\n");
    assert_int_equal(scene_leases(&scene, ""), 2);
}

/* While one process removes a device, no other process removes it, and no guest can get its
 * UUID. */
TEST(two_at_once)
{
    pid_t other, driver;

    make(BY_HAND);
    driver = hold_up(BY_HAND);
    other = fork();
    if (other == 0)
        _exit(run_on("vgpuctl reap %s", BY_HAND));
    while (!scene_leases(&scene, "removing"))
        fake_sleep(1);
    assert_int_equal(run_on("vgpuctl reap %s", BY_HAND), COMMAND_BUSY);
    assert_said(BY_HAND, "left alone: a process is at work on it\n");
    assert_int_equal(run("vgpuctl list -rn -o DEVICE,STATE,DOMAIN,ORIGIN"), COMMAND_DONE);
    assert_said(BY_HAND, "removing - foreign\n");
    assert_int_not_equal(scene_prepare(&scene, 7, BY_HAND, TYPE), 0);
    typed_assert_has(scene.said, "still being given back by the guest vgpuctl (removing); try");
    end(driver);
    scene_assert_ends_well(other);
    scene_assert_empty(&scene);
}

/* reap is killed in the middle, or the kernel refuses. Afterwards there is no lease for the vGPU,
 * which was never ours. */
TEST(interrupted)
{
    pid_t other, driver;
    unsigned writes;

    make(BY_HAND);
    writes = scene.kernel.faults->writes;
    driver = hold_up(BY_HAND);
    other = fork();
    if (other == 0)
        _exit(run_on("vgpuctl reap %s", BY_HAND));
    while (__atomic_load_n(&scene.kernel.faults->writes, __ATOMIC_SEQ_CST) == writes)
        fake_sleep(1);
    end(other);
    end(driver);
    while (fake_count(&scene.kernel))
        fake_sleep(1);
    /* The writer may hold the claim for a moment. */
    while (scene_leases(&scene, "")) {
        assert_int_equal(run("vgpuctl reconcile"), COMMAND_DONE);
        fake_sleep(1);
    }
    scene_assert_empty(&scene);
    make(BY_HAND);
    keep(LEFT);
    for (unsigned number = LEFT; number <= BY_HAND; number++) {
        scene.kernel.faults->fail_at = scene.kernel.faults->writes + 1;
        scene.kernel.faults->fail_with = EIO;
        assert_int_equal(run_on("vgpuctl reap %s", number), COMMAND_BUSY);
        assert_said(number, "left alone: the vGPU ");
        typed_assert_has(typed.printed, "was not removed from " GPU ": Input/output error\n");
        assert_true(is_there(number));
        assert_int_equal(scene_leases(&scene, ""), 1);
        assert_int_equal(scene_leases(&scene, "kept"), 1);
    }
}

/* A driver does not answer. The next device is removed all the same. */
TEST(stuck)
{
    uint64_t number;
    char line[256];
    pid_t driver;

    keep(LEFT);
    make(BY_HAND);
    driver = hold_up(BY_HAND);
    number = scene_number(&scene, scene_device(LEFT));
    snprintf(line, sizeof(line), "vgpuctl reap %s %s", scene_device(BY_HAND), scene_device(LEFT));
    assert_int_equal(run(line), COMMAND_BUSY);
    assert_said(BY_HAND, "left alone: the vGPU ");
    typed_assert_has(typed.printed, "its driver takes too long; see the kernel's log\n");
    assert_said(LEFT, "left alone: the vGPU ");
    assert_int_equal(scene_leases(&scene, "removing"), 1);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    assert_true(scene_number(&scene, scene_device(LEFT)) > number);
    end(driver);
    while (is_there(BY_HAND))
        fake_sleep(1);
    assert_int_equal(run("vgpuctl reap"), COMMAND_DONE);
    assert_string_equal(typed.printed, "dddddddd-0000-4000-8000-000000000003 removed\n");
    while (scene_leases(&scene, "")) {
        assert_int_equal(run("vgpuctl reconcile"), COMMAND_DONE);
        fake_sleep(1);
    }
    scene_assert_empty(&scene);
}

/* The flags of the calls to libvirt, which ask for both definitions of each domain. */
TEST(domains)
{
    AUTO(connection_close) struct connection *connection = NULL;
    AUTO(domains_clear) struct domains domains = {0};
    AUTO_FREE char *first = typed_domain(1, TYPED_DEFINED, (const unsigned[]){1, 2, 0});
    AUTO_FREE char *second = typed_domain(2, "", (const unsigned[]){1, 0});
    AUTO_FREE char *third = typed_domain(3, "<test:transient/>", (const unsigned[]){3, 0});
    const struct domain *user;
    struct name device;
    struct error error;
    char all[8192];

    snprintf(all, sizeof(all), "%s%s%s", first, second, third);
    assert_int_equal(connection_open(&scene.kernel.host, typed_libvirt(&scene, all),
                                     CONNECTION_READ, &connection, &error),
                     0);
    assert_int_equal(connection_domains(connection, &domains, &error), 0);
    assert_int_equal(domains.count, 3);
    assert_true(domains.complete);
    assert_string_equal(domains.items[0].name, "guest1");
    assert_true(domains.items[0].is_persistent && !domains.items[0].is_running);
    assert_int_equal(domains.items[0].live.hostdev_count, 0);
    assert_int_equal(domains.items[0].config.hostdev_count, 2);
    assert_true(domains.items[1].is_persistent && domains.items[1].is_running);
    assert_int_equal(domains.items[1].live.hostdev_count, 1);
    assert_int_equal(domains.items[1].config.hostdev_count, 1);
    assert_true(!domains.items[2].is_persistent && domains.items[2].is_running);
    assert_int_equal(domains.items[2].config.hostdev_count, 0);
    assert_ptr_equal(domains_find(&domains, "aaaaaaaa-0000-4000-8000-000000000003"),
                     &domains.items[2]);
    assert_null(domains_find(&domains, "guest4"));
    assert_int_equal(name_parse_uuid(&device, scene_device(1)), 0);
    user = domains_next_user(&domains, &device, NULL);
    assert_ptr_equal(user, &domains.items[1]);
    user = domains_next_user(&domains, &device, user);
    assert_ptr_equal(user, &domains.items[0]);
    assert_null(domains_next_user(&domains, &device, user));
}
