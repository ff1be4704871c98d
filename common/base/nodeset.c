/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/nodeset.h"

#include <string.h>

static void
put(struct nodeset *set, unsigned long number, bool in)
{
    uint64_t bit = 1ull << (number % 64);

    if (in)
        set->words[number / 64] |= bit;
    else
        set->words[number / 64] &= ~bit;
}

/* Reads a number at *text and moves *text behind it; NODESET_MOST if there is none. */
static unsigned long
parse_number(const char **text)
{
    char *end;
    unsigned long number;

    if (**text < '0' || **text > '9')
        return NODESET_MOST;
    errno = 0;
    number = strtoul(*text, &end, 10);
    *text = end;
    return errno || number > NODESET_MOST ? NODESET_MOST : number;
}

int
nodeset_add(struct nodeset *set, const char *text)
{
    struct nodeset sum = *set;

    for (;;) {
        bool in = *text != '^';
        unsigned long first, last;

        text += !in;
        first = last = parse_number(&text);
        if (*text == '-') {
            text++;
            last = parse_number(&text);
        }
        if (last >= NODESET_MOST || first > last)
            return -EINVAL;
        for (; first <= last; first++)
            put(&sum, first, in);
        if (!*text)
            break;
        if (*text++ != ',')
            return -EINVAL;
    }
    *set = sum;
    return 0;
}

bool
nodeset_has(const struct nodeset *set, unsigned number)
{
    return number < NODESET_MOST && (set->words[number / 64] >> (number % 64) & 1);
}

bool
nodeset_is_empty(const struct nodeset *set)
{
    return nodeset_meets(set, set) == false;
}

bool
nodeset_meets(const struct nodeset *a, const struct nodeset *b)
{
    for (size_t i = 0; i < COUNT(a->words); i++) {
        if (a->words[i] & b->words[i])
            return true;
    }
    return false;
}
