/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Intel's virtual functions: the hook writes a profile before the guest gets its function, and
 * clears the profile afterwards. */

#include "actions/reap.h"
#include "actions/reconcile.h"
#include "base/array.h"
#include "device/profile.h"
#include "fake/chance.h"
#include "fake/fake-parts.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CARD "0000:03:00.0"
#define VF1  "0000:03:00.4"
#define VF2  "0000:03:00.5"
#define VF3  "0000:03:00.6"
#define VF4  "0000:03:00.7"
#define IGPU "0000:00:00.0"
#define IVF  "0000:00:00.4"
#define L40S "0000:3d:00.0"

#define MACHINE                                                                                    \
    "gpu " CARD " xe vfs 4 memory 16384 numa 1\n"                                                  \
    "gpu " IGPU " xe vfs 1\n"                                                                      \
    "gpu " L40S " vf vfs 4 rule size\n"                                                            \
    "type nvidia-1154 \"NVIDIA L40S-16Q\" framebuffer 16384 max 3\n"
#define PROFILES                                                                                   \
    "profiles = { b50-4g = { vram = \"4G\"; exec_quantum = \"20ms\"; preempt_timeout = "           \
    "\"500ms\"; }; b50-8g = { vram = \"8G\"; }; quick = { exec_quantum = \"5ms\"; }; };\n"
#define STATED "gpus = ( { address = \"" CARD "\"; vram = \"16G\"; } );\n"
#define BOTH   "classes = { any = { types = [ \"L40S-16Q\", \"b50-8g\" ]; }; };\n"
#define ANY    "<vgpu:device alias=\"ua-gpu1\" class=\"any\"/>"
#define GIB    (1ull << 30)

static struct scene scene;
static const struct scene_case here = {
    .scene = &scene, .machine = MACHINE, .configuration = PROFILES STATED};
#define TEST(function) SCENE_TEST(function, here)

static void
assert_profile(const char *function, uint64_t vram, uint64_t quantum, uint64_t timeout)
{
    const uint64_t *numbers = fake_profile(&scene.kernel, function);

    assert_int_equal(numbers[0], vram);
    assert_int_equal(numbers[1], quantum);
    assert_int_equal(numbers[2], timeout);
}

/* Nobody has a function, and none of our profiles is left on it. */
static void
assert_free(const char *function)
{
    assert_profile(function, 0, 0, 0);
    assert_false(host_exists(&scene.kernel.host, "run/libvirt-vgpu/functions/%s.type", function));
    assert_false(host_exists(&scene.kernel.host, "run/libvirt-vgpu/functions/%s.former", function));
}

static void
starts(unsigned guest, const char *function, const char *type)
{
    scene_must_start_at(&scene, guest, function, type);
}

static void
refuses(unsigned guest, const char *function, const char *type, const char *words)
{
    scene_must_refuse_at(&scene, guest, function, type, words);
}

TEST(a_profile_is_written_and_taken_back)
{
    uint64_t *former = fake_profile(&scene.kernel, VF2);

    starts(1, VF1, "b50-4g");
    assert_profile(VF1, 4 * GIB, 20, 500000);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    refuses(2, VF1, "b50-4g", "the vGPU " VF1 " belongs to the guest guest1 (held)");
    former[0] = GIB;
    former[1] = 7;
    starts(2, VF2, "b50-8g");
    assert_profile(VF2, 8 * GIB, 7, 0);
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    assert_free(VF1);
    assert_int_equal(scene_release_at(&scene, 2, VF2), 0);
    assert_profile(VF2, GIB, 7, 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* The card has 8 + 4 + 4 GiB. Another size fits only if there is room for it. */
TEST(to_the_last_mib)
{
    starts(1, VF1, "b50-8g");
    starts(2, VF2, "b50-4g");
    refuses(3, VF3, "b50-8g", CARD);
    starts(3, VF3, "b50-4g");
    refuses(4, VF4, "b50-4g", CARD " is full");
    starts(4, VF4, "quick");
    assert_profile(VF4, 0, 5, 0);
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    starts(1, VF1, "b50-8g");
}

/* A guest that asks for no vGPU, or another program, has a function. */
TEST(somebody_has_it_without_us)
{
    struct fake_guest guest = {.group = -1, .device = fake_open_group(&scene.kernel, VF1)};
    char words[160];
    pid_t qemu = fake_hand_over(&guest);

    snprintf(words, sizeof(words), "(b50-4g) cannot be on " VF1 ": it is in use by process %d (",
             qemu);
    refuses(1, VF1, "b50-4g", words);
    assert_free(VF1);
    fake_end(qemu);
    starts(1, VF1, "b50-4g");
}

/* The memory of a function counts as room for this function. */
TEST(what_is_there_already_counts)
{
    for (size_t i = 0; i < 4; i++)
        *fake_profile(&scene.kernel, (const char *const[]){VF1, VF2, VF3, VF4}[i]) =
            (i < 2 ? 4 : 3) * GIB;
    starts(1, VF1, "b50-4g");
    refuses(2, VF2, "b50-8g", CARD);
    starts(2, VF3, "b50-4g");
    assert_profile(VF3, 4 * GIB, 20, 500000);
    starts(3, VF4, "b50-4g");
    assert_int_equal(scene_release_at(&scene, 2, VF3), 0);
    assert_profile(VF3, 3 * GIB, 0, 0);
}

/* The configuration does not say how much memory the card has. The driver refuses a profile that is
 * too large, and the hook reports this. */
TEST(memory_that_nobody_stated)
{
    scene_configure(&scene, PROFILES);
    starts(1, VF1, "b50-8g");
    starts(2, VF2, "b50-8g");
    refuses(3, VF3, "b50-4g", "No space left on device");
    assert_free(VF3);
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    starts(3, VF3, "b50-4g");
}

/* An integrated GPU has no memory of its own. So the hook writes only the other numbers. */
TEST(an_integrated_gpu)
{
    starts(1, IVF, "b50-4g");
    assert_profile(IVF, 0, 20, 500000);
    assert_int_equal(scene_release_at(&scene, 1, IVF), 0);
    assert_free(IVF);
    scene_configure(&scene, PROFILES "classes = { big = { framebuffer = \"4G\"; }; };");
    for (unsigned i = 0; i < 2; i++) {
        AUTO_FREE char *xml = scene_xml_of(1, "<vgpu:device alias=\"ua-gpu1\" class=\"big\"/>",
                                           (const char *const[]){i ? IVF : VF1, NULL});

        assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), (int)i);
    }
}

/* On a card without dynamic memory the file vram_quota can only be read (0444). So no profile has
 * memory there, and nothing is written. */
TEST(memory_that_is_fixed)
{
    AUTO_FREE char *xml = scene_xml_of(2, "<vgpu:device alias=\"ua-gpu1\" class=\"big\"/>",
                                       (const char *const[]){VF2, NULL});

    scene_stop(&scene);
    scene_start(&scene, "gpu " CARD " xe vfs 2 memory 16384 fixed\n");
    scene_configure(&scene, PROFILES STATED "classes = { big = { framebuffer = \"4G\"; }; };");
    fake_profile(&scene.kernel, VF1)[0] = 6 * GIB;
    starts(1, VF1, "b50-8g");
    assert_profile(VF1, 6 * GIB, 0, 0);
    starts(2, VF2, "b50-4g");
    assert_profile(VF2, 0, 20, 500000);
    assert_int_equal(scene_release_at(&scene, 2, VF2), 0);
    assert_free(VF2);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    assert_profile(VF1, 6 * GIB, 0, 0);
    assert_int_equal(vgpu_xe.has_share(&scene.kernel.host, &(const struct name){VF1}), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* Cards that do not share their time have no files of times. */
TEST(times_that_are_not_there)
{
    scene_stop(&scene);
    scene_start(&scene, "gpu " CARD " xe vfs 2 memory 16384 timeless\n");
    scene_configure(&scene, PROFILES STATED);
    starts(1, VF1, "b50-4g");
    starts(2, VF2, "quick");
    assert_profile(VF1, 4 * GIB, 0, 0);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    assert_int_equal(scene_release_at(&scene, 2, VF2), 0);
    assert_free(VF1);
    assert_free(VF2);
}

TEST(errors_of_the_driver)
{
    struct fake_faults *faults = scene.kernel.faults;

    for (unsigned at = 1; at <= 3; at++) {
        faults->fail_at = faults->writes + at;
        faults->fail_with = ENOSPC;
        refuses(1, VF1, "b50-4g", "No space left on device");
        faults->fail_at = 0;
        assert_free(VF1);
    }
    faults->uneven = true;
    refuses(1, VF1, "b50-4g", CARD);
    faults->uneven = false;
    starts(1, VF1, "b50-4g");
    faults->fail_at = faults->writes + 2;
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    faults->fail_at = 0;
    assert_int_equal(scene_leases(&scene, ""), 1);
    starts(1, VF1, "b50-4g");
    assert_profile(VF1, 4 * GIB, 20, 500000);
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    assert_free(VF1);
}

/* The card fails after the first number, and refuses to clear it, too. The function still belongs
 * to us. It is given back as soon as the card accepts that. */
TEST(written_by_half)
{
    struct fake_faults *faults = scene.kernel.faults;

    faults->fail_at = faults->writes + 2;
    faults->fail_with = EIO;
    faults->fail_on = true;
    assert_int_equal(scene_prepare_at(&scene, 1, VF1, "b50-4g"), 1);
    scene_assert_said(&scene, "the vGPU " VF1 " (b50-4g) is only half made: the driver");
    assert_int_equal(*fake_profile(&scene.kernel, VF1), 4 * GIB);
    assert_int_equal(scene_leases(&scene, ""), 1);
    faults->fail_at = 0;
    faults->fail_on = false;
    starts(1, VF1, "b50-4g");
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    assert_free(VF1);
}

/* The driver rounds up, so it shows more than the hook wrote. */
TEST(the_driver_rounds_up)
{
    scene_configure(&scene, STATED "profiles = { odd = { vram = \"1001M\"; }; };");
    starts(1, VF1, "odd");
    assert_profile(VF1, 1002ull << 20, 0, 0);
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    assert_free(VF1);
}

/* The driver shortens long times without a message. So no card offers a profile with such times,
 * and nothing is written. */
TEST(times_that_the_driver_cuts_off)
{
    unsigned writes;

    scene_configure(&scene, STATED "profiles = { slow = { exec_quantum = \"101s\"; };\n"
                                   "late = { preempt_timeout = \"2m\"; };\n"
                                   "most = { exec_quantum = \"100s\"; preempt_timeout = "
                                   "\"100s\"; }; };\n");
    starts(1, VF1, "most");
    assert_profile(VF1, 0, 100000, 100000000);
    writes = scene.kernel.faults->writes;
    refuses(2, VF2, "slow", "its GPU " CARD " has no such type");
    refuses(2, VF2, "late", "its GPU " CARD " has no such type");
    assert_int_equal(scene.kernel.faults->writes, writes);
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    assert_free(VF1);
}

/* A guest that has its vGPU keeps the numbers. Its next start gets the numbers of the present
 * configuration. */
TEST(a_profile_that_changes)
{
    starts(1, VF1, "b50-4g");
    scene_configure(&scene, STATED "profiles = { b50-4g = { vram = \"5G\"; }; };");
    assert_profile(VF1, 4 * GIB, 20, 500000);
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    assert_free(VF1);
    starts(1, VF1, "b50-4g");
    assert_profile(VF1, 5 * GIB, 0, 0);
    scene_configure(&scene, STATED);
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    assert_free(VF1);
}

TEST(a_pool_has_it_first)
{
    scene_configure(&scene,
                    PROFILES STATED "pools = { spare = { functions = [ \"" VF4 "\" ]; }; };");
    starts(1, VF4, "spare");
    assert_profile(VF4, 0, 0, 0);
    refuses(2, VF4, "b50-4g", VF4);
    assert_int_equal(scene_release_at(&scene, 1, VF4), 0);
    assert_free(VF4);
    scene_configure(&scene, PROFILES STATED);
    starts(1, VF4, "b50-4g");
}

TEST(a_class_has_a_type_of_each)
{
    AUTO_FREE char *xml = scene_xml_of(1, ANY, (const char *const[]){VF1, NULL});

    scene_configure(&scene, PROFILES STATED BOTH);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_profile(VF1, 8 * GIB, 0, 0);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    assert_free(VF1);
}

TEST(managed)
{
    AUTO_FREE char *xml = scene_xml_at(1, VF1, "type=\"b50-4g\"");
    AUTO_FREE char *managed = scene_managed(xml);

    assert_int_equal(scene_hook(&scene, managed, "prepare", "begin"), 0);
    assert_profile(VF1, 4 * GIB, 20, 500000);
    assert_int_equal(scene_hook(&scene, managed, "release", "end"), 0);
    assert_free(VF1);
}

/* The guest asks for a class. The function decides which type of the class the guest gets. */
TEST(managed_by_a_class)
{
    AUTO_FREE char *xml = scene_xml_of(1, ANY, (const char *const[]){VF1, NULL});
    AUTO_FREE char *managed = scene_managed(xml);
    AUTO_FREE char *other =
        scene_xml_of(2, ANY, (const char *const[]){scene_function(L40S, 0), NULL});
    AUTO_FREE char *taken = scene_managed(other);

    scene_configure(&scene, PROFILES STATED BOTH);
    assert_int_equal(scene_hook(&scene, managed, "prepare", "begin"), 0);
    assert_profile(VF1, 8 * GIB, 0, 0);
    assert_int_equal(scene_hook(&scene, taken, "prepare", "begin"), 1);
    scene_assert_said(&scene, "ua-gpu1 (any) cannot be on 0000:3d:00.4: its GPU " L40S
                              " makes vGPUs for managed='no' only: libvirt would unbind its "
                              "driver");
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_hook(&scene, other, "prepare", "begin"), 0);
    assert_int_equal(scene_hook(&scene, other, "release", "end"), 0);
    assert_int_equal(scene_hook(&scene, managed, "release", "end"), 0);
    assert_free(VF1);
}

/* The hook cannot change managed='yes'. So the guest gets one of Intel's functions. NVIDIA's
 * function, which its XML names, is free. */
TEST(managed_by_a_class_at_arrival)
{
    AUTO_FREE char *xml =
        scene_xml_of(1, ANY, (const char *const[]){scene_function(L40S, 0), NULL});
    AUTO_FREE char *managed = scene_managed(xml);
    AUTO_FREE char *printed = NULL;

    scene_configure(&scene, PROFILES STATED BOTH);
    if (scene_hook(&scene, managed, "migrate", "begin") != 0)
        fail_msg("%s", scene.said);
    printed = strdup(scene.printed);
    assert_non_null(strstr(printed, "managed='yes'"));
    assert_int_equal(scene_hook(&scene, printed, "prepare", "begin"), 0);
    assert_int_equal(scene_hook(&scene, printed, "release", "end"), 0);
    scene_assert_empty(&scene);
}

TEST(another_at_arrival)
{
    AUTO_FREE char *xml = scene_xml_at(2, VF1, "type=\"b50-4g\"");
    AUTO_FREE char *printed = NULL;

    starts(1, VF1, "b50-8g");
    assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 0);
    printed = strdup(scene.printed);
    assert_non_null(strstr(printed, "bus='0x03' slot='0x00' function='0x5'"));
    assert_free(VF2);
    assert_int_equal(scene_hook(&scene, printed, "prepare", "begin"), 0);
    assert_profile(VF2, 4 * GIB, 20, 500000);
    assert_int_equal(scene_hook(&scene, printed, "release", "end"), 0);
    assert_free(VF2);
}

TEST(bound_to_the_hosts_own_driver)
{
    fake_put_driver(&scene.kernel, VF1, "xe");
    refuses(1, VF1, "b50-4g", "cannot be on " VF1 ", which the host's own driver xe has");
    fake_put_driver(&scene.kernel, VF1, "");
    starts(1, VF1, "b50-4g");
}

/* The host's driver has all functions, and there is another GPU. The refusal gives the same
 * reason. */
TEST(all_bound_to_the_hosts_own_driver)
{
    static const char *const functions[] = {VF1, VF2, VF3, VF4, IVF};

    for (size_t i = 0; i < COUNT(functions); i++)
        fake_put_driver(&scene.kernel, functions[i], "xe");
    refuses(1, VF1, "b50-4g", "cannot be on " VF1 ", which the host's own driver xe has");
}

/* A reservation takes its memory, although the hook writes nothing yet. */
TEST(what_is_promised_is_not_given_away)
{
    AUTO_FREE char *xml = scene_xml_at(2, VF1, "type=\"b50-8g\"");

    starts(1, VF2, "b50-4g");
    assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 0);
    refuses(3, VF3, "b50-8g", CARD);
    starts(3, VF3, "b50-4g");
    refuses(4, VF4, "b50-4g", CARD);
}

/* A vGPU that is kept for another guest is removed if its memory is needed. */
TEST(what_is_kept_makes_room)
{
    scene_configure(&scene, PROFILES STATED "release = \"keep\";");
    starts(1, VF1, "b50-8g");
    starts(2, VF2, "b50-8g");
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    assert_profile(VF1, 8 * GIB, 0, 0);
    starts(3, VF3, "b50-4g");
    assert_free(VF1);
    refuses(1, VF1, "b50-8g", CARD);
}

/* Somebody disabled the card's functions while a guest ran. */
TEST(a_function_that_vanishes)
{
    starts(1, VF1, "b50-4g");
    fake_vanish(&scene.kernel, VF1);
    refuses(2, VF1, "b50-4g", "the vGPU " VF1 " belongs to the guest guest1 (held)");
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
    refuses(2, VF1, "b50-4g", "which this host does not have");
}

TEST(a_silent_card)
{
    struct fake_faults *faults = scene.kernel.faults;

    snprintf(faults->slow, sizeof(faults->slow), "%.10s", CARD);
    faults->mute = true;
    refuses(1, VF1, "b50-4g", CARD);
    starts(2, scene_function(L40S, 0), "L40S-16Q");
    faults->mute = false;
}

/* The hook is killed at any moment. The next start is right, and nothing is left after it. */
TEST(killed_anywhere)
{
    srandom(20261122);
    for (uint64_t round = chance_rounds(60); round > 0; round--) {
        const struct timespec length = {.tv_nsec = random() % 6000 * 1000};
        bool at_release = round % 3 == 0;
        pid_t hook;

        if (at_release)
            starts(1, VF1, "b50-4g");
        hook = fork();
        if (hook == 0)
            _exit(at_release ? scene_release_at(&scene, 1, VF1)
                             : scene_prepare_at(&scene, 1, VF1, "b50-4g"));
        nanosleep(&length, NULL);
        kill(hook, SIGKILL);
        assert_int_equal(waitpid(hook, NULL, 0), hook);
        starts(1, VF1, "b50-4g");
        assert_profile(VF1, 4 * GIB, 20, 500000);
        assert_int_equal(scene_leases(&scene, "held"), 1);
        assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
        assert_free(VF1);
        assert_int_equal(scene_leases(&scene, ""), 0);
    }
}

/* The writer itself is killed between any two of its steps. */
TEST(half_made)
{
    const struct host *host = &scene.kernel.host;

    starts(1, VF1, "b50-4g");
    assert_int_equal(unlinkat(host->root, "run/libvirt-vgpu/functions/" VF1 ".type", 0), 0);
    refuses(2, VF1, "b50-4g", VF1);
    starts(1, VF1, "b50-4g");
    assert_profile(VF1, 4 * GIB, 20, 500000);
    assert_int_equal(unlinkat(host->root, "run/libvirt-vgpu/functions/" VF1 ".type", 0), 0);
    assert_int_equal(scene_release_at(&scene, 1, VF1), 0);
    assert_free(VF1);
    scene_reconcile(&scene);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* The same, but the profile has no lease any more. A guest that names the function gets it. */
TEST(half_made_without_a_lease)
{
    const struct host *host = &scene.kernel.host;
    const struct ledger none = {0};
    AUTO(names_clear) struct names named = {0};
    AUTO(lease_outcomes_clear) struct lease_outcomes orphans = {0}, outcomes = {0};
    struct reap_order order = {.before = &none};
    struct error error;

    starts(1, VF1, "b50-4g");
    assert_int_equal(unlinkat(host->root, "run/libvirt-vgpu/functions/" VF1 ".type", 0), 0);
    assert_int_equal(unlinkat(host->root, "run/libvirt-vgpu/ledger", 0), 0);
    assert_int_equal(names_add(&named, VF1), 0);
    order.named = &(const struct names){0};
    assert_int_equal(reap_devices(host, &order, &orphans, &error), 0);
    assert_int_equal(*fake_profile(&scene.kernel, VF1), 4 * GIB);
    order.named = &named;
    assert_int_equal(reap_devices(host, &order, &outcomes, &error), 0);
    assert_int_equal(outcomes.failed, 0);
    assert_free(VF1);
}

/* What the scan cannot look at is not "not there". */
TEST(a_look_that_fails)
{
    static const char *const paths[] = {
        "sys/bus/pci/devices/" CARD "/sriov_admin",
        "sys/bus/pci/devices/" CARD "/sriov_admin/vf1",
        "sys/bus/pci/devices/" CARD "/sriov_admin/vf1/device",
        "sys/bus/pci/devices/" CARD "/sriov_admin/vf1/profile/vram_quota",
        "sys/bus/pci/devices/0000:3d:00.4/nvidia/current_vgpu_type",
        "sys/bus/pci/devices/0000:3d:00.4/physfn",
    };

    for (size_t i = 0; i < COUNT(paths); i++)
        scene_assert_looks_at(&scene, paths[i]);
}

/* --- memory that is taken back ---------------------------------------------------------------- */

#define FORMER "run/libvirt-vgpu/functions/" VF1 ".former"

static struct host_ops ops;
static unsigned reads; /* how many more reads of the tag come before the other process acts */
static ssize_t (*link_of_kernel)(const struct host *host, const char *path, char *buffer,
                                 size_t size);

/* The other process takes the memory back, and then a guest gets the function. */
static void
another_acts(void)
{
    scene.kernel.host.ops = &ops;
    ops.link = link_of_kernel;
    if (vgpu_xe.take_back_share(&scene.kernel.host, &(const struct name){VF1}) > 0)
        starts(1, VF1, "b50-8g");
}

static ssize_t
link_and_act(const struct host *host, const char *path, char *buffer, size_t size)
{
    const ssize_t length = link_of_kernel(host, path, buffer, size);

    if (!strcmp(path, FORMER) && reads && --reads == 0) {
        const pid_t other = fork();

        if (other == 0) {
            another_acts();
            _exit(0);
        }
        scene_assert_ends_well(other);
    }
    return length;
}

/* A process was killed while it took the memory of a function back. Two others find its tag at the
 * same moment. One of them takes the memory back. The other takes nothing from the guest that has
 * the function then. */
TEST(one_inherits_the_tag)
{
    unsigned rounds = 0;

    for (unsigned n = 1; n <= 4; n++) {
        assert_int_equal(mkdirat(scene.kernel.host.root, "run/libvirt-vgpu", 0755), 0);
        assert_int_equal(mkdirat(scene.kernel.host.root, "run/libvirt-vgpu/functions", 0755), 0);
        assert_int_equal(symlinkat("settling-4711.815", scene.kernel.host.root, FORMER), 0);
        *fake_profile(&scene.kernel, VF1) = 4 * GIB;
        ops = *scene.kernel.host.ops;
        link_of_kernel = ops.link;
        ops.link = link_and_act;
        scene.kernel.host.ops = &ops;
        reads = n;
        assert_true(vgpu_xe.take_back_share(&scene.kernel.host, &(const struct name){VF1}) >= 0);
        if (scene_leases(&scene, "held")) {
            assert_profile(VF1, 8 * GIB, 0, 0);
            rounds++;
        } else {
            assert_free(VF1);
        }
        scene_stop(&scene);
        scene_start(&scene, MACHINE);
        scene_configure(&scene, PROFILES STATED);
    }
    assert_int_equal(rounds, 2);
}

/* The process has ended, and another one has its pid. */
TEST(a_pid_is_used_again)
{
    AUTO_FREE char *tag = NULL;

    assert_int_equal(scene_prepare(&scene, 1, 1, "nothing"), 1);
    assert_true(asprintf(&tag, "settling-%d.1", (int)getpid()) > 0);
    fake_write(&scene.kernel, "run/libvirt-vgpu/functions/other", "");
    assert_int_equal(symlinkat(tag, scene.kernel.host.root, FORMER), 0);
    *fake_profile(&scene.kernel, VF1) = 4 * GIB;
    assert_int_equal(vgpu_xe.take_back_share(&scene.kernel.host, &(const struct name){VF1}), 1);
    assert_free(VF1);
}

static unsigned looks_before_the_tag;
static ssize_t (*read_of_kernel)(const struct host *host, const char *path, char *buffer,
                                 size_t size);

static ssize_t
read_and_watch(const struct host *host, const char *path, char *buffer, size_t size)
{
    if (strstr(path, "/vram_quota"))
        looks_before_the_tag += !host_exists(host, "%s", FORMER);
    return read_of_kernel(host, path, buffer, size);
}

/* Who takes the memory of a function back passes over a function with a tag. So what a vGPU gives
 * back later is read once the vGPU has its tag. */
TEST(the_tag_comes_before_the_look)
{
    struct profile profile = {.numbers = {[PROFILE_VRAM] = 8 * GIB},
                              .set = {[PROFILE_VRAM] = true}};
    struct vgpu vgpu = {
        .interface = &vgpu_xe, .device = {VF1}, .parent = {VF1}, .type = {"b50-8g"}};

    profile_print(&profile, &vgpu.recipe);
    assert_int_equal(mkdirat(scene.kernel.host.root, "run/libvirt-vgpu", 0755), 0);
    ops = *scene.kernel.host.ops;
    read_of_kernel = ops.read;
    ops.read = read_and_watch;
    scene.kernel.host.ops = &ops;
    assert_int_equal(vgpu_xe.make(&scene.kernel.host, &vgpu), 0);
    assert_profile(VF1, 8 * GIB, 0, 0);
    assert_int_equal(looks_before_the_tag, 0);
    assert_int_equal(vgpu_xe.remove(&scene.kernel.host, &vgpu), 0);
    assert_free(VF1);
}
