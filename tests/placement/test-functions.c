/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Virtual functions that are vGPUs themselves. The domain names the function that it wants. */

#include "placement/question.h"

/* --- virtual functions that are vGPUs themselves ---------------------------------------------- */

#define TWELVE "gpu v vf vfs 12 X-1:1024:12\n"
#define NINE   "gpu v vf vfs 9 X-1:1024:9\n"

UNIT_PROGRAM(question_set_up, question_tear_down)

UNIT_TEST(the_function_that_is_named)
{
    static const struct question rows[] = {
        /* a free function is taken, even if another would be better */
        {V, "", "type=X-1 on=v.2", "v.2 X-1"},
        {V W, "", "type=X-1 on=w.1", "w.1 X-1"},
        {V "foreign 1 X-1 v.0\n" W, "", "type=X-1 on=w.0", "w.0 X-1"},
        {V "foreign 1 X-1 v.0\n" W, "placement = \"spread\";", "type=X-1 on=v.1", "v.1 X-1"},
        {V W, "", "type=X-1 on=w.1 parent=w", "w.1 X-1"},
        {V, "classes = { c = { types = [ \"X-2\", \"X-1\" ]; }; };", "class=c on=v.2", "v.2 X-2"},
        {V "foreign 1 X-1 v.0", "classes = { c = { types = [ \"X-2\", \"X-1\" ]; }; };",
         "class=c on=v.2", "v.2 X-1"},
        /* the function has a vGPU: the domain's own, nobody's, another guest's */
        {V "held 1 X-1 v.2 me", "", "type=X-1 on=v.2", "take v.2 X-1"},
        {V "leaving 1 X-1 v.2 me", "", "type=X-1 on=v.2", "take v.2 X-1"},
        {V "kept 1 X-1 v.2 other", "", "type=X-1 on=v.2", "take v.2 X-1"},
        {V "kept 1 X-1 v.2 other hidden", "", "type=X-1 on=v.2", "v.2 X-1"},
        {V "foreign 1 X-1 v.2", "", "type=X-1 on=v.2", "find v.2 X-1"},
        {V "foreign 1 X-1 v.2", "", "type=X-2 on=v.2",
         "TAKEN gpu0: a vGPU v.2 is there already, of type x-1 (GRID X-1) on v and not X-2; "
         "remove it, or give this guest another virtual function; no other virtual function could "
         "take it now"},
        {V "held 1 X-1 v.2 other", "", "type=X-1 on=v.2",
         "TAKEN gpu0: the vGPU v.2 belongs to the guest other (held); give this guest another "
         "virtual function; gpu0 could be on v.0, v.1, v.3"},
        {V "held 1 X-1 v.2 other hidden", "", "type=X-1 on=v.2", "TAKEN |other (held)|!v.2,"},
        {V "pending 1 X-1 v.2 other", "", "type=X-1 on=v.2", "TAKEN |other (pending)|on v.0"},
        {V "reserved 1 X-1 v.2 other", "", "type=X-1 on=v.2", "TAKEN |other (reserved)|on v.0"},
        {V "leaving 1 X-1 v.2 other", "", "type=X-1 on=v.2",
         "TAKEN |is still being given back by the guest other (leaving); try again; gpu0 could"},
        {V "removing 1 X-1 v.2 other hidden", "", "type=X-1 on=v.2",
         "TAKEN |still being given back by the guest other (removing)|could be on v.0, v.1, v.3"},
        {V "foreign 1 X-1 v.2\ndrained v", "", "type=X-1 on=v.2",
         "TAKEN |the vGPU v.2 is there already, on v, which is drained"},
    };

    question_check(rows, COUNT(rows));
}

UNIT_TEST(why_the_function_that_is_named_will_not_do)
{
#define CANNOT "NO_ROOM gpu0 (X-1) cannot be on v.1: its GPU v "
#define NEVER  "NEVER gpu0 (X-1) cannot be on v.1: its GPU v "
    static const struct question rows[] = {
        {V "foreign 1 X-2 v.0", "", "type=X-1 on=v.1", CANNOT "holds x-2 (1 in use); no other"},
        {V "foreign 1 X-2 v.0\n" W, "", "type=X-1 on=v.1",
         CANNOT "holds x-2 (1 in use); gpu0 could be on w.0, w.1"},
        {"gpu v vf vfs 6 X-1:1024:2\nforeign 1 X-1 v.4\nforeign 2 X-1 v.5", "", "type=X-1 on=v.1",
         CANNOT "is full (2 in use); no other virtual function could take it now"},
        {V "pending 1 X-2 v.0 other", "", "type=X-1 on=v.1",
         CANNOT "is being given a vGPU of another size"},
        {V "reserved 1 X-2 v.0 other", "", "type=X-1 on=v.1",
         CANNOT "is being given a vGPU of another size"},
        {V W, "gpus = ( { address = \"v\"; enabled = false; } );", "type=X-1 on=v.1",
         NEVER "is disabled by /etc/libvirt-vgpu/vgpu.conf:1; gpu0 could be on w.0, w.1"},
        {V W "drained v", "", "type=X-1 on=v.1", CANNOT "is drained (see vgpuctl undrain); gpu0"},
        {V, "gpus = ( { address = \"v\"; types = [ \"X-2\" ]; } );", "type=X-1 on=v.1",
         NEVER "may not have that type"},
        {V, "gpus = ( { address = \"v\"; reserve = 4; } );", "type=X-1 on=v.1",
         CANNOT "has only reserved places left"},
        {V, "", "type=X-1 on=v.1 traits=blue", NEVER "lacks a trait asked for"},
        {V, "", "type=X-1 on=v.1 traits=!interface=vf", NEVER "has a trait that is forbidden"},
        {V W, "", "type=X-1 on=v.1 parent=w", NEVER "is not the parent asked for"},
        {"gpu v numa 0 vf vfs 4" X "gpu w numa 1 vf vfs 1" X, "",
         "type=X-1 on=v.1 numa=require nodes=1",
         NEVER "is not on the guest's NUMA nodes; gpu0 could be on w.0"},
        {V "held 1 X-1 v.0 ci-1", QUOTA("\"ci-*\"", 1), "name=ci-9 type=X-1 on=v.1",
         CANNOT "has it, but the quota of 1 for class c is used up (1; |!could be on"},
        {V "refused v.1 X-1", "", "type=X-1 on=v.1",
         CANNOT "refused it (Input/output error); gpu0 could be on v.0, v.2, v.3"},
        {V "unreadable v.1 X-1", "", "type=X-1 on=v.1",
         CANNOT "does not tell its room (Input/output error); gpu0 could be on v.0, v.2, v.3"},
        /* devices that are not such functions */
        {V "stranger x.1 which is no GPU", "", "type=X-1 on=x.1",
         "NEVER gpu0 (X-1) cannot be on x.1, which is no GPU; gpu0 could be on v.0, v.1, v.2"},
        {V, "", "type=X-1 on=x.1", "NEVER |cannot be on x.1, which takes no vGPUs here"},
        {"stranger x.1 which is no GPU", "", "type=X-1 on=x.1", "NEVER |x.1, which is no GPU"},
        {V "gpu a vfs 2" X, "", "type=X-1 on=a.1",
         "NEVER gpu0 (X-1) cannot be on a.1, which takes mediated devices (<hostdev "
         "type='mdev'>); gpu0 could be on v.0"},
        {V "gpu a vfs 2 Y:1024:4", "", "type=X-1 on=a.1", "NEVER |takes mediated devices"},
        {"gpu a X-1:1024:4\n", "", "type=Z on=v.1", "NEVER gpu0 wants Z, which no GPU here has"},
        /* a mediated device, and a card whose functions are vGPUs */
        {V, "", "type=X-1", "NEVER |v makes vGPUs for <hostdev type='pci'> only|!could be on"},
        {V "gpu a" X, "", "type=X-1", "a X-1"},
        {V "gpu a" X "foreign 1 X-2 a", "", "type=X-1", "NO_ROOM |v makes vGPUs for|, a holds x-2"},
    };

    question_check(rows, COUNT(rows));
}

/* The message names eight of the functions that would do now, if all rules are kept. */
UNIT_TEST(functions_that_would_do)
{
    static const struct question rows[] = {
        {TWELVE "held 1 X-1 v.3 other", "", "type=X-1 on=v.3",
         "TAKEN |could be on v.0, v.1, v.2, v.4, v.5, v.6, v.7, v.8, or others"},
        {NINE "held 1 X-1 v.3 other", "", "type=X-1 on=v.3",
         "TAKEN |could be on v.0, v.1, v.2, v.4, v.5, v.6, v.7, v.8|!or others"},
        {V W "held 1 X-1 v.3 other", "gpus = ( { address = \"w\"; enabled = false; } );",
         "type=X-1 on=v.3", "TAKEN |could be on v.0, v.1, v.2|!w."},
        {V W "held 1 X-1 v.3 other\nforeign 2 X-2 w.1", "", "type=X-1 on=v.3",
         "TAKEN |could be on v.0, v.1, v.2|!w."},
        {V "gpu a vfs 4" X "held 1 X-1 v.3 other", "", "type=X-1 on=v.3",
         "TAKEN |could be on v.0, v.1, v.2|!a."},
        {V "held 1 X-1 v.3 other\nrefused v.0 X-1\npending 4 X-1 v.1 other", "", "type=X-1 on=v.3",
         "TAKEN |could be on v.2|!v.0|!v.1"},
        {V "held 1 X-1 v.3 other\nheld 2 X-1 v.0 other hidden\nleaving 3 X-1 v.1 x hidden", "",
         "type=X-1 on=v.3", "TAKEN |could be on v.2|!v.0|!v.1"},
        {V "held 1 X-1 v.3 other", "max_instances = ( { types = [ \"X-1\" ]; max = 1; } );",
         "type=X-1 on=v.3", "TAKEN |no other virtual function could take it now"},
    };

    question_check(rows, COUNT(rows));
}

UNIT_TEST(several_functions_for_one_guest)
{
    static const struct question rows[] = {
        {V W, "", "type=X-1 on=v.0;type=X-1 on=v.1", "v.0 X-1, v.1 X-1"},
        {V W, "", "type=X-1 on=v.3;type=X-2 on=w.0", "v.3 X-1, w.0 X-2"},
        {V W, "", "type=X-1 on=v.0;type=X-2 on=v.1", "NO_ROOM |not for all together"},
        {V W, "", "type=X-1 on=v.0;type=X-1 on=v.0", "NO_ROOM |not for all together"},
        {V W, "classes = { c = { types = [ \"X-2\", \"X-1\" ]; }; };",
         "class=c on=v.0;type=X-1 on=v.1", "v.0 X-1, v.1 X-1"},
        {V "held 1 X-1 v.3 me", "", "type=X-1 on=v.3;type=X-1 on=v.0", "take v.3 X-1, v.0 X-1"},
        {V "held 1 X-1 v.3 other", "", "type=X-1 on=v.0;type=X-1 on=v.3", "TAKEN gpu1: |v.3"},
        /* beside mediated devices */
        {"gpu a" X V, "", "type=X-1;type=X-2 on=v.1", "a X-1, v.1 X-2"},
        {"gpu a vfs 2" X V, "", "type=X-1 on=v.0;type=X-2;type=X-2", "v.0 X-1, a.0 X-2, a.1 X-2"},
        /* as many as the administrator says, if the driver does not tell */
        {V, "max_instances = ( { types = [ \"X-1\" ]; max = 2; } );",
         "type=X-1 on=v.0;type=X-1 on=v.1", "v.0 X-1, v.1 X-1"},
        {V, "max_instances = ( { types = [ \"X-1\" ]; max = 1; } );",
         "type=X-1 on=v.0;type=X-1 on=v.1", "NO_ROOM |not for all together"},
        {V "foreign 1 X-1 v.3", "max_instances = ( { types = [ \"GRID X-1\" ]; max = 1; } );",
         "type=X-1 on=v.0", "NO_ROOM |its GPU v is full (1 of 1)"},
        {V "pending 1 X-1 v.3 other", "max_instances = ( { types = [ \"x-1\" ]; max = 1; } );",
         "type=X-1 on=v.0", "NO_ROOM |its GPU v is full (1 of 1)"},
        {"gpu a" X, "max_instances = ( { types = [ \"X-1\" ]; max = 1; } );", "type=X-1;type=X-1",
         "a X-1, a X-1"},
        /* for a type without a size, made vGPUs and vGPUs that are being made count */
        {"gpu m rule pool 4 M-1/1 M-2/2\npending 1 M-1 m other",
         "max_instances = ( { types = [ \"M-1\" ]; max = 1; } );", "type=M-1",
         "NO_ROOM |m is full (1 of 1)"},
        {"gpu m rule pool 4 M-1/1 M-2/2\nforeign 1 M-1 m",
         "max_instances = ( { types = [ \"M-1\" ]; max = 1; } );", "type=M-1",
         "NO_ROOM |m is full (1 of 1)"},
        {"gpu m rule pool 4 M-1/1 M-2/2\npending 1 M-2 m other",
         "max_instances = ( { types = [ \"M-1\" ]; max = 1; } );", "type=M-1", "m M-1"},
    };

    question_check(rows, COUNT(rows));
}

/* An arriving guest may get another source: another function, or a device of the other kind. */
UNIT_TEST(places_for_who_arrives)
{
    static const struct question rows[] = {
        {V W, "", "type=X-1 on=v.2 free=place", "v.0 X-1"},
        {V W "foreign 1 X-1 w.0", "", "type=X-1 on=v.2 free=place", "w.1 X-1"},
        {V W, "", "type=X-1 on=x.1 free=place", "v.0 X-1"},
        {V "foreign 1 X-1 v.0", "", "type=X-1 on=v.0 free=place", "v.1 X-1"},
        {"gpu a" X, "", "type=X-1 on=v.0 free=place",
         "NEVER |a makes vGPUs for <hostdev type='mdev'> only"},
        {"gpu a" X, "", "type=X-1 on=v.0 free=kind", "a X-1"},
        {V, "", "type=X-1 free=place", "NEVER |v makes vGPUs for <hostdev type='pci'> only"},
        {V, "", "type=X-1 free=kind", "v.0 X-1"},
        /* the best of both kinds */
        {"gpu a" X V, "", "type=X-1 free=kind", "a X-1"},
        {"gpu a" X V "foreign 1 X-1 v.0", "", "type=X-1 free=kind", "v.1 X-1"},
        {"gpu a" X "foreign 1 X-4 a\n" V, "", "type=X-1 free=kind", "v.0 X-1"},
        {"gpu a X-1:1024:1\ngpu v vf vfs 1 X-1:1024:4", "", "type=X-1 free=kind;type=X-1",
         "a X-1, v.0 X-1"},
        {"gpu a X-1:1024:1\ngpu v vf vfs 1 X-1:1024:4", "",
         "type=X-1 free=kind;type=X-1 on=v.0;type=X-1", "NO_ROOM |not for all together"},
        {"gpu a X-2:2048:1\ngpu v vf vfs 2 X-1:1024:4",
         "classes = { c = { types = [ \"X-2\", \"X-1\" ]; "
         "}; };",
         "class=c free=kind;class=c;class=c", "a X-2, v.0 X-1, v.1 X-1"},
        /* a place that is promised or given to others is taken, even if its vGPU is not visible */
        {V "reserved 1 X-1 v.0 other", "", "type=X-1 on=v.0 free=place", "v.1 X-1"},
        {V "reserved 1 X-1 v.0 other", "", "type=X-2 on=v.0 free=place",
         "NO_ROOM |v is being given a vGPU of another size"},
        {V "held 1 X-1 v.0 other hidden", "", "type=X-1 on=v.0 free=place", "v.1 X-1"},
        {V "leaving 1 X-1 v.0 other hidden", "", "type=X-1 on=v.0 free=place", "v.1 X-1"},
        {V "removing 1 X-1 v.0 other hidden", "", "type=X-2 on=v.0 free=place", "v.1 X-2"},
        {V "kept 1 X-1 v.0 other hidden", "", "type=X-1 on=v.0 free=place", "v.0 X-1"},
        {"gpu v vf vfs 1 X-1:1024:4\nheld 1 X-1 v.0 other hidden", "", "type=X-1 free=kind",
         "NO_ROOM |v does not offer it now"},
    };

    question_check(rows, COUNT(rows));
}

/* A driver lists only the types that it would make now. Nobody knows the other types. */
UNIT_TEST(what_is_not_listed_now)
{
    static const struct question rows[] = {
        {V "forgetful v", "", "type=X-1 on=v.1", "v.1 X-1"},
        {V "forgetful v\nforeign 1 X-2 v.0", "", "type=X-2 on=v.1", "v.1 X-2"},
        {V "forgetful v\nforeign 1 X-2 v.0", "", "type=X-1 on=v.1",
         "NO_ROOM gpu0 (X-1) cannot be on v.1: its GPU v does not offer it while it holds x-2 (1 "
         "in use); no other virtual function"},
        {V "forgetful v\nforeign 1 X-2 v.0\nforeign 2 X-2 v.3\n" W, "", "type=X-1 on=v.1",
         "NO_ROOM |v does not offer it while it holds x-2 (2 in use); gpu0 could be on w.0, w.1"},
        {V W "forgetful v\nforeign 1 X-2 v.0\nforeign 2 X-4 w.0", "", "type=X-1 on=v.1",
         "NO_ROOM |v does not offer it while it holds x-2 (1 in use)"},
        {V "forgetful v\nforeign 1 X-2 v.0", "", "type=X-1 on=v.1 free=place",
         "NO_ROOM no GPU can take gpu0 (X-1): v does not offer it while it holds x-2 (1 in use)"},
        {V "forgetful v\nforeign 1 X-4 v.0", "", "type=x-4 on=v.1",
         "NO_ROOM |v is full (1 in use)"},
        /* an idle card lists all types */
        {V "forgetful v", "", "type=Z on=v.1", "NEVER |Z, which no GPU here has"},
        {V "forgetful v\nforeign 1 X-2 v.0", "gpus = ( { address = \"v\"; enabled = false; } );",
         "type=Z on=v.1", "NEVER |its GPU v is disabled"},
        {"gpu a" X V, "", "type=Z", "NEVER |Z, which no GPU here has"},
        {"gpu a" X V "forgetful v\nforeign 1 X-2 v.0", "", "type=Z",
         "NEVER |a has no such type, v makes vGPUs for"},
    };

    question_check(rows, COUNT(rows));
}

/* A card may have several sizes if its driver was seen to take several, or among its GPU
 * instances. */
UNIT_TEST(cards_of_several_sizes)
{
#define MIXED     "gpu v vf vfs 4 rule mixed memory 8192" X
#define INSTANCES "gpu v vf vfs 4 X-1:1024:1@1 X-2:2048:2@2\n"
    static const struct question rows[] = {
        {MIXED "foreign 1 X-4 v.0", "", "type=X-1 on=v.1;type=X-2 on=v.2", "v.1 X-1, v.2 X-2"},
        {MIXED "pending 1 X-4 v.0 other", "", "type=X-1 on=v.1", "v.1 X-1"},
        {MIXED "foreign 1 X-4 v.0\nforeign 2 X-4 v.1", "", "type=X-1 on=v.2",
         "NO_ROOM |v holds x-4 (2 in use)"},
        {MIXED "foreign 1 X-1 v.0\nforeign 2 X-1 v.1",
         "max_instances = ( { types = [ \"X-1\" ]; max = 2; } );", "type=X-1 on=v.2",
         "NO_ROOM |v is full (2 of 2)"},
        {V "foreign 1 X-4 v.0", "", "type=X-1 on=v.1", "NO_ROOM |v holds x-4"},
        {INSTANCES, "", "type=X-1 on=v.0;type=X-2 on=v.1;type=X-2 on=v.2",
         "v.0 X-1, v.1 X-2, v.2 X-2"},
        {INSTANCES "pending 1 X-1 v.3 other", "", "type=X-2 on=v.1", "v.1 X-2"},
        {INSTANCES "foreign 1 X-1 v.3", "", "type=X-2 on=v.1", "v.1 X-2"},
        {INSTANCES "foreign 1 X-1 v.3", "", "type=X-1 on=v.1", "NO_ROOM |v is full (1 in use)"},
        {INSTANCES "foreign 1 X-2 v.3", "max_instances = ( { types = [ \"X-2\" ]; max = 1; } );",
         "type=X-2 on=v.1", "NO_ROOM |v is full (1 of 1)"},
        /* without a free instance nothing is listed */
        {"gpu v vf vfs 4 X-1:1024:0@1", "", "type=X-1 on=v.1", "NO_ROOM |v does not offer it now"},
        {"gpu v vf vfs 4 X-1:1024:0@1\nforgetful v", "", "type=X-1 on=v.1",
         "NO_ROOM |v does not offer it now"},
    };

    question_check(rows, COUNT(rows));
}
