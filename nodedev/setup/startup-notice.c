/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/startup-notice.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* A handler of signals uses it. -1: nobody waits for a notice, or it was sent. */
static volatile sig_atomic_t notice_socket = -1;

/* All that this calls may be called in a handler (signal-safety(7)). */
void
startup_notice_send(void)
{
    static const char ready[] = "READY=1";
    int fd = notice_socket;

    notice_socket = -1;
    if (fd < 0)
        return;
    (void)send(fd, ready, sizeof(ready) - 1, MSG_NOSIGNAL);
    close(fd);
}

static void
ring(int number)
{
    int saved = errno;

    (void)number;
    startup_notice_send();
    errno = saved;
}

/* A name that begins with "@" is in the abstract name space (sd_notify(3)). */
static int
open_socket(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (length >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path, name, length);
    if (*name == '@')
        address.sun_path[0] = '\0';
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) < 0)
        return -errno;
    return TAKE_FD(fd);
}

int
startup_notice_after(unsigned milliseconds, struct error *error)
{
    const struct sigaction action = {.sa_handler = ring, .sa_flags = SA_RESTART};
    const struct itimerval timer = {
        .it_value = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000}};
    const char *name = getenv("NOTIFY_SOCKET");
    int fd = name && *name ? open_socket(name) : -1;

    if (!name || !*name)
        return 0;
    if (fd < 0)
        return error_set(error, fd, "systemd cannot be told at %s that this unit is up: %s", name,
                         strerror(-fd));
    notice_socket = fd;
    if (milliseconds == 0)
        startup_notice_send();
    else if (sigaction(SIGALRM, &action, NULL) < 0 || setitimer(ITIMER_REAL, &timer, NULL) < 0)
        return error_set(error, -errno, "no timer for the notice that this unit is up: %m");
    return 0;
}
