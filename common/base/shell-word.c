/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/shell-word.h"
#include "base/text.h"

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
    struct shell_word ret = {""};
    struct text word = text_on(ret.text, sizeof(ret.text));

    if (is_plain(name)) {
        text_add(&word, "%s", name);
    } else {
        text_add(&word, "'");
        for (; *name; name++)
            text_add(&word, "%s%c%s", *name == '\'' ? "'\\" : "", *name, *name == '\'' ? "'" : "");
        text_add(&word, "'");
    }
    if (word.is_cut)
        snprintf(ret.text, sizeof(ret.text), "NAME");
    return ret;
}
