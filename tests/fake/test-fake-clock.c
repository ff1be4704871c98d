/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fake kernel's clock: when all processes wait, it goes on to the moment at which the first of
 * them wants to go on. */

#include "fake/fake-clock.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define HOUR 3600000u /* in ms: no test could really wait for so long */

static int
setup(void **state)
{
    fake_clock_start();
    fake_set_uptime(FAKE_UPTIME);
    return 0;
}

#define TEST(function) UNIT_TEST_IN(function, setup, NULL, NULL)

TEST(a_sleep_is_as_long_as_it_says)
{
    fake_sleep(HOUR);
    assert_int_equal(fake_now(), FAKE_UPTIME + HOUR);
    fake_sleep(0);
    fake_sleep(1);
    assert_int_equal(fake_now(), FAKE_UPTIME + HOUR + 1);
}

/* Each process wakes at its own moment, however many processes sleep. */
TEST(sleepers_wake_in_their_order)
{
    volatile bool *begin = fake_clock_take_flags(sizeof(*begin));
    pid_t pids[32];

    *begin = true;
    for (unsigned i = 0; i < COUNT(pids); i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            fake_sleep_while(begin);
            for (unsigned round = 1; round <= 10; round++) {
                fake_sleep(i + 1);
                if (fake_now() != FAKE_UPTIME + round * (i + 1))
                    _exit(1);
            }
            _exit(0);
        }
    }
    *begin = false;
    for (unsigned i = 0; i < COUNT(pids); i++)
        scene_assert_ends_well(pids[i]);
    fake_clock_return_flags((void *)begin);
}

/* Work takes no simulated time. Waiting for a process that works takes none either. */
TEST(time_stands_still_for_work)
{
    int ends[2];
    struct pollfd input;
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    input = (struct pollfd){.fd = ends[0], .events = POLLIN};
    pid = fork();
    if (pid == 0) {
        for (volatile unsigned i = 0; i < 30000000; i++)
            continue;
        _exit(write(ends[1], "", 1) != 1);
    }
    assert_int_equal(fake_clock_wait(NULL, &input, 1, HOUR), 1);
    assert_int_equal(fake_now(), FAKE_UPTIME);
    scene_assert_ends_well(pid);
    assert_int_equal(read(ends[0], &(char){0}, 1), 1);
    assert_int_equal(fake_clock_wait(NULL, &input, 1, 1000000), 0);
    assert_int_equal(fake_now(), FAKE_UPTIME + 1);
    close(ends[0]);
    close(ends[1]);
}

static void *
work(void *data)
{
    for (volatile unsigned i = 0; i < 30000000; i++)
        continue;
    return data;
}

/* The first thread of a process waits for its second thread, which works. */
TEST(time_stands_still_for_a_thread)
{
    pthread_t thread;
    pid_t pid;

    pid = fork();
    if (pid == 0) {
        fake_sleep(1000);
        _exit(0);
    }
    assert_int_equal(pthread_create(&thread, NULL, work, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(fake_now(), FAKE_UPTIME);
    scene_assert_ends_well(pid);
}

/* The kernel removes a dead child for the process that waits for the child. This is work, although
 * the kernel shows the process as asleep. A clock that does not know this fails here only on a busy
 * machine, after some hundreds or thousands of children. */
TEST(removing_a_child_is_work)
{
    pid_t sleeper = fork();

    if (sleeper == 0) {
        fake_sleep(HOUR);
        _exit(0);
    }
    for (unsigned i = 0; i < 2000; i++) {
        pid_t pid = fork();

        if (pid == 0)
            _exit(0);
        scene_assert_ends_well(pid);
    }
    assert_int_equal(fake_now(), FAKE_UPTIME);
    scene_assert_ends_well(sleeper);
}

/* A process that waits for a lock waits until the owner of the lock has slept. */
TEST(others_waits_are_no_work)
{
    int lock = memfd_create("lock", MFD_CLOEXEC), other;
    char path[32];
    pid_t pid;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", lock);
    other = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    pid = fork();
    if (pid == 0) {
        fake_sleep(HOUR);
        flock(lock, LOCK_UN);
        _exit(0);
    }
    assert_int_equal(flock(other, LOCK_EX), 0);
    assert_int_equal(fake_now(), FAKE_UPTIME + HOUR);
    scene_assert_ends_well(pid);
    close(other);
    close(lock);
}

TEST(the_killed_do_not_count)
{
    for (unsigned i = 0; i < 50; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            fake_sleep(i % 2 ? HOUR : 0);
            for (;;)
                pause();
        }
        if (i % 3 == 0)
            fake_sleep(1);
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
    }
    assert_int_equal(fake_now(), FAKE_UPTIME + 17);
    fake_sleep(1);
    assert_int_equal(fake_now(), FAKE_UPTIME + 18);
}

TEST(a_flag_is_waited_for)
{
    volatile bool *flag;
    pid_t pid;

    flag = fake_clock_take_flags(sizeof(*flag));
    *flag = true;
    pid = fork();
    if (pid == 0) {
        fake_sleep_while(flag);
        _exit(fake_now() != FAKE_UPTIME + HOUR);
    }
    fake_sleep(HOUR);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
    *flag = false;
    scene_assert_ends_well(pid);
    fake_clock_return_flags((void *)flag);
}
