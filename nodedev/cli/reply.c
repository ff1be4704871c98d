/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/reply.h"
#include "base/array.h"
#include "base/memory.h"
#include "cli/say.h"

#include <string.h>

struct json *
reply_json(const struct command_call *call)
{
    struct reply *reply = call->reply;

    if (!reply->json.out) {
        reply->json.out = memory_stream(&reply->text, &reply->size);
        json_open(&reply->json, NULL, '{');
        json_number(&reply->json, "format", REPLY_FORMAT);
        json_text(&reply->json, "memory-unit", "MiB");
    }
    return &reply->json;
}

/* Cuts the "; " between the sentence and the advice. */
static void
note(struct reply_notes *notes, const struct error *error)
{
    size_t length = error->advice ? error->advice - strlen("; ") : strlen(error->text);
    struct reply_note added = {
        .word = command_ends[error->class].word,
        .text = memory_copy_bytes(error->text, length),
        .remedy = memory_copy_bytes(error->text + error->command, error->command_length),
        .advice = memory_copy(error->command_length ? "" : error_advice(error)),
    };

    ARRAY_ADD(notes->items, notes->count, added);
}

void
reply_warn(const struct command_call *call, enum error_class class, const char *format, ...)
{
    struct error warning;
    va_list args;

    va_start(args, format);
    error_vset(&warning, REFUSED, format, args);
    va_end(args);
    warning.class = class;
    say_line(call->faults, "vgpuctl: %s: %s", call->name, warning.text);
    note(&call->reply->warnings, &warning);
}

void
reply_fail(const struct command_call *call, const struct error *failure)
{
    note(&call->reply->errors, failure);
}

static void
put_notes(struct json *json, const char *key, const struct reply_notes *notes)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < notes->count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "word", notes->items[i].word);
        json_text(json, "text", notes->items[i].text);
        json_text(json, "remedy", notes->items[i].remedy);
        json_text(json, "advice", notes->items[i].advice);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void
reply_print(const struct command_call *call, const struct error *error)
{
    struct reply *reply = call->reply;
    struct json *json = reply_json(call);

    if (error)
        note(&reply->errors, error);
    put_notes(json, "errors", &reply->errors);
    put_notes(json, "warnings", &reply->warnings);
    json_close(json, '}');
    memory_stream_end(json->out, &reply->text);
    json->out = NULL;
    if (reply->is_line)
        json_print_line(reply->text, reply->out);
    else
        json_print(reply->text, reply->out);
    fflush(reply->out);
}

static void
notes_clear(struct reply_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++) {
        free(notes->items[i].text);
        free(notes->items[i].remedy);
        free(notes->items[i].advice);
    }
    free(notes->items);
}

void
reply_clear(struct reply *reply)
{
    if (reply->json.out)
        memory_stream_end(reply->json.out, &reply->text);
    free(reply->text);
    notes_clear(&reply->errors);
    notes_clear(&reply->warnings);
    *reply = (struct reply){0};
}
