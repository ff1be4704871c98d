/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/destinations.h"

/* The lower the better. */
static unsigned
rank(const struct destination *destination)
{
    return destination_has_answered(destination) ? destination->verdict.answer
                                                 : REMOTE_CAPACITY_NO + 1;
}

static int
best_first(const void *a, const void *b)
{
    const struct destination *left = a, *right = b;

    if (rank(left) != rank(right))
        return rank(left) < rank(right) ? -1 : 1;
    if (left->verdict.room != right->verdict.room)
        return left->verdict.room > right->verdict.room ? -1 : 1;
    return left->host < right->host ? -1 : 1;
}

int
destinations_judge(const struct question *question, struct destinations *ret, struct error *error)
{
    const struct remote_hosts *hosts = &question->hosts;

    *ret = (struct destinations){.items = calloc(hosts->count + 1, sizeof(*ret->items))};
    if (!ret->items)
        return error_set(error, -ENOMEM, "no memory");
    for (size_t i = 1; i < hosts->count; i++) {
        struct destination *destination = &ret->items[ret->count++];
        const struct migrate_check check = question_check(question, i);

        destination->host = &hosts->items[i];
        if (destination_has_answered(destination) &&
            migrate_check_check(&check, NULL, &destination->verdict, error) < 0)
            return -ENOMEM;
    }
    qsort(ret->items, ret->count, sizeof(*ret->items), best_first);
    return 0;
}

void
destinations_clear(struct destinations *destinations)
{
    free(destinations->items);
    *destinations = (struct destinations){0};
}
