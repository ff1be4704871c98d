/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl check: what NVIDIA's own table says against the configuration and against a guest. */

#include "cli/command.h"
#include "device/nvidia-table.h"
#include "fake/typed.h"

#include <string.h>

#define HERE "test:///default"

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size numa 0\n"                                                          \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"                                     \
    "gpu 0000:3d:00.0 vf vfs 4 rule size\n"                                                        \
    "type nvidia-1145 \"NVIDIA L40S-1B\" framebuffer 1024 max 32\n"                                \
    "type nvidia-1146 \"NVIDIA L40S-2B\" framebuffer 2048 max 24\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = MACHINE, .inside = true},
                                       &typed};
#define TEST(function) TYPED_TEST(function, here)

static int
run(const char *line)
{
    return typed_run(&scene, HERE, line, &typed);
}

/* NVIDIA's own table counts for types whose driver tells no maximum. */
TEST(figures_of_nvidias_table)
{
    static const char table[] =
        "<vgpuconfig>"
        "<vgpuType id='1145' name='NVIDIA L40S-1B' class='NVS'>"
        "<profileSize>0x40000000</profileSize></vgpuType>"
        "<vgpuType id='222' name='GRID T4-1B' class='NVS'>"
        "<profileSize>0x40000000</profileSize></vgpuType>"
        "<pgpu><devId vendorId='0x10de' deviceId='0x26B9' subsystemId='0'/>"
        "<supportedVgpu vgpuId='1145'><maxVgpus>32</maxVgpus></supportedVgpu></pgpu>"
        "<pgpu><devId vendorId='0x10de' deviceId='0x1EB8' subsystemId='0'/>"
        "<supportedVgpu vgpuId='222'><maxVgpus>15</maxVgpus></supportedVgpu></pgpu>"
        "</vgpuconfig>";

    fake_write(&scene.kernel, NVIDIA_TABLE_PATH, table);
    scene_configure(&scene, "max_instances = ( { types = [ \"L40S-1B\" ]; max = 30; },\n"
                            "  { types = [ \"T4-1B\" ]; max = 14; } );\n");
    assert_int_equal(run("vgpuctl check"), COMMAND_DONE);
    typed_assert_has(typed.faults, "vgpu.conf:1: warning: max_instances gives the GPU 0000:3d:00.0 "
                                   "30 of NVIDIA L40S-1B, and NVIDIA's table "
                                   "(/usr/share/nvidia/vgpu/vgpuConfig.xml) 32\n");
    /* the T4's driver tells 16 */
    assert_null(strstr(typed.faults, "0000:18:00.0"));
    scene_configure(&scene, "max_instances = ( { types = [ \"L40S-1B\" ]; max = 32; } );\n");
    assert_int_equal(run("vgpuctl check"), COMMAND_DONE);
    assert_string_equal(typed.faults, "");
    fake_write(&scene.kernel, NVIDIA_TABLE_PATH, "rubbish");
    assert_int_equal(run("vgpuctl check"), COMMAND_DONE);
    typed_assert_has(typed.faults, "cannot read NVIDIA's table of vGPU types");
}

/* The table also says which types may be the only vGPU of a guest. */
TEST(a_type_for_guests_with_one)
{
    static const char table[] =
        "<vgpuconfig><vgpuType id='222' name='GRID T4-1B'>"
        "<multiVgpuSupported>0</multiVgpuSupported></vgpuType>"
        "<pgpu><devId vendorId='0x10de' deviceId='0x1EB8' subsystemId='0'/>"
        "<supportedVgpu vgpuId='222'><maxVgpus>16</maxVgpus></supportedVgpu></pgpu></vgpuconfig>";
    AUTO_FREE char *two = scene_xml(1,
                                    "<vgpu:device alias='ua-gpu1' type='T4-1B'/>"
                                    "<vgpu:device alias='ua-gpu2' type='T4-1B'/>",
                                    (const unsigned[]){1, 2, 0});
    AUTO_FREE char *one = scene_xml_at(1, scene_device(1), "type='T4-1B'");

    fake_write(&scene.kernel, NVIDIA_TABLE_PATH, table);
    fake_write(&scene.kernel, "guest.xml", two);
    assert_int_equal(run("vgpuctl check guest.xml"), COMMAND_DONE);
    typed_assert_has(typed.faults,
                     "warning: by its vendor's own table a GRID T4-1B may be the only "
                     "vGPU of its guest, and the guest is to have 2: QEMU may not "
                     "start with them\n");
    scene_configure(&scene, "unlike_vgpus = true;\n");
    assert_int_equal(run("vgpuctl check guest.xml"), COMMAND_DONE);
    assert_null(strstr(typed.faults, "vendor's own table"));
    scene_configure(&scene, "");
    fake_write(&scene.kernel, "guest.xml", one);
    assert_int_equal(run("vgpuctl check guest.xml"), COMMAND_DONE);
    assert_null(strstr(typed.faults, "vendor's own table"));

    /* attach says so before such a guest fails to start. */
    assert_int_equal(run("vgpuctl attach guest.xml --type T4-1B --print-xml"), COMMAND_DONE);
    typed_assert_has(typed.faults,
                     "guest.xml: all its vGPUs together: by its vendor's own table a GRID T4-1B "
                     "may be the only vGPU of its guest, and the guest is to have 2");
    scene_configure(&scene, "unlike_vgpus = true;\n");
    assert_int_equal(run("vgpuctl attach guest.xml --type T4-1B --print-xml"), COMMAND_DONE);
    assert_null(strstr(typed.faults, "vendor's own table"));
}
