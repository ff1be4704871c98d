/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A list of types that is as long as a page. Pages have 64 KiB on some hosts with arm64. The list
 * is read directly, and by a child process, as the hook reads it. */

#include "base/reader.h"
#include "device/scan.h"
#include "fake/scene.h"

#include <stdio.h>

#define FIRST "0000:3d:00.4"
#define MANY  2400

static struct scene scene;
static const struct scene_case here = {
    .scene = &scene,
    .machine = "gpu 0000:3d:00.0 vf vfs 4 rule size\n"
               "type nvidia-55 \"NVIDIA L40S-1B\" framebuffer 1024 max 2\n",
};

/* The numbers are aligned to the right, so most lines begin with blanks. */
static void
put_list(const struct fake_kernel *fake)
{
    AUTO_FREE char *list = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&list, &length);

    for (unsigned id = 1; id <= MANY; id++)
        fprintf(out, "%6u: NVIDIA L40S-%uQ\n", id, id);
    fclose(out);
    assert_in_range(length, 60000, 65536);
    fake_write(fake, "sys/devices/" FIRST "/nvidia/creatable_vgpu_types", list);
}

SCENE_TEST(list_of_a_large_page, here)
{
    struct fake_kernel *fake = &scene.kernel;
    struct reader reader = READER_IDLE;

    fake_settle(fake);
    put_list(fake);
    fake->host.ops = &host_kernel;
    for (size_t i = 0; i < 2; i++) {
        AUTO(inventory_clear) struct inventory inventory = {0};
        struct error error;

        fake->host.reader = i ? &reader : NULL;
        assert_int_equal(scan_host(&fake->host, NULL, &inventory_all_types, &inventory, &error), 0);
        assert_int_equal(inventory.gpu_count, 1);
        assert_int_equal(inventory.gpus[0]->type_count, MANY);
    }
    reader_stop(&reader);
}
