/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/alternatives.h"
#include "placement/fit.h"

#define MOST_OTHERS 8 /* that an error names */

/* Whether the demand would have room on another parent. */
static bool
could_have(const struct loads *loads, const struct demand *demand,
           const struct inventory_parent *parent)
{
    const struct inventory_gpu *gpu = parent->gpu;
    struct demand_terms terms = demand->terms;

    terms.function = parent->name;
    for (size_t i = 0; i < gpu->type_count; i++) {
        struct fit ignored;
        unsigned rank;

        if (demand_ranks(&terms, &gpu->types[i], &rank) &&
            fit_judge(loads, &terms, &gpu->types[i], &ignored) == REASON_NONE)
            return true;
    }
    return false;
}

size_t
alternatives_list(const struct loads *loads, const struct demand *demand,
                  const struct inventory_gpu *gpu, size_t most, struct text *text)
{
    const struct inventory *inventory = loads->problem->inventory;
    const struct name *vf = demand_vf(demand);
    size_t count = 0;

    for (size_t i = 0; vf && i < inventory->parent_count; i++) {
        const struct inventory_parent *parent = inventory->parents[i];

        if ((gpu && parent->gpu != gpu) || name_equal(&parent->name, vf) ||
            !could_have(loads, demand, parent))
            continue;
        if (count++ < most)
            text_join(text, ", ", "%s", parent->name.text);
    }
    return count;
}

void
alternatives_add(const struct loads *loads, const struct demand *demand, struct error *error)
{
    char others[MOST_OTHERS * sizeof(struct name)];
    struct text list = text_on(others, sizeof(others));
    size_t count = alternatives_list(loads, demand, NULL, MOST_OTHERS, &list);

    if (count)
        error_add(error, "%s could be on %s%s", demand->label, others,
                  count > MOST_OTHERS ? ", or others" : "");
    else if (demand_vf(demand))
        error_add(error, "no other virtual function could take it now");
}
