/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernel names a type after the driver of its parent: "vfio-pci-222" is NVIDIA's type 222, and
 * everybody calls it nvidia-222. A type on another vendor's card is none of NVIDIA's. */

#include "callout/callout.h"
#include "cli/command.h"
#include "device/scan.h"
#include "device/vendor.h"
#include "fake/typed.h"
#include "lease/statedir.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CARD        "0000:18:00.0"
#define HERE        "test:///default"
#define DIRECTORIES "sys/class/mdev_bus/%s/mdev_supported_types/"

/* The first function has nvidia-222, the second vfio-pci-222. */
#define MACHINE                                                                                    \
    "gpu " CARD " rule size vfs 2 bound 1\n"                                                       \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16 heads 4\n"                             \
    "type nvidia-230 \"GRID T4-2Q\" framebuffer 2048 max 8 heads 4\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = MACHINE}, &typed};
#define TEST(name) TYPED_TEST(name, here)

static bool
has_directory(const char *parent, const char *type)
{
    return host_exists(&scene.kernel.host, DIRECTORIES "%s", parent, type);
}

/* Whatever the word is, the vGPU is of one type, made in the directory that its function has. */
TEST(each_word)
{
    static const char *const words[] = {"nvidia-222", "vfio-pci-222", "222", "GRID T4-1B", "T4-1B"};

    AUTO_FREE char *xml = scene_xml(2, "", (const unsigned[]){2, 0});

    assert_true(has_directory("0000:18:00.4", "nvidia-222"));
    assert_false(has_directory("0000:18:00.5", "nvidia-222"));
    assert_true(has_directory("0000:18:00.5", "vfio-pci-222"));
    for (size_t i = 0; i < COUNT(words); i++) {
        assert_int_equal(scene_prepare(&scene, 1, 1, words[i]), 0);
        assert_int_equal(scene_prepare(&scene, 2, 2, words[i]), 0);
        typed_run(&scene, NULL, "vgpuctl list -rn -o TYPE,PARENT,STATE", &typed);
        assert_string_equal(typed.printed, "nvidia-222 0000:18:00.4 held\n"
                                           "nvidia-222 0000:18:00.5 held\n");
        assert_int_equal(scene_hook(&scene, xml, "start", "begin"), 0);
        assert_int_equal(scene_release(&scene, 1, 1), 0);
        assert_int_equal(scene_release(&scene, 2, 2), 0);
        scene_assert_empty(&scene);
    }
    assert_int_not_equal(scene_prepare(&scene, 1, 1, "i915-222"), 0);
}

/* One line for one type, with what both functions have. */
TEST(one_type)
{
    typed_expect(&scene, HERE, "vgpuctl types -rn -o TYPE,NAME,FRAMEBUFFER,AVAILABLE", COMMAND_DONE,
                 "nvidia-222 GRID\\x20T4-1B 1024 2\nnvidia-230 GRID\\x20T4-2Q 2048 2\n", &typed);
    typed_expect(&scene, HERE, "vgpuctl metrics", COMMAND_DONE,
                 "{gpu=\"0000:18:00.0\",type=\"nvidia-222\"", &typed);
    assert_null(strstr(typed.printed, "vfio-pci"));
    scene_configure(&scene, "gpus = ( { address = \"" CARD "\"; types = [ \"222\" ]; } );\n"
                            "classes = { small = { types = [ \"vfio-pci-222\" ]; }; };\n");
    typed_expect(&scene, HERE, "vgpuctl check", COMMAND_DONE, "ok (gpus: 1, classes: 1", &typed);
    assert_null(strstr(typed.faults, "not offered"));
    assert_int_not_equal(scene_prepare(&scene, 1, 1, "T4-2Q"), 0);
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
}

/* Somebody else's vGPU there has the same type, and a running guest's is adopted as that. */
TEST(made_by_others)
{
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.5", "vfio-pci-222", scene_device(7)), 0);
    typed_run(&scene, NULL, "vgpuctl list -rn -o TYPE,STATE", &typed);
    assert_string_equal(typed.printed, "nvidia-222 foreign\n");
    /* It has the size of the whole GPU. */
    assert_int_not_equal(scene_prepare(&scene, 1, 1, "T4-2Q"), 0);
    scene_assert_said(&scene, "holds nvidia-222");
    assert_int_equal(scene_prepare(&scene, 7, 7, "222"), 0);
    typed_run(&scene, NULL, "vgpuctl list -rn -o TYPE,STATE", &typed);
    assert_string_equal(typed.printed, "nvidia-222 held\n");
}

/* mdevctl knows the kernel's word. */
TEST(by_mdevctl)
{
    char *words[] = {(char[]){"50-libvirt-vgpu"},
                     (char[]){"-t"},
                     (char[]){"vfio-pci-222"},
                     (char[]){"-e"},
                     (char[]){"pre"},
                     (char[]){"-a"},
                     (char[]){"start"},
                     (char[]){"-s"},
                     (char[]){"none"},
                     (char[]){"-u"},
                     (char[]){"dddddddd-0000-4000-8000-000000000009"},
                     (char[]){"-p"},
                     (char[]){"0000:18:00.5"}};
    AUTO_CLOSE int input = memfd_create("input", MFD_CLOEXEC);
    AUTO_CLOSE int faults = memfd_create("faults", MFD_CLOEXEC);
    char said[512], boot_id[64], ledger[512];
    ssize_t length;

    assert_int_equal(callout_run(&scene.kernel.host, COUNT(words), words, input, faults),
                     CALLOUT_NOT_MINE);
    /* A start has been promised the other function, which gives the whole GPU its size. */
    assert_true(host_read(&scene.kernel.host, boot_id, sizeof(boot_id),
                          "proc/sys/kernel/random/boot_id") > 0);
    snprintf(ledger, sizeof(ledger),
             "libvirt-vgpu-ledger 1 %s 2\nmdev %s nvidia-230 2048 0000:18:00.4 " CARD
             " aaaaaaaa-0000-4000-8000-000000000001 guest1 ua-gpu1 pending made 1:1 0 reap 1\n",
             boot_id, scene_device(1));
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", ledger);
    assert_int_equal(callout_run(&scene.kernel.host, COUNT(words), words, input, faults),
                     CALLOUT_REFUSED);
    length = pread(faults, said, sizeof(said) - 1, 0);
    said[length > 0 ? length : 0] = '\0';
    typed_assert_has(said, "is promised to the guest guest1");
}

/* Another vendor's card with the same names. */
TEST(of_another_vendor)
{
    AUTO(inventory_clear) struct inventory inventory = {0};
    struct error error;

    scene_stop(&scene);
    scene_start(&scene, "gpu " CARD " rule pool 4 vfs 2 bound 1 vendor 1af4 driver nvidia\n"
                        "type nvidia-222 \"GRID T4-1B\" uses 2\n");
    assert_int_equal(scan_host(&scene.kernel.host, NULL, &inventory_all_types, &inventory, &error),
                     0);
    assert_int_equal(inventory.gpu_count, 1);
    for (size_t i = 0; i < inventory.gpus[0]->type_count; i++)
        assert_null(inventory.gpus[0]->types[i].vendor);
    assert_string_equal(inventory.gpus[0]->types[0].id.text, "nvidia-222");
}
