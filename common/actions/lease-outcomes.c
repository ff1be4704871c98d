/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/lease-outcomes.h"
#include "base/array.h"

const char *
outcome_name(enum outcome outcome)
{
    static const char *const names[] = {
        [OUTCOME_LEFT] = "left alone", [OUTCOME_FORGOTTEN] = "forgotten", [OUTCOME_KEPT] = "kept",
        [OUTCOME_REMOVED] = "removed", [OUTCOME_ADOPTED] = "adopted",
    };

    return names[outcome];
}

void
lease_outcomes_clear(struct lease_outcomes *outcomes)
{
    free(outcomes->items);
    *outcomes = (struct lease_outcomes){0};
}

void
lease_outcomes_add(struct lease_outcomes *outcomes, const struct lease *lease, enum outcome outcome,
                   const char *why)
{
    struct lease_outcome each = {.lease = *lease, .outcome = outcome};

    error_set(&each.why, 0, "%s", why);
    ARRAY_ADD(outcomes->items, outcomes->count, each);
}

void
lease_outcomes_correct(struct lease_outcomes *outcomes, const struct removals *removals)
{
    for (size_t i = 0; i < removals->count; i++) {
        const struct removal *removal = &removals->items[i];
        struct lease_outcome *each = outcomes->items;

        if (removal->fate == FATE_REMOVED)
            continue;
        while (!name_equal(&each->lease.vgpu.device, &removal->lease.vgpu.device))
            each++;
        each->outcome = OUTCOME_LEFT;
        each->why = removal->why;
        outcomes->failed++;
    }
}
