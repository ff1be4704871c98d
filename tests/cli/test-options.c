/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* options: how a command line is read, and which numbers are accepted. */

#include "cli/options.h"
#include "fake/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct options options;
static struct error error;

/* Reads a line whose words are separated by one blank; the line stays in *copy. Returns the number
 * of the first word that is no option, or -errno. */
static int
read_line(const char *line, char **copy, char *argv[32])
{
    char *rest = *copy = strdup(line), *word;
    int argc = 0, first, rc;

    while ((word = strsep(&rest, " ")))
        argv[argc++] = word;
    argv[argc] = NULL;
    options_clear(&options);
    rc = options_read(argc, argv, &options, &first, &error);
    assert_true(rc <= 0);
    return rc < 0 ? rc : first;
}

UNIT_TEST(anywhere)
{
    char *argv[32], *copy;

    assert_int_equal(read_line("vgpuctl list -c a:/// -n x --connect b:/// -- -J", &copy, argv), 7);
    assert_string_equal(argv[7], "list");
    assert_string_equal(argv[8], "x");
    assert_string_equal(argv[9], "-J");
    assert_int_equal(options.uri_count, 2);
    assert_string_equal(options.uris[0], "a:///");
    assert_string_equal(options.uris[1], "b:///");
    assert_string_equal(options.values[OPTION_CONNECT], "b:///");
    assert_string_equal(options.values[OPTION_NOHEADINGS], "");
    assert_null(options.values[OPTION_JSON]);
    free(copy);
    /* Each table of options has an end. No two options have the same letter. */
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct option_row *row = &option_rows[i];
        char line[64];

        snprintf(line, sizeof(line), "vgpuctl --%s value", row->name);
        assert_int_equal(read_line(line, &copy, argv), row->argument ? 3 : 2);
        assert_string_equal(options.values[i], row->argument ? "value" : "");
        free(copy);
        if (!row->letter)
            continue;
        snprintf(line, sizeof(line), "vgpuctl -%c value", row->letter);
        assert_int_equal(read_line(line, &copy, argv), row->argument ? 3 : 2);
        assert_string_equal(options.values[i], row->argument ? "value" : "");
        free(copy);
    }
    options_clear(&options);
}

UNIT_TEST(what_is_wrong)
{
    static const struct {
        const char *line, *words;
    } rows[] = {
        {"vgpuctl list --connect", "--connect needs a value"},
        {"vgpuctl -o", "-o needs a value"},
        {"vgpuctl --nonsense list", "there is no option --nonsense"},
        {"vgpuctl --jsn list", "there is no option --jsn (did you mean --json?)"},
        {"vgpuctl --rot=/ list", "there is no option --rot (did you mean --root?)"},
        {"vgpuctl list -x", "there is no option -x"},
        {"vgpuctl list -Jx", "there is no option -x"},
        {"vgpuctl list --json=yes", "--json takes no value"},
    };
    char *argv[32], *copy;

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(read_line(rows[i].line, &copy, argv), REFUSED);
        assert_string_equal(error.text, rows[i].words);
        free(copy);
    }
    options_clear(&options);
}

UNIT_TEST(those_a_command_takes)
{
    char *argv[32], *copy;

    assert_true(read_line("vgpuctl -J --live", &copy, argv) > 0);
    assert_int_equal(
        options_check(&options, OPTION_BIT(OPTION_JSON) | OPTION_BIT(OPTION_LIVE), &error), 0);
    assert_int_equal(options_check(&options, OPTION_BIT(OPTION_LIVE), &error), REFUSED);
    assert_string_equal(error.text, "it takes no --json");
    assert_int_equal(options_check(&options, OPTION_BIT(OPTION_JSON), &error), REFUSED);
    assert_string_equal(error.text, "it takes no --live");
    options_clear(&options);
    assert_int_equal(options_check(&options, 0, &error), 0);
    free(copy);
}

UNIT_TEST(numbers)
{
    static const struct {
        const char *text;
        unsigned number; /* 0: refused */
    } rows[] = {
        {"3", 3},   {"64", 64},
        {"10", 10}, {"2", 0},
        {"65", 0},  {"", 0},
        {"3x", 0},  {"x", 0},
        {"-3", 0},  {" 3", 0},
        {"+3", 0},  {"/", 0},
        {":", 0},   {"99999999999999999999", 0},
    };
    unsigned number;

    for (size_t i = 0; i < COUNT(rows); i++) {
        int rc;

        options = (struct options){.values = {[OPTION_COUNT] = rows[i].text}};
        rc = options_number(&options, OPTION_COUNT, 3, 64, 7, &number, &error);
        assert_int_equal(rc, rows[i].number ? 0 : REFUSED);
        assert_int_equal(number, rows[i].number ? rows[i].number : 7);
    }
    options = (struct options){0};
    assert_int_equal(options_number(&options, OPTION_COUNT, 3, 64, 7, &number, &error), 0);
    assert_int_equal(number, 7);
    assert_int_equal(options_timeout(&options, &number, &error), 0);
    assert_int_equal(number, 10);
    options.values[OPTION_TIMEOUT] = "3600";
    assert_int_equal(options_timeout(&options, &number, &error), 0);
    assert_int_equal(number, 3600);
    options.values[OPTION_TIMEOUT] = "3601";
    assert_int_equal(options_timeout(&options, &number, &error), REFUSED);
    assert_string_equal(error.text, "--timeout 3601: not a number from 1 to 3600");
    options.values[OPTION_TIMEOUT] = "0";
    assert_int_equal(options_timeout(&options, &number, &error), REFUSED);
}

/* A text that is too long for its line goes on in the next line, below its beginning. */
UNIT_TEST(help)
{
    static const struct {
        unsigned width;
        const char *text;
    } rows[] = {
        {80, "      --root FILE            another machine's file system, or a capture of it\n"
             "  -o, --columns LIST         the columns to print, separated by commas\n"
             "  -V, --version              say which it is\n"},
        {60, "      --root FILE            another machine's file system,\n"
             "                             or a capture of it\n"
             "  -o, --columns LIST         the columns to print, separated\n"
             "                             by commas\n"
             "  -V, --version              say which it is\n"},
    };
    static const char *const own[OPTIONS] = {[OPTION_VERSION] = "say which it is"};

    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[512] = "";
        FILE *out = fmemopen(text, sizeof(text), "w");

        options_help(OPTION_BIT(OPTION_ROOT) | OPTION_BIT(OPTION_VERSION) |
                         OPTION_BIT(OPTION_COLUMNS),
                     own, rows[i].width, out);
        fclose(out);
        assert_string_equal(text, rows[i].text);
    }
}
