/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/warnings.h"
#include "base/array.h"
#include "base/memory.h"
#include "cli/say.h"

void
warnings_add(const struct command_call *call, const char *word, const char *format, ...)
{
    struct warning warning = {.word = word};
    va_list args;

    va_start(args, format);
    warning.text = memory_vformat(format, args);
    va_end(args);
    say_line(call->faults, "vgpuctl: %s: %s", call->name, warning.text);
    ARRAY_ADD(call->warnings->items, call->warnings->count, warning);
}

bool
warnings_are_there(const struct command_call *call)
{
    return call->warnings->count > 0;
}

void
warnings_put(const struct command_call *call, struct json *json)
{
    if (!warnings_are_there(call))
        return;
    json_open(json, "warnings", '[');
    for (size_t i = 0; i < call->warnings->count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "word", call->warnings->items[i].word);
        json_text(json, "text", call->warnings->items[i].text);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void
warnings_clear(struct warnings *warnings)
{
    for (size_t i = 0; i < warnings->count; i++)
        free(warnings->items[i].text);
    free(warnings->items);
    *warnings = (struct warnings){0};
}
