/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-pairing.h"

#include <string.h>

/* Finds the first declared instance of a profile that has none of the card's; -1: there is none. */
static int
find_free(const struct words *said, const char *profile, const bool *taken)
{
    for (size_t i = 0; i < said->count; i++) {
        if (!taken[i] && !strcmp(said->items[i], profile))
            return (int)i;
    }
    return -1;
}

bool
setup_pairing_make(const struct setup_card *card, struct setup_pairing *ret)
{
    const struct words *said = &card->said->setup.instances;
    const struct nvidia_smi *now = &card->nvidia;
    bool taken[POLICY_MOST_INSTANCES] = {false};

    *ret = (struct setup_pairing){0};
    if (now->instance_count != said->count || said->count > POLICY_MOST_INSTANCES)
        return false;
    for (size_t i = 0; i < now->instance_count; i++) {
        int found = find_free(said, now->instances[i].profile, taken);

        if (found < 0)
            return false;
        taken[found] = true;
        ret->said[i] = (size_t)found;
    }
    return true;
}
