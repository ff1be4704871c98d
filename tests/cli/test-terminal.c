/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* terminal: the width of a text, and how a text is shortened that is too wide. Characters of two,
 * three and four bytes take one column each. */

#include "cli/terminal.h"
#include "fake/unit.h"

#include <locale.h>
#include <stdio.h>

#define O_DIAERESIS "\xc3\xb6"         /* its second byte is even */
#define E_ACUTE     "\xc3\xa9"         /* its second byte is odd */
#define ACUTE       "\xcc\x81"         /* it is written over the character before it */
#define HANGUL      "\xea\xb0\x81"     /* an even byte, then an odd byte */
#define EMOJI       "\xf0\x9f\x98\x81" /* odd, even, odd bytes */

static int
set_locale(void **state)
{
    return setlocale(LC_CTYPE, "C.UTF-8") ? 0 : -1;
}
UNIT_PROGRAM(set_locale, NULL)

UNIT_TEST(columns)
{
    static const struct {
        const char *text;
        unsigned columns;
    } rows[] = {
        {"", 0},
        {"web01", 5},
        {O_DIAERESIS, 1},
        {E_ACUTE, 1},
        {"a" HANGUL "b" EMOJI E_ACUTE, 7},
        {"e" ACUTE "t" ACUTE, 2},
        {"a\xff\xeb"
         "b",
         4},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(terminal_columns(rows[i].text), rows[i].columns);
}

UNIT_TEST(cut)
{
    static const struct {
        const char *text;
        unsigned columns;
        const char *left;
    } rows[] = {
        {"web01", 5, "web01"},
        {"web01", 4, "we.."},
        {"web01", 2, ".."},
        {"web01", 1, "web01"}, /* not even the dots fit */
        {E_ACUTE "t" E_ACUTE, 3, E_ACUTE "t" E_ACUTE},
        {E_ACUTE "t" E_ACUTE "s", 3, E_ACUTE ".."},
        {HANGUL EMOJI HANGUL "s", 3, ".."},
        {HANGUL EMOJI HANGUL "s", 4, HANGUL ".."},
        {HANGUL EMOJI HANGUL "s", 5, HANGUL ".."},
        {HANGUL EMOJI HANGUL "s", 6, HANGUL EMOJI ".."},
        {"e" ACUTE "t" ACUTE "s", 2, ".."},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[32];

        snprintf(text, sizeof(text), "%s", rows[i].text);
        terminal_cut(text, rows[i].columns);
        assert_string_equal(text, rows[i].left);
    }
}
