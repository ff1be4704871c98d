/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A saved state loads only into the type with which it was saved. Here a class has two types, and
 * each GPU has one of them. The first type is full at the start, so the guest gets the second. At
 * the restore both are free, and the first would be better.
 */

#include "fake/fake-parts.h"
#include "fake/scene.h"

#include <stdio.h>
#include <string.h>

#define FIRST  "nvidia-222"
#define SECOND "nvidia-230"
#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 1\n"                                      \
    "gpu 0000:3b:00.0 rule size\n"                                                                 \
    "type nvidia-230 \"GRID T4-2Q\" framebuffer 2048 max 1\n"                                      \
    "gpu 0000:3c:00.0 rule size\n"                                                                 \
    "type nvidia-301 \"GRID T4-4Q\" framebuffer 4096 max 1\n"
#define POLICY "classes = { any = { types = [ \"nvidia-222\", \"nvidia-230\" ]; }; };\n"
#define RECORD "var/lib/libvirt-vgpu/saved"
#define GUEST  1
#define DEVICE 1
#define OTHER  9 /* a vGPU that takes the place of a type */

static struct scene scene;
static char *xml; /* of the guest */

static int
set_up(void **state)
{
    scene_start(&scene, MACHINE);
    scene_configure(&scene, POLICY);
    xml = scene_xml(GUEST, "<vgpu:device alias=\"ua-gpu1\" class=\"any\"/>",
                    (const unsigned[]){DEVICE, 0});
    return 0;
}

static int
tear_down(void **state)
{
    free(xml);
    scene.extra = NULL;
    scene_stop(&scene);
    return 0;
}

/* --- what happens to the guest ---------------------------------------------------------------- */

static void
must(const char *operation, const char *sub)
{
    if (scene_hook(&scene, xml, operation, sub) != 0)
        fail_msg("%s: %s", operation, scene.said);
    assert_string_equal(scene.said, "");
}

static void
take(const char *type)
{
    assert_int_equal(fake_make(&scene.kernel, strcmp(type, FIRST) ? "0000:3b:00.0" : "0000:18:00.0",
                               type, scene_device(OTHER)),
                     0);
}

static void
give_back(void)
{
    assert_int_equal(fake_remove(&scene.kernel, scene_device(OTHER)), 0);
}

/* The guest runs with this type: the other one is full at its start. */
static void
run_with(const char *type)
{
    take(strcmp(type, FIRST) ? FIRST : SECOND);
    must("prepare", "begin");
    must("start", "begin");
    must("started", "begin");
    scene_assert_type(&scene, scene_device(DEVICE), type);
    give_back();
}

/* The guest ends for this reason. */
static void
end(const char *reason)
{
    scene.extra = reason;
    must("release", "end");
    scene.extra = NULL;
    scene_assert_type(&scene, scene_device(DEVICE), "");
}

static void
run_and_end(const char *type, const char *reason)
{
    run_with(type);
    end(reason);
}

/* The guest's next start gets this type. With a saved state, libvirt calls `restore` before it. */
static void
starts_with(const char *type, bool is_restored)
{
    if (is_restored)
        must("restore", "begin");
    must("prepare", "begin");
    scene_assert_type(&scene, scene_device(DEVICE), type);
    end("failed");
}

/* --- tests ------------------------------------------------------------------------------------ */

#define TEST(name) UNIT_TEST_IN(name, set_up, tear_down, NULL)

TEST(a_restored_guest_gets_the_type_that_it_was_saved_with)
{
    run_and_end(SECOND, "saved");
    starts_with(SECOND, true);
    /* A restore that fails keeps the record. */
    starts_with(SECOND, true);
}

/* libvirt before 10.5 tells no reason. */
TEST(without_a_reason_it_may_have_been_saved)
{
    run_and_end(SECOND, "-");
    starts_with(SECOND, true);
}

TEST(a_guest_that_was_not_saved_leaves_no_record)
{
    static const char *const reasons[] = {"shutdown",      "destroyed", "crashed", "failed",
                                          "from snapshot", "migrated",  "daemon",  "unknown"};

    for (size_t i = 0; i < COUNT(reasons); i++) {
        run_and_end(SECOND, reasons[i]);
        assert_false(host_exists(&scene.kernel.host, RECORD));
    }
    starts_with(FIRST, true);
}

/* A start that failed before the guest ran has saved nothing. */
TEST(a_guest_that_has_not_run_leaves_no_record)
{
    take(FIRST);
    must("prepare", "begin");
    end("-");
    give_back();
    starts_with(FIRST, true);
}

TEST(a_plain_start_is_never_bound)
{
    run_and_end(SECOND, "saved");
    starts_with(FIRST, false);
    /* A start without the saved state follows a restore that was refused. */
    take(SECOND);
    must("restore", "begin");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    give_back();
    starts_with(FIRST, false);
    /* A restore that libvirt gives up says nothing of a start a minute later. */
    must("restore", "begin");
    fake_sleep(61000);
    starts_with(FIRST, false);
}

TEST(a_type_that_is_taken_is_refused_in_words)
{
    run_and_end(SECOND, "saved");
    take(SECOND);
    must("restore", "begin");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, "its saved state loads only into nvidia-230");
    scene_assert_type(&scene, scene_device(DEVICE), "");
    give_back();
    starts_with(SECOND, true);
}

/* This host can never give the type: libvirt hears that before it stops anything else. */
TEST(a_type_that_is_gone_is_refused_at_once)
{
    run_and_end(SECOND, "saved");
    scene_configure(&scene, POLICY "gpus = ( { address = \"0000:3b:00.0\"; enabled = false; } );");
    assert_int_equal(scene_hook(&scene, xml, "restore", "begin"), 1);
    scene_assert_said(&scene, "its saved state loads only into nvidia-230");
    scene_configure(&scene, POLICY);
    starts_with(FIRST, false);
}

/* There may be images of both types. So nobody knows which one is restored. */
TEST(of_two_types_neither_is_known)
{
    run_and_end(SECOND, "saved");
    run_and_end(FIRST, "saved");
    starts_with(FIRST, true);
    take(FIRST);
    must("restore", "begin");
    must("prepare", "begin");
    scene_assert_type(&scene, scene_device(DEVICE), SECOND);
    end("failed");
    give_back();
    run_and_end(SECOND, "saved");
    starts_with(FIRST, true);
}

/* Somebody else has a device with the guest's UUID by now. So the restore gives the guest another
 * UUID. The type is found by the alias, or else follows the UUID. */
TEST(a_new_uuid_has_the_type_of_the_old_one)
{
    static const char *const policies[] = {POLICY, POLICY "default_class = \"any\";\n"};

    for (size_t i = 0; i < COUNT(policies); i++) {
        AUTO_FREE char *before = NULL;

        scene_configure(&scene, policies[i]);
        if (i > 0) {
            free(xml);
            xml = scene_xml(GUEST, "", (const unsigned[]){DEVICE, 0});
            memcpy(strstr(xml, "ua-gpu1"), "hostdev", strlen("hostdev"));
        }
        run_and_end(SECOND, "saved");
        assert_int_equal(
            fake_make(&scene.kernel, "0000:3c:00.0", "nvidia-301", scene_device(DEVICE)), 0);
        must("restore", "begin");
        assert_int_equal(fake_remove(&scene.kernel, scene_device(DEVICE)), 0);
        assert_string_not_equal(scene.printed, "");
        before = xml;
        xml = strdup(scene.printed);
        must("prepare", "begin");
        /* It has the place of the second type. */
        assert_int_equal(fake_make(&scene.kernel, "0000:3b:00.0", SECOND, scene_device(OTHER)),
                         -EIO);
        end("failed");
    }
}

TEST(another_guest_is_not_bound)
{
    AUTO_FREE char *other =
        scene_xml(2, "<vgpu:device alias=\"ua-gpu2\" class=\"any\"/>", (const unsigned[]){2, 0});

    run_and_end(SECOND, "saved");
    assert_int_equal(scene_hook(&scene, other, "restore", "begin"), 0);
    assert_int_equal(scene_hook(&scene, other, "prepare", "begin"), 0);
    scene_assert_type(&scene, scene_device(2), FIRST);
    assert_int_equal(scene_hook(&scene, other, "release", "end"), 0);
}

/* The record is in the way of nothing: the guest ends, and its next start is as without it. */
TEST(a_record_that_cannot_be_written_stops_nothing)
{
    fake_put(scene.kernel.host.root, "a file", RECORD);
    run_and_end(SECOND, "saved");
    starts_with(FIRST, true);
}
