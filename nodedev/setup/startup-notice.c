/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/startup-notice.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A signal of its own: the wait for a lock uses SIGALRM (base/file-lock.h). */
#define SIGNAL SIGRTMIN

/* Once is enough: the socket takes nothing more then. A handler may call both functions
 * (signal-safety(7)). */
static void
send_notice(int socket)
{
    static const char ready[] = "READY=1";

    (void)send(socket, ready, sizeof(ready) - 1, MSG_NOSIGNAL);
    (void)shutdown(socket, SHUT_WR);
}

static void
ring(int number, siginfo_t *info, void *context)
{
    int saved = errno;

    (void)number;
    (void)context;
    send_notice(info->si_value.sival_int);
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

static int
start_timer(struct startup_notice *notice, unsigned milliseconds, struct error *error)
{
    const struct sigaction action = {.sa_sigaction = ring, .sa_flags = SA_RESTART | SA_SIGINFO};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
                             .sigev_signo = SIGNAL,
                             .sigev_value.sival_int = notice->socket};
    const struct itimerspec when = {
        .it_value = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L}};

    notice->has_timer = sigaction(SIGNAL, &action, NULL) == 0 &&
                        timer_create(CLOCK_BOOTTIME, &event, &notice->timer) == 0;
    if (notice->has_timer && timer_settime(notice->timer, 0, &when, NULL) == 0)
        return 0;
    return error_set(error, -errno, "no timer for the notice that this unit is up: %m");
}

int
startup_notice_begin(struct startup_notice *ret, unsigned milliseconds, struct error *error)
{
    const char *name = getenv("NOTIFY_SOCKET");
    int rc;

    *ret = (struct startup_notice){.socket = -1};
    if (!name || !*name)
        return 0;
    rc = open_socket(name);
    if (rc < 0)
        return error_set(error, rc, "systemd cannot be told at %s that this unit is up: %s", name,
                         strerror(-rc));
    ret->socket = rc;
    if (milliseconds)
        return start_timer(ret, milliseconds, error);
    send_notice(ret->socket);
    return 0;
}

void
startup_notice_send(const struct startup_notice *notice)
{
    if (notice->socket >= 0)
        send_notice(notice->socket);
}

void
startup_notice_end(struct startup_notice *notice)
{
    if (notice->has_timer)
        timer_delete(notice->timer);
    startup_notice_send(notice);
    if (notice->socket >= 0)
        close(notice->socket);
}
