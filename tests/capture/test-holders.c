/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who holds a device by a capture: a process has it open by number; in an older capture, and in a
 * directory of --root, by the text of a link. */

#include "capture/playback.h"
#include "device/vfio.h"
#include "fake/scene.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEVICE "sys/bus/pci/devices/0000:03:02.0"
#define TITLE  "libvirt-vgpu capture 1\n"
#define GROUP  "link " DEVICE "/iommu_group = ../../../kernel/iommu_groups/12\n"
#define OTHERS "list proc = 1/7/self\nlist proc/1/fd = \nlist proc/7/fd = 3\n"
#define BOUND  GROUP "list " DEVICE "/vfio-dev = vfio3\n" OTHERS

/* As vgpuctl writes it now: numbers. */
#define NUMBERS                                                                                    \
    TITLE BOUND                                                                                    \
        "list proc/1/task = 1\nlist proc/7/task = 7\nread sys/class/vfio/12/dev = 240:12\\n\n"     \
        "read " DEVICE "/vfio-dev/vfio3/dev = 241:3\\n\n"

/* As it wrote before: texts. Since Linux 6.1 it did not look for the node of a group. */
#define STATUS  "20600 root 0 1.000000000 1.000000000 1:2\n"
#define IS_VFIO "status " DEVICE "/vfio-dev = " STATUS
#define NEWER   TITLE BOUND IS_VFIO "status dev/vfio/devices/vfio3 = " STATUS
#define NO_OWN  TITLE BOUND IS_VFIO "status dev/vfio/devices/vfio3 ! 2 No such file or directory\n"
#define OLDER                                                                                      \
    TITLE GROUP OTHERS "list " DEVICE "/vfio-dev ! 2 No such file or directory\n"                  \
                       "status dev/vfio/12 = " STATUS

static const struct path device = {DEVICE};
static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = ""};

SCENE_TEST(captures, here)
{
    static const struct {
        const char *manifest, *open;
        int holder;
    } rows[] = {
        {NUMBERS, "device proc/7/fd/3 = 240:12\nstatus proc/7/fd/3 = 120700 root 0 1.0 1.0 1:2\n",
         7},
        {NUMBERS, "device proc/7/fd/3 = 241:3\nstatus proc/7/fd/3 = 120400 root 0 1.0 1.0 1:2\n",
         7},
        {NUMBERS, "device proc/7/fd/3 = 241:4\nstatus proc/7/fd/3 = 120700 root 0 1.0 1.0 1:2\n",
         0},
        {NUMBERS,
         "device proc/7/fd/3 = 241:3\nstatus proc/7/fd/3 = 120000 root 0 1.0 1.0 1:2\n"
         "read proc/7/fdinfo/3 = flags:\\x0902100003\\n\n",
         7},
        {NUMBERS,
         "device proc/7/fd/3 = 241:3\nstatus proc/7/fd/3 = 120000 root 0 1.0 1.0 1:2\n"
         "read proc/7/fdinfo/3 = flags:\\x09012100000\\n\n",
         0},
        {NUMBERS, "device proc/7/fd/3 ! 13 Permission denied\n", -EACCES},
        {NUMBERS, "", -EACCES},
        {NEWER, "link proc/7/fd/3 = /dev/vfio/12\n", 7},
        {NEWER, "link proc/7/fd/3 = /dev/vfio/devices/vfio3\n", 7},
        {NEWER, "link proc/7/fd/3 = /dev/vfio/13\n", 0},
        {NEWER, "link proc/7/fd/3 = /dev/vfio/devices/vfio33\n", 0},
        {NEWER, "link proc/7/fd/3 ! 13 Permission denied\n", -EACCES},
        {NO_OWN, "link proc/7/fd/3 = /dev/vfio/12\n", 7},
        {NO_OWN, "link proc/7/fd/3 = /dev/vfio/devices/vfio3\n", 0},
        {OLDER, "link proc/7/fd/3 = /dev/vfio/12\n", 7},
        {OLDER, "link proc/7/fd/3 = /dev/vfio/1\n", 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(open_files_clear) struct open_files files = {0};
        AUTO(playback_clear) struct playback playback = {0};
        AUTO_FREE char *manifest = NULL;
        struct error error;
        int holder;

        assert_true(asprintf(&manifest, "%s%s", rows[i].manifest, rows[i].open) > 0);
        assert_int_equal(playback_start(&playback, &scene.kernel.host, manifest, &error), 0);
        holder = vfio_holder(&playback.host, &files, &device);
        if (holder != rows[i].holder)
            fail_msg("row %zu: %d", i, holder);
        assert_int_equal(playback.misses.count, *rows[i].open ? 0 : 1);
    }
}

/* A directory of --root has no devices, and links have only texts. */
SCENE_TEST(a_directory, here)
{
    static const char *const nodes[] = {"/dev/vfio/12", "/dev/vfio/devices/vfio3", "/dev/zero"};
    const struct host host = {
        .root = scene.kernel.host.root, .ops = &host_kernel, .is_confined = true};

    fake_write(&scene.kernel, DEVICE "/vfio-dev/vfio3/name", "");
    assert_int_equal(symlinkat("../../12", host.root, DEVICE "/iommu_group"), 0);
    fake_write(&scene.kernel, "dev/vfio/devices/vfio3", "");
    fake_write(&scene.kernel, "proc/7/fd/3", "");
    for (size_t i = 0; i < COUNT(nodes); i++) {
        AUTO(open_files_clear) struct open_files files = {0};

        assert_int_equal(unlinkat(host.root, "proc/7/fd/3", 0), 0);
        assert_int_equal(symlinkat(nodes[i], host.root, "proc/7/fd/3"), 0);
        assert_int_equal(vfio_holder(&host, &files, &device), i < 2 ? 7 : 0);
    }
}
