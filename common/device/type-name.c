/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/type-name.h"
#include "device/nvidia-number.h"

#include <string.h>

const char *
type_name_last_word(const char *name)
{
    const char *blank = strrchr(name, ' ');

    return blank ? blank + 1 : name;
}

bool
type_name_matches(const struct inventory_type *type, const char *word)
{
    unsigned number;

    if (!strcmp(type->id.text, word) || !strcmp(type->name, word) ||
        !strcmp(type_name_last_word(type->name), word))
        return true;
    number = nvidia_number_of_word(word);
    return number && number == nvidia_number(&type->id);
}

void
type_name_suggest(const struct inventory_type *type, struct suggest *suggest)
{
    suggest_offer(suggest, type->id.text);
    suggest_offer(suggest, type->name);
    suggest_offer(suggest, type_name_last_word(type->name));
}
