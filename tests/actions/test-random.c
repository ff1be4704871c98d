/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Random operations, for as long as one likes. Guests start, end and arrive by migration. Hooks are
 * killed. The driver refuses, or answers late, or not at all. libvirt's daemon dies, and boards
 * vanish. Hosts are a small one with every interface, and those of tests/captures, in turn.
 *
 * After each operation every running guest has the vGPUs that it got, with one lease for each, and
 * nobody else has them. Now and then nothing goes wrong for a while. Then one `reconcile` removes
 * everything else, and each guest for which there is room must start. An operation is a call of the
 * hook, or a `reconcile`. See chance.h.
 */

#include "actions/random-host.h"
#include "actions/reconcile.h"
#include "device/vgpu.h"
#include "domain/request-parser.h"
#include "fake/captured.h"
#include "fake/chance.h"
#include "fake/fake-parts.h"
#include "fake/scene.h"
#include "lease/statedir.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPERATIONS 2000 /* so many are played without a wish; each host has its turn then */
#define STEPS      60   /* so many are played on one host, before the next is set up */
#define QUIET      10   /* so many STEPS are between two quiet moments, on average */

struct guest {
    struct name sources[DEVICES]; /* the devices in its present XML */
    struct fake_guest open[DEVICES];
    bool is_running;
    char *xml; /* the last text; at file scope, so that it is no leak in a process that was forked
                  meanwhile */
};

static struct scene scene;
static struct random_host here;
static struct words captures;
static struct guest guests[GUESTS];
static uint64_t seed, chances, operations;
static unsigned step, daemon_number;
static bool is_clean; /* nothing has gone wrong since the last quiet moment */
static bool has_board, is_kept;
static bool is_owed; /* a release was killed, perhaps before it left its mark */

#define MUST(condition, ...)                                                                       \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fail_msg("SEED=%llu ROUNDS=1, %s, step %u: not so: " #condition,                       \
                     (unsigned long long)seed, here.name, step);                                   \
        }                                                                                          \
    } while (0)

static size_t
count_devices(size_t guest)
{
    return *here.wishes[guest][1].source ? 2 : 1;
}

static const struct kind *
kind_of(size_t guest, size_t k)
{
    return &here.kinds[here.wishes[guest][k].kind];
}

/* --- the host --------------------------------------------------------------------------------- */

static void
put_process(int pid, const char *name, int parent, unsigned start)
{
    char text[256];

    snprintf(text, sizeof(text), "%d (%s) S %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 %u 0 0\n", pid,
             name, parent, start);
    fake_put(scene.kernel.host.root, text, "proc/%d/stat", pid);
}

/* This test's parent process plays libvirt's daemon. Its start time changes here. So it counts as
 * another daemon from now on. */
static void
start_daemon(void)
{
    put_process(getppid(), "libvirtd", 1, ++daemon_number);
}

static const char *
guest_xml(size_t guest)
{
    const char *sources[DEVICES + 1] = {NULL};
    char request[512] = "";

    for (unsigned i = 0; i < count_devices(guest); i++) {
        size_t length = strlen(request);

        sources[i] = guests[guest].sources[i].text;
        snprintf(request + length, sizeof(request) - length,
                 "<vgpu:device alias=\"ua-gpu%u\" type=\"%s\"/>", i + 1, kind_of(guest, i)->word);
    }
    free(guests[guest].xml);
    guests[guest].xml = scene_xml_of((unsigned)guest + 1, request, sources);
    return guests[guest].xml;
}

static void
reset_sources(size_t guest)
{
    for (size_t i = 0; i < count_devices(guest); i++)
        assert_int_equal(name_parse(&guests[guest].sources[i], here.wishes[guest][i].source), 0);
}

static void
set_up(void)
{
    const size_t which = seed % (captures.count + 1);

    random_host_start(&here, &scene, which ? captures.items[which - 1] : NULL, &chances);
    put_process(1, "systemd", 0, 1);
    put_process(getpid(), "test", getppid(), 1);
    start_daemon();
    is_kept = maybe(&chances, 40);
    is_clean = true;
    has_board = here.board != NULL;
    is_owed = false;
    fake_write(&scene.kernel, "etc/libvirt-vgpu/conf.d/random.conf",
               is_kept ? "unlike_vgpus = true; release = \"keep\"; prepare_timeout = \"400ms\";"
                       : "unlike_vgpus = true; release = \"reap\"; release_timeout = \"1s\"; "
                         "prepare_timeout = \"400ms\";");
    for (size_t i = 0; i < GUESTS; i++) {
        guests[i].is_running = false;
        reset_sources(i);
    }
}

/* --- what must be true ------------------------------------------------------------------------ */

/* The running guests have their vGPUs, with one lease for each, and nobody else has these vGPUs. */
static void
check_running(void)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error error;

    MUST(statedir_peek(&scene.kernel.host, &ledger, &error) == 0, "%s\n", error.text);
    for (size_t i = 0; i < GUESTS; i++) {
        for (size_t k = 0; guests[i].is_running && k < count_devices(i); k++) {
            const struct name *source = &guests[i].sources[k];
            const struct lease *lease = ledger_find(&ledger, source);
            char domain[40];

            snprintf(domain, sizeof(domain), "aaaaaaaa-0000-4000-8000-%012zu", i + 1);
            MUST(kind_of(i, k)->is_lent ||
                     !strcmp(fake_type_of(&scene.kernel, source->text), kind_of(i, k)->id),
                 "%s of guest %zu is no %s\n", source->text, i + 1, kind_of(i, k)->id);
            MUST(lease && lease->state == LEASE_HELD && !strcmp(lease->domain.text, domain) &&
                     !strcmp(lease->vgpu.type.text, kind_of(i, k)->id),
                 "%s of guest %zu has no lease, or another's\n", source->text, i + 1);
        }
    }
}

static unsigned
count_running(unsigned kind)
{
    unsigned count = 0;

    for (size_t i = 0; i < GUESTS; i++) {
        for (size_t k = 0; guests[i].is_running && k < count_devices(i); k++)
            count += here.wishes[i][k].kind == kind;
    }
    return count;
}

/* Is there room for the guest? No running guest has the devices that it names, and its vGPUs fit
 * beside those of running guests. */
static bool
finds_room(size_t guest)
{
    unsigned wanted[KINDS] = {0};

    for (size_t k = 0; k < count_devices(guest); k++) {
        wanted[here.wishes[guest][k].kind]++;
        for (size_t i = 0; i < GUESTS; i++) {
            for (size_t j = 0; guests[i].is_running && j < count_devices(i); j++) {
                if (name_equal(&guests[i].sources[j], &guests[guest].sources[k]))
                    return false;
            }
        }
    }
    for (unsigned kind = 0; kind < here.kind_count; kind++) {
        bool is_less = here.board && !has_board && kind == here.board_kind;
        unsigned room = here.kinds[kind].room - (is_less ? here.board_room : 0);

        if (wanted[kind] && count_running(kind) + wanted[kind] > room)
            return false;
    }
    return true;
}

/* --- faults ----------------------------------------------------------------------------------- */

/* The fake kernel's operations. They also count the calls of a process, which is killed at one of
 * them. */
static const struct host_ops *usual;
static struct host_ops killing;
static unsigned calls_left;

static void
count_call(void)
{
    if (--calls_left == 0)
        kill(getpid(), SIGKILL);
}

static ssize_t
killing_read(const struct host *host, const char *path, char *buffer, size_t size)
{
    count_call();
    return usual->read(host, path, buffer, size);
}

static int
killing_write(const struct host *host, const char *path, const char *text)
{
    count_call();
    return usual->write(host, path, text);
}

static int
killing_status(const struct host *host, const char *path, struct stat *ret)
{
    count_call();
    return usual->status(host, path, ret);
}

static int
killing_lock(const struct host *host, int fd, uint64_t nanoseconds)
{
    count_call();
    return usual->lock(host, fd, nanoseconds);
}

static uint64_t
killing_now(const struct host *host)
{
    count_call();
    return usual->now(host);
}

/* Runs the hook in a child process. The hook, or a child of it, is killed at one of its calls. Few
 * prepares make more than 120 calls, and few other operations make more than 40. */
static int
call_killed(const char *xml, const char *operation, const char *sub)
{
    const unsigned call = 1 + chance(&chances, strcmp(operation, "prepare") ? 40 : 120);
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        usual = scene.kernel.host.ops;
        killing = *usual;
        killing.read = killing_read;
        killing.write = killing_write;
        killing.status = killing_status;
        killing.lock = killing_lock;
        killing.now = killing_now;
        scene.kernel.host.ops = &killing;
        calls_left = call;
        _exit(scene_hook(&scene, xml, operation, sub));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    fake_sleep(1); /* Waits until the processes that the hook left behind have ended, or wait for
                      the driver. */
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
cause_trouble(void)
{
    struct fake_faults *faults = scene.kernel.faults;
    const struct fake_machine *machine = scene.kernel.machine;

    faults->writes = 0;
    faults->refuse = maybe(&chances, 20) ? 1 + chance(&chances, 3) : 0;
    faults->unreadable = maybe(&chances, 10) ? 1 + chance(&chances, 5) : 0;
    faults->fail_at = maybe(&chances, 20) ? 1 + chance(&chances, 4) : 0;
    faults->fail_with = maybe(&chances, 50) ? EIO : EBUSY;
    faults->create_delay = maybe(&chances, 20) ? chance(&chances, 800) : 0;
    faults->remove_delay = maybe(&chances, 20) ? chance(&chances, 1500) : 0;
    if (machine->gpu_count && maybe(&chances, 10)) {
        const char *gpu = machine->gpus[chance(&chances, (unsigned)machine->gpu_count)].name;

        snprintf(faults->slow, sizeof(faults->slow), "%.10s", gpu);
        faults->slow_by = chance(&chances, 200);
        faults->mute = maybe(&chances, 50);
    }
}

static void
end_trouble(void)
{
    scene.kernel.faults->mute = false;
    *scene.kernel.faults = (struct fake_faults){0};
}

/* Calls the hook. Mostly nothing goes wrong. Otherwise the hook is killed, or the driver makes
 * trouble. -1: the hook was killed. */
static int
call(size_t guest, const char *operation, const char *sub)
{
    const char *xml = guest_xml(guest);
    unsigned fortune = chance(&chances, 100);
    int status;

    operations++;
    if (fortune < 80)
        return scene_hook(&scene, xml, operation, sub);
    is_clean = false;
    if (fortune < 90)
        cause_trouble();
    status = fortune < 85 || fortune >= 90 ? call_killed(xml, operation, sub)
                                           : scene_hook(&scene, xml, operation, sub);
    end_trouble();
    return status;
}

/* --- operations ------------------------------------------------------------------------------- */

/* libvirt reports the guest as running to all who ask, and QEMU has the devices open. */
static void
run(size_t guest)
{
    const char *xml = guest_xml(guest);

    scene_put_status(&scene, (unsigned)guest + 1, getpid(), xml);
    for (size_t k = 0; k < count_devices(guest); k++) {
        guests[guest].open[k] = fake_open(&scene.kernel, guests[guest].sources[k].text);
        MUST(guests[guest].open[k].device >= 0, "%s cannot be opened\n",
             guests[guest].sources[k].text);
    }
    guests[guest].is_running = true;
}

/* The guest's QEMU ends, and libvirt forgets the guest. */
static void
stop(size_t guest)
{
    for (size_t k = 0; k < count_devices(guest); k++)
        fake_close(&guests[guest].open[k]);
    fake_drop(scene.kernel.host.root, 0, "run/libvirt/qemu/guest%zu.xml", guest + 1);
    guests[guest].is_running = false;
}

static void
release(size_t guest)
{
    int status = call(guest, "release", "end");

    MUST(status == 0 || status == -1, "%s", scene.said);
    is_owed |= status == -1;
    reset_sources(guest);
}

static void
end_guest(size_t guest)
{
    stop(guest);
    release(guest);
}

static void
start_guest(size_t guest)
{
    bool was_clean = is_clean, has_room = finds_room(guest);
    int status = call(guest, "prepare", "begin");

    MUST(status != 0 || has_room, "guest %zu starts\n", guest + 1);
    MUST(status == 0 || !has_room || !was_clean || !is_clean, "%s", scene.said);
    if (status == 0 && maybe(&chances, 90) && call(guest, "start", "begin") == 0) {
        run(guest);
        (void)call(guest, "started", "begin");
    } else {
        release(guest);
    }
}

/* If the guest's devices cannot be had here, the guest comes with other sources. */
static void
take_printed(size_t guest)
{
    const struct document document = {scene.printed, strlen(scene.printed)};
    AUTO(request_clear) struct request request = {0};
    struct error error;

    MUST(request_parse(&document, &request, &error) == 0, "%s\n", error.text);
    for (size_t k = 0; k < count_devices(guest); k++)
        guests[guest].sources[k] = request.hostdevs[k].source;
}

/* If the guest cannot come now, its place stays promised to it for a minute. */
static void
guest_arrives(size_t guest)
{
    const char *xml = guest_xml(guest);

    operations++;
    if (scene_hook(&scene, xml, maybe(&chances, 50) ? "migrate" : "restore", "begin") == 0) {
        if (*scene.printed)
            take_printed(guest);
        start_guest(guest);
    }
    is_clean &= guests[guest].is_running;
}

/* Some guests end meanwhile, and nobody is told of it. */
static void
daemon_dies(void)
{
    for (size_t i = 0; i < GUESTS; i++) {
        if (guests[i].is_running && maybe(&chances, 20)) {
            stop(i);
            reset_sources(i);
            is_clean = false;
        }
    }
    start_daemon();
    is_owed = false;
    for (size_t i = 0; i < GUESTS; i++) {
        if (guests[i].is_running)
            MUST(call(i, "reconnect", "begin") <= 0, "%s", scene.said);
    }
}

static void
reconcile(bool must_succeed)
{
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};
    struct error error;
    int rc = reconcile_host(&scene.kernel.host, &outcomes, &error);

    operations++;
    MUST(!must_succeed || rc == 0, "%s\n", error.text);
    MUST(!must_succeed || outcomes.failed == 0, "%zu failed\n", outcomes.failed);
}

/* The number of leases for which a vGPU was made. In a pool nothing is made. */
static size_t
count_made(void)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error error;
    size_t count = 0;

    assert_int_equal(statedir_peek(&scene.kernel.host, &ledger, &error), 0);
    for (size_t i = 0; i < ledger.count; i++)
        count += ledger.leases[i].vgpu.interface != &vgpu_pool;
    return count;
}

/* For a while nothing goes wrong. Then only the vGPUs of guests, and kept vGPUs, are left. */
static void
be_quiet(void)
{
    size_t running = 0;

    fake_sleep(
        61000); /* waits for the end of promises, and of the processes that hooks left behind */
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    if (is_owed)
        daemon_dies();
    fake_sleep(61000);
    reconcile(true);
    for (unsigned kind = 0; kind < here.kind_count; kind++)
        running += count_running(kind);
    MUST(scene_leases(&scene, "held") == running, "%zu leases are held, and not %zu\n",
         scene_leases(&scene, "held"), running);
    MUST(scene_leases(&scene, "") == running + scene_leases(&scene, "kept"),
         "%zu leases, of which %zu are held\n", scene_leases(&scene, ""), running);
    MUST(fake_count(&scene.kernel) == count_made(), "%zu vGPUs, and %zu leases\n",
         fake_count(&scene.kernel), count_made());
    MUST(is_kept || scene_leases(&scene, "kept") == 0, "%zu are kept\n",
         scene_leases(&scene, "kept"));
    is_clean = true;
}

/* A board without vGPUs vanishes, so that nobody loses a vGPU. */
static void
board_vanishes(void)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error error;

    assert_int_equal(statedir_peek(&scene.kernel.host, &ledger, &error), 0);
    for (size_t i = 0; i < ledger.count; i++) {
        if (!strcmp(ledger.leases[i].gpu.text, here.board))
            return;
    }
    fake_vanish(&scene.kernel, here.board);
    has_board = false;
}

static void
operate(void)
{
    unsigned what = chance(&chances, 100);
    size_t guest = chance(&chances, GUESTS);

    if (what < 3)
        daemon_dies();
    else if (what < 8)
        reconcile(false);
    else if (guests[guest].is_running)
        end_guest(guest);
    else if (what < 20)
        guest_arrives(guest);
    else
        start_guest(guest);
    check_running();
    if (chance(&chances, QUIET))
        return;
    be_quiet();
    check_running();
    if (has_board && maybe(&chances, 5))
        board_vanishes();
}

/* All guests end, and their daemon, too. */
static void
tear_down(void)
{
    for (size_t i = 0; i < GUESTS; i++) {
        if (guests[i].is_running)
            end_guest(i);
    }
    be_quiet();
    for (size_t i = 0; i < GUESTS; i++) {
        free(guests[i].xml);
        guests[i].xml = NULL;
    }
    scene_stop(&scene);
}

UNIT_TEST(random_operations)
{
    uint64_t first = chance_setting("SEED", SEED), wanted = chance_rounds(OPERATIONS);

    captured_list(&captures);
    for (seed = first; operations < wanted; seed++) {
        chances = seed;
        set_up();
        for (step = 0; step < STEPS; step++)
            operate();
        tear_down();
    }
    assert_true(wanted < OPERATIONS || seed - first > captures.count);
    words_clear(&captures);
    print_message("%llu operations, seeds %llu to %llu\n", (unsigned long long)operations,
                  (unsigned long long)first, (unsigned long long)seed - 1);
}
