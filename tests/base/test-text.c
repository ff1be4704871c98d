/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* text: pieces follow each other, and a text that was cut says so. */

#include "base/text.h"
#include "fake/unit.h"

#include <string.h>

UNIT_TEST(pieces_follow_each_other)
{
    char bytes[32] = "older";
    struct text text = text_on(bytes, sizeof(bytes));

    assert_string_equal(bytes, "");
    text_join(&text, ", ", "%s", "a");
    assert_string_equal(bytes, "a");
    text_join(&text, ", ", "%s%d", "b", 1);
    text_add(&text, " %s", "too");
    assert_string_equal(bytes, "a, b1 too");
    assert_int_equal(text.length, strlen(bytes));
    assert_false(text.is_cut);
}

/* For each size: either all pieces are there, or the front of them and dots. No byte behind the
 * size is written. */
UNIT_TEST(any_size_holds_its_front)
{
    static const char all[] = "one, two, three, four";

    for (size_t size = sizeof("..."); size < sizeof(all) + 4; size++) {
        char bytes[64];
        struct text text;

        memset(bytes, '#', sizeof(bytes));
        text = text_on(bytes, size);
        text_join(&text, ", ", "one");
        text_join(&text, ", ", "two");
        text_join(&text, ", ", "three");
        text_join(&text, ", ", "four");
        assert_int_equal(text.is_cut, size < sizeof(all));
        assert_int_equal(text.length, strlen(bytes));
        if (text.is_cut) {
            assert_memory_equal(bytes, all, text.length - strlen("..."));
            assert_string_equal(bytes + text.length - strlen("..."), "...");
        } else {
            assert_string_equal(bytes, all);
        }
        for (size_t i = size; i < sizeof(bytes); i++)
            assert_int_equal(bytes[i], '#');
    }
}

/* After the cut a shorter piece would fit, but a reader would take it for the next one. */
UNIT_TEST(nothing_comes_after_the_dots)
{
    char bytes[12];
    struct text text = text_on(bytes, sizeof(bytes));

    text_add(&text, "a");
    text_add(&text, "%s", "bbbbbbbbbbbbbbb");
    text_add(&text, "c");
    text_join(&text, "; ", "d");
    assert_string_equal(bytes, "abbbbbbb...");
}

/* Each size cuts a text of characters with two bytes; never one of them in two. */
UNIT_TEST(a_character_is_not_cut_in_two)
{
    for (size_t size = sizeof("..."); size < 16; size++) {
        char bytes[16];
        struct text text = text_on(bytes, size);

        text_add(&text, "ääääääääää");
        assert_true(text.is_cut);
        assert_int_equal((text.length - strlen("...")) % strlen("ä"), 0);
    }
}
