/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/shell-word.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes above 127 are letters of some language, and need no quotes. */
static bool
is_plain(const char *name)
{
    static const char special[] = " \t\n\r\v\f!\"#$&'()*;<=>?[\\]^`{|}~";

    return *name && strcspn(name, special) == strlen(name);
}

struct shell_word
shell_word(const char *name)
{
    static const char quote[] = "'\\''";
    struct shell_word ret = {"'"};
    size_t at = 1;

    if (is_plain(name) && strlen(name) < sizeof(ret.text)) {
        snprintf(ret.text, sizeof(ret.text), "%s", name);
        return ret;
    }
    for (; *name && at < sizeof(ret.text) - sizeof(quote); name++) {
        if (*name == '\'')
            at += (size_t)snprintf(ret.text + at, sizeof(ret.text) - at, "%s", quote);
        else
            ret.text[at++] = *name;
    }
    snprintf(ret.text + at, sizeof(ret.text) - at, "'");
    if (*name)
        snprintf(ret.text, sizeof(ret.text), "NAME");
    return ret;
}
