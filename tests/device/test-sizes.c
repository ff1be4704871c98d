/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* When the largest size of a GPU is known, if its driver lists only the types that it would make
 * now. Only then the frame buffer and the maxima of its types follow from it. */

#include "device/scan.h"
#include "device/type-cache.h"
#include "fake/fake-parts.h"
#include "fake/scene.h"

#include <fcntl.h>

#define CARD    "0000:3d:00.0"
#define VGPU    "0000:3d:00.4"
#define TWIN    "0000:e7:00.0"
#define ON_TWIN "0000:e7:00.4"
#define L40S    " vf vfs 4 rule size numa 0 board \"NVIDIA L40S\"\n"
#define TYPE_4Q "nvidia-1150"
#define TYPE_16 "nvidia-1154"
#define WHOLE   49152

static struct fake_kernel fake;
static struct inventory inventory;

static int
teardown(void **state)
{
    inventory_clear(&inventory);
    fake_stop(&fake);
    return 0;
}

static void
look(void)
{
    struct error error;

    inventory_clear(&inventory);
    assert_int_equal(scan_host(&fake.host, NULL, &inventory_all_types, &inventory, &error), 0);
}

/* Looks, and remembers what is new, as whoever has the lock does. */
static void
look_and_remember(void)
{
    AUTO_CLOSE int directory = -1;

    look();
    fake_write(&fake, "run/libvirt-vgpu/ledger", "");
    directory = openat(fake.host.root, "run/libvirt-vgpu", O_PATH | O_DIRECTORY | O_CLOEXEC);
    type_cache_store(directory, &inventory);
}

static void
make(const char *function, const char *type)
{
    assert_int_equal(fake_make(&fake, function, type, NULL), 0);
}

static void
assert_unknown(size_t gpu, const char *type)
{
    struct name name;

    assert_int_equal(name_parse(&name, type), 0);
    assert_non_null(inventory_find_type(inventory.gpus[gpu], &name));
    assert_int_equal(inventory.gpus[gpu]->framebuffer, 0);
    assert_true(inventory_may_have_more(inventory.gpus[gpu]));
    for (size_t i = 0; i < inventory.gpus[gpu]->limit_count; i++)
        assert_true(inventory.gpus[gpu]->limits[i].total >= 32);
}

static void
assert_known(size_t gpu)
{
    assert_int_equal(inventory.gpus[gpu]->framebuffer, WHOLE);
    assert_false(inventory_may_have_more(inventory.gpus[gpu]));
}

#define TEST(name) UNIT_TEST_IN(name, NULL, teardown, NULL)

/* Each card lists only the size of its vGPU. The two sizes together are not all. */
TEST(of_two_cards_in_use)
{
    fake_start(&fake, "gpu " CARD L40S "gpu " TWIN L40S);
    make(VGPU, TYPE_16);
    make(ON_TWIN, TYPE_4Q);
    look();
    for (size_t i = 0; i < 2; i++) {
        assert_unknown(i, TYPE_16);
        assert_unknown(i, TYPE_4Q);
    }
}

/* A card without vGPUs lists all sizes, and its twin has the same. */
TEST(of_a_card_in_use_beside_an_idle_one)
{
    fake_start(&fake, "gpu " CARD L40S "gpu " TWIN L40S);
    make(VGPU, TYPE_16);
    look();
    assert_known(0);
    assert_known(1);
}

/* The same of one card: today it has a vGPU of another size than when it was first seen. */
TEST(seen_one_after_another)
{
    fake_start(&fake, "gpu " CARD L40S);
    make(VGPU, TYPE_4Q);
    look_and_remember();
    assert_int_equal(fake_remove(&fake, VGPU), 0);
    make(VGPU, TYPE_16);
    look_and_remember();
    assert_unknown(0, TYPE_4Q);
    look();
    assert_unknown(0, TYPE_4Q);
}

/* A card that was once seen idle is known for good, and so is its twin. */
TEST(seen_idle_once)
{
    fake_start(&fake, "gpu " CARD L40S "gpu " TWIN L40S);
    make(VGPU, TYPE_4Q);
    make(ON_TWIN, TYPE_16);
    look_and_remember();
    assert_unknown(0, TYPE_4Q);
    assert_int_equal(fake_remove(&fake, VGPU), 0);
    look_and_remember();
    make(VGPU, TYPE_16);
    for (size_t i = 0; i < 2; i++) {
        look_and_remember();
        assert_known(0);
        assert_known(1);
    }
}

/* A card that takes several sizes at once lists several while it is in use, but not the largest. */
TEST(of_mixed_sizes)
{
    fake_start(&fake, "gpu " CARD " vf vfs 2 rule mixed memory 8192\n"
                      "type nvidia-1 \"NVIDIA L40S-1Q\" framebuffer 1024\n"
                      "type nvidia-2 \"NVIDIA L40S-4Q\" framebuffer 4096\n"
                      "type nvidia-3 \"NVIDIA L40S-8Q\" framebuffer 8192\n");
    make(VGPU, "nvidia-1");
    look_and_remember();
    /* No function is left that lists any. What was seen before is not all. */
    make("0000:3d:00.5", "nvidia-1");
    look();
    assert_unknown(0, "nvidia-2");
}
