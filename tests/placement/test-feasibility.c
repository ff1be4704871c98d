/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Could a host ever meet a request, even if it is full now? And in which places? */

#include "placement/question.h"

#define AB "classes = { c = { types = [ \"Z-1\", \"X-1\" ]; }; };"

UNIT_PROGRAM(question_set_up, question_tear_down)

UNIT_TEST(what_could_be_once)
{
    static const struct question rows[] = {
        /* it could now, or on the host without any vGPUs, even without foreign ones */
        {THREE, "", "type=X-1", "YES a x-1"},
        {"gpu a" X "held 1 X-2 a other", "", "type=X-1", "YES a x-1"},
        {"gpu a" X "foreign 1 X-2 a", "", "type=X-1", "YES a x-1"},
        {"gpu a" X "foreign 1 X-2 a\nheld 2 X-2 a other", "", "type=X-1;type=X-1",
         "YES a x-1 a x-1"},
        {"gpu a" X "refused a X-1", "", "type=X-1", "YES a x-1"},
        {"gpu a" X "gpu b" X "held 1 X-4 a other\nheld 2 X-4 b other", "", "type=X-1;type=X-2",
         "YES a x-1 b x-2"},
        /* a function that nobody has is preferred */
        {V "held 1 X-2 v.0 other", "", "type=X-1 on=v.0 free=place", "YES v.1 x-1"},
        {V "foreign 1 X-2 v.0\nforeign 2 X-2 v.1", "", "type=X-1 on=v.0 free=place", "YES v.2 x-1"},
        {V "held 1 X-2 v.0 other", "", "type=X-1 on=v.0", "YES v.0 x-1"},
        /* a drain ends one day */
        {"gpu a" X "drained a", "", "type=X-1", "YES a x-1"},
        {"gpu a" X "held 1 X-4 a other\ndrained a", "", "type=X-1", "YES a x-1"},
        /* a function of a GPU that is not drained is preferred */
        {V W "drained v\nheld 1 X-2 w.0 other", "", "type=X-1 on=v.1 free=place", "YES w.1 x-1"},
    };

    question_check_ever(rows, COUNT(rows), false);
}

UNIT_TEST(what_can_never_be)
{
    static const struct question rows[] = {
        {"gpu a" X, "", "type=Z", "NO: |Z, which no GPU here has"},
        {"gpu a" X, "", "type=X-4;type=X-4", "NO: |"},
        {"gpu a" X, "gpus = ( { address = \"a\"; enabled = false; } );", "type=X-1",
         "NO: |a is disabled by "},
        {"gpu a" X, "gpus = ( { address = \"a\"; types = [ \"X-2\" ]; } );", "type=X-1", "NO: |"},
        {V, "", "type=X-1 on=x.1", "NO: |"},
        {V, "", "type=X-1 on=v.1;type=X-1 on=v.1", "NO: |"},
        /* the driver tells how much memory there is: that binds even if several sizes are taken */
        {"gpu a" X, "", "type=X-2;type=X-2;type=X-1", "NO: |not for all together"},
        {"gpu a" X "held 1 X-4 a other", "", "type=X-2;type=X-1;type=X-1;type=X-1", "NO: |"},
        {"gpu a vfs 4" X, "", "type=X-4;type=X-1", "NO: |"},
    };

    question_check_ever(rows, COUNT(rows), false);
}

UNIT_TEST(what_nobody_knows)
{
    static const struct question rows[] = {
        /* a driver that lists only what it would make now */
        {V "forgetful v\nforeign 1 X-2 v.0", "", "type=Z on=v.1",
         "UNKNOWN v.1 -: not every type that a GPU has is listed now|; now "},
        {V "forgetful v\nforeign 1 X-2 v.0", "", "type=Z on=v.1 free=place",
         "UNKNOWN v.1 -: not every type"},
        {V "forgetful v\nforeign 1 X-2 v.0", "", "type=Z on=v.1;type=X-2 on=v.2",
         "UNKNOWN v.1 - v.2 x-2: not every type"},
        {V "forgetful v\nforeign 1 X-2 v.0", AB, "class=c on=v.1", "UNKNOWN v.1 -: not every type"},
        /* can the program know that a card takes several sizes? */
        {"gpu a" X "held 1 X-4 a other", "", "type=X-1;type=X-2",
         "UNKNOWN a x-1 a x-2: whether a GPU takes several sizes its driver does not tell; now "
         "|no GPU can take gpu0"},
        {"gpu a" X, "", "type=X-2;type=X-1;type=X-1",
         "UNKNOWN a x-2 a x-1 a x-1: whether a GPU takes several sizes"},
        /* nor how much memory there is, if a larger type may be there that is not listed, or is
         * listed without its size */
        {V, "", "type=X-4 on=v.0;type=X-1 on=v.1", "UNKNOWN v.0 x-4 v.1 x-1: whether a GPU takes"},
        {"gpu a X-1:1024:4 X-2:2048:2 Y:0:0", "", "type=X-2;type=X-2;type=X-1",
         "UNKNOWN a x-2 a x-2 a x-1: whether a GPU takes several sizes"},
        /* an idle GPU that offers nothing is not full */
        {"gpu a X-1:1024:0 X-2:2048:0", "", "type=X-1",
         "UNKNOWN a x-1: why a GPU without vGPUs offers nothing its driver does not tell; now |a "
         "does not offer it now, though nothing is on it"},
        {"gpu a X-1:1024:0 X-2:2048:2", "", "type=X-1", "NO: |a does not offer it now, though "},
        /* two devices have no room on one function, and all rules still count */
        {V "forgetful v\nforeign 1 X-2 v.0", "", "type=Z on=v.1;type=Z on=v.1", "NO: |"},
        {V "forgetful v\nforeign 1 X-2 v.0\ndrained v", "", "type=Z on=v.1",
         "UNKNOWN v.1 -: not every type that a GPU has is listed now|; now "},
        {V "forgetful v", "", "type=Z on=v.1", "NO: |Z, which no GPU here has"},
        {V "forgetful v\nforeign 1 X-2 v.0", "", "type=Z", "NO: |"},
    };

    question_check_ever(rows, COUNT(rows), false);
}

/* A GPU of vgpu.conf has not appeared yet. */
UNIT_TEST(who_waits_for_a_gpu)
{
    static const struct question rows[] = {
        {"gpu a" X, "", "type=X-1", "YES a x-1"},
        {"gpu a" X, "", "type=Z", "UNKNOWN - -: a GPU of vgpu.conf is not there yet|; now "},
        {V "forgetful v\nforeign 1 X-2 v.0", "", "type=Z on=v.1", "UNKNOWN v.1 -: not every type"},
    };

    question_check_ever(rows, COUNT(rows), true);
}
