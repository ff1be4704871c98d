/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/placement.h"
#include "placement/candidate.h"
#include "placement/refusal.h"
#include "placement/search.h"

/* Gives each demand the best place that is left, until one finds none. That one says why. */
static int
explain(struct search *search, struct error *error)
{
    const struct demand *demand = NULL;

    for (size_t i = 0; i < search->count; i++) {
        AUTO_FREE struct candidate *candidates = NULL;
        size_t count;

        demand = &search->problem->demands->items[search->order[i]];
        candidates = search_list(search, search->order[i], &count);
        if (count == 0 && i == 0)
            return refusal_none(&search->loads, demand, error);
        if (count == 0)
            break;
        loads_take(&search->loads, &candidates[0].place);
    }
    return refusal_not_together(&search->loads, search->order, search->count, demand, error);
}

int
placement_find(const struct placement_problem *problem, struct placement_choice *choices,
               struct error *error)
{
    AUTO(search_clear) struct search search;
    int rc = search_begin(&search, problem, choices, error);

    if (rc < 0)
        return rc;
    search_sort(&search);
    rc = search_run(&search);
    if (rc > 0)
        return 0;
    if (rc == 0)
        return explain(&search, error);
    return error_refuse(error, ERROR_UNDECIDED,
                        "its %zu vGPUs can be placed in more ways than were tried; name a parent "
                        "for some of them",
                        problem->demands->count);
}
