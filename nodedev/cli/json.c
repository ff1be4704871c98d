/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/json.h"
#include "base/memory.h"
#include "base/printable.h"

#include <inttypes.h>
#include <string.h>

static void
put_string(FILE *out, const char *text)
{
    AUTO_FREE char *copy = memory_copy(text);

    printable_make_utf8(copy);
    fputc('"', out);
    for (const char *c = copy; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            fprintf(out, "\\u%04x", (unsigned)*c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

static void
begin(struct json *json, const char *key)
{
    if (json->depth)
        fprintf(json->out, "%s\n%*s", json->has_before ? "," : "", (int)(3 * json->depth), "");
    json->has_before = true;
    if (!key)
        return;
    put_string(json->out, key);
    fputs(": ", json->out);
}

void
json_open(struct json *json, const char *key, char kind)
{
    begin(json, key);
    fputc(kind, json->out);
    json->depth++;
    json->has_before = false;
}

void
json_close(struct json *json, char kind)
{
    json->depth--;
    if (json->has_before)
        fprintf(json->out, "\n%*s", (int)(3 * json->depth), "");
    fprintf(json->out, "%c%s", kind, json->depth ? "" : "\n");
    json->has_before = true;
}

void
json_text(struct json *json, const char *key, const char *value)
{
    begin(json, key);
    if (value)
        put_string(json->out, value);
    else
        fputs("null", json->out);
}

void
json_number(struct json *json, const char *key, int64_t value)
{
    begin(json, key);
    if (value >= 0)
        fprintf(json->out, "%" PRId64, value);
    else
        fputs("null", json->out);
}

void
json_flag(struct json *json, const char *key, bool value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->out);
}

void
json_literal(struct json *json, const char *key, const char *text)
{
    begin(json, key);
    fputs(text, json->out);
}

void
json_print(const char *document, FILE *out)
{
    fputs(document, out);
}

/* A string has no line feed: it is escaped. So each line feed is layout, and so are the blanks that
 * follow it. */
void
json_print_line(const char *document, FILE *out)
{
    for (const char *at = document; *at; at += strspn(at, "\n ")) {
        int length = (int)strcspn(at, "\n");

        fprintf(out, "%.*s", length, at);
        at += length;
        if (at[-1] == ',')
            fputc(' ', out);
    }
    fputc('\n', out);
}
