/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "program/program.h"
#include "base/deadline.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE   5000        /* ms after each signal */
#define LONGEST 60000       /* ms that a program may take if its output is read */
#define MOST    (256 << 20) /* bytes of output that is read */

/* The exec closes all other descriptors of this process but those that are bequeathed. */
static int
redirect(posix_spawn_file_actions_t *actions, int out)
{
    int rc = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

    return rc ? rc
              : posix_spawn_file_actions_adddup2(actions, out < 0 ? STDERR_FILENO : out,
                                                 STDOUT_FILENO);
}

/* The program ignores and blocks no signal, even if the caller does. */
static int
set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    int rc;

    sigemptyset(&none);
    sigfillset(&all);
    rc = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                  POSIX_SPAWN_SETSIGDEF);
    if (rc == 0)
        rc = posix_spawnattr_setsigmask(attributes, &none);
    return rc ? rc : posix_spawnattr_setsigdefault(attributes, &all);
}

/* Returns the program's pid, or -errno. */
static int
start(char *const argv[], int out)
{
    char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin", locale[] = "LC_ALL=C";
    char *const environment[] = {path, locale, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid = 0;
    int rc = posix_spawn_file_actions_init(&actions);

    if (rc)
        return -rc;
    rc = posix_spawnattr_init(&attributes);
    if (rc == 0) {
        rc = redirect(&actions, out);
        if (rc == 0)
            rc = set_signals(&attributes);
        if (rc == 0)
            rc = posix_spawn(&pid, argv[0], &actions, &attributes, argv, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return rc ? -rc : pid;
}

/* Returns the exit status, or -ETIMEDOUT. */
static int
wait_for(pid_t pid, struct deadline deadline)
{
    unsigned pause = 1;
    int status;

    for (;;) {
        pid_t ended = waitpid(pid, &status, WNOHANG);

        if (ended == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (ended < 0 && errno != EINTR)
            return -errno;
        if (!deadline_pause(deadline, &pause))
            return -ETIMEDOUT;
    }
}

/* Sends a signal to the program's group, and waits until nobody of the group is left. */
static bool
ends_by(const struct host *host, pid_t pid, int signal)
{
    struct deadline deadline = deadline_in(host, GRACE);
    unsigned pause = 1;

    if (kill(-pid, signal) < 0)
        return true;
    do {
        waitpid(pid, NULL, WNOHANG);
        if (kill(-pid, 0) < 0)
            return true;
    } while (deadline_pause(deadline, &pause));
    return false;
}

/* Whether the program can be started is checked first. Under valgrind, which has no vfork(2), a
 * later error is not reported. */
int
program_run(const struct host *host, char *const argv[], int out, unsigned milliseconds)
{
    pid_t pid = access(argv[0], X_OK) < 0 ? -errno : start(argv, out);
    int rc;

    if (pid < 0)
        return pid;
    rc = wait_for(pid, deadline_in(host, milliseconds));
    if (rc != -ETIMEDOUT)
        return rc;
    if (!ends_by(host, pid, SIGTERM))
        (void)ends_by(host, pid, SIGKILL);
    return -ETIMEDOUT;
}

/* Memory of fixed size. A program that prints more gets an error. */
static int
make_memory(struct error *error)
{
    AUTO_CLOSE int fd = memfd_create("program", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || ftruncate(fd, MOST) < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW) < 0)
        return error_set(error, -errno, "no memory for what a program prints: %m");
    return TAKE_FD(fd);
}

int
program_ask(const struct host *host, char *const argv[], int *status, struct error *error)
{
    AUTO_CLOSE int out = make_memory(error);
    off_t length;
    int rc;

    if (out < 0)
        return out;
    rc = host->run ? host->run(host, argv, out, LONGEST) : -EOPNOTSUPP;
    length = lseek(out, 0, SEEK_CUR);
    if (rc == -ETIMEDOUT)
        return error_set(error, rc, "%s did not end within %u seconds", argv[0], LONGEST / 1000);
    if (rc < 0)
        return error_set(error, rc, "cannot run %s: %s", argv[0], strerror(-rc));
    if (length == MOST)
        return error_set(error, -EFBIG, "%s prints more than %d MiB", argv[0], MOST >> 20);
    *status = rc;
    if (length < 0 || ftruncate(out, length) < 0 || lseek(out, 0, SEEK_SET) < 0)
        return error_set(error, -errno, "cannot read what %s prints: %m", argv[0]);
    return TAKE_FD(out);
}

int
program_read(const struct host *host, char *const argv[], struct error *error)
{
    int status = 0;
    AUTO_CLOSE int fd = program_ask(host, argv, &status, error);

    if (fd >= 0 && status)
        return error_set(error, -EIO, "%s failed (exit status %d); it says why above", argv[0],
                         status);
    return TAKE_FD(fd);
}
