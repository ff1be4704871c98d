/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Guests with several vGPUs of NVIDIA's. Their vGPUs must be of one board and of one series. */

#include "device/nvidia-table.h"
#include "fake/scene.h"
#include "fake/typed.h"

#include <stdio.h>
#include <string.h>

#define T4                                                                                         \
    " rule size\n"                                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"                                     \
    "type nvidia-230 \"GRID T4-1Q\" framebuffer 1024 max 16\n"                                     \
    "type nvidia-231 \"GRID T4-2Q\" framebuffer 2048 max 8\n"
#define MACHINE                                                                                    \
    "gpu 0000:18:00.0" T4 "gpu 0000:19:00.0" T4 "gpu 0000:3b:00.0 rule size\n"                     \
    "type nvidia-558 \"NVIDIA A40-1B\" framebuffer 1024 max 2\n"                                   \
    "type nvidia-562 \"NVIDIA A40-1Q\" framebuffer 1024 max 2\n"                                   \
    "gpu mtty rule pool 4\n"                                                                       \
    "type mtty-2 \"Dual port serial\" uses 2\n"
#define SMALL "classes = { small = { types = [ \"T4-1B\", \"T4-1Q\", \"A40-1B\" ]; }; };\n"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = MACHINE, .inside = true};
#define TEST(function) SCENE_TEST(function, here)

/* The guest asks for this as devices 1 and 2. */
static char *
xml_of(unsigned guest, const char *one, const char *other)
{
    char text[256];

    snprintf(text, sizeof(text),
             "<vgpu:device alias=\"ua-gpu1\" %s/><vgpu:device alias=\"ua-gpu2\" %s/>", one, other);
    return scene_xml(guest, text, (const unsigned[]){1, 2, 0});
}

static int
prepare(unsigned guest, const char *one, const char *other)
{
    AUTO_FREE char *xml = xml_of(guest, one, other);

    return scene_hook(&scene, xml, "prepare", "begin");
}

static void
release(unsigned guest)
{
    AUTO_FREE char *xml = xml_of(guest, "type=\"any\"", "type=\"any\"");

    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
}

TEST(unlike_ones_are_refused)
{
    static const struct {
        const char *one, *other, *words;
    } rows[] = {
        {"type=\"T4-1B\"", "type=\"T4-1Q\"",
         "ua-gpu1 (T4-1B) and ua-gpu2 (T4-1Q) cannot be in one guest: "},
        {"type=\"T4-1B\"", "type=\"A40-1B\"",
         "NVIDIA gives one guest vGPUs of one board and one series only"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(prepare(1, rows[i].one, rows[i].other), 1);
        scene_assert_said(&scene, rows[i].words);
        assert_int_equal(scene_leases(&scene, ""), 0);
    }
}

#define TYPE(id, name, several)                                                                    \
    "<vgpuType id='" id "' name='" name "'><multiVgpuSupported>" several                           \
    "</multiVgpuSupported></vgpuType>"
#define TAKES(id) "<supportedVgpu vgpuId='" id "'><maxVgpus>2</maxVgpus></supportedVgpu>"

/* A type that may be the only vGPU of its guest, by the table of its vendor, is the last choice for
 * a guest with several. The table refuses nobody. */
TEST(single_ones_are_the_last_choice)
{
    scene_stop(&scene);
    scene_start(&scene, "gpu 0000:18:00.0 device 1eb8 rule size\n"
                        "type nvidia-233 \"GRID T4-8Q\" framebuffer 8192 max 2\n"
                        "type nvidia-234 \"GRID T4-16Q\" framebuffer 16384 max 1\n"
                        "gpu 0000:19:00.0 device 1eb8 rule size\n"
                        "type nvidia-233 \"GRID T4-8Q\" framebuffer 8192 max 2\n"
                        "type nvidia-234 \"GRID T4-16Q\" framebuffer 16384 max 1\n");
    fake_write(
        &scene.kernel, NVIDIA_TABLE_PATH,
        "<vgpuconfig>" TYPE("233", "GRID T4-8Q", "0") TYPE(
            "234", "GRID T4-16Q",
            "1") "<pgpu><devId vendorId='0x10de' deviceId='0x1EB8' subsystemId='0'/>" TAKES("233")
            TAKES("234") "</pgpu></vgpuconfig>");
    scene_configure(&scene, "classes = { big = { types = [ \"T4-8Q\", \"T4-16Q\" ]; }; };\n");
    assert_int_equal(prepare(1, "class=\"big\"", "class=\"big\""), 0);
    scene_assert_type(&scene, scene_device(1), "nvidia-234");
    scene_assert_type(&scene, scene_device(2), "nvidia-234");
    release(1);
    assert_int_equal(prepare(1, "type=\"T4-8Q\"", "type=\"T4-8Q\""), 0);
    release(1);
    assert_int_equal(scene_prepare(&scene, 3, 3, "T4-8Q"), 0);
    scene_assert_type(&scene, scene_device(3), "nvidia-233");
}

TEST(like_ones_are_given)
{
    static const struct {
        const char *one, *other;
    } rows[] = {
        {"type=\"T4-1Q\"", "type=\"T4-2Q\""}, /* on two cards */
        {"type=\"T4-1B\"", "type=\"T4-1B\""},
        {"type=\"A40-1Q\"", "type=\"mtty-2\""},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (prepare(1, rows[i].one, rows[i].other) != 0)
            fail_msg("%s", scene.said);
        release(1);
    }
    scene_configure(&scene, "unlike_vgpus = true;");
    assert_int_equal(prepare(1, "type=\"T4-1B\"", "type=\"A40-1Q\""), 0);
    release(1);
}

/* The class prefers T4-1B, but only T4-1Q goes with the other. */
TEST(a_class_gives_what_goes_together)
{
    scene_configure(&scene, SMALL);
    assert_int_equal(prepare(1, "class=\"small\"", "type=\"T4-2Q\""), 0);
    scene_assert_type(&scene, scene_device(1), "nvidia-230");
    release(1);
    assert_int_equal(prepare(1, "class=\"small\"", "class=\"small\""), 0);
    scene_assert_type(&scene, scene_device(1), "nvidia-222");
    scene_assert_type(&scene, scene_device(2), "nvidia-222");
    release(1);
}

/* A vGPU that was kept for the guest does not go with what the guest wants now. */
TEST(a_kept_one_gives_way)
{
    scene_configure(&scene, SMALL "release = \"keep\";");
    assert_int_equal(prepare(1, "class=\"small\"", "class=\"small\""), 0);
    release(1);
    assert_int_equal(scene_leases(&scene, "kept"), 2);
    if (prepare(1, "class=\"small\"", "type=\"T4-2Q\"") != 0)
        fail_msg("%s", scene.said);
    scene_assert_type(&scene, scene_device(1), "nvidia-230");
    scene_assert_type(&scene, scene_device(2), "nvidia-231");
}

/* Somebody else, such as mdevctl, makes the guest's second vGPU. One that is not there yet refuses
 * nobody, and one of another vendor goes with all. */
TEST(others_vgpus_count)
{
    AUTO_FREE char *xml = scene_xml(1, "<vgpu:device alias=\"ua-gpu1\" type=\"T4-1B\"/>",
                                    (const unsigned[]){1, 2, 0});
    AUTO_FREE char *any = scene_xml(1, "<vgpu:device alias=\"ua-gpu1\" class=\"small\"/>",
                                    (const unsigned[]){1, 2, 0});

    scene_configure(&scene, SMALL);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    release(1);
    assert_int_equal(fake_make(&scene.kernel, "0000:19:00.0", "nvidia-230", scene_device(2)), 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, "would give it GRID T4-1B beside GRID T4-1Q, and NVIDIA gives");
    assert_int_equal(scene_leases(&scene, ""), 0);
    if (scene_hook(&scene, any, "prepare", "begin") != 0)
        fail_msg("%s", scene.said);
    scene_assert_type(&scene, scene_device(1), "nvidia-230");
    release(1);
    scene_configure(&scene, "unlike_vgpus = true;");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    release(1);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(2)), 0);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(2)), 0);
    scene_configure(&scene, "");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    release(1);
}

/* explain and check say the same before the start. */
TEST(commands_say_so)
{
    AUTO_FREE char *xml = xml_of(1, "type=\"T4-1B\"", "type=\"T4-1Q\"");
    struct typed typed = {0};

    fake_write(&scene.kernel, "guest.xml", xml);
    assert_int_equal(typed_run(&scene, "test:///default", "vgpuctl explain guest.xml", &typed), 1);
    typed_assert_has(typed.faults, "ua-gpu1 (T4-1B) and ua-gpu2 (T4-1Q) cannot be in one guest");
    assert_int_equal(typed_run(&scene, "test:///default", "vgpuctl check guest.xml", &typed), 1);
    typed_assert_has(typed.faults, "one board and one series");
    typed_clear(&typed);
}
