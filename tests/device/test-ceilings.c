/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How many vGPUs NVIDIA's driver makes on a card, whatever their sizes are, and how many GPU
 * instances a card has. Both are read from a tree into limits. */

#include "device/scan.h"
#include "fake/fake-parts.h"
#include "fake/scene.h"

#include <stdio.h>

#define CARD "0000:3d:00.0"
#define TIME                                                                                       \
    "type nvidia-1518 \"NVIDIA RTX Pro 6000 Blackwell DC-2B\" framebuffer 2048 max 48\n"           \
    "type nvidia-1544 \"NVIDIA RTX Pro 6000 Blackwell DC-96Q\" framebuffer 98304 max 1\n"
#define PARTS                                                                                      \
    "type nvidia-1550 \"NVIDIA RTX Pro 6000 Blackwell DC-1-2Q\" framebuffer 2048 max 48 "          \
    "instances 48\n"
#define NONE UINT64_MAX

static struct fake_kernel fake;
static struct inventory inventory;

static int
teardown(void **state)
{
    inventory_clear(&inventory);
    fake_stop(&fake);
    return 0;
}

/* Makes a vGPU on this many functions of the card, beginning with this function. */
static void
make_many(const char *type, unsigned first, unsigned count)
{
    for (unsigned i = 4 + first; i < 4 + first + count; i++) {
        char address[32];

        snprintf(address, sizeof(address), "0000:3d:%02x.%x", i / 8, i % 8);
        assert_int_equal(fake_make(&fake, address, type, NULL), 0);
    }
}

/* A full card lists no types. The name of a type that it listed earlier is remembered. */
static void
remember(const char *type)
{
    char line[128];

    snprintf(line, sizeof(line), CARD " %s\n", type);
    fake_put(fake.host.root, line, "run/libvirt-vgpu/types");
}

/* The smallest number that the card's limits leave for a type. */
static uint64_t
least_total(const char *id)
{
    const struct inventory_gpu *card;
    const struct inventory_type *type;
    uint64_t least = NONE;
    struct error error;
    struct name name;

    inventory_clear(&inventory);
    assert_int_equal(scan_host(&fake.host, NULL, &inventory_all_types, &inventory, &error), 0);
    assert_int_equal(name_parse(&name, id), 0);
    card = inventory.gpus[0];
    type = inventory_find_type(card, &name);
    assert_non_null(type);
    for (size_t i = 0; i < card->limit_count; i++) {
        if (card->limits[i].binds[type - card->types] && card->limits[i].total < least)
            least = card->limits[i].total;
    }
    return least;
}

#define TEST(name) UNIT_TEST_IN(name, NULL, teardown, NULL)

/* The limit is 32 on a GPU, even if sizes leave room for more. */
TEST(of_a_gpu)
{
    fake_start(&fake, "gpu " CARD " vf vfs 48 rule size device 2bb5\n" TIME);
    assert_int_equal(least_total("nvidia-1518"), 32);
    assert_int_equal(least_total("nvidia-1544"), 1);
    make_many("nvidia-1518", 0, 32);
    remember("nvidia-1518 NVIDIA RTX Pro 6000 Blackwell DC-2B");
    assert_int_equal(least_total("nvidia-1518"), 32);
    assert_int_equal(fake_make(&fake, "0000:3d:05.0", "nvidia-1518", NULL), -EIO);
}

/* A newer driver may make more vGPUs. Then their present number is the limit. */
TEST(no_less_than_what_is_seen)
{
    fake_start(&fake, "gpu " CARD " vf vfs 48 rule size ceiling 48 device 2bb5\n" TIME);
    assert_int_equal(least_total("nvidia-1518"), 32);
    make_many("nvidia-1518", 0, 32);
    assert_int_equal(least_total("nvidia-1518"), 33);
    make_many("nvidia-1518", 32, 1);
    assert_int_equal(least_total("nvidia-1518"), 34);
}

/* The limit is 12 on each GPU instance of the card. */
TEST(of_gpu_instances)
{
    fake_start(&fake, "gpu " CARD " vf vfs 48 rule size mig parts 3 device 2bb5\n" PARTS);
    assert_int_equal(least_total("nvidia-1550"), 36);
    assert_int_equal(inventory.gpus[0]->instances, 3);
    make_many("nvidia-1550", 0, 36);
    assert_int_equal(fake_make(&fake, "0000:3d:05.0", "nvidia-1550", NULL), -EIO);
    /* Now no function lists the type, so only its number is known. */
    assert_int_equal(least_total("nvidia-1550"), NONE);
    remember("nvidia-1550 NVIDIA RTX Pro 6000 Blackwell DC-1-2Q");
    assert_int_equal(least_total("nvidia-1550"), 36);
}

/* A module shows the card in another way. So nobody knows how many GPU instances there are. */
TEST(instances_that_are_not_seen)
{
    static const char *const texts[] = {"Model: \t\t NVIDIA\n",  "",
                                        "Device Minor: \t x\n",  "Device Minor: \t 5\n",
                                        "Device Minor: \t -1\n", "Device Minor: \t 4294967296\n",
                                        "No Device Minor: 64\n"};

    fake_start(&fake, "gpu " CARD " vf vfs 48 rule size mig parts 3 device 2bb5\n" PARTS);
    fake_put(fake.host.root, "", "proc/driver/nvidia/capabilities/gpu64/mig/gin");
    fake_put(fake.host.root, "", "proc/driver/nvidia/capabilities/gpu64/mig/gi");
    assert_int_equal(least_total("nvidia-1550"), 36);
    for (size_t i = 0; i < COUNT(texts); i++) {
        fake_put(fake.host.root, texts[i], "proc/driver/nvidia/gpus/" CARD "/information");
        assert_int_equal(least_total("nvidia-1550"), NONE);
        assert_int_equal(inventory.gpus[0]->instances, 0);
    }
}

/* The driver has 4608 MiB, and its largest type has 4096. It makes more of the small ones than fit
 * into the largest. */
TEST(the_largest_type_is_not_all)
{
    static const char *const uuids[] = {"00000000-0000-4000-8000-000000000001",
                                        "00000000-0000-4000-8000-000000000002"};

    fake_start(&fake, "gpu " CARD " rule mixed memory 4608\n"
                      "type nvidia-1 \"GRID X-0B\" framebuffer 512\n"
                      "type nvidia-2 \"GRID X-1B\" framebuffer 1024\n"
                      "type nvidia-3 \"GRID X-4Q\" framebuffer 4096\n");
    for (size_t i = 0; i < COUNT(uuids); i++)
        assert_int_equal(fake_make(&fake, CARD, "nvidia-1", uuids[i]), 0);
    (void)least_total("nvidia-1");
    assert_int_equal(inventory.gpus[0]->parents[0]->available[0], 7);
    assert_int_equal(inventory.gpus[0]->framebuffer, 0);
    for (size_t i = 0; i < inventory.gpus[0]->limit_count; i++)
        assert_false(inventory.gpus[0]->limits[i].is_memory);
}

/* Nova's test host: each type is counted by itself. One vGPU of 1 GiB is there, and all ten of 2
 * GiB are offered besides. So the card has 21 GiB, though ten of 2 GiB have only 20. */
TEST(what_is_offered_is_there)
{
    fake_start(&fake, "gpu " CARD " rule apart\n"
                      "type nvidia-11 \"GRID X-1Q\" framebuffer 1024 max 16\n"
                      "type nvidia-12 \"GRID X-2Q\" framebuffer 2048 max 10\n");
    assert_int_equal(fake_make(&fake, CARD, "nvidia-11", "00000000-0000-4000-8000-000000000001"),
                     0);
    assert_int_equal(least_total("nvidia-12"), 10);
    assert_int_equal(inventory.gpus[0]->framebuffer, 21 * 1024);
    assert_false(inventory.gpus[0]->one_size);
}
