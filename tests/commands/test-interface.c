/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * An interface of the kernel, and a vendor, that no file of the product knows (fake/bandwidth.h).
 * The hook and all commands handle them by their rows. Each asker has its line here, so that none
 * forgets a row.
 *
 * A program without the row keeps such leases, removes nothing, and starts no guest.
 */

#include "fake/bandwidth.h"
#include "fake/fake-clock.h"
#include "fake/typed.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CARD  BANDWIDTH_CARD
#define ONE   "0000:65:00.1"
#define TWO   "0000:65:00.2"
#define THREE "0000:65:00.3"
#define MACHINE                                                                                    \
    BANDWIDTH_MACHINE "gpu 0000:18:00.0 rule size\n"                                               \
                      "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"

static struct scene scene;
static struct typed typed;

static void
begin(void)
{
    bandwidth_put(&scene.kernel);
    scene.kernel.host.interfaces = bandwidth_interfaces;
    scene.kernel.host.vendors = bandwidth_vendors;
}

static const struct typed_case here = {{.scene = &scene, .machine = MACHINE, .begin = begin},
                                       &typed};
#define TEST(function) TYPED_TEST(function, here)

static void
run(const char *line, int status, const char *words)
{
    if (typed_run(&scene, typed_libvirt(&scene, ""), line, &typed) != status)
        fail_msg("%s: %d\n%s%s", line, typed.status, typed.printed, typed.faults);
    typed_assert_has(*typed.printed ? typed.printed : typed.faults, words);
}

TEST(guests_get_it)
{
    scene_must_start_at(&scene, 1, ONE, "share-50");
    assert_int_equal(bandwidth_of(&scene.kernel, ONE), 50);
    scene_must_start_at(&scene, 2, TWO, "share-25");
    /* 75 percent are taken */
    scene_must_refuse_at(&scene, 3, THREE, "share-50", CARD " is full");
    assert_int_equal(bandwidth_of(&scene.kernel, THREE), 0);
    assert_int_equal(scene_release_at(&scene, 1, ONE), 0);
    assert_int_equal(bandwidth_of(&scene.kernel, ONE), 0);
    scene_must_start_at(&scene, 3, THREE, "share-50");
    assert_int_equal(scene_release_at(&scene, 2, TWO), 0);
    assert_int_equal(scene_release_at(&scene, 3, THREE), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
    assert_int_equal(bandwidth_of(&scene.kernel, TWO) + bandwidth_of(&scene.kernel, THREE), 0);
}

TEST(kept_ones_are_given_up)
{
    scene_configure(&scene, "release = \"keep\";");
    scene_must_start_at(&scene, 1, ONE, "share-100");
    assert_int_equal(scene_release_at(&scene, 1, ONE), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    scene_must_start_at(&scene, 2, TWO, "share-100");
    assert_int_equal(bandwidth_of(&scene.kernel, ONE), 0);
    assert_int_equal(bandwidth_of(&scene.kernel, TWO), 100);
    assert_int_equal(scene_release_at(&scene, 2, TWO), 0);
    run("vgpuctl reap " TWO, 0, "");
    assert_int_equal(bandwidth_of(&scene.kernel, TWO), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* The daemon that would release the vGPU is gone, and so is its guest. */
TEST(leftovers_are_found)
{
    pid_t daemon = fork();
    int status;

    if (daemon == 0) {
        pid_t hook = fork();

        if (hook == 0)
            _exit(scene_prepare_at(&scene, 1, ONE, "share-25"));
        waitpid(hook, &status, 0);
        _exit(WEXITSTATUS(status));
    }
    assert_int_equal(waitpid(daemon, &status, 0), daemon);
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(bandwidth_of(&scene.kernel, ONE), 25);
    scene_reconcile(&scene);
    assert_int_equal(bandwidth_of(&scene.kernel, ONE), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

TEST(commands_show_it)
{
    scene_must_start_at(&scene, 1, ONE, "share-50");
    run("vgpuctl types " CARD, 0, "Hose 25%");
    run("vgpuctl types " CARD " -rn -o TYPE,AVAILABLE", 0, "share-25 2\nshare-50 1\nshare-100 0\n");
    run("vgpuctl gpus -rn -o GPU,INTERFACE,MADE", 0, CARD " hose 1");
    run("vgpuctl list -rn -o DEVICE,TYPE,INTERFACE,DOMAIN", 0, ONE " share-50 hose guest1");
    run("vgpuctl status", 0, CARD);
    run("vgpuctl metrics", 0, "libvirt_vgpu_gpu_vgpus{gpu=\"" CARD "\"} 1\n");
    run("vgpuctl doctor", 1, "");
    assert_null(strstr(typed.printed, CARD));
    run("vgpuctl reap " ONE, 4, "");
    assert_int_equal(bandwidth_of(&scene.kernel, ONE), 50);
}

TEST(commands_judge_it)
{
    AUTO_FREE char *xml = typed_functions(5, "", "share-50", (const char *const[]){TWO, NULL});

    fake_write(&scene.kernel, "guest.xml", xml);
    assert_int_equal(fchdir(scene.kernel.host.root), 0);
    run("vgpuctl explain guest.xml", 0, TWO);
    run("vgpuctl check guest.xml", 0, "");
    scene_must_start_at(&scene, 1, ONE, "share-100");
    run("vgpuctl explain guest.xml", 3, "holds share-100 (1 in use)");
}

/* The row of the vendor forbids a half beside a quarter. Without this row nobody does. */
TEST(the_vendor_has_its_say)
{
    static const char unlike[] =
        "<metadata><vgpu:request xmlns:vgpu='urn:libvirt-vgpu:domain:1'>"
        "<vgpu:device alias='ua-gpu0' type='share-50'/>"
        "<vgpu:device alias='ua-gpu1' type='share-25'/></vgpu:request></metadata>";
    AUTO_FREE char *xml = typed_functions(5, unlike, "", (const char *const[]){ONE, TWO, NULL});

    run("vgpuctl types " CARD " -rn -o TYPE,HEADS", 0, "share-25 1\nshare-50 2\nshare-100 4\n");
    fake_write(&scene.kernel, "guest.xml", xml);
    assert_int_equal(fchdir(scene.kernel.host.root), 0);
    run("vgpuctl check guest.xml", 1, "Hose gives one guest shares of one size only");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, "Hose gives one guest shares of one size only");
    assert_int_equal(scene_leases(&scene, ""), 0);
    scene.kernel.host.vendors = NULL;
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_int_equal(bandwidth_of(&scene.kernel, ONE), 50);
    assert_int_equal(bandwidth_of(&scene.kernel, TWO), 25);
}

TEST(the_card_is_proved)
{
    run("vgpuctl prove " CARD, 0, "as predicted");
    assert_int_equal(bandwidth_of(&scene.kernel, ONE), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* An older version, say, has come back. */
TEST(a_program_without_the_row)
{
    uint64_t began;

    scene_must_start_at(&scene, 1, ONE, "share-50");
    assert_int_equal(scene_prepare(&scene, 2, 7, "T4-1B"), 0);
    scene.kernel.host.interfaces = NULL;

    assert_int_equal(scene_prepare(&scene, 3, 8, "T4-1B"), 1);
    scene_assert_said(&scene, "the guest guest1 has the vGPU " ONE ", of the interface \"hose\", "
                              "which this libvirt-vgpu does not know; install the version that");
    run("vgpuctl list -rn -o DEVICE,INTERFACE,DOMAIN", 0, ONE " unknown guest1");
    run("vgpuctl doctor", 1, "the guest guest1 has the vGPU " ONE ", of the interface \"hose\"");
    assert_int_equal(scene_release(&scene, 2, 7), 0);
    assert_int_equal(scene_leases(&scene, ""), 1);
    scene_reconcile(&scene);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(bandwidth_of(&scene.kernel, ONE), 50);

    /* Its own release only marks the lease, and waits for nothing. */
    began = fake_now();
    assert_int_equal(scene_release_at(&scene, 1, ONE), 0);
    assert_int_equal(scene_leases(&scene, ""), 1);
    assert_true(fake_now() - began < 1000);
    scene.kernel.host.interfaces = bandwidth_interfaces;
    scene_reconcile(&scene);
    assert_int_equal(scene_leases(&scene, ""), 0);
    assert_int_equal(bandwidth_of(&scene.kernel, ONE), 0);
}

/* The other version never comes back. */
TEST(an_unknown_lease_is_forgotten)
{
    scene_must_start_at(&scene, 1, ONE, "share-50");
    assert_int_equal(scene_prepare(&scene, 2, 7, "T4-1B"), 0);
    scene.kernel.host.interfaces = NULL;
    run("vgpuctl reconcile --rebuild", 0, "");
    /* The other lease was there, and stays. */
    assert_null(strstr(typed.printed, "adopted"));
    assert_int_equal(scene_leases(&scene, ""), 1);
    assert_int_equal(scene_prepare(&scene, 3, 8, "T4-1B"), 0);
    assert_int_equal(scene_release(&scene, 2, 7), 0);
    assert_int_equal(bandwidth_of(&scene.kernel, ONE), 50);
}
