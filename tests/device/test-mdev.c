/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mdev: which devices on the bus count as parents of vGPUs. */

#include "device/scan.h"
#include "fake/scene.h"

#include <string.h>

static struct scene scene;
static const struct scene_case here = {.scene = &scene,
                                       .machine = "gpu bare rule pool 4\n"
                                                  "gpu channels rule pool 4\n"
                                                  "type io \"\" uses 1 api vfio-ccw\n"
                                                  "gpu mtty rule pool 4\n"
                                                  "type mtty-2 \"Dual port\" uses 2\n"};

static bool
wants_all(const struct inventory_type *type, const void *data)
{
    return true;
}

/* Three cards. The driver of the first lists no types. The types of the second are of other
 * devices, like s390's channels. The third has a vGPU. */
SCENE_TEST(a_parent_without_types_is_none, here)
{
    const struct inventory_filter all = {.wants = wants_all};
    AUTO(inventory_clear) struct inventory inventory = {0};
    struct error error = {0};

    assert_int_equal(fake_make(&scene.kernel, "channels", "io", scene_device(1)), 0);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(2)), 0);
    assert_int_equal(scan_host(&scene.kernel.host, NULL, &all, &inventory, &error), 0);
    assert_int_equal(inventory.parent_count, 1);
    assert_string_equal(inventory.parents[0]->name.text, "mtty");
    assert_int_equal(inventory.vgpu_count, 1);
    assert_string_equal(inventory.vgpus[0]->device.text, scene_device(2));
}
