/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench SCRATCH HOOK: prints the figures of bench.sh. bench WORD A B: prints one of them, measured
 * in this process. */

#include "actions/incoming.h"
#include "base/reader.h"
#include "bench/large.h"
#include "domain/request-parser.h"
#include "fake/scene.h"
#include "hook.h"
#include "lease/statedir.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS            400
#define TURNS             40 /* of whole starts */
#define CROWD_ROUNDS      5
#define HOPELESS          13 /* vGPUs of a guest */
#define HOPELESS_STARTS   25
#define MOST_BESIDE_TABLE 1.5
#define MOST_OPENS        3 /* for each of many functions */

static const char machine[] = "gpu 0000:18:00.0 rule size\n"
                              "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"
                              "type nvidia-223 \"GRID T4-2B\" framebuffer 2048 max 8\n"
                              "type nvidia-230 \"GRID T4-1Q\" framebuffer 1024 max 16\n";

/* A guest with enough disks for this many bytes. The caller frees it. */
static char *
guest_of_size(size_t size, const char *devices, const unsigned *numbers)
{
    char *xml = scene_xml(1, devices, numbers);
    char *end = strstr(xml, "  </devices>"), *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    fprintf(out, "%.*s", (int)(end - xml), xml);
    for (int i = 0; (size_t)ftell(out) + strlen(end) < size; i++)
        fprintf(out,
                "    <disk type='file' device='disk'>\n"
                "      <driver name='qemu' type='qcow2' cache='none'/>\n"
                "      <source file='/var/lib/libvirt/images/guest%02d.qcow2'/>\n"
                "      <target dev='vd%c' bus='virtio'/>\n"
                "      <address type='pci' domain='0x0000' bus='0x04' slot='0x00'/>\n"
                "    </disk>\n",
                i, 'a' + i % 26);
    fprintf(out, "%s", end);
    fclose(out);
    free(xml);
    return text;
}

/* A guest of about 6 KB, with or without a vGPU. The caller frees it. */
static char *
guest_of_six_kilobytes(bool vgpu)
{
    return guest_of_size(6 << 10, vgpu ? "<vgpu:device type=\"nvidia-222\"/>" : "",
                         (const unsigned[]){vgpu ? 1 : 0, 0});
}

static void
give_up(const char *what)
{
    fprintf(stderr, "bench: %s failed\n", what);
    exit(1);
}

static double
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The seconds of one run of the hook, from fork to its end. */
static double
run_once(const char *program, int input)
{
    const char *argv[] = {program, "guest1", "prepare", "begin", "-", NULL};
    double began = now();
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        lseek(input, 0, SEEK_SET);
        dup2(input, STDIN_FILENO);
        execv(program, (char *const *)argv);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "bench: %s failed\n", program);
        exit(1);
    }
    return now() - began;
}

static int
compare(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;

    return (difference > 0) - (difference < 0);
}

static void
bench_plain_guest(const char *scratch, const char *hook)
{
    static const char *const words[] = {"#!/bin/bash, exit 0", "an empty C program",
                                        "the same with libxml2 and libconfig",
                                        "the hook, guest without a vGPU"};
    static double times[4][ROUNDS];
    char programs[4][256];
    char *xml = guest_of_six_kilobytes(false), path[256];
    int input;

    snprintf(programs[0], 256, "%s/shell", scratch);
    snprintf(programs[1], 256, "%s/empty", scratch);
    snprintf(programs[2], 256, "%s/libraries", scratch);
    snprintf(programs[3], 256, "%s", hook);
    snprintf(path, sizeof(path), "%s/guest.xml", scratch);
    input = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (write(input, xml, strlen(xml)) != (ssize_t)strlen(xml))
        exit(1);
    /* Measures in turns, so that other load on the machine affects all of them. */
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 4; i++)
            times[i][round] = run_once(programs[i], input);
    }
    for (int i = 0; i < 4; i++)
        qsort(times[i], ROUNDS, sizeof(double), compare);
    printf("A whole process, from fork to its end; median of %d runs in turns, XML of %zu bytes:\n",
           ROUNDS, strlen(xml));
    for (int i = 0; i < 4; i++)
        printf("  %-38s %5.2f   (%.2f ms)\n", words[i], times[i][ROUNDS / 2] / times[0][ROUNDS / 2],
               times[i][ROUNDS / 2] * 1e3);
    free(xml);
    close(input);
}

static void
print_memory(void)
{
    FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    unsigned kib;

    while (rollup && fgets(line, sizeof(line), rollup)) {
        if (sscanf(line, "Private_Dirty: %u kB", &kib) == 1)
            printf("  private dirty memory: %u KiB, the test's own fake kernel included\n", kib);
    }
    if (rollup)
        fclose(rollup);
}

/* Is called in a fresh process. Makes one prepare on the fake kernel, and prints the memory and the
 * number of opened files. */
static int
one_prepare(void)
{
    static struct scene scene;
    char *xml = guest_of_six_kilobytes(true);
    unsigned opens;
    int status;

    scene_start(&scene, machine);
    scene.yields = READER_YIELDS;
    scene.kernel.faults->opens = 0;
    status = scene_hook(&scene, xml, "prepare", "begin");
    opens = scene.kernel.faults->opens;
    print_memory();
    printf("  files and directories opened in /sys, /proc and the state directory: %u\n", opens);
    scene_hook(&scene, xml, "release", "end");
    scene_stop(&scene);
    free(xml);
    return status;
}

/* A table of some megabytes, as NVIDIA installs it. The caller frees it. */
static char *
table_of_nvidia(void)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out, "<vgpuconfig>\n");
    for (unsigned i = 1; i <= 9000; i++)
        fprintf(out,
                "<vgpuType id=\"%u\" name=\"GRID T4-%uB\" class=\"NVS\"><display width=\"5120\" "
                "height=\"2880\"/><numHeads>4</numHeads><profileSize>0x40000000</profileSize>"
                "<multiVgpuSupported>0</multiVgpuSupported></vgpuType>\n",
                i, i);
    fprintf(out, "<pgpu><devId vendorId=\"0x10de\" deviceId=\"0x1EB8\" subsystemId=\"0x0\"/>"
                 "<supportedVgpu vgpuId=\"222\"><maxVgpus>16</maxVgpus></supportedVgpu></pgpu>\n"
                 "</vgpuconfig>\n");
    fclose(out);
    return text;
}

static double
processor_time(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Is called in a fresh process. /sys tells all of this card. So a start is to be as fast beside
 * NVIDIA's own table as without it. A start that read the table took eight times as long. */
static int
one_beside_table(void)
{
    static double times[2][TURNS];
    static struct scene scene;
    char *xml = guest_of_six_kilobytes(true), *table = table_of_nvidia();
    char there[300], aside[sizeof(there)];
    double ratio;

    scene_start(&scene, machine);
    scene.yields = READER_YIELDS;
    fake_write(&scene.kernel, "usr/share/nvidia/vgpu/vgpuConfig.xml", table);
    snprintf(there, sizeof(there), "%s/usr/share/nvidia/vgpu/vgpuConfig.xml", scene.kernel.path);
    snprintf(aside, sizeof(aside), "%s/vgpuConfig.xml", scene.kernel.path);
    for (int round = 0; round < TURNS; round++) {
        for (int with = 0; with < 2; with++) {
            if (with ? rename(aside, there) : rename(there, aside))
                give_up("moving the table");
            times[with][round] = processor_time();
            if (scene_hook(&scene, xml, "prepare", "begin"))
                give_up("prepare");
            times[with][round] = processor_time() - times[with][round];
            scene_hook(&scene, xml, "release", "end");
        }
    }
    for (int i = 0; i < 2; i++)
        qsort(times[i], TURNS, sizeof(double), compare);
    ratio = times[1][0] / times[0][0];
    printf(
        "  beside NVIDIA's table of %.1f MB: %.2f of the processor time%s; best of %d in turns\n",
        (double)strlen(table) / 1e6, ratio, ratio > MOST_BESIDE_TABLE ? ", FAILED" : "", TURNS);
    scene_stop(&scene);
    free(table);
    free(xml);
    return ratio > MOST_BESIDE_TABLE;
}

static double
seconds_of_parsing(const struct document *document)
{
    AUTO(request_clear) struct request request = {0};
    struct error error;
    double began = now();

    if (request_parse(document, &request, &error) < 0)
        give_up("parsing");
    return now() - began;
}

/* Rewrites a parsed document with other UUIDs, and checks the result, as the hook does. */
static double
seconds_of_rewriting(const struct scene *scene, const struct document *document)
{
    AUTO(document_clear) struct document changed = {0};
    AUTO(request_clear) struct request request = {0};
    struct error error;
    double began;

    if (request_parse(document, &request, &error) < 0)
        give_up("parsing");
    began = now();
    if (incoming_migrate(&scene->kernel.host, document, &request, &changed, &error) < 0 ||
        !changed.text)
        give_up("the rewrite");
    return now() - began;
}

/* All that the hook does at `migrate`, including reading and printing. */
static double
seconds_of_migrate(const struct scene *scene, int input, int output)
{
    static const char *const argv[] = {"hook", "guest1", "migrate", "begin", "-", NULL};
    double began = now();

    lseek(input, 0, SEEK_SET);
    if (hook_run(&scene->kernel.host, true, 5, (char *const *)argv, input, output, STDERR_FILENO))
        give_up("migrate");
    return now() - began;
}

/* Is called in a fresh process. A guest arrives, and both of its UUIDs are taken on this host.
 * Prints the time and the memory. */
static int
one_arrival(void)
{
    static const char *const words[] = {"parsing it", "the rewrite, once it is parsed",
                                        "all of it, reading and printing too"};
    static double times[3][ROUNDS];
    static struct scene scene;
    char *xml =
        guest_of_size(64 << 10,
                      "<vgpu:device alias=\"ua-gpu1\" type=\"nvidia-222\"/>"
                      "<vgpu:device uuid=\"dddddddd-0000-4000-8000-000000000002\" type=\"T4-1B\"/>",
                      (const unsigned[]){1, 2, 0});
    const struct document document = {xml, strlen(xml)};
    AUTO_CLOSE int input = memfd_create("input", MFD_CLOEXEC);
    AUTO_CLOSE int output = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (write(input, xml, strlen(xml)) != (ssize_t)strlen(xml))
        give_up("writing the XML");
    scene_start(&scene, machine);
    scene.yields = READER_YIELDS;
    for (unsigned i = 1; i <= 2; i++) {
        if (fake_make(&scene.kernel, "0000:18:00.0", "nvidia-222", scene_device(i)) < 0)
            give_up("making a vGPU");
    }
    for (int round = 0; round < ROUNDS; round++) {
        times[0][round] = seconds_of_parsing(&document);
        times[1][round] = seconds_of_rewriting(&scene, &document);
        times[2][round] = seconds_of_migrate(&scene, input, output);
    }
    for (int i = 0; i < 3; i++)
        qsort(times[i], ROUNDS, sizeof(double), compare);
    printf("A guest arrives, XML of %zu bytes, two UUIDs to be replaced; median of %d in turns:\n",
           strlen(xml), ROUNDS);
    for (int i = 0; i < 3; i++)
        printf("  %-38s %5.2f   (%.2f ms)\n", words[i], times[i][ROUNDS / 2] / times[0][ROUNDS / 2],
               times[i][ROUNDS / 2] * 1e3);
    print_memory();
    scene_stop(&scene);
    free(xml);
    return 0;
}

/* --- the time under the lock, from getting the lock to its release ---------------------------- */

void __real_statedir_unlock(struct statedir *statedir);
void __wrap_statedir_unlock(struct statedir *statedir);

static double locked_at, locked_for; /* the longest of these times */

static int
lock(const struct host *host, int fd, uint64_t nanoseconds)
{
    int rc = fake_clock_lock(host, fd, nanoseconds);

    locked_at = now();
    return rc;
}

void
__wrap_statedir_unlock(struct statedir *statedir)
{
    bool held = statedir->lock >= 0;

    __real_statedir_unlock(statedir);
    if (held && now() - locked_at > locked_for)
        locked_for = now() - locked_at;
}

static void
watch_lock(struct scene *scene)
{
    static struct host_ops ops;

    ops = *scene->kernel.host.ops;
    ops.lock = lock;
    scene->kernel.host.ops = &ops;
}

/* A guest that asks for any place, or names the last of all functions. The caller frees it. */
static char *
guest_for(unsigned gpus, unsigned functions, bool vf)
{
    char gpu[16];
    const char *sources[] = {scene_device(1), NULL};

    snprintf(gpu, sizeof(gpu), "0000:%02x:00.0", LARGE_FIRST_BUS + gpus - 1);
    if (vf)
        sources[0] = scene_function(gpu, functions - 1);
    return scene_xml_of(1, "<vgpu:device alias=\"ua-gpu1\" type=\"A40-2Q\"/>", sources);
}

/* Is called in a fresh process. Looks and decides on a large host. Afterwards the tree stays for
 * other programs. */
static int
one_decision(unsigned gpus, unsigned functions, bool vf)
{
    static struct scene scene;
    char *text = large_host(gpus, functions, vf);
    char *xml = guest_for(gpus, functions, vf);
    unsigned opens = 0, parents = gpus * functions;
    double began, best = 0, locked = 0;
    int status = 0;

    scene_start(&scene, text);
    scene.yields = READER_YIELDS;
    watch_lock(&scene);
    for (int round = 0; round < 5; round++) {
        double before = locked;

        scene.kernel.faults->opens = 0;
        locked_for = 0;
        began = now();
        status = scene_hook(&scene, xml, "prepare", "begin");
        began = now() - began;
        opens = scene.kernel.faults->opens;
        best = round == 0 || began < best ? began : best;
        locked = round == 0 || locked_for < before ? locked_for : before;
        if (round < 4)
            scene_hook(&scene, xml, "release", "end");
    }
    /* On a small host, work that is done once is a large part of the time. */
    if (vf && parents >= 256 && opens > MOST_OPENS * parents)
        status = 1;
    printf("  %3u %s: %5u files and directories opened (%.2f per %s)%s, %.2f ms under the "
           "lock, %.2f ms\n",
           parents, vf ? "functions" : "parents", opens, (double)opens / parents,
           vf ? "function" : "parent", status ? ", FAILED" : "", locked * 1e3, best * 1e3);
    print_memory();
    scene_hook(&scene, xml, "release", "end");
    free(text);
    free(xml);
    scene_stop(&scene);
    return status;
}

/* Guests that start at once. A driver needs so many milliseconds for each vGPU, one after the
 * other. */
static const struct crowd {
    unsigned starts, gpus, milliseconds;
} crowds[] = {
    {32, 16, 300},
    {128, 16, 300},
    {512, 16, 300},
    {512, 64, 100},
};

/* Waits for the children. Returns how many of them ended with 0. */
static unsigned
count_good(unsigned count)
{
    unsigned good = 0;

    for (unsigned i = 0; i < count; i++) {
        int status;

        wait(&status);
        good += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    return good;
}

static double
processor_time_of_children(void)
{
    struct rusage usage;

    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Is called in a fresh process. The starts of a crowd need at least what the drivers need, and at
 * least half of their processor time, because two processors share it. */
static int
one_crowd(const struct crowd *crowd)
{
    static struct scene scene;
    char *text = large_host(crowd->gpus, 0, false);
    const double drivers =
        (crowd->starts + crowd->gpus - 1) / crowd->gpus * crowd->milliseconds / 1e3;
    double best = 0, took = 0, work = 0;
    bool good = true;

    scene_start(&scene, text);
    scene.yields = READER_YIELDS;
    scene_configure(&scene, "placement = \"spread\";");
    for (int round = 0; round < CROWD_ROUNDS && good; round++) {
        double began = now(), before = processor_time_of_children(), half, least;

        scene.kernel.faults->create_delay = crowd->milliseconds;
        for (unsigned i = 1; i <= crowd->starts; i++) {
            if (fork() == 0)
                _exit(scene_prepare(&scene, i, i, "A40-1Q"));
        }
        good = count_good(crowd->starts) == crowd->starts;
        began = now() - began;
        half = (processor_time_of_children() - before) / 2;
        least = drivers > half ? drivers : half;
        if (round == 0 || began / least < best) {
            best = began / least;
            took = began;
            work = half;
        }
        scene.kernel.faults->create_delay = 0;
        for (unsigned i = 1; i <= crowd->starts; i++)
            scene_release(&scene, i, i);
    }
    printf(
        "  %3u on %2u GPUs: %.2f s; the drivers alone need %.1f s, half of the processor time is "
        "%.1f s: %.2f of the longer one%s\n",
        crowd->starts, crowd->gpus, took, drivers, work, best, good ? "" : ", FAILED");
    free(text);
    scene_stop(&scene);
    return !good;
}

/* A guest with more vGPUs than there is room for. All differ, so a start tries all ways that its
 * bound of effort allows. */
static bool
is_undecided(struct scene *scene, unsigned guest)
{
    AUTO_FREE char *devices = NULL, *xml = NULL;
    unsigned numbers[HOPELESS + 1] = {0};
    size_t size;
    FILE *out = open_memstream(&devices, &size);

    for (unsigned i = 0; i < HOPELESS; i++) {
        numbers[i] = guest * HOPELESS + i + 1;
        fprintf(out, "<vgpu:device alias=\"ua-gpu%u\" type=\"A40-24Q\" traits=\"!t%u\"/>",
                numbers[i], i);
    }
    fclose(out);
    xml = scene_xml(guest + 1, devices, numbers);
    return scene_hook(scene, xml, "prepare", "begin") != 0 &&
           strstr(scene->said, "can be placed in more ways than were tried");
}

/* Is called in a fresh process. Many starts search for as long as they may, at once. None is to be
 * refused because others hold the lock meanwhile. */
static int
one_hopeless_crowd(void)
{
    static struct scene scene;
    char *text = large_host(HOPELESS / 2, 0, false);
    double began;
    unsigned good;

    scene_start(&scene, text);
    scene.yields = READER_YIELDS;
    began = now();
    for (unsigned i = 0; i < HOPELESS_STARTS; i++) {
        if (fork() == 0)
            _exit(!is_undecided(&scene, i));
    }
    good = count_good(HOPELESS_STARTS);
    printf("  %d starts with %d vGPUs each that differ, one too many: all are decided after %.2f "
           "s; others wait\n      10 s for the lock%s\n",
           HOPELESS_STARTS, HOPELESS, now() - began, good < HOPELESS_STARTS ? ", FAILED" : "");
    free(text);
    scene_stop(&scene);
    return good < HOPELESS_STARTS;
}

/* Runs this program again, as a process that has not used any memory yet. Returns whether it
 * succeeded. */
static bool
run_fresh(const char *what, unsigned a, unsigned b)
{
    char first[16], second[16];
    int status = 1;

    snprintf(first, sizeof(first), "%u", a);
    snprintf(second, sizeof(second), "%u", b);
    fflush(stdout);
    if (fork() == 0) {
        execl("/proc/self/exe", "bench", what, first, second, (char *)NULL);
        _exit(127);
    }
    wait(&status);
    return status == 0;
}

int
main(int argc, char *argv[])
{
    bool good;

    fake_clock_use_real();
    if (argc == 4 && !strcmp(argv[1], "one"))
        return one_prepare();
    if (argc == 4 && !strcmp(argv[1], "table"))
        return one_beside_table();
    if (argc == 4 && !strcmp(argv[1], "arrive"))
        return one_arrival();
    if (argc == 4 && !strcmp(argv[1], "decide"))
        return one_decision((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]), false);
    if (argc == 4 && !strcmp(argv[1], "decide-vf"))
        return one_decision((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]), true);
    if (argc == 4 && !strcmp(argv[1], "crowd"))
        return one_crowd(&crowds[atoi(argv[2])]);
    if (argc == 4 && !strcmp(argv[1], "hopeless"))
        return one_hopeless_crowd();
    if (argc != 3)
        return 2;
    bench_plain_guest(argv[1], argv[2]);
    printf("One prepare of a vGPU, one GPU with three types, in a process of its own:\n");
    good = run_fresh("one", 0, 0);
    good &= run_fresh("table", 0, 0);
    good &= run_fresh("arrive", 0, 0);
    printf("One prepare on GPUs of 22 types (create and ledger included), best of 5:\n");
    good &= run_fresh("decide", 8, 1);
    good &= run_fresh("decide", 8, 8);
    good &= run_fresh("decide", 8, 32);
    printf("The same where each is a function of vendor-specific VFIO, and the last is asked for; "
           "at most %d opens\nfor each of 256:\n",
           MOST_OPENS);
    good &= run_fresh("decide-vf", 8, 1);
    good &= run_fresh("decide-vf", 8, 8);
    good &= run_fresh("decide-vf", 8, 32);
    printf("Starts at once on GPUs of 32 vGPUs, whose drivers make one vGPU after the other; best "
           "of %d:\n",
           CROWD_ROUNDS);
    for (unsigned i = 0; i < COUNT(crowds); i++)
        good &= run_fresh("crowd", i, 0);
    good &= run_fresh("hopeless", 0, 0);
    return !good;
}
