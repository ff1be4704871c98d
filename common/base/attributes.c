/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/attributes.h"

#include <stddef.h>
#include <string.h>

const char *const attribute_names[] = {
    [ATTRIBUTE_CLASS] = "class",   [ATTRIBUTE_TYPE] = "type",
    [ATTRIBUTE_PARENT] = "parent", [ATTRIBUTE_PLACEMENT] = "placement",
    [ATTRIBUTE_NUMA] = "numa",     [ATTRIBUTE_TRAITS] = "traits",
    [ATTRIBUTES] = NULL,
};

const char *const choice_orders[] = {"", "pack", "spread", NULL};
const char *const choice_numas[] = {"", "prefer", "require", "ignore", NULL};

const char *const *const attribute_words[ATTRIBUTES] = {
    [ATTRIBUTE_PLACEMENT] = choice_orders,
    [ATTRIBUTE_NUMA] = choice_numas,
};

const char *
attributes_text(const struct attributes *attributes, enum attribute attribute)
{
    unsigned chosen = attributes->chosen[attribute];

    return chosen ? attribute_words[attribute][chosen] : attributes->said[attribute];
}

bool
attributes_equal(const struct attributes *a, const struct attributes *b)
{
    bool same = true;

    for (enum attribute i = 0; i < ATTRIBUTES && same; i++) {
        const char *left = attributes_text(a, i), *right = attributes_text(b, i);

        same = left && right ? !strcmp(left, right) : left == right;
    }
    return same;
}
