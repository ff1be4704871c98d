/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The messages for people whose request is refused. */

#include "base/array.h"
#include "placement/candidate.h"
#include "placement/constraints.h"
#include "placement/question.h"

#include <stdio.h>
#include <string.h>

UNIT_PROGRAM(question_set_up, question_tear_down)

/* --- reasons ---------------------------------------------------------------------------------- */

UNIT_TEST(every_gpu_has_a_reason)
{
#define EVERY                                                                                      \
    "gpu a" X "gpu b" X "gpu c" X "gpu d Y:1024:1\ngpu e" X "gpu f" X "gpu g" X "gpu h" X          \
    "foreign 1 X-1 b\nforeign 2 X-2 c\nforeign 3 X-2 c\npending 4 X-1 e other\n"                   \
    "unreadable f X-2\nrefused g X-2\n"
    static const struct question rows[] = {
        {EVERY,
         "gpus = ( { address = \"a\"; enabled = false; }, { address = \"h\"; reserve = 2; } );",
         "type=X-2",
         "NO_ROOM no GPU can take gpu0 (X-2): |a is disabled|, b holds x-1 (1 in "
         "use)|, c is full (2 "
         "of 2)|, d has no such type|, e is being given a vGPU of another "
         "size|, f does not tell its "
         "room (Input/output error)|, g refused it (|, h has only reserved places left"},
        /* of several types, the reason of the type that was nearest to a place */
        {"gpu a" X "foreign 1 X-1 a",
         "classes = { c = { types = [ \"X-4\", \"X-2\" ]; }; };"
         "gpus = ( { address = \"a\"; types = [ \"X-2\" ]; } );",
         "class=c", "NO_ROOM no GPU can take gpu0 (c): a holds x-1"},
        /* the kernel refused this type in this place */
        {"gpu a" X "refused a X-2", "", "type=X-1", "a X-1"},
        {"gpu a" X "gpu b" X "refused a X-1", "", "type=X-1", "b X-1"},
        {"gpu a" X "refused a X-1", "", "type=X-1", "NO_ROOM |a refused it ("},
        /* of several devices, the reason of the one that has no place */
        {THREE "foreign 1 X-1 a\nforeign 2 X-1 b\nforeign 3 X-1 c", "", "type=X-1;type=X-2",
         "NO_ROOM |can take gpu1 (X-2)|a holds x-1|b holds x-1|c holds x-1"},
        /* there is no GPU at all */
        {"", "", "type=X-1", "NEVER gpu0 wants X-1, and no GPU on this host offers vGPUs"},
        {"gpu a X-1:1024:4\ngpu b Y:1024:1\ngpu c X-1:1024:4", "", "type=Z",
         "NEVER gpu0 wants Z, which no GPU here has; there are: x-1 (GRID X-1), y (GRID Y)"},
    };

    question_check(rows, COUNT(rows));
}

/* Sixteen GPUs have the same reason. The message has it once. */
UNIT_TEST(what_many_say_is_said_once)
{
    char text[QUESTION_TEXT], machine[2048] = "";

    for (unsigned i = 0; i < 16; i++) {
        size_t at = strlen(machine);

        snprintf(machine + at, sizeof(machine) - at, "gpu 0000:%02x:00.0 numa %u X-1:1024:4\n", i,
                 i);
    }
    question_answer(&(struct question){machine, "numa = \"require\";", "type=X-1", ""}, text);
    assert_string_equal(text, "NEVER no GPU can take gpu0 (X-1): each of 0000:00:00.0, "
                              "0000:01:00.0, 0000:02:00.0 and 13 others is on a NUMA node, and the "
                              "guest is bound to none (numatune)");
}

UNIT_TEST(a_refusal_of_all_together_has_reasons_too)
{
    static const struct question rows[] = {
        {"gpu a" X "gpu b" X, "", "type=X-1;type=X-2;type=X-4",
         "NO_ROOM |not for all together|gpu0 (X-1)|gpu1 (X-2)|gpu2 (X-4)|a |b "},
    };

    question_check(rows, COUNT(rows));
}

/* Both places would do. The message says what is wrong with the second one. */
UNIT_TEST(why_another_place_is_better)
{
#define OTHERS "is left to the others"
    static const struct inventory_gpu first = {.index = 0}, second = {.index = 1};
    static const struct inventory_type types[] = {{.gpu = &first}, {.gpu = &first}};
    static const struct inventory_type other = {.gpu = &second};
    static const struct {
        struct candidate better, worse;
        const char *wanted;
    } rows[] = {
        {{.rank = 0}, {.rank = 1}, "its type is less preferred"},
        {{.rank = 1}, {.rank = 0}, OTHERS},
        {{.rank = 1, .far = true}, {.rank = 2}, "its type is less preferred"},
        {{.far = false}, {.far = true}, "is not on the guest's NUMA nodes"},
        {{.far = true}, {.far = false}, OTHERS},
        {{.beside = 0}, {.beside = 1}, "gets more of this guest's vGPUs already"},
        {{.beside = 1}, {.beside = 0}, OTHERS},
        {{.used = 2, .total = 4}, {.used = 1, .total = 4}, "is emptier"},
        {{.used = 1, .total = 4}, {.used = 2, .total = 4}, OTHERS},
        {{.used = 1, .total = 2}, {.used = 2, .total = 8}, "is emptier"},
        {{.used = 1, .total = 4, .spread = true},
         {.used = 2, .total = 4, .spread = true},
         "is fuller"},
        {{.used = 2, .total = 4, .spread = true}, {.used = 1, .total = 4, .spread = true}, OTHERS},
        {{.used = 1, .total = 2, .place.type = types},
         {.used = 2, .total = 4, .place.type = &other},
         "is as good, and comes later"},
        {{.total = 2, .place.type = &other}, {.total = 2, .place.type = types}, OTHERS},
        {{.total = 2, .place.type = types}, {.total = 2, .place.type = types + 1}, ""},
        {{.total = 2, .place.type = types + 1}, {.total = 2, .place.type = types}, OTHERS},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(candidate_why(&rows[i].better, &rows[i].worse), rows[i].wanted);
}

/* --- a GPU that is closed -----------------------------------------------------------------------
 */

/* A drain is told before a proof, and a proof before a guest that has the card. */
UNIT_TEST(why_a_gpu_is_closed)
{
    static const struct {
        const char *drained, *proved, *taker;
        const char *guest; /* NULL: anybody */
        bool passes_drain;
        enum reason wanted;
    } rows[] = {
        {"b", "b", NULL, NULL, false, REASON_NONE}, {"a", "a", "g", NULL, false, REASON_DRAINED},
        {"a", "a", "g", NULL, true, REASON_PROVED}, {"a", "b", "g", NULL, true, REASON_WHOLE},
        {"a", "b", NULL, NULL, true, REASON_NONE},  {"b", "b", "g", "h", false, REASON_WHOLE},
        {"b", "b", "g", "g", false, REASON_NONE},   {"b", "a", "g", "g", false, REASON_PROVED},
    };
    const struct name gpu = {"a"};

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(ledger_clear) struct ledger ledger = {0};
        struct whole_card card = {.card = gpu};
        struct name guest = {0};

        assert_int_equal(names_add(&ledger.drained, rows[i].drained), 0);
        assert_int_equal(names_add(&ledger.proved, rows[i].proved), 0);
        strcpy(card.domain.text, rows[i].taker ? rows[i].taker : "");
        if (rows[i].taker)
            ARRAY_ADD(ledger.cards.items, ledger.cards.count, card);
        strcpy(guest.text, rows[i].guest ? rows[i].guest : "");
        assert_int_equal(
            constraints_closed(&ledger, &gpu, rows[i].guest ? &guest : NULL, rows[i].passes_drain),
            rows[i].wanted);
    }
}
