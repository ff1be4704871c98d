/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file-lock: processes get the lock in the order in which they came. Nobody waits longer than
 * allowed, and the program's own signals stay as they were. */

#include "base/file-lock.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MILLISECOND 1000000ull
#define HOUR        (3600 * 1000 * MILLISECOND)
#define WAITERS     12

static char path[] = "/tmp/test-file-lock.XXXXXX";

static int
open_file(void)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);

    assert_true(fd >= 0);
    return fd;
}

static int
setup(void **state)
{
    strcpy(path + strlen(path) - 6, "XXXXXX");
    close(mkstemp(path));
    return 0;
}

static int
teardown(void **state)
{
    return unlink(path);
}

/* Waits until the kernel says that the process waits in flock(2). */
static bool
is_blocked(pid_t pid)
{
    char line[256], wanted[32];
    FILE *locks = fopen("/proc/locks", "re");
    bool found = false;

    assert_non_null(locks);
    snprintf(wanted, sizeof(wanted), " %d ", (int)pid);
    while (fgets(line, sizeof(line), locks))
        found |= strstr(line, "->") && strstr(line, "FLOCK") && strstr(line, wanted);
    fclose(locks);
    return found;
}

static void
wait_until_blocked(pid_t pid)
{
    const struct timespec pause = {0, MILLISECOND};

    while (!is_blocked(pid)) {
        assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
        nanosleep(&pause, NULL);
    }
}

#define TEST(function) UNIT_TEST_IN(function, setup, teardown, NULL)

/* Each process writes its letter while it has the lock. */
TEST(the_first_is_served_first)
{
    /* A lock belongs to the open file. A child shares it until the child closes the file. */
    char written[WAITERS + 1] = "";
    pid_t pids[WAITERS];
    int fd = open_file();

    assert_int_equal(file_lock(fd, 0), 0);
    for (int i = 0; i < WAITERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            char letter = (char)('a' + i);
            int own = open(path, O_RDWR | O_APPEND | O_CLOEXEC);

            close(fd);
            _exit(file_lock(own, HOUR) != 0 || write(own, &letter, 1) != 1);
        }
        wait_until_blocked(pids[i]);
    }
    close(fd);
    for (int i = 0; i < WAITERS; i++)
        scene_assert_ends_well(pids[i]);
    fd = open_file();
    assert_int_equal(read(fd, written, WAITERS), WAITERS);
    assert_string_equal(written, "abcdefghijkl");
    close(fd);
}

TEST(nobody_waits_for_longer)
{
    int held = open_file(), fd = open_file();

    assert_int_equal(file_lock(held, 0), 0);
    assert_int_equal(file_lock(fd, 0), -ETIMEDOUT);
    assert_int_equal(file_lock(fd, 1), -ETIMEDOUT);
    assert_int_equal(file_lock(fd, 30 * MILLISECOND), -ETIMEDOUT);
    close(held);
    assert_int_equal(file_lock(fd, 0), 0);
    close(fd);
    assert_int_equal(file_lock(-1, HOUR), -EBADF);
}

static unsigned alarms;

static void
count_alarm(int number)
{
    alarms++;
}

/* Another signal does not end the wait. Afterwards SIGALRM has its own handler again. */
TEST(signals_stay_as_they_were)
{
    const struct sigaction count = {.sa_handler = count_alarm};
    int held = open_file(), fd = open_file();
    struct sigaction action;
    sigset_t alarm, mask;
    pid_t pid;

    sigaction(SIGALRM, &count, &action);
    sigaction(SIGUSR1, &count, NULL);
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm, NULL);
    assert_int_equal(file_lock(held, 0), 0);
    pid = fork();
    if (pid == 0) {
        close(held);
        _exit(file_lock(open(path, O_RDWR), HOUR) != 0);
    }
    wait_until_blocked(pid);
    for (int i = 0; i < 3; i++) {
        kill(pid, SIGUSR1);
        wait_until_blocked(pid);
    }
    assert_int_equal(file_lock(fd, MILLISECOND), -ETIMEDOUT);
    assert_int_equal(alarms, 0);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    assert_true(sigismember(&mask, SIGALRM));
    sigprocmask(SIG_UNBLOCK, &alarm, NULL);
    raise(SIGALRM);
    assert_int_equal(alarms, 1);
    sigaction(SIGALRM, &action, NULL);
    close(held);
    scene_assert_ends_well(pid);
    close(fd);
}
