/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Silences libxml2 and ssh in the child. Messages for people come over the pipe. */
static void
hush(int pipe)
{
    int nowhere = memfd_create("nowhere", 0);

    for (int standard = 0; nowhere >= 0 && standard <= 2; standard++) {
        if (standard != pipe)
            dup2(nowhere, standard);
    }
}

/* Ends with _exit, because exit would print the output that the parent has buffered. */
static void __attribute__((noreturn))
live(pid_t parent, child_work *work, const void *data, int pipe)
{
    FILE *out = fdopen(pipe, "we");

    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* A parent that was killed before sends no signal. */
    if (!out || getppid() != parent)
        _exit(1);
    hush(pipe);
    work(data, out);
    _exit(0);
}

int
child_start(struct child *child, child_work *work, const void *data)
{
    const pid_t parent = getpid();
    int pipes[2];

    *child = (struct child){.pipe = -1};
    if (pipe2(pipes, O_CLOEXEC) < 0)
        return -errno;
    child->pid = fork();
    if (child->pid == 0) {
        close(pipes[0]);
        live(parent, work, data, pipes[1]);
    }
    close(pipes[1]);
    if (child->pid < 0) {
        int rc = -errno;

        close(pipes[0]);
        return rc;
    }
    child->pipe = pipes[0];
    return 0;
}

void
child_close(struct child *child)
{
    if (child->pipe >= 0)
        close(child->pipe);
    child->pipe = -1;
}

size_t
child_hear(struct child *child, char *ret, size_t size)
{
    ssize_t got = read(child->pipe, ret, size);

    if (got > 0)
        return (size_t)got;
    child_close(child);
    return 0;
}

void
child_end(struct child *child, struct deadline deadline)
{
    unsigned pause = 1;

    child_close(child);
    if (child->pid <= 0)
        return;
    while (waitpid(child->pid, NULL, WNOHANG) == 0) {
        if (deadline_pause(deadline, &pause))
            continue;
        /* Kills the session and the child itself, because the child may not have its own session
         * yet. */
        kill(-child->pid, SIGKILL);
        kill(child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
        return;
    }
}
