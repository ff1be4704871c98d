/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 64

static bool
is_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t
least(size_t a, size_t b, size_t c)
{
    size_t two = a < b ? a : b;

    return two < c ? two : c;
}

/* How many letters must be changed, added, left out or swapped with their neighbours, without
 * regard to case. (The restricted distance of Damerau and Levenshtein.) */
static size_t
distance_of(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1], width = strlen(b);
    size_t *before = rows[0], *above = rows[1], *row = rows[2];

    for (size_t i = 0; i <= width; i++)
        row[i] = i;
    for (size_t k = 1; a[k - 1]; k++) {
        size_t *oldest = before;

        before = above;
        above = row;
        row = oldest;
        row[0] = k;
        for (size_t i = 1; i <= width; i++) {
            row[i] =
                least(above[i] + 1, row[i - 1] + 1, above[i - 1] + !is_same(a[k - 1], b[i - 1]));
            if (k > 1 && i > 1 && is_same(a[k - 1], b[i - 2]) && is_same(a[k - 2], b[i - 1]) &&
                before[i - 2] + 1 < row[i])
                row[i] = before[i - 2] + 1;
        }
    }
    return row[width];
}

void
suggest_offer(struct suggest *suggest, const char *word)
{
    size_t length = strlen(suggest->said), distance;

    if (length > LONGEST || strlen(word) > LONGEST)
        return;
    distance = distance_of(suggest->said, word);
    if (distance > length / 3 || (suggest->best && distance >= suggest->distance))
        return;
    suggest->best = word;
    suggest->distance = distance;
}

struct suggest_text
suggest_text(const struct suggest *suggest)
{
    struct suggest_text ret = {""};

    if (suggest->best)
        snprintf(ret.text, sizeof(ret.text), " (did you mean %s?)", suggest->best);
    return ret;
}
