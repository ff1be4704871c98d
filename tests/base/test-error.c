/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* error: for any input the output is one printable line, and says if it was cut. */

#include "base/error.h"
#include "fake/unit.h"

#include <string.h>

#define MOST (sizeof(((struct error *)0)->text) - 1) /* characters */

/* A text with this character, `count` times. It is valid until the next call. */
static const char *
many(char c, size_t count)
{
    static char text[8192];

    assert_true(count < sizeof(text));
    memset(text, c, count);
    text[count] = '\0';
    return text;
}

static void
assert_cut(const struct error *error)
{
    assert_int_equal(strnlen(error->text, MOST + 1), MOST);
    assert_string_equal(error->text + MOST - 3, "...");
}

UNIT_TEST(set_returns_its_code_and_replaces)
{
    struct error error = {.text = "older"};

    assert_int_equal(error_set(&error, -EBUSY, "%s is %d of %d", "gpu", 1, 2), -EBUSY);
    assert_string_equal(error.text, "gpu is 1 of 2");
    assert_int_equal(error_set(&error, -1, "%s", ""), -1);
    assert_string_equal(error.text, "");
}

UNIT_TEST(a_code_tells_the_class)
{
    static const struct {
        int code;
        enum error_class class;
    } rows[] = {{-EBUSY, ERROR_IN_USE},        {-EACCES, ERROR_DENIED},
                {-ENOENT, ERROR_NOT_FOUND},    {-ENODEV, ERROR_NOT_FOUND},
                {-ENOTCONN, ERROR_NO_LIBVIRT}, {-EIO, ERROR_FAILED}};
    struct error error;

    for (size_t i = 0; i < COUNT(rows); i++) {
        error_refuse(&error, ERROR_NO_HOST, "before");
        assert_int_equal(error_set(&error, rows[i].code, "now"), rows[i].code);
        assert_int_equal(error.class, rows[i].class);
    }
}

UNIT_TEST(an_advice_stays_apart)
{
    struct error error;

    error_set(&error, -EBUSY, "gpu is full");
    assert_string_equal(error_advice(&error), "");
    error_advise(&error, "try %s", "later");
    error_wrap(&error, "%s", "web\n01");
    assert_string_equal(error.text, "web?01: gpu is full; try later");
    assert_string_equal(error_advice(&error), "try later");
    error_add(&error, "or never");
    assert_string_equal(error_advice(&error), "try later; or never");
    error_wrap(&error, "%s", many('x', 4000));
    assert_string_equal(error_advice(&error), "");
    error_advise(&error, "no room is left for it");
    assert_string_equal(error_advice(&error), "");
    error_set(&error, -EIO, "another");
    assert_string_equal(error_advice(&error), "");
}

UNIT_TEST(a_command_stays_apart)
{
    static const char command[] = "vgpuctl explain 'web 01'";
    struct error error;

    error_set(&error, -EBUSY, "gpu is full");
    error_advise_command(&error, "see", "vgpuctl explain %s", "'web 01'");
    assert_string_equal(error.text, "gpu is full; see 'vgpuctl explain 'web 01''");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(error.command_length, strlen(command));
        assert_memory_equal(error.text + error.command, command, strlen(command));
        if (i == 0)
            error_add(&error, "or wait");
        else
            error_wrap(&error, "%s", "web01");
    }
    error_wrap(&error, "%s", many('x', 4000));
    assert_string_equal(error_advice(&error), "");
    assert_int_equal(error.command_length, 0);
    error_set(&error, -EBUSY, "gpu is full");
    error_advise(&error, "wait");
    error_advise_command(&error, "see", "vgpuctl gpus");
    assert_int_equal(error.command_length, 0);
    error_set(&error, -EBUSY, "%s", many('x', 2040));
    error_advise_command(&error, "see", "vgpuctl gpus");
    assert_int_equal(error.command_length, 0);
}

UNIT_TEST(wrap_puts_in_front)
{
    struct error error = {.text = "full"};

    error_wrap(&error, "%s", "gpu");
    assert_string_equal(error.text, "gpu: full");
    error_wrap(&error, "%s", "web01");
    assert_string_equal(error.text, "web01: gpu: full");
}

UNIT_TEST(add_parts_by_semicolon_unless_first)
{
    struct error error = {0};

    error_add(&error, "%s", "one");
    assert_string_equal(error.text, "one");
    error_add(&error, "%d", 2);
    error_add(&error, "%s", "three");
    assert_string_equal(error.text, "one; 2; three");
}

/* The text ends with the last character that fits, or with one more. */
UNIT_TEST(what_does_not_fit_ends_in_dots)
{
    static const size_t fitting[] = {1, MOST - 1, MOST}, cut[] = {MOST + 1, MOST + 2, 5000};
    struct error error;

    for (size_t i = 0; i < COUNT(fitting); i++) {
        error_set(&error, -1, "%s", many('a', fitting[i]));
        assert_string_equal(error.text, many('a', fitting[i]));
        error_set(&error, -1, "%s", many('b', fitting[i] > 3 ? fitting[i] - 3 : 0));
        error_wrap(&error, "a");
        assert_int_equal(strlen(error.text), fitting[i] > 3 ? fitting[i] : 3);
        assert_null(strstr(error.text, "..."));
        error_set(&error, -1, "b");
        error_add(&error, "%s", many('a', fitting[i] > 3 ? fitting[i] - 3 : 1));
        assert_int_equal(strlen(error.text), fitting[i] > 3 ? fitting[i] : 4);
        assert_null(strstr(error.text, "..."));
    }
    for (size_t i = 0; i < COUNT(cut); i++) {
        error_set(&error, -1, "%s", many('a', cut[i]));
        assert_cut(&error);
        error_set(&error, -1, "b");
        error_wrap(&error, "%s", many('a', cut[i] - 3));
        assert_cut(&error);
        error_set(&error, -1, "b");
        error_add(&error, "%s", many('a', cut[i] - 3));
        assert_cut(&error);
        assert_memory_equal(error.text, "b; a", 4);
    }
}

/* The error is already full. Then text is added, and the error is wrapped. */
UNIT_TEST(full_stays_whole_at_its_front)
{
    struct error error;

    for (size_t length = MOST - 3; length <= MOST; length++) {
        error_set(&error, -1, "%s", many('a', length));
        error_wrap(&error, "web01");
        assert_cut(&error);
        assert_memory_equal(error.text, "web01: aaa", 10);
        error_set(&error, -1, "%s", many('a', length));
        for (int i = 0; i < 3; i++)
            error_add(&error, "%s", "more");
        assert_cut(&error);
        assert_memory_equal(error.text, many('a', MOST - 6), MOST - 6);
    }
}

/* Line feeds, escape sequences and the like, whatever their source. */
UNIT_TEST(control_characters_are_replaced)
{
    struct error error;

    for (int c = 1; c < 256; c++) {
        char wanted = (char)(c < ' ' || c == 0x7f ? '?' : c);

        if (c >= 0x80)
            continue;
        error_set(&error, -1, "<%c>", c);
        assert_int_equal(error.text[1], wanted);
        error_wrap(&error, "[%c]", c);
        assert_int_equal(error.text[1], wanted);
        assert_int_equal(error.text[6], wanted);
        error_add(&error, "(%c)", c);
        assert_int_equal(error.text[11], wanted);
    }
    error_set(&error, -1, "%s", many('\n', 5000));
    assert_cut(&error);
    assert_null(strchr(error.text, '\n'));
}

/* U+009B begins an escape sequence just as ESC [ does, and U+0085 begins a line. XML allows
 * both. */
UNIT_TEST(utf8_stays_and_its_control_characters_do_not)
{
    struct error error;

    error_set(&error, -1, "gäst-%s", "\xe6\x97\xa5\xc2\xa0");
    assert_string_equal(error.text, "gäst-\xe6\x97\xa5\xc2\xa0");
    error_set(&error, -1, "a%sb%sc", "\xc2\x9b", "\xc2\x85");
    assert_null(strstr(error.text, "\xc2\x9b"));
    assert_null(strstr(error.text, "\xc2\x85"));
}

/* Half of a character is no valid text. libvirt's Python binding cannot even raise such an
 * error. */
UNIT_TEST(cut_between_characters)
{
    struct error error;
    char text[4000];

    for (size_t i = 0; i < sizeof(text) - 1; i++)
        text[i] = i % 2 ? '\xa4' : '\xc3';
    text[sizeof(text) - 1] = '\0';
    for (int shift = 0; shift < 2; shift++) {
        const char *dots;

        error_set(&error, -1, "%s%s", shift ? "x" : "", text);
        dots = strstr(error.text, "...");
        assert_non_null(dots);
        assert_int_equal(dots[-1] & 0xff, 0xa4);
    }
}
