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
destinations_judge(const struct migrate_check *check, const struct remote_host *hosts, size_t count,
                   struct destinations *ret, struct error *error)
{
    struct migrate_check each = *check;

    *ret = (struct destinations){.items = calloc(count + 1, sizeof(*ret->items))};
    if (!ret->items)
        return error_set(error, -ENOMEM, "no memory");
    for (; ret->count < count; ret->count++) {
        struct destination *destination = &ret->items[ret->count];

        each.to = destination->host = &hosts[ret->count];
        if (destination_has_answered(destination) &&
            migrate_check_check(&each, NULL, &destination->verdict, error) < 0)
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
