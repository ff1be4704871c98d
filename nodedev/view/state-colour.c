/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/state-colour.h"

#include <string.h>

enum terminal_colour
state_colour(const char *state)
{
    static const struct {
        const char *state;
        enum terminal_colour colour;
    } rows[] = {
        {"held", TERMINAL_GREEN},     {"kept", TERMINAL_BLUE},       {"foreign", TERMINAL_MAGENTA},
        {"orphan", TERMINAL_RED},     {"pending", TERMINAL_YELLOW},  {"reserved", TERMINAL_YELLOW},
        {"leaving", TERMINAL_YELLOW}, {"removing", TERMINAL_YELLOW},
    };

    for (size_t i = 0; state && i < COUNT(rows); i++) {
        if (!strcmp(rows[i].state, state))
            return rows[i].colour;
    }
    return TERMINAL_GREEN;
}
