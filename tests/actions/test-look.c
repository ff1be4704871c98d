/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A start looks at the host without the lock, and decides with the lock. The tests change the host
 * between the look and the decision. */

#include "actions/reconcile.h"
#include "fake/scene.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TYPE_A  "type x-1 \"X-1\" framebuffer 1024 max 1\n"
#define MACHINE "gpu 0000:18:00.0 rule size\n" TYPE_A "gpu 0000:3b:00.0 rule size\n" TYPE_A
#define FUNCTIONS                                                                                  \
    "gpu 0000:18:00.0 rule size vfs 2\n"                                                           \
    "type x-1 \"X-1\" framebuffer 1024 max 2\n"
#define THREE_PLACES MACHINE "gpu 0000:86:00.0 rule size\n" TYPE_A
#define DRAINED      "var/lib/libvirt-vgpu/drained/0000:18:00.0"
#define ONE_PLACE    "gpu 0000:18:00.0 rule size\n" TYPE_A

static struct scene scene;
static const struct scene_case two_places = {.scene = &scene, .machine = MACHINE};
static const struct scene_case three_places = {.scene = &scene, .machine = THREE_PLACES};
static const struct scene_case two_functions = {.scene = &scene, .machine = FUNCTIONS};
static const struct scene_case one_place = {.scene = &scene, .machine = ONE_PLACE};

/* --- a change just before the lock is taken --------------------------------------------------- */

static struct host_ops ops;
static void (*meanwhile)(void);
static unsigned looks, lists; /* how many more locks, or lists of devices, come before the change */
static unsigned locks;        /* taken so far */
static int (*list_of_kernel)(const struct host *host, const char *path, struct words *ret);

static void
count_down(unsigned *left)
{
    pid_t other;

    if (!*left || --*left > 0)
        return;
    other = fork();
    if (other == 0) {
        meanwhile();
        _exit(0);
    }
    scene_assert_ends_well(other);
}

static int
lock(const struct host *host, int fd, uint64_t nanoseconds)
{
    locks++;
    count_down(&looks);
    return fake_clock_lock(host, fd, nanoseconds);
}

static int
list(const struct host *host, const char *path, struct words *ret)
{
    if (!strcmp(path, "sys/bus/mdev/devices"))
        count_down(&lists);
    return list_of_kernel(host, path, ret);
}

/* Another process does this after the n-th look of the next call; 0: nobody does. Each look takes
 * the lock once. */
static void
after_look(unsigned number, void (*act)(void))
{
    ops = *scene.kernel.host.ops;
    ops.lock = lock;
    scene.kernel.host.ops = &ops;
    meanwhile = act;
    looks = number;
    locks = 0;
}

/* Another process does this in the middle of the first look. The look has already read what drivers
 * offer, but not the devices. */
static void
in_the_look(void (*act)(void))
{
    ops = *scene.kernel.host.ops;
    list_of_kernel = ops.list;
    ops.list = list;
    scene.kernel.host.ops = &ops;
    meanwhile = act;
    lists = 1;
}

static void
second_takes_a_place(void)
{
    assert_int_equal(scene_prepare(&scene, 2, 2, "X-1"), 0);
}

static void
two_take_a_place(void)
{
    second_takes_a_place();
    assert_int_equal(scene_prepare(&scene, 3, 3, "X-1"), 0);
}

static void
second_gives_its_place_back(void)
{
    assert_int_equal(scene_release(&scene, 2, 2), 0);
}

static void
second_is_done(void)
{
    while (scene_leases(&scene, "held") == 0)
        fake_sleep(1);
}

static void
second_takes_the_device(void)
{
    assert_int_equal(scene_prepare(&scene, 2, 1, "X-1"), 0);
}

static void
second_gives_the_device_back(void)
{
    assert_int_equal(scene_release(&scene, 2, 1), 0);
}

static void
first_ends(void)
{
    assert_int_equal(scene_release(&scene, 1, 1), 0);
}

static void
first_runs_again(void)
{
    first_ends();
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
}

static void
first_ends_in_vain(void)
{
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
}

static void
somebody_removes_it(void)
{
    assert_int_equal(fake_remove(&scene.kernel, scene_device(1)), 0);
}

static void
first_gpu_is_drained(void)
{
    fake_write(&scene.kernel, DRAINED, "");
}

/* --- how a start takes the change ------------------------------------------------------------- */

/* The place was free when the start looked. The new vGPU is counted, so the start does not even ask
 * the kernel. */
SCENE_TEST(a_place_that_was_taken_is_counted, two_places)
{
    after_look(1, second_takes_a_place);
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
    assert_int_equal(scene.kernel.faults->writes, 2);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    assert_int_equal(fake_count(&scene.kernel), 2);
}

/* The same with two new vGPUs: all are counted. */
SCENE_TEST(all_places_that_were_taken_are_counted, three_places)
{
    after_look(1, two_take_a_place);
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
    assert_int_equal(scene.kernel.faults->writes, 3);
    assert_int_equal(scene_leases(&scene, "held"), 3);
}

/* The driver's figure of a function is older than the function's vGPU. */
SCENE_TEST(a_function_that_was_taken_is_not_offered, two_functions)
{
    in_the_look(second_takes_a_place);
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
    assert_int_equal(scene.kernel.faults->writes, 2);
    assert_int_equal(scene_leases(&scene, "held"), 2);
}

/* The last place is gone. The start looks again. Then it is refused, and the message names the
 * owner. */
SCENE_TEST(the_last_place_is_not_given_twice, one_place)
{
    after_look(1, second_takes_a_place);
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 1);
    scene_assert_said(&scene, "is full (1 of 1)");
    assert_int_equal(scene.kernel.faults->writes, 1);
    assert_int_equal(scene_leases(&scene, "held"), 1);
}

/* A start is not refused if a place was given back meanwhile. */
SCENE_TEST(a_place_that_was_given_back_is_seen, one_place)
{
    for (unsigned i = 1; i <= 2; i++) {
        second_takes_a_place();
        after_look(i, second_gives_its_place_back);
        assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
        assert_int_equal(scene_leases(&scene, "held"), 1);
        first_ends();
    }
}

/* The other start had its place at the look already, and is done now. So the start does not look
 * again. */
SCENE_TEST(a_place_that_only_went_on_is_no_change, one_place)
{
    pid_t second;

    scene.kernel.faults->create_delay = 50;
    second = fork();
    if (second == 0) {
        second_takes_a_place();
        _exit(0);
    }
    while (scene_leases(&scene, "pending") == 0)
        fake_sleep(1);
    after_look(2, second_is_done);
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 1);
    scene_assert_said(&scene, "is full (1 of 1)");
    assert_int_equal(locks, 2);
    scene_assert_ends_well(second);
}

SCENE_TEST(the_device_that_another_took_is_refused, two_places)
{
    after_look(1, second_takes_the_device);
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 1);
    scene_assert_said(&scene, "belongs to the guest guest2 (held)");
}

/* The end of the guest's last run has just removed the guest's vGPU. The start makes it again. */
SCENE_TEST(the_end_of_the_last_run_is_waited_for, two_places)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
    after_look(1, first_ends);
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    scene_assert_type(&scene, scene_device(1), "x-1");
}

/* The end of the guest's last run could not remove the vGPU. The start has not seen the vGPU's
 * present state. So it does not assume that the vGPU is gone. */
SCENE_TEST(a_lease_that_has_changed_is_not_forgotten, two_places)
{
    struct fake_guest guest;

    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
    guest = fake_open(&scene.kernel, scene_device(1));
    after_look(1, first_ends_in_vain);
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 1);
    scene_assert_said(&scene, "is in use by process");
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    fake_close(&guest);
}

/* A vGPU that is being removed is not taken for a foreign vGPU. A release would leave a foreign
 * vGPU in place. */
SCENE_TEST(what_was_given_back_is_not_foreign, two_places)
{
    second_takes_the_device();
    scene.kernel.faults->remove_delay = 50;
    after_look(1, second_gives_the_device_back);
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
    assert_int_equal(scene_leases(&scene, "found"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
}

/* Somebody else had made the vGPU. It disappears before the start uses it. */
SCENE_TEST(a_foreign_device_is_looked_at_again, two_places)
{
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "x-1", scene_device(1)), 0);
    after_look(1, somebody_removes_it);
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
    scene_assert_type(&scene, scene_device(1), "x-1");
    assert_int_equal(scene_leases(&scene, "found"), 0);
}

/* An administrator drains the GPU that the start has chosen. */
SCENE_TEST(a_drained_gpu_is_passed_over, two_places)
{
    after_look(1, first_gpu_is_drained);
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
    assert_true(
        host_exists(&scene.kernel.host, "sys/class/mdev_bus/0000:3b:00.0/%s", scene_device(1)));
}

/* A start removes a kept vGPU to make room. Meanwhile the GPU is drained, and nothing is on it. The
 * start takes the lock four times: it looks for itself, then for others, records the removal, and
 * decides again. */
SCENE_TEST(a_gpu_that_is_drained_during_an_eviction_stays_empty, one_place)
{
    scene_configure(&scene, "release = \"keep\";");
    for (unsigned i = 1; i <= 4; i++) {
        assert_int_equal(scene_prepare(&scene, 2, 2, "X-1"), 0);
        assert_int_equal(scene_release(&scene, 2, 2), 0);
        after_look(i, first_gpu_is_drained);
        assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 1);
        scene_assert_said(&scene, "is drained");
        assert_int_equal(looks, 0);
        assert_int_equal(scene_leases(&scene, "held") + scene_leases(&scene, "pending"), 0);
        assert_int_equal(host_remove(&scene.kernel.host, DRAINED), 0);
    }
}

/* --- how other actions take the change -------------------------------------------------------- */

SCENE_TEST(reconcile_does_not_see_what_is_gone, two_places)
{
    struct lease_outcomes outcomes;
    struct error error;

    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
    after_look(1, first_ends);
    assert_int_equal(reconcile_host(&scene.kernel.host, &outcomes, &error), 0);
    assert_int_equal(outcomes.count, 0);
    lease_outcomes_clear(&outcomes);
    scene_assert_empty(&scene);
}

SCENE_TEST(reconcile_leaves_what_it_has_not_seen, two_places)
{
    struct fake_guest guest;
    struct lease_outcomes outcomes;
    struct error error;

    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
    guest = fake_open(&scene.kernel, scene_device(1));
    after_look(1, first_ends_in_vain);
    assert_int_equal(reconcile_host(&scene.kernel.host, &outcomes, &error), 0);
    assert_int_equal(outcomes.count, 1);
    assert_int_equal(outcomes.items[0].outcome, OUTCOME_LEFT);
    assert_non_null(strstr(outcomes.items[0].why.text, "just changed"));
    lease_outcomes_clear(&outcomes);
    fake_close(&guest);
}

/* A release waits while another process is giving the same vGPU back. */
SCENE_TEST(release_comes_to_its_end, two_places)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
    after_look(1, first_ends);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
}

/* A late release does not touch the guest's next run. This holds even if that run's first number is
 * the number that was next when the release was called. */
SCENE_TEST(release_leaves_the_next_run, two_places)
{
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "x-1", scene_device(1)), 0);
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 0);
    after_look(1, first_runs_again);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "found"), 1);
}

/* A start looks at the host a second time only if it finds leases of other guests. */
SCENE_TEST(one_look_where_nobody_has_a_lease, one_place)
{
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "x-1", scene_device(9)), 0);
    after_look(0, NULL);
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 1);
    scene_assert_said(&scene, "is full");
    assert_int_equal(locks, 1);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(9)), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "X-1"), 0);
    after_look(0, NULL);
    assert_int_equal(scene_prepare(&scene, 1, 1, "X-1"), 1);
    assert_int_equal(locks, 2);
}
