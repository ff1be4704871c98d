/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "domain/budget.h"

static const struct {
    const char *has, *what, *are;
    size_t most;
} limits[BUDGET_ITEMS] = {
    [BUDGET_LEVELS] = {"has", "elements in each other", "read", BUDGET_MOST_LEVELS},
    [BUDGET_ELEMENTS] = {"has", "elements", "read", 250000},
    [BUDGET_ATTRIBUTES] = {"has", "attributes", "read", 500000},
    [BUDGET_NAMESPACES] = {"has", "namespace declarations", "read", 20000},
    [BUDGET_NAMES] = {"has", "different names", "read", 50000},
    [BUDGET_COMPARISONS] = {"needs", "comparisons of names", "made", 100000000},
};

static size_t
pairs(size_t count)
{
    return count ? count * (count - 1) / 2 : 0;
}

void
budget_open(struct budget *budget, size_t attributes, size_t namespaces)
{
    size_t in_force = budget->in_force[budget->level] + namespaces;

    budget->in_force[++budget->level] = in_force;
    if (budget->level > budget->used[BUDGET_LEVELS])
        budget->used[BUDGET_LEVELS] = budget->level;
    budget->used[BUDGET_ELEMENTS]++;
    budget->used[BUDGET_ATTRIBUTES] += attributes;
    budget->used[BUDGET_NAMESPACES] += namespaces;
    budget->used[BUDGET_COMPARISONS] +=
        (1 + attributes) * in_force + pairs(attributes) + pairs(namespaces);
}

void
budget_close(struct budget *budget)
{
    budget->level--;
}

int
budget_check(const struct budget *budget, unsigned line, struct error *error)
{
    for (size_t i = 0; i < BUDGET_ITEMS; i++) {
        if (budget->used[i] > limits[i].most)
            return error_set(error, -E2BIG,
                             "up to line %u it %s %zu %s, and at most %zu are %s: make its "
                             "<metadata> smaller",
                             line, limits[i].has, budget->used[i], limits[i].what, limits[i].most,
                             limits[i].are);
    }
    return 0;
}
