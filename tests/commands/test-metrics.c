/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The output of vgpuctl metrics, and the counters that the hook keeps for it. */

#include "fake/typed.h"
#include "lease/counters.h"
#include "view/setup-view.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define HERE "test:///default"
#define TYPES                                                                                      \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16 heads 4\n"                             \
    "type nvidia-234 \"GRID T4-16Q\" framebuffer 16384 max 1 heads 4\n"
#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size numa 0\n" TYPES "gpu 0000:19:00.0 rule size numa 0\n" TYPES        \
    "gpu mtty rule pool 24\ntype mtty-2 \"Dual port serial\" uses 2\n"

static struct scene scene;
static struct typed typed;

static const struct typed_case here = {{.scene = &scene, .machine = MACHINE}, &typed};
#define TEST(function) TYPED_TEST(function, here)

static uint64_t
count(enum counters_operation operation, enum counters_result result)
{
    struct counters counters;

    counters_read(&scene.kernel.host, &counters);
    return counters.counts[operation][result];
}

TEST(golden)
{
    const struct policy_gpu mixed = {.address = {"0000:1a:00.0"},
                                     .setup = {.sizes = {1, {POLICY_SIZES_MIXED}}}};

    scene_configure(&scene, "gpus = ({ address = \"0000:19:00.0\"; enabled = false; },"
                            "{ address = \"0000:18:00.0\"; setup = { functions = 1; }; },"
                            "{ address = \"0000:1a:00.0\"; setup = { sizes = \"mixed\"; }; });");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-16Q"), 1);
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(3)), 0);
    setup_view_remember(&scene.kernel.host, &mixed);
    scene.kernel.booted = 1767225600000000000u;
    typed_golden(&scene, HERE, "metrics/devices", "vgpuctl metrics");
    typed_facts(&scene, NULL, "vgpuctl metrics", 0,
                "libvirt_vgpu_lost 0 # HELP libvirt_vgpu_guests_away");
}

#define L40S    "gpu=\"0000:3d:00.0\",type=\"nvidia-"
#define L40S_2Q L40S "1148\",name=\"NVIDIA L40S-2Q\""
#define L40S_2A L40S "1158\",name=\"NVIDIA L40S-2A\""
#define L40S_8Q L40S "1152\",name=\"NVIDIA L40S-8Q\""

/* Room of virtual functions is left out if nobody knows it. The sum of all functions is printed. A
 * function with somebody else's type is printed, even if no domain refers to it. */
TEST(functions)
{
    scene_stop(&scene);
    scene_start(&scene, "gpu 0000:18:00.0 rule size\n" TYPES "gpu 0000:3d:00.0 vf vfs 4 rule size\n"
                        "type nvidia-1148 \"NVIDIA L40S-2Q\" framebuffer 2048 max 24\n"
                        "type nvidia-1158 \"NVIDIA L40S-2A\" framebuffer 2048 max 24\n"
                        "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n");
    scene_configure(&scene, "max_instances = ({ types = [ \"L40S-2Q\" ]; max = 24; });");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(typed_prepare(&scene, 2, "L40S-2Q", "0000:3d:00.4"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:3d:00.5", "nvidia-1158", "0000:3d:00.5"), 0);
    typed_facts(&scene, HERE, "vgpuctl metrics", 0,
                "libvirt_vgpu_gpu_vgpus{gpu=\"0000:3d:00.0\"} 2\n"
                "libvirt_vgpu_gpu_framebuffer_bytes{gpu=\"0000:3d:00.0\"} 8589934592\n"
                "libvirt_vgpu_gpu_framebuffer_used_bytes{gpu=\"0000:3d:00.0\"} 4294967296\n"
                "libvirt_vgpu_gpu_framebuffer_free_bytes{gpu=\"0000:3d:00.0\"} 4294967296\n"
                /* The room of an L40S-2A is not known, only how much it is at most. */
                "libvirt_vgpu_type_available{" L40S_2Q "} 2 libvirt_vgpu_type_available{" L40S_8Q
                "} 0\n"
                "libvirt_vgpu_type_available_at_most{" L40S_2A "} 2\n"
                "libvirt_vgpu_type_max{" L40S_2Q "} 24\nlibvirt_vgpu_type_max{" L40S_8Q "} 1\n"
                "L40S-2A\",parent=\"0000:3d:00.5\",gpu=\"0000:3d:00.0\",state=\"foreign\"} 1 #\n"
                "libvirt_vgpu_orphans 3");
}

/* vGPUs that disappeared while a guest has them, and vGPUs that are just being made or removed. */
TEST(lost)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-1B"), 0);
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl metrics", &typed), 0);
    typed_assert_has(typed.printed, "\nlibvirt_vgpu_lost 0\n");
    assert_int_equal(fake_remove(&scene.kernel, scene_device(2)), 0);
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl metrics", &typed), 0);
    typed_assert_has(typed.printed, "\nlibvirt_vgpu_lost 1\n");
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl metrics", &typed), 0);
    typed_assert_has(typed.printed, "\nlibvirt_vgpu_lost 0\n");
}

/* No name that people chose can break the format. */
TEST(escaping)
{
    char ledger[1024];

    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    snprintf(ledger, sizeof(ledger),
             "libvirt-vgpu-ledger 1 6a7f1e0c-0000-4000-8000-000000000001 2\n"
             "mdev %s nvidia-222 1024 0000:18:00.0 0000:18:00.0 "
             "aaaaaaaa-0000-4000-8000-000000000001 a%%22b%%5cc%%0ad%%ffe%%c3%%a4 - held made 1:1 0 "
             "reap 1\n",
             scene_device(1));
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", ledger);
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl metrics", &typed), 0);
    typed_assert_has(typed.printed, ",domain=\"a\\\"b\\\\c?d?e\xc3\xa4\",domain_uuid=\"aaaa");
}

TEST(no_libvirt)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(typed_run(&scene, "test:///no/such/file", "vgpuctl metrics", &typed), 0);
    typed_assert_has(typed.faults, "vgpuctl: metrics: no orphans are counted: cannot connect to ");
    assert_null(strstr(typed.printed, "orphans"));
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", "rubbish\n");
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl metrics", &typed), 1);
    assert_string_equal(typed.printed, "");
}

static size_t
entries(const char *path)
{
    DIR *directory = opendir(path);
    size_t found = 0;

    assert_non_null(directory);
    while (readdir(directory))
        found++;
    closedir(directory);
    return found - 2;
}

TEST(file)
{
    char directory[300], path[320], line[512], text[16384];
    struct stat before, after;
    FILE *in;

    snprintf(directory, sizeof(directory), "%s/out", scene.kernel.path);
    snprintf(path, sizeof(path), "%s/vgpu.prom", directory);
    snprintf(line, sizeof(line), "vgpuctl metrics --output %s", path);
    assert_int_equal(typed_run(&scene, HERE, line, &typed), 1);
    typed_assert_has(typed.faults, "vgpu.prom: No such file or directory");
    assert_int_equal(mkdir(directory, 0755), 0);
    umask(077);
    assert_int_equal(typed_run(&scene, HERE, line, &typed), 0);
    umask(022);
    assert_string_equal(typed.printed, "");
    assert_string_equal(typed.faults, "");
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(before.st_mode & 07777, 0644);

    /* The file is replaced by another. A program that reads the old file reads it to its end. */
    in = fopen(path, "re");
    assert_non_null(in);
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(typed_run(&scene, HERE, line, &typed), 0);
    assert_int_equal(stat(path, &after), 0);
    assert_int_not_equal(after.st_ino, before.st_ino);
    text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
    fclose(in);
    typed_assert_has(text, "libvirt_vgpu_leases{state=\"held\"} 0\n");
    assert_int_equal(entries(directory), 1);

    /* If the new file cannot replace the old one, it is not left beside it. */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(typed_run(&scene, HERE, line, &typed), 1);
    assert_int_equal(entries(directory), 1);
    rmdir(path);
}

/* A release that could not give its vGPU back yet does not count as a success. */
TEST(a_reconcile_is_counted)
{
    struct fake_guest qemu;

    scene_configure(&scene, "release_timeout = \"50ms\";");
    assert_int_equal(scene_prepare(&scene, 4, 4, "mtty-2"), 0);
    qemu = fake_open(&scene.kernel, scene_device(4));
    assert_int_equal(scene_release(&scene, 4, 4), 0);
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl reconcile", &typed), 4);
    assert_int_equal(count(COUNTERS_RECONCILE, COUNTERS_BUSY), 1);
    assert_int_equal(count(COUNTERS_RECONCILE, COUNTERS_OK), 0);
    fake_close(&qemu);
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl reconcile", &typed), 0);
    assert_int_equal(count(COUNTERS_RECONCILE, COUNTERS_BUSY), 1);
    assert_int_equal(count(COUNTERS_RECONCILE, COUNTERS_OK), 1);
}

TEST(counted)
{
    AUTO_FREE char *plain = scene_xml(7, "", (const unsigned[]){0});

    /* If the guest has no vGPU, nothing is made or counted. */
    assert_int_equal(scene_hook(&scene, plain, "prepare", "begin"), 0);
    assert_false(host_exists(&scene.kernel.host, "run/libvirt-vgpu"));
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-16Q"), 0);
    assert_int_equal(scene_hook(&scene, plain, "prepare", "begin"), 0);
    assert_int_equal(scene_hook(&scene, plain, "release", "end"), 0);
    assert_int_equal(count(COUNTERS_PREPARE, COUNTERS_OK), 1);
    assert_int_equal(count(COUNTERS_RELEASE, COUNTERS_OK), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-16Q"), 0);
    assert_int_equal(scene_prepare(&scene, 3, 3, "T4-16Q"), 1);
    assert_int_equal(scene_prepare(&scene, 3, 3, "T4-99Q"), 1);
    assert_int_equal(count(COUNTERS_PREPARE, COUNTERS_OK), 2);
    assert_int_equal(count(COUNTERS_PREPARE, COUNTERS_NO_ROOM), 1);
    assert_int_equal(count(COUNTERS_PREPARE, COUNTERS_CONFIG), 1);
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    assert_int_equal(count(COUNTERS_RELEASE, COUNTERS_OK), 1);
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl reconcile", &typed), 0);
    assert_int_equal(count(COUNTERS_RECONCILE, COUNTERS_OK), 1);
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", "rubbish\n");
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-16Q"), 1);
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    assert_int_equal(count(COUNTERS_PREPARE, COUNTERS_LEDGER), 1);
    assert_int_equal(count(COUNTERS_RELEASE, COUNTERS_LEDGER), 1);
    scene_configure(&scene, "rubbish\n");
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-16Q"), 1);
    assert_int_equal(count(COUNTERS_PREPARE, COUNTERS_CONFIG), 2);
}

/* If events cannot be counted, all else still works. */
TEST(uncountable)
{
    fake_write(&scene.kernel, "run/libvirt-vgpu/counters", "a file\n");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(count(COUNTERS_PREPARE, COUNTERS_OK), 0);
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl metrics", &typed), 0);
}

/* No count is lost if several processes count at the same time. */
TEST(crowd)
{
    fake_write(&scene.kernel, "run/libvirt-vgpu/", NULL);
    for (int i = 0; i < 8; i++) {
        if (fork() == 0) {
            for (int j = 0; j < 200; j++)
                counters_add(&scene.kernel.host, COUNTERS_MIGRATE, j % 2 ? REFUSED : 0,
                             &(struct error){.class = ERROR_NO_ROOM});
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        ;
    assert_int_equal(count(COUNTERS_MIGRATE, COUNTERS_OK), 800);
    assert_int_equal(count(COUNTERS_MIGRATE, COUNTERS_NO_ROOM), 800);
}
