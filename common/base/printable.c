/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/printable.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Characters that are no text, in order: controls, line separators, invisible ones, those that turn
 * the direction of writing, and code points that are no characters. */
static const struct range {
    uint32_t first, last;
} refused[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad}, {0x061c, 0x061c},
    {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
    {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe0fff},
};

static bool
is_refused(uint32_t character)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        if (character <= refused[i].last)
            return character >= refused[i].first;
    }
    return false;
}

static void
replace(char *text, bool (*is_wrong)(uint32_t character))
{
    const char *end = text + strlen(text);

    for (char *c = text; c < end;) {
        uint32_t character;
        size_t length = utf8_read(c, (size_t)(end - c), &character);

        if (length == 0 || is_wrong(character)) {
            *c = '?';
            length = 1;
        }
        c += length;
    }
}

void
printable_make(char *text)
{
    replace(text, is_refused);
}

/* Blanks of any alphabet: programs may take each for the end of a word. */
static bool
is_blank(uint32_t character)
{
    return character == ' ' || character == 0xa0 || character == 0x1680 ||
           (character >= 0x2000 && character <= 0x200a) || character == 0x202f ||
           character == 0x205f || character == 0x3000;
}

char *
printable_word(const char *text)
{
    char *word = NULL;
    size_t size;
    FILE *out = memory_stream(&word, &size);

    for (const char *c = text, *end = text + strlen(text); c < end;) {
        uint32_t character;
        size_t length = utf8_read(c, (size_t)(end - c), &character);

        if (length && !is_refused(character) && !is_blank(character) && character != '\\') {
            fwrite(c, 1, length, out);
            c += length;
            continue;
        }
        for (size_t i = 0; i < (length ? length : 1); i++)
            fprintf(out, "\\x%02x", (unsigned char)*c++);
    }
    memory_stream_end(out, &word);
    return word;
}

static bool
is_none(uint32_t character)
{
    (void)character;
    return false;
}

void
printable_make_utf8(char *text)
{
    replace(text, is_none);
}
