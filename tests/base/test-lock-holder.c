/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* lock-holder: every process that has a locked file open counts, whoever took the lock. A process
 * that only has the file open, or waits for the lock, does not. */

#include "base/lock-holder.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define LOCK "run/tools"
#define BYTE (1ull << 32)

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = SCENE_T4_AND_MTTY};
#define TEST(function) SCENE_TEST(function, here)
static struct lock_holder holder;

static int
open_file(const char *path)
{
    int fd = openat(scene.kernel.host.root, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    return fd;
}

static int
take_byte(int fd, uint64_t byte)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1};

    return fcntl(fd, F_OFD_SETLK, &lock);
}

/* A process that keeps what it has inherited. */
static pid_t
keep(void)
{
    pid_t pid = fork();

    while (pid == 0)
        pause();
    return pid;
}

static void
end(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static bool
is_held(void)
{
    return lock_holder_find(&scene.kernel.host, LOCK, &holder);
}

static bool
is_byte_held(uint64_t byte)
{
    return lock_holder_find_byte(&scene.kernel.host, LOCK, byte, &holder);
}

TEST(who_has_it)
{
    char text[32], comm[32] = "";
    int fd;
    pid_t pid;

    /* Valgrind's program has another name. */
    assert_int_equal(prctl(PR_GET_NAME, comm), 0);
    assert_false(is_held());
    fd = open_file(LOCK);
    pid = keep();
    assert_false(is_held()); /* it is open, and nobody has locked it */
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_true(is_held()); /* the lock belongs to the open file */
    assert_int_equal(holder.pid, pid);
    assert_false(holder.is_left);
    snprintf(text, sizeof(text), "%d (%s)", (int)pid, comm);
    assert_string_equal(holder.name, text);
    assert_false(is_byte_held(0));
    end(pid);
    assert_false(is_held()); /* this process does not count */
    close(fd);
}

/* The process that took the lock has ended. */
TEST(who_has_inherited_it)
{
    int pids[2], fd;
    pid_t taker, child;

    assert_int_equal(pipe(pids), 0);
    taker = fork();
    if (taker == 0) {
        fd = open_file(LOCK);
        if (flock(fd, LOCK_EX) == 0 && (child = keep()) > 0)
            (void)!write(pids[1], &child, sizeof(child));
        for (;;)
            pause();
    }
    assert_int_equal(read(pids[0], &child, sizeof(child)), sizeof(child));
    assert_true(is_held());
    assert_false(holder.is_left);
    end(taker);
    assert_true(is_held());
    assert_int_equal(holder.pid, child);
    assert_true(holder.is_left);
    assert_int_equal(kill(child, SIGKILL), 0);
    fd = open_file(LOCK);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    close(fd);
    assert_false(is_held());
    close(pids[0]);
    close(pids[1]);
}

TEST(who_has_a_byte)
{
    int fd = open_file(LOCK), other;
    pid_t pid;

    fake_write(&scene.kernel, "elsewhere/tools", "");
    other = open_file("elsewhere/tools");
    assert_int_equal(take_byte(fd, BYTE), 0);
    assert_int_equal(take_byte(other, BYTE + 1), 0);
    assert_int_equal(flock(other, LOCK_EX), 0);
    pid = keep();
    assert_true(is_byte_held(BYTE));
    assert_int_equal(holder.pid, pid);
    assert_false(holder.is_left);
    /* A file of the same name is another file, and other bytes are other locks. */
    assert_false(is_byte_held(BYTE + 1) || is_byte_held(0) || is_held());
    end(pid);
    close(fd);
    close(other);
}
