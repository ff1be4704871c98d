/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/utf8.h"

size_t
utf8_read(const char *bytes, size_t length, uint32_t *ret)
{
    static const struct {
        unsigned char mask, lead;
        size_t length;
        uint32_t least; /* smaller characters have a shorter form, and must use it */
    } forms[] = {
        {0x80, 0x00, 1, 0},
        {0xe0, 0xc0, 2, 0x80},
        {0xf0, 0xe0, 3, 0x800},
        {0xf8, 0xf0, 4, 0x10000},
    };
    const unsigned char *text = (const unsigned char *)bytes;
    size_t form = 0;
    uint32_t character;

    while (form < COUNT(forms) && (*text & forms[form].mask) != forms[form].lead)
        form++;
    if (form == COUNT(forms) || forms[form].length > length)
        return 0;
    character = *text & (unsigned char)~forms[form].mask;
    for (size_t i = 1; i < forms[form].length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        character = character << 6 | (text[i] & 0x3f);
    }
    *ret = character;
    /* Surrogates are no characters, and U+10FFFF is the last one. */
    return character < forms[form].least || (character >= 0xd800 && character <= 0xdfff) ||
                   character > 0x10ffff
               ? 0
               : forms[form].length;
}
