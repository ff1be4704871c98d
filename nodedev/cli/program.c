/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/program.h"
#include "base/deadline.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE 5000 /* ms from SIGTERM on */

/* All other descriptors of ours are closed by the exec. */
static int
redirect(posix_spawn_file_actions_t *actions, int out)
{
    int rc = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

    return rc ? rc
              : posix_spawn_file_actions_adddup2(actions, out < 0 ? STDERR_FILENO : out,
                                                 STDOUT_FILENO);
}

/* No signal is ignored or blocked, whatever our caller does with them. */
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

/* Its pid, or -errno. */
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

/* What it ended with, or -ETIMEDOUT. */
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

/* Why a program cannot be started is asked beforehand: under valgrind, which has no vfork(2),
 * nobody would tell. */
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
    kill(-pid, SIGTERM);
    rc = wait_for(pid, deadline_in(host, GRACE));
    return rc < 0 ? rc : -ETIMEDOUT;
}
