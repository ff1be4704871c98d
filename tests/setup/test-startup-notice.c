/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The notice for systemd comes at its time, whatever the process waits for. */

#include "base/file-lock.h"
#include "fake/unit.h"
#include "setup/startup-notice.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOUR 3600000000000ull /* ns */

/* A socket as systemd's, of which NOTIFY_SOCKET tells. */
static int
listen_as_systemd(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[32];
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    snprintf(name, sizeof(name), "@startup-notice.%d", (int)getpid());
    memcpy(address.sun_path + 1, name + 1, strlen(name) - 1);
    assert_int_equal(bind(fd, (struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))),
                     0);
    assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
    return fd;
}

/* The wait for a lock is ended by a timer, too. Each has a signal of its own. */
UNIT_TEST(while_a_lock_is_waited_for)
{
    char path[] = "/tmp/startup-notice.XXXXXX", text[16] = "";
    const int held = mkstemp(path), notices = listen_as_systemd();
    struct pollfd notice = {.fd = notices, .events = POLLIN};
    pid_t waiting;

    assert_int_equal(flock(held, LOCK_EX), 0);
    waiting = fork();
    if (waiting == 0) {
        struct startup_notice ret;
        struct error error;
        int fd = open(path, O_RDWR | O_CLOEXEC);

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (startup_notice_begin(&ret, 200, &error) < 0 || file_lock(fd, HOUR) < 0)
            _exit(1);
        _exit(0);
    }
    /* Nobody gives the lock back before the notice has come. */
    assert_int_equal(poll(&notice, 1, 600000), 1);
    assert_int_equal(recv(notices, text, sizeof(text) - 1, 0), strlen("READY=1"));
    assert_string_equal(text, "READY=1");
    assert_int_equal(waitpid(waiting, NULL, WNOHANG), 0);
    kill(waiting, SIGKILL);
    assert_int_equal(waitpid(waiting, NULL, 0), waiting);
    close(held);
    close(notices);
    unlink(path);
}
