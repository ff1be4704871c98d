/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/moved-types.h"
#include "base/array.h"
#include "xml/domain-edit.h"

static bool
is_wide(const struct policy_class *class)
{
    return class && (class->types.count > 1 || class->framebuffer);
}

void
moved_types_find(const struct migrating_guest *guest, const struct inventory *here,
                 const struct policy *policy, struct moved_types *ret)
{
    *ret = (struct moved_types){0};
    for (size_t i = 0; policy->allow >> POLICY_ALLOW_TYPE & 1 && i < guest->demands.count; i++) {
        const struct demand *demand = &guest->demands.items[i];
        const struct inventory_type *type = migrating_guest_type(guest, here, demand);
        struct moved_type moved = {.device = demand->hostdev->source};

        if (!type || !demand->device || !is_wide(demand->class))
            continue;
        moved.word = inventory_type_has_name(type) ? type->name : type->id.text;
        ARRAY_ADD(ret->items, ret->count, moved);
    }
}

void
moved_types_clear(struct moved_types *types)
{
    free(types->items);
    *types = (struct moved_types){0};
}

int
moved_types_say(const struct moved_types *types, const struct document *live, struct document *ret,
                struct error *error)
{
    AUTO(domain_edit_end) struct domain_edit edit = {0};
    int rc = 0;

    *ret = (struct document){0};
    if (types->count == 0)
        return 0;
    rc = domain_edit_start(live, &edit, error);
    for (size_t i = 0; rc == 0 && i < types->count; i++)
        rc = domain_edit_set_type(&edit, types->items[i].device.text, types->items[i].word, error);
    if (rc == 0)
        rc = domain_edit_text(&edit, ret, error);
    return rc < 0 ? rc : 1;
}
