/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which unneeded vGPU is given up for a device without room. */

#include "placement/question.h"

UNIT_PROGRAM(question_set_up, question_tear_down)

/* --- the vGPU that would be given up ---------------------------------------------------------- */

UNIT_TEST(an_idle_gpu_changes_its_type)
{
    static const struct question_victim rows[] = {
        {"gpu a" X "kept 1 X-1 a other", "", "type=X-2", 1},
        {"gpu a" X "leaving 1 X-1 a other", "", "type=X-2", 1},
        {"gpu a" X "kept 1 X-4 a other", "", "type=X-4", 1},
        {"gpu a vfs 1" X "kept 1 X-1 a.0 other", "", "type=X-1", 1},
        /* the GPU that loses the fewest vGPUs, and on this GPU the oldest vGPU */
        {"gpu a" X "gpu b" X
         "kept 1 X-1 a other at 5\nkept 2 X-1 a other at 3\nkept 3 X-1 b other at 9",
         "", "type=X-2", 3},
        {"gpu a" X "kept 1 X-1 a other at 5\nkept 2 X-1 a other at 3\nkept 3 X-1 a other at 9", "",
         "type=X-2", 2},
        {"gpu a" X "gpu b" X "kept 1 X-1 a other at 5\nkept 2 X-1 b other at 3", "", "type=X-2", 1},
        /* it is given up for the device that has no room */
        {"gpu a" X "gpu b" X "kept 1 X-1 a other\nforeign 2 X-1 b", "", "type=X-1;type=X-4", 1},
        /* a demanded UUID of the wrong type is given up first */
        {"gpu a" X "gpu b" X "kept 1 X-1 a other at 1\nkept 2 X-1 b other at 9", "",
         "type=X-2 uuid=2", 2},
    };

    question_check_victims(rows, COUNT(rows));
}

UNIT_TEST(nothing_is_reaped_in_vain)
{
    static const struct question_victim rows[] = {
        /* the vGPU is not ours, or is in use */
        {"gpu a" X "foreign 1 X-1 a", "", "type=X-2", 0},
        {"gpu a" X "held 1 X-1 a other", "", "type=X-2", 0},
        {"gpu a" X "found 1 X-1 a other", "", "type=X-2", 0},
        {"gpu a" X "kept 1 X-1 a other busy", "", "type=X-2", 0},
        /* a vGPU that stays has the place */
        {"gpu a" X "kept 1 X-1 a other\nforeign 2 X-1 a", "", "type=X-2", 0},
        {"gpu a" X "kept 1 X-1 a other\nheld 2 X-1 a other", "", "type=X-2", 0},
        {"gpu a X-1:1024:2\nkept 1 X-1 a other busy\nheld 2 X-1 a other", "", "type=X-1", 0},
        {"gpu a" X "gpu b" X
         "kept 1 X-1 a other\nheld 2 X-1 a other\nkept 3 X-1 b other\nkept 4 X-1 b "
         "other",
         "", "type=X-2", 3},
        /* other rules would still be broken */
        {"gpu a" X "kept 1 X-1 a other", "gpus = ( { address = \"a\"; enabled = false; } );",
         "type=X-2", 0},
        {"gpu a" X "kept 1 X-1 a other", "gpus = ( { address = \"a\"; types = [ \"X-1\" ]; } );",
         "type=X-2", 0},
        {"gpu a" X "kept 1 X-1 a other", "", "type=X-2 traits=blue", 0},
        {"gpu a numa 0" X "kept 1 X-1 a other", "", "type=X-2 numa=require nodes=1", 0},
        {"gpu a" X "gpu b" X "kept 1 X-1 a other\nforeign 2 X-1 b", "", "type=X-2 parent=b", 0},
        {"gpu a" X "kept 1 X-1 a other",
         "classes = { c = { types = [ \"X-2\" ]; }; };"
         "quotas = ( { domains = [ \"*\" ]; class = \"c\"; max = 0; } );",
         "type=X-2", 0},
        {"gpu a Y:1024:1\nkept 1 Y a other", "", "type=X-1", 0},
        /* the UUID belongs to a guest, or cannot become free; or the type had no room anyway */
        {"gpu a" X "gpu b" X "kept 1 X-1 a other\nheld 2 X-1 a other\nforeign 3 X-1 b", "",
         "type=X-2 uuid=1", 0},
        {"gpu a" X "held 1 X-1 a other", "", "type=X-1 uuid=1", 0},
        {"gpu a" X "gpu b" X "kept 1 X-1 a other\nforeign 2 X-1 b", "", "type=X-2 uuid=2", 0},
    };

    question_check_victims(rows, COUNT(rows));
}

/* With two devices a search says whether the removal would help. If that search takes too long,
 * nothing is removed. */
UNIT_TEST(too_much_effort_removes_nothing)
{
    static const struct question_victim rows[] = {
        {"gpu a" X "kept 1 X-4 a other", "", "type=X-2;type=X-2", 1},
        {"gpu a" X "kept 1 X-4 a other", "", "type=X-2;type=X-2 effort=spent", 0},
        {"gpu a" X "gpu b" X "kept 1 X-1 a other", "", "type=X-2 uuid=1;type=X-2", 1},
        {"gpu a" X "gpu b" X "kept 1 X-1 a other", "", "type=X-2 uuid=1;type=X-2 effort=spent", 0},
    };

    question_check_victims(rows, COUNT(rows));
}

UNIT_TEST(reserved_places_stay_reserved)
{
    static const struct question_victim rows[] = {
        {"gpu a X-1:1024:2\nkept 1 X-1 a other\nheld 2 X-1 a other",
         "gpus = ( { address = \"a\"; reserve = 1; } );", "type=X-1", 0},
        {"gpu a X-1:1024:2\nkept 1 X-1 a other", "gpus = ( { address = \"a\"; reserve = 1; } );",
         "type=X-1", 1},
        {"gpu a vfs 1 X-1:1024:4\nkept 1 X-1 a.0 other",
         "gpus = ( { address = \"a\"; reserve = 1; } );", "type=X-1", 0},
    };

    question_check_victims(rows, COUNT(rows));
}

UNIT_TEST(a_claim_in_flight_blocks_as_what_is_made)
{
    static const struct question_victim rows[] = {
        {"gpu a" X "kept 1 X-1 a other\npending 2 X-1 a third", "", "type=X-2", 0},
        {"gpu a X-1:1024:2\nkept 1 X-1 a other\npending 2 X-1 a third\npending 3 X-1 a third", "",
         "type=X-1", 0},
    };

    question_check_victims(rows, COUNT(rows));
}

/* The kernel has refused a place, or does not tell its room. No removal changes that in this
 * call. */
UNIT_TEST(a_refusal_is_no_reason_to_reap)
{
    static const struct question_victim rows[] = {
        {"gpu a X-1:1024:4\nkept 1 X-1 a other\nrefused a X-1", "", "type=X-1", 0},
        {"gpu a vfs 2 X-1:1024:4\nkept 1 X-1 a.0 other\nrefused a.1 X-1\nrefused a.0 X-1", "",
         "type=X-1", 0},
        {"gpu a X-1:1024:4\nkept 1 X-1 a other\nunreadable a X-1", "", "type=X-1", 0},
        {"gpu a" X "kept 1 X-1 a other\nrefused a X-2", "", "type=X-2", 0},
        {"gpu a vfs 2 X-1:1024:4\nheld 1 X-1 a.0 other\nkept 2 X-1 a.1 other\nrefused a.1 X-1", "",
         "type=X-1", 0},
        /* but another function may take the vGPU once it is free */
        {"gpu a vfs 2 X-1:1024:4\nkept 1 X-1 a.0 other\nrefused a.1 X-1", "", "type=X-1", 1},
    };

    question_check_victims(rows, COUNT(rows));
}

/* Other guests' vGPUs are not given up for a device that has room, or for one that will never have
 * room. */
UNIT_TEST(only_what_stands_in_the_way_is_reaped)
{
    static const struct question_victim rows[] = {
        {"gpu a" X "gpu b Y:1024:1\nkept 1 X-1 a other\nforeign 2 Y b", "", "type=X-1;type=Y", 0},
        {"gpu a" X "gpu b Y:1024:1\nkept 1 X-1 a other\nkept 2 Y b other", "", "type=X-1;type=Y",
         2},
        {"gpu a" X "gpu b Y:1024:1\nkept 1 X-1 a other\nforeign 2 Y b", "", "type=X-2;type=Y", 0},
        /* a kept vGPU stays if one of the devices will have it */
        {"gpu a" X "gpu b Y:1024:1\nkept 1 X-1 a other\nkept 2 Y b other", "",
         "type=X-1 uuid=1;type=Y", 2},
        {"gpu a" X "gpu b Y:1024:1\nkept 1 X-1 a other\nforeign 2 Y b", "",
         "type=X-1 uuid=1;type=Y", 0},
        /* a function that the request names */
        {"gpu a vfs 2 X-1:1024:2\nheld 1 X-1 a.0 other\nkept 2 X-1 a.1 other", "",
         "type=X-1 parent=a.0", 0},
        {"gpu a vfs 3 X-1:1024:9\nkept 1 X-1 a.0 other at 9\nkept 2 X-1 a.1 other at 1", "",
         "type=X-1 parent=a.0", 1},
    };

    question_check_victims(rows, COUNT(rows));
}

/* A vGPU whose guest would have room elsewhere is given up first, as when placing. */
UNIT_TEST(help_for_all_together)
{
    static const struct question_victim rows[] = {
        {"gpu a vfs 1 X-1:1024:4\ngpu b vfs 1 X-1:1024:4\nkept 1 X-1 b.0 other", "",
         "type=X-1 parent=a;type=X-1", 1},
        {"gpu a vfs 1 X-1:1024:4\ngpu b vfs 1 X-1:1024:4\nkept 1 X-1 b.0 other", "",
         "type=X-1;type=X-1 parent=a", 1},
        {"gpu a" X "gpu b" X "kept 1 X-1 b other", "", "type=X-2;type=X-4 parent=a", 1},
    };

    question_check_victims(rows, COUNT(rows));
}

UNIT_TEST(what_stands_in_the_way_of_a_named_function)
{
#define ONES_AND_TWOS "gpu v vf vfs 4 X-1:1024:1@1 X-2:2048:1@2 Y-1:1024:1@1\n"
    static const struct question_victim rows[] = {
        /* a vGPU of another size anywhere on the card, or a vGPU of another type on the named
         * function */
        {V "kept 1 X-2 v.0 other", "", "type=X-1 on=v.1", 1},
        {V "kept 1 X-2 v.1 other", "", "type=X-1 on=v.1", 1},
        {V "leaving 1 X-2 v.1 other", "", "type=X-1 on=v.1", 1},
        {V "leaving 1 X-1 v.1 other", "", "type=X-1 on=v.1", 1},
        {V "kept 1 X-2 v.0 other at 1\nkept 2 X-2 v.1 other at 9", "", "type=X-1 on=v.1", 2},
        {V "kept 1 X-2 v.0 other at 9\nkept 2 X-2 v.3 other at 1", "", "type=X-1 on=v.1", 2},
        {"gpu v vf vfs 6 X-1:1024:2\nkept 1 X-1 v.0 other at 5\nkept 2 X-1 v.1 other at 3", "",
         "type=X-1 on=v.5", 2},
        {V "kept 1 X-2 v.0 other\n" W, "", "type=X-1 on=w.0;type=X-1 on=v.1", 1},
        /* vGPUs that cannot be removed, and vGPUs on other GPUs */
        {V "kept 1 X-2 v.0 other\nheld 2 X-2 v.2 other", "", "type=X-1 on=v.1", 0},
        {V "kept 1 X-2 v.1 other\nheld 2 X-2 v.2 other", "", "type=X-1 on=v.1", 0},
        {V "kept 1 X-2 v.1 other", "", "type=Z on=v.1", 0},
        {V "kept 1 X-2 v.0 other busy", "", "type=X-1 on=v.1", 0},
        {V "kept 1 X-2 v.1 other busy", "", "type=X-1 on=v.1", 0},
        {V W "kept 1 X-1 w.0 other\nforeign 2 X-2 v.0", "", "type=X-1 on=v.1", 0},
        {V W "kept 1 X-1 w.0 other\nheld 2 X-1 v.1 other", "", "type=X-1 on=v.1", 0},
        {V "held 1 X-1 v.1 other hidden\nkept 2 X-1 v.0 other", "", "type=X-1 on=v.1", 0},
        {V "kept 1 X-2 v.0 other\nrefused v.1 X-1", "", "type=X-1 on=v.1", 0},
        {V "kept 1 X-2 v.0 other\ndrained v", "", "type=X-1 on=v.1", 0},
        {V "kept 1 X-2 v.0 other", "", "type=X-1 on=x.1", 0},
        {V "kept 1 X-2 v.0 other", "", "type=X-1 on=v.1;type=X-2 on=v.2", 0},
        /* nobody knows whether a removal would help: the type is neither listed nor remembered */
        {V "forgetful v\nkept 1 X-2 v.0 other", "", "type=X-1 on=v.1", 0},
        /* a free GPU instance does not help a type of another shape */
        {ONES_AND_TWOS "kept 1 X-2 v.0 other\nheld 2 X-1 v.2 other", "", "type=X-1 on=v.1", 0},
        {ONES_AND_TWOS "kept 1 X-2 v.0 other at 1\nkept 2 X-1 v.2 other at 9", "",
         "type=X-1 on=v.1", 2},
        {ONES_AND_TWOS "kept 1 X-2 v.0 other\nheld 2 Y-1 v.2 other", "", "type=X-1 on=v.0", 1},
        {ONES_AND_TWOS "kept 1 X-2 v.1 other\nheld 2 X-1 v.2 other", "", "type=X-1 on=v.1", 0},
        {"gpu v vf vfs 1 X-1:1024:1@1 X-2:2048:1@2\nkept 1 X-2 v.0 other", "", "type=X-1 on=v.0",
         1},
        /* an arriving guest can go anywhere */
        {"gpu v vf vfs 2 X-1:1024:4\nheld 1 X-1 v.0 other\nkept 2 X-1 v.1 other", "",
         "type=X-1 on=v.0 free=place", 2},
        {"gpu v vf vfs 2 X-1:1024:4\nheld 1 X-1 v.0 other hidden\nkept 2 X-1 v.1 other busy", "",
         "type=X-1 on=v.0 free=place", 0},
        {"gpu v vf vfs 2" X "held 1 X-1 v.0 other hidden\nkept 2 X-2 v.1 other", "",
         "type=X-1 on=v.1 free=place parent=v.0", 0},
    };

    question_check_victims(rows, COUNT(rows));
}
