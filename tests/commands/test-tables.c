/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tables of vgpuctl gpus, types and list for whole machines. */

#include "fake/typed.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HERE "test:///default"

static struct scene scene;

/* The golden files of each machine: FOLDER/MACHINE and a suffix. */
static const struct {
    const char *folder, *added, *words;
} lines[] = {
    {"gpus", "", ""},
    {"gpus", "-json", " --json"},
    {"types", "", ""},
    {"types", "-json", " --json"},
    {"list", "", ""},
    {"list", "-json", " --json"},
    {"list", "-raw", " --raw -n -o DEVICE,STATE,DOMAIN"},
};

static void
show_with(const char *machine, const char *libvirt)
{
    for (size_t i = 0; i < COUNT(lines); i++) {
        char name[128], line[128];

        snprintf(line, sizeof(line), "vgpuctl %s%s", lines[i].folder, lines[i].words);
        snprintf(name, sizeof(name), "%s/%s%s", lines[i].folder, machine, lines[i].added);
        typed_golden(&scene, libvirt, name, line);
    }
}

/* Devices 1 and 2 belong to running guests. */
static void
show(const char *machine)
{
    AUTO_FREE char *first = typed_domain(1, "", (const unsigned[]){1, 0});
    AUTO_FREE char *second = typed_domain(2, "", (const unsigned[]){2, 0});
    AUTO_FREE char *domains = NULL;

    assert_true(asprintf(&domains, "%s%s", first, second) > 0);
    show_with(machine, typed_libvirt(&scene, domains));
}

static void
t4(void **state)
{
    (void)state;
    scene_start_machine(&scene, "t4x8");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-16Q"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:3b:00.0", "nvidia-222", scene_device(3)), 0);
    scene_configure(&scene,
                    "gpus = ({ address = \"0000:18:00.0\"; enabled = false; });"
                    "classes = { small = { types = [ \"T4-1B\", \"T4-16Q\" ]; };"
                    " big = { framebuffer = \"8G\"; }; none = { types = [ \"A40-1B\" ]; }; };");
    show("t4x8");
    typed_golden(&scene, HERE, "types/t4x8-classes",
                 "vgpuctl types 0000:3c:00.0 -o TYPE,NAME,CLASSES");
    typed_golden(&scene, HERE, "types/t4x8-available",
                 "vgpuctl types --available --type T4-1B -o GPU,TYPE,AVAILABLE");
    typed_golden(&scene, HERE, "types/t4x8-sorted",
                 "vgpuctl types 3b:00.0 --sort -available -o type,name,max,available");
    typed_golden(&scene, HERE, "types/t4x8-not-sorted", "vgpuctl types --sort classes");
    typed_golden(&scene, HERE, "types/t4x8-unknown", "vgpuctl types --type A40-1B");
    typed_golden(&scene, HERE, "list/t4x8-of-gpu", "vgpuctl list 3b:00.0");
    typed_golden(&scene, HERE, "list/t4x8-of-guest", "vgpuctl list guest1 -o DEVICE,DOMAIN");
    typed_golden(&scene, HERE, "list/t4x8-of-idle-gpu", "vgpuctl list b0:00.0");
    typed_golden(&scene, HERE, "list/t4x8-of-nobody", "vgpuctl list web09");
    scene_stop(&scene);
}

/* Functions without types. A guest has one function of a pool, and another driver has one. */
static void
pool(void **state)
{
    (void)state;
    scene_start(&scene, "pci 0000:c1:00.0 driver gim vendor 1002 device 74a1 numa 1\n"
                        "pci 0000:c1:02.0 driver vfio-pci physfn 0000:c1:00.0\n"
                        "pci 0000:c1:02.1 driver vfio-pci physfn 0000:c1:00.0\n"
                        "pci 0000:c1:02.2 driver amdgpu physfn 0000:c1:00.0\n");
    scene_configure(&scene, "pools = { mi300 = { functions = [ \"0000:c1:02.*\" ]; "
                            "driver = \"vfio-pci\"; framebuffer = \"24G\"; }; };");
    assert_int_equal(scene_prepare_at(&scene, 1, "0000:c1:02.0", "mi300"), 0);
    show_with("pool", HERE);
    typed_golden(&scene, HERE, "status/pool", "vgpuctl status");
    scene_stop(&scene);
}

/* The placements that the driver chose. */
static void
ids(void **state)
{
    (void)state;
    scene_start(&scene, "gpu 0000:3d:00.0 vf vfs 4 rule mixed memory 49152\n"
                        "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n"
                        "gpu 0000:18:00.0 rule size\n"
                        "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n");
    assert_int_equal(scene_prepare_at(&scene, 1, "0000:3d:00.5", "L40S-8Q"), 0);
    assert_int_equal(scene_prepare_at(&scene, 2, "0000:3d:00.4", "L40S-8Q"), 0);
    assert_int_equal(scene_prepare(&scene, 3, 3, "T4-1B"), 0);
    typed_golden(&scene, HERE, "list/ids", "vgpuctl list -o DEVICE,NAME,INSTANCE,PLACEMENT");
    typed_golden(&scene, HERE, "list/ids-json", "vgpuctl list --json -o all");
    typed_golden(&scene, HERE, "list/ids-more", "vgpuctl list -o +instance");
    scene_stop(&scene);
}

/* Functions with a profile of the configuration: the types that fit beside the present vGPUs. */
static void
xe(void **state)
{
    (void)state;
    scene_start(&scene, "gpu 0000:03:00.0 xe vfs 4 memory 16384 numa 1\n");
    scene_configure(&scene, "profiles = { b50-4g = { vram = \"4G\"; exec_quantum = \"20ms\"; }; "
                            "b50-8g = { vram = \"8G\"; }; b50-2g = { vram = \"2G\"; }; };"
                            "gpus = ( { address = \"0000:03:00.0\"; vram = \"16G\"; } );");
    assert_int_equal(scene_prepare_at(&scene, 1, "0000:03:00.5", "b50-8g"), 0);
    assert_int_equal(scene_prepare_at(&scene, 2, "0000:03:00.4", "b50-2g"), 0);
    show_with("xe", HERE);
    typed_golden(&scene, HERE, "status/xe", "vgpuctl status");
    scene_stop(&scene);
}

/* Figures are not summed up over virtual functions. */
static void
a40(void **state)
{
    (void)state;
    scene_start_machine(&scene, "a40");
    assert_int_equal(scene_prepare(&scene, 1, 1, "A40-4Q"), 0);
    show("a40");
    scene_stop(&scene);
}

static void
samples(void **state)
{
    (void)state;
    scene_start_machine(&scene, "mtty");
    show("mtty");
    scene_stop(&scene);
}

static void
nothing(void **state)
{
    (void)state;
    scene_start(&scene, "");
    show("nothing");
    scene_stop(&scene);
}

#define ON(address)                                                                                \
    (const char *const[])                                                                          \
    {                                                                                              \
        address, NULL                                                                              \
    }

/* Mediated devices beside virtual functions with types. One function belongs to a guest of ours,
 * one to a guest that does not ask us for a vGPU, and one to nobody. The configuration gives some
 * types a limit. */
static void
both_kinds(void **state)
{
    AUTO_FREE char *first = typed_domain(1, "", (const unsigned[]){1, 0});
    AUTO_FREE char *second = typed_functions(2, "", "L40S-8Q", ON("0000:3d:00.4"));
    AUTO_FREE char *third = typed_functions(3, TYPED_DEFINED, "", ON("0000:3D:00.5"));
    AUTO_FREE char *domains = NULL;

    (void)state;
    scene_start_machine(&scene, "t4-l40s");
    scene_configure(&scene,
                    "max_instances = ({ types = [ \"L40S-8A\", \"L40S-8Q\" ]; max = 6; });");
    typed_golden(&scene, HERE, "types/t4-l40s-empty",
                 "vgpuctl types 0000:3d:00.0 -o type,name,max,available,available-at-most");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(typed_prepare(&scene, 2, "L40S-8Q", "0000:3d:00.4"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:3d:00.5", "nvidia-1152", "0000:3d:00.5"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:3d:01.0", "nvidia-1152", "0000:3d:01.0"), 0);
    assert_true(asprintf(&domains, "%s%s%s", first, second, third) > 0);
    show_with("t4-l40s", typed_libvirt(&scene, domains));
    scene_stop(&scene);
}

/* The types of GPU instances, if one instance is free, and if none is. */
static void
partitioned(void **state)
{
    AUTO_FREE char *first = typed_functions(1, "", "A30-1-6C", ON("0000:41:00.4"));

    (void)state;
    scene_start_machine(&scene, "a30-mig");
    /* The instances limit these types, even if the configuration allows more. */
    scene_configure(&scene, "max_instances = ({ types = [ \"A30-1-6C\" ]; max = 4; });");
    assert_int_equal(typed_prepare(&scene, 1, "A30-1-6C", "0000:41:00.4"), 0);
    show_with("a30-mig", typed_libvirt(&scene, first));
    fake_instances(&scene.kernel, "0000:41:00.0", "nvidia-690", 1);
    typed_golden(&scene, HERE, "types/a30-mig-two-shapes", "vgpuctl types");
    fake_instances(&scene.kernel, "0000:41:00.0", "nvidia-689", 0);
    fake_instances(&scene.kernel, "0000:41:00.0", "nvidia-690", 0);
    typed_golden(&scene, HERE, "types/a30-mig-none-free", "vgpuctl types");
    typed_golden(&scene, HERE, "gpus/a30-mig-none-free", "vgpuctl gpus");
    /* No function lists the vGPU's type, and nobody remembers it. */
    fake_instances(&scene.kernel, "0000:41:00.0", "nvidia-690", 1);
    assert_int_equal(unlinkat(scene.kernel.host.root, "run/libvirt-vgpu/types", 0), 0);
    typed_golden(&scene, HERE, "gpus/a30-mig-nameless", "vgpuctl gpus");
    typed_golden(&scene, HERE, "types/a30-mig-nameless", "vgpuctl types");
    scene_stop(&scene);
}

/* Sizes and functions would allow more vGPUs than NVIDIA's driver makes: 32 on a GPU, and 12 on
 * each GPU instance. */
static void
ceilings(void **state)
{
    AUTO_FREE char *first = typed_functions(1, "", "DC-2B", ON("0000:42:00.4"));

    (void)state;
    scene_start_machine(&scene, "rtx-pro-6000");
    assert_int_equal(typed_prepare(&scene, 1, "DC-2B", "0000:42:00.4"), 0);
    show_with("rtx-pro-6000", typed_libvirt(&scene, first));
    scene_stop(&scene);
}

static void
mixed_sizes(void **state)
{
    AUTO_FREE char *first = typed_functions(1, "", "L4-2Q", ON("0000:af:00.4"));
    AUTO_FREE char *second = typed_functions(2, "", "L4-12Q", ON("0000:af:00.5"));
    AUTO_FREE char *domains = NULL;

    (void)state;
    scene_start_machine(&scene, "mixed-size");
    scene_configure(&scene, "max_instances = ({ types = [ \"L4-2Q\" ]; max = 12; });");
    assert_int_equal(typed_prepare(&scene, 1, "L4-2Q", "0000:af:00.4"), 0);
    typed_golden(&scene, HERE, "gpus/mixed-size-one-vgpu", "vgpuctl gpus");
    assert_int_equal(typed_prepare(&scene, 2, "L4-12Q", "0000:af:00.5"), 0);
    assert_true(asprintf(&domains, "%s%s", first, second) > 0);
    show_with("mixed-size", typed_libvirt(&scene, domains));
    scene_stop(&scene);
}

/* A GPU that was never seen idle may have a larger type than the types that it lists. */
static void
never_seen_idle(void **state)
{
    (void)state;
    scene_start_machine(&scene, "mixed-size");
    assert_int_equal(fake_make(&scene.kernel, "0000:af:00.4", "nvidia-914", "0000:af:00.4"), 0);
    typed_golden(&scene, HERE, "gpus/never-idle", "vgpuctl gpus");
    scene_stop(&scene);
}

/* A full card lists no types. Its types are remembered. Without that they would be only numbers. */
static void
full(void **state)
{
    static const char *const functions[] = {"0000:3d:00.4", "0000:3d:00.6"};

    (void)state;
    scene_start_machine(&scene, "t4-l40s");
    for (unsigned i = 0; i < COUNT(functions); i++)
        assert_int_equal(typed_prepare(&scene, i + 1, "L40S-24Q", functions[i]), 0);
    typed_golden(&scene, HERE, "gpus/full", "vgpuctl gpus");
    typed_golden(&scene, HERE, "types/full", "vgpuctl types 0000:3d:00.0");
    typed_golden(&scene, HERE, "list/full", "vgpuctl list -o DEVICE,TYPE,NAME,GPU");
    assert_int_equal(unlinkat(scene.kernel.host.root, "run/libvirt-vgpu/types", 0), 0);
    typed_golden(&scene, HERE, "gpus/full-forgotten", "vgpuctl gpus");
    typed_golden(&scene, HERE, "types/full-forgotten", "vgpuctl types 0000:3d:00.0 --json");
    typed_golden(&scene, HERE, "list/full-forgotten", "vgpuctl list -o DEVICE,TYPE,NAME,GPU");
    scene_stop(&scene);
}

/* Of these commands, only list reads domains. */
static void
no_libvirt_is_asked(void **state)
{
    struct typed typed = {0};

    (void)state;
    scene_start_machine(&scene, "mtty");
    assert_int_equal(typed_run(&scene, "test:///no/such/file", "vgpuctl types", &typed), 0);
    assert_string_equal(typed.faults, "");
    assert_int_equal(typed_run(&scene, "test:///no/such/file", "vgpuctl gpus", &typed), 0);
    assert_string_equal(typed.faults, "");
    typed_run(&scene, "test:///no/such/file", "vgpuctl list", &typed);
    assert_string_not_equal(typed.faults, "");
    typed_clear(&typed);
    scene_stop(&scene);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t4),
        cmocka_unit_test(pool),
        cmocka_unit_test(xe),
        cmocka_unit_test(ids),
        cmocka_unit_test(a40),
        cmocka_unit_test(samples),
        cmocka_unit_test(nothing),
        cmocka_unit_test(both_kinds),
        cmocka_unit_test(partitioned),
        cmocka_unit_test(ceilings),
        cmocka_unit_test(mixed_sizes),
        cmocka_unit_test(full),
        cmocka_unit_test(never_seen_idle),
        cmocka_unit_test(no_libvirt_is_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
