/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A storm: guests start and end, administrators type commands, users have odd files open, and
 * processes are killed, all at the same time. No guest loses what it has open, nothing is left at
 * the end, and no start is refused for a file of a user without rights.
 *
 * An ordinary run plays a few rounds. With LONG=1 the storm goes on for a minute.
 */

#include "base/array.h"
#include "fake/chance.h"
#include "fake/fake-clock.h"
#include "fake/nvidia-tools.h"
#include "fake/typed.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GUESTS        32
#define T4            "0000:18:00.0"
#define L40S          "0000:3d:00.0"
#define B60           "0000:03:00.0"
#define B60_FUNCTIONS 8
#define B60_PROFILE   (8ull << 30) /* bytes */
#define MACHINE                                                                                    \
    "gpu " T4 " rule size\ntype nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 6\n"                \
    "gpu 0000:19:00.0 rule size\ntype nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 6\n"          \
    "gpu " L40S " vf vfs 16 rule size\ntype nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max "  \
    "6\n"                                                                                          \
    "gpu " B60 " xe vfs 8 memory 24480\n"
#define CONFIGURATION                                                                              \
    "profiles = { b60-8g = { vram = \"8G\"; }; };\n"                                               \
    "gpus = ( { address = \"" L40S "\"; setup = { functions = \"all\"; }; },\n"                    \
    "         { address = \"" B60 "\"; vram = \"24G\"; setup = { functions = 8; }; } );\n"

static struct scene scene;
static const struct scene_case here = {
    .scene = &scene, .machine = MACHINE, .configuration = CONFIGURATION};

/* --- for how long ----------------------------------------------------------------------------- */

/* Shared with all processes. */
static struct storm {
    bool is_over;
    bool has_run[GUESTS + 1]; /* the guest had its vGPU at least once */
} * storm;

static bool
goes_on(unsigned round, uint64_t rounds)
{
    return getenv("LONG") ? !storm->is_over : round < rounds;
}

/* --- processes that may be killed ------------------------------------------------------------- */

/* Waits for a process, or kills it at a random moment of the real clock. The exit status; -1: it
 * was killed. */
static int
await(pid_t pid, uint64_t *seed, unsigned percent)
{
    int status;

    if (maybe(seed, percent)) {
        struct timespec length = {0, chance(seed, 4000) * 1000l};

        nanosleep(&length, NULL);
        kill(pid, SIGKILL);
    }
    if (waitpid(pid, &status, 0) != pid)
        _exit(9);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Prints what must not be, and ends this process. */
static void __attribute__((noreturn)) FORMAT(2, 3) fail_in(const char *who, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fprintf(stderr, "%s: ", who);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    _exit(1);
}

/* --- guests ----------------------------------------------------------------------------------- */

struct guest {
    unsigned number;
    const char *source; /* a UUID, or the address of a function */
    const char *type;   /* that it asks for */
    const char *made;   /* what the kernel then says of the device; NULL: its profile tells */
    char *xml;
    uint64_t seed;
};

/* Another process calls the hook, as libvirt does. What it said is in scene.said only if nobody
 * kills it, so refusals are looked at there. */
static int
call(struct guest *guest, const char *operation, const char *sub, unsigned percent)
{
    pid_t pid = fork();

    if (pid == 0) {
        int rc = scene_hook(&scene, guest->xml, operation, sub);

        if (rc && strstr(scene.said, "odd-files"))
            fail_in(operation, "%s", scene.said);
        _exit(rc);
    }
    return await(pid, &guest->seed, percent);
}

static bool
has_its_device(const struct guest *guest)
{
    return guest->made ? !strcmp(fake_type_of(&scene.kernel, guest->source), guest->made)
                       : *fake_profile(&scene.kernel, guest->source) == B60_PROFILE;
}

static void
run(struct guest *guest)
{
    struct fake_guest qemu = fake_open(&scene.kernel, guest->source);
    char status[64];

    if (qemu.device < 0)
        fail_in(guest->source, "QEMU cannot open the device of guest%u: %s", guest->number,
                strerror(-qemu.device));
    scene_put_status(&scene, guest->number, getpid(), guest->xml);
    if (call(guest, "started", "begin", 20) > 0)
        fail_in(guest->source, "started fails, and guest%u is killed", guest->number);
    for (unsigned i = chance(&guest->seed, 4); i > 0; i--) {
        fake_sleep(chance(&guest->seed, 10));
        if (!has_its_device(guest))
            fail_in(guest->source, "was removed while guest%u had it open", guest->number);
    }
    fake_close(&qemu);
    snprintf(status, sizeof(status), "run/libvirt/qemu/guest%u.xml", guest->number);
    if (unlinkat(scene.kernel.host.root, status, 0) < 0)
        fail_in(status, "%s", strerror(errno));
}

/* libvirt calls `release` also after a start that was refused or killed. */
static void
live(struct guest *guest)
{
    for (unsigned round = 0; goes_on(round, chance_rounds(6)); round++) {
        if (call(guest, "prepare", "begin", 15) == 0 && call(guest, "start", "begin", 0) == 0) {
            run(guest);
            storm->has_run[guest->number] = true;
        }
        call(guest, "release", "end", 15);
        /* A card has nobody now and then. Only then is it changed. */
        fake_sleep(1 + chance(&guest->seed, 600));
    }
    _exit(0);
}

static pid_t
begin_guest(unsigned number)
{
    static const struct {
        const char *gpu, *type, *made;
        unsigned functions;
    } kinds[] = {{NULL, "T4-1B", "nvidia-222", 0},
                 {L40S, "L40S-8Q", "nvidia-1152", 16},
                 {NULL, "T4-1B", "nvidia-222", 0},
                 {B60, "b60-8g", NULL, B60_FUNCTIONS}};
    const unsigned kind = number % COUNT(kinds);
    char type[64];
    struct guest guest = {
        .number = number,
        .source = kinds[kind].gpu
                      ? scene_function(kinds[kind].gpu, number / 4 % kinds[kind].functions)
                      : scene_device(number),
        .type = kinds[kind].type,
        .made = kinds[kind].made,
        .seed = chance_setting("SEED", SEED) + number};
    pid_t pid = fork();

    if (pid)
        return pid;
    snprintf(type, sizeof(type), "type=\"%s\"", guest.type);
    guest.xml = scene_xml_at(number, guest.source, type);
    live(&guest);
    return 0;
}

/* --- administrators --------------------------------------------------------------------------- */

static const char *const commands[] = {
    "vgpuctl setup",
    "vgpuctl sriov disable " L40S,
    "vgpuctl sriov enable " L40S,
    "vgpuctl sriov disable " B60,
    "vgpuctl sriov enable " B60,
    "vgpuctl reap",
    "vgpuctl reconcile",
    "vgpuctl drain " T4,
    "vgpuctl undrain " T4,
    "vgpuctl capture /dev/null",
    "vgpuctl gpus",
    "vgpuctl status",
};

static pid_t
begin_administrator(unsigned number)
{
    uint64_t seed = chance_setting("SEED", SEED) + 1000 + number;
    pid_t pid = fork();

    if (pid)
        return pid;
    for (unsigned round = 0; goes_on(round, chance_rounds(40)); round++) {
        const char *line = commands[chance(&seed, COUNT(commands))];
        pid_t command = fork();

        if (command == 0) {
            struct typed typed = {0};

            typed_run(&scene, "test:///default", line, &typed);
            _exit(0);
        }
        await(command, &seed, 20);
        fake_sleep(1 + chance(&seed, 10));
    }
    _exit(0);
}

/* --- a user without rights -------------------------------------------------------------------- */

/* Has files open whose names are those of devices. */
static pid_t
begin_odd_user(void)
{
    static const char *const names[] = {"dev/vfio/1", "dev/vfio/devices/vfio1", "dev/nvidia0"};
    char directory[] = "/tmp/odd.XXXXXX";
    pid_t pid = fork();

    if (pid)
        return pid;
    prctl(PR_SET_NAME, "odd-files");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!mkdtemp(directory) || chdir(directory) < 0 || mkdir("dev", 0755) < 0 ||
        mkdir("dev/vfio", 0755) < 0 || mkdir("dev/vfio/devices", 0755) < 0)
        _exit(1);
    for (size_t i = 0; i < COUNT(names); i++) {
        if (open(names[i], O_RDWR | O_CREAT | O_CLOEXEC, 0600) < 0 || unlink(names[i]) < 0)
            _exit(1);
    }
    if (rmdir("dev/vfio/devices") < 0 || rmdir("dev/vfio") < 0 || rmdir("dev") < 0 ||
        rmdir(directory) < 0 || (geteuid() == 0 && setuid(65534) < 0))
        _exit(1);
    for (;;)
        pause();
}

/* --- tools ------------------------------------------------------------------------------------ */

/* A tool takes its time before it does anything. Meanwhile guests start. */
static int
run_slowly(const struct host *host, char *const argv[], int out, unsigned milliseconds)
{
    fake_sleep(30);
    return nvidia_tools_run(host, argv, out, milliseconds);
}

/* --- the storm -------------------------------------------------------------------------------- */

/* Whether a function of the B60 still has the memory that a guest asked for. */
static bool
has_guests_memory(void)
{
    for (unsigned i = 0; i < B60_FUNCTIONS; i++) {
        if (*fake_profile(&scene.kernel, scene_function(B60, i)) == B60_PROFILE)
            return true;
    }
    return false;
}

/* What was killed anywhere is sorted out by one reconcile, once nobody works any more. Intel's
 * driver gives functions memory when they are enabled. If the command was killed before it took
 * this memory back, setup does so. */
static void
assert_nothing_is_left(void)
{
    struct typed typed = {0};

    typed_run(&scene, "test:///default", "vgpuctl undrain " T4, &typed);
    /* A writer that was left behind may still be at work. */
    for (unsigned i = 0; i < 100 && (fake_count(&scene.kernel) || scene_leases(&scene, "")); i++) {
        scene_reconcile(&scene);
        if (!has_guests_memory())
            typed_run(&scene, "test:///default", "vgpuctl setup", &typed);
        fake_sleep(100);
    }
    scene_assert_empty(&scene);
    typed_clear(&typed);
}

SCENE_TEST(everything_at_once, here)
{
    const pid_t odd = begin_odd_user();
    pid_t pids[GUESTS + 3];
    unsigned count = 0, failed = 0, ran = 0;

    storm = fake_clock_take_flags(sizeof(*storm));
    nvidia_tools_install(&scene.kernel, L40S, 16);
    scene.kernel.host.run = run_slowly;
    for (unsigned i = 1; i <= GUESTS; i++)
        pids[count++] = begin_guest(i);
    for (unsigned i = 1; i <= 3; i++)
        pids[count++] = begin_administrator(i);
    if (getenv("LONG")) {
        const struct timespec minute = {60, 0};

        nanosleep(&minute, NULL);
        storm->is_over = true;
    }
    for (unsigned i = 0; i < count; i++) {
        int status;

        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        failed += status != 0;
    }
    fake_end(odd);
    for (unsigned i = 1; i <= GUESTS; i++)
        ran += storm->has_run[i];
    fake_clock_return_flags(storm);
    assert_int_equal(failed, 0);
    /* Else nothing was shown. */
    assert_true(ran > 0);
    assert_nothing_is_left();
}
