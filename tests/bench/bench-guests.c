/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-guests: the cost of a start, an end and a list on a host with many guests, compared with a
 * host with few guests. It is linked to libvirt, as vgpuctl is. So it is no part of "bench". */

#include "base/reader.h"
#include "bench/large.h"
#include "fake/typed.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GPUS      16
#define FUNCTIONS 32
#define ROUNDS    15
#define NEWCOMER  9999

enum step { PREPARE, RELEASE, CLEAR, LIST, STEPS };
static const char *const words[STEPS] = {
    "prepare",
    "release",
    "prepare, in place of a guest that was lost",
    "vgpuctl list",
};

static struct scene scene;

static double
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void
must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "bench: %s failed\n", what);
    exit(1);
}

/* A guest's XML, with a vGPU or without, and with enough disks for about 6 KB. The caller frees
 * it. */
static char *
guest_xml(unsigned guest, bool vgpu)
{
    AUTO_FREE char *xml = scene_xml(guest, vgpu ? "<vgpu:device type=\"A40-1Q\"/>" : "",
                                    (const unsigned[]){vgpu ? guest : 0, 0});
    char *end = strstr(xml, "  </devices>"), *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    fprintf(out, "%.*s", (int)(end - xml), xml);
    for (int i = 0; i < 20; i++)
        fprintf(out,
                "    <disk type='file' device='disk'>\n"
                "      <driver name='qemu' type='qcow2' cache='none'/>\n"
                "      <source file='/var/lib/libvirt/images/guest%02d.qcow2'/>\n"
                "      <target dev='vd%c' bus='virtio'/>\n"
                "    </disk>\n",
                i, 'a' + i);
    fprintf(out, "%s", end);
    fclose(out);
    return text;
}

/* Gives the guest its vGPU, and makes libvirt's status file say that the guest runs. */
static void
run_guest(unsigned guest)
{
    AUTO_FREE char *xml = guest_xml(guest, true);

    must(scene_hook(&scene, xml, "prepare", "begin") == 0, "a prepare");
    scene_put_status(&scene, guest, getpid(), xml);
}

/* A guest that ended together with its daemon. It had the new guest's device. So the next start has
 * to read libvirt's files of all guests. */
static void
lose_guest(void)
{
    pid_t daemon = fork();

    if (daemon == 0) {
        pid_t hook = fork();

        if (hook == 0)
            _exit(scene_prepare(&scene, NEWCOMER - 1, NEWCOMER, "A40-1Q"));
        waitpid(hook, NULL, 0);
        _exit(0);
    }
    waitpid(daemon, NULL, 0);
}

/* libvirt's test driver, with this many defined guests. */
static const char *
define_guests(unsigned running, unsigned defined)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *uri;

    for (unsigned i = 1; i <= defined; i++) {
        AUTO_FREE char *xml = typed_domain(i, "", (const unsigned[]){i <= running ? i : 0, 0});

        fputs(xml, out);
    }
    fclose(out);
    uri = typed_libvirt(&scene, text);
    free(text);
    return uri;
}

/* The cost of a step: the best of all rounds. */
struct cost {
    double seconds;
    unsigned opens; /* files and directories of /sys, /proc and /run */
};

static void
measure_step(enum step step, const char *xml, const char *libvirt, struct cost *ret)
{
    AUTO(typed_clear) struct typed typed = {0};

    for (int round = 0; round < ROUNDS; round++) {
        double began;

        if (step == RELEASE)
            must(scene_hook(&scene, xml, "prepare", "begin") == 0, "a prepare");
        if (step == CLEAR)
            lose_guest();
        scene.kernel.faults->opens = 0;
        began = now();
        if (step == LIST)
            must(typed_run(&scene, libvirt, "vgpuctl list", &typed) == 0, "a list");
        else if (step == RELEASE)
            must(scene_hook(&scene, xml, "release", "end") == 0, "a release");
        else
            must(scene_hook(&scene, xml, "prepare", "begin") == 0, "a prepare");
        began = now() - began;
        if (round == 0 || began < ret->seconds)
            *ret = (struct cost){began, scene.kernel.faults->opens};
        if (step == PREPARE || step == CLEAR)
            must(scene_hook(&scene, xml, "release", "end") == 0, "a release");
    }
}

static void
measure(unsigned running, unsigned defined, enum step first, struct cost costs[STEPS])
{
    AUTO_FREE char *machine = large_host(GPUS, FUNCTIONS, false);
    AUTO_FREE char *xml = guest_xml(NEWCOMER, true);
    const char *libvirt;

    scene_start(&scene, machine);
    scene.yields = READER_YIELDS;
    for (unsigned i = 1; i <= running; i++)
        run_guest(i);
    libvirt = define_guests(running, defined);
    for (unsigned step = first; step < STEPS; step++)
        measure_step(step, xml, libvirt, &costs[step]);
    scene_stop(&scene);
}

static void
print(const char *what, const struct cost *large, const struct cost *small)
{
    printf("  %-40s %5.2f   (%.2f ms beside %.2f ms; %u files opened beside %u)\n", what,
           large->seconds / small->seconds, large->seconds * 1e3, small->seconds * 1e3,
           large->opens, small->opens);
}

int
main(int argc, char *argv[])
{
    const unsigned few = 10, running = argc > 2 ? (unsigned)atoi(argv[1]) : 500;
    const unsigned defined = argc > 2 ? (unsigned)atoi(argv[2]) : 5000;
    struct cost small[STEPS], large[STEPS], defined_only[STEPS];

    fake_clock_use_real();
    measure(few, few, 0, small);
    measure(few, defined, LIST, defined_only);
    measure(running, defined, 0, large);
    printf("%u guests are defined, and %u run with a vGPU each on %d GPUs of %d functions; beside "
           "%u, best of %d:\n",
           defined, running, GPUS, FUNCTIONS, few, ROUNDS);
    for (unsigned step = 0; step < STEPS; step++)
        print(words[step], &large[step], &small[step]);
    printf("%u are defined, and %u run:\n", defined, few);
    print(words[LIST], &defined_only[LIST], &small[LIST]);
    return 0;
}
