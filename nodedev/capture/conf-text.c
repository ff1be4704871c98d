/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/conf-text.h"
#include "base/memory.h"

#include <ctype.h>
#include <string.h>

struct scan {
    const char *at;
    FILE *out;
    char key[16]; /* the last word outside of strings, cut to this size */
    char *(*rename)(const char *name, void *data);
    void *data;
};

static size_t
comment_length(const char *at)
{
    const char *end;

    if (*at == '#' || !strncmp(at, "//", 2))
        return strcspn(at, "\n");
    if (strncmp(at, "/*", 2) != 0)
        return 0;
    end = strstr(at + 2, "*/");
    return end ? (size_t)(end - at) : strlen(at);
}

/* The first characters mark the comment, and stay. */
static void
hide_comment(struct scan *scan, size_t length)
{
    size_t mark = *scan->at == '#' ? 1 : 2;

    fwrite(scan->at, 1, mark, scan->out);
    for (size_t i = mark; i < length; i++)
        fputc(isspace((unsigned char)scan->at[i]) ? scan->at[i] : '-', scan->out);
    scan->at += length;
}

/* A string that does not end in its line is a fault. What looks like a comment in it is hidden,
 * because it may be one. */
static void
copy_open_string(struct scan *scan, size_t length)
{
    size_t hidden = 0;

    while (hidden < length && !comment_length(scan->at + hidden))
        hidden++;
    fwrite(scan->at, 1, hidden, scan->out);
    scan->at += hidden;
    if (hidden < length)
        hide_comment(scan, length - hidden);
}

static void
copy_string(struct scan *scan)
{
    size_t length = 1;
    AUTO_FREE char *text = NULL, *other = NULL;

    while (scan->at[length] && scan->at[length] != '"' && scan->at[length] != '\n')
        length += scan->at[length] == '\\' && scan->at[length + 1] ? 2 : 1;
    if (scan->at[length] != '"')
        return copy_open_string(scan, length);
    text = memory_copy_bytes(scan->at + 1, length - 1);
    if (!strcmp(scan->key, "name") || !strcmp(scan->key, "domains"))
        other = scan->rename(text, scan->data);
    fprintf(scan->out, "\"%s\"", other ? other : text);
    scan->at += length + 1;
}

static void
copy_word(struct scan *scan)
{
    size_t length = 0;

    while (isalnum((unsigned char)scan->at[length]) || strchr("_-*", scan->at[length])) {
        if (!scan->at[length])
            break;
        length++;
    }
    snprintf(scan->key, sizeof(scan->key), "%.*s", (int)length, scan->at);
    fwrite(scan->at, 1, length, scan->out);
    scan->at += length;
}

char *
conf_text_copy(const char *text, char *(*rename)(const char *name, void *data), void *data)
{
    struct scan scan = {.at = text, .rename = rename, .data = data};
    char *ret = NULL;
    size_t length;

    scan.out = memory_stream(&ret, &length);
    while (*scan.at) {
        size_t comment = comment_length(scan.at);

        if (comment)
            hide_comment(&scan, comment);
        else if (*scan.at == '"')
            copy_string(&scan);
        else if (isalpha((unsigned char)*scan.at))
            copy_word(&scan);
        else
            fputc(*scan.at++, scan.out);
    }
    memory_stream_end(scan.out, &ret);
    return ret;
}
