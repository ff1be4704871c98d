/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/destinations.h"
#include "base/memory.h"

/* A lower rank is better. */
static unsigned
rank(const struct destination *destination)
{
    return destination_has_answered(destination) ? destination->verdict.answer : MIGRATE_NO + 1;
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

void
destinations_judge(const struct migrate_question *question, struct destinations *ret)
{
    const struct remote_hosts *hosts = &question->hosts;

    *ret = (struct destinations){.items = memory_zeroed(hosts->count, sizeof(*ret->items))};
    for (size_t i = 1; i < hosts->count; i++) {
        struct destination *destination = &ret->items[ret->count++];
        const struct migrate_check check = migrate_question_check(question, i);

        destination->host = &hosts->items[i];
        if (destination_has_answered(destination))
            migrate_check_run(&check, &destination->verdict);
    }
    qsort(ret->items, ret->count, sizeof(*ret->items), best_first);
}

enum command_status
destinations_conclude(const struct destinations *destinations, const char *label,
                      struct error *error)
{
    size_t counts[MIGRATE_NO + 1] = {0}, silent = 0;
    bool is_known;

    for (size_t i = 0; i < destinations->count; i++) {
        if (destination_has_answered(&destinations->items[i]))
            counts[destinations->items[i].verdict.answer]++;
        else
            silent++;
    }
    if (counts[MIGRATE_YES])
        return COMMAND_DONE;
    is_known = silent == 0 && counts[MIGRATE_UNKNOWN] == 0;
    error_refuse(error, is_known ? ERROR_NO_HOST : ERROR_UNKNOWN,
                 "no host is sure to take %s: %zu would not, %zu may, %zu gave no answer", label,
                 counts[MIGRATE_NO], counts[MIGRATE_UNKNOWN], silent);
    return command_ended(REFUSED, error);
}

void
destinations_clear(struct destinations *destinations)
{
    for (size_t i = 0; i < destinations->count; i++)
        migrate_verdict_clear(&destinations->items[i].verdict);
    free(destinations->items);
    *destinations = (struct destinations){0};
}
