/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NVIDIA's driver is loaded, but a card offers no vGPUs: the findings of vgpuctl doctor, and the
 * reason with which a start is refused. */

#include "device/nvidia-table.h"
#include "doctor/planted.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define CARD  "0000:41:00.0"
#define FIRST "0000:41:00.4"
#define MIG   "type nvidia-689 \"NVIDIA A30-1-6C\" framebuffer 6144 max 4 instances 0\n"
#define VF    "gpu " CARD " vf vfs 4 rule size mig device 20b7 "
#define MDEV  "gpu " CARD " vfs 4 rule size mig device 20b7 driver nvidia "
#define SEEN  "the GPU " CARD " has 3 GPU instances (MIG), and its driver offers no type for them"
#define LINE  CARD " has 3 GPU instances (MIG), for which its driver offers no type"

/* --- GPU instances without types -------------------------------------------------------------- */

#define TEST(name) UNIT_TEST_IN(name, setup, teardown, NULL)

/* The state after the functions were made anew: the driver's list stays empty. */
TEST(on_functions)
{
    scene_stop(&scene);
    start(VF "parts 3\n" MIG);
    assert_fault(HERE, "mig-types", SEEN);
    typed_golden(&scene, HERE, "doctor/mig-types", "vgpuctl doctor");
    scene_must_refuse_at(&scene, 1, FIRST, "A30-1-6C", LINE "; see 'vgpuctl doctor'");
    /* The same if the type was known before. */
    put("run/libvirt-vgpu/types", CARD " nvidia-689 NVIDIA A30-1-6C\n");
    scene_must_refuse_at(&scene, 1, FIRST, "A30-1-6C", LINE);
    /* The same if the card is known to be partitioned. This is not forgotten. */
    put(CONF, "gpus = ({ address = \"" CARD "\"; types = [ \"A30-1-6C\" ]; });\n");
    assert_fault(HERE, "mig-types", SEEN);
    put(CONF, "gpus = ({ address = \"" CARD "\"; enabled = false; });\n");
    assert_healthy(HERE);
    scene_must_refuse_at(&scene, 1, FIRST, "A30-1-6C",
                         "is disabled by /etc/libvirt-vgpu/vgpu.conf:1");
}

TEST(on_mediated_devices)
{
    scene_stop(&scene);
    start(MDEV "parts 3\n");
    assert_fault(HERE, "mig-types", SEEN);
    assert_int_equal(scene_prepare(&scene, 1, 1, "A30-1-6C"), 1);
    typed_assert_has(scene.said, LINE);
    put(CONF, "gpus = ({ address = \"" CARD "\"; types = [ \"A30-1-6C\" ]; });\n");
    assert_fault(HERE, "mig-types", SEEN);
}

/* The message has other words for one function and for none. If types are offered, or all functions
 * are taken, there is no fault. */
TEST(only_then)
{
    scene_stop(&scene);
    start(VF "parts 1\n" MIG);
    assert_fault(HERE, "mig-types",
                 "has 1 GPU instance (MIG), and its driver offers no type for it");
    scene_must_refuse_at(&scene, 1, FIRST, "A30-1-6C",
                         "has 1 GPU instance (MIG), for which its driver offers no type");
    fake_instances(&scene.kernel, CARD, "nvidia-689", 1);
    assert_healthy(HERE);
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-689", FIRST), 0);
    assert_healthy(HERE);
    scene_must_refuse_at(&scene, 1, "0000:41:00.5", "A30-1-6C", "holds nvidia-689");
    scene_stop(&scene);
    start(VF "\n" MIG);
    assert_fault(HERE, "function-types", "has no vGPU, and its driver offers no type");
    scene_must_refuse_at(&scene, 1, FIRST, "A30-1-6C", "does not offer it now");
}

/* --- an idle card that offers nothing ----------------------------------------------------------
 */

#define IDLE "0000:01:00.0"
#define P4                                                                                         \
    "gpu " IDLE " rule size numa 0 device 1bb3 driver nvidia\n"                                    \
    "type nvidia-63 \"GRID P4-1Q\" framebuffer 1024 max 8\n"                                       \
    "type nvidia-64 \"GRID P4-2Q\" framebuffer 2048 max 4\n"

/* A Tesla P4 was seen so: no vGPU, and all of its types 0. Nothing says that it is full. */
TEST(nothing_is_offered)
{
    scene_stop(&scene);
    start(P4);
    assert_healthy(HERE);
    scene.kernel.faults->lie = FAKE_LIE_NOTHING;
    assert_fault(HERE, "idle-types",
                 "the GPU " IDLE " offers none of its 2 types, though it has no vGPU");
    typed_golden(&scene, HERE, "doctor/idle-types", "vgpuctl doctor");
    assert_int_equal(scene_prepare(&scene, 1, 1, "P4-2Q"), 1);
    scene_assert_said(&scene, IDLE " does not offer it now, though nothing is on it; see 'vgpuctl "
                                   "doctor'");
    put(CONF, "gpus = ({ address = \"" IDLE "\"; enabled = false; });\n");
    assert_healthy(HERE);
    put(CONF, "");
    /* The driver makes one all the same. */
    assert_int_equal(fake_make(&scene.kernel, IDLE, "nvidia-64", DEVICE1), 0);
    typed_run(&scene, HERE, "vgpuctl doctor", &typed);
    assert_null(strstr(typed.printed, "idle-types"));
}

/* --- NVIDIA's table --------------------------------------------------------------------------- */

/* The hook passes a broken table over. */
TEST(a_broken_table)
{
    put(NVIDIA_TABLE_PATH, "<vgpuconfig></vgpuconfig>\n");
    assert_healthy(HERE);
    put(NVIDIA_TABLE_PATH, "rubbish\n");
    assert_fault(HERE, "types-table",
                 "cannot read NVIDIA's table of vGPU types, "
                 "/usr/share/nvidia/vgpu/vgpuConfig.xml");
}

/* --- display mode ----------------------------------------------------------------------------- */

#define WORKSTATION "0000:c1:00.0"
#define GRAPHICS    "pci " WORKSTATION " driver nvidia vendor 10de device 2bb1 class 0x030000\n"
#define OTHER                                                                                      \
    "gpu 0000:18:00.0 rule size numa 0 device 1eb8\n"                                              \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"

TEST(graphics_mode)
{
    scene_stop(&scene);
    start(OTHER GRAPHICS);
    assert_fault(HERE, "display-mode",
                 "the GPU " WORKSTATION " has no SR-IOV capability, and so offers no vGPUs");
    typed_golden(&scene, HERE, "doctor/display-mode", "vgpuctl doctor");
    /* This card is meant for the host's monitor. */
    put(CONF, "gpus = ({ address = \"" WORKSTATION "\"; enabled = false; });\n");
    assert_healthy(HERE);
}

/* Cards of other models or in other modes, with another driver, or with the driver that makes no
 * vGPUs. */
TEST(no_such_mode)
{
    static const char *const cards[] = {
        OTHER "pci " WORKSTATION " driver nvidia vendor 10de device 2bb1 class 0x030200\n",
        OTHER "pci " WORKSTATION " driver nvidia vendor 10de device 2b85 class 0x030000\n",
        OTHER "pci " WORKSTATION " driver vfio-pci vendor 10de device 2bb1 class 0x030000\n",
        OTHER "pci " WORKSTATION " driver amdgpu vendor 1002 device 2bb1 class 0x030000\n",
    };

    for (size_t i = 0; i < COUNT(cards); i++) {
        scene_stop(&scene);
        start(cards[i]);
        assert_healthy(HERE);
    }
    scene_stop(&scene);
    start(OTHER GRAPHICS);
    drop("proc/driver/nvidia/gpus/" WORKSTATION "/unbindLock");
    assert_healthy(HERE);
}

/* In compute mode the card has functions. */
TEST(compute_mode)
{
    scene_stop(&scene);
    start(OTHER GRAPHICS);
    put("sys/devices/" WORKSTATION "/sriov_totalvfs", "48\n");
    put("sys/devices/" WORKSTATION "/sriov_numvfs", "0\n");
    assert_fault(HERE, "virtual-functions", "has 48 virtual functions");
}
