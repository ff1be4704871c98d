/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* /sys shows the interface of each card's vGPUs. NVIDIA's cards of any generation may have any
 * interface. Blackwell's functions take mediated devices under RHEL 9.6 with branch 595 of the
 * driver. Elsewhere they are vendor-specific VFIO. */

#include "fake/typed.h"

#include <stdio.h>
#include <string.h>

#define CARD   "0000:42:00.0"
#define FIRST  "0000:42:00.4"
#define OTHER  "0000:8c:00.0"
#define BEYOND "0000:8c:00.4"
#define TYPES                                                                                      \
    "type nvidia-1518 \"NVIDIA RTX Pro 6000 Blackwell DC-2B\" framebuffer 2048 max 32\n"           \
    "type nvidia-1521 \"NVIDIA RTX Pro 6000 Blackwell DC-4Q\" framebuffer 4096 max 24\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene}, &typed};
#define TEST(function) TYPED_TEST(function, here)

/* A guest gets a vGPU by this interface, and gives it back. A guest with the other kind of host
 * device is refused. */
static void
check_guest(bool is_function, const char *function)
{
    const char *device = is_function ? function : scene_device(1);
    const char *words = is_function ? "<hostdev type='pci'>" : "mediated devices";

    typed_run(&scene, NULL, "vgpuctl gpus --raw -n -o interface", &typed);
    assert_string_equal(typed.printed, is_function ? "vf\n" : "mdev\n");
    scene_must_start_at(&scene, 1, device, "DC-2B");
    scene_assert_type(&scene, device, "nvidia-1518");
    assert_int_equal(scene_release_at(&scene, 1, device), 0);
    scene_assert_empty(&scene);
    if (is_function)
        scene_must_refuse_at(&scene, 2, scene_device(2), "DC-2B", words);
    else if (strcmp(function, CARD) != 0)
        scene_must_refuse_at(&scene, 2, function, "DC-2B", words);
}

/* Cards from Turing to Blackwell, each by its PCI id. */
TEST(any_generation_has_any)
{
    static const char *const devices[] = {"1eb8", "2235", "26b9", "2330", "2bb5"};
    static const struct {
        const char *words, *function;
        bool is_function;
    } interfaces[] = {
        {"", CARD, false},
        {"vfs 4", FIRST, false},
        {"vf vfs 4", FIRST, true},
    };

    for (size_t i = 0; i < COUNT(devices) * COUNT(interfaces); i++) {
        const char *device = devices[i / COUNT(interfaces)];
        size_t k = i % COUNT(interfaces);
        char machine[512];

        snprintf(machine, sizeof(machine), "gpu " CARD " %s rule size device %s\n" TYPES,
                 interfaces[k].words, device);
        scene_start(&scene, machine);
        check_guest(interfaces[k].is_function, interfaces[k].function);
        if (i + 1 < COUNT(devices) * COUNT(interfaces))
            scene_stop(&scene);
    }
}

/* Two cards of one model have different interfaces. A type has the same id under both. A guest gets
 * a vGPU of the kind that its host device has. */
TEST(both_in_one_host)
{
    scene_start(&scene, "gpu " CARD " vfs 4 rule size device 2bb5\n" TYPES "gpu " OTHER
                        " vf vfs 4 rule size device 2bb5\n" TYPES);
    typed_run(&scene, NULL, "vgpuctl gpus --raw -n -o gpu,interface", &typed);
    assert_string_equal(typed.printed, CARD " mdev\n" OTHER " vf\n");
    scene_must_start_at(&scene, 1, scene_device(1), "DC-2B");
    scene_assert_type(&scene, scene_device(1), "nvidia-1518");
    scene_must_start_at(&scene, 2, BEYOND, "DC-4Q");
    scene_assert_type(&scene, BEYOND, "nvidia-1521");
    scene_must_refuse_at(&scene, 3, FIRST, "DC-2B", "which takes mediated devices");
    /* The guest wants a mediated device, which can be made only on the first card. */
    scene_must_refuse_at(&scene, 3, scene_device(3), "DC-4Q",
                         OTHER " makes vGPUs for <hostdev type='pci'> only");
}
