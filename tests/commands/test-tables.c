/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tables of vgpuctl gpus, types and list for whole machines. */

#include "fake/typed.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HERE   "test:///default"
#define DEVICE "dddddddd-0000-4000-8000-00000000000"

static struct scene scene;
static const struct scene_case here = {.scene = &scene};
#define TEST(function) SCENE_TEST(function, here)

/* What the three tables say of a machine, for people and for programs. */
static void
show(const char *libvirt, const char *gpus, const char *types, const char *list)
{
    typed_facts(&scene, libvirt, "vgpuctl gpus -o +DRIVER,PARENTS,USED,FREE-AT-MOST", 0, gpus);
    typed_facts(&scene, libvirt, "vgpuctl types", 0, types);
    typed_facts(&scene, libvirt, "vgpuctl list -o DEVICE,NAME,PARENT,GPU,STATE,DOMAIN", 0, list);
    typed_agree(&scene, libvirt, "vgpuctl gpus");
    typed_agree(&scene, libvirt, "vgpuctl types");
    typed_agree(&scene, libvirt, "vgpuctl list");
}

#define ON(address)                                                                                \
    (const char *const[])                                                                          \
    {                                                                                              \
        address, NULL                                                                              \
    }

TEST(t4)
{
    AUTO_FREE char *first = typed_domain(1, "", (const unsigned[]){1, 0});
    AUTO_FREE char *second = typed_domain(2, "", (const unsigned[]){2, 0});
    AUTO_FREE char *domains = NULL;

    scene_start_machine(&scene, "t4x8");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-16Q"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:3b:00.0", "nvidia-222", scene_device(3)), 0);
    scene_configure(&scene,
                    "gpus = ({ address = \"0000:18:00.0\"; enabled = false; });"
                    "classes = { small = { types = [ \"T4-1B\", \"T4-16Q\" ]; };"
                    " big = { framebuffer = \"8G\"; }; none = { types = [ \"A40-1B\" ]; }; };");
    assert_true(asprintf(&domains, "%s%s", first, second) > 0);
    show(typed_libvirt(&scene, domains),
         "0000:18:00.0 GRID T4 0 mdev 1 1024 16384 0 no nvidia 1 1024 0\n"
         "0000:19:00.0 GRID T4 0 mdev 1 16384 16384 0 yes nvidia 1 16384 0\n"
         "0000:3b:00.0 GRID T4 0 mdev 1 1024 16384 15360 yes nvidia 1 1024 15360\n"
         "0000:b0:00.0 GRID T4 1 mdev 0 - 16384 16384 yes nvidia 1 0 16384 (end)",
         "0000:18:00.0 nvidia-222 GRID T4-1B 1024 4 5120x2880 16 0 0 -\n"
         "0000:19:00.0 nvidia-234 GRID T4-16Q 16384 4 5120x2880 1 0 0 -\n"
         "0000:3b:00.0 nvidia-222 GRID T4-1B 1024 4 5120x2880 16 15 15 -\n"
         "0000:3b:00.0 nvidia-223 GRID T4-2B 2048 4 5120x2880 8 0 0 -\n"
         "0000:3c:00.0 nvidia-227 GRID T4-4A 4096 1 5120x2880 4 4 4 -\n"
         "0000:b0:00.0 nvidia-252 GRID T4-1B4 1024 4 5120x2880 16 16 16 - (end)",
         DEVICE "1 GRID T4-1B 0000:18:00.0 0000:18:00.0 held guest1");
    typed_golden(&scene, typed_libvirt(&scene, domains), "list/t4x8-raw",
                 "vgpuctl list --raw -n -o DEVICE,STATE,DOMAIN");
    typed_golden(&scene, HERE, "types/t4x8-json", "vgpuctl types 3c:00.0 --type T4-16Q --json");
    typed_facts(&scene, HERE, "vgpuctl types 0000:3c:00.0 -o NAME,CLASSES", 0,
                "GRID T4-1B small\nGRID T4-2B -\nGRID T4-8Q big\nGRID T4-16Q small,big");
    typed_facts(&scene, HERE, "vgpuctl types --available --type T4-1B -o GPU,TYPE,AVAILABLE", 0,
                "AVAILABLE 0000:3b:00.0 nvidia-222 15 0000:3c:00.0 nvidia-222 16 0000:86:00.0");
    typed_facts(&scene, HERE, "vgpuctl types 3b:00.0 --sort -available -o name,available", 0,
                "NAME AVAILABLE GRID T4-1B 15 GRID T4-1A 15 GRID T4-1Q 15 GRID T4-1B4 15 "
                "GRID T4-2B 0 GRID T4-2B4 0 GRID T4-2A 0");
    typed_golden(&scene, HERE, "types/t4x8-not-sorted", "vgpuctl types --sort classes");
    typed_golden(&scene, HERE, "types/t4x8-unknown", "vgpuctl types --type A40-1B");
    typed_facts(&scene, HERE, "vgpuctl list 3b:00.0 -o DEVICE,STATE", 0,
                "DEVICE STATE " DEVICE "3 orphan (end)");
    typed_facts(&scene, HERE, "vgpuctl list guest1 -o DEVICE,DOMAIN", 0,
                "DOMAIN " DEVICE "1 guest1 (end)");
    typed_golden(&scene, HERE, "list/t4x8-of-idle-gpu", "vgpuctl list b0:00.0");
    typed_golden(&scene, HERE, "list/t4x8-of-nobody", "vgpuctl list web09");
}

/* Functions without types. A guest has one function of a pool, and another driver has one. */
TEST(pool)
{
    scene_start(&scene, "pci 0000:c1:00.0 driver gim vendor 1002 device 74a1 numa 1\n"
                        "pci 0000:c1:02.0 driver vfio-pci physfn 0000:c1:00.0\n"
                        "pci 0000:c1:02.1 driver vfio-pci physfn 0000:c1:00.0\n"
                        "pci 0000:c1:02.2 driver amdgpu physfn 0000:c1:00.0\n");
    scene_configure(&scene, "pools = { mi300 = { functions = [ \"0000:c1:02.*\" ]; "
                            "driver = \"vfio-pci\"; framebuffer = \"24G\"; }; };");
    assert_int_equal(scene_prepare_at(&scene, 1, "0000:c1:02.0", "mi300"), 0);
    show(HERE, "0000:c1:00.0 gim 1 pool 1 24576 49152 24576 yes gim 2 24576 24576",
         "0000:c1:00.0 mi300 mi300 24576 - - 2 1 1 -",
         "0000:c1:02.0 mi300 0000:c1:02.0 0000:c1:00.0 orphan guest1 (end)");
    typed_facts(&scene, HERE, "vgpuctl status", 0,
                "24576 of 49152 MiB in use\na guest1 mi300 24576 MiB orphan\n"
                "free: 24576 MiB: 1 mi300");
}

/* The placements that the driver chose. */
TEST(ids)
{
    scene_start(&scene, "gpu 0000:3d:00.0 vf vfs 4 rule mixed memory 49152\n"
                        "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n"
                        "gpu 0000:18:00.0 rule size\n"
                        "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n");
    assert_int_equal(scene_prepare_at(&scene, 1, "0000:3d:00.5", "L40S-8Q"), 0);
    assert_int_equal(scene_prepare_at(&scene, 2, "0000:3d:00.4", "L40S-8Q"), 0);
    assert_int_equal(scene_prepare(&scene, 3, 3, "T4-1B"), 0);
    typed_facts(&scene, HERE, "vgpuctl list -o DEVICE,NAME,INSTANCE,PLACEMENT", 0,
                DEVICE "3 GRID T4-1B - -\n0000:3d:00.4 NVIDIA L40S-8Q 0 1\n"
                       "0000:3d:00.5 NVIDIA L40S-8Q 0 0");
    typed_golden(&scene, HERE, "list/ids-json", "vgpuctl list --json -o all");
    typed_agree(&scene, HERE, "vgpuctl list");
    typed_facts(&scene, HERE, "vgpuctl list -o +instance", 0, "DOMAIN-UUID INSTANCE");
}

/* Functions with a profile of the configuration: the types that fit beside the present vGPUs. */
TEST(xe)
{
    scene_start(&scene, "gpu 0000:03:00.0 xe vfs 4 memory 16384 numa 1\n");
    scene_configure(&scene, "profiles = { b50-4g = { vram = \"4G\"; exec_quantum = \"20ms\"; }; "
                            "b50-8g = { vram = \"8G\"; }; b50-2g = { vram = \"2G\"; }; };"
                            "gpus = ( { address = \"0000:03:00.0\"; vram = \"16G\"; } );");
    assert_int_equal(scene_prepare_at(&scene, 1, "0000:03:00.5", "b50-8g"), 0);
    assert_int_equal(scene_prepare_at(&scene, 2, "0000:03:00.4", "b50-2g"), 0);
    show(HERE, "0000:03:00.0 xe 1 xe 2 - 16384 - yes xe 4 10240 6144",
         "0000:03:00.0 b50-2g b50-2g 2048 - - - 2 2 -\n"
         "0000:03:00.0 b50-4g b50-4g 4096 - - - 1 1 -\n"
         "0000:03:00.0 b50-8g b50-8g 8192 - - - 0 0 -",
         "0000:03:00.4 b50-2g 0000:03:00.4 0000:03:00.0 orphan guest2\n"
         "0000:03:00.5 b50-8g 0000:03:00.5 0000:03:00.0 orphan guest1");
    typed_facts(&scene, HERE, "vgpuctl status", 0,
                "10240 of 16384 MiB in use\n"
                "free: at most 6144 MiB: 2 b50-2g, 0 b50-8g, 1 b50-4g");
}

/* All functions of a card of Intel's have equal shares. One gets a vGPU with less, which is kept.
 */
static void
keep_a_small_one(const char *memory, const char *shares, unsigned functions)
{
    AUTO_FREE char *machine = NULL, *conf = NULL;

    assert_true(asprintf(&machine, "gpu 0000:03:00.0 xe vfs 6 memory %s %s\n", memory, shares) > 0);
    assert_true(asprintf(&conf,
                         "release = \"keep\"; profiles = { b50-2g = { vram = \"2G\"; };"
                         " b50-3g = { vram = \"3G\"; }; b50-8g = { vram = \"8G\"; }; };"
                         "gpus = ( { address = \"0000:03:00.0\"; vram = \"%sM\"; } );",
                         memory) > 0);
    scene_start(&scene, machine);
    scene_configure(&scene, conf);
    fake_write(&scene.kernel, "sys/devices/0000:03:00.0/sriov_drivers_autoprobe", "0\n");
    assert_int_equal(fake_enable(&scene.kernel, "0000:03:00.0", 0), 0);
    assert_int_equal(fake_enable(&scene.kernel, "0000:03:00.0", functions), 0);
    assert_int_equal(scene_prepare_at(&scene, 1, "0000:03:00.5", "b50-2g"), 0);
    assert_int_equal(scene_release_at(&scene, 1, "0000:03:00.5"), 0);
}

/* If the kept vGPU is removed, its function has its share again. So two of 8 GiB never fit. */
TEST(xe_that_had_more)
{
    keep_a_small_one("14096", "admin", 2);
    typed_facts(&scene, HERE, "vgpuctl types -o name,available,available-at-most", 0,
                "b50-2g 2 2\nb50-3g 2 2\nb50-8g 1 1 (end)");
}

/* Two guests can have 3 GiB beside the kept vGPU. If it is removed before them, its function has
 * its share again, and nobody else can. If it is removed after them, there is no room for the
 * share, and five can. */
TEST(xe_that_perhaps_has_more_again)
{
    static const char *const others[] = {"0000:03:00.4", "0000:03:00.6", "0000:03:00.7",
                                         "0000:03:01.0", "0000:03:01.1"};

    keep_a_small_one("16384", "shares 2", 6);
    typed_facts(&scene, HERE, "vgpuctl types -o name,available,available-at-most", 0,
                "b50-2g 6 6\nb50-3g - 5\nb50-8g 0 0 (end)");
    for (size_t i = 0; i < COUNT(others); i++)
        assert_int_equal(scene_prepare_at(&scene, 2 + (unsigned)i, others[i], "b50-3g"), 0);
}

/* A kept vGPU is given to the guest that names its function, though reserve leaves no place for
 * another one; or though max_instances does, since somebody else has made one. */
TEST(kept_beyond_the_limits)
{
    static const char *const rows[] = {
        "gpus = ( { address = \"0000:3d:00.0\"; reserve = 3; } );",
        "max_instances = ( { types = [ \"L40S-16Q\" ]; max = 1; } );",
    };

    scene_start(&scene, "gpu 0000:3d:00.0 vf vfs 4 rule size board \"NVIDIA L40S\"\n");
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare_at(&scene, 1, "0000:3d:00.4", "L40S-16Q"), 0);
    assert_int_equal(scene_release_at(&scene, 1, "0000:3d:00.4"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:3d:00.5", "nvidia-1154", NULL), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *conf = NULL;

        assert_true(asprintf(&conf, "release = \"keep\"; %s", rows[i]) > 0);
        scene_configure(&scene, conf);
        typed_facts(&scene, HERE, "vgpuctl types -o name,available,available-at-most", 0,
                    "NVIDIA L40S-12Q 0 0\nNVIDIA L40S-16Q - 1\nNVIDIA L40S-24Q 0 0");
        assert_int_equal(scene_prepare_at(&scene, 2, "0000:3d:00.6", "L40S-16Q"), 1);
        assert_int_equal(scene_prepare_at(&scene, 3, "0000:3d:00.4", "L40S-16Q"), 0);
        assert_int_equal(scene_release_at(&scene, 3, "0000:3d:00.4"), 0);
    }
}

/* Figures are not summed up over virtual functions. */
TEST(a40)
{
    AUTO_FREE char *first = typed_domain(1, "", (const unsigned[]){1, 0});

    scene_start_machine(&scene, "a40");
    assert_int_equal(scene_prepare(&scene, 1, 1, "A40-4Q"), 0);
    show(typed_libvirt(&scene, first),
         "0000:3d:00.0 NVIDIA A40 0 mdev 1 4096 49152 45056 yes nvidia 32 4096 45056\n"
         "0001:3d:00.0 NVIDIA A40 1 mdev 0 - 49152 49152 yes nvidia 32 0 49152",
         "0000:3d:00.0 nvidia-560 NVIDIA A40-4Q 4096 4 5120x2880 12 11 11 -\n"
         "0000:3d:00.0 nvidia-562 NVIDIA A40-8Q 8192 4 5120x2880 6 0 0 -\n"
         "0001:3d:00.0 nvidia-555 NVIDIA A40-1B 1024 4 5120x2880 32 32 32 -\n"
         "0001:3d:00.0 nvidia-576 NVIDIA A40-48A 49152 1 5120x2880 1 1 1 -",
         DEVICE "1 NVIDIA A40-4Q 0000:3d:00.4 0000:3d:00.0 held guest1 (end)");
}

TEST(samples)
{
    scene_start_machine(&scene, "mtty");
    typed_golden(&scene, HERE, "types/mtty", "vgpuctl types");
    typed_facts(&scene, HERE, "vgpuctl gpus --json", 0,
                "\"interface\": \"mdev\", \"made\": 0, \"enabled\": true,");
    show(HERE, "mtty - - mdev 0 - - - yes - 1 - -",
         "mtty mtty-1 Single port serial - - - - 24 24 -", "there is no vGPU on this host");
}

TEST(nothing)
{
    scene_start(&scene, "");
    show(HERE, "no GPU on this host offers vGPUs; see 'vgpuctl doctor'",
         "no GPU on this host offers vGPUs; see 'vgpuctl doctor'", "there is no vGPU on this host");
}

/* Mediated devices beside virtual functions with types. One function belongs to a guest of ours,
 * one to a guest that does not ask us for a vGPU, and one to nobody. The configuration gives some
 * types a limit. */
TEST(both_kinds)
{
    AUTO_FREE char *first = typed_domain(1, "", (const unsigned[]){1, 0});
    AUTO_FREE char *second = typed_functions(2, "", "L40S-8Q", ON("0000:3d:00.4"));
    AUTO_FREE char *third = typed_functions(3, TYPED_DEFINED, "", ON("0000:3D:00.5"));
    AUTO_FREE char *domains = NULL;
    const char *libvirt;

    scene_start_machine(&scene, "t4-l40s");
    scene_configure(&scene,
                    "max_instances = ({ types = [ \"L40S-8A\", \"L40S-8Q\" ]; max = 6; });");
    typed_facts(&scene, HERE, "vgpuctl types 3d:00.0 -o name,max,available,available-at-most", 0,
                "NVIDIA L40S-3Q 16 - 16 NVIDIA L40S-4Q 12 - 12 NVIDIA L40S-6Q 8 - 8 "
                "NVIDIA L40S-8Q 6 6 6 NVIDIA L40S-12Q 4 - 4\nNVIDIA L40S-48Q 1 1 1\n"
                "NVIDIA L40S-8A 6 6 6 NVIDIA L40S-12A 4 - 4\nNVIDIA L40S-48A 1 1 1 (end)");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(typed_prepare(&scene, 2, "L40S-8Q", "0000:3d:00.4"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:3d:00.5", "nvidia-1152", "0000:3d:00.5"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:3d:01.0", "nvidia-1152", "0000:3d:01.0"), 0);
    assert_true(asprintf(&domains, "%s%s%s", first, second, third) > 0);
    libvirt = typed_libvirt(&scene, domains);
    typed_golden(&scene, libvirt, "gpus/t4-l40s", "vgpuctl gpus");
    typed_golden_on(&scene, libvirt, &typed_page, "gpus/page", "vgpuctl gpus");
    typed_golden_on(&scene, libvirt, &typed_page, "types/page",
                    "vgpuctl types 18:00.0 --available");
    typed_golden(&scene, libvirt, "gpus/t4-l40s-json", "vgpuctl gpus --json");
    typed_golden(&scene, libvirt, "types/t4-l40s", "vgpuctl types");
    typed_golden(&scene, libvirt, "list/t4-l40s", "vgpuctl list");
    typed_facts(&scene, libvirt, "vgpuctl list --json", 0,
                "\"state\": \"orphan\", \"domain\": null, \"domain-uuid\": null, \"alias\": null, "
                "\"interface\": \"vf\"");
    typed_agree(&scene, libvirt, "vgpuctl gpus");
    typed_agree(&scene, libvirt, "vgpuctl types");
    typed_agree(&scene, libvirt, "vgpuctl list");
}

/* The types of GPU instances, if one instance is free, and if none is. */
TEST(partitioned)
{
    AUTO_FREE char *first = typed_functions(1, "", "A30-1-6C", ON("0000:41:00.4"));

    scene_start_machine(&scene, "a30-mig");
    /* The instances limit these types, even if the configuration allows more. */
    scene_configure(&scene, "max_instances = ({ types = [ \"A30-1-6C\" ]; max = 4; });");
    assert_int_equal(typed_prepare(&scene, 1, "A30-1-6C", "0000:41:00.4"), 0);
    show(typed_libvirt(&scene, first), "0000:41:00.0 NVIDIA A30 0 vf 1 - - - yes nvidia 8 - -",
         "0000:41:00.0 nvidia-689 NVIDIA A30-1-6C 6144 - - 4 - 3 1 (end)",
         "0000:41:00.4 NVIDIA A30-1-6C 0000:41:00.4 0000:41:00.0 held guest1 (end)");
    fake_instances(&scene.kernel, "0000:41:00.0", "nvidia-690", 1);
    typed_facts(&scene, HERE, "vgpuctl types", 0,
                "nvidia-689 NVIDIA A30-1-6C 6144 - - 4 - 3 1\n"
                "nvidia-690 NVIDIA A30-2-12C 12288 - - - - 7 2");
    fake_instances(&scene.kernel, "0000:41:00.0", "nvidia-689", 0);
    fake_instances(&scene.kernel, "0000:41:00.0", "nvidia-690", 0);
    typed_facts(&scene, HERE, "vgpuctl types", 0,
                "nvidia-689 NVIDIA A30-1-6C 6144 - - 4 0 0 1 (end)");
    typed_facts(&scene, HERE, "vgpuctl gpus", 0, "0000:41:00.0 NVIDIA A30 0 vf 1 - - - yes");
    /* No function lists the vGPU's type, and nobody remembers it. */
    fake_instances(&scene.kernel, "0000:41:00.0", "nvidia-690", 1);
    assert_int_equal(unlinkat(scene.kernel.host.root, "run/libvirt-vgpu/types", 0), 0);
    typed_facts(&scene, HERE, "vgpuctl gpus", 0, "0000:41:00.0 NVIDIA A30 0 vf 1 - - - yes");
    typed_facts(&scene, HERE, "vgpuctl types", 0,
                "nvidia-689 nvidia-689 - - - - 0 0 -\n"
                "nvidia-690 NVIDIA A30-2-12C 12288 - - - - 7 2");
}

/* Sizes and functions would allow more vGPUs than NVIDIA's driver makes: 32 on a GPU, and 12 on
 * each GPU instance. */
TEST(ceilings)
{
    AUTO_FREE char *first = typed_functions(1, "", "DC-2B", ON("0000:42:00.4"));

    scene_start_machine(&scene, "rtx-pro-6000");
    assert_int_equal(typed_prepare(&scene, 1, "DC-2B", "0000:42:00.4"), 0);
    show(typed_libvirt(&scene, first),
         "0000:42:00.0 NVIDIA RTX Pro 6000 Blackwell DC 0 vf 1 2048 98304 - yes nvidia 48 2048 "
         "96256\n"
         "0000:8c:00.0 NVIDIA RTX Pro 6000 Blackwell DC 1 vf 0 - 98304 - yes nvidia 48 0 98304",
         "0000:42:00.0 nvidia-1518 NVIDIA RTX Pro 6000 Blackwell DC-2B 2048 - - 32 - 31 -\n"
         "0000:42:00.0 nvidia-1519 NVIDIA RTX Pro 6000 Blackwell DC-3Q 3072 - - 32 0 0 -\n"
         "0000:42:00.0 nvidia-1550 NVIDIA RTX Pro 6000 Blackwell DC-1-2Q 2048 - - - 0 0 1\n"
         "0000:8c:00.0 nvidia-1518 NVIDIA RTX Pro 6000 Blackwell DC-2B 2048 - - 32 0 0 -\n"
         "0000:8c:00.0 nvidia-1550 NVIDIA RTX Pro 6000 Blackwell DC-1-2Q 2048 - - - - 24 1\n"
         "0000:8c:00.0 nvidia-1570 NVIDIA RTX Pro 6000 Blackwell DC-1-24Q 24576 - - - - 24 1",
         "NVIDIA RTX Pro 6000 Blackwell DC-2B 0000:42:00.4 0000:42:00.0 held guest1");
}

TEST(mixed_sizes)
{
    AUTO_FREE char *first = typed_functions(1, "", "L4-2Q", ON("0000:af:00.4"));
    AUTO_FREE char *second = typed_functions(2, "", "L4-12Q", ON("0000:af:00.5"));
    AUTO_FREE char *domains = NULL;

    scene_start_machine(&scene, "mixed-size");
    scene_configure(&scene, "max_instances = ({ types = [ \"L4-2Q\" ]; max = 12; });");
    assert_int_equal(typed_prepare(&scene, 1, "L4-2Q", "0000:af:00.4"), 0);
    typed_facts(&scene, HERE, "vgpuctl gpus", 0, "NVIDIA L4 1 vf 1 - 24576 - yes");
    assert_int_equal(typed_prepare(&scene, 2, "L4-12Q", "0000:af:00.5"), 0);
    assert_true(asprintf(&domains, "%s%s", first, second) > 0);
    show(typed_libvirt(&scene, domains),
         "0000:af:00.0 NVIDIA L4 1 vf 2 - 24576 - yes nvidia 16 14336 10240",
         "nvidia-908 NVIDIA L4-1B 1024 - - 24 - 10 -\nnvidia-911 NVIDIA L4-2Q 2048 - - 12 - 5 -\n"
         "nvidia-912 NVIDIA L4-3Q 3072 - - 8 - 3 -\nnvidia-915 NVIDIA L4-8Q 8192 - - 3 1 1 -\n"
         "nvidia-916 NVIDIA L4-12Q 12288 - - 2 0 0 -",
         "0000:af:00.4 NVIDIA L4-2Q 0000:af:00.4 0000:af:00.0 held guest1\n"
         "0000:af:00.5 NVIDIA L4-12Q 0000:af:00.5 0000:af:00.0 held guest2");
    typed_facts(&scene, HERE, "vgpuctl types --json", 0,
                "\"max\": 12, \"available\": null, \"available-at-most\": 5, \"classes\": [], "
                "\"max-from\": \"vgpu.conf\"\n"
                "\"max\": 8, \"available\": null, \"available-at-most\": 3, \"classes\": [], "
                "\"max-from\": \"calculated\"");
}

/* A GPU that was never seen idle may have a larger type than the types that it lists. */
TEST(never_seen_idle)
{
    scene_start_machine(&scene, "mixed-size");
    assert_int_equal(fake_make(&scene.kernel, "0000:af:00.4", "nvidia-914", "0000:af:00.4"), 0);
    typed_facts(&scene, HERE, "vgpuctl gpus", 0, "0000:af:00.0 NVIDIA L4 1 vf 1 - - - yes");
}

/* The sizes that a driver tells are more than a number has room for. What is used is not known. */
TEST(impossible_sizes)
{
    scene_start(&scene, "gpu 0000:18:00.0 rule apart\n"
                        "type nvidia-1 \"A-1\" framebuffer 1024 max 16\n"
                        "type nvidia-2 \"A-2\" framebuffer 2000000000 max 3\n");
    for (unsigned i = 1; i <= 3; i++)
        assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-2", scene_device(i)), 0);
    typed_facts(&scene, HERE, "vgpuctl gpus -n -o GPU,TOTAL,USED", 0, "0000:18:00.0 16384 -");
}

/* A full card lists no types. Its types are remembered. Without that they would be only numbers. */
TEST(full)
{
    static const char *const functions[] = {"0000:3d:00.4", "0000:3d:00.6"};

    scene_start_machine(&scene, "t4-l40s");
    for (unsigned i = 0; i < COUNT(functions); i++)
        assert_int_equal(typed_prepare(&scene, i + 1, "L40S-24Q", functions[i]), 0);
    typed_facts(&scene, HERE, "vgpuctl gpus", 0, "NVIDIA L40S 1 vf 2 24576 49152 0 yes");
    typed_facts(&scene, HERE, "vgpuctl types 0000:3d:00.0", 0,
                "nvidia-1145 NVIDIA L40S-1B 1024 - - 32 0 0 -\n"
                "nvidia-1166 NVIDIA L40S-48A 49152 - - 1 0 0 - (end)");
    typed_facts(&scene, HERE, "vgpuctl list -o DEVICE,TYPE,NAME", 0,
                "0000:3d:00.4 nvidia-1155 NVIDIA L40S-24Q 0000:3d:00.6 nvidia-1155 NVIDIA");
    assert_int_equal(unlinkat(scene.kernel.host.root, "run/libvirt-vgpu/types", 0), 0);
    typed_facts(&scene, HERE, "vgpuctl gpus", 0, "0000:3d:00.0 nvidia 1 vf 2 - - - yes");
    typed_facts(&scene, HERE, "vgpuctl types 0000:3d:00.0", 0,
                "SLICES 0000:3d:00.0 nvidia-1155 nvidia-1155 - - - - 0 0 - (end)");
    typed_facts(&scene, HERE, "vgpuctl list -o DEVICE,TYPE,NAME", 0,
                "0000:3d:00.4 nvidia-1155 nvidia-1155");
}

/* Of these commands, only list reads domains. */
TEST(no_libvirt_is_asked)
{
    struct typed typed = {0};

    scene_start_machine(&scene, "mtty");
    assert_int_equal(typed_run(&scene, "test:///no/such/file", "vgpuctl types", &typed), 0);
    assert_string_equal(typed.faults, "");
    assert_int_equal(typed_run(&scene, "test:///no/such/file", "vgpuctl gpus", &typed), 0);
    assert_string_equal(typed.faults, "");
    typed_run(&scene, "test:///no/such/file", "vgpuctl list", &typed);
    assert_string_not_equal(typed.faults, "");
    typed_clear(&typed);
}
