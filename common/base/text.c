/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/text.h"

#include <stdio.h>
#include <string.h>

struct text
text_on(char *bytes, size_t size)
{
    *bytes = '\0';
    return (struct text){.bytes = bytes, .size = size};
}

static void
cut(struct text *text)
{
    size_t last = text->size - sizeof("...");

    while (last > 0 && ((unsigned char)text->bytes[last] & 0xc0) == 0x80)
        last--;
    memcpy(text->bytes + last, "...", sizeof("..."));
    text->length = last + strlen("...");
    text->is_cut = true;
}

void
text_vadd(struct text *text, const char *format, va_list args)
{
    size_t left = text->size - text->length;
    int length;

    if (text->is_cut)
        return;
    length = vsnprintf(text->bytes + text->length, left, format, args);
    if (length < 0)
        text->bytes[text->length] = '\0';
    else if ((size_t)length < left)
        text->length += (size_t)length;
    else
        cut(text);
}

void
text_add(struct text *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_vadd(text, format, args);
    va_end(args);
}

void
text_join(struct text *text, const char *separator, const char *format, ...)
{
    va_list args;

    if (text->length > 0)
        text_add(text, "%s", separator);
    va_start(args, format);
    text_vadd(text, format, args);
    va_end(args);
}
