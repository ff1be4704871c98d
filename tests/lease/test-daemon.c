/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* daemon: which of our ancestors is libvirt's daemon, with any processes between us and the
 * daemon. */

#include "lease/daemon.h"
#include "fake/fake-parts.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct scene scene;
static const struct scene_case here = {.scene = &scene,
                                       .machine = "gpu mtty rule pool 10\n"
                                                  "type mtty-2 \"Dual port serial\" uses 2\n"};

/* These pids are above the kernel's highest pid. So only the fake kernel has them. */
#define UP(n)     (5000000 + (n))
#define PARENT    0
#define NOBODY    (-1)
#define STRANGERS UP(99)

static void
put_process(int pid, const char *name, int parent)
{
    char text[256];

    snprintf(text, sizeof(text), "%d (%s) S %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 %d 0 0\n", pid,
             name, parent, pid + 7);
    fake_put(scene.kernel.host.root, text, "proc/%d/stat", pid);
}

/* The pid of the process that a child of this process takes for the daemon. */
static int
found(int caller)
{
    int ends[2], pid;
    pid_t child;
    struct process daemon;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    scene.kernel.host.caller = caller;
    child = fork();
    if (child == 0) {
        daemon = daemon_find(&scene.kernel.host);
        _exit(write(ends[1], &daemon, sizeof(daemon)) != sizeof(daemon));
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(read(ends[0], &daemon, sizeof(daemon)), sizeof(daemon));
    close(ends[0]);
    close(ends[1]);
    pid = daemon.pid == 0 ? NOBODY : daemon.pid == getpid() ? PARENT : daemon.pid;
    assert_true(daemon.pid == 0 ? daemon.start == 0 : daemon.start == (uint64_t)daemon.pid + 7);
    return pid;
}

SCENE_TEST(it_is_found_through_a_dispatcher, here)
{
    static const struct {
        const char *names[4]; /* our parent, its parent, and so on up to process 1 */
        int driver;           /* the pid in libvirt's file; 0: there is no file */
        int wanted;
    } rows[] = {
        /* The ancestors without a dispatcher. */
        {{"libvirtd"}, 0, PARENT},
        {{"virtqemud", "systemd-run"}, 0, PARENT},
        /* The ancestors with a dispatcher. */
        {{"sh", "libvirtd"}, 0, UP(1)},
        {{"python3", "bash", "virtqemud"}, 0, UP(2)},
        {{"sh", "libvirtd", "containerd-shim", "libvirtd"}, 0, UP(1)},
        /* libvirt's file is right, even if the program has another name. */
        {{"sh", "own-daemon"}, UP(1), UP(1)},
        {{"libvirtd", "own-daemon"}, UP(1), UP(1)},
        /* A file with another pid is another daemon's, or an old one. */
        {{"sh", "libvirtd"}, STRANGERS, UP(1)},
        {{"sh", "libvirtd"}, UP(50), UP(1)},
        /* A person or a test calls the hook. */
        {{"bash", "sshd"}, 0, PARENT},
        {{"bash", "sshd"}, STRANGERS, PARENT},
        /* A dispatcher whose daemon has ended. */
        {{"sh"}, STRANGERS, NOBODY},
        /* This parent may be libvirt's daemon with another name. */
        {{"own-daemon"}, 0, PARENT},
        {{"own-daemon"}, UP(50), PARENT},
    };

    put_process(STRANGERS, "libvirtd", 1);
    put_process(1, "systemd", 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char driver[32];

        for (int j = 0; j < 4 && rows[i].names[j]; j++)
            put_process(j ? UP(j) : getpid(), rows[i].names[j],
                        j < 3 && rows[i].names[j + 1] ? UP(j + 1) : 1);
        snprintf(driver, sizeof(driver), "%d", rows[i].driver);
        fake_put(scene.kernel.host.root, rows[i].driver ? driver : "",
                 "run/libvirt/qemu/driver.pid");
        if (found(-1) != rows[i].wanted)
            fail_msg("row %zu: %d, not %d", i, found(-1), rows[i].wanted);
    }
}

SCENE_TEST(a_broken_pipe_says_that_it_has_ended, here)
{
    int ends[2];

    put_process(getpid(), "sh", UP(1));
    put_process(UP(1), "libvirtd", 1);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(found(ends[1]), UP(1));
    close(ends[0]);
    assert_int_equal(found(ends[1]), NOBODY);
    close(ends[1]);
}
