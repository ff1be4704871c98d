/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl evacuate, as far as no guest has to move: its plan, and who stays.
 * tests/vm/scenarios/evacuate.sh tests the rest. */

#include "cli/command.h"
#include "evacuate/evacuation.h"
#include "fake/typed.h"
#include "libvirt/warm-up.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MACHINE                                                                                    \
    "gpu 0000:3d:00.0 vf vfs 4 rule size board \"NVIDIA L40S\"\n"                                  \
    "gpu 0000:5e:00.0 vf vfs 4 rule size board \"NVIDIA L40S\"\n"                                  \
    "gpu 0000:7f:00.0 vf vfs 1 rule size board \"NVIDIA L40S\"\n"                                  \
    "gpu 0000:9f:00.0 vf vfs 1 rule size board \"NVIDIA L40S\"\n"

#define HERE "test:///default"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = MACHINE}, &typed};
#define TEST(name) TYPED_TEST(name, here)

UNIT_PROGRAM(warm_up_connection, NULL)

/* libvirt's test driver with guests that run: two with 16 GiB on one GPU, one with 8 GiB on
 * another.
 */
static const char *
three_guests(void)
{
    AUTO_FREE char *one =
        typed_functions(1, "", "L40S-16Q", (const char *const[]){"0000:3d:00.4", NULL});
    AUTO_FREE char *two =
        typed_functions(2, "", "L40S-16Q", (const char *const[]){"0000:3d:00.5", NULL});
    AUTO_FREE char *three =
        typed_functions(3, "", "L40S-8Q", (const char *const[]){"0000:5e:00.4", NULL});
    AUTO_FREE char *text = NULL;

    assert_int_equal(typed_prepare(&scene, 1, "L40S-16Q", "0000:3d:00.4"), 0);
    assert_int_equal(typed_prepare(&scene, 2, "L40S-16Q", "0000:3d:00.5"), 0);
    assert_int_equal(typed_prepare(&scene, 3, "L40S-8Q", "0000:5e:00.4"), 0);
    assert_true(asprintf(&text, "%s%s%s", one, two, three) > 0);
    return typed_libvirt(&scene, text);
}

/* What is foreseen for one guest is not foreseen for the next. The GPU of another size takes none.
 */
TEST(the_plan)
{
    const char *uri = three_guests();

    typed_golden(&scene, uri, "evacuate/plan", "vgpuctl evacuate 3d:00.0 --dry-run");
    typed_golden(&scene, uri, "evacuate/plan-json", "vgpuctl evacuate 3d:00.0 --dry-run --json");
    typed_golden(&scene, uri, "evacuate/three-gpus",
                 "vgpuctl evacuate 3d:00.0 7f:00.0 9f:00.0 --dry-run -o DOMAIN,HOW,TO,REASON");
    assert_false(host_exists(&scene.kernel.host, "var/lib/libvirt-vgpu/drained/0000:3d:00.0"));
    typed_golden(&scene, uri, "evacuate/steps", "vgpuctl evacuate 3d:00.0 --json");
    assert_int_equal(scene_leases(&scene, ""), 3);
    assert_int_equal(scene_leases(&scene, "held"), 3);
}

/* A vGPU without a guest, and a guest that cannot move. */
TEST(who_stays)
{
    const char *uri = three_guests();

    assert_int_equal(scene_release_at(&scene, 3, "0000:5e:00.4"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:5e:00.5", "nvidia-1152", "0000:5e:00.5"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:7f:00.4", "nvidia-1152", "0000:7f:00.4"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:9f:00.4", "nvidia-1152", "0000:9f:00.4"), 0);
    typed_expect(&scene, uri, "vgpuctl evacuate 3d:00.0", COMMAND_BUSY, "what stays: 2 of 2",
                 &typed);
    typed_assert_has(typed.printed, "is not one that it is to move to");
    typed_expect(&scene, uri, "vgpuctl evacuate 5e:00.0", COMMAND_BUSY, "what stays: 1 of 1",
                 &typed);
    typed_assert_has(typed.printed, "0000:5e:00.5 is none of ours");
    typed_expect(&scene, uri, "vgpuctl gpus -o GPU,DRAINED -rn", COMMAND_DONE,
                 "0000:3d:00.0 yes\n0000:5e:00.0 yes\n0000:7f:00.0 no\n0000:9f:00.0 no\n", &typed);
    assert_int_equal(scene_leases(&scene, "held"), 2);
}

/* A guest that is on both. The name of one GPU begins like that of the other. */
TEST(two_names)
{
    AUTO_FREE char *xml = scene_xml(1,
                                    "<vgpu:device alias=\"ua-gpu1\" type=\"mtty-2\" "
                                    "parent=\"mtty2\"/>"
                                    "<vgpu:device alias=\"ua-gpu2\" type=\"mtty-2\" "
                                    "parent=\"mtty\"/>",
                                    (unsigned[]){1, 2, 0});

    scene_stop(&scene);
    scene_start(&scene, "gpu mtty rule pool 4\ntype mtty-2 \"Dual port serial\" uses 2\n"
                        "gpu mtty2 rule pool 4\ntype mtty-2 \"Dual port serial\" uses 2\n");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    typed_expect(&scene, typed_libvirt(&scene, ""),
                 "vgpuctl evacuate mtty mtty2 --dry-run -rn -o FROM", COMMAND_BUSY,
                 "what stays: 1 of 1", &typed);
    typed_assert_has(typed.printed, "mtty2,mtty\n");
}

/* Nobody knows what a broken vgpu.conf allows, so no guest moves. */
TEST(a_broken_configuration)
{
    const char *uri = three_guests();

    scene_configure(&scene, "gpus = (");
    typed_expect(&scene, uri, "vgpuctl evacuate 5e:00.0 --dry-run", COMMAND_BUSY,
                 "what stays: 1 of 1", &typed);
    typed_assert_has(typed.printed, "/etc/libvirt-vgpu/vgpu.conf:1: ");
    typed_expect(&scene, uri, "vgpuctl evacuate 5e:00.0", COMMAND_BUSY, "what stays: 1 of 1",
                 &typed);
    typed_assert_has(typed.printed, " stayed /etc/libvirt-vgpu/vgpu.conf:1: ");
    assert_int_equal(scene_leases(&scene, "held"), 3);
    assert_int_equal(scene_leases(&scene, ""), 3);
}

/* The larger guest takes the place that the smaller one needs, unless the smaller one is first. */
TEST(the_order)
{
    const char *uri = three_guests();

    scene_configure(&scene,
                    "gpus = ( { address = \"0000:9f:00.0\"; types = [ \"L40S-16Q\" ]; } );");
    typed_expect(&scene, uri,
                 "vgpuctl evacuate 3d:00.0 5e:00.0 --dry-run --except guest2 -rn -o DOMAIN,HOW,TO",
                 COMMAND_BUSY, "what stays: 1 of 3", &typed);
    assert_string_equal(typed.printed, "guest3 here 0000:7f:00.0\nguest1 here 0000:9f:00.0\n"
                                       "guest2 stays -\n");
}

static void
assert_drained(const char *answer)
{
    typed_expect(&scene, HERE, "vgpuctl gpus -o DRAINED -rn", COMMAND_DONE, answer, &typed);
    assert_null(strstr(typed.printed, strcmp(answer, "no") ? "no" : "yes"));
}

/* Guests that may not move, by vgpu.conf or by the command line. */
TEST(who_may_not)
{
    const char *uri = three_guests();

    typed_expect(&scene, uri, "vgpuctl evacuate 3d:00.0 --dry-run --except guest2 -rn -o DOMAIN,TO",
                 COMMAND_BUSY, "what stays: 1 of 2", &typed);
    assert_string_equal(typed.printed, "guest1 0000:7f:00.0\nguest2 -\n");
    typed_expect(&scene, uri, "vgpuctl evacuate 3d:00.0 --except guest3", COMMAND_FAILED,
                 "--except guest3: no guest of that name is there", &typed);
    assert_drained("no");
    scene_configure(&scene, "evacuate = [ \"live\" ];"
                            "domains = ( { name = \"guest2\"; evacuate = [ ]; } );");
    typed_golden(&scene, uri, "evacuate/who-may-not", "vgpuctl evacuate 3d:00.0 --dry-run --stop");
}

/* A plan is written, and read again. What has changed since stays. */
TEST(a_plan_of_before)
{
    const char *uri = three_guests();
    AUTO_FREE char *text = NULL;
    char line[512], path[512], said[512];
    static const char *const wrong[][2] = {
        {"way = \"live\";", "a guest that goes live has a host"},
        {"way = \"here\"; host = \"qemu:///system\";", "a guest that goes live has a host"},
        {"way = \"reap\";", "only a vGPU without a guest is reaped"},
        {"way = \"here\"; }, { domain = \"aaaaaaaa-0000-4000-8000-000000000001\"; name = \"h\"; "
         "way = \"stays\";",
         "the plan has the guest aaaaaaaa-0000-4000-8000-000000000001 twice"},
    };

    snprintf(line, sizeof(line), "vgpuctl evacuate 3d:00.0 --dry-run --plan %s/plan",
             scene.kernel.path);
    typed_expect(&scene, uri, line, COMMAND_DONE, "", &typed);
    snprintf(path, sizeof(path), "%s/plan", scene.kernel.path);
    text = scene_read(path);
    assert_string_equal(text, "moves = ( {\n"
                              "    domain = \"aaaaaaaa-0000-4000-8000-000000000001\";\n"
                              "    name = \"guest1\";\n"
                              "    way = \"here\";\n"
                              "    from = ( \"0000:3d:00.0\" );\n"
                              "    to = ( \"0000:7f:00.0\" );\n"
                              "}, {\n"
                              "    domain = \"aaaaaaaa-0000-4000-8000-000000000002\";\n"
                              "    name = \"guest2\";\n"
                              "    way = \"here\";\n"
                              "    from = ( \"0000:3d:00.0\" );\n"
                              "    to = ( \"0000:9f:00.0\" );\n"
                              "} );\n");
    snprintf(line, sizeof(line), "vgpuctl evacuate 3d:00.0 --plan %s/plan", scene.kernel.path);
    fake_write(&scene.kernel, "plan", "moves = (\n{ domain = \"guest1\"; way = \"fly\"; } );");
    typed_expect(&scene, uri, line, COMMAND_FAILED, "plan:2: name is missing", &typed);
    typed_assert_has(typed.faults, "plan:2: way must be one of \"stays\", \"here\", \"live\"");
    fake_write(&scene.kernel, "plan",
               "moves = ( { domain = \"guest1\"; name = \"guest1\"; way = \"here\"; } );");
    typed_expect(&scene, uri, line, COMMAND_FAILED, "plan:1: its domain must be a UUID", &typed);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        snprintf(
            said, sizeof(said),
            "moves = ( { domain = \"aaaaaaaa-0000-4000-8000-000000000001\"; name = \"g\"; %s } );",
            wrong[i][0]);
        fake_write(&scene.kernel, "plan", said);
        typed_expect(&scene, uri, line, COMMAND_FAILED, wrong[i][1], &typed);
    }
    fake_write(&scene.kernel, "plan", "moves = ");
    typed_expect(&scene, uri, line, COMMAND_FAILED, "plan:1: syntax error", &typed);
    fake_write(&scene.kernel, "plan",
               "moves = ( { domain = \"aaaaaaaa-0000-4000-8000-000000000001\"; name = \"guest1\";\n"
               "    way = \"here\"; from = [ \"0000:5e:00.0\" ]; },\n"
               "  { domain = \"aaaaaaaa-0000-4000-8000-000000000002\"; name = \"guest2\";\n"
               "    way = \"stays\"; } );\n");
    assert_drained("no");
    typed_expect(&scene, uri, line, COMMAND_BUSY, "what stays: 2 of 2", &typed);
    typed_assert_has(typed.printed, "it is on other GPUs than the plan says");
    typed_assert_has(typed.printed, "the plan says so");
    fake_write(&scene.kernel, "plan", "moves = ( );");
    typed_expect(&scene, uri, line, COMMAND_BUSY, "what stays: 2 of 2", &typed);
    typed_assert_has(typed.printed, "the plan does not have it");
    /* What is forbidden now stays, whatever the plan says. */
    fake_write(&scene.kernel, "plan",
               "moves = ( { domain = \"aaaaaaaa-0000-4000-8000-000000000001\"; name = \"guest1\";\n"
               "    way = \"here\"; from = [ \"0000:3d:00.0\" ]; } );\n");
    scene_configure(&scene, "evacuate = [ \"live\" ];");
    typed_expect(&scene, uri, line, COMMAND_BUSY, "what stays: 2 of 2", &typed);
    typed_assert_has(typed.printed, "does not let it move as the plan says");
    scene_configure(&scene, "");
    strcat(line, " --except guest1");
    typed_expect(&scene, uri, line, COMMAND_BUSY, "what stays: 2 of 2", &typed);
    typed_assert_has(typed.printed, "--except names it");
}

/* Without `to` the guest was in hand when vgpuctl was killed. */
static void
put_record(unsigned guest, const char *way, const char *from, const char *to)
{
    char name[128], text[512];

    snprintf(name, sizeof(name),
             "var/lib/libvirt-vgpu/evacuated/aaaaaaaa-0000-4000-8000-00000000000%u", guest);
    snprintf(text, sizeof(text),
             "moves = ( { domain = \"aaaaaaaa-0000-4000-8000-00000000000%u\"; name = \"guest%u\";\n"
             "    way = \"%s\"; from = [ \"%s\" ]; to = ( %s ); } );\n",
             guest, guest, way, from, to);
    fake_write(&scene.kernel, name, text);
}

/* A host that does not take the guest is no failure. If libvirt does not answer here, that is one.
 */
TEST(a_plan_of_other_hosts)
{
    const char *uri = three_guests();
    char line[512];

    snprintf(line, sizeof(line), "vgpuctl evacuate 5e:00.0 --plan %s/plan", scene.kernel.path);
    fake_write(&scene.kernel, "plan",
               "moves = ( { domain = \"aaaaaaaa-0000-4000-8000-000000000003\"; name = \"guest3\";\n"
               "    way = \"live\"; from = [ \"0000:5e:00.0\" ]; host = \"" HERE "\"; } );\n");
    typed_expect(&scene, uri, line, COMMAND_BUSY, "what stays: 1 of 1", &typed);
    typed_assert_has(typed.printed, "no host is sure to take guest3");
    typed_expect(&scene, "test:///nowhere", line, COMMAND_FAILED,
                 "guests that could not be moved: 1 of 1", &typed);
}

/* A name may have any character, and a guest may have been on several GPUs. */
TEST(what_a_record_holds)
{
    struct name gpus[] = {{"0000:3d:00.0"}, {"0000:5e:00.0"}};
    struct evacuation_move move = {.domain = {"aaaaaaaa-0000-4000-8000-000000000001"},
                                   .name = "a \"b\" \\ \t\x01 #\xc3\xa9; }",
                                   .from = {.items = gpus, .count = COUNT(gpus)}};
    AUTO(evacuation_moves_clear) struct evacuation_moves read = {0};
    AUTO_FREE char *text = evacuation_moves_format(&move, 1);
    struct error error;

    assert_int_equal(evacuation_moves_parse(text, "text", &read, &error), 0);
    assert_int_equal(read.count, 1);
    assert_string_equal(read.items[0].name, move.name);
    assert_true(name_equal(&read.items[0].domain, &move.domain));
    assert_true(names_are_same(&read.items[0].from, &move.from));
    assert_null(read.items[0].host);
}

static bool
has_record(unsigned guest)
{
    return host_exists(&scene.kernel.host,
                       "var/lib/libvirt-vgpu/evacuated/aaaaaaaa-0000-4000-8000-00000000000%u",
                       guest);
}

/* Who is away, and still where it was put, comes home. */
TEST(the_way_back)
{
    const char *uri = three_guests();

    typed_expect(&scene, uri, "vgpuctl evacuate --back", COMMAND_DONE, "", &typed);
    typed_assert_has(typed.faults, "nobody is away");
    put_record(1, "here", "0000:7f:00.0", "\"0000:3d:00.0\"");
    put_record(2, "here", "0000:9f:00.0", "\"0000:5e:00.0\"");
    put_record(9, "here", "0000:9f:00.0", "\"0000:5e:00.0\"");
    typed_golden(&scene, uri, "evacuate/back", "vgpuctl evacuate --back --dry-run");
    typed_expect(&scene, uri, "vgpuctl evacuate --back 9f:00.0 -rn -o DOMAIN,HOW", COMMAND_DONE,
                 "guest2 -\nguest9 -\n", &typed);
    typed_expect(&scene, uri, "vgpuctl evacuate --back --dry-run -rn -o DOMAIN,FROM,TO",
                 COMMAND_DONE, "guest1 0000:3d:00.0 0000:7f:00.0\n", &typed);
    fake_write(&scene.kernel, "var/lib/libvirt-vgpu/evacuated/aaaaaaaa-0000-4000-8000-000000000002",
               "moves = 1;");
    typed_expect(&scene, uri, "vgpuctl evacuate --back", COMMAND_FAILED,
                 "000000000002:1: moves must be", &typed);
}

/* A guest went to another host, and is not there any more. Nothing is left to bring home. */
TEST(who_has_left_the_other_host)
{
    fake_write(&scene.kernel, "var/lib/libvirt-vgpu/evacuated/aaaaaaaa-0000-4000-8000-000000000009",
               "moves = ( { domain = \"aaaaaaaa-0000-4000-8000-000000000009\"; name = \"guest9\";\n"
               "    way = \"live\"; host = \"" HERE "\"; from = [ \"0000:9f:00.0\" ]; } );\n");
    typed_expect(&scene, three_guests(), "vgpuctl evacuate --back -rn -o DOMAIN", COMMAND_DONE,
                 "guest9\n", &typed);
    assert_false(has_record(9));
}

/* A guest that was in hand when vgpuctl was killed is away if it is on another GPU than before. */
TEST(who_was_in_hand)
{
    const char *uri = three_guests();

    put_record(1, "here", "0000:3d:00.0", "");
    put_record(3, "here", "0000:7f:00.0", "");
    typed_expect(&scene, uri, "vgpuctl evacuate --back --dry-run -rn -o DOMAIN,HOW", COMMAND_DONE,
                 "guest3 here\nguest1 -\n", &typed);
    /* Without libvirt nobody knows whether a guest is off. */
    put_record(9, "here", "0000:9f:00.0", "");
    typed_expect(&scene, "test:///nowhere", "vgpuctl evacuate 9f:00.0", COMMAND_BUSY,
                 "what stays: 1 of 1", &typed);
    assert_true(has_record(9));
    typed_expect(&scene, "test:///nowhere", "vgpuctl evacuate --back 9f:00.0", COMMAND_BUSY,
                 "what stays: 1 of 1", &typed);
    assert_true(has_record(9));
    typed_expect(&scene, uri, "vgpuctl evacuate --back 9f:00.0", COMMAND_DONE,
                 "libvirt does not know it any more", &typed);
    assert_false(has_record(9));
}

/* libvirt's test driver with one guest, which does not run. Its definition names a function of
 * 0000:3d:00.0. */
static const char *
one_off(const char *how)
{
    AUTO_FREE char *four =
        typed_functions(4, how, "L40S-8Q", (const char *const[]){"0000:3d:00.6", NULL});

    return typed_libvirt(&scene, four);
}

/* A guest that went to another host and came back by itself is no concern of ours, whether it runs
 * or is saved. */
TEST(who_came_back_by_itself)
{
    const char *uri = one_off(TYPED_DEFINED "<test:hasmanagedsave>1</test:hasmanagedsave>");

    put_record(4, "live\"; host = \"qemu+ssh://other/system", "0000:3d:00.0", "");
    typed_expect(&scene, uri, "vgpuctl evacuate 3d:00.0 --dry-run", COMMAND_DONE, "", &typed);
    typed_assert_has(typed.faults, "nothing is there");
    typed_expect(&scene, uri, "vgpuctl evacuate --back -rn -o DOMAIN,HOW", COMMAND_DONE,
                 "guest4 -\n", &typed);
    assert_false(has_record(4));
}

/* A guest is not on a GPU where a place is only promised to it, nor where its vGPU is not gone yet.
 * So it is off, and is started. */
TEST(no_place_yet)
{
    static const struct {
        const char *gpu, *function, *state;
    } rows[] = {{"0000:7f:00.0", "0000:7f:00.4", "reserved"},
                {"0000:3d:00.0", "0000:3d:00.6", "reserved"},
                {"0000:3d:00.0", "0000:3d:00.6", "leaving"}};
    const char *uri = one_off(TYPED_DEFINED);
    char boot_id[64], text[1024];

    assert_true(host_read(&scene.kernel.host, boot_id, sizeof(boot_id),
                          "proc/sys/kernel/random/boot_id") > 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        put_record(4, "stop", "0000:3d:00.0", "");
        snprintf(text, sizeof(text),
                 "libvirt-vgpu-ledger 1 %s 1000\nvf %s nvidia-1150 8192 %s %s "
                 "aaaaaaaa-0000-4000-8000-000000000004 guest4 ua-gpu0 %s made 0:1 7 reap %lu\n",
                 boot_id, rows[i].function, rows[i].function, rows[i].gpu, rows[i].state,
                 (unsigned long)host_seconds(&scene.kernel.host));
        fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", text);
        typed_run(&scene, uri, "vgpuctl evacuate 3d:00.0 --dry-run -rn -o DOMAIN,HOW", &typed);
        typed_assert_has(typed.printed, "guest4 here\n");
        typed_run(&scene, uri, "vgpuctl evacuate --back --dry-run -rn -o DOMAIN,HOW", &typed);
        typed_assert_has(typed.printed, "guest4 stop\n");
        typed_run(&scene, "test:///default", "vgpuctl evacuate --back", &typed);
        assert_false(has_record(4));
    }
}

/* --except and vgpu.conf are obeyed for a guest that is off, and for one on another host, too. */
TEST(who_may_not_go_on)
{
    const char *uri = one_off(TYPED_DEFINED);

    put_record(4, "stop", "0000:3d:00.0", "");
    typed_expect(&scene, uri, "vgpuctl evacuate 3d:00.0 --except guest4", COMMAND_BUSY,
                 "what stays: 1 of 1", &typed);
    typed_assert_has(typed.printed, " stayed --except names it");
    put_record(6, "live\"; host = \"test:///default", "0000:7f:00.0", "");
    typed_expect(&scene, uri, "vgpuctl evacuate --back 7f:00.0 --except guest6", COMMAND_BUSY,
                 "what stays: 1 of 1", &typed);
    typed_assert_has(typed.printed, " stayed --except names it");
    scene_configure(&scene, "evacuate = [ \"here\" ];");
    typed_expect(&scene, uri, "vgpuctl evacuate --back 7f:00.0", COMMAND_BUSY, "what stays: 1 of 1",
                 &typed);
    typed_assert_has(typed.printed, "does not let it move to another host");
    scene_configure(&scene, "evacuate = [ \"live\" ];");
    typed_expect(&scene, uri, "vgpuctl evacuate --back 7f:00.0 --dry-run -rn -o HOW", COMMAND_DONE,
                 "live\n", &typed);
    assert_true(has_record(4));
    assert_true(has_record(6));
}

/* A guest that was saved and not started is told by doctor. Metrics count who is away. */
TEST(who_is_away)
{
    const char *uri = three_guests();

    put_record(3, "here", "0000:3d:00.0", "\"0000:5e:00.0\"");
    put_record(9, "here", "0000:9f:00.0", "");
    typed_expect(&scene, uri, "vgpuctl metrics", COMMAND_DONE, "\nlibvirt_vgpu_guests_away 2\n",
                 &typed);
    typed_run(&scene, uri, "vgpuctl doctor", &typed);
    assert_null(strstr(typed.printed, "'vgpuctl evacuate' has saved it"));
    fake_write(&scene.kernel, "var/lib/libvirt/qemu/save/guest9.save", "");
    typed_run(&scene, uri, "vgpuctl doctor", &typed);
    typed_assert_has(typed.printed, "the guest guest9 is off: 'vgpuctl evacuate' has saved it");
    typed_assert_has(typed.printed, "virsh start guest9");
    put_record(8, "stop", "0000:9f:00.0", "");
    fake_write(&scene.kernel, "run/libvirt/qemu/guest8.xml", "");
    typed_run(&scene, uri, "vgpuctl doctor", &typed);
    assert_null(strstr(typed.printed, "guest8 is off"));
    assert_int_equal(unlinkat(scene.kernel.host.root, "run/libvirt/qemu/guest8.xml", 0), 0);
    typed_run(&scene, uri, "vgpuctl doctor", &typed);
    typed_assert_has(typed.printed, "guest8 is off: 'vgpuctl evacuate' has shut it down");
    fake_write(&scene.kernel, "var/lib/libvirt-vgpu/evacuated/aaaaaaaa-0000-4000-8000-000000000009",
               "moves = 1;");
    typed_expect(&scene, uri, "vgpuctl metrics", COMMAND_DONE, "", &typed);
    typed_assert_has(typed.faults, "who is away is not counted");
}

/* doctor tells of no guest that runs, has arrived, or goes to another host. Somebody else has saved
 * these. */
TEST(who_is_not_told)
{
    static const struct {
        unsigned guest;
        const char *way, *to;
    } rows[] = {
        {3, "here", ""},
        {7, "here", "\"0000:5e:00.0\""},
        {8, "live\"; host = \"qemu+ssh://other/system", ""},
    };
    const char *uri = three_guests();

    for (size_t i = 0; i < COUNT(rows); i++) {
        char save[64];

        put_record(rows[i].guest, rows[i].way, "0000:3d:00.0", rows[i].to);
        snprintf(save, sizeof(save), "var/lib/libvirt/qemu/save/guest%u.save", rows[i].guest);
        fake_write(&scene.kernel, save, "");
        typed_run(&scene, uri, "vgpuctl doctor", &typed);
        assert_null(strstr(typed.printed, "'vgpuctl evacuate' has saved it"));
        assert_null(strstr(typed.printed, "moves"));
    }
}

/* Who is off, and names a function of a drained GPU, does not start. On the way back it does. */
TEST(who_is_off)
{
    static const char words[] = "guest4 is off, and its definition names 0000:7f:00.4 of "
                                "0000:7f:00.0: it does not start while that is drained";
    AUTO_FREE char *there =
        typed_functions(4, TYPED_DEFINED, "L40S-8Q", (const char *const[]){"0000:7f:00.4", NULL});
    AUTO_FREE char *elsewhere =
        typed_functions(5, TYPED_DEFINED, "L40S-8Q", (const char *const[]){"0000:9f:00.4", NULL});
    AUTO_FREE char *text = NULL;
    const char *uri;

    assert_true(asprintf(&text, "%s%s", there, elsewhere) > 0);
    uri = typed_libvirt(&scene, text);
    typed_expect(&scene, uri, "vgpuctl evacuate 7f:00.0", COMMAND_DONE, "", &typed);
    typed_assert_has(typed.faults, words);
    assert_null(strstr(typed.faults, "guest5"));
    typed_expect(&scene, uri, "vgpuctl evacuate --back 7f:00.0", COMMAND_DONE, "", &typed);
    assert_null(strstr(typed.faults, "guest4"));
}

/* What was drained by hand stays drained. */
TEST(whose_drain)
{
    const char *uri = three_guests();

    typed_expect(&scene, uri, "vgpuctl drain 9f:00.0 --reason noise", COMMAND_DONE, "", &typed);
    typed_expect(&scene, uri, "vgpuctl evacuate 7f:00.0 9f:00.0 --reason firmware", COMMAND_DONE,
                 "", &typed);
    typed_expect(&scene, uri, "vgpuctl status", COMMAND_DONE, "reason: firmware", &typed);
    typed_assert_has(typed.printed, "reason: noise");
    typed_expect(&scene, uri, "vgpuctl evacuate 3d:00.0 --except guest1 --except guest2",
                 COMMAND_BUSY, "what stays: 2 of 2", &typed);
    typed_expect(&scene, uri, "vgpuctl drain 3d:00.0 --reason broken", COMMAND_DONE, "", &typed);
    typed_expect(&scene, uri, "vgpuctl evacuate --back", COMMAND_DONE, "", &typed);
    typed_assert_has(typed.faults, "nobody is away");
    typed_expect(&scene, uri, "vgpuctl gpus -o GPU,DRAINED -rn", COMMAND_DONE,
                 "0000:3d:00.0 yes\n0000:5e:00.0 no\n0000:7f:00.0 no\n0000:9f:00.0 yes\n", &typed);
}

/* How long the last guest has stood still tells how long the next one will. */
TEST(the_pause)
{
    const char *uri = three_guests();

    fake_write(&scene.kernel, "var/lib/libvirt-vgpu/last-pause", "8192 4000\n");
    typed_expect(&scene, uri, "vgpuctl evacuate 5e:00.0 --dry-run -rn -o PAUSE", COMMAND_DONE,
                 "5\n", &typed);
    typed_golden(&scene, uri, "evacuate/pause-json", "vgpuctl evacuate 5e:00.0 --dry-run --json");
    fake_write(&scene.kernel, "var/lib/libvirt-vgpu/last-pause", "0 4000\n");
    typed_expect(&scene, uri, "vgpuctl evacuate 5e:00.0 --dry-run -rn -o PAUSE", COMMAND_DONE,
                 "-\n", &typed);
}

/* A kept vGPU goes, because the next start of its guest makes another one. */
TEST(a_kept_vgpu)
{
    scene_stop(&scene);
    scene_start_machine(&scene, "t4-l40s");
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    typed_expect(&scene, typed_libvirt(&scene, ""), "vgpuctl evacuate 18:00.0 --dry-run -rn -o HOW",
                 COMMAND_DONE, "reap\n", &typed);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    typed_expect(&scene, typed_libvirt(&scene, ""), "vgpuctl evacuate 18:00.0 -rn -o HOW,RESULT",
                 COMMAND_DONE, "reap removed\n", &typed);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* Two evacuations would spoil each other's plans. */
TEST(one_at_a_time)
{
    AUTO_CLOSE int lock = -1;
    struct error error;

    assert_int_equal(evacuation_lock(&scene.kernel.host, &lock, &error), 0);
    typed_expect(&scene, three_guests(), "vgpuctl evacuate 7f:00.0", COMMAND_BUSY,
                 "evacuates a GPU of this host: wait for its end", &typed);
    typed_expect(&scene, three_guests(), "vgpuctl evacuate 7f:00.0 --dry-run", COMMAND_DONE, "",
                 &typed);
}

static const char *
gpu_name(unsigned number)
{
    static char name[16];

    snprintf(name, sizeof(name), "0000:%02x:00.0", number + 16);
    return name;
}

/* 500 guests on 25 of 64 GPUs, which are to be empty. The time is told, and is no verdict. */
TEST(many_guests)
{
    AUTO_FREE char *machine = NULL, *domains = NULL, *ledger = NULL;
    char boot_id[64];
    FILE *leases;
    char line[1024] = "vgpuctl evacuate --dry-run -rn -o HOW";
    size_t size, placed = 0;
    clock_t begin;
    FILE *out = open_memstream(&machine, &size);

    for (unsigned gpu = 0; gpu < 64; gpu++)
        fprintf(out, "gpu 0000:%02x:00.0 vf vfs 32 rule size board \"NVIDIA L40S\"\n", gpu + 16);
    fclose(out);
    scene_stop(&scene);
    scene_start(&scene, machine);
    scene_configure(&scene, "max_instances = ( { types = [ \"L40S-2Q\" ]; max = 24; } );");
    assert_true(host_read(&scene.kernel.host, boot_id, sizeof(boot_id),
                          "proc/sys/kernel/random/boot_id") > 0);
    out = open_memstream(&domains, &size);
    leases = open_memstream(&ledger, &size);
    fprintf(leases, "libvirt-vgpu-ledger 1 %s 1000\n", boot_id);
    for (unsigned guest = 1; guest <= 500; guest++) {
        const char *gpu = gpu_name((guest - 1) / 20);
        char source[32];
        AUTO_FREE char *xml = NULL;

        snprintf(source, sizeof(source), "%s", scene_function(gpu, (guest - 1) % 20));
        xml = typed_functions(guest, "", "L40S-2Q", (const char *const[]){source, NULL});
        assert_int_equal(fake_make(&scene.kernel, source, "nvidia-1148", source), 0);
        fprintf(leases,
                "vf %s nvidia-1148 2048 %s %s aaaaaaaa-0000-4000-8000-%012u guest%u ua-gpu0 held "
                "made 1:1 %u reap 1\n",
                source, source, gpu, guest, guest, guest);
        fprintf(out, "%s", xml);
    }
    fclose(leases);
    fclose(out);
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", ledger);
    for (unsigned gpu = 0; gpu < 25; gpu++)
        snprintf(line + strlen(line), sizeof(line) - strlen(line), " %02x:00.0", gpu + 16);
    begin = clock();
    typed_run(&scene, typed_libvirt(&scene, domains), line, &typed);
    for (const char *at = typed.printed; (at = strstr(at, "here\n")); at++)
        placed++;
    print_message("%zu of 500 guests have a place: %.2f s of processor time\n", placed,
                  (double)(clock() - begin) / CLOCKS_PER_SEC);
    assert_int_equal(placed, 500);
}

TEST(usage)
{
    typed_expect(&scene, "test:///default", "vgpuctl evacuate", COMMAND_USAGE, "which GPU", &typed);
    typed_expect(&scene, "test:///default", "vgpuctl evacuate --back --reason x", COMMAND_USAGE,
                 "--back takes no", &typed);
    typed_expect(&scene, "test:///default", "vgpuctl evacuate 7f:00.0 --timeout 0", COMMAND_USAGE,
                 "--timeout 0", &typed);
}

TEST(nothing_there)
{
    typed_expect(&scene, three_guests(), "vgpuctl evacuate 7f:00.0", COMMAND_DONE, "", &typed);
    typed_assert_has(typed.faults, "nothing is there");
    typed_expect(&scene, three_guests(), "vgpuctl evacuate 99:00.0", COMMAND_FAILED, "99:00.0",
                 &typed);
}
