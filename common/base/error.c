/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/error.h"
#include "base/printable.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

/* Returns the class that a code tells by itself. */
static enum error_class
class_of(int code)
{
    static const struct {
        int code;
        enum error_class class;
    } rows[] = {
        {-EBUSY, ERROR_IN_USE},        {-EACCES, ERROR_DENIED},
        {-ENOENT, ERROR_NOT_FOUND},    {-ENODEV, ERROR_NOT_FOUND},
        {-ENOTCONN, ERROR_NO_LIBVIRT}, {-EHOSTUNREACH, ERROR_NO_LIBVIRT},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].code == code)
            return rows[i].class;
    }
    return ERROR_FAILED;
}

int
error_vset(struct error *error, int code, const char *format, va_list args)
{
    struct text text = text_on(error->text, sizeof(error->text));

    error->class = class_of(code);
    error->line = 0;
    error->advice = error->command = error->command_length = 0;
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

/* The text has `by` bytes more in front of the advice. 0: the advice was cut off. */
static void
move_advice(struct error *error, size_t by)
{
    if (error->advice)
        error->advice = by ? error->advice + (unsigned)by : 0;
    if (!error->advice)
        error->command = error->command_length = 0;
    else if (error->command)
        error->command += (unsigned)by;
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
    move_advice(error, text.is_cut ? 0 : strlen(error->text) - strlen(before.text));
}

static void __attribute__((format(printf, 2, 0), nonnull(1, 2)))
vadd(struct error *error, const char *format, va_list args)
{
    struct text text = {error->text, sizeof(error->text), strlen(error->text), false};

    if (text.length > 0)
        text_add(&text, "; ");
    text_vadd(&text, format, args);
    printable_make(error->text);
}

void
error_add(struct error *error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vadd(error, format, args);
    va_end(args);
}

/* The text was printable before, so no byte of it moves. A text that was cut has no advice. */
void
error_advise(struct error *error, const char *format, ...)
{
    size_t length = strlen(error->text);
    va_list args;

    va_start(args, format);
    vadd(error, format, args);
    va_end(args);
    if (!error->advice && length && strlen(error->text) > length + strlen("; "))
        error->advice = (unsigned)(length + strlen("; "));
}

/* A command that was cut, or that follows another advice, is prose. */
void
error_advise_command(struct error *error, const char *verb, const char *format, ...)
{
    const bool is_first = !error->advice;
    char command[sizeof(error->text)];
    struct text text = text_on(command, sizeof(command));
    const char *end;
    va_list args;

    va_start(args, format);
    text_vadd(&text, format, args);
    va_end(args);
    error_advise(error, "%s '%s'", verb, command);
    end = error->text + strlen(error->text) - 1;
    if (!is_first || !error->advice || text.is_cut || *end != '\'')
        return;
    error->command = error->advice + (unsigned)(strlen(verb) + strlen(" '"));
    error->command_length = (unsigned)(end - error->text) - error->command;
}

const char *
error_advice(const struct error *error)
{
    return error->advice ? error->text + error->advice : "";
}
