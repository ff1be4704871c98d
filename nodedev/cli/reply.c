/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/reply.h"
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

void
reply_warn(const struct command_call *call, enum error_class class, const char *format, ...)
{
    struct findings *warnings = &call->reply->warnings;
    va_list args;

    va_start(args, format);
    findings_vadd(warnings, FINDING_WARNING, command_ends[class].word, NULL, 0, format, args);
    va_end(args);
    say_line(call->faults, "vgpuctl: %s: %s", call->name,
             warnings->items[warnings->count - 1].text);
}

/* Cuts the "; " between the sentence and the advice. */
void
reply_fail(const struct command_call *call, const struct error *failure)
{
    struct findings *errors = &call->reply->errors;
    size_t length = failure->advice ? failure->advice - strlen("; ") : strlen(failure->text);

    findings_add(errors, FINDING_ERROR, command_ends[failure->class].word, "%.*s", (int)length,
                 failure->text);
    if (failure->command_length)
        findings_step(errors, true,
                      memory_copy_bytes(failure->text + failure->command, failure->command_length));
    else if (failure->advice)
        findings_step(errors, false, memory_copy(error_advice(failure)));
}

void
reply_print(const struct command_call *call, const struct error *error)
{
    struct reply *reply = call->reply;
    struct json *json = reply_json(call);

    if (error)
        reply_fail(call, error);
    findings_put(&reply->errors, json, "errors", false);
    findings_put(&reply->warnings, json, "warnings", false);
    json_close(json, '}');
    memory_stream_end(json->out, &reply->text);
    json->out = NULL;
    if (reply->is_line)
        json_print_line(reply->text, reply->out);
    else
        json_print(reply->text, reply->out);
    fflush(reply->out);
}

void
reply_clear(struct reply *reply)
{
    if (reply->json.out)
        memory_stream_end(reply->json.out, &reply->text);
    free(reply->text);
    findings_clear(&reply->errors);
    findings_clear(&reply->warnings);
    *reply = (struct reply){0};
}
