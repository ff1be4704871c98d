/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which vGPUs the hook makes for guests that start, and why a guest gets none. */

#include "actions/dry-run.h"
#include "device/vgpu.h"
#include "domain/request-parser.h"
#include "fake/scene.h"
#include "lease/counters.h"

#include <stdio.h>
#include <string.h>

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = SCENE_T4_AND_MTTY};
#define TEST(name) SCENE_TEST(name, here)
#define T4                                                                                         \
    " rule size\ntype nvidia-233 \"GRID T4-8Q\" framebuffer 8192 max 2\n"                          \
    "type nvidia-234 \"GRID T4-16Q\" framebuffer 16384 max 1\n"
static const struct scene_case two_cards = {.scene = &scene,
                                            .machine = "gpu 0000:18:00.0" T4 "gpu 0000:3b:00.0" T4};
static const struct scene_case three_units = {.scene = &scene,
                                              .machine =
                                                  "gpu mtty rule pool 3\n"
                                                  "type mtty-1 \"Single port serial\" uses 1\n"
                                                  "type mtty-2 \"Dual port serial\" uses 2\n"};

TEST(start_and_end)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
    assert_string_equal(scene.said, "");
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "nvidia-222");
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
}

TEST(type_by_any_word)
{
    static const struct {
        const char *word, *type;
    } table[] = {
        {"nvidia-230", "nvidia-230"},   {"GRID T4-2Q", "nvidia-230"}, {"T4-2Q", "nvidia-230"},
        {"Dual port serial", "mtty-2"}, {"mtty-1", "mtty-1"},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        assert_int_equal(scene_prepare(&scene, 1, 1, table[i].word), 0);
        assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), table[i].type);
        assert_int_equal(scene_release(&scene, 1, 1), 0);
    }
    scene_assert_empty(&scene);
}

TEST(full_says_why)
{
    for (unsigned i = 1; i <= 3; i++)
        assert_int_equal(scene_prepare(&scene, i, i, "T4-1B"), 0);
    assert_int_equal(scene_prepare(&scene, 4, 4, "T4-1B"), 1);
    scene_assert_said(
        &scene, "guest4: no GPU can take ua-gpu4 (T4-1B): 0000:18:00.0 is full (3 of 3), mtty has "
                "no such type");
    assert_int_equal(scene_prepare(&scene, 4, 4, "T4-2Q"), 1);
    scene_assert_said(&scene, "0000:18:00.0 holds nvidia-222 (3 in use)");
    assert_int_equal(fake_count(&scene.kernel), 3);
    assert_int_equal(scene_leases(&scene, "held"), 3);
    for (unsigned i = 1; i <= 4; i++)
        assert_int_equal(scene_release(&scene, i, i), 0);
    scene_assert_empty(&scene);
}

TEST(unknown_type_lists_the_known)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-9Q"), 1);
    scene_assert_said(
        &scene, "guest1: ua-gpu1 wants T4-9Q, which no GPU here has (did you mean T4-2Q?); there "
                "are: nvidia-222 (GRID T4-1B)");
    assert_int_equal(scene_prepare(&scene, 1, 1, "nothing like it"), 1);
    scene_assert_said(&scene, "which no GPU here has; there are: nvidia-222");
    scene_assert_empty(&scene);
}

static const char class_conf[] = "classes = { small = { types = [ \"T4-2Q\", \"mtty-2\" ]; }; };";

TEST(class_falls_to_its_second_type)
{
    const char *device = "<vgpu:device class=\"small\"/>";
    static const char *const expected[] = {"nvidia-230", "nvidia-230", "mtty-2"};

    scene_configure(&scene, class_conf);
    for (unsigned i = 1; i <= 3; i++) {
        AUTO_FREE char *xml = scene_xml(i, device, (const unsigned[]){i, 0});

        assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
        assert_string_equal(fake_type_of(&scene.kernel, scene_device(i)), expected[i - 1]);
    }
}

TEST(all_devices_or_none)
{
    const char *devices = "<vgpu:device alias=\"ua-gpu1\" type=\"mtty-2\"/>"
                          "<vgpu:device alias=\"ua-gpu2\" type=\"mtty-2\"/>"
                          "<vgpu:device alias=\"ua-gpu3\" type=\"mtty-2\"/>";
    AUTO_FREE char *xml = scene_xml(1, devices, (const unsigned[]){1, 2, 3, 0});

    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, "not for all together");
    scene_assert_empty(&scene);
}

/* Three units are left. The driver says 3 for the one type, and 1 for the other, which takes two
 * units. */
SCENE_TEST(two_types_share_what_is_left, three_units)
{
    const char *devices = "<vgpu:device alias=\"ua-gpu1\" type=\"mtty-1\"/>"
                          "<vgpu:device alias=\"ua-gpu2\" type=\"mtty-2\"/>";
    AUTO_FREE char *xml = scene_xml(1, devices, (const unsigned[]){1, 2, 0});

    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_int_equal(fake_count(&scene.kernel), 2);
}

/* libvirt starts QEMU after the hook's `start`. A device that nobody has made is QEMU's riddle, so
 * it is told before. */
TEST(a_start_without_a_prepare)
{
    AUTO_FREE char *asks = scene_xml(1, "<vgpu:device type=\"mtty-2\"/>", (const unsigned[]){1, 0});
    AUTO_FREE char *plain = scene_xml(2, "", (const unsigned[]){2, 0});

    assert_int_equal(scene_hook(&scene, asks, "start", "begin"), 1);
    scene_assert_said(&scene, "guest1: the vGPU dddddddd-0000-4000-8000-000000000001 that it asks "
                              "for was not made");
    /* Nobody asks us for this one. */
    assert_int_equal(scene_hook(&scene, plain, "start", "begin"), 0);
    /* Somebody else has made it. */
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-222", scene_device(1)), 0);
    assert_int_equal(scene_hook(&scene, asks, "start", "begin"), 0);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(1)), 0);
    /* Another guest's lease does not help. */
    assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-2"), 0);
    assert_int_equal(scene_hook(&scene, asks, "start", "begin"), 1);
    /* A broken ledger stops only the guest that asks. */
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", "rubbish\n");
    assert_int_equal(scene_hook(&scene, plain, "start", "begin"), 0);
    assert_int_equal(scene_hook(&scene, asks, "start", "begin"), 1);
    scene_assert_said(&scene, "/run/libvirt-vgpu/ledger");
}

TEST(two_devices_on_two_gpus)
{
    const char *devices = "<vgpu:device alias=\"ua-gpu1\" type=\"mtty-2\"/>"
                          "<vgpu:device alias=\"ua-gpu2\" type=\"T4-1B\"/>";
    AUTO_FREE char *xml = scene_xml(1, devices, (const unsigned[]){1, 2, 0});

    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-2");
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(2)), "nvidia-222");
    assert_int_equal(scene_hook(&scene, xml, "start", "begin"), 0);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(2)), 0);
    assert_int_equal(scene_hook(&scene, xml, "start", "begin"), 1);
    scene_assert_said(&scene, "was made on 0000:18:00.0, and is not there any more");
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    scene_assert_empty(&scene);
}

TEST(clone_is_refused_and_changes_nothing)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 1, "mtty-2"), 1);
    scene_assert_said(
        &scene, "guest2: ua-gpu1: the vGPU dddddddd-0000-4000-8000-000000000001 belongs to the "
                "guest guest1 (held)");
    assert_int_equal(scene_release(&scene, 2, 1), 0);
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
}

TEST(foreign_device_is_used_and_left)
{
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-1"), 1);
    scene_assert_said(&scene,
                      "is there already, of type mtty-2 (Dual port serial) on mtty and not mtty-1");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_leases(&scene, "found"), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-2");
}

/* The guest asks for no vGPU any more. Its last run lost a vGPU. This is no reason to refuse the
 * start. */
TEST(start_looks_at_what_the_guest_has)
{
    AUTO_FREE char *xml = scene_xml(1, "", (const unsigned[]){2, 0});

    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(1)), 0);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(2)), 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    if (scene_hook(&scene, xml, "start", "begin") != 0)
        fail_msg("%s", scene.said);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* Nobody asks for this type any more. So on every card only the lease tells the type's size. */
SCENE_TEST(quota_of_a_size_holds_on_every_card, two_cards)
{
    static const char *const cards[] = {"0000:18:00.0", "0000:3b:00.0"};

    scene_configure(&scene,
                    "classes = { large = { framebuffer = \"8G\"; }; };\n"
                    "quotas = ( { domains = [ \"guest*\" ]; class = \"large\"; max = 1; } );\n");
    for (size_t i = 0; i < COUNT(cards); i++) {
        AUTO_FREE char *devices = NULL, *xml = NULL;

        assert_true(asprintf(&devices,
                             "<vgpu:device alias=\"ua-gpu1\" type=\"T4-16Q\" parent=\"%s\"/>",
                             cards[i]) > 0);
        xml = scene_xml(1, devices, (const unsigned[]){1, 0});
        assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
        assert_int_equal(scene_prepare(&scene, 2, 2, "T4-8Q"), 1);
        scene_assert_said(&scene, "the quota of 1 for class large is used up (1; ");
        assert_int_equal(scene_release(&scene, 1, 1), 0);
    }
}

TEST(quota_holds_for_any_words)
{
    scene_configure(&scene,
                    "classes = { small = { types = [ \"mtty-2\", \"T4-1B\" ]; }; };\n"
                    "quotas = ( { domains = [ \"guest*\" ]; class = \"small\"; max = 2; } );\n");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "nvidia-222"), 0);
    assert_int_equal(scene_prepare(&scene, 3, 3, "Dual port serial"), 1);
    scene_assert_said(
        &scene, "the quota of 2 for class small is used up (2; /etc/libvirt-vgpu/vgpu.conf:2)");
    assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-1"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_prepare(&scene, 4, 4, "mtty-2"), 0);
}

TEST(one_alias_is_one_device)
{
    scene_configure(&scene, "domains = ( { name = \"*\"; devices = (\n"
                            "{ alias = \"ua-a\"; type = \"mtty-1\"; },\n"
                            "{ alias = \"ua-a\"; type = \"mtty-2\"; } ); } );\n");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-1"), 1);
    scene_assert_said(&scene,
                      "/etc/libvirt-vgpu/vgpu.conf:3: the alias \"ua-a\" is listed already, at "
                      "/etc/libvirt-vgpu/vgpu.conf:2");
}

TEST(parameters_reach_the_driver)
{
    static const char with_param[] = "<vgpu:device type=\"%s\">"
                                     "<vgpu:param name=\"frame_rate_limiter\" value=\"0\"/>"
                                     "</vgpu:device>";
    char text[256], params[64];
    char *xml;

    snprintf(text, sizeof(text), with_param, "T4-1B");
    xml = scene_xml(1, text, (const unsigned[]){1, 0});
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_true(host_read(&scene.kernel.host, params, sizeof(params),
                          "sys/bus/mdev/devices/%s/nvidia/vgpu_params", scene_device(1)) > 0);
    assert_string_equal(params, "frame_rate_limiter=0");
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    free(xml);
    snprintf(text, sizeof(text), with_param, "mtty-1");
    xml = scene_xml(1, text, (const unsigned[]){1, 0});
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, "the driver of mtty takes no parameters");
    free(xml);
    scene_assert_empty(&scene);
}

/* A kept device still has the parameters of its last run when its guest takes it back. */
TEST(parameters_of_the_last_run_are_cleared)
{
    static const char with_param[] = "<vgpu:device type=\"T4-1B\">"
                                     "<vgpu:param name=\"frame_rate_limiter\" value=\"0\"/>"
                                     "</vgpu:device>";
    AUTO_FREE char *xml = scene_xml(1, with_param, (const unsigned[]){1, 0});
    char params[64];

    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    assert_int_equal(scene.kernel.faults->writes, 2);
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
        assert_true(host_read(&scene.kernel.host, params, sizeof(params),
                              "sys/bus/mdev/devices/%s/nvidia/vgpu_params", scene_device(1)) >= 0);
        assert_string_equal(params, " ");
        assert_int_equal(scene.kernel.faults->writes, 3);
        assert_int_equal(scene_release(&scene, 1, 1), 0);
    }
}

TEST(near_the_guests_node)
{
    static const char xml[] =
        "<domain><name>guest1</name><uuid>aaaaaaaa-0000-4000-8000-000000000001</uuid>"
        "<metadata><r:request xmlns:r='urn:libvirt-vgpu:domain:1'>"
        "<r:device type='T4-1B' numa='require'/></r:request></metadata>"
        "<vcpu cpuset='4-5'>2</vcpu><devices><hostdev mode='subsystem' type='mdev' "
        "model='vfio-pci'><source><address uuid='dddddddd-0000-4000-8000-000000000001'/></source>"
        "</hostdev></devices></domain>";
    struct vgpu found;
    struct name uuid, gpu;

    scene_stop(&scene);
    scene_start(&scene, "gpu 0000:18:00.0 rule size numa 0\n"
                        "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 3\n"
                        "gpu 0000:19:00.0 rule size numa 1\n"
                        "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 1\n");
    fake_write(&scene.kernel, "sys/devices/system/node/node0/cpulist", "0-3\n");
    fake_write(&scene.kernel, "sys/devices/system/node/node1/cpulist", "4-7\n");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_int_equal(name_parse_uuid(&uuid, scene_device(1)), 0);
    assert_int_equal(vgpu_find(&scene.kernel.host, &uuid, &found, &gpu), 0);
    assert_string_equal(gpu.text, "0000:19:00.0");
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-1B"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:19:00.0", "nvidia-222", scene_device(3)), 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(
        &scene, "0000:18:00.0 is not on the guest's NUMA nodes, 0000:19:00.0 is full (1 of 1)");
}

/* --- a start and explain ---------------------------------------------------------------------- */

#define MANY 13 /* vGPUs that differ, so that there are many ways to place them */

/* A machine without room for one of them. Each parent more makes the search longer. */
static void
start_a_full_machine(unsigned parents)
{
    char machine[512];

    scene_stop(&scene);
    snprintf(machine, sizeof(machine),
             "gpu 0000:18:00.0 rule size\ntype x-1 \"GRID X-1\" framebuffer 1024 max %u\n"
             "gpu 0000:3b:00.0 rule size\ntype x-1 \"GRID X-1\" framebuffer 1024 max %u\n"
             "gpu 0000:5e:00.0 vfs %u rule size\ntype x-2 \"GRID X-2\" framebuffer 1024 max 1\n",
             MANY / 2, MANY / 2, parents);
    scene_start(&scene, machine);
}

/* The class of the refusal that explain tells. */
static enum error_class
explained(const char *xml)
{
    const struct document document = {(char *)xml, strlen(xml)};
    AUTO(request_clear) struct request request = {0};
    AUTO(dry_run_sight_clear) struct dry_run_sight sight = DRY_RUN_UNSEEN;
    AUTO(dry_run_clear) struct dry_run dry_run = {0};
    struct error error;

    if (request_parse(&document, &request, &error) < 0 ||
        dry_run_look(&scene.kernel.host, &request, false, &sight, &error) < 0 ||
        dry_run_make(&dry_run, &sight, &request, &dry_run_unchanged, &error) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(dry_run.outcome, DRY_RUN_REFUSED);
    return dry_run.refusal.class;
}

/* Whether a place is missing now or for good takes further searches, and these are bounded. The
 * search of the decision is not counted with them, however long it took. */
TEST(a_long_search_does_not_turn_never_into_not_now)
{
    AUTO_FREE char *xml = NULL;
    unsigned numbers[MANY + 1] = {0}, parents = MANY;
    char devices[100 * MANY];

    for (unsigned i = 0, at = 0; i < MANY; i++) {
        numbers[i] = i + 1;
        at += (unsigned)sprintf(
            devices + at, "<vgpu:device alias='ua-gpu%u' type='X-1' traits='!t%u'/>", i + 1, i);
    }
    xml = scene_xml(1, devices, numbers);
    /* The searches become longer, until explain cannot tell either. */
    for (start_a_full_machine(parents); explained(xml) == ERROR_NEVER; parents += 3) {
        struct counters counters;

        assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
        counters_read(&scene.kernel.host, &counters);
        if (counters.counts[COUNTERS_PREPARE][COUNTERS_CONFIG] != 1)
            fail_msg("%u parents", parents);
        start_a_full_machine(parents + 3);
    }
    assert_true(parents > MANY);
}
