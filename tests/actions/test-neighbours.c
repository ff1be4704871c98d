/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Guests with virtual functions beside each other: which functions belong to others, and which are
 * for anybody. */

#include "fake/scene.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define T4     "gpu 0000:18:00.0 rule size numa 0 board \"GRID T4\"\n"
#define CARD1  "0000:3d:00.0"
#define CARD2  "0000:41:00.0"
#define FIRST  "gpu " CARD1 " vf vfs 3 rule size numa 0 board \"NVIDIA L40S\"\n"
#define SECOND "gpu " CARD2 " vf vfs 2 rule size numa 0 board \"NVIDIA L40S\"\n"
#define CLASSES                                                                                    \
    "classes = { big = { types = [ \"T4-16Q\", \"L40S-16Q\" ]; }; };\n"                            \
    "release_timeout = \"300ms\";\n"
#define BIG "<vgpu:device alias=\"ua-gpu1\" class=\"big\"/>"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = NULL};
#define TEST(function) SCENE_TEST(function, here)

static void
begin(const char *machine, const char *config)
{
    AUTO_FREE char *text = NULL;

    scene_start(&scene, machine);
    assert_true(asprintf(&text, CLASSES "%s", config) > 0);
    scene_configure(&scene, text);
}

static void
hooks(const char *xml, const char *operation, const char *sub)
{
    if (scene_hook(&scene, xml, operation, sub) != 0)
        fail_msg("%s: %s", operation, scene.said);
}

static void
starts(unsigned guest, const char *function, const char *type)
{
    if (scene_prepare_at(&scene, guest, function, type) != 0)
        fail_msg("%s", scene.said);
}

/* The function is foreign. It stays foreign when leftovers of others are removed to make a place
 * beside it. */
TEST(a_found_one_is_left_as_it_is)
{
    const char *foreign = scene_function(CARD1, 0), *made = scene_function(CARD1, 1),
               *kept = scene_function(CARD1, 2);
    AUTO_FREE char *xml = scene_xml_of(1,
                                       "<vgpu:device alias=\"ua-gpu1\" type=\"L40S-24Q\"/>"
                                       "<vgpu:device alias=\"ua-gpu2\" type=\"L40S-24Q\"/>",
                                       (const char *const[]){foreign, made, NULL});

    begin(FIRST, "release = \"keep\";");
    starts(2, kept, "L40S-24Q");
    assert_int_equal(scene_release_at(&scene, 2, kept), 0);
    scene_configure(&scene, CLASSES);
    assert_int_equal(fake_make(&scene.kernel, foreign, "nvidia-1155", NULL), 0);
    hooks(xml, "prepare", "begin");
    assert_string_equal(fake_type_of(&scene.kernel, made), "nvidia-1155");
    assert_string_equal(fake_type_of(&scene.kernel, kept), "");
    assert_int_equal(scene_leases(&scene, "found"), 1);
    hooks(xml, "release", "end");
    assert_string_equal(fake_type_of(&scene.kernel, foreign), "nvidia-1155");
}

/* The same with mediated devices. */
TEST(a_found_mdev_is_left_as_it_is)
{
    AUTO_FREE char *xml = scene_xml(1,
                                    "<vgpu:device alias=\"ua-gpu1\" type=\"T4-8Q\"/>"
                                    "<vgpu:device alias=\"ua-gpu2\" type=\"T4-8Q\"/>",
                                    (const unsigned[]){1, 2, 0});
    AUTO_FREE char *type = NULL;

    begin(T4, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 2, 3, "T4-8Q"), 0);
    assert_int_equal(scene_release(&scene, 2, 3), 0);
    type = strdup(fake_type_of(&scene.kernel, scene_device(3)));
    scene_configure(&scene, CLASSES);
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", type, scene_device(1)), 0);
    hooks(xml, "prepare", "begin");
    assert_int_equal(scene_leases(&scene, "found"), 1);
    hooks(xml, "release", "end");
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), type);
}

/* While the start asks the driver again for the first function, somebody else sets a type on the
 * second. */
TEST(one_that_is_found_meanwhile_is_left)
{
    const char *first = scene_function(CARD1, 0), *second = scene_function(CARD1, 1);
    AUTO_FREE char *xml = scene_xml_of(1,
                                       "<vgpu:device alias=\"ua-gpu1\" type=\"L40S-16Q\"/>"
                                       "<vgpu:device alias=\"ua-gpu2\" type=\"L40S-16Q\"/>",
                                       (const char *const[]){first, second, NULL});
    pid_t other;

    begin(FIRST, "");
    scene.kernel.faults->refuse = 1;
    other = fork();
    if (other == 0) {
        fake_sleep(250);
        _exit(-fake_make(&scene.kernel, second, "nvidia-1154", NULL));
    }
    hooks(xml, "prepare", "begin");
    assert_int_equal(waitpid(other, NULL, 0), other);
    assert_string_equal(fake_type_of(&scene.kernel, first), "nvidia-1154");
    assert_int_equal(scene_leases(&scene, "found"), 1);
    hooks(xml, "release", "end");
    assert_string_equal(fake_type_of(&scene.kernel, second), "nvidia-1154");
}

/* The function has no vGPU, and the guest asks for none. A guest may have many such devices, and
 * none of them is ours. */
TEST(a_guest_with_many_devices_is_not_stopped)
{
    static const char *const operations[] = {"prepare", "migrate", "restore"};
    const char *sources[301] = {0};

    begin(FIRST, "");
    for (size_t i = 0; i < COUNT(sources) - 1; i++) {
        char source[32];

        snprintf(source, sizeof(source), "0000:%02zx:%02zx.%zx", 0x80 + i / 64, i / 8 % 8, i % 8);
        sources[i] = strdup(source);
    }
    for (size_t i = 0; i < COUNT(operations); i++) {
        AUTO_FREE char *xml = scene_xml_of(1, "", sources);

        for (char *at = xml; (at = strstr(at, "ua-gpu"));)
            memcpy(at, "hostde", 6);
        hooks(xml, operations[i], "begin");
    }
    for (size_t i = 0; i < COUNT(sources) - 1; i++)
        free((void *)sources[i]);
}

/* Another guest's definition still names the function, and other functions are free. So this guest
 * gets another function. The same holds for a kept UUID. */
TEST(others_kept_ones_are_not_for_who_arrives)
{
    const char *kept = scene_function(CARD1, 1), *next = scene_function(CARD1, 0);
    AUTO_FREE char *xml = scene_xml_of(1, BIG, (const char *const[]){kept, NULL});
    AUTO_FREE char *moved = scene_xml_of(1, BIG, (const char *const[]){next, NULL});

    begin(FIRST, "release = \"keep\";");
    starts(2, kept, "L40S-16Q");
    assert_int_equal(scene_release_at(&scene, 2, kept), 0);
    hooks(xml, "migrate", "begin");
    assert_string_equal(scene.printed, moved);
    hooks(*scene.printed ? moved : xml, "prepare", "begin");
    starts(2, kept, "L40S-16Q");
}

/* The guest went away from here, and its QEMU has not closed the function yet. Now the guest comes
 * back from a host where it had the same address. Other functions are free. */
TEST(who_comes_back_early_gets_another)
{
    const char *own = scene_function(CARD1, 0);
    AUTO_FREE char *xml = scene_xml_of(1, BIG, (const char *const[]){own, NULL});
    struct fake_guest guest;
    AUTO_FREE char *moved = NULL;

    begin(FIRST, "");
    hooks(xml, "prepare", "begin");
    guest = fake_open(&scene.kernel, own);
    hooks(xml, "release", "end");
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    hooks(xml, "migrate", "begin");
    moved = strdup(*scene.printed ? scene.printed : xml);
    if (scene_hook(&scene, moved, "prepare", "begin") != 0) {
        fake_close(&guest);
        fail_msg("%s", scene.said);
    }
    fake_close(&guest);
}

/* A start finds a way to place both devices. So the arriving guest may have both. */
TEST(what_a_start_could_place_is_not_refused)
{
    static const char devices[] =
        "<vgpu:device alias=\"ua-gpu1\" type=\"A40-24Q\"/>"
        "<vgpu:device alias=\"ua-gpu2\" type=\"A40-24Q\" parent=\"0000:41:00.4\"/>";
    AUTO_FREE char *xml = scene_xml(1, devices, (const unsigned[]){1, 2, 0});

    begin("gpu 0000:41:00.0 vfs 2 rule size numa 0 board \"NVIDIA A40\"\n", "");
    hooks(xml, "prepare", "begin");
    hooks(xml, "release", "end");
    hooks(xml, "migrate", "begin");
}

/* No figure of an empty card tells how many vGPUs of a type it takes. But a promise of the largest
 * type takes all that the card has. */
TEST(two_that_arrive_get_a_card_each)
{
    static const char device[] = "<vgpu:device alias=\"ua-gpu1\" type=\"L40S-48Q\"/>";
    AUTO_FREE char *first = NULL;
    AUTO_FREE char *second = NULL;

    begin(FIRST SECOND, "");
    for (unsigned guest = 1; guest <= 2; guest++) {
        AUTO_FREE char *xml =
            scene_xml_of(guest, device, (const char *const[]){"0000:e7:00.4", NULL});

        hooks(xml, "migrate", "begin");
        *(guest == 1 ? &first : &second) = strdup(scene.printed);
    }
    hooks(first, "prepare", "begin");
    hooks(second, "prepare", "begin");
}

/* The same with two devices of one guest. */
TEST(both_devices_get_a_card_each)
{
    static const char devices[] = "<vgpu:device alias=\"ua-gpu1\" type=\"L40S-48Q\"/>"
                                  "<vgpu:device alias=\"ua-gpu2\" type=\"L40S-48Q\"/>";
    AUTO_FREE char *xml =
        scene_xml_of(1, devices, (const char *const[]){"0000:e7:00.4", "0000:e7:00.5", NULL});
    AUTO_FREE char *moved = NULL;

    begin(FIRST SECOND, "");
    hooks(xml, "migrate", "begin");
    moved = strdup(scene.printed);
    hooks(moved, "prepare", "begin");
}

/* One address can stay and one cannot. Only the second is changed. */
TEST(what_can_stay_stays)
{
    static const char devices[] = "<vgpu:device alias=\"ua-gpu1\" type=\"L40S-16Q\"/>"
                                  "<vgpu:device alias=\"ua-gpu2\" type=\"L40S-16Q\"/>";
    const char *stays = scene_function(CARD1, 1), *next = scene_function(CARD1, 0);
    AUTO_FREE char *xml =
        scene_xml_of(1, devices, (const char *const[]){stays, "0000:e7:00.4", NULL});
    AUTO_FREE char *moved = scene_xml_of(1, devices, (const char *const[]){stays, next, NULL});

    begin(FIRST, "");
    hooks(xml, "migrate", "begin");
    assert_string_equal(scene.printed, moved);
}

/* The vGPU is kept here for this very guest, on a card that the vGPU fills. */
TEST(its_own_kept_mdev_is_kept)
{
    AUTO_FREE char *xml = scene_xml_of(1, BIG, (const char *const[]){scene_device(1), NULL});

    begin(T4 FIRST, "release = \"keep\";");
    hooks(xml, "prepare", "begin");
    hooks(xml, "release", "end");
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    hooks(xml, "restore", "begin");
    assert_string_equal(scene.printed, "");
}

/* If a place was not printed, it is not promised. */
TEST(a_failed_arrival_promises_nothing)
{
    AUTO_FREE char *xml = scene_xml_of(1, BIG, (const char *const[]){"0000:e7:00.4", NULL});
    AUTO_FREE char *latin = NULL;

    begin(FIRST, "");
    assert_true(asprintf(&latin, "<?xml version='1.0' encoding='ISO-8859-1'?>\n%s", xml) > 0);
    assert_int_equal(scene_hook(&scene, latin, "migrate", "begin"), 1);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* A network card with an alias is not counted among the devices that got a vGPU. */
TEST(an_alias_alone_is_not_counted)
{
    AUTO_FREE char *xml = scene_xml_of(1, "", (const char *const[]){"0000:00:1f.2", NULL});

    begin("pci 0000:00:1f.2 driver ahci\n" FIRST, "");
    starts(2, scene_function(CARD1, 0), "L40S-16Q");
    unlinkat(scene.kernel.host.root, "run/libvirt-vgpu/counters/prepare.ok", 0);
    hooks(xml, "prepare", "begin");
    assert_false(host_exists(&scene.kernel.host, "run/libvirt-vgpu/counters/prepare.ok"));
}

/* The processor time of this process, which does not grow when the machine is busy. */
static unsigned
milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (unsigned)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

/* The number of devices. There is one card less than devices. No search finds out in time that the
 * devices do not fit. */
#define UNLIKE 13

/* Returns the time that the hook needs for an event of a guest on such cards. All devices of the
 * guest differ. */
static unsigned
time_of_unlike(const char *card, const char *type, const char *source, const char *operation)
{
    char machine[4096] = "", devices[4096] = "", config[4096] = "classes = {";
    char texts[UNLIKE][64];
    const char *sources[UNLIKE + 1] = {0};
    AUTO_FREE char *xml = NULL;
    unsigned start;

    for (unsigned i = 0; i < UNLIKE; i++) {
        if (i > 0)
            snprintf(machine + strlen(machine), sizeof(machine) - strlen(machine),
                     "gpu 0000:%02x:00.0 %s\n", 0x20 + i, card);
        snprintf(config + strlen(config), sizeof(config) - strlen(config),
                 "c%u = { types = [ \"%s\", \"none-%u\" ]; };", i, type, i);
        snprintf(devices + strlen(devices), sizeof(devices) - strlen(devices),
                 "<vgpu:device alias=\"ua-gpu%u\" class=\"c%u\"/>", i + 1, i);
        snprintf(texts[i], sizeof(texts[i]), "%s%02x%s", source, i,
                 strchr(source, ':') ? ".0" : "");
        sources[i] = texts[i];
    }
    strcat(config, "};");
    scene_start(&scene, machine);
    scene_configure(&scene, config);
    xml = scene_xml_of(1, devices, sources);
    start = milliseconds();
    /* A start must know whether the guest can start. An arrival must only not claim that the guest
     * could never start. */
    assert_int_equal(scene_hook(&scene, xml, operation, "begin"), !strcmp(operation, "prepare"));
    return milliseconds() - start;
}

/* The event must not hold the lock for much longer than a start that searches for as long. */
TEST(an_arrival_is_judged_in_bearable_time)
{
    unsigned start, arrival;

    start = time_of_unlike("rule size numa 0 board \"GRID T4\"", "T4-16Q",
                           "dddddddd-0000-4000-8000-0000000000", "prepare");
    assert_non_null(strstr(scene.said, "more ways than were tried"));
    scene_stop(&scene);
    arrival = time_of_unlike("vf vfs 1 rule size numa 0 board \"NVIDIA L40S\"", "L40S-48Q",
                             "0000:e7:", "migrate");
    print_message("a start %u ms, an arrival %u ms\n", start, arrival);
    assert_true(arrival < 4 * start);
}

/* A refusal on a large host. Its message is for one guest, and its time delays everybody. The hook
 * looks at the host twice. */
TEST(a_refusal_is_quick)
{
    char machine[4096] = "";
    unsigned start, good;

    for (unsigned i = 0; i < 4; i++)
        snprintf(machine + strlen(machine), sizeof(machine) - strlen(machine),
                 "gpu 0000:%02x:00.0 vf vfs 64 rule size numa 0 board \"NVIDIA L40S\"\n",
                 0x20 + 16 * i);
    scene_start(&scene, machine);
    scene_configure(&scene, "classes = { any = { framebuffer = \"1G\"; }; };");
    assert_int_equal(scene_prepare_at(&scene, 2, "0000:20:00.4", "L40S-1Q"), 0);
    for (int i = 0; i < 2; i++) {
        AUTO_FREE char *xml =
            scene_xml_of(1, "<vgpu:device alias=\"ua-gpu1\" class=\"any\"/>",
                         (const char *const[]){i ? "0000:20:00.4" : "0000:20:00.5", NULL});

        start = milliseconds();
        (void)scene_hook(&scene, xml, "prepare", "begin");
        print_message("%u ms: %s\n", milliseconds() - start, scene.said);
        if (!i)
            good = milliseconds() - start;
        else
            assert_true(milliseconds() - start < 4 * good + 100);
    }
}
