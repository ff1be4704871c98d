/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* nvidia-table: what is read of NVIDIA's table, for which card, what is passed over, and which file
 * is refused. */

#include "device/nvidia-table.h"
#include "fake/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "fake/repeat.h"

#define DIRECTORY "usr/share/nvidia/vgpu"

#define HEAD                                                                                       \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                                                 \
    "<!DOCTYPE vgpu SYSTEM \"http://www.nvidia.com/dtd/vgpuConfig.dtd\">\n"

/* A type, and what a card supports. Their numbers are texts. */
#define DISPLAY "<display width='5120' height='2880'/><numHeads>4</numHeads>"
#define SIZE    "<profileSize>0x40000000</profileSize>"
#define TYPE_OF(id, name, inside)                                                                  \
    "<vgpuType id='" id "' name='" name "' class='NVS'>" inside "</vgpuType>\n"
#define TYPE(id, name) TYPE_OF(id, name, DISPLAY SIZE)
#define TAKES(id, max) "<supportedVgpu vgpuId='" id "'><maxVgpus>" max "</maxVgpus></supportedVgpu>"
#define IDS(vendor, device, maker, board)                                                          \
    "<devId vendorId='" vendor "' deviceId='" device "' subsystemVendorId='" maker                 \
    "' subsystemId='" board "'/>"
#define CARD(board, inside) "<pgpu>" IDS("0x10de", "0x1EB8", "0x10de", board) inside "</pgpu>\n"
#define TABLE(inside)       HEAD "<vgpuconfig>\n" inside "</vgpuconfig>\n"

/* A table with one type, whose content is given, on the card below. */
#define ONE(inside) TABLE(TYPE_OF("0x1", "A-1Q", inside) CARD("0", TAKES("1", "16")))

static const struct nvidia_table_ids t4 = {"10de", "1eb8", "10de", "12a2"};

static char directory[64];
static struct host host;

static int
set_up(void **state)
{
    strcpy(directory, "/tmp/vgpu-table-XXXXXX");
    assert_non_null(mkdtemp(directory));
    host = (struct host){.root = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC),
                         .ops = &host_kernel};
    assert_int_equal(mkdirat(host.root, "usr", 0755), 0);
    assert_int_equal(mkdirat(host.root, "usr/share", 0755), 0);
    assert_int_equal(mkdirat(host.root, "usr/share/nvidia", 0755), 0);
    return mkdirat(host.root, DIRECTORY, 0755);
}

static int
tear_down(void **state)
{
    unlinkat(host.root, NVIDIA_TABLE_PATH, 0);
    unlinkat(host.root, NVIDIA_TABLE_PATH, AT_REMOVEDIR);
    unlinkat(host.root, DIRECTORY "/other", 0);
    unlinkat(host.root, DIRECTORY, AT_REMOVEDIR);
    unlinkat(host.root, "usr/share/nvidia", AT_REMOVEDIR);
    unlinkat(host.root, "usr/share", AT_REMOVEDIR);
    unlinkat(host.root, "usr", AT_REMOVEDIR);
    close(host.root);
    return rmdir(directory);
}

static void
put_bytes(const char *path, const char *bytes, size_t size)
{
    AUTO_CLOSE int fd = openat(host.root, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0 && fchmod(fd, 0644) == 0);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
}

static void
put(const char *text)
{
    put_bytes(NVIDIA_TABLE_PATH, text, strlen(text));
}

/* What is known of a card: its match, one line for each type, and how many are passed over. The
 * caller frees the text. */
static char *
describe(const struct nvidia_table_card *card)
{
    static const char *const matches[] = {"unknown", "any", "this"};
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);

    fputs(matches[card->match], out);
    for (size_t i = 0; i < card->type_count; i++) {
        const struct nvidia_table_type *each = &card->types[i];
        const struct inventory_type *type = &each->type;

        fprintf(out, "\n%s|%s|%s|%u|%u|%s|%u|%u%s", type->id.text, type->name, each->class,
                type->framebuffer, type->heads, type->resolution, each->max, type->slices,
                each->is_single ? "|single" : "");
        assert_true(type->max == 0 && !type->gpu);
    }
    memory_stream_end(out, &text);
    return text;
}

static void
check_card(const char *text, const struct nvidia_table_ids *ids, const char *wanted)
{
    AUTO(nvidia_table_clear) struct nvidia_table table = {0};
    AUTO_FREE char *found = NULL;
    struct error error = {0};
    int rc;

    put(text);
    rc = nvidia_table_read(&host, NVIDIA_TABLE_PATH, ids, 1, &table, &error);
    if (rc < 0)
        fail_msg("%s\n%s", error.text, text);
    assert_int_equal(table.count, 1);
    assert_int_equal(table.file.size, strlen(text));
    found = describe(&table.cards[0]);
    assert_string_equal(found, wanted);
}

static void
check_refused(const struct nvidia_table_ids *ids, int rc, const char *words)
{
    AUTO(nvidia_table_clear) struct nvidia_table table = {0};
    struct error error = {.text = "as it was"};

    assert_int_equal(nvidia_table_read(&host, NVIDIA_TABLE_PATH, ids, 1, &table, &error), rc);
    assert_true(table.count == 0 && !table.cards);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" is not in: %s", words, error.text);
    if (rc == -ENOENT) {
        assert_string_equal(error.text, words);
        return;
    }
    assert_ptr_equal(strstr(error.text, "cannot read NVIDIA's table of vGPU types, "
                                        "/usr/share/nvidia/vgpu/vgpuConfig.xml: "),
                     error.text);
    assert_null(strchr(error.text, '\n'));
}

#define TEST(function) UNIT_TEST_IN(function, set_up, tear_down, NULL)

TEST(example_of_the_header)
{
    check_card(TABLE("<version>1.0</version><globalSettings><homogeneousVgpus>TRUE"
                     "</homogeneousVgpus></globalSettings>"
                     "<vgpuType id=\"222\" name=\"GRID T4-1B\" class=\"NVS\">"
                     "<devId vendorId=\"0x10de\" deviceId=\"0x1EB8\" "
                     "subsystemVendorId=\"0x10de\" subsystemId=\"0x130F\"></devId>"
                     "<display width=\"5120\" height=\"2880\"/> <numHeads>4</numHeads>"
                     "<profileSize>0x40000000</profileSize><framebuffer>0x3B000000</framebuffer>"
                     "<multiVgpuSupported>0</multiVgpuSupported></vgpuType>"
                     "<pgpu><devId vendorId=\"0x10de\" deviceId=\"0x1EB8\" "
                     "subsystemVendorId=\"0x10de\" subsystemId=\"0x0\"/>"
                     "<supportedVgpu vgpuId=\"222\"><maxVgpus>16</maxVgpus>"
                     "<digest type=\"signature\">0x12</digest></supportedVgpu></pgpu>"),
               &t4, "any\nnvidia-222|GRID T4-1B|NVS|1024|4|5120x2880|16|0|single");
}

/* Which <pgpu> is a card's: by device, and the exact subsystem beats 0, wherever it stands. */
TEST(which_card)
{
    static const struct {
        const char *cards, *wanted;
    } rows[] = {
        {CARD("0x0", TAKES("1", "16")), "any 1/16"},
        {CARD("0", TAKES("1", "16")), "any 1/16"},
        {CARD("0x12A2", TAKES("1", "16")), "this 1/16"},
        {CARD("0x12a2", TAKES("1", "16")), "this 1/16"},
        {CARD("4770", TAKES("1", "16")), "this 1/16"},
        {CARD("0x12A3", TAKES("1", "16")), "unknown"},
        {CARD("0x1000012A2", TAKES("1", "16")), "unknown"},
        {"<pgpu><supportedVgpu vgpuId='1'>" IDS("0x10de", "0x1EB8", "0x10de",
                                                "0") "</supportedVgpu></pgpu>",
         "unknown"},
        {CARD("x", TAKES("1", "16")), "unknown"},
        {CARD("0x0", TAKES("1", "16")) CARD("0x12A2", TAKES("2", "8")), "this 2/8"},
        {CARD("0x12A2", TAKES("2", "8")) CARD("0x0", TAKES("1", "16")), "this 2/8"},
        {CARD("0x0", TAKES("1", "16")) CARD("0x12A2", ""), "this"},
        {CARD("0x0", TAKES("1", "16")) CARD("0x0", TAKES("2", "8")), "any 1/16 2/8"},
        {CARD("0x0", TAKES("2", "8") TAKES("1", "16")), "any 2/8 1/16"},
        /* What is said twice counts the first time. */
        {CARD("0x0", TAKES("1", "16") TAKES("1", "4")), "any 1/16"},
        {CARD("0x0", TAKES("1", "16")) CARD("0x0", TAKES("1", "4")), "any 1/16"},
        /* The ids of the board's maker. */
        {"<pgpu>" IDS("0x10DE", "0x1eb8", "0x1028", "0x12a2") TAKES("1", "16") "</pgpu>",
         "unknown"},
        {"<pgpu>" IDS("0x10DE", "0x1eb8", "0", "0x12a2") TAKES("1", "16") "</pgpu>", "this 1/16"},
        {"<pgpu>" IDS("0x10DE", "0x1eb8", "0x1028", "0") TAKES("1", "16") "</pgpu>", "any 1/16"},
        {"<pgpu>" IDS("0x10de", "0x1eb9", "0x10de", "0") TAKES("1", "16") "</pgpu>", "unknown"},
        {"<pgpu>" IDS("0x1002", "0x1eb8", "0x10de", "0") TAKES("1", "16") "</pgpu>", "unknown"},
        {"<pgpu><devId vendorId='0x10de' deviceId='0x1eb8'/>" TAKES("1", "16") "</pgpu>",
         "any 1/16"},
        {"<pgpu><devId vendorId='0x10de'/>" TAKES("1", "16") "</pgpu>", "unknown"},
        /* Behind what it is for; one of two; none. */
        {"<pgpu>" TAKES("1", "16") IDS("0x10de", "0x1eb8", "0x10de", "0") "</pgpu>", "any 1/16"},
        {"<pgpu>" IDS("0x10de", "0x1eb8", "0x10de", "0x12a2") IDS("0x10de", "0x1eb8", "0x10de", "0")
             TAKES("1", "16") "</pgpu>",
         "this 1/16"},
        {"<pgpu>" TAKES("1", "16") "</pgpu>", "unknown"},
        {"", "unknown"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(nvidia_table_clear) struct nvidia_table table = {0};
        AUTO_FREE char *text =
            memory_format(TABLE("%s%s"), TYPE("1", "A-1Q") TYPE("2", "A-2Q"), rows[i].cards);
        static const char *const matches[] = {"unknown", "any", "this"};
        struct error error;
        char found[64];
        int at;

        put(text);
        assert_int_equal(nvidia_table_read(&host, NVIDIA_TABLE_PATH, &t4, 1, &table, &error), 0);
        at = sprintf(found, "%s", matches[table.cards[0].match]);
        for (size_t k = 0; k < table.cards[0].type_count; k++)
            at += sprintf(found + at, " %s/%u", table.cards[0].types[k].type.id.text + 7,
                          table.cards[0].types[k].max);
        if (strcmp(found, rows[i].wanted))
            fail_msg("row %zu: %s, and not %s", i, found, rows[i].wanted);
    }
}

/* Several cards, in the order of the question; two are alike, and one tells no subsystem. */
TEST(several_cards)
{
    static const struct nvidia_table_ids ids[] = {
        {"10de", "1eb8", "10de", "12a2"}, {"10de", "2235", "10de", "145a"},
        {"10de", "1eb8", "10de", "12a2"}, {"8086", "56c0", "8086", "4905"},
        {"10de", "1eb8", "", ""},         {"", "", "", ""},
    };
    static const size_t counts[] = {1, 2, 1, 0, 1, 0};
    AUTO(nvidia_table_clear) struct nvidia_table table = {0};
    AUTO(nvidia_table_clear) struct nvidia_table none = {0};
    struct error error;

    put(TABLE(TYPE("1", "T4-1Q") TYPE("2", "A40-1Q") TYPE("3", "A40-2Q")
                  CARD("0", TAKES("1", "16")) "<pgpu>" IDS("0x10de", "0x2235", "0x10de", "0x0")
                      TAKES("2", "32") TAKES("3", "24") "</pgpu>"));
    assert_int_equal(nvidia_table_read(&host, NVIDIA_TABLE_PATH, ids, COUNT(ids), &table, &error),
                     0);
    assert_int_equal(table.count, COUNT(ids));
    for (size_t i = 0; i < COUNT(ids); i++)
        assert_int_equal(table.cards[i].type_count, counts[i]);
    assert_string_equal(table.cards[1].types[1].type.name, "A40-2Q");
    assert_int_equal(nvidia_table_read(&host, NVIDIA_TABLE_PATH, ids, 0, &none, &error), 0);
    assert_int_equal(none.count, 0);
}

/* How a type may be declared. The rest of the line is what is known of it. */
TEST(what_a_type_says)
{
    static const struct {
        const char *inside, *wanted;
    } rows[] = {
        {DISPLAY SIZE, "1024|4|5120x2880|16|0"},
        /* Decimal, hex of either case, white space (test-table-xml.c has more). */
        {"<profileSize>2147483648</profileSize>", "2048|0||16|0"},
        {"<profileSize>0xc0000000</profileSize>", "3072|0||16|0"},
        {"<profileSize>\n  0xC0000000\n</profileSize>", "3072|0||16|0"},
        /* Empty elements in both ways, and text where nobody looks. */
        {"<display width='0x400' height='768'></display>" SIZE, "1024|0|1024x768|16|0"},
        {"one<display height='768' width='1024' depth='x'/>two" SIZE, "1024|0|1024x768|16|0"},
        {"<display/><numHeads/>" SIZE, ""},
        {"<display/>" SIZE, "1024|0||16|0"},
        {"<display width='1024'/>" SIZE, "1024|0||16|0"},
        {"<display width='0' height='0'/>" SIZE "<numHeads>0</numHeads>", "1024|0||16|0"},
        /* An element of the same name elsewhere is another one. */
        {SIZE "<more><numHeads>4</numHeads><display width='1' height='1'/></more>", "1024|0||16|0"},
        /* The profile is what /sys calls the frame buffer. */
        {"<framebuffer>0x3B000000</framebuffer>" SIZE, "1024|0||16|0"},
        {SIZE "<framebuffer>1</framebuffer><fbReservation>1</fbReservation>", "1024|0||16|0"},
        {"<framebuffer>0x1A000000</framebuffer><fbReservation>0x6000000</fbReservation>",
         "512|0||16|0"},
        {"<fbReservation>0x6000000</fbReservation><framebuffer>0x1A000000</framebuffer>",
         "512|0||16|0"},
        {"<framebuffer>0x1A000000</framebuffer>", "1024|0||16|0"},
        {"", "1024|0||16|0"},
        {"<profileSize>0x100000</profileSize>", "1|0||16|0"},
        {"<profileSize>0x10000000000</profileSize>", "1048576|0||16|0"},
        /* What cannot be right: the type is passed over. */
        {"<profileSize>0</profileSize>", ""},
        {"<profileSize>0xfffff</profileSize>", ""},
        {"<profileSize>0x10000100000</profileSize>", ""},
        {"<profileSize>0x10000000000000000</profileSize>", ""},
        {"<profileSize>0xffffffffffffffff</profileSize>", ""},
        {"<profileSize>1G</profileSize>", ""},
        {"<profileSize></profileSize>", ""},
        {"<framebuffer>0xfffffffffffffffd</framebuffer><fbReservation>2</fbReservation>", ""},
        {"<framebuffer>0x40000000</framebuffer><fbReservation>x</fbReservation>", ""},
        {SIZE "<numHeads>four</numHeads>", ""},
        {SIZE "<numHeads>1001</numHeads>", ""},
        {SIZE "<display width='wide' height='1'/>", ""},
        {SIZE "<display width='100000' height='1'/>", ""},
        {SIZE "<display width='1' height='100000'/>", ""},
        /* Which types may be several in a guest. */
        {SIZE "<multiVgpuSupported>0</multiVgpuSupported>", "1024|0||16|0|single"},
        {SIZE "<multiVgpuSupported>0x0</multiVgpuSupported>", "1024|0||16|0|single"},
        {SIZE "<multiVgpuSupported>1</multiVgpuSupported>", "1024|0||16|0"},
        {SIZE "<multiVgpuSupported>?</multiVgpuSupported>", "1024|0||16|0"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *text = memory_format(ONE("%s"), rows[i].inside);
        AUTO_FREE char *wanted = *rows[i].wanted
                                     ? memory_format("any\nnvidia-1|A-1Q|NVS|%s", rows[i].wanted)
                                     : memory_copy("any");

        check_card(text, &t4, wanted);
    }
}

/* Names and numbers of types, and what a card says of them. */
TEST(what_is_passed_over)
{
#define SIXTY "123456789 123456789 123456789 123456789 123456789 1234567890"
    static const struct {
        const char *types, *supported, *wanted;
    } rows[] = {
        {TYPE("1", "A-1Q"), TAKES("1", "16"), "any\nnvidia-1|A-1Q|NVS|1024|4|5120x2880|16|0"},
        {TYPE("0x1", "A-1Q"), TAKES("0x01", "0x10"),
         "any\nnvidia-1|A-1Q|NVS|1024|4|5120x2880|16|0"},
        {TYPE("1", "A-1Q") TYPE("1", "B-1Q"), TAKES("1", "16"),
         "any\nnvidia-1|A-1Q|NVS|1024|4|5120x2880|16|0"},
        {TYPE("1", "") TYPE("1", "B-1Q"), TAKES("1", "16"),
         "any\nnvidia-1|B-1Q|NVS|1024|4|5120x2880|16|0"},
        {TYPE("999999999", "A-1Q"), TAKES("999999999", "16"),
         "any\nnvidia-999999999|A-1Q|NVS|1024|4|5120x2880|16|0"},
        {TYPE("1", SIXTY "123"), TAKES("1", "16"),
         "any\nnvidia-1|" SIXTY "123|NVS|1024|4|5120x2880|16|0"},
        /* Types that no card supports are nobody's. */
        {TYPE("1", "A-1Q") TYPE("2", ""), TAKES("1", "16"),
         "any\nnvidia-1|A-1Q|NVS|1024|4|5120x2880|16|0"},
        {TYPE("1", SIXTY "1234"), TAKES("1", "16"), "any"},
        {TYPE("1", ""), TAKES("1", "16"), "any"},
        {TYPE("1", "A&#10;B"), TAKES("1", "16"), "any"},
        {TYPE("1", "A\xc3\xa4"), TAKES("1", "16"), "any"},
        {TYPE("1", "A&#x7f;"), TAKES("1", "16"), "any"},
        {TYPE("0", "A-1Q"), TAKES("0", "16"), "any"},
        {TYPE("1000000000", "A-1Q"), TAKES("1000000000", "16"), "any"},
        {TYPE("4294967297", "A-1Q"), TAKES("1", "16"), "any"},
        {TYPE("one", "A-1Q"), TAKES("one", "16"), "any"},
        {"<vgpuType name='A-1Q'>" SIZE "</vgpuType>", "<supportedVgpu/>", "any"},
        {"<vgpuType id='1'>" SIZE "</vgpuType>", TAKES("1", "16"), "any"},
        {TYPE("1", "A-1Q"), TAKES("2", "16"), "any"},
        {TYPE("1", "A-1Q"), TAKES("2", "16") TAKES("3", "16") TAKES("1", "16"),
         "any\nnvidia-1|A-1Q|NVS|1024|4|5120x2880|16|0"},
        {TYPE("1", "A-1Q"), TAKES("1", "0"), "any"},
        {TYPE("1", "A-1Q"), TAKES("1", "1000001"), "any"},
        {TYPE("1", "A-1Q"), TAKES("1", ""), "any"},
        {TYPE("1", "A-1Q"), "<supportedVgpu vgpuId='1'/>",
         "any\nnvidia-1|A-1Q|NVS|1024|4|5120x2880|0|0"},
        {TYPE("1", "A-1Q"), "<supportedVgpu vgpuId='1'></supportedVgpu>",
         "any\nnvidia-1|A-1Q|NVS|1024|4|5120x2880|0|0"},
        /* A size that only the name tells, and that no card has. */
        {TYPE_OF("1", "A-1024Q", ""), TAKES("1", "1"), "any\nnvidia-1|A-1024Q|NVS|1048576|0||1|0"},
        {TYPE_OF("1", "A-1025Q", ""), TAKES("1", "1"), "any"},
        /* A size that nobody tells, not even the name. */
        {TYPE_OF("1", "TYPE FOO1", "<framebuffer>0x10000000</framebuffer>"), TAKES("1", "8"),
         "any\nnvidia-1|TYPE FOO1|NVS|0|0||8|0"},
        {"<vgpuType id='1' name='A-1Q' class='a very long class'/>", TAKES("1", "8"),
         "any\nnvidia-1|A-1Q||1024|0||8|0"},
        {"<vgpuType id='1' name='A-1Q'></vgpuType>", TAKES("1", "8"),
         "any\nnvidia-1|A-1Q||1024|0||8|0"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *text =
            memory_format(TABLE("%s" CARD("0", "%s")), rows[i].types, rows[i].supported);
        AUTO_FREE char *behind =
            memory_format(TABLE(CARD("0", "%s") "%s"), rows[i].supported, rows[i].types);

        check_card(text, &t4, rows[i].wanted);
        check_card(behind, &t4, rows[i].wanted);
    }
}

/* A type for GPU instances is known by its name. Nobody says how many instances its maximum means,
 * so it has none, whatever is written there. */
TEST(gpu_instances)
{
    check_card(TABLE(TYPE_OF("1518", "NVIDIA RTX Pro 6000 Blackwell DC-2B",
                             "<profileSize>0x80000000</profileSize>")
                         TYPE_OF("1600", "NVIDIA RTX Pro 6000 Blackwell DC-1-2Q",
                                 "<profileSize>0x80000000</profileSize>")
                             TYPE_OF("1601", "NVIDIA RTX Pro 6000 Blackwell DC-4-96Q", "")
                                 TYPE_OF("1602", "NVIDIA A100-1-5CME", "")
                                     CARD("0", TAKES("1518", "32") TAKES("1600", "12")
                                                   TAKES("1601", "0") TAKES("1602", "7"))),
               &t4,
               "any\nnvidia-1518|NVIDIA RTX Pro 6000 Blackwell DC-2B|NVS|2048|0||32|0"
               "\nnvidia-1600|NVIDIA RTX Pro 6000 Blackwell DC-1-2Q|NVS|2048|0||0|1"
               "\nnvidia-1601|NVIDIA RTX Pro 6000 Blackwell DC-4-96Q|NVS|98304|0||0|4"
               "\nnvidia-1602|NVIDIA A100-1-5CME|NVS|5120|0||0|1");
}

/* A card whose parts are never several in a guest. */
TEST(parts_that_are_single)
{
#define TWO TYPE_OF("1", "A-1Q", "") TYPE_OF("2", "A-2Q", "")
#define WITH(attribute)                                                                            \
    TABLE(TWO "<pgpu " attribute ">" IDS("0x10de", "0x1EB8", "0x10de", "0") TAKES("1", "2")        \
              TAKES("2", "1") "</pgpu>")
    check_card(WITH("fractionalMultiVgpu='0' hostVgpuMode='x'"), &t4,
               "any\nnvidia-1|A-1Q|NVS|1024|0||2|0|single\nnvidia-2|A-2Q|NVS|2048|0||1|0");
    check_card(WITH("fractionalMultiVgpu='1'"), &t4,
               "any\nnvidia-1|A-1Q|NVS|1024|0||2|0\nnvidia-2|A-2Q|NVS|2048|0||1|0");
    check_card(WITH("hostVgpuMode='x'"), &t4,
               "any\nnvidia-1|A-1Q|NVS|1024|0||2|0\nnvidia-2|A-2Q|NVS|2048|0||1|0");
}

/* As many types as an RTX A6000 has (real-hosts 1), more than an array begins with. */
TEST(thirty_three_types)
{
    static const struct nvidia_table_ids a6000 = {"10de", "2230", "10de", "1459"};
    AUTO_FREE char *types = repeat("<vgpuconfig>",
                                   "<vgpuType id='#' name='NVIDIA RTXA6000-#Q' class='Quadro'>"
                                   "<profileSize>0x80000000</profileSize></vgpuType>",
                                   99, "<pgpu>" IDS("0x10de", "0x2230", "0x10de", "0x0"));
    AUTO_FREE char *text = repeat(types,
                                  "<supportedVgpu vgpuId='#'><maxVgpus>#</maxVgpus>"
                                  "</supportedVgpu>",
                                  33, "</pgpu></vgpuconfig>");
    AUTO(nvidia_table_clear) struct nvidia_table table = {0};
    struct error error;

    put(text);
    assert_int_equal(nvidia_table_read(&host, NVIDIA_TABLE_PATH, &a6000, 1, &table, &error), 0);
    assert_int_equal(table.cards[0].type_count, 33);
    for (unsigned i = 0; i < 33; i++) {
        AUTO_FREE char *name = memory_format("NVIDIA RTXA6000-%uQ", i + 1);

        assert_string_equal(table.cards[0].types[i].type.name, name);
        assert_int_equal(table.cards[0].types[i].max, i + 1);
    }
}

struct row {
    char device[8], subsystem[8], id[16], name[64], class[16], resolution[16];
    unsigned framebuffer, heads, max;
};

static int
compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int device = strcmp(a->device, b->device), subsystem = strcmp(a->subsystem, b->subsystem);

    return device ? device : subsystem ? subsystem : atoi(a->id) - atoi(b->id);
}

/* Reads NVIDIA's real types, card by card. Returns how many there are. */
static size_t
read_rows(struct row *rows, size_t most)
{
    const char *source = getenv("srcdir");
    AUTO_FREE char *path =
        memory_format("%s/tests/data/nvidia_vgpu_types.tsv", source ? source : ".");
    FILE *file = fopen(path, "r");
    size_t count = 0;
    char line[1024];

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        struct row row = {0};
        char subsystem[8];

        if (sscanf(line,
                   "0x%4[0-9a-f]\t%15[0-9]\t%63[^\t]\t%15[^\t]\t%u\t%u\t%*u\t%15[^\t]\t%u\t"
                   "%*[^:]:0x%4s",
                   row.device, row.id, row.name, row.class, &row.framebuffer, &row.heads,
                   row.resolution, &row.max, subsystem) != 9)
            continue;
        snprintf(row.subsystem, sizeof(row.subsystem), "%04x",
                 (unsigned)strtoul(subsystem, NULL, 16));
        assert_true(count < most);
        rows[count++] = row;
    }
    fclose(file);
    qsort(rows, count, sizeof(*rows), compare_rows);
    return count;
}

static bool
same_card(const struct row *a, const struct row *b)
{
    return !strcmp(a->device, b->device) && !strcmp(a->subsystem, b->subsystem);
}

/* All of them as a table: old types without a profile, each card in its own way. */
static char *
write_rows(const struct row *rows, size_t count)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);

    fputs(HEAD "<vgpuconfig>\n", out);
    for (size_t i = 0; i < count; i++) {
        unsigned width, height;
        unsigned long long bytes = (unsigned long long)rows[i].framebuffer << 20;

        assert_int_equal(sscanf(rows[i].resolution, "%ux%u", &width, &height), 2);
        fprintf(out,
                "<vgpuType id=\"%s\" name=\"%s\" class=\"%s\"><display width=\"%u\" "
                "height=\"%u\"/><numHeads>%u</numHeads>",
                rows[i].id, rows[i].name, rows[i].class, width, height, rows[i].heads);
        if (i % 2)
            fprintf(out, "<profileSize>0x%llX</profileSize>", bytes);
        fprintf(out, "<framebuffer>0x%llx</framebuffer><fbReservation>%llu</fbReservation>",
                bytes - bytes / 8, bytes / 8);
        fputs("</vgpuType>\n", out);
    }
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !same_card(&rows[i], &rows[i - 1]))
            fprintf(out,
                    "<pgpu>\n<devId vendorId=\"0x10DE\" deviceId=\"0x%s\" "
                    "subsystemVendorId=\"0x10DE\" subsystemId=\"0x%s\"/>",
                    rows[i].device, rows[i].subsystem);
        fprintf(out, "<supportedVgpu vgpuId=\"%s\"><maxVgpus>%u</maxVgpus></supportedVgpu>\n",
                rows[i].id, rows[i].max);
        if (i + 1 == count || !same_card(&rows[i], &rows[i + 1]))
            fputs("</pgpu>\n", out);
    }
    fputs("</vgpuconfig>\n", out);
    memory_stream_end(out, &text);
    return text;
}

/* Each card of the list of real types finds its own types in a table of all. */
TEST(all_real_types)
{
    static struct row rows[1000];
    size_t count = read_rows(rows, COUNT(rows)), seen = 0;
    AUTO_FREE char *text = write_rows(rows, count);

    assert_true(count > 500);
    put(text);
    for (size_t i = 0; i < count; i += seen) {
        struct nvidia_table_ids ids = {.vendor = "10de", .subsystem_vendor = "10de"};
        AUTO(nvidia_table_clear) struct nvidia_table table = {0};
        struct error error;

        strcpy(ids.device, rows[i].device);
        strcpy(ids.subsystem_device,
               strcmp(rows[i].subsystem, "0000") ? rows[i].subsystem : "ffff");
        assert_int_equal(nvidia_table_read(&host, NVIDIA_TABLE_PATH, &ids, 1, &table, &error), 0);
        for (seen = 0; i + seen < count && same_card(&rows[i], &rows[i + seen]); seen++) {
            const struct nvidia_table_type *type = &table.cards[0].types[seen];
            const struct row *row = &rows[i + seen];

            assert_true(seen < table.cards[0].type_count);
            assert_string_equal(type->type.id.text + strlen("nvidia-"), row->id);
            assert_string_equal(type->type.name, row->name);
            assert_string_equal(type->class, row->class);
            assert_string_equal(type->type.resolution, row->resolution);
            assert_int_equal(type->type.framebuffer, row->framebuffer);
            assert_int_equal(type->type.heads, row->heads);
            assert_int_equal(type->max, row->max);
            assert_int_equal(type->type.slices, 0);
            assert_int_equal(type->type.ceiling, 32);
        }
        assert_int_equal(table.cards[0].type_count, seen);
    }
}

/* A text is refused as a whole. test-table-xml has all that table-xml refuses. */
TEST(what_is_refused)
{
    put(HEAD "<vgpu/>");
    check_refused(&t4, -EINVAL, "line 3: the root is <vgpu>, and not <vgpuconfig>");
    check_refused(&t4, -EINVAL, "; install NVIDIA's vGPU manager again, which brings this file");
    check_card("<vgpuconfig></vgpuconfig>", &t4, "unknown");
}

/* How much is enough, and what is too much. */
TEST(bounds)
{
    static const struct {
        const char *before, *piece;
        unsigned most;
        const char *after, *words;
    } rows[] = {
        {"<vgpuconfig>", "<vgpuType id='#'/>", 4096, "</vgpuconfig>",
         "it declares more than 4096 types"},
        {"<vgpuconfig>", "<pgpu/>", 1024, "</vgpuconfig>", "it has more than 1024 cards"},
        {"<vgpuconfig><pgpu>" IDS("0x10de", "0x1EB8", "0x10de", "0"), "<supportedVgpu vgpuId='7'/>",
         4096, "</pgpu></vgpuconfig>", "one card has more than 4096 types"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *most = repeat(rows[i].before, rows[i].piece, rows[i].most, rows[i].after);
        AUTO_FREE char *more =
            repeat(rows[i].before, rows[i].piece, rows[i].most + 1, rows[i].after);

        check_card(most, &t4, strstr(most, "devId") ? "any" : "unknown");
        put(more);
        check_refused(&t4, -EINVAL, rows[i].words);
    }
}

/* Both kinds of root: this host's, and that of --root, which is confined. */
TEST(which_file)
{
    for (int confined = 0; confined < 2; confined++) {
        host.is_confined = confined;
        unlinkat(host.root, NVIDIA_TABLE_PATH, 0);
        check_refused(&t4, -ENOENT, "as it was");

        put_bytes(DIRECTORY "/other", "<vgpuconfig/>", strlen("<vgpuconfig/>"));
        assert_int_equal(symlinkat("other", host.root, NVIDIA_TABLE_PATH), 0);
        check_refused(&t4, -ELOOP, "it is a symbolic link; put the file itself there");
        assert_int_equal(unlinkat(host.root, NVIDIA_TABLE_PATH, 0), 0);

        assert_int_equal(mkdirat(host.root, NVIDIA_TABLE_PATH, 0755), 0);
        check_refused(&t4, -EINVAL, "it is no regular file");
        assert_int_equal(unlinkat(host.root, NVIDIA_TABLE_PATH, AT_REMOVEDIR), 0);

        assert_int_equal(mknodat(host.root, NVIDIA_TABLE_PATH, S_IFIFO | 0644, 0), 0);
        check_refused(&t4, confined ? -EOPNOTSUPP : -EINVAL, "");
        assert_int_equal(unlinkat(host.root, NVIDIA_TABLE_PATH, 0), 0);

        check_card("<vgpuconfig/>", &t4, "unknown");
        assert_int_equal(fchmodat(host.root, NVIDIA_TABLE_PATH, 0664, 0), 0);
        check_refused(&t4, -EPERM, "others than root may write it");
        assert_int_equal(fchmodat(host.root, NVIDIA_TABLE_PATH, 0646, 0), 0);
        check_refused(&t4, -EPERM, "others than root may write it");
        assert_int_equal(fchmodat(host.root, NVIDIA_TABLE_PATH, 0644, 0), 0);
        if (geteuid() == 0) {
            assert_int_equal(fchownat(host.root, NVIDIA_TABLE_PATH, 1, 0, 0), 0);
            check_refused(&t4, -EPERM, "others than root may write it");
        }
    }
}

TEST(too_large)
{
    const size_t most = 16 << 20;
    AUTO_FREE char *text = memory_zeroed(most + 1, 1);
    static const char start[] = "<vgpuconfig>", end[] = "</vgpuconfig>";
    static const char piece[] =
        "<a>a text that is so long that there are few elements of this kind</a>";
    AUTO(nvidia_table_clear) struct nvidia_table table = {0};
    struct error error;
    size_t at = strlen(start);

    memset(text, ' ', most + 1);
    memcpy(text, start, strlen(start));
    for (; at + strlen(piece) + strlen(end) <= most; at += strlen(piece))
        memcpy(text + at, piece, strlen(piece));
    memcpy(text + at, end, strlen(end));
    put_bytes(NVIDIA_TABLE_PATH, text, most);
    assert_int_equal(nvidia_table_read(&host, NVIDIA_TABLE_PATH, &t4, 1, &table, &error), 0);
    put_bytes(NVIDIA_TABLE_PATH, text, most + 1);
    check_refused(&t4, -EFBIG, "it is larger than 16 MiB; install NVIDIA's vGPU manager again");
}

/* A file of which fstat(2) says that it is shorter than what can be read. */
static int
open_growing(const struct host *ignored, const char *path, int flags, mode_t mode)
{
    return open("/proc/self/status", flags);
}

UNIT_TEST(changed_meanwhile)
{
    struct host_ops ops = host_kernel;
    const struct host growing = {.root = -1, .ops = &ops};
    AUTO(nvidia_table_clear) struct nvidia_table table = {0};
    struct error error;

    ops.open = open_growing;
    assert_int_equal(nvidia_table_read(&growing, NVIDIA_TABLE_PATH, &t4, 1, &table, &error),
                     -EAGAIN);
    assert_non_null(strstr(error.text, "it changed while it was read; try again"));
}
