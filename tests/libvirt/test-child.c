/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* child: it ends with the process that has started it. */

#include "libvirt/child.h"
#include "fake/unit.h"

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A new child calls this in place of libc's function. Somebody kills its parent just then. */
pid_t
setsid(void)
{
    const pid_t parent = getppid();

    kill(parent, SIGKILL);
    while (getppid() == parent)
        sched_yield();
    return (pid_t)syscall(SYS_setsid);
}

static void
tell(const void *data, FILE *out)
{
    (void)!write(*(const int *)data, "!", 1);
}

UNIT_TEST(nobody_works_for_a_dead_process)
{
    int told[2], status;
    char word;
    pid_t vgpuctl;

    assert_int_equal(pipe(told), 0);
    vgpuctl = fork();
    if (vgpuctl == 0) {
        struct child child;

        (void)!child_start(&child, tell, &told[1]);
        for (;;)
            pause();
    }
    close(told[1]);
    assert_int_equal(waitpid(vgpuctl, &status, 0), vgpuctl);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(read(told[0], &word, sizeof(word)), 0);
    close(told[0]);
}
