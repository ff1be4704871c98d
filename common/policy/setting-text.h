/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setting-text: writes the fields of a struct as the settings that they were read from, by the same
 * tables of keys. The lines of all of it are one file that says the same.
 */

#pragma once

#include "policy/setting-trace.h"
#include "policy/setting.h"

/* A line; origin is "file:line", "default", or NULL for what is neither. */
typedef void setting_text_line(void *data, const char *text, const char *origin);

struct setting_text {
    const struct setting_trace *trace; /* where all of it was read */
    setting_text_line *take;
    void *data;
    unsigned depth;               /* 0: what nobody has set is written as well */
    char path[SETTING_MOST_PATH]; /* of the group; "" or with a dot at its end */
};

void setting_text_group(struct setting_text *text, const struct setting_key *keys, size_t count,
                        const void *object) NONNULL;
