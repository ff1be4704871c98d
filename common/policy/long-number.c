/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/long-number.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The end of a string of one or more lines. */
static const char *
end_of_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return *at ? at + 1 : at;
}

/* The end of a comment; NULL: none begins here. */
static const char *
end_of_comment(const char *at)
{
    const char *end;

    if (!strncmp(at, "/*", 2)) {
        end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    return *at == '#' || !strncmp(at, "//", 2) ? at + strcspn(at, "\n") : NULL;
}

/* The end of a whole number; NULL: none begins here. */
static const char *
end_of_number(const char *at, bool *is_long)
{
    const char *digits = at + (*at == '-' || *at == '+');
    bool is_hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    unsigned long long most = is_hexadecimal ? UINT32_MAX
                              : *at == '-'   ? INT32_MAX + 1ull
                                             : INT32_MAX;
    unsigned long long number;
    char *end;

    if (!isdigit((unsigned char)*digits))
        return NULL;
    errno = 0;
    number = strtoull(digits, &end, is_hexadecimal ? 16 : 10);
    if (*end && strchr(".eE", *end)) {
        (void)strtod(digits, &end);
        return end;
    }
    *is_long = *end != 'L' && (errno == ERANGE || number > most);
    return end + strspn(end, "L");
}

static unsigned
line_of(const char *text, const char *at)
{
    unsigned line = 1;

    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

struct long_number
long_number_find(const char *text)
{
    const char *at = text, *end;
    bool is_long = false;

    while (*at) {
        if (*at == '"') {
            at = end_of_string(at);
        } else if (isalpha((unsigned char)*at) || *at == '*') {
            while (isalnum((unsigned char)*at) || (*at && strchr("*_-", *at)))
                at++;
        } else if ((end = end_of_comment(at))) {
            at = end;
        } else if ((end = end_of_number(at, &is_long))) {
            if (is_long)
                return (struct long_number){line_of(text, at), at, (size_t)(end - at)};
            at = end;
        } else {
            at++;
        }
    }
    return (struct long_number){.line = 0};
}
