/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which characters a text for people may contain. */

#include "base/printable.h"
#include "fake/unit.h"

#include <stdbool.h>
#include <string.h>

UNIT_TEST(rows)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"", ""},
        {"GRID T4-1B", "GRID T4-1B"},
        {"K\xc3\xb6ln \xe2\x82\xac \xe6\xbc\xa2 \xf0\x9f\x98\x80 \xd7\xa9",
         "K\xc3\xb6ln \xe2\x82\xac \xe6\xbc\xa2 \xf0\x9f\x98\x80 \xd7\xa9"},
        {"a\nb\tc\rd", "a?b?c?d"},
        {"\x1b[31m\x7f", "?[31m?"},
        {"\xc2\x9b"
         "31m",
         "??31m"},
        {"\xc2\x80\xc2\x9f\xc2\xa0", "????\xc2\xa0"},
        /* Soft hyphen, Arabic letter mark, zero width space, right-to-left mark. */
        {"\xc2\xad\xd8\x9c\xe2\x80\x8b\xe2\x80\x8f", "??????????"},
        /* Line separator, right-to-left override, isolates, and the last character before them, a
         * dash. */
        {"\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9",
         "\xe2\x80\xa7????????????"},
        {"\xef\xbb\xbf\xef\xbf\xbd\xef\xbf\xbe", "???\xef\xbf\xbd???"},
        /* A tag, which is invisible. */
        {"\xf3\xa0\x80\xa1", "????"},
        /* Not UTF-8: a lone byte, an incomplete character, too many bytes for a character, half of
         * a surrogate pair, a number that is too large. */
        {"\x80|\xc3|\xe2\x82", "?|?|??"},
        {"\xc0\x8a\xe0\x80\x8a\xf0\x80\x80\x8a", "?????????"},
        {"\xc1\x9b\xe0\x82\x9b", "?????"},
        {"\xed\xa0\x80", "???"},
        {"\xf4\x90\x80\x80\xff", "?????"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[64];

        strcpy(text, rows[i].text);
        printable_make(text);
        assert_string_equal(text, rows[i].wanted);
    }
}

/* Each character of one or two bytes: the controls and the two named above are refused, and no
 * others. */
UNIT_TEST(short_characters)
{
    for (unsigned c = 1; c < 0x800; c++) {
        bool refused = c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c;
        char text[3] = {(char)c};

        if (c >= 0x80) {
            text[0] = (char)(0xc0 | c >> 6);
            text[1] = (char)(0x80 | (c & 0x3f));
        }
        printable_make(text);
        assert_int_equal(*text == '?', refused || c == '?');
    }
}

/* The first and the last character of each longer range, and the characters beside them. */
UNIT_TEST(long_characters)
{
    static const uint32_t ranges[][2] = {
        {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0xd800, 0xdfff},
        {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe0fff},
    };

    for (size_t i = 0; i < COUNT(ranges); i++) {
        const uint32_t characters[] = {ranges[i][0] - 1, ranges[i][0], ranges[i][1],
                                       ranges[i][1] + 1};

        for (size_t k = 0; k < COUNT(characters); k++) {
            uint32_t c = characters[k];
            char text[5] = {(char)(0xe0 | c >> 12), (char)(0x80 | (c >> 6 & 0x3f)),
                            (char)(0x80 | (c & 0x3f))};

            if (c >= 0x10000) {
                memmove(text + 1, text, 3);
                text[0] = (char)(0xf0 | c >> 18);
                text[1] = (char)(0x80 | (c >> 12 & 0x3f));
            }
            printable_make(text);
            assert_int_equal(*text == '?', k == 1 || k == 2);
        }
    }
}

UNIT_TEST(utf8)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"a\nb\x1b", "a\nb\x1b"},
        {"\xe2\x80\xae\xc2\x9b", "\xe2\x80\xae\xc2\x9b"},
        {"K\xc3\xb6ln\xc3", "K\xc3\xb6ln?"},
        {"\xe6\x97\x80\xff\xe6\x97", "\xe6\x97\x80???"},
        {"\xed\xa0\x80\xf4\x90\x80\x80", "???????"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[64];

        strcpy(text, rows[i].text);
        printable_make_utf8(text);
        assert_string_equal(text, rows[i].wanted);
    }
}

/* A word for programs: each byte that is not harmless has its number. */
UNIT_TEST(words_for_programs)
{
    static const struct {
        const char *text, *word;
    } rows[] = {
        {"web01", "web01"},
        {"", ""},
        {"Zürich", "Zürich"},
        {"работа/数据", "работа/数据"},
        {"two words\tand", "two\\x20words\\x09and"},
        {"C:\\x41", "C:\\x5cx41"},
        {"\x1b[31mred\n", "\\x1b[31mred\\x0a"},
        {"no \xff UTF-8 \xc3", "no\\x20\\xff\\x20UTF-8\\x20\\xc3"},
        {"turned\xe2\x80\xae", "turned\\xe2\\x80\\xae"},
        {"no-break\xc2\xa0space", "no-break\\xc2\\xa0space"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *word = printable_word(rows[i].text);

        assert_string_equal(word, rows[i].word);
    }
}
