/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* program: what a started program inherits from us, and how its end is reported. */

#include "program/program.h"
#include "base/descriptors.h"
#include "fake/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG 600000 /* in ms: even a busy machine needs less time */

static const struct host host = {
    .root = AT_FDCWD, .ops = &host_kernel, .caller = -1, .run = program_run};

/* The status that the shell reports. */
static int
run(const char *script, unsigned milliseconds)
{
    char shell[] = "/bin/sh", option[] = "-c";
    char *copy = strdup(script);
    char *const argv[] = {shell, option, copy, NULL};
    int rc = program_run(&host, argv, -1, milliseconds);

    free(copy);
    return rc;
}

UNIT_TEST(how_it_ends)
{
    char nothing[] = "/no/such/program";
    char *const argv[] = {nothing, NULL};

    assert_int_equal(run("exit 0", LONG), 0);
    assert_int_equal(run("exit 7", LONG), 7);
    assert_int_equal(run("kill -TERM $$", LONG), 128 + SIGTERM);
    assert_int_equal(program_run(&host, argv, -1, LONG), -ENOENT);
}

/* The program inherits nothing of our environment, and only the three standard descriptors. */
UNIT_TEST(what_it_gets)
{
    int left_open = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;

    assert_true(left_open > 2);
    assert_int_equal(setenv("LD_PRELOAD_OF_SOMEBODY", "x", 1), 0);
    assert_int_equal(run("[ -z \"$LD_PRELOAD_OF_SOMEBODY$HOME$USER\" ]", LONG), 0);
    assert_int_equal(run("[ \"$PATH $LC_ALL\" = '/usr/sbin:/usr/bin:/sbin:/bin C' ]", LONG), 0);
    assert_int_equal(run("[ \"$(readlink /proc/self/fd/0)\" = /dev/null ]", LONG), 0);
    assert_int_equal(run("[ /proc/$$/fd/1 -ef /proc/$$/fd/2 ]", LONG), 0);
    assert_int_equal(run("for fd in /proc/$$/fd/*; do [ ! $fd -ef / ] || exit 1; done", LONG), 0);
    descriptors_bequeath(left_open);
    assert_int_equal(run("for fd in /proc/$$/fd/*; do [ ! $fd -ef / ] || exit 1; done", LONG), 1);
    /* The program does not ignore the signals that we ignore. */
    assert_int_equal(sigaction(SIGTERM, &ignore, &before), 0);
    assert_int_equal(run("kill -TERM $$", LONG), 128 + SIGTERM);
    assert_int_equal(sigaction(SIGTERM, &before, NULL), 0);
    close(left_open);
}

/* The program and its children are asked to end. Afterwards no process has the other end of the
 * pipe. */
UNIT_TEST(too_long)
{
    struct pollfd end = {.events = POLLIN};
    int pipes[2], faults = dup(STDERR_FILENO), rc;
    char byte;

    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    assert_int_equal(dup2(pipes[1], STDERR_FILENO), STDERR_FILENO);
    rc = run("sleep 3600 & wait", 50);
    dup2(faults, STDERR_FILENO);
    close(faults);
    close(pipes[1]);
    end.fd = pipes[0];
    assert_int_equal(rc, -ETIMEDOUT);
    assert_int_equal(poll(&end, 1, LONG), 1);
    assert_int_equal(read(pipes[0], &byte, 1), 0);
    close(pipes[0]);
}

/* Time goes on only once the program says that it ignores SIGTERM. */
static int is_deaf[2] = {-1, -1};
static uint64_t moment;

static uint64_t
tell_moment(const struct host *ignored)
{
    return moment;
}

static int
let_time_go_on(const struct host *ignored, struct pollfd *polls, size_t count, uint64_t nanoseconds)
{
    char byte;

    if (moment == 0)
        assert_int_equal(read(is_deaf[0], &byte, 1), 1);
    moment += nanoseconds;
    return 0;
}

/* A program that ignores SIGTERM, or whose child does, is killed. */
UNIT_TEST(deaf)
{
    static const char *const scripts[] = {
        "trap '' TERM; echo >$said; sleep 3600",
        "(trap '' TERM; echo >$said; exec sleep 3600) & wait",
    };
    struct host_ops ops = host_kernel;
    const struct host simulated = {.root = AT_FDCWD, .ops = &ops, .caller = -1, .run = program_run};

    ops.now = tell_moment;
    ops.wait = let_time_go_on;
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        char shell[] = "/bin/sh", option[] = "-c", script[128];
        char *const argv[] = {shell, option, script, NULL};
        struct pollfd end = {.events = POLLIN};
        int lives[2];
        char byte;

        assert_int_equal(pipe(is_deaf), 0);
        assert_int_equal(pipe(lives), 0);
        snprintf(script, sizeof(script), "said=/proc/self/fd/%d; %s", is_deaf[1], scripts[i]);
        moment = 0;
        assert_int_equal(program_run(&simulated, argv, -1, 50), -ETIMEDOUT);
        close(is_deaf[0]);
        close(is_deaf[1]);
        close(lives[1]);
        end.fd = lives[0];
        assert_int_equal(poll(&end, 1, LONG), 1);
        assert_int_equal(read(lives[0], &byte, 1), 0);
        close(lives[0]);
    }
}

/* Runs a script. Returns the length of its output, or -errno with a line in
 * error. */
static int
read_all(const char *script, char *ret, size_t size, struct error *error)
{
    char shell[] = "/bin/sh", option[] = "-c", *copy = strdup(script);
    char *const argv[] = {shell, option, copy, NULL};
    int fd = program_read(&host, argv, error);

    free(copy);
    if (fd >= 0) {
        ssize_t length = read(fd, ret, size - 1);

        assert_true(length >= 0);
        ret[length] = '\0';
        close(fd);
    }
    return fd;
}

/* The whole output is read, but never more than the buffer can hold. */
UNIT_TEST(what_is_read)
{
    char text[64];
    struct error error;

    assert_true(read_all("cat; echo some; echo ' end'", text, sizeof(text), &error) >= 0);
    assert_string_equal(text, "some\n end\n");
    assert_true(read_all("exit 0", text, sizeof(text), &error) >= 0);
    assert_string_equal(text, "");
    assert_int_equal(read_all("echo some; exit 3", text, sizeof(text), &error), -EIO);
    assert_string_equal(error.text, "/bin/sh failed (exit status 3); it says why above");
    assert_int_equal(read_all("exec cat /dev/zero 2>/dev/null", text, sizeof(text), &error),
                     -EFBIG);
    assert_string_equal(error.text, "/bin/sh prints more than 256 MiB");
}
