/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vGPUs that stay for their guest's next start, and what other guests may do with them. */

#include "device/vgpu.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define MIXED                                                                                      \
    "gpu 0000:18:00.0 rule mixed memory 16384\n"                                                   \
    "type nvidia-901 \"X-1Q\" framebuffer 1024 max 16\n"                                           \
    "type nvidia-904 \"X-4Q\" framebuffer 4096 max 4\n"                                            \
    "type nvidia-908 \"X-8Q\" framebuffer 8192 max 2\n"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = SCENE_T4_AND_MTTY};
#define TEST(name) SCENE_TEST(name, here)
static const struct scene_case mixed = {.scene = &scene, .machine = MIXED};

/* release = "keep": the device stays for the guest's next start, and that start makes no device. */
TEST(kept_device_waits_for_its_guest)
{
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    assert_int_equal(scene.kernel.faults->writes, 1);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene.kernel.faults->writes, 1);
    /* A release comes late, or a second time, or after the configuration is gone. The lease says
     * that the device is kept. */
    scene_configure(&scene, "nonsense");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
}

/* A card with several sizes takes all sizes for which it has room. A type's maximum does not count
 * vGPUs of other types. */
SCENE_TEST(a_kept_size_makes_room, mixed)
{
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-8Q"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    for (unsigned i = 2; i < 8; i++)
        assert_int_equal(scene_prepare(&scene, i, i, "X-1Q"), 0);
    assert_int_equal(scene_prepare(&scene, 9, 9, "X-4Q"), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 0);
    scene_assert_type(&scene, scene_device(1), "");
    scene_assert_type(&scene, scene_device(9), "nvidia-904");
}

/* A guest may ask for nothing any more, and its XML names its device still. Then it starts with the
 * device, which nobody removes while the guest starts. */
TEST(its_guest_asks_no_more)
{
    static const char *const rows[] = {"", "enabled = false;", "nonsense"};
    AUTO_FREE char *xml = scene_xml(1, "", (unsigned[]){1, 0});

    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        struct fake_guest reader = {.device = -1, .group = -1};

        scene_configure(&scene, "release = \"keep\"; release_timeout = \"1s\"; default_class = "
                                "\"serial\"; classes = { serial = { types = [ \"mtty-2\" ]; }; };");
        assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
        if (i % 2) {
            /* Somebody has it open for a moment, so its removal is left for later. */
            scene_configure(&scene, "nonsense");
            reader = fake_open(&scene.kernel, scene_device(1));
        }
        assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
        fake_close(&reader);
        assert_int_equal(scene_leases(&scene, "held"), 0);
        scene_configure(&scene, rows[i / 2]);
        assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
        assert_int_equal(scene_leases(&scene, "held"), 1);
        scene_configure(&scene, "");
        scene_reconcile(&scene);
        assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
        assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-2"), 1);
        scene_assert_type(&scene, scene_device(1), "mtty-2");
        assert_int_equal(scene_release(&scene, 2, 2), 0);
        assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
        scene_stop(&scene);
        scene_start(&scene, SCENE_T4_AND_MTTY);
    }
}

/* Somebody has removed the kept device, and made another one of that UUID. It is not the guest's.
 */
TEST(it_is_made_anew_by_others)
{
    AUTO_FREE char *xml = scene_xml(1, "", (unsigned[]){1, 0});

    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(1)), 0);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "start", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    scene_assert_type(&scene, scene_device(1), "mtty-2");
}

/* A kept device is removed for other guests, but only if there is no other room. */
TEST(kept_device_is_reaped_when_in_the_way)
{
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-1B"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 2);
    assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-2"), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 2);
    assert_int_equal(scene_prepare(&scene, 4, 4, "mtty-2"), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "");
    /* All vGPUs of the card are kept. So a start can change the card's type. */
    assert_int_equal(scene_prepare(&scene, 5, 5, "T4-2Q"), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(2)), "");
    assert_int_equal(scene_leases(&scene, "kept"), 0);
    /* A held vGPU is not removed. */
    assert_int_equal(scene_prepare(&scene, 6, 6, "T4-1B"), 1);
    scene_assert_said(&scene, "0000:18:00.0 holds nvidia-230 (1 in use)");
}

/* A process has the kept device open, so the device cannot make room. It stays kept, and nobody
 * else removes it. A process that read the lease earlier must read it again, because the lease has
 * another number. */
TEST(busy_kept_device_stays_kept)
{
    struct fake_guest strays[2];
    uint64_t numbers[2];

    scene_configure(&scene, "release = \"keep\"; release_timeout = \"50ms\";");
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(scene_prepare(&scene, i + 1, i + 1, "mtty-2"), 0);
        assert_int_equal(scene_release(&scene, i + 1, i + 1), 0);
        strays[i] = fake_open(&scene.kernel, scene_device(i + 1));
        numbers[i] = scene_number(&scene, scene_device(i + 1));
    }
    assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-2"), 1);
    scene_assert_said(&scene, "in use");
    assert_int_equal(scene_leases(&scene, "kept"), 2);
    for (unsigned i = 0; i < 2; i++)
        assert_true(scene_number(&scene, scene_device(i + 1)) > numbers[i]);
    assert_true(scene_number(&scene, scene_device(1)) != scene_number(&scene, scene_device(2)));
    fake_close(&strays[1]);
    scene_reconcile(&scene);
    assert_int_equal(scene_leases(&scene, "kept"), 2);
    assert_int_equal(fake_count(&scene.kernel), 2);
    if (scene_prepare(&scene, 3, 3, "mtty-2") != 0)
        fail_msg("%s", scene.said);
    scene_assert_type(&scene, scene_device(2), "");
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    fake_close(&strays[0]);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene.kernel.faults->writes, 4);
}

/* Another program removed the kept device, and made another device with its UUID elsewhere. This
 * device is not ours. */
TEST(kept_device_made_anew_elsewhere)
{
    scene_configure(&scene, "release = \"keep\"; prepare_timeout = \"200ms\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(1)), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-222", scene_device(1)), 0);
    if (scene_prepare(&scene, 1, 1, "T4-1B") != 0)
        fail_msg("%s", scene.said);
    assert_int_equal(scene_leases(&scene, "found"), 1);
    assert_int_equal(scene_leases(&scene, ""), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* Another guest names the kept device. If the device has the right type, it moves to this guest.
 * Otherwise it is removed first. */
TEST(kept_device_moves)
{
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_prepare(&scene, 2, 1, "mtty-2"), 0);
    assert_int_equal(scene.kernel.faults->writes, 1);
    assert_int_equal(scene_release(&scene, 2, 1), 0);
    assert_int_equal(scene_prepare(&scene, 3, 1, "mtty-1"), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-1");
    assert_int_equal(scene_leases(&scene, ""), 1);
}

/*
 * A guest wants one more vGPU on a full GPU. It keeps the vGPU of its other demand, which may be
 * nowhere else. Another guest's vGPU is removed, although it is younger.
 */
TEST(own_kept_device_goes_last)
{
    static const char named[] =
        "<vgpu:device alias='ua-gpu1' type='A40-8Q' parent='0000:18:00.5'/>";
    static const char both[] = "<vgpu:device alias='ua-gpu2' type='A40-8Q'/>"
                               "<vgpu:device alias='ua-gpu1' type='A40-8Q' parent='0000:18:00.5'/>";
    AUTO_FREE char *before = scene_xml(1, named, (const unsigned[]){1, 0});
    AUTO_FREE char *after = scene_xml(1, both, (const unsigned[]){2, 1, 0});

    scene_stop(&scene);
    scene_start(&scene, "gpu 0000:18:00.0 vfs 2 rule size\n"
                        "type nvidia-562 \"NVIDIA A40-8Q\" framebuffer 8192 max 6\n"
                        "type nvidia-572 \"NVIDIA A40-8A\" framebuffer 8192 max 6\n");
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_hook(&scene, before, "prepare", "begin"), 0);
    assert_int_equal(scene_hook(&scene, before, "release", "end"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 3, "A40-8Q"), 0);
    assert_int_equal(scene_release(&scene, 2, 3), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 2);
    assert_int_equal(scene_hook(&scene, after, "prepare", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    scene_assert_type(&scene, scene_device(3), "");
    /* Each of the three vGPUs was made once, and one was removed. So the first one was not made
     * again. */
    assert_int_equal(scene.kernel.faults->writes, 4);
}

/* Each time the ledger is stored, it is a new file. */
static ino_t
the_ledger(void)
{
    struct stat status;

    assert_int_equal(host_status(&scene.kernel.host, "run/libvirt-vgpu/ledger", &status), 0);
    return status.st_ino;
}

TEST(a_release_without_work_writes_nothing)
{
    ino_t before;

    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    before = the_ledger();
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_not_equal(the_ledger(), before);
    before = the_ledger();
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_release(&scene, 3, 3), 0);
    assert_int_equal(the_ledger(), before);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    assert_int_equal(scene_leases(&scene, "held"), 1);
}
