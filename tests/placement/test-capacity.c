/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How many vGPUs fit on GPUs: several at once, and beside present ones. */

#include "placement/question.h"

#include <stdio.h>
#include <string.h>

UNIT_PROGRAM(question_set_up, question_tear_down)

/* --- room ------------------------------------------------------------------------------------- */

UNIT_TEST(functions_are_not_added_up)
{
    static const struct question rows[] = {
        /* as many as there are functions, or as the GPU can take: the smaller number */
        {"gpu a vfs 2 X-1:1024:4", "", "type=X-1;type=X-1", "a.0 X-1, a.1 X-1"},
        {"gpu a vfs 2 X-1:1024:4", "", "type=X-1;type=X-1;type=X-1",
         "NO_ROOM |not for all together"},
        {"gpu a vfs 4 X-1:1024:2", "", "type=X-1;type=X-1", "a.0 X-1, a.1 X-1"},
        {"gpu a vfs 4 X-1:1024:2", "", "type=X-1;type=X-1;type=X-1",
         "NO_ROOM |not for all together"},
        {"gpu a vfs 4 X-1:1024:2\nforeign 1 X-1 a.3", "", "type=X-1;type=X-1",
         "NO_ROOM |not for all together"},
        {"gpu a vfs 4 X-1:1024:2\nforeign 1 X-1 a.3\nforeign 2 X-1 a.0", "", "type=X-1",
         "NO_ROOM |a is full (2 of 2)"},
        {"gpu a vfs 2 X-1:1024:4\nforeign 1 X-1 a.0\nforeign 2 X-1 a.1", "", "type=X-1",
         "NO_ROOM |a has no free virtual function (2 in use)"},
        /* a lease whose vGPU is not visible takes a function and a place */
        {"gpu a vfs 3 X-1:1024:2\npending 1 X-1 a.0 other", "", "type=X-1", "a.1 X-1"},
        {"gpu a vfs 3 X-1:1024:2\npending 1 X-1 a.0 other\npending 2 X-1 a.2 other", "", "type=X-1",
         "NO_ROOM |a is full (2 of 2)"},
        {"gpu a vfs 2 X-1:1024:4\npending 1 X-1 a.1 other", "", "type=X-1;type=X-1",
         "NO_ROOM |not for all together"},
        /* a card with only one function */
        {"gpu a vfs 1 X-1:1024:4", "", "type=X-1", "a.0 X-1"},
        {"gpu a vfs 1 X-1:1024:4", "", "type=X-1;type=X-1", "NO_ROOM |not for all together"},
        {"gpu a vfs 1 X-1:1024:4\npending 1 X-1 a.0 other", "", "type=X-1", "NO_ROOM |a is full"},
        /* a driver that tells no maximum */
        {"gpu a vfs 2 X-1:1024:0\ngpu b" X, "", "type=X-2", "b X-2"},
    };

    question_check(rows, COUNT(rows));
}

UNIT_TEST(one_size_on_a_gpu)
{
    static const struct question rows[] = {
        /* vGPUs that are made already */
        {THREE "foreign 1 X-1 a", "", "type=X-2", "b X-2"},
        {"gpu a" X "foreign 1 X-1 a", "", "type=X-2", "NO_ROOM |a holds x-1 (1 in use)"},
        /* vGPUs that are being made: only on their GPU other sizes are refused */
        {THREE "pending 1 X-1 a other", "", "type=X-2", "b X-2"},
        {"gpu a" X "pending 1 X-1 a other", "", "type=X-2",
         "NO_ROOM |a is being given a vGPU of another size"},
        {"gpu a" X "pending 1 X-1 a other", "", "type=X-1;type=X-1;type=X-1",
         "a X-1, a X-1, a X-1"},
        {"gpu a" X "pending 1 X-1 a other", "", "type=X-1;type=X-1;type=X-1;type=X-1",
         "NO_ROOM |not for all together"},
        {"gpu a" X "gpu b" X "pending 1 X-1 a other", "", "type=X-4", "b X-4"},
        {"gpu a X-1:1024:4 Y-1:1024:4\npending 1 X-1 a other", "", "type=Y-1", "a Y-1"},
        {"gpu a vfs 4" X "pending 1 X-1 a.2 other", "", "type=X-2",
         "NO_ROOM |a is being given a vGPU of another size"},
        {"gpu a" X "leaving 1 X-1 a other hidden", "", "type=X-2", "a X-2"},
        {"gpu a" X "reserved 1 X-1 a other", "", "type=X-2", "NO_ROOM |a is being given"},
        /* the vGPUs of one request count, too */
        {THREE, "", "type=X-1;type=X-2", "a X-1, b X-2"},
        {THREE, "", "type=X-1;type=X-2;type=X-4;type=X-1", "a X-1, b X-2, c X-4, a X-1"},
        {"gpu a" X "gpu b" X, "", "type=X-1;type=X-2;type=X-4", "NO_ROOM |not for all together"},
        {"gpu a" X "gpu b" X "foreign 1 X-2 a", "", "type=X-1;type=X-2", "b X-1, a X-2"},
        /* pools have no sizes */
        {"gpu m rule pool 4 M-1/1 M-2/2", "", "type=M-1;type=M-2", "m M-1, m M-2"},
        {"gpu m rule pool 4 M-1/1 M-2/2\npending 1 M-2 m other", "", "type=M-1", "m M-1"},
        {"gpu m rule pool 4 M-1/1 M-4/4\nforeign 1 M-1 m\npending 2 M-4 m other", "", "type=M-1",
         "m M-1"},
    };

    question_check(rows, COUNT(rows));
}

/* If the first choice leaves no place for the other devices, another choice is tried. */
UNIT_TEST(all_together_whatever_the_order)
{
    static const char fits[] =
        "classes = { any = { framebuffer = \"1G\"; }; pair = { types = [ \"X-2\", \"X-1\" ]; }; };";
    static const struct question rows[] = {
        {"gpu a" X "gpu b X-1:1024:1", fits, "class=pair;type=X-4", "b X-1, a X-4"},
        {"gpu a" X "gpu b X-1:1024:1", fits, "type=X-4;class=pair", "a X-4, b X-1"},
        {"gpu a" X "gpu b X-1:1024:1", fits, "type=X-1;type=X-2", "b X-1, a X-2"},
        {"gpu a X-2:2048:1\ngpu b X-2:2048:1 X-1:1024:1", fits, "class=pair;type=X-2 parent=a",
         "b X-2, a X-2"},
        {"gpu a X-1:1024:2\ngpu b X-1:1024:1\ngpu c X-1:1024:1", fits,
         "class=any;class=any parent=a;class=any parent=b;class=any parent=a",
         "c X-1, a X-1, b X-1, a X-1"},
        {"gpu a X-1:1024:1 X-2:2048:1\ngpu b X-2:2048:1 X-4:4096:1\ngpu c X-4:4096:1 X-1:1024:1",
         fits, "type=X-1;type=X-2;type=X-4", "a X-1, b X-2, c X-4"},
        {"gpu a X-1:1024:1 X-2:2048:1\ngpu b X-2:2048:1 X-4:4096:1\ngpu c X-4:4096:1 X-1:1024:1",
         fits, "type=X-4;type=X-1;type=X-2", "b X-4, c X-1, a X-2"},
    };

    question_check(rows, COUNT(rows));
}

#define FOUR "gpu a T:1024:1\ngpu b T:1024:1\ngpu c T:1024:1\ngpu d T:1024:1\n"
#define TRAITS(a, b, c, d)                                                                         \
    "gpus = ( { address = \"a\"; traits = [ " a " ]; }, { address = \"b\"; traits = [ " b " ]; }," \
    "         { address = \"c\"; traits = [ " c " ]; }, { address = \"d\"; traits = [ " d          \
    " ]; } );"

/* A place fails for one device, or beside one device. It may still do for other devices. */
UNIT_TEST(no_way_is_given_up_too_soon)
{
    static const struct question rows[] = {
        /* if the first device is on a, the second has no place, because it must be on a */
        {FOUR, TRAITS("\"p\", \"q\"", "\"p\"", "\"q\", \"r\"", "\"r\""),
         "type=T traits=p;type=T traits=q;type=T traits=r;type=T traits=r", "b T, a T, c T, d T"},
        /* each place for the second device fails if the first is on a, but not if the first is on
         * b */
        {FOUR, TRAITS("\"p\", \"r\", \"s\"", "\"p\"", "\"q\", \"r\"", "\"q\", \"s\""),
         "type=T traits=p;type=T traits=q;type=T traits=r;type=T traits=s", "b T, c T, a T, d T"},
    };

    question_check(rows, COUNT(rows));
}

/* Of several types on one GPU, the type that needs the most of the GPU is placed first. */
UNIT_TEST(small_ones_do_not_crowd_out_big_ones)
{
    static const struct question rows[] = {
        {"gpu m rule pool 4 M-1/1 M-2/2", "", "type=M-2;type=M-1;type=M-1", "m M-2, m M-1, m M-1"},
        {"gpu m rule pool 4 M-1/1 M-2/2", "", "type=M-1;type=M-1;type=M-2", "m M-1, m M-1, m M-2"},
    };

    question_check(rows, COUNT(rows));
}

UNIT_TEST(refusals_and_silence)
{
    static const struct question rows[] = {
        /* a vGPU on another GPU, or of another type */
        {THREE "refused a X-1", "", "type=X-1", "b X-1"},
        {THREE "refused a X-1", "", "type=X-2", "a X-2"},
        {THREE "refused a X-2", "classes = { c = { types = [ \"X-2\", \"X-1\" ]; }; };", "class=c",
         "b X-2"},
        {"gpu a" X "refused a X-2", "classes = { c = { types = [ \"X-2\", \"X-1\" ]; }; };",
         "class=c", "a X-1"},
        {"gpu a" X "gpu b" X "refused a X-1\nrefused b X-1", "", "type=X-1",
         "NO_ROOM |a refused it (Input/output error)|b refused it (Input/output error)"},
        {"gpu a" X "gpu b" X "refused a X-1\nforeign 1 X-2 b", "", "type=X-1",
         "NO_ROOM |a refused it (|b holds x-2"},
        {"gpu a vfs 2" X "gpu b" X "refused a.0 X-1\nrefused a.1 X-1\n", "", "type=X-1", "b X-1"},
        /* a parent that does not tell its room */
        {THREE "unreadable a X-1", "", "type=X-1", "b X-1"},
        {"gpu a" X "unreadable a X-1", "", "type=X-1",
         "NO_ROOM |a does not tell its room (Input/output error)"},
        {"gpu a vfs 2" X "unreadable a.0 X-1", "", "type=X-1", "a.1 X-1"},
        {"gpu a vfs 2" X "unreadable a.0 X-1\nforeign 1 X-1 a.1", "", "type=X-1",
         "NO_ROOM |a is full"},
        {"gpu a vfs 2" X "unreadable a.0 X-1", "", "type=X-1;type=X-1",
         "NO_ROOM |not for all together"},
    };

    question_check(rows, COUNT(rows));
}

/* --- UUIDs that exist already ----------------------------------------------------------------- */

UNIT_TEST(what_is_there_already)
{
    static const struct question rows[] = {
        /* the domain's own vGPU is taken back, on any GPU */
        {THREE "held 1 X-1 c me", "", "type=X-1 uuid=1", "take c X-1"},
        {THREE "kept 1 X-1 c me", "", "type=X-1 uuid=1", "take c X-1"},
        {THREE "leaving 1 X-1 c me", "", "type=X-1 uuid=1", "take c X-1"},
        {THREE "pending 1 X-1 c me shown", "", "type=X-1 uuid=1", "take c X-1"},
        {THREE "kept 1 X-1 c me", "classes = { c = { types = [ \"X-2\", \"X-1\" ]; }; };",
         "class=c uuid=1", "take c X-1"},
        {THREE "found 1 X-1 c me", "", "type=X-1 uuid=1", "find c X-1"},
        /* nobody's vGPU */
        {THREE "foreign 1 X-1 c", "", "type=X-1 uuid=1", "find c X-1"},
        {THREE "foreign 1 X-1 c", "", "type=X-2 uuid=1",
         "TAKEN gpu0: a vGPU dddddddd-0000-4000-8000-000000000001 is there already, of type x-1 "
         "(GRID X-1) on c and not X-2"},
        {THREE "foreign 1 - c", "", "type=X-1 uuid=1", "TAKEN |being made or removed by somebody"},
        /* another guest's vGPU: if it is kept and its type will do, it moves to this domain */
        {THREE "kept 1 X-1 c other", "", "type=X-1 uuid=1", "take c X-1"},
        {THREE "kept 1 X-1 c other hidden", "", "type=X-1 uuid=1", "a X-1"},
        {THREE "kept 1 X-1 c other", "", "type=X-2 uuid=1", "TAKEN |of type x-1"},
        {THREE "kept 1 X-1 c other", "", "type=X-1 uuid=1;type=X-1", "take c X-1, c X-1"},
        {THREE "held 1 X-1 c other", "", "type=X-1 uuid=1",
         "TAKEN |belongs to the guest other (held); give this guest another UUID"},
        {THREE "held 1 X-1 c other hidden", "", "type=X-1 uuid=1", "TAKEN |other (held)"},
        {THREE "pending 1 X-1 c other", "", "type=X-1 uuid=1", "TAKEN |other (pending)"},
        {THREE "leaving 1 X-1 c other", "", "type=X-1 uuid=1", "TAKEN |other (leaving)"},
        {THREE "reserved 1 X-1 c other", "", "type=X-1 uuid=1", "TAKEN |other (reserved)"},
        /* such a vGPU cannot be used to avoid a rule */
        {THREE "kept 1 X-1 c other", "gpus = ( { address = \"c\"; enabled = false; } );",
         "type=X-1 uuid=1", "TAKEN |on c, which is disabled in vgpu.conf"},
        {THREE "drained c\nkept 1 X-1 c me", "", "type=X-1 uuid=1",
         "TAKEN |on c, which is drained"},
        {THREE "drained c\nforeign 1 X-1 c", "", "type=X-1 uuid=1",
         "TAKEN |on c, which is drained"},
        {THREE "foreign 1 X-1 c", "", "type=X-1 uuid=1 parent=a",
         "TAKEN |on c, which is not the parent asked for"},
        {THREE "foreign 1 X-1 c", "", "type=X-1 uuid=1 traits=blue", "TAKEN |on c, which lacks"},
        /* the vGPU needs no new room, because it has its room already */
        {"gpu a" X "foreign 1 X-2 a\nforeign 2 X-2 a", "", "type=X-2 uuid=1;type=X-2 uuid=2",
         "find a X-2, find a X-2"},
        {"gpu a vfs 2" X "foreign 1 X-1 a.1", "", "type=X-1 uuid=1;type=X-1",
         "find a.1 X-1, a.0 X-1"},
    };

    question_check(rows, COUNT(rows));
}

/* --- the search ends in time ------------------------------------------------------------------ */

/* All devices differ, and there is one too many. The answer, or "undecided", comes in a bearable
 * time. */
UNIT_TEST(a_hopeless_search_ends)
{
    char text[QUESTION_TEXT], request[1024] = "";

    for (unsigned i = 0; i < 13; i++) {
        size_t at = strlen(request);

        snprintf(request + at, sizeof(request) - at, "%stype=X-1 traits=!t%u", i ? ";" : "", i);
    }
    question_answer(
        &(struct question){
            "gpu a X-1:1024:3\ngpu b X-1:1024:3\ngpu c X-1:1024:3\ngpu d X-1:1024:3\n", "", request,
            ""},
        text);
    if (!strstr(text, "UNDECIDED its 13 vGPUs can be placed in more ways than were tried") &&
        !strstr(text, "NO_ROOM "))
        fail_msg("%s", text);
}

/* Each quota makes each check slower. So fewer checks are made, because the lock is held all the
 * time. */
UNIT_TEST(a_search_with_quotas_ends_sooner)
{
    static const char machine[] = "gpu a X-1:1024:3\ngpu b X-1:1024:3\n"
                                  "gpu c X-1:1024:2\ngpu d X-1:1024:2\n";
    char text[QUESTION_TEXT], request[1024] = "";
    char policy[4096] = "classes = { c = { types = [\"X-1\"]; }; }; quotas = ( ";

    for (size_t i = 0, at = 0; i < 11; i++)
        at += (size_t)snprintf(request + at, sizeof(request) - at, "%stype=X-1 traits=!t%zu",
                               i ? ";" : "", i);
    for (size_t i = 0, at = strlen(policy); i < 40; i++)
        at += (size_t)snprintf(policy + at, sizeof(policy) - at,
                               "%s{ domains = [\"*\"]; class = \"c\"; max = 99; }%s", i ? "," : "",
                               i == 39 ? ");" : "");
    question_answer(&(struct question){machine, "", request, ""}, text);
    assert_non_null(strstr(text, "NO_ROOM "));
    question_answer(&(struct question){machine, policy, request, ""}, text);
    assert_non_null(strstr(text, "UNDECIDED "));
}

/* As many equal devices as a request may have, and then one too many. Equal devices are not tried
 * in all orders. */
UNIT_TEST(many_alike_are_no_search)
{
    char text[QUESTION_TEXT], machine[2048] = "", request[1024] = "";

    for (unsigned i = 0; i < 8; i++) {
        size_t at = strlen(machine);

        snprintf(machine + at, sizeof(machine) - at, "gpu g%u X-1:1024:3\n", i);
    }
    for (unsigned i = 0; i < 25; i++) {
        size_t at = strlen(request);

        snprintf(request + at, sizeof(request) - at, "%stype=X-1", i ? ";" : "");
    }
    question_answer(&(struct question){machine, "placement = \"spread\";", request, ""}, text);
    if (!strstr(text, "NO_ROOM there is room for each of its vGPUs, but not for all together"))
        fail_msg("%s", text);
}
