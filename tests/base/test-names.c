/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* names: a name passes only if it cannot lead out of its directory, and is in the kernel's own
 * spelling. */

#include "base/names.h"
#include "fake/unit.h"

#include <string.h>

#define UUID "b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e21"
#define X31  "abcdefghijklmnopqrstuvwxyz01234"

struct row {
    const char *text;
    const char *wanted; /* NULL: refused */
};

typedef int parse_function(struct name *ret, const char *text);

/* A refused name leaves ret as it was. */
static void
check_rows(parse_function *parse, const struct row *rows, size_t count)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        struct name name = {"untouched"};
        int rc = parse(&name, rows[i].text);
        const char *wanted = rows[i].wanted ? rows[i].wanted : "untouched";

        if (rc == (rows[i].wanted ? 0 : -EINVAL) && !strcmp(name.text, wanted))
            continue;
        print_error("\"%s\": %d, \"%s\" instead of \"%s\"\n", rows[i].text, rc, name.text, wanted);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

UNIT_TEST(a_name_is_one_directory_name)
{
    static const struct row rows[] = {
        {"a", "a"},
        {"mtty", "mtty"},
        {"nvidia-222", "nvidia-222"},
        {"0000:18:00.4", "0000:18:00.4"},
        {"A_b.c:d+e@f-9", "A_b.c:d+e@f-9"},
        {"...", "..."},
        {"..a", "..a"},
        {".hidden", ".hidden"},
        {"-", "-"},
        /* 63 bytes fit, 64 do not */
        {X31 X31 "5", X31 X31 "5"},
        {X31 X31 "56", NULL},
        {X31 X31 X31 X31, NULL},
        /* names that lead elsewhere */
        {"", NULL},
        {".", NULL},
        {"..", NULL},
        {"/", NULL},
        {"a/b", NULL},
        {"../a", NULL},
        {"a/", NULL},
        {"/a", NULL},
        /* characters that no name may have */
        {" ", NULL},
        {"a b", NULL},
        {"a\n", NULL},
        {"a\t", NULL},
        {"a\\b", NULL},
        {"a%2fb", NULL},
        {"a*", NULL},
        {"a~", NULL},
        {"a\x7f", NULL},
        {"\x01", NULL},
        {"g\xc3\xa4st", NULL},
        {"\xff", NULL},
    };

    check_rows(name_parse, rows, COUNT(rows));
}

/* Every byte by itself, compared with the set that names.h promises. */
UNIT_TEST(a_name_has_no_other_characters)
{
    for (int c = 1; c < 256; c++) {
        char text[] = {'a', (char)c, '\0'};
        struct name name;
        bool allowed = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       (c < 0x80 && strchr("._:+@-", c));

        assert_int_equal(name_parse(&name, text), allowed ? 0 : -EINVAL);
    }
}

UNIT_TEST(a_uuid_in_any_form_of_libvirt)
{
    static const struct row rows[] = {
        {UUID, UUID},
        {"B1F4E27E-0D06-4A5F-9C5D-3A1F0C6B8E21", UUID},
        {"b1f4e27e0d064a5f9c5d3a1f0c6b8e21", UUID},
        {"B1f4E27e0d064A5f-9c5d3a1F0C6b8e21", UUID},
        {"b1f4e27e-0d064a5f9c5d3a1f0c6b8e21", UUID},
        {"00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"},
        /* short, long, nothing */
        {"", NULL},
        {"-", NULL},
        {"b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e2", NULL},
        {"b1f4e27e-0d06-4a5f-9c5d-", NULL},
        {UUID "0", NULL},
        {UUID UUID, NULL},
        /* garbage */
        {UUID "x", NULL},
        {UUID "/", NULL},
        {UUID "/..", NULL},
        {"x" UUID, NULL},
        {"{" UUID "}", NULL},
        {"urn:uuid:" UUID, NULL},
        {"g1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e21", NULL},
        {"b1f4e27e_0d06_4a5f_9c5d_3a1f0c6b8e21", NULL},
        {"0xf4e27e-0d06-4a5f-9c5d-3a1f0c6b8e21", NULL},
        {"b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e\xc3\xa4", NULL},
        /* dashes within a byte */
        {"b-1f4e27e0d064a5f9c5d3a1f0c6b8e21", NULL},
        {"b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e2-1", NULL},
    };

    check_rows(name_parse_uuid, rows, COUNT(rows));
}

/* virUUIDParse accepts blanks and dashes between bytes, and white space around the UUID. */
UNIT_TEST(a_uuid_as_liberal_as_libvirt)
{
    static const struct row rows[] = {
        {"b1f4-e27e-0d06-4a5f-9c5d-3a1f-0c6b-8e21", UUID},
        {"b1f4e27e--0d06-4a5f-9c5d-3a1f0c6b8e21", UUID},
        {"-b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e21", UUID},
        {"b1f4e27e 0d06 4a5f 9c5d 3a1f0c6b8e21", UUID},
        {"\n  " UUID "\n\t", UUID},
        /* white space other than blanks inside, dashes after the end */
        {"b1f4e27e\n0d06-4a5f-9c5d-3a1f0c6b8e21", NULL},
        {UUID "-", NULL},
        {UUID " x", NULL},
    };

    check_rows(name_parse_uuid, rows, COUNT(rows));
}

UNIT_TEST(a_pci_address_is_whole)
{
    static const struct row rows[] = {
        {"0000:18:00.0", "0000:18:00.0"},
        {"0000:00:00.0", "0000:00:00.0"},
        {"ffff:ff:1f.7", "ffff:ff:1f.7"},
        {"0000:E7:00.4", "0000:e7:00.4"},
        {"000A:BC:1D.0", "000a:bc:1d.0"},
        /* domains of more than 16 bits (Intel's VMD); NVIDIA's tools print eight digits */
        {"10000:18:00.0", "10000:18:00.0"},
        {"12345678:18:00.0", "12345678:18:00.0"},
        {"00000000:18:00.0", "0000:18:00.0"},
        {"00010000:18:00.0", "10000:18:00.0"},
        {"123456789:18:00.0", NULL},
        {"000000000:18:00.0", NULL},
        /* slots and functions that do not exist */
        {"0000:18:20.0", NULL},
        {"0000:18:ff.0", NULL},
        {"0000:18:00.8", NULL},
        {"0000:18:00.f", NULL},
        {"0000:18:00.00", NULL},
        {"0000:1:02.07", NULL},
        {"0000:18:000.0", NULL},
        {"0000:018:00.0", NULL},
        /* missing parts, and wrong parts */
        {"", NULL},
        {"18:00.0", NULL},
        {"0000:18:00", NULL},
        {"0000:18:00.", NULL},
        {":18:00.0", NULL},
        {"0000::00.0", NULL},
        {"0000:18:.0", NULL},
        {"0000.18:00.0", NULL},
        {"0000:18.00.0", NULL},
        {"0000:18:00:0", NULL},
        {"mtty", NULL},
        {"pci_0000_18_00_0", NULL},
        /* blanks, signs, prefixes, garbage */
        {" 0000:18:00.0", NULL},
        {"0000:18:00.0 ", NULL},
        {"0000: 18:00.0", NULL},
        {"0000:18:00.0\n", NULL},
        {"+000:18:00.0", NULL},
        {"0000:-8:00.0", NULL},
        {"0000:18:00.+", NULL},
        {"0x00:18:00.0", NULL},
        {"0000:0x:00.0", NULL},
        {"0000:18:00.0x", NULL},
        {"0000:18:00.0/..", NULL},
        {"0000:18:00.0.0", NULL},
        {"000g:18:00.0", NULL},
        {"0000:..:00.0", NULL},
        {"0000:18:0..0", NULL},
        {"0000:18:00..", NULL},
    };

    check_rows(name_parse_pci, rows, COUNT(rows));
}

UNIT_TEST(equal_means_the_same_text)
{
    struct name a = {"mtty"}, b = {"mtty\0rest"}, c = {"mtt"}, d = {"MTTY"};

    assert_true(name_equal(&a, &b));
    assert_false(name_equal(&a, &c));
    assert_false(name_equal(&a, &d));
}

UNIT_TEST(names_grow_and_sort)
{
    static const char *const added[] = {"b", "a", "nvidia-9",    "nvidia-10",
                                        "B", "a", "0000:18:00.0"};
    static const char *const sorted[] = {"0000:18:00.0", "B",       "a", "a", "b",
                                         "nvidia-10",    "nvidia-9"};
    struct names names = {0};

    names_sort(&names);
    assert_int_equal(names.count, 0);
    for (size_t i = 0; i < COUNT(added); i++)
        assert_int_equal(names_add(&names, added[i]), 0);
    /* a text that is no name is not added, and does no harm */
    assert_int_equal(names_add(&names, ".."), -EINVAL);
    assert_int_equal(names_add(&names, "a/b"), -EINVAL);
    assert_int_equal(names.count, COUNT(added));
    for (size_t i = 0; i < COUNT(added); i++)
        assert_string_equal(names.items[i].text, added[i]);
    names_sort(&names);
    for (size_t i = 0; i < COUNT(sorted); i++)
        assert_string_equal(names.items[i].text, sorted[i]);
    /* a name that is there already is not added once more */
    assert_false(names_append_new(&names, &(struct name){"a"}));
    assert_int_equal(names.count, COUNT(added));
    assert_true(names_append_new(&names, &(struct name){"c"}));
    assert_int_equal(names.count, COUNT(added) + 1);
    assert_string_equal(names.items[COUNT(added)].text, "c");
    names_clear(&names);
    assert_int_equal(names.count, 0);
    assert_null(names.items);
    names_clear(&names);
}

/* The array grows at powers of two. */
UNIT_TEST(names_grow_many)
{
    struct names names = {0};

    for (size_t i = 0; i < 1025; i++) {
        char text[] = {(char)('a' + i / 256), (char)('a' + i / 16 % 16), (char)('a' + i % 16),
                       '\0'};

        assert_int_equal(names_add(&names, text), 0);
    }
    assert_int_equal(names.count, 1025);
    for (size_t i = 1; i < names.count; i++)
        assert_true(strcmp(names.items[i - 1].text, names.items[i].text) < 0);
    names_clear(&names);
}
