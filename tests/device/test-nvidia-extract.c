/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* nvidia-extract: what NVIDIA's table adds to what a driver tells, and when the table is read. */

#include "device/nvidia-extract.h"
#include "base/array.h"
#include "base/memory.h"
#include "device/scan.h"
#include "device/type-cache.h"
#include "fake/fake-parts.h"
#include "fake/scene.h"
#include "policy/policy.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CARD  "0000:3d:00.0"
#define L40S  "gpu " CARD " vf vfs 16 rule size board \"NVIDIA L40S\"\n"
#define FIRST "0000:3d:00.4"

#define TYPE(id, name, gigabytes)                                                                  \
    "<vgpuType id='" id "' name='" name "' class='Quadro'><display width='5120' height='2880'/>"   \
    "<numHeads>4</numHeads><profileSize>0x" gigabytes "</profileSize></vgpuType>"
#define TAKES(id, max) "<supportedVgpu vgpuId='" id "'><maxVgpus>" max "</maxVgpus></supportedVgpu>"
#define CARD_OF(device, board, inside)                                                             \
    "<pgpu><devId vendorId='0x10de' deviceId='" device "' subsystemId='" board "'/>" inside        \
    "</pgpu>"
#define TABLE(first, second, third)                                                                \
    "<vgpuconfig>" TYPE("1145", "NVIDIA L40S-1B", "40000000") TYPE(                                \
        "1156", "NVIDIA L40S-48Q", "c00000000") TYPE("9001", "NVIDIA L40S-1-24Q", "600000000")     \
        CARD_OF("0x26B9", "0",                                                                     \
                TAKES("1145", first) TAKES("1156", second) TAKES("9001", third)) "</"              \
                                                                                 "vgpuconfig>"
#define USUAL TABLE("32", "1", "2")

static struct fake_kernel fake;
static struct inventory inventory;
static struct host_ops ops;
static const struct host_ops *kernel; /* the fake one's */
static unsigned tables_opened;
static bool open_fails; /* the table's, with EIO */

static int
open_counting(const struct host *of, const char *path, int flags, mode_t mode)
{
    bool is_table = !strcmp(path, NVIDIA_TABLE_PATH);

    tables_opened += is_table;
    return is_table && open_fails ? -EIO : kernel->open(of, path, flags, mode);
}

static void
start(const char *machine, const char *table)
{
    fake_start(&fake, machine);
    if (table)
        fake_write(&fake, NVIDIA_TABLE_PATH, table);
    kernel = fake.host.ops;
    ops = *kernel;
    ops.open = open_counting;
    fake.host.ops = &ops;
    tables_opened = 0;
    open_fails = false;
}

static int
tear_down(void **state)
{
    inventory_clear(&inventory);
    fake_stop(&fake);
    return 0;
}

static void
look(const struct policy *policy)
{
    struct error error;

    inventory_clear(&inventory);
    assert_int_equal(scan_host(&fake.host, policy, &inventory_all_types, &inventory, &error), 0);
}

/* Looks, and remembers what is new, as whoever has the lock does. */
static void
look_and_remember(void)
{
    AUTO_CLOSE int directory = -1;

    look(NULL);
    fake_write(&fake, "run/libvirt-vgpu/ledger", "");
    directory = openat(fake.host.root, "run/libvirt-vgpu", O_PATH | O_DIRECTORY | O_CLOEXEC);
    type_cache_store(directory, &inventory);
}

static const struct inventory_type *
find(const char *id)
{
    struct name name;

    assert_int_equal(name_parse(&name, id), 0);
    return inventory_find_type(inventory.gpus[0], &name);
}

static void
assert_maximum(const char *id, unsigned max, enum limit_source source)
{
    assert_non_null(find(id));
    assert_int_equal(find(id)->max, max);
    assert_int_equal(find(id)->max_source, source);
}

#define TEST(function) UNIT_TEST_IN(function, NULL, tear_down, NULL)

/* Nobody knows which types a full card has, unless the table says so. */
TEST(types_of_a_full_card)
{
    start(L40S, NULL);
    assert_int_equal(fake_make(&fake, FIRST, "nvidia-1156", NULL), 0);
    look(NULL);
    assert_int_equal(inventory.gpus[0]->type_count, 1);
    assert_string_equal(find("nvidia-1156")->name, "nvidia-1156");
    fake_write(&fake, NVIDIA_TABLE_PATH, USUAL);
    look(NULL);
    assert_int_equal(inventory.gpus[0]->type_count, 2);
    assert_string_equal(find("nvidia-1156")->name, "NVIDIA L40S-48Q");
    assert_string_equal(find("nvidia-1145")->name, "NVIDIA L40S-1B");
    assert_string_equal(find("nvidia-1145")->resolution, "5120x2880");
    assert_int_equal(find("nvidia-1145")->heads, 4);
    assert_maximum("nvidia-1145", 32, LIMIT_TABLE);
    assert_maximum("nvidia-1156", 1, LIMIT_TABLE);
}

/* A driver's figure beats the administrator's, that beats the table's, and that a calculated one.
 */
TEST(whose_figure_counts)
{
    struct policy_limit limit = {.max = 30};
    struct policy policy = {.limits = &limit, .limit_count = 1};

    start(L40S, USUAL);
    look(NULL);
    assert_maximum("nvidia-1145", 32, LIMIT_TABLE);
    words_add(&limit.types, "L40S-1B");
    look(&policy);
    assert_maximum("nvidia-1145", 30, LIMIT_CONFIGURED);
    assert_maximum("nvidia-1156", 1, LIMIT_TABLE);
    words_clear(&limit.types);
}

/* The table may be older than the driver. */
TEST(no_less_than_what_is_seen)
{
    start(L40S, TABLE("2", "1", "2"));
    look(NULL);
    assert_maximum("nvidia-1145", 2, LIMIT_TABLE);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(fake_make(&fake, scene_function(CARD, i), "nvidia-1145", NULL), 0);
    look(NULL);
    assert_maximum("nvidia-1145", 4, LIMIT_TABLE); /* and one more is offered */
}

/* A card with GPU instances has only types for these, and the table has no maximum for them. */
TEST(of_gpu_instances)
{
    start("gpu " CARD " vf vfs 8 rule size mig parts 2 device 26b9\n"
          "type nvidia-9002 \"NVIDIA L40S-1-12Q\" framebuffer 12288 max 2 instances 2\n",
          USUAL);
    look(NULL);
    assert_int_equal(inventory.gpus[0]->instances, 2);
    assert_null(find("nvidia-1145"));
    assert_non_null(find("nvidia-9001"));
    assert_int_equal(find("nvidia-9001")->max, 0);
}

/* What a card with mediated devices has, its driver tells. */
TEST(a_driver_that_tells_all)
{
    start("gpu 0000:18:00.0 rule size board \"GRID T4\"\n", USUAL);
    look(NULL);
    assert_int_equal(tables_opened, 0);
}

TEST(another_card)
{
    start(L40S, "<vgpuconfig>" TYPE("1", "A-1Q", "40000000")
                    CARD_OF("0x26B8", "0", TAKES("1", "9")) "</vgpuconfig>");
    look_and_remember();
    assert_null(find("nvidia-1"));
    look(NULL);
    assert_int_equal(tables_opened, 1);
}

/* Once an extract is remembered, the table is read only after it has changed. */
TEST(the_table_is_read_once)
{
    AUTO_FREE char *first = NULL;
    char remembered[4096];

    start(L40S, USUAL);
    look_and_remember();
    assert_int_equal(tables_opened, 1);
    first = memory_copy(inventory.extract);
    look_and_remember();
    assert_int_equal(tables_opened, 1);
    assert_null(inventory.extract);
    assert_maximum("nvidia-1145", 32, LIMIT_TABLE);
    assert_string_equal(find("nvidia-1145")->resolution, "5120x2880");

    /* The types are not remembered twice. */
    assert_true(host_read(&fake.host, remembered, sizeof(remembered), "run/libvirt-vgpu/types") >
                0);
    assert_non_null(strstr(remembered, "NVIDIA L40S-2Q"));
    assert_null(strstr(remembered, "NVIDIA L40S-1B"));

    fake_write(&fake, NVIDIA_TABLE_PATH, TABLE("31", "1", "2"));
    look_and_remember();
    assert_int_equal(tables_opened, 2);
    assert_maximum("nvidia-1145", 31, LIMIT_TABLE);
    look(NULL);
    assert_int_equal(tables_opened, 2);

    /* An extract of another file, and one that is damaged. */
    fake_write(&fake, NVIDIA_EXTRACT_PATH, first);
    look(NULL);
    assert_int_equal(tables_opened, 3);
    fake_write(&fake, NVIDIA_EXTRACT_PATH, "rubbish");
    look(NULL);
    assert_int_equal(tables_opened, 4);

    /* Without the table, the maximum follows from what the driver is known to make. */
    assert_int_equal(unlinkat(fake.host.root, NVIDIA_TABLE_PATH, 0), 0);
    look(NULL);
    assert_maximum("nvidia-1145", 32, LIMIT_CALCULATED);
}

/* Whoever may not write the extract reads the table each time. */
TEST(nothing_is_remembered)
{
    start(L40S, USUAL);
    look(NULL);
    look(NULL);
    assert_int_equal(tables_opened, 2);
}

/* A table that cannot be read is told once, and is no reason to refuse anybody. */
TEST(a_broken_table)
{
    start(L40S, "rubbish");
    look_and_remember();
    assert_non_null(strstr(inventory.table_fault.text, "cannot read NVIDIA's table of vGPU types, "
                                                       "/usr/share/nvidia/vgpu/vgpuConfig.xml"));
    assert_maximum("nvidia-1145", 32, LIMIT_CALCULATED);
    look_and_remember();
    assert_string_equal(inventory.table_fault.text, "");
    assert_int_equal(tables_opened, 1);
    fake_write(&fake, NVIDIA_TABLE_PATH, USUAL);
    look_and_remember();
    assert_int_equal(tables_opened, 2);
    assert_string_equal(inventory.table_fault.text, "");
    assert_maximum("nvidia-1145", 32, LIMIT_TABLE);
}

/* What is wrong with the file itself is not looked at again while the file is the same. */
TEST(what_no_look_changes)
{
    static const char path[] = NVIDIA_TABLE_PATH;
    int fd;

    start(L40S, USUAL);
    fd = openat(fake.host.root, path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(ftruncate(fd, 17 << 20), 0);
    close(fd);
    look_and_remember();
    look_and_remember();
    assert_int_equal(tables_opened, 1);
    assert_int_equal(renameat(fake.host.root, path, fake.host.root, "table"), 0);
    assert_int_equal(symlinkat("/table", fake.host.root, path), 0);
    look_and_remember();
    look_and_remember();
    assert_int_equal(tables_opened, 2);
}

/* What the next look may find otherwise is not told. */
TEST(what_a_look_may_change)
{
    start(L40S, USUAL);
    open_fails = true;
    look_and_remember();
    assert_string_equal(inventory.table_fault.text, "");
    open_fails = false;
    look_and_remember();
    assert_int_equal(tables_opened, 2);
    assert_maximum("nvidia-1145", 32, LIMIT_TABLE);
}

/* All that is known of a type comes back, also a name that XML has to escape. */
TEST(the_text_of_an_extract)
{
    static const struct nvidia_table_ids cards[] = {{"10de", "26b9", "10de", "1851"},
                                                    {"10de", "26b9", "10de", "1851"},
                                                    {"10de", "26ba", "10de", "1957"}};
    AUTO(nvidia_table_clear) struct nvidia_table table = {0};
    AUTO(nvidia_table_clear) struct nvidia_table again = {0};
    AUTO_FREE char *text = NULL, *other = NULL;
    struct error error = {0};

    start(L40S,
          "<vgpuconfig>" TYPE("1", "A&amp;&lt;&quot;-1Q", "40000000")
              TYPE("2", "A-2Q",
                   "80000000") "<pgpu fractionalMultiVgpu='0'>"
                               "<devId vendorId='0x10de' deviceId='0x26B9' subsystemId='0'/>" TAKES(
                                   "1", "9") TAKES("2", "1") "</pgpu></vgpuconfig>");
    assert_int_equal(
        nvidia_table_read(&fake.host, NVIDIA_TABLE_PATH, cards, COUNT(cards), &table, &error), 0);
    text = nvidia_extract_format(&table, cards);
    fake_write(&fake, NVIDIA_EXTRACT_PATH, text);
    assert_int_equal(
        nvidia_table_read(&fake.host, NVIDIA_EXTRACT_PATH, cards, COUNT(cards), &again, &error), 0);
    assert_int_equal(again.cards[0].type_count, 2);
    assert_int_equal(again.cards[1].type_count, 2);
    assert_int_equal(again.cards[2].type_count, 0);
    assert_string_equal(again.cards[0].types[0].type.name, "A&<\"-1Q");
    assert_true(again.cards[0].types[0].is_single && !again.cards[0].types[1].is_single);
    other = nvidia_extract_format(&again, cards);
    assert_string_equal(other, text);
}
