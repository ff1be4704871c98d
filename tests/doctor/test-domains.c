/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The faults that vgpuctl doctor finds in the definitions of libvirt's domains. Two domains name a
 * vGPU, or none does, or mdevctl starts it as well. Or no start would get the vGPU. */

#include "doctor/planted.h"

#define DEVICE2 "dddddddd-0000-4000-8000-000000000002"

#define TEST(function) UNIT_TEST_IN(function, setup, teardown, NULL)

TEST(domains)
{
    assert_fault(
        libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-a"),
                                      HOSTDEV(DEVICE2, "ua-b") HOSTDEV(DEVICE1, "ua-c"), NULL}),
        "duplicate-uuid", "the domains guest1 and guest2 both name the vGPU " DEVICE1);
    assert_fault("test:///no/such/file", "libvirt", "cannot connect to test:///no/such/file");
    assert_int_equal(scene_prepare(&scene, 9, 2, "T4-1B"), 0);
    assert_fault(libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-a"), NULL}), "orphan",
                 "no domain refers to the vGPU " DEVICE2 ", which was guest9's");
    assert_int_equal(scene_release(&scene, 9, 2), 0);
}

/* A printed command does what it says, and no more, if a person copies it. */
TEST(a_name_for_a_shell)
{
#define ODD(name, number)                                                                          \
    "<domain type='test'><name>" name "</name><uuid>aaaaaaaa-0000-4000-8000-00000000000" number    \
    "</uuid><memory>1024</memory><os><type>hvm</type></os><devices>" HOSTDEV(                      \
        DEVICE1, "ua-a") "</devices></domain>\n"
    assert_fault(typed_libvirt(&scene, ODD("a;id", "1") ODD("b;id", "2")), "duplicate-uuid",
                 "a;id and b;id");
    typed_run(&scene, typed_libvirt(&scene, ODD("a;id", "1") ODD("b;id", "2")), "vgpuctl doctor",
              &typed);
    typed_assert_has(typed.printed, "give b;id vGPUs of its own:");
    typed_assert_has(typed.printed, "virsh edit 'b;id'\n");
}

TEST(started_by_mdevctl)
{
    const char *const devices[] = {HOSTDEV(DEVICE1, "ua-vgpu-small"), NULL};

    put(CONF, "classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    put("etc/mdevctl.d/0000:18:00.0/" DEVICE1,
        "{ \"mdev_type\": \"nvidia-222\", \"start\": \"manual\", \"attrs\": [] }\n");
    assert_healthy(libvirt(devices));
    /* mdevctl has no such word. */
    put("etc/mdevctl.d/0000:18:00.0/" DEVICE1, "{ \"start\": \"automatic\" }\n");
    assert_healthy(libvirt(devices));
    put("etc/mdevctl.d/0000:18:00.0/" DEVICE1,
        "{ \"mdev_type\": \"nvidia-222\", \"start\": \"auto\", \"attrs\": [] }\n");
    assert_fault(libvirt(devices), "mdevctl-start",
                 "mdevctl starts the vGPU " DEVICE1 " automatically, and the domain guest1");
    /* No domain asks us for this device. */
    assert_healthy(libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-mine"), NULL}));
}

/* doctor finds the faults of check --all, and no others. */
TEST(definitions)
{
    assert_fault(libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-vgpu-small"), NULL}),
                 "definition",
                 "a start of the domain guest1 would be refused: ua-vgpu-small asks for the class "
                 "\"small\", and vgpu.conf has none");
    put(CONF, "classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    assert_healthy(libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-vgpu-small"), NULL}));
    put(CONF, "classes = { small = { types = [ \"A40-1B\" ]; }; };\n");
    assert_fault(libvirt((const char *const[]){HOSTDEV(DEVICE1, "ua-vgpu-small"), NULL}),
                 "definition", "ua-vgpu-small wants small, which no GPU here has");
}
