/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The faults that vgpuctl doctor finds in virtual functions, also in Intel's: their drivers, their
 * types, and the domains that name them. */

#include "doctor/diagnosis.h"
#include "doctor/planted.h"
#include "fake/fake-parts.h"

#include <fcntl.h>
#include <stdio.h>

/* A host with virtual functions only, one of them free, and without the module mdev. */
#define CARD     "0000:41:00.0"
#define FIRST    "0000:41:00.4"
#define SECOND   "0000:41:00.5"
#define FUNCTION "sys/devices/" FIRST
#define FUNCTIONS                                                                                  \
    "gpu " CARD " vf vfs 2 rule size numa 0 device 26b9\n"                                         \
    "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n"
#define PCI_HOSTDEV(function, managed, alias)                                                      \
    "<hostdev mode='subsystem' type='pci' managed='" managed "'><source>"                          \
    "<address domain='0' bus='0x41' slot='0' function='" function                                  \
    "'/></source><alias name='" alias "'/></hostdev>"

static int
setup_functions(void **state)
{
    start(FUNCTIONS);
    assert_int_equal(fake_make(&scene.kernel, SECOND, "nvidia-1152", SECOND), 0);
    return 0;
}

static void
bound_to_vfio(void)
{
    fake_bind(&scene.kernel, FIRST, "vfio-pci");
}

static void
bound_to_nothing(void)
{
    fake_bind(&scene.kernel, FIRST, "");
}

static void
typed_and_bound_to_vfio(void)
{
    assert_int_equal(fake_make(&scene.kernel, FIRST, "nvidia-1152", FIRST), 0);
    link_to("../../bus/pci/drivers/vfio-pci", FUNCTION "/driver");
}

static void
no_interface(void)
{
    int root = scene.kernel.host.root;

    assert_int_equal(renameat(root, FUNCTION "/nvidia", root, FUNCTION "/hidden"), 0);
}

static void
no_cdev(void)
{
    int root = scene.kernel.host.root;

    assert_int_equal(renameat(root, FUNCTION "/vfio-dev", root, FUNCTION "/hidden"), 0);
}

static void
no_probing(void)
{
    put("sys/devices/" CARD "/sriov_drivers_autoprobe", "0\n");
}

/* A type that was listed earlier does not count as a present type. */
static void
nothing_listed(void)
{
    put("run/libvirt-vgpu/types", CARD " nvidia-1152 NVIDIA L40S-8Q\n");
    assert_int_equal(fake_remove(&scene.kernel, SECOND), 0);
    scene.kernel.faults->unreadable = 1;
}

#define TEST(function) UNIT_TEST_IN(function, setup_functions, teardown, NULL)

TEST(functions)
{
    static const struct {
        void (*plant)(void);
        const char *check, *words;
    } faults[] = {
        {bound_to_vfio, "function-driver", "made on them: " FIRST " (vfio-pci)"},
        {bound_to_nothing, "function-driver", "made on them: " FIRST " (none)"},
        {typed_and_bound_to_vfio, "function-driver",
         "made on them: " FIRST " (vfio-pci, with the type nvidia-1152)"},
        {no_interface, "function-types",
         "the GPU " CARD " are no parents of vGPUs, although they have its driver: " FIRST},
        {nothing_listed, "function-types",
         "the GPU " CARD " has no vGPU, and its driver offers no"},
        {no_cdev, "function-vfio", "the GPU " CARD " have no vfio-dev"},
        {no_probing, "function-probe", "sriov_drivers_autoprobe of the GPU " CARD " is 0"},
    };

    for (size_t i = 0; i < COUNT(faults); i++) {
        if (i) {
            teardown(state);
            setup_functions(state);
        }
        assert_healthy(HERE);
        put("sys/devices/" CARD "/sriov_drivers_autoprobe", "1\n");
        assert_healthy(HERE);
        faults[i].plant();
        assert_fault(HERE, faults[i].check, faults[i].words);
        put(CONF, "gpus = ({ address = \"" CARD "\"; enabled = false; });\n");
        assert_healthy(HERE);
    }
}

/* The remedy is complete, but has no more names than anybody reads. */
TEST(function_advice)
{
    scene_stop(&scene);
    start("gpu " CARD " vf vfs 16 rule size numa 0 device 26b9\n"
          "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n");
    for (unsigned i = 4; i < 16; i++) {
        char address[32];

        snprintf(address, sizeof(address), "0000:41:%02x.%x", i / 8, i % 8);
        fake_bind(&scene.kernel, address, "vfio-pci");
    }
    no_probing();
    typed_golden(&scene, HERE, "doctor/functions", "vgpuctl doctor");
}

/* The remedy is one of two commands. */
TEST(one_command_or_another)
{
    functions_off();
    typed_golden(&scene, HERE, "doctor/functions-off", "vgpuctl doctor");
}

#define INTEL  "0000:03:00.0"
#define STATED "gpus = ( { address = \"" INTEL "\"; vram = \"14096M\"; } );\n"

/* A person types the commands that doctor prints. So a shell must read them right. */
static void
type_both(const char *disable, const char *enable)
{
    char line[256];

    snprintf(line, sizeof(line), "%s && %s", disable, enable);
    typed_run(&scene, HERE, "vgpuctl doctor", &typed);
    typed_assert_has(typed.printed, line);
    assert_int_equal(typed_run(&scene, HERE, disable, &typed), 0);
    assert_int_equal(typed_run(&scene, HERE, enable, &typed), 0);
}

/* Intel's card: the host itself uses a function, vgpu.conf does not state the memory, and no guest
 * can migrate. */
TEST(intel)
{
    scene_stop(&scene);
    start("gpu " INTEL " xe vfs 2 memory 14096\n");
    fake_put_driver(&scene.kernel, "0000:03:00.4", "xe");
    put(CONF, "profiles = { b50-8g = { vram = \"8G\"; }; };\n");
    typed_golden(&scene, HERE, "doctor/intel", "vgpuctl doctor");
    put(CONF, "profiles = { b50-8g = { vram = \"8G\"; }; };\n" STATED);
    put("sys/bus/pci/drivers/xe-vfio-pci/unbind", "");
    fake_put_driver(&scene.kernel, "0000:03:00.4", "vfio-pci");
    assert_healthy(HERE);
    fake_profile(&scene.kernel, "0000:03:00.4")[0] = 5ull << 30;
    fake_profile(&scene.kernel, "0000:03:00.5")[0] = 6ull << 30;
    assert_healthy(HERE);
}

/* The driver has shared the memory out: 4 GiB to each of two functions, or 2 GiB to each of
 * three. */
TEST(intels_memory_shared_out)
{
    scene_stop(&scene);
    start("gpu " INTEL " xe vfs 3 memory 14096\n");
    put("sys/bus/pci/drivers/xe-vfio-pci/unbind", "");
    put("sys/devices/" INTEL "/sriov_drivers_autoprobe", "0\n");
    put(CONF,
        "profiles = { b50-8g = { vram = \"8G\"; }; b50-12g = { vram = \"12G\"; }; };\n" STATED);
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 0), 0);
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 2), 0);
    typed_golden(&scene, HERE, "doctor/intel-preset", "vgpuctl doctor");
    type_both("vgpuctl sriov disable " INTEL, "vgpuctl sriov enable " INTEL " --count 2");
    assert_healthy(HERE);
    /* A profile without memory needs the memory that the functions have. */
    put(CONF, "profiles = { quick = { exec_quantum = \"5ms\"; };\n"
              "b50-12g = { vram = \"12G\"; }; };\n" STATED);
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 0), 0);
    assert_int_equal(fake_enable(&scene.kernel, INTEL, 3), 0);
    typed_golden(&scene, HERE, "doctor/intel-preset-mixed", "vgpuctl doctor");
    put(CONF,
        "profiles = { quick = { vram = \"1G\"; }; b50-12g = { vram = \"12G\"; }; };\n" STATED);
    type_both("vgpuctl sriov disable " INTEL, "vgpuctl sriov enable " INTEL);
    assert_healthy(HERE);
}

/* How much memory vgpu.conf could state: what the driver has shared out, or else what is known of
 * the card. Where memory is fixed, nobody has to state it. */
TEST(intels_memory_unstated)
{
    static const struct {
        const char *card;
        unsigned share;     /* MiB */
        const char *advice; /* NULL: doctor says nothing of memory */
    } rows[] = {
        {"device e212", 0,
         "add vram = \"...M\" for " INTEL " to gpus in vgpu.conf: Intel's own tool gives all "
         "functions of such a card 16128 MiB, or 14084 MiB if ECC is on"},
        {"device e212", 7048,
         "add vram = \"14096M\" for " INTEL " to gpus in vgpu.conf: its driver "
         "has shared out that much"},
        {"device e212", 4096, "16128 MiB, or 14084 MiB if ECC is on"},
        {"device e20b", 4096, "add vram = \"...G\" for " INTEL " to gpus in vgpu.conf"},
        {"device e212 fixed", 0, NULL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char machine[128];

        scene_stop(&scene);
        snprintf(machine, sizeof(machine), "gpu " INTEL " xe vfs 2 memory 14096 %s\n",
                 rows[i].card);
        start(machine);
        put("sys/bus/pci/drivers/xe-vfio-pci/unbind", "");
        put(CONF, "profiles = { b50-8g = { vram = \"8G\"; }; };\n");
        fake_profile(&scene.kernel, "0000:03:00.4")[0] = (uint64_t)rows[i].share << 20;
        fake_profile(&scene.kernel, "0000:03:00.5")[0] = (uint64_t)rows[i].share << 20;
        if (rows[i].advice)
            assert_note(HERE, "profile-memory", rows[i].advice);
        else
            assert_healthy(HERE);
    }
}

/* libvirt's test driver runs no QEMU, so it tells no version of QEMU. The test gives one. */
TEST(libvirt_version)
{
    static const struct {
        unsigned version;
        const char *words; /* NULL: no fault */
    } rows[] = {
        {0, NULL},
        {9006000, "libvirt 9.6.0 gives no guest a virtual function that keeps its driver, as vGPUs "
                  "of the GPU " CARD " have to"},
        {9007000, NULL},
        {11003000, NULL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(diagnosis_clear) struct diagnosis diagnosis = DIAGNOSIS_NONE;
        struct error error;

        assert_int_equal(diagnosis_make(&scene.kernel.host, HERE, &diagnosis, &error), 0);
        assert_int_equal(diagnosis.found.count, 0);
        assert_int_equal(diagnosis.references.libvirt_version, 0);
        diagnosis.references.libvirt_version = rows[i].version;
        for (diagnosis.check = function_checks; diagnosis.check->name; diagnosis.check++) {
            if (diagnosis.check->look)
                diagnosis.check->look(&diagnosis);
        }
        assert_int_equal(diagnosis.found.count, rows[i].words != NULL);
        if (!rows[i].words)
            continue;
        assert_string_equal(diagnosis.found.items[0].word, "libvirt-version");
        assert_string_equal(diagnosis.found.items[0].text, rows[i].words);
    }
}

TEST(function_domains)
{
    put(CONF, "classes = { small = { types = [ \"L40S-8Q\" ]; }; };\n");
    assert_healthy(libvirt((const char *const[]){PCI_HOSTDEV("4", "no", "ua-a"), NULL}));
    assert_fault(libvirt((const char *const[]){PCI_HOSTDEV("4", "no", "ua-a"),
                                               PCI_HOSTDEV("4", "no", "ua-b"), NULL}),
                 "duplicate-function",
                 "the domains guest1 and guest2 both name the virtual function " FIRST);
    assert_fault(libvirt((const char *const[]){PCI_HOSTDEV("5", "yes", "ua-a"), NULL}),
                 "function-managed", "guest1 says managed='yes' for the virtual function " SECOND);
    assert_fault(libvirt((const char *const[]){PCI_HOSTDEV("6", "no", "ua-vgpu-small"), NULL}),
                 "function-missing",
                 "guest1 asks for a vGPU on 0000:41:00.6, which this host does not have");
    assert_fault(libvirt((const char *const[]){PCI_HOSTDEV("0", "no", "ua-vgpu-small"), NULL}),
                 "function-missing", "on " CARD ", which is no virtual function (its driver is");
    /* A PCI device that is not ours may be shared, be managed, and be on another host. */
    assert_healthy(libvirt((const char *const[]){PCI_HOSTDEV("6", "yes", "ua-a"),
                                                 PCI_HOSTDEV("6", "yes", "ua-b"), NULL}));
    /* A function of a pool loses nothing if libvirt manages it. */
    put("sys/bus/pci/devices/0000:41:00.7/vendor", "0x1002");
    put(CONF, "pools = { bare = { functions = [ \"0000:41:00.7\" ]; }; };\n");
    assert_healthy(libvirt((const char *const[]){PCI_HOSTDEV("7", "yes", "ua-a"), NULL}));
    put(CONF, "");
    /* Nobody refers to the function with a type. doctor does not report it, because it is not ours.
     * doctor reports another fault. */
    assert_int_equal(typed_prepare(&scene, 9, "L40S-8Q", FIRST), 0);
    assert_fault(libvirt((const char *const[]){NULL}), "orphan",
                 "no domain refers to the vGPU " FIRST ", which was guest9's");
    assert_healthy(libvirt((const char *const[]){PCI_HOSTDEV("4", "no", "ua-a"), NULL}));
}
