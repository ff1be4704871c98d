/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/error.h"
#include "base/printable.h"
#include "base/text.h"

#include <string.h>

int
error_vset(struct error *error, int code, const char *format, va_list args)
{
    struct text text = text_on(error->text, sizeof(error->text));

    error->class = ERROR_FAILED;
    error->is_denied = code == -EACCES;
    error->line = 0;
    text_vadd(&text, format, args);
    printable_make(error->text);
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
    struct text text = text_on(error->text, sizeof(error->text));
    va_list args;

    va_start(args, format);
    text_vadd(&text, format, args);
    va_end(args);
    text_add(&text, ": %s", before.text);
    printable_make(error->text);
}

void
error_add(struct error *error, const char *format, ...)
{
    struct text text = {error->text, sizeof(error->text), strlen(error->text), false};
    va_list args;

    if (text.length > 0)
        text_add(&text, "; ");
    va_start(args, format);
    text_vadd(&text, format, args);
    va_end(args);
    printable_make(error->text);
}
