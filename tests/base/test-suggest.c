/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* suggest: the word that somebody probably meant. */

#include "base/suggest.h"
#include "fake/unit.h"

#include <string.h>

UNIT_TEST(what_was_meant)
{
    static const char *const words[] = {"type", "class", "placement", "alias"};
    static const struct {
        const char *said;
        const char *meant; /* NULL: no suggestion */
    } rows[] = {
        {"tpye", "type"},
        {"typ", "type"},
        {"types", "type"},
        {"TYPE", "type"},
        {"clas", "class"},
        {"glass", "class"},
        {"placemnt", "placement"},
        {"palcemnet", "placement"},
        {"aliass", "alias"},
        {"laias", "alias"},
        {"colour", NULL},
        {"t", NULL},
        {"", NULL},
        {"place", NULL},
        {"epyt", NULL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct suggest suggest = SUGGEST(rows[i].said);

        for (size_t k = 0; k < COUNT(words); k++)
            suggest_offer(&suggest, words[k]);
        if (!rows[i].meant != !suggest.best ||
            (rows[i].meant && strcmp(rows[i].meant, suggest.best) != 0))
            fail_msg("%s: %s", rows[i].said, suggest.best ? suggest.best : "nothing");
    }
}

/* The nearest word. If several are equally near, the first of them. */
UNIT_TEST(the_nearest)
{
    struct suggest suggest = SUGGEST("nvidia-22");

    suggest_offer(&suggest, "nvidia-442");
    suggest_offer(&suggest, "nvidia-222");
    suggest_offer(&suggest, "nvidia-223");
    assert_string_equal(suggest_text(&suggest).text, " (did you mean nvidia-222?)");
    suggest_offer(&suggest, "nvidia-22");
    assert_int_equal(suggest.distance, 0);
}
