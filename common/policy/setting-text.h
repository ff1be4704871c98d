/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setting-text: writes the fields of a struct as settings, by the tables of keys that read them.
 * All lines together are one file that says the same.
 */

#pragma once

#include "policy/setting-trace.h"
#include "policy/setting.h"

/* Takes a line. origin is "file:line", "default", or NULL: the line has none. */
typedef void setting_text_line(void *data, const char *text, const char *origin);

struct setting_text {
    const struct setting_trace *trace; /* where the settings were read */
    setting_text_line *take;
    void *data;
    unsigned depth;               /* 0: settings that nobody has set are written as well */
    char path[SETTING_MOST_PATH]; /* of the group; "" or with a dot at its end */
};

void setting_text_group(struct setting_text *text, const struct setting_key *keys, size_t count,
                        const void *object) NONNULL;
