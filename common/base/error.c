/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/error.h"
#include "base/printable.h"

#include <stdio.h>
#include <string.h>

static void
error_close(struct error *error, size_t wanted)
{
    size_t last = sizeof(error->text) - 1;

    /* Do not cut a character in two. */
    if (wanted > last) {
        last -= strlen("...");
        while (last > 0 && ((unsigned char)error->text[last] & 0xc0) == 0x80)
            last--;
        memcpy(error->text + last, "...", sizeof("..."));
    }
    printable_make(error->text);
}

static void
    FORMAT(3, 0) error_format(struct error *error, size_t at, const char *format, va_list args)
{
    int length = vsnprintf(error->text + at, sizeof(error->text) - at, format, args);

    error_close(error, at + (length < 0 ? 0 : (size_t)length));
}

int
error_vset(struct error *error, int code, const char *format, va_list args)
{
    error->class = ERROR_FAILED;
    error->is_denied = code == -EACCES;
    error->line = 0;
    error_format(error, 0, format, args);
    return code;
}

int
error_refuse(struct error *error, enum error_class class, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    error_vset(error, REFUSED, format, args);
    va_end(args);
    error->class = class;
    return REFUSED;
}

int
error_set(struct error *error, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    error_vset(error, code, format, args);
    va_end(args);
    return code;
}

void
error_wrap(struct error *error, const char *format, ...)
{
    struct error before = *error;
    va_list args;
    size_t at;

    va_start(args, format);
    error_format(error, 0, format, args);
    va_end(args);
    at = strlen(error->text);
    error_close(error, at + (size_t)snprintf(error->text + at, sizeof(error->text) - at, ": %s",
                                             before.text));
}

void
error_add(struct error *error, const char *format, ...)
{
    size_t at = strnlen(error->text, sizeof(error->text) - 1);
    va_list args;

    if (at > 0)
        at += (size_t)snprintf(error->text + at, sizeof(error->text) - at, "; ");
    if (at >= sizeof(error->text))
        at = sizeof(error->text) - 1;
    va_start(args, format);
    error_format(error, at, format, args);
    va_end(args);
}
