/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A neighbour as judge: the rules by which the tool xe-gmi (github.com/grainpool/xe-gmi, its list
 * of files and its checked write) sets the functions of Intel's cards. Our program keeps them,
 * whatever it does with a card:
 *
 * - It writes no file of a card that is not in that tool's list. The only other file is the
 *   kernel's own sriov_drivers_autoprobe.
 * - It reads each file back that it has written, before it writes another one.
 * - A number that the driver rounded up is taken. A smaller one is a refusal.
 *
 * Of that list, our program leaves alone what is the card's own: the PF's profile, .bulk_profile,
 * stop and sched_priority.
 */

#include "base/array.h"
#include "fake/typed.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HERE   "test:///default"
#define CARD   "0000:03:00.0"
#define FIRST  "0000:03:00.4"
#define DEVICE "sys/bus/pci/devices/" CARD "/"
#define MOST   512 /* accesses that are recorded */

/* Accesses to files of the card, of all processes. */
struct record {
    size_t count;
    struct access {
        bool is_write;
        char file[96]; /* below the card's directory */
    } accesses[MOST];
};

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {
    .scene = {.scene = &scene, .machine = "gpu " CARD " xe vfs 3 memory 16384\n"}, .typed = &typed};
#define TEST(name) TYPED_TEST(name, here)

static struct host_ops ops;
static const struct host_ops *usual;
static struct record *record;

static void
remember(const char *path, bool is_write)
{
    size_t index;

    if (strncmp(path, DEVICE, strlen(DEVICE)))
        return;
    index = __atomic_fetch_add(&record->count, 1, __ATOMIC_SEQ_CST);
    assert_true(index < MOST);
    record->accesses[index].is_write = is_write;
    snprintf(record->accesses[index].file, sizeof(record->accesses[index].file), "%s",
             path + strlen(DEVICE));
}

static int
write_and_remember(const struct host *host, const char *path, const char *text)
{
    remember(path, true);
    return usual->write(host, path, text);
}

static ssize_t
read_and_remember(const struct host *host, const char *path, char *buffer, size_t size)
{
    remember(path, false);
    return usual->read(host, path, buffer, size);
}

/* A host whose functions are off. vgpu.conf has profiles with each number, and declares two
 * functions. */
static void
watch(void)
{
    scene_configure(&scene, "gpus = ( { address = \"" CARD "\"; vram = \"16G\";\n"
                            "           setup = { functions = 2; }; } );\n"
                            "profiles = { all = { vram = \"1001M\"; exec_quantum = \"20ms\";\n"
                            "                     preempt_timeout = \"500ms\"; };\n"
                            "             most = { vram = \"12G\"; }; };\n");
    assert_int_equal(fake_enable(&scene.kernel, CARD, 0), 0);
    record = mmap(NULL, sizeof(*record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(record != MAP_FAILED);
    usual = scene.kernel.host.ops;
    ops = *usual;
    ops.write = write_and_remember;
    ops.read = read_and_remember;
    scene.kernel.host.ops = &ops;
}

static void
stop_watching(void)
{
    scene.kernel.host.ops = usual;
    munmap(record, sizeof(*record));
}

static bool
is_in(const char *const *patterns, size_t count, const char *file)
{
    return ARRAY_HAS(patterns, count, pattern, fnmatch(*pattern, file, 0) == 0);
}

/* What xe-gmi may write of SR-IOV, and what is left alone of that. */
static void
check_file(const char *file)
{
    static const char *const listed[] = {
        "sriov_numvfs",
        "sriov_admin/.bulk_profile/*",
        "sriov_admin/pf/profile/*",
        "sriov_admin/vf[0-9]*/profile/vram_quota",
        "sriov_admin/vf[0-9]*/profile/exec_quantum_ms",
        "sriov_admin/vf[0-9]*/profile/preempt_timeout_us",
        "sriov_admin/vf[0-9]*/profile/sched_priority",
        "sriov_admin/vf[0-9]*/stop",
    };
    static const char *const alone[] = {"sriov_admin/.bulk_profile/*", "sriov_admin/pf/*",
                                        "*/sched_priority", "*/stop"};

    if (!strcmp(file, "sriov_drivers_autoprobe"))
        return;
    if (!is_in(listed, COUNT(listed), file) || is_in(alone, COUNT(alone), file))
        fail_msg("%s is written", file);
}

/* Judges what was recorded since then. Returns the number of writes. */
static unsigned
judge(void)
{
    const char *unread = "";
    unsigned writes = 0;

    for (size_t i = 0; i < record->count; i++) {
        const struct access *access = &record->accesses[i];

        if (!access->is_write) {
            unread = strcmp(access->file, unread) ? unread : "";
            continue;
        }
        check_file(access->file);
        if (*unread)
            fail_msg("%s is written, and %s was not read back", access->file, unread);
        unread = strcmp(access->file, "sriov_drivers_autoprobe") ? access->file : "";
        writes++;
    }
    if (*unread)
        fail_msg("%s is never read back", unread);
    record->count = 0;
    return writes;
}

static void
run(const char *line, int status)
{
    if (typed_run(&scene, HERE, line, &typed) != status)
        fail_msg("%s: %s%s", line, typed.printed, typed.faults);
}

TEST(the_same_files_in_the_same_way)
{
    const uint64_t *first;

    watch();
    run("vgpuctl setup", 0);
    assert_true(judge() >= 4); /* probing, the number, and two shares that are taken back */
    run("vgpuctl setup", 0);
    assert_int_equal(judge(), 0);
    scene_must_start_at(&scene, 1, FIRST, "all");
    assert_int_equal(judge(), 3);
    first = fake_profile(&scene.kernel, FIRST);
    assert_int_equal(first[0], 1002ull << 20);
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
    assert_int_equal(judge(), 3);
    run("vgpuctl sriov disable " CARD, 0);
    assert_int_equal(judge(), 1);
    run("vgpuctl sriov enable " CARD " --count 3", 0);
    assert_true(judge() >= 4);
    stop_watching();
}

/* The driver stores less than it was told, and says nothing. */
static int
write_less(const struct host *host, const char *path, const char *text)
{
    char less[32];

    remember(path, true);
    if (!strstr(path, "/vram_quota"))
        return usual->write(host, path, text);
    snprintf(less, sizeof(less), "%llu", strtoull(text, NULL, 10) / 2);
    return usual->write(host, path, less);
}

TEST(a_smaller_number_is_a_refusal)
{
    watch();
    run("vgpuctl sriov enable " CARD, 0);
    judge();
    ops.write = write_less;
    assert_int_equal(scene_prepare_at(&scene, 1, FIRST, "most"), 1);
    scene_assert_said(&scene, "its GPU " CARD " refused it (Input/output error)");
    judge();
    assert_int_equal(*fake_profile(&scene.kernel, FIRST), 0);
    stop_watching();
}
