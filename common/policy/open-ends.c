/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/open-ends.h"

#include <string.h>

#define MOST_OPEN 64 /* brackets that are open at once; deeper ones are not looked for */

struct scan {
    const char *at;
    unsigned line;
    struct open_ends open[MOST_OPEN];
    size_t depth;
    struct open_ends wrong; /* the first bracket that a bracket of another kind ends */
    unsigned wrong_line;    /* the line of that other bracket */
    unsigned comment_line;  /* of a comment without an end */
};

static void
step(struct scan *scan)
{
    scan->line += *scan->at++ == '\n';
}

/* Skips a comment. False: none begins here. */
static bool
skip_comment(struct scan *scan)
{
    bool is_long = !strncmp(scan->at, "/*", 2);
    unsigned line = scan->line;

    if (!is_long && *scan->at != '#' && strncmp(scan->at, "//", 2) != 0)
        return false;
    scan->at += is_long ? 2 : 0;
    while (*scan->at && (is_long ? strncmp(scan->at, "*/", 2) != 0 : *scan->at != '\n'))
        step(scan);
    if (is_long && *scan->at)
        scan->at += strlen("*/");
    else if (is_long)
        scan->comment_line = line;
    return true;
}

/* Skips a string. False: it does not end in its line. */
static bool
skip_string(struct scan *scan)
{
    scan->at++;
    while (*scan->at && *scan->at != '"' && *scan->at != '\n')
        scan->at += *scan->at == '\\' && scan->at[1] && scan->at[1] != '\n' ? 2 : 1;
    if (*scan->at != '"')
        return false;
    scan->at++;
    return true;
}

static char
opening_of(char closing)
{
    return closing == '}' ? '{' : closing == ')' ? '(' : '[';
}

static void
note_bracket(struct scan *scan)
{
    static const char *const words[] = {"{", "(", "["};
    const char *opening = strchr("{([", *scan->at), *closing = strchr("})]", *scan->at);

    for (size_t i = 0; opening && i < COUNT(words) && scan->depth < MOST_OPEN; i++) {
        if (*words[i] == *scan->at)
            scan->open[scan->depth++] = (struct open_ends){scan->line, words[i]};
    }
    if (!closing || !scan->depth)
        return;
    scan->depth--;
    if (!scan->wrong.line && *scan->open[scan->depth].what != opening_of(*closing)) {
        scan->wrong = scan->open[scan->depth];
        scan->wrong_line = scan->line;
    }
}

struct open_ends
open_ends_find_hiding(const char *text)
{
    struct scan scan = {.at = text, .line = 1};
    struct open_ends string = {0};

    while (*scan.at) {
        if (!string.line && skip_comment(&scan))
            continue;
        if (*scan.at == '"') {
            string.line = string.line ? 0 : scan.line;
            string.what = "string";
        }
        if (string.line && *scan.at == '\\' && scan.at[1])
            step(&scan);
        step(&scan);
    }
    if (scan.comment_line)
        string = (struct open_ends){scan.comment_line, "comment"};
    return string;
}

struct open_ends
open_ends_find(const char *text, unsigned fault_line)
{
    struct scan scan = {.at = text, .line = 1};
    const struct open_ends none = {0};

    while (*scan.at) {
        if (skip_comment(&scan))
            continue;
        if (*scan.at == '"') {
            unsigned line = scan.line;

            if (!skip_string(&scan))
                return line <= fault_line ? (struct open_ends){line, "string"} : none;
            continue;
        }
        note_bracket(&scan);
        step(&scan);
    }
    if (scan.wrong.line && scan.wrong_line <= fault_line)
        return scan.wrong;
    /* If the fault is before the end of the text, no missing end is its reason. */
    return scan.depth && fault_line >= scan.line - 1 ? scan.open[scan.depth - 1] : none;
}
