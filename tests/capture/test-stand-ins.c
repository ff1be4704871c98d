/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stand-ins for names and UUIDs in a capture, and the parts of vgpu.conf that stay. */

#include "capture/conf-text.h"
#include "capture/stand-ins.h"
#include "base/array.h"

#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char *const names[] = {"ci-web01",      "ci-web02", "ci-db1",     "DB-Prod.lan", "db",
                                    "db-backup",     "web",      "webserver9", "zoo_10",      "a b",
                                    "caf\xc3\xa9-1", "prod-gpu", "test-gpu",   "0815"};

static struct stand_ins stand_ins;

static int
learn(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        stand_ins_learn_name(&stand_ins, names[i]);
    return 0;
}

static int
forget(void **state)
{
    (void)state;
    stand_ins_clear(&stand_ins);
    return 0;
}

static int
sign(int number)
{
    return (number > 0) - (number < 0);
}

/* A stand-in is as long as its name, differs from it, and keeps the order of all names. */
static void
length_and_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        AUTO_FREE char *one = stand_ins_name(&stand_ins, names[i]);

        assert_int_equal(strlen(one), strlen(names[i]));
        for (size_t k = 0; k < COUNT(names); k++) {
            AUTO_FREE char *other = stand_ins_name(&stand_ins, names[k]);

            if (sign(strcmp(one, other)) != sign(strcmp(names[i], names[k])))
                fail_msg("%s, %s: %s, %s", names[i], names[k], one, other);
        }
    }
}

static void
names_are_hidden(void **state)
{
    AUTO_FREE char *web = stand_ins_name(&stand_ins, "ci-web02");
    AUTO_FREE char *upper = stand_ins_name(&stand_ins, "DB-Prod.lan");

    (void)state;
    assert_string_equal(web, "cb-jaa01");
    assert_string_equal(upper, "AA-Bhaa.faa");
}

static bool
keeps(const char *pattern)
{
    struct words all = {0};
    bool kept;

    for (size_t i = 0; i < COUNT(names); i++)
        words_add(&all, names[i]);
    stand_ins_learn_name(&stand_ins, pattern);
    kept = stand_ins_keep(&stand_ins, pattern, &all);
    words_clear(&all);
    return kept;
}

static void
patterns_match_as_before(void **state)
{
    static const char *const kept[] = {"*",           "ci-*",         "ci-web0?", "we*",   "*-gpu",
                                       "ci-web0[12]", "ci-web[0-9]*", "*.lan",    "[ab]*", "db"};

    (void)state;
    for (size_t i = 0; i < COUNT(kept); i++) {
        if (!keeps(kept[i]))
            fail_msg("%s does not match as before", kept[i]);
    }
}

/* This pattern has only the end of a word. So it does not match the stand-ins. */
static void
a_pattern_that_does_not(void **state)
{
    (void)state;
    assert_false(keeps("*eb02"));
}

static void
uuids(void **state)
{
    static const struct name first = {"5ec2e700-1111-4000-8000-0000000000a1"},
                             second = {"9ec2e700-1111-4000-8000-0000000000a1"},
                             nobody = {"00000000-0000-0000-0000-000000000000"},
                             other = {"00000000-aaaa-4000-8000-0000000000a1"};

    (void)state;
    stand_ins_learn_uuid(&stand_ins, &second);
    stand_ins_learn_uuid(&stand_ins, &first);
    stand_ins_learn_uuid(&stand_ins, &second);
    stand_ins_sort(&stand_ins);
    assert_string_equal(stand_ins_uuid(&stand_ins, &first).text,
                        "00000000-0000-4000-8000-000000000001");
    assert_string_equal(stand_ins_uuid(&stand_ins, &second).text,
                        "00000000-0000-4000-8000-000000000002");
    assert_string_equal(stand_ins_uuid(&stand_ins, &nobody).text, nobody.text);
    assert_string_equal(stand_ins_uuid(&stand_ins, &other).text, other.text);
}

static char *
shout(const char *name, void *data)
{
    (void)data;
    return strcmp(name, "web*") ? strdup(name) : strdup("WEB*");
}

static void
configuration(void **state)
{
    static const struct {
        const char *text, *copy;
    } rows[] = {
        {"# a secret\nenabled = true;\n", "# - ------\nenabled = true;\n"},
        {"x = 1; // a b\n/* c\n d */ y = 2;", "x = 1; // - -\n/* -\n - */ y = 2;"},
        {"domains = ( { name = \"web*\"; } );", "domains = ( { name = \"WEB*\"; } );"},
        {"domains = [ \"a\", \"web*\" ]; class = \"web*\";",
         "domains = [ \"a\", \"WEB*\" ]; class = \"web*\";"},
        {"class = \"# no comment\"; # one", "class = \"# no comment\"; # ---"},
        {"class = \"a\\\"# b\"; # one", "class = \"a\\\"# b\"; # ---"},
        {"class = \"open # secret\nname = \"web*\";", "class = \"open # ------\nname = \"WEB*\";"},
        {"/* no end", "/* -- ---"},
        {"name = \"", "name = \""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *copy = conf_text_copy(rows[i].text, shout, NULL);

        assert_string_equal(copy, rows[i].copy);
    }
}

int
main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, learn, forget)
    const struct CMUnitTest tests[] = {
        TEST(length_and_order),
        TEST(names_are_hidden),
        TEST(patterns_match_as_before),
        TEST(a_pattern_that_does_not),
        TEST(uuids),
        TEST(configuration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
