/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 64

static size_t
least(size_t a, size_t b, size_t c)
{
    size_t two = a < b ? a : b;

    return two < c ? two : c;
}

/* Levenshtein's distance without regard to case: how many letters must be changed. */
static size_t
distance_of(const char *a, const char *b)
{
    size_t row[LONGEST + 1], width = strlen(b);

    for (size_t i = 0; i <= width; i++)
        row[i] = i;
    for (size_t k = 0; a[k]; k++) {
        size_t diagonal = row[0];

        row[0] = k + 1;
        for (size_t i = 0; i < width; i++) {
            size_t same = tolower((unsigned char)a[k]) == tolower((unsigned char)b[i]) ? 0 : 1;
            size_t above = row[i + 1];

            row[i + 1] = least(above + 1, row[i] + 1, diagonal + same);
            diagonal = above;
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
