/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/findings.h"
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
findings_clear(struct findings *findings)
{
    free(findings->items);
    *findings = (struct findings){0};
}

void
findings_add(struct findings *findings, const struct lease *lease, enum outcome outcome,
             const char *why)
{
    struct finding finding = {.lease = *lease, .outcome = outcome};

    error_set(&finding.why, 0, "%s", why);
    ARRAY_ADD(findings->items, findings->count, finding);
}

void
findings_correct(struct findings *findings, const struct removals *removals)
{
    for (size_t i = 0; i < removals->count; i++) {
        const struct removal *removal = &removals->items[i];
        struct finding *finding = findings->items;

        if (removal->fate == FATE_REMOVED)
            continue;
        while (!name_equal(&finding->lease.vgpu.device, &removal->lease.vgpu.device))
            finding++;
        finding->outcome = OUTCOME_LEFT;
        finding->why = removal->why;
        findings->failed++;
    }
}
