/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Many hooks at once, and hooks that are killed. */

#include "fake/chance.h"
#include "fake/scene.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CROWD 64

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = NULL};
#define TEST(name) SCENE_TEST(name, here)

/* Runs one hook in a child process. */
static pid_t
spawn(int (*run)(struct scene *scene, unsigned guest, unsigned device, const char *type),
      unsigned number, const char *type)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(run(&scene, number, number, type));
    return pid;
}

static int
release(struct scene *where, unsigned guest, unsigned device, const char *type)
{
    return scene_release(where, guest, device);
}

/* How many of the hooks ended with 0. */
static unsigned
run_crowd(int (*run)(struct scene *scene, unsigned guest, unsigned device, const char *type),
          unsigned count, const char *type)
{
    pid_t pids[CROWD];
    unsigned good = 0;

    for (unsigned i = 0; i < count; i++)
        pids[i] = spawn(run, i + 1, type);
    for (unsigned i = 0; i < count; i++) {
        int status;

        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        good += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    return good;
}

/* The number of guests for this many places: 32 more guests than places, or as many more as ROUNDS
 * says (chance.h). It is CROWD at most. */
static unsigned
crowd_for(unsigned places)
{
    uint64_t more = chance_rounds(32);

    return places + more < CROWD ? places + (unsigned)more : CROWD;
}

TEST(places_are_neither_shared_nor_wasted)
{
    static const struct {
        const char *machine, *type;
        unsigned places;
    } table[] = {
        {"gpu mtty rule pool 10\ntype mtty-2 \"Dual port serial\" uses 2\n", "mtty-2", 5},
        {"gpu 0000:18:00.0 rule size\ntype nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"
         "gpu 0000:19:00.0 rule size\ntype nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n",
         "T4-1B", 32},
        {"gpu 0000:3d:00.0 rule size vfs 16\n"
         "type nvidia-558 \"NVIDIA A40-2Q\" framebuffer 2048 max 12\n"
         "gpu 0001:3d:00.0 rule size vfs 8\n"
         "type nvidia-558 \"NVIDIA A40-2Q\" framebuffer 2048 max 12\n",
         "A40-2Q", 20},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        unsigned count;

        scene_start(&scene, table[i].machine);
        /* Under valgrind the crowd is slow. */
        scene_configure(
            &scene,
            "lock_timeout = \"60s\"; prepare_timeout = \"60s\"; release_timeout = \"60s\";");
        scene.kernel.faults->create_delay = 5;
        count = crowd_for(table[i].places);
        assert_int_equal(run_crowd(scene_prepare, count, table[i].type), table[i].places);
        assert_int_equal(fake_count(&scene.kernel), table[i].places);
        assert_int_equal(scene_leases(&scene, "held"), table[i].places);
        assert_int_equal(scene_leases(&scene, ""), table[i].places);
        assert_int_equal(run_crowd(release, count, ""), count);
        scene_assert_empty(&scene);
        if (i + 1 < sizeof(table) / sizeof(*table))
            scene_stop(&scene);
    }
}

/* A driver takes three seconds to remove a vGPU. Another guest starts meanwhile. */
TEST(a_slow_release_delays_nobody)
{
    uint64_t began;
    pid_t slow;

    scene_start(&scene, "gpu mtty rule pool 4\ntype mtty-2 \"Dual port serial\" uses 2\n");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    scene.kernel.faults->remove_delay = 3000;
    slow = spawn(release, 1, "");
    while (scene_leases(&scene, "removing") == 0)
        fake_sleep(1);
    began = fake_now();
    if (scene_prepare(&scene, 2, 2, "mtty-2") != 0)
        fail_msg("%s", scene.said);
    assert_in_range(fake_now() - began, 0, 2000);
    assert_int_equal(waitpid(slow, NULL, WNOHANG), 0);
    assert_int_equal(waitpid(slow, NULL, 0), slow);
    assert_int_equal(scene_leases(&scene, ""), 1);
}

/* Starts the guest again and again, for as long as a removal may take. */
static int
pester(struct scene *where, unsigned guest, unsigned device, const char *type)
{
    for (uint64_t end = fake_now() + 10; fake_now() < end; fake_sleep(1)) {
        if (scene_prepare(where, guest, device, type) == 0)
            return 0;
    }
    return 1;
}

/* A start removes a kept device. The start gets the place of this device, even if other guests ask
 * for it meanwhile. */
TEST(a_place_that_is_made_stays_whose_it_is)
{
    scene_start(&scene, "gpu mtty rule pool 2\ntype mtty-2 \"Dual port serial\" uses 2\n");
    scene_configure(&scene, "release = \"keep\";");
    scene.kernel.faults->remove_delay = 5;
    for (uint64_t round = chance_rounds(30); round > 0; round--) {
        pid_t second, others[2];
        int status;

        assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
        assert_int_equal(scene_release(&scene, 1, 1), 0);
        assert_int_equal(scene_leases(&scene, "kept"), 1);
        second = spawn(scene_prepare, 2, "mtty-2");
        while (scene_leases(&scene, "kept") == 1)
            fake_sleep(1);
        for (unsigned i = 0; i < COUNT(others); i++)
            others[i] = spawn(pester, 3 + i, "mtty-2");
        scene_assert_ends_well(second);
        for (unsigned i = 0; i < COUNT(others); i++) {
            assert_int_equal(waitpid(others[i], &status, 0), others[i]);
            assert_int_not_equal(status, 0);
        }
        assert_int_equal(scene_leases(&scene, "held"), 1);
        assert_int_equal(scene_release(&scene, 2, 2), 0);
    }
}

/* The exit status of the hook for a guest with two vGPUs, devices `first` and the next. */
static int
hook_of_two(unsigned guest, unsigned first, const char *operation, const char *sub)
{
    AUTO_FREE char *xml = NULL;
    char request[256];

    snprintf(request, sizeof(request),
             "<vgpu:device alias=\"ua-gpu%u\" type=\"mtty-2\"/>"
             "<vgpu:device alias=\"ua-gpu%u\" type=\"mtty-2\"/>",
             first, first + 1);
    xml = scene_xml(guest, request, (const unsigned[]){first, first + 1, 0});
    return scene_hook(&scene, xml, operation, sub);
}

TEST(all_places_that_are_made_stay)
{
    pid_t pid;

    scene_start(&scene, "gpu mtty rule pool 4\ntype mtty-2 \"Dual port serial\" uses 2\n");
    scene_configure(&scene, "release = \"keep\";");
    scene.kernel.faults->remove_delay = 5;
    assert_int_equal(hook_of_two(1, 1, "prepare", "begin"), 0);
    assert_int_equal(hook_of_two(1, 1, "release", "end"), 0);
    pid = fork();
    if (pid == 0)
        _exit(hook_of_two(2, 3, "prepare", "begin"));
    while (scene_leases(&scene, "kept") > 0)
        fake_sleep(1);
    assert_int_equal(scene_leases(&scene, "reserved"), 2);
    scene_assert_ends_well(pid);
}

/* The same guests start and end at once, again and again. */
TEST(crowd_comes_and_goes)
{
    scene_start(&scene, "gpu mtty rule pool 8\ntype mtty-1 \"Single port serial\"\n");
    scene.kernel.faults->create_delay = 1;
    for (uint64_t round = chance_rounds(10); round > 0; round--) {
        assert_int_equal(run_crowd(scene_prepare, 8, "mtty-1"), 8);
        assert_int_equal(fake_count(&scene.kernel), 8);
        assert_int_equal(run_crowd(release, 8, ""), 8);
        scene_assert_empty(&scene);
    }
}

static void
end(pid_t pid)
{
    int status;

    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
}

/* The real clock decides when the hook is killed. So the hook may be at any point of its work. The
 * result must not depend on the point. */
static void
kill_after(pid_t pid, unsigned microseconds)
{
    struct timespec length = {0, microseconds * 1000l};

    nanosleep(&length, NULL);
    end(pid);
}

/* A prepare is killed at any moment. The next prepare of the same guest works, and nothing is
 * lost. */
TEST(killed_anywhere)
{
    scene_start(&scene, "gpu mtty rule pool 2\ntype mtty-2 \"Dual port serial\" uses 2\n");
    scene.kernel.faults->create_delay = 1;
    srandom(20261120);
    for (unsigned i = 0; i < chance_rounds(300); i++) {
        kill_after(spawn(scene_prepare, 1, "mtty-2"), (unsigned)random() % 4000);
        if (i % 3 == 0)
            kill_after(spawn(release, 1, ""), (unsigned)random() % 3000);
        if (scene_prepare(&scene, 1, 1, "mtty-2") != 0)
            fail_msg("round %u: %s", i, scene.said);
        assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "mtty-2");
        assert_int_equal(scene_leases(&scene, "held"), 1);
        kill_after(spawn(release, 1, ""), (unsigned)random() % 3000);
        assert_int_equal(scene_release(&scene, 1, 1), 0);
        scene_assert_empty(&scene);
    }
}

/* The hook is killed, and its daemon is gone. Another guest gets the place. */
TEST(place_of_the_dead_is_free)
{
    scene_start(&scene, "gpu mtty rule pool 2\ntype mtty-2 \"Dual port serial\" uses 2\n");
    scene.kernel.faults->create_delay = 40;
    for (uint64_t round = 0, rounds = chance_rounds(30); round < rounds; round++) {
        uint64_t milliseconds = round * 30 / rounds;
        pid_t daemon = fork();

        if (daemon == 0) {
            pid_t hook = spawn(scene_prepare, 1, "mtty-2");

            fake_sleep(milliseconds);
            end(hook);
            _exit(0);
        }
        assert_int_equal(waitpid(daemon, NULL, 0), daemon);
        /* A writer of the killed hook may still be at work. Then the place is not free yet. */
        while (scene_prepare(&scene, 2, 2, "mtty-2") != 0) {
            assert_int_equal(scene_leases(&scene, "held"), 0);
            fake_sleep(1);
        }
        assert_int_equal(scene_leases(&scene, ""), 1);
        assert_int_equal(fake_count(&scene.kernel), 1);
        assert_int_equal(scene_release(&scene, 2, 2), 0);
        scene_assert_empty(&scene);
    }
}

/* The daemon ends while its hook works. Without a daemon, nobody would give the vGPU back later. */
TEST(nothing_is_made_for_a_dead_daemon)
{
    pid_t daemon;

    scene_start(&scene, "gpu mtty rule pool 2\ntype mtty-2 \"Dual port serial\" uses 2\n");
    scene.kernel.faults->stuck = true;
    daemon = fork();
    if (daemon == 0) {
        spawn(scene_prepare, 1, "mtty-2");
        while (scene_leases(&scene, "pending") == 0)
            fake_sleep(1);
        _exit(0);
    }
    assert_int_equal(waitpid(daemon, NULL, 0), daemon);
    scene.kernel.faults->stuck = false;
    for (int i = 0; i < 2000 && (scene_leases(&scene, "") || fake_count(&scene.kernel)); i++)
        fake_sleep(1);
    /* If the hook could not undo its work, it says so. Then the next hook or reconcile removes the
     * vGPU. */
    assert_int_equal(scene_leases(&scene, "") - scene_leases(&scene, "leaving"), 0);
    scene_reconcile(&scene);
    scene_assert_empty(&scene);
}

/* --- virtual functions ------------------------------------------------------------------------ */

#define CARD1 "0000:3d:00.0"
#define CARD2 "0001:41:00.0"
#define VFS   16

/* 48 GB each: 6 vGPUs of 8 GB, or 3 of 16 GB. */
static const char two_cards[] = "gpu " CARD1 " vf vfs 16 rule size numa 0 board \"NVIDIA L40S\"\n"
                                "gpu " CARD2 " vf vfs 16 rule size numa 1 board \"NVIDIA L40S\"\n";
static const char two_mdev_cards[] = "gpu " CARD1 " vfs 16 rule size numa 0 board \"NVIDIA A40\"\n"
                                     "gpu " CARD2 " vfs 16 rule size numa 1 board \"NVIDIA A40\"\n";

static const char patient[] =
    "lock_timeout = \"60s\"; prepare_timeout = \"60s\"; release_timeout = \"60s\";";

/* Two guests ask for each function. */
static const char *
function_of(unsigned guest)
{
    unsigned index = (guest - 1) % (2 * VFS);

    return scene_function(index < VFS ? CARD1 : CARD2, index % VFS);
}

static int
prepare_function(struct scene *where, unsigned guest, unsigned device, const char *type)
{
    return scene_prepare_at(where, guest, function_of(guest), type);
}

/* One of each two guests asks for another size. */
static int
prepare_sizes(struct scene *where, unsigned guest, unsigned device, const char *type)
{
    return scene_prepare_at(where, guest, function_of(guest), guest > 2 * VFS ? "L40S-16Q" : type);
}

/* A mediated device, and the function on which it is to be made. */
static int
prepare_on_function(struct scene *where, unsigned guest, unsigned device, const char *type)
{
    AUTO_FREE char *xml = NULL, *request = NULL;

    if (asprintf(&request, "<vgpu:device alias=\"ua-gpu%u\" type=\"%s\" parent=\"%s\"/>", device,
                 type, function_of(guest)) < 0)
        return -1;
    xml = scene_xml(guest, request, (const unsigned[]){device, 0});
    return scene_hook(where, xml, "prepare", "begin");
}

/* How many vGPUs are on a card, according to the kernel. The ledger is not read. */
static unsigned
count_on(const char *card, const char *type)
{
    unsigned count = 0;

    for (unsigned i = 0; i < VFS; i++)
        count += !strcmp(fake_type_of(&scene.kernel, scene_function(card, i)), type);
    return count;
}

/* As many guests that name a function start as the driver has room for: neither more nor fewer. */
TEST(fixed_places_are_neither_shared_nor_wasted)
{
    static const struct {
        const char *machine, *type;
        int (*prepare)(struct scene *scene, unsigned guest, unsigned device, const char *type);
        unsigned places;
    } table[] = {
        {two_cards, "L40S-8Q", prepare_function, 12},
        {two_mdev_cards, "A40-8Q", prepare_on_function, 12},
    };

    for (size_t i = 0; i < COUNT(table); i++) {
        scene_start(&scene, table[i].machine);
        scene_configure(&scene, patient);
        scene.kernel.faults->create_delay = 5;
        assert_int_equal(run_crowd(table[i].prepare, CROWD, table[i].type), table[i].places);
        assert_int_equal(fake_count(&scene.kernel), table[i].places);
        assert_int_equal(scene_leases(&scene, "held"), table[i].places);
        assert_int_equal(scene_leases(&scene, ""), table[i].places);
        assert_int_equal(run_crowd(release, CROWD, ""), CROWD);
        scene_assert_empty(&scene);
        if (i + 1 < COUNT(table))
            scene_stop(&scene);
    }
}

/* The first guest chooses the size of a card. Then guests fill the card with vGPUs of this size. */
TEST(a_card_is_filled_with_one_size)
{
    for (unsigned round = 0; round < 2; round++) {
        unsigned good, places = 0;

        scene_start(&scene, two_cards);
        scene_configure(&scene, patient);
        scene.kernel.faults->create_delay = 2;
        good = run_crowd(prepare_sizes, CROWD, "L40S-8Q");
        for (unsigned card = 0; card < 2; card++) {
            unsigned small = count_on(card ? CARD2 : CARD1, "nvidia-1152");
            unsigned big = count_on(card ? CARD2 : CARD1, "nvidia-1154");

            if (!(small == 6 && big == 0) && !(small == 0 && big == 3))
                fail_msg("card %u holds %u of 8 GB and %u of 16 GB", card, small, big);
            places += small + big;
        }
        assert_int_equal(good, places);
        assert_int_equal(scene_leases(&scene, "held"), places);
        assert_int_equal(run_crowd(release, CROWD, ""), CROWD);
        scene_assert_empty(&scene);
        if (round + 1 < 2)
            scene_stop(&scene);
    }
}

/* A release is killed at any moment and called again. Meanwhile the next owner of the same function
 * starts. The killed release's order to the driver must not remove the vGPU of the next owner.
 * Neither must the late release. */
TEST(an_old_release_never_hits_the_next_owner)
{
    static const struct {
        unsigned guest;
        const char *word, *type;
    } owners[] = {{4, "L40S-8Q", "nvidia-1152"}, {4 + 2 * VFS, "L40S-1B", "nvidia-1145"}};

    scene_start(&scene, two_cards);
    scene.kernel.faults->remove_delay = 2;
    srandom(20261121);
    for (unsigned i = 0; i < chance_rounds(100); i++) {
        unsigned owner = owners[i % 2].guest, before = owners[(i + 1) % 2].guest, tries = 0;
        pid_t late = spawn(release, before, "");

        while (prepare_function(&scene, owner, 1, owners[i % 2].word) != 0) {
            if (++tries > 1000)
                fail_msg("round %u: %s", i, scene.said);
            fake_sleep(2);
        }
        scene_assert_ends_well(late);
        assert_int_equal(release(&scene, before, 1, ""), 0);
        fake_sleep(4);
        assert_string_equal(fake_type_of(&scene.kernel, function_of(owner)), owners[i % 2].type);
        assert_int_equal(scene_leases(&scene, "held"), 1);
        assert_int_equal(scene_leases(&scene, ""), 1);
        kill_after(spawn(release, owner, ""), (unsigned)random() % 5000);
    }
}

/* A prepare is killed at any moment. The next prepare of the same guest works, and nothing is
 * lost. */
TEST(killed_anywhere_on_a_function)
{
    const char *function = function_of(1);

    scene_start(&scene, two_cards);
    scene.kernel.faults->create_delay = 1;
    srandom(20261122);
    for (unsigned i = 0; i < chance_rounds(150); i++) {
        kill_after(spawn(prepare_function, 1, "L40S-8Q"), (unsigned)random() % 6000);
        if (i % 3 == 0)
            kill_after(spawn(release, 1, ""), (unsigned)random() % 3000);
        if (prepare_function(&scene, 1, 1, "L40S-8Q") != 0)
            fail_msg("round %u: %s", i, scene.said);
        assert_string_equal(fake_type_of(&scene.kernel, function), "nvidia-1152");
        assert_int_equal(scene_leases(&scene, "held"), 1);
        kill_after(spawn(release, 1, ""), (unsigned)random() % 3000);
        assert_int_equal(release(&scene, 1, 1, ""), 0);
        scene_assert_empty(&scene);
    }
}
