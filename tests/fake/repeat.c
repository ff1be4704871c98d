/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/repeat.h"
#include "base/memory.h"

#include <stdio.h>

char *
repeat(const char *before, const char *piece, unsigned count, const char *after)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);

    fputs(before, out);
    for (unsigned i = 1; i <= count; i++) {
        for (const char *at = piece; *at; at++) {
            if (*at == '#')
                fprintf(out, "%u", i);
            else
                fputc(*at, out);
        }
    }
    fputs(after, out);
    memory_stream_end(out, &text);
    return text;
}
