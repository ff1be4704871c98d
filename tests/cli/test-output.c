/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files that vgpuctl writes: metrics --output, capture, prove --capture. A regular file is
 * replaced. What is no regular file is written, or it is refused; it is never replaced. */

#include "fake/typed.h"
#include "program/program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define CARD "0000:18:00.0"
#define MACHINE                                                                                    \
    "gpu " CARD " rule size\n"                                                                     \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 3\n"
#define HERE "test:///default"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {.scene = {.scene = &scene, .machine = MACHINE},
                                       .typed = &typed};
#define TEST(function) TYPED_TEST(function, here)

static const char *const commands_that_write[] = {
    "vgpuctl metrics --output",
    "vgpuctl capture",
    "vgpuctl prove " CARD " --capture",
};

/* A path in the scene's tree. Static memory, 64 at a time. */
static const char *
in_tree(const char *name)
{
    static char paths[64][400];
    static unsigned next;
    char *path = paths[next++ % 64];

    snprintf(path, sizeof(paths[0]), "%s/out/%s", scene.kernel.path, name);
    return path;
}

static const char *
begin(const char *name)
{
    scene.kernel.host.run = program_run;
    if (mkdir(in_tree(""), 0755) < 0)
        assert_int_equal(errno, EEXIST);
    return in_tree(name);
}

static int
run(const char *command, const char *path)
{
    char line[600];

    snprintf(line, sizeof(line), "%s %s", command, path);
    return typed_run(&scene, HERE, line, &typed);
}

static mode_t
kind(const char *path)
{
    struct stat status;

    return lstat(path, &status) < 0 ? 0 : status.st_mode & S_IFMT;
}

/* Makes a file of this name that is the device. Where no device may be made, as in a container, it
 * is a link to the one in /dev. */
static const char *
device(const char *name, unsigned minor)
{
    char there[32];
    const char *path = begin(name);
    int fd = -1;

    snprintf(there, sizeof(there), "/dev/%s", name);
    if (mknod(path, S_IFCHR | 0666, makedev(1, minor)) == 0)
        fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    else if ((unlink(path), symlink(there, path)) < 0)
        fail_msg("%s: %m", path);
    return path;
}

TEST(a_device_is_written)
{
    const char *null = device("null", 3), *full = device("full", 7), *link = in_tree("link");
    mode_t of_null = kind(null), of_full = kind(full);

    assert_int_equal(symlink("null", link), 0);
    for (size_t i = 0; i < COUNT(commands_that_write); i++) {
        const char *command = commands_that_write[i];

        assert_int_equal(run(command, null), 0);
        assert_int_equal(run(command, link), 0);
        assert_int_equal(run(command, full), 1);
        typed_assert_has(typed.faults, "out/full: No space left on device");
        assert_int_equal(kind(null), of_null);
        assert_int_equal(kind(full), of_full);
        assert_int_equal(kind(link), S_IFLNK);
    }
}

/* Nobody waits for a reader. */
TEST(a_pipe_needs_a_reader)
{
    const char *path = begin("pipe");
    char text[64];
    int reader;

    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(20);
    for (size_t i = 0; i < COUNT(commands_that_write); i++) {
        assert_int_equal(run(commands_that_write[i], path), 1);
        typed_assert_has(typed.faults, "out/pipe: nobody reads from this pipe");
        assert_int_equal(kind(path), S_IFIFO);
    }
    assert_int_equal(scene.kernel.faults->writes, 0); /* a proof does not begin */
    reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    for (size_t i = 0; i < COUNT(commands_that_write); i++) {
        assert_int_equal(run(commands_that_write[i], path), 0);
        assert_true(read(reader, text, sizeof(text)) == sizeof(text));
        assert_memory_equal(text, i ? "\x1f\x8b" : "# ", 2);
        while (read(reader, text, sizeof(text)) > 0)
            continue;
    }
    close(reader);
    alarm(0);
    assert_int_equal(kind(path), S_IFIFO);
}

TEST(others_are_refused)
{
    const char *path = begin("socket"), *directory = in_tree("directory");
    const char *disk = in_tree("disk"), *nowhere = in_tree("nowhere");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    AUTO_CLOSE int out = open(in_tree(""), O_PATH | O_DIRECTORY | O_CLOEXEC);

    snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/socket", out);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(mkdir(directory, 0755), 0);
    assert_int_equal(symlink("there-is-none", nowhere), 0);
    for (size_t i = 0; i < COUNT(commands_that_write); i++) {
        const char *command = commands_that_write[i];

        assert_int_equal(run(command, path), 1);
        typed_assert_has(typed.faults, "out/socket: it is a socket");
        assert_int_equal(kind(path), S_IFSOCK);
        assert_int_equal(run(command, directory), 1);
        typed_assert_has(typed.faults, "out/directory: it is a directory");
        assert_int_equal(run(command, nowhere), 1);
        typed_assert_has(typed.faults, "out/nowhere: it is a link that leads nowhere");
        assert_int_equal(kind(nowhere), S_IFLNK);
        assert_int_equal(kind(in_tree("there-is-none")), 0);
        if (mknod(disk, S_IFBLK | 0600, makedev(7, 4000)) < 0 && errno != EEXIST)
            continue; /* in a container only */
        assert_int_equal(run(command, disk), 1);
        typed_assert_has(typed.faults, "out/disk: it is a disk");
        assert_int_equal(kind(disk), S_IFBLK);
    }
    assert_int_equal(scene.kernel.faults->writes, 0);
}

/* The link stays. The file that it leads to is replaced, in its own directory. */
TEST(a_link_to_a_file_stays)
{
    const char *path = begin("link"), *target = in_tree("there/file");
    struct stat before, after;

    assert_int_equal(mkdir(in_tree("there"), 0755), 0);
    assert_int_equal(symlink("there/file", path), 0);
    for (size_t i = 0; i < COUNT(commands_that_write); i++) {
        AUTO_CLOSE int old = open(target, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);

        assert_int_equal(fstat(old, &before), 0);
        assert_int_equal(run(commands_that_write[i], path), 0);
        assert_int_equal(kind(path), S_IFLNK);
        assert_int_equal(stat(target, &after), 0);
        assert_int_not_equal(after.st_ino, before.st_ino);
        assert_true(after.st_size > 100);
    }
    assert_int_equal(rmdir(in_tree("there")), -1);
    assert_int_equal(unlink(target), 0);
    assert_int_equal(rmdir(in_tree("there")), 0); /* nothing is left beside it */
}

/* Runs the built program. Its stdout and stderr are these. */
static int
run_built(const char *name, int out, int faults, const char *word, const char *path)
{
    const char *build = getenv("top_builddir");
    char program[300];
    pid_t pid = fork();
    int status;

    snprintf(program, sizeof(program), "%s/vgpuctl", build ? build : ".");
    if (pid == 0) {
        dup2(out, STDOUT_FILENO);
        dup2(faults, STDERR_FILENO);
        execl(program, "vgpuctl", "--root", scene.kernel.path, name, word ? word : path,
              word ? path : NULL, NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* What is said besides must not get into the archive. A file that is our own stdout is not
 * replaced: what else is written there would be lost. */
TEST(stdout_is_written)
{
    const char *path = begin("stdout");
    AUTO_CLOSE int faults = memfd_create("faults", MFD_CLOEXEC);
    AUTO_CLOSE int file = open(in_tree("file"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    char text[4096] = "";
    struct stat status;
    int ends[2];

    assert_int_equal(symlink("/proc/self/fd/1", path), 0);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(run_built("capture", ends[1], faults, NULL, path), 0);
    assert_int_equal(read(ends[0], text, 2), 2);
    assert_memory_equal(text, "\x1f\x8b", 2);
    assert_true(pread(faults, text, sizeof(text) - 1, 0) > 0);
    typed_assert_has(text, " answers of this host's");
    close(ends[0]);
    close(ends[1]);

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(run_built("metrics", ends[1], faults, "--output", path), 0);
    assert_int_equal(read(ends[0], text, 7), 7);
    assert_memory_equal(text, "# HELP ", 7);
    close(ends[0]);
    close(ends[1]);

    assert_int_equal(write(file, "before\n", 7), 7);
    assert_int_equal(run_built("metrics", file, faults, "--output", path), 0);
    assert_int_equal(fstat(file, &status), 0);
    assert_int_equal(status.st_nlink, 1);
    assert_int_equal(pread(file, text, 14, 0), 14);
    assert_memory_equal(text, "before\n# HELP ", 14);
    assert_int_equal(kind(path), S_IFLNK);
}
