/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a vGPU goes if several places would do, and the configuration's rules for this. */

#include "placement/question.h"

UNIT_PROGRAM(question_set_up, question_tear_down)

/* --- pack and spread -------------------------------------------------------------------------- */

UNIT_TEST(pack_fills_and_keeps_empty_ones_empty)
{
    static const struct question rows[] = {
        /* one device */
        {THREE, "", "type=X-1", "a X-1"},
        {THREE "foreign 1 X-1 b", "", "type=X-1", "b X-1"},
        {THREE "foreign 1 X-1 b\nforeign 2 X-1 c\nforeign 3 X-1 c", "", "type=X-1", "c X-1"},
        {THREE "foreign 1 X-1 b\nforeign 2 X-2 c", "", "type=X-1", "b X-1"},
        {THREE "foreign 1 X-1 b\nforeign 2 X-2 c", "", "type=X-2", "c X-2"},
        {THREE "foreign 1 X-1 b\nforeign 2 X-2 c", "", "type=X-4", "a X-4"},
        /* a lease whose vGPU is not visible yet fills a GPU as a made vGPU does; a vGPU that
         * disappeared does not */
        {THREE "pending 1 X-1 c other", "", "type=X-1", "c X-1"},
        {THREE "held 1 X-1 c other hidden", "", "type=X-1", "a X-1"},
        /* several devices */
        {THREE, "", "type=X-1;type=X-1", "a X-1, a X-1"},
        {THREE, "", "type=X-1;type=X-1;type=X-1;type=X-1;type=X-1",
         "a X-1, a X-1, a X-1, a X-1, b X-1"},
        {THREE "foreign 1 X-1 c\nforeign 2 X-1 c", "", "type=X-1;type=X-1;type=X-1",
         "c X-1, c X-1, a X-1"},
        /* "full" is a share, not a number: 1 of 2 is fuller than 2 of 8 */
        {"gpu a Y:1024:8\ngpu b Y:1024:2\nforeign 1 Y a\nforeign 2 Y a\nforeign 3 Y b", "",
         "type=Y", "b Y"},
        /* the fullest whole GPU, and not the fullest function */
        {"gpu a vfs 2" X "gpu b vfs 4" X "foreign 1 X-1 a.0\nforeign 2 X-1 b.1\nforeign 3 X-1 b.2",
         "", "type=X-1", "a.1 X-1"},
        {"gpu a vfs 4" X "gpu b vfs 4" X "foreign 2 X-1 b.1\nforeign 3 X-1 b.2", "", "type=X-1",
         "b.0 X-1"},
    };

    question_check(rows, COUNT(rows));
}

UNIT_TEST(spread_takes_the_emptiest)
{
    static const char spread[] = "placement = \"spread\";";
    static const struct question rows[] = {
        {THREE, spread, "type=X-1", "a X-1"},
        {THREE "foreign 1 X-1 a", spread, "type=X-1", "b X-1"},
        {THREE "foreign 1 X-1 a\nforeign 2 X-1 b", spread, "type=X-1", "c X-1"},
        {THREE "foreign 1 X-1 a\nforeign 2 X-1 b\nforeign 3 X-2 c", spread, "type=X-1", "a X-1"},
        {THREE "pending 1 X-1 a other", spread, "type=X-1", "b X-1"},
        /* the devices of one domain go to different GPUs */
        {THREE, spread, "type=X-1;type=X-1", "a X-1, b X-1"},
        {THREE, spread, "type=X-1;type=X-1;type=X-1;type=X-1", "a X-1, b X-1, c X-1, a X-1"},
        {THREE "foreign 1 X-1 b\nforeign 2 X-1 b\nforeign 3 X-2 c", spread, "type=X-1;type=X-1",
         "a X-1, b X-1"},
        {THREE "held 1 X-1 a me\nforeign 2 X-1 b\nforeign 3 X-1 b\nforeign 4 X-2 c", spread,
         "type=X-1 uuid=1;type=X-1", "take a X-1, b X-1"},
        /* to one GPU if nothing else is possible */
        {"gpu a" X, spread, "type=X-1;type=X-1", "a X-1, a X-1"},
        {"gpu a" X "gpu b" X "foreign 1 X-2 a", spread, "type=X-1;type=X-1", "b X-1, b X-1"},
        /* a wish of one device does not apply to the other devices */
        {THREE "foreign 1 X-1 b", "", "type=X-1 placement=spread;type=X-1", "a X-1, a X-1"},
        {THREE "foreign 1 X-1 b", spread, "type=X-1 placement=pack", "b X-1"},
        {THREE "foreign 1 X-1 b",
         "placement = \"spread\"; classes = { c = { types = [ \"X-1\" ]; "
         "placement = \"pack\"; }; };",
         "class=c", "b X-1"},
        {THREE "foreign 1 X-1 b",
         "classes = { c = { types = [ \"X-1\" ]; placement = \"spread\"; }; };", "class=c",
         "a X-1"},
        {THREE "foreign 1 X-1 b",
         "classes = { c = { types = [ \"X-1\" ]; placement = \"spread\"; }; };",
         "class=c placement=pack", "b X-1"},
    };

    question_check(rows, COUNT(rows));
}

/* --- NUMA ------------------------------------------------------------------------------------- */

#define NODES "gpu a numa 0" X "gpu b numa 1" X "gpu c" X

UNIT_TEST(near_first_or_only)
{
    static const char ignore[] = "numa = \"ignore\";", require[] = "numa = \"require\";";
    static const struct question rows[] = {
        /* prefer: a near GPU comes before any packing, but a vGPU elsewhere is better than none */
        {NODES, "", "type=X-1 nodes=1", "b X-1"},
        {NODES "foreign 1 X-1 a", "", "type=X-1 nodes=1", "b X-1"},
        {NODES "foreign 1 X-4 b", "", "type=X-1 nodes=1", "a X-1"},
        {NODES "foreign 1 X-1 c\nforeign 2 X-4 b", "", "type=X-1 nodes=1", "c X-1"},
        {NODES "foreign 1 X-1 b", "", "type=X-1 nodes=0-1", "b X-1"},
        {NODES, "", "type=X-1 nodes=7", "a X-1"},
        {NODES, "", "type=X-4 nodes=1;type=X-4;type=X-4", "b X-4, a X-4, c X-4"},
        /* a guest that is bound to no node is near all GPUs */
        {NODES "foreign 1 X-1 c", "", "type=X-1", "c X-1"},
        /* the preferred type is more important than a near GPU */
        {"gpu a numa 0 X-2:2048:2\ngpu b numa 1 X-1:1024:4",
         "classes = { c = { types = [ \"X-2\", \"X-1\" ]; }; };", "class=c nodes=1", "a X-2"},
        /* ignore */
        {NODES, ignore, "type=X-1 nodes=1", "a X-1"},
        {NODES "foreign 1 X-1 c", ignore, "type=X-1 nodes=1", "c X-1"},
        {NODES, "", "type=X-1 nodes=1 numa=ignore", "a X-1"},
        {NODES, ignore, "type=X-1 nodes=1 numa=prefer", "b X-1"},
        /* require */
        {NODES, require, "type=X-1 nodes=1", "b X-1"},
        {NODES, require, "type=X-1 nodes=1;type=X-1;type=X-1;type=X-1",
         "b X-1, b X-1, b X-1, b X-1"},
        {NODES, require, "type=X-4 nodes=1;type=X-4", "NO_ROOM |not for all together"},
        {NODES "foreign 1 X-4 b", require, "type=X-1 nodes=1",
         "NO_ROOM no GPU can take gpu0 (X-1): a is not on the guest's NUMA nodes|b holds x-4 (1 in "
         "use)|c is not on the guest's NUMA nodes"},
        {NODES, require, "type=X-1 nodes=7", "NEVER |a is not on|b is not on|c is not on"},
        {NODES, require, "type=X-1", "NEVER |a is on a NUMA node, and the guest is bound to none"},
        {NODES, require, "type=X-1 numa=ignore", "a X-1"},
        {NODES, "", "type=X-1 numa=require nodes=0;type=X-1 numa=prefer", "a X-1, a X-1"},
    };

    question_check(rows, COUNT(rows));
}

/* --- traits ----------------------------------------------------------------------------------- */

#define CARDS                                                                                      \
    "gpu a vendor 10de device 1eb8 driver nvidia" X "gpu b vendor 8086 device 3e9b driver i915" X  \
    "gpu c" X
#define COLOURS                                                                                    \
    "gpus = ( { address = \"a\"; traits = [ \"blue\", \"old\" ]; },"                               \
    "         { address = \"b\"; traits = [ \"red\" ]; } );"

UNIT_TEST(traits_are_asked_for_or_forbidden)
{
    static const struct question rows[] = {
        /* tags of the administrator */
        {CARDS, COLOURS, "type=X-1 traits=red", "b X-1"},
        {CARDS, COLOURS, "type=X-1 traits=blue,old", "a X-1"},
        {CARDS, COLOURS, "type=X-1 traits=,,blue,,old,", "a X-1"},
        {CARDS, COLOURS, "type=X-1 traits=!blue", "b X-1"},
        {CARDS, COLOURS, "type=X-1 traits=!blue,!red", "c X-1"},
        {CARDS, COLOURS, "type=X-1 traits=red,!blue", "b X-1"},
        {CARDS, COLOURS, "type=X-1 traits=blue,red",
         "NEVER |a lacks a trait asked for|b lacks a trait asked for|c lacks"},
        {CARDS, COLOURS, "type=X-1 traits=blue,!old",
         "NEVER |a has a trait that is forbidden|b lacks|c lacks"},
        /* whole words, exactly as they are written */
        {CARDS, COLOURS, "type=X-1 traits=blu", "NEVER |a lacks|b lacks|c lacks"},
        {CARDS, COLOURS, "type=X-1 traits=bluer", "NEVER |a lacks|b lacks|c lacks"},
        {CARDS, COLOURS, "type=X-1 traits=Blue", "NEVER |a lacks|b lacks|c lacks"},
        {CARDS, "", "type=X-1 traits=blue", "NEVER |a lacks|b lacks|c lacks"},
        /* the tags that every GPU has without a configuration */
        {CARDS, "", "type=X-1 traits=vendor=8086", "b X-1"},
        {CARDS, "", "type=X-1 traits=device=3e9b", "b X-1"},
        {CARDS, "", "type=X-1 traits=driver=i915", "b X-1"},
        {CARDS, "", "type=X-1 traits=interface=mdev", "a X-1"},
        {CARDS, "", "type=X-1 traits=!vendor=10de", "b X-1"},
        {CARDS, "", "type=X-1 traits=!vendor=10de,!driver=i915", "c X-1"},
        {CARDS, "", "type=X-1 traits=vendor=8086,device=1eb8", "NEVER |a lacks|b lacks|c lacks"},
        {CARDS, "", "type=X-1 traits=!interface=mdev",
         "NEVER |a has a trait|b has a trait|c has a trait"},
        {CARDS, "", "type=X-1 traits=vendor=", "NEVER |a lacks|b lacks|c lacks"},
        {CARDS, "", "type=X-1 traits=vendor", "NEVER |a lacks|b lacks|c lacks"},
        {CARDS, "", "type=X-1 traits=interface=vf", "NEVER |a lacks|b lacks|c lacks"},
        /* tags of a class, and of class and device together */
        {CARDS, COLOURS "classes = { c = { types = [ \"X-1\" ]; traits = [ \"red\" ]; }; };",
         "class=c", "b X-1"},
        {CARDS, COLOURS "classes = { c = { types = [ \"X-1\" ]; traits = [ \"!blue\" ]; }; };",
         "class=c traits=!red", "c X-1"},
        {CARDS, COLOURS "classes = { c = { types = [ \"X-1\" ]; traits = [ \"blue\" ]; }; };",
         "class=c traits=red", "NEVER |a lacks|b lacks|c lacks"},
        {CARDS,
         COLOURS
         "classes = { c = { framebuffer = \"1G\"; traits = [ \"vendor=8086\", \"red\" ]; }; };",
         "class=c", "b X-1"},
        /* a device with a direct type does not inherit the tags of a class */
        {CARDS, COLOURS "classes = { c = { types = [ \"X-1\" ]; traits = [ \"red\" ]; }; };",
         "type=X-1", "a X-1"},
        /* each device has its own tags */
        {CARDS, COLOURS, "type=X-1 traits=red;type=X-1 traits=blue;type=X-1",
         "b X-1, a X-1, a X-1"},
    };

    question_check(rows, COUNT(rows));
}

/* --- classes ---------------------------------------------------------------------------------- */

UNIT_TEST(classes_by_types_and_by_frame_buffer)
{
#define TWO   "classes = { c = { types = [ \"X-2\", \"x-1\", \"GRID X-4\" ]; }; };"
#define SIZED "classes = { c = { framebuffer = \"2G\"; }; };"
    static const struct question rows[] = {
        /* in the given order, whichever word names a type */
        {"gpu a" X, TWO, "class=c", "a X-2"},
        {"gpu a" X "foreign 1 X-1 a", TWO, "class=c", "a X-1"},
        {"gpu a" X "gpu b X-4:4096:1\nforeign 1 X-4 a", TWO, "class=c", "b X-4"},
        {"gpu a X-4:4096:1\ngpu b X-1:1024:1\ngpu c X-2:2048:1", TWO, "class=c", "c X-2"},
        {"gpu a X-4:4096:1\ngpu b X-1:1024:1\ngpu c X-2:2048:1", TWO, "class=c;class=c;class=c",
         "c X-2, b X-1, a X-4"},
        {"gpu a Y:1024:1", TWO, "class=c", "NEVER gpu0 wants c, which no GPU here has|y (GRID Y)"},
        /* the smallest type that is large enough, then the next larger one */
        {"gpu a" X, SIZED, "class=c", "a X-2"},
        {"gpu a" X, SIZED, "class=c;class=c", "a X-2, a X-2"},
        {"gpu a" X "gpu b" X, SIZED, "class=c;class=c;class=c", "a X-2, a X-2, b X-2"},
        {"gpu a" X "gpu b" X "foreign 1 X-1 b", SIZED, "class=c;class=c;class=c",
         "NO_ROOM |not for all together"},
        {"gpu a X-4:4096:2\ngpu b X-2:2048:1", SIZED, "class=c", "b X-2"},
        {"gpu a X-4:4096:2\ngpu b X-2:2048:1", SIZED, "class=c;class=c", "b X-2, a X-4"},
        {"gpu a X-8:8192:1\ngpu b X-4:4096:1\nforeign 1 X-4 b", SIZED, "class=c", "a X-8"},
        {"gpu a X-1:1024:4\ngpu b Y:2047:1", SIZED, "class=c", "NEVER gpu0 wants c, which no GPU"},
        {"gpu a X-1:1024:4\ngpu b Y:2049:1", SIZED, "class=c", "b Y"},
        /* a driver that tells no size */
        {"gpu m rule pool 4 M-1/1\ngpu a X-2:2048:1", SIZED, "class=c", "a X-2"},
        {"gpu m rule pool 4 M-1/1", SIZED, "class=c", "NEVER"},
    };

    question_check(rows, COUNT(rows));
}

/* --- the administrator's settings of GPUs ----------------------------------------------------- */

UNIT_TEST(gpus_of_the_policy)
{
    static const struct question rows[] = {
        /* reserve: places that are not given out, counted in the requested type */
        {"gpu a" X, "gpus = ( { address = \"a\"; reserve = 1; } );", "type=X-1;type=X-1;type=X-1",
         "a X-1, a X-1, a X-1"},
        {"gpu a" X, "gpus = ( { address = \"a\"; reserve = 1; } );",
         "type=X-1;type=X-1;type=X-1;type=X-1", "NO_ROOM |not for all together"},
        {"gpu a" X "foreign 1 X-1 a\nforeign 2 X-1 a\nforeign 3 X-1 a",
         "gpus = ( { address = \"a\"; reserve = 1; } );", "type=X-1",
         "NO_ROOM |a has only reserved places left"},
        {"gpu a" X, "gpus = ( { address = \"a\"; reserve = 1; } );", "type=X-4",
         "NO_ROOM |a has only reserved places left"},
        {"gpu a" X, "gpus = ( { address = \"a\"; reserve = 0; } );", "type=X-4", "a X-4"},
        {"gpu a" X "gpu b" X, "gpus = ( { address = \"a\"; reserve = 9; } );", "type=X-1", "b X-1"},
        {"gpu a vfs 4 X-1:1024:3\n", "gpus = ( { address = \"a\"; reserve = 1; } );",
         "type=X-1;type=X-1", "a.0 X-1, a.1 X-1"},
        {"gpu a vfs 4 X-1:1024:3\n", "gpus = ( { address = \"a\"; reserve = 1; } );",
         "type=X-1;type=X-1;type=X-1", "NO_ROOM |not for all together"},
        {"gpu a" X "pending 1 X-1 a other\npending 2 X-1 a other",
         "gpus = ( { address = \"a\"; reserve = 2; } );", "type=X-1",
         "NO_ROOM |a has only reserved places left"},
        /* enabled */
        {"gpu a" X "gpu b" X, "gpus = ( { address = \"a\"; enabled = false; } );", "type=X-1",
         "b X-1"},
        {"gpu a" X, "gpus = ( { address = \"a\"; enabled = false; } );", "type=X-1",
         "NEVER |a is disabled by "},
        {"gpu a vfs 2" X, "gpus = ( { address = \"a\"; enabled = false; } );",
         "type=X-1 parent=a.1", "NEVER |a is disabled by "},
        /* a name means the GPU, not a function of it */
        {"gpu a vfs 2" X, "gpus = ( { address = \"a.0\"; enabled = false; } );", "type=X-1",
         "a.0 X-1"},
        /* drained: this passes, so what lasts is told first */
        {"gpu a" X "gpu b" X "drained a", "", "type=X-1", "b X-1"},
        {"gpu a" X "gpu b" X "drained a\ndrained b", "", "type=X-1",
         "NO_ROOM |a is drained (see vgpuctl undrain)|b is drained"},
        {"gpu a vfs 2" X "drained a", "", "type=X-1 parent=a.1", "NO_ROOM |a is drained"},
        {"gpu a" X "held 1 X-1 a other\ngpu b" X "drained a", "", "type=X-1;type=X-1",
         "b X-1, b X-1"},
        {"gpu a" X "drained a", "gpus = ( { address = \"a\"; types = [ \"X-2\" ]; } );", "type=X-1",
         "NEVER |a may not have that type"},
        /* a drained GPU that is missing, perhaps for months */
        {"gpu a" X "drained c", "", "type=X-1", "a X-1"},
        /* a kept vGPU on a drained GPU makes no room */
        {"gpu a X-1:1024:1\ndrained a\nkept 1 X-1 a other", "", "type=X-1",
         "NO_ROOM |a is drained"},
        /* types */
        {"gpu a" X "gpu b" X, "gpus = ( { address = \"a\"; types = [ \"X-2\" ]; } );", "type=X-1",
         "b X-1"},
        {"gpu a" X "gpu b" X, "gpus = ( { address = \"a\"; types = [ \"x-2\", \"GRID X-1\" ]; } );",
         "type=X-1", "a X-1"},
        {"gpu a" X, "gpus = ( { address = \"a\"; types = [ \"X-2\" ]; } );", "type=X-1",
         "NEVER |a may not have that type (see its types in vgpu.conf)"},
        {"gpu a" X,
         "gpus = ( { address = \"a\"; types = [ \"X-1\" ]; } ); classes = { c = "
         "{ types = [ \"X-2\", "
         "\"X-1\" ]; }; };",
         "class=c", "a X-1"},
        {"gpu a" X,
         "gpus = ( { address = \"a\"; types = [ \"X-4\" ]; } ); classes = { c = { framebuffer = "
         "\"1G\"; }; };",
         "class=c", "a X-4"},
    };

    question_check(rows, COUNT(rows));
}

UNIT_TEST(parents_that_are_asked_for)
{
    static const struct question rows[] = {
        {THREE, "", "type=X-1 parent=b", "b X-1"},
        {THREE "foreign 1 X-2 b", "", "type=X-1 parent=b",
         "NO_ROOM |a is not the parent asked for|b holds x-2 (1 in use)|c is not the parent"},
        {THREE, "", "type=X-1 parent=d",
         "NEVER gpu0 (X-1) asks for the parent d, which is no GPU or virtual function here that "
         "offers vGPUs; there are the GPUs a, b, c"},
        {THREE, "", "type=X-4;type=X-4 parent=a;type=X-4 parent=b", "c X-4, a X-4, b X-4"},
        /* a GPU's name means any of its functions; a function's name means only itself */
        {"gpu a vfs 2" X "gpu b vfs 2" X, "", "type=X-1 parent=b", "b.0 X-1"},
        {"gpu a vfs 2" X "gpu b vfs 2" X, "", "type=X-1 parent=b.1", "b.1 X-1"},
        {"gpu a vfs 2" X "gpu b vfs 2" X "foreign 1 X-1 b.1", "", "type=X-1 parent=b.1",
         "NO_ROOM |a is not the parent|b is full"},
        {"gpu a vfs 2" X "gpu b vfs 2" X "foreign 1 X-1 b.1", "", "type=X-1 parent=b", "b.0 X-1"},
        {"gpu a vfs 2" X, "", "type=X-1 parent=a.0;type=X-1", "a.0 X-1, a.1 X-1"},
        {"gpu a vfs 2" X, "", "type=X-1 parent=a.1;type=X-1 parent=a.1",
         "NO_ROOM |not for all together"},
        {"gpu a vfs 2" X, "placement = \"spread\";", "type=X-1 parent=a;type=X-1 parent=a",
         "a.0 X-1, a.1 X-1"},
    };

    question_check(rows, COUNT(rows));
}

/* A function that one device names is not given to another device that would take any. */
UNIT_TEST(a_named_function_is_left_to_who_names_it)
{
    static const struct question rows[] = {
        {"gpu a vfs 2" X, "", "type=X-1;type=X-1 parent=a.0", "a.1 X-1, a.0 X-1"},
        {"gpu a vfs 2" X, "", "type=X-1 parent=a;type=X-1 parent=a.0", "a.1 X-1, a.0 X-1"},
        {"gpu a vfs 3" X, "", "type=X-1;type=X-1 parent=a.1;type=X-1 parent=a.0",
         "a.2 X-1, a.1 X-1, a.0 X-1"},
        {"gpu a vfs 2" X, "placement = \"spread\";", "type=X-1;type=X-1 parent=a.0",
         "a.1 X-1, a.0 X-1"},
    };

    question_check(rows, COUNT(rows));
}

/* --- quotas ----------------------------------------------------------------------------------- */

UNIT_TEST(quotas_bind_whom_they_name)
{
    static const struct question rows[] = {
        /* vGPUs that count */
        {THREE "held 1 X-1 a ci-1", QUOTA("\"ci-*\"", 2), "name=ci-9 type=X-1", "a X-1"},
        {THREE "held 1 X-1 a ci-1\nheld 2 X-1 b ci-2", QUOTA("\"ci-*\"", 2), "name=ci-9 type=X-1",
         "NO_ROOM |a has it, but the quota of 2 for class c is used up (2; |vgpu.conf:1)|b has it"},
        {THREE "held 1 X-1 a ci-1\nheld 2 X-2 b ci-1", QUOTA("\"ci-*\"", 2), "name=ci-9 class=c",
         "NO_ROOM |quota of 2 for class c"},
        {THREE "pending 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1",
         "NO_ROOM |quota"},
        {THREE "reserved 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1",
         "NO_ROOM |quota"},
        {THREE "found 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "NO_ROOM |quota"},
        {THREE "held 1 X-1 a ci-1 hidden", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1",
         "NO_ROOM |quota"},
        /* vGPUs that do not count */
        {THREE "kept 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "a X-1"},
        {THREE "leaving 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "a X-1"},
        {THREE "removing 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "a X-1"},
        {THREE "foreign 1 X-1 a", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "a X-1"},
        {THREE "held 1 X-1 a web1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "a X-1"},
        {THREE "held 1 X-4 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "b X-1"},
        {THREE "held 1 X-1 a ci-9", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1", "a X-1"},
        /* guests to which the quota applies */
        {THREE "held 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=web9 type=X-1", "a X-1"},
        {THREE "held 1 X-1 a ci-1", QUOTA("\"web*\", \"ci-*\"", 1), "name=web9 type=X-1",
         "NO_ROOM |quota"},
        {THREE "held 1 X-1 a ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-4", "b X-4"},
        {THREE, QUOTA("\"*\"", 0), "type=X-1", "NO_ROOM |the quota of 0 for class c"},
        {THREE, QUOTA("\"aaaaaaaa-0000-4000-8000-000005863607\"", 0), "type=X-1",
         "NO_ROOM |the quota of 0 for class c"},
        {THREE, QUOTA("\"aaaaaaaa-0000-4000-8000-000005863608\"", 0), "type=X-1", "a X-1"},
        /* whichever words of the request ask for it */
        {THREE, QUOTA("\"*\"", 0), "type=x-1", "NO_ROOM |quota"},
        {THREE, QUOTA("\"*\"", 0), "class=c", "NO_ROOM |quota"},
        {THREE, QUOTA("\"*\"", 0), "class=big", "a X-4"},
        /* several devices in one request */
        {THREE, QUOTA("\"*\"", 2), "type=X-1;type=X-1", "a X-1, a X-1"},
        {THREE, QUOTA("\"*\"", 1), "type=X-1;class=c", "NO_ROOM |not for all together"},
        {THREE, QUOTA("\"*\"", 1), "type=X-1;class=big", "a X-1, b X-4"},
        {THREE, QUOTA("\"*\"", 1), "class=big;class=big;class=big", "a X-2, b X-4, c X-4"},
        {THREE "held 1 X-1 a ci-1", QUOTA("\"*\"", 2), "type=X-1;type=X-1",
         "NO_ROOM |not for all together"},
        {THREE "held 1 X-1 a me", QUOTA("\"*\"", 1), "type=X-1 uuid=1", "take a X-1"},
        {THREE "held 1 X-1 a me", QUOTA("\"*\"", 1), "type=X-1 uuid=1;type=X-1", "NO_ROOM |quota"},
        {THREE "foreign 1 X-1 a", QUOTA("\"*\"", 1), "type=X-1 uuid=1;type=X-1", "NO_ROOM |quota"},
        {THREE "foreign 1 X-1 a", QUOTA("\"*\"", 0), "type=X-1 uuid=1",
         "TAKEN |on a, which is over the quota"},
    };

    question_check(rows, COUNT(rows));
}

UNIT_TEST(the_tightest_quota_binds)
{
#define TWO_QUOTAS                                                                                 \
    "classes = { c = { types = [ \"X-1\" ]; }; all = { framebuffer = \"1G\"; }; };"                \
    "quotas = ( { domains = [ \"*\" ]; class = \"all\"; max = 3; },"                               \
    "           { domains = [ \"ci-*\" ]; class = \"c\"; max = 1; } );"
    static const struct question rows[] = {
        {THREE "held 1 X-1 a ci-1", TWO_QUOTAS, "name=ci-2 type=X-1",
         "NO_ROOM |quota of 1 for class c"},
        {THREE "held 1 X-1 a ci-1", TWO_QUOTAS, "name=ci-2 type=X-2", "b X-2"},
        {THREE "held 1 X-1 a ci-1", TWO_QUOTAS, "name=web type=X-1;type=X-1", "a X-1, a X-1"},
        {THREE "held 1 X-1 a ci-1", TWO_QUOTAS, "name=web type=X-1;type=X-1;type=X-2",
         "NO_ROOM |not for all together"},
        {THREE "held 1 X-1 a ci-1\nheld 2 X-2 b x\nheld 3 X-4 c x", TWO_QUOTAS,
         "name=web class=all", "NO_ROOM |quota of 3 for class all is used up (3;"},
        /* a class uses the types that its quotas still allow */
        {THREE "held 1 X-1 a ci-1", TWO_QUOTAS, "name=ci-2 class=all", "b X-2"},
    };

    question_check(rows, COUNT(rows));
}
