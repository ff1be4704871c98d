/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* nodeset and topology: sets of numbers, as the kernel and libvirt write them. */

#include "base/nodeset.h"
#include "device/topology.h"
#include "fake/fake-kernel.h"
#include "fake/unit.h"

#include <stdio.h>
#include <string.h>

#define MOST 4096

/* The set as the kernel would write it. The text is static. */
static const char *
format(const struct nodeset *set)
{
    static char text[256];
    size_t at = 0;

    *text = '\0';
    for (unsigned first = 0; first < MOST && at < sizeof(text); first++) {
        unsigned last = first;

        if (!nodeset_has(set, first))
            continue;
        while (nodeset_has(set, last + 1))
            last++;
        at += (size_t)snprintf(text + at, sizeof(text) - at, last > first ? "%s%u-%u" : "%s%u",
                               at ? "," : "", first, last);
        first = last;
    }
    return text;
}

UNIT_TEST(texts_that_are_sets)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        /* one number, a range, several */
        {"0", "0"},
        {"4095", "4095"},
        {"63,64", "63-64"},
        {"0-3", "0-3"},
        {"3-3", "3"},
        {"62-65", "62-65"},
        {"0-4095", "0-4095"},
        {"0-3,8,10-11", "0-3,8,10-11"},
        {"8,0-3", "0-3,8"},
        {"1,1,1-1", "1"},
        {"007", "7"},
        /* ranges from which other ranges are taken out */
        {"0-3,8,^2", "0-1,3,8"},
        {"0-3,^2,2", "0-3"},
        {"0-7,^2-5", "0-1,6-7"},
        {"0-3,^0-3", ""},
        {"^2", ""},
        {"^2,2", "2"},
        {"2,^3", "2"},
        {"0-4095,^64-4094", "0-63,4095"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct nodeset set = {0};
        int rc = nodeset_add(&set, rows[i].text);

        if (rc < 0 || strcmp(format(&set), rows[i].wanted))
            fail_msg("\"%s\": %d \"%s\"", rows[i].text, rc, format(&set));
        assert_int_equal(nodeset_is_empty(&set), !*rows[i].wanted);
    }
}

UNIT_TEST(texts_that_are_none)
{
    static const char *const texts[] = {
        /* no text, or no number where a number should be */
        "", ",", "1,", ",1", "1,,2", "^", "^,1", "1,^", "-", "1-", "-1", "1-,2", "1--2", "^-3",
        /* a range whose end is before its beginning */
        "3-1", "1-0", "0,4095-4094", "^3-1",
        /* more numbers than there are */
        "4096", "0-4096", "4095-4096", "4096-4097", "99999999999999999999",
        "0-18446744073709551616", "18446744073709551617", "4294967296", "^4096",
        /* other characters */
        " 0", "0 ", "0, 1", "0\n", "+1", "1+", "0x1", "1.5", "a", "1a", "^^1", "!1", "0-1-2", "0;1",
        "all"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct nodeset set = {0};
        int rc;

        assert_int_equal(nodeset_add(&set, "5-6"), 0);
        rc = nodeset_add(&set, texts[i]);
        if (rc != -EINVAL || strcmp(format(&set), "5-6"))
            fail_msg("\"%s\": %d \"%s\"", texts[i], rc, format(&set));
    }
}

/* A wrong text is refused as a whole, even if its beginning is right. */
UNIT_TEST(all_of_a_text_or_nothing)
{
    struct nodeset set = {0};

    assert_int_equal(nodeset_add(&set, "1,2,x"), -EINVAL);
    assert_true(nodeset_is_empty(&set));
    assert_int_equal(nodeset_add(&set, "1-2"), 0);
    assert_int_equal(nodeset_add(&set, "^1,4096"), -EINVAL);
    assert_string_equal(format(&set), "1-2");
}

UNIT_TEST(texts_add_up)
{
    struct nodeset set = {0};

    assert_int_equal(nodeset_add(&set, "0-1"), 0);
    assert_int_equal(nodeset_add(&set, "8"), 0);
    assert_string_equal(format(&set), "0-1,8");
    assert_int_equal(nodeset_add(&set, "^0,9"), 0);
    assert_string_equal(format(&set), "1,8-9");
}

UNIT_TEST(members)
{
    struct nodeset set = {0};

    assert_true(nodeset_is_empty(&set));
    assert_false(nodeset_has(&set, 0));
    assert_int_equal(nodeset_add(&set, "0,64,4095"), 0);
    assert_false(nodeset_is_empty(&set));
    assert_true(nodeset_has(&set, 0) && nodeset_has(&set, 64) && nodeset_has(&set, 4095));
    assert_false(nodeset_has(&set, 1) || nodeset_has(&set, 63) || nodeset_has(&set, 65));
    /* numbers that cannot be in a set, among them -1 for a GPU without a node */
    assert_false(nodeset_has(&set, 4096) || nodeset_has(&set, 4160) || nodeset_has(&set, ~0u));
}

UNIT_TEST(sets_that_meet)
{
    static const struct {
        const char *a, *b;
        bool wanted;
    } rows[] = {
        {"0", "0", true},          {"0", "1", false},    {"0-3", "3-5", true},
        {"0-3", "4-7", false},     {"4095", "0", false}, {"0,4095", "4095", true},
        {"64-127", "0-63", false}, {"63", "127", false}, /* the same bit of another word */
        {"^1", "0-4095", false},   {"^1", "^1", false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct nodeset a = {0}, b = {0};

        assert_int_equal(nodeset_add(&a, rows[i].a), 0);
        assert_int_equal(nodeset_add(&b, rows[i].b), 0);
        if (nodeset_meets(&a, &b) != rows[i].wanted || nodeset_meets(&b, &a) != rows[i].wanted)
            fail_msg("%s and %s", rows[i].a, rows[i].b);
    }
}

/* The nodes of the processors to which a guest is pinned. */
UNIT_TEST(nodes_of_processors)
{
    static const struct {
        const char *processors, *wanted;
    } rows[] = {
        {"0", "0"},   {"3", "0"},         {"4-5", "1"}, {"3,4", "0-1"},
        {"12", "10"}, {"0-99", "0-1,10"}, {"6", ""},    {"^1", ""},
    };
    struct fake_kernel fake;

    fake_start(&fake, "gpu mtty rule pool 1\ntype mtty-1 \"Single port serial\"\n");
    fake_write(&fake, "sys/devices/system/node/node0/cpulist", "0-3,8\n");
    fake_write(&fake, "sys/devices/system/node/node1/cpulist", "4-5\n");
    fake_write(&fake, "sys/devices/system/node/node10/cpulist", "12\n");
    /* a node with memory only, a broken file, and directories that are no node */
    fake_write(&fake, "sys/devices/system/node/node2/cpulist", "\n");
    fake_write(&fake, "sys/devices/system/node/node3/cpulist", "0-\n");
    fake_write(&fake, "sys/devices/system/node/node4096/cpulist", "0-99\n");
    fake_write(&fake, "sys/devices/system/node/nodex/cpulist", "0-99\n");
    fake_write(&fake, "sys/devices/system/node/node5x/cpulist", "0-99\n");
    fake_write(&fake, "sys/devices/system/node/has_cpu", "0-1,10\n");
    fake_write(&fake, "sys/devices/system/node/power/cpulist", "0-99\n");
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct nodeset processors = {0}, nodes = {0};

        assert_int_equal(nodeset_add(&processors, rows[i].processors), 0);
        topology_add_nodes(&fake.host, &processors, &nodes);
        if (strcmp(format(&nodes), rows[i].wanted))
            fail_msg("%s: %s", rows[i].processors, format(&nodes));
    }
    fake_stop(&fake);
}

/* A kernel without NUMA, and nodes that are known already. */
UNIT_TEST(no_nodes_are_told)
{
    struct nodeset processors = {0}, nodes = {0};
    struct fake_kernel fake;

    fake_start(&fake, "gpu mtty rule pool 1\ntype mtty-1 \"Single port serial\"\n");
    assert_int_equal(nodeset_add(&processors, "0-99"), 0);
    topology_add_nodes(&fake.host, &processors, &nodes);
    assert_true(nodeset_is_empty(&nodes));
    fake_write(&fake, "sys/devices/system/node/node1/cpulist", "4-5\n");
    assert_int_equal(nodeset_add(&nodes, "7"), 0);
    topology_add_nodes(&fake.host, &processors, &nodes);
    assert_string_equal(format(&nodes), "1,7");
    fake_stop(&fake);
}
