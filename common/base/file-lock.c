/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/file-lock.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NANOSECONDS 1000000000ull /* in a second */
/* The first signal may come before the wait has begun, so others follow. */
#define AGAIN 10000000ull /* ns */

#ifndef sigev_notify_thread_id /* older C libraries have no name for it */
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void
woken(int number)
{
    (void)number;
}

static struct timespec
timespec_of(uint64_t nanoseconds)
{
    return (struct timespec){(time_t)(nanoseconds / NANOSECONDS),
                             (long)(nanoseconds % NANOSECONDS)};
}

/* The signals go to this thread alone: a program that uses libvirt has others. nanoseconds must not
 * be 0, which would disarm the timer. */
static int
start_timer(timer_t *ret, uint64_t nanoseconds)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
    const struct itimerspec when = {timespec_of(AGAIN), timespec_of(nanoseconds)};

    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    if (timer_create(CLOCK_BOOTTIME, &event, ret) < 0)
        return -errno;
    /* It fails only for times that are invalid. */
    return timer_settime(*ret, 0, &when, NULL);
}

static uint64_t
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_BOOTTIME, &time);
    return (uint64_t)time.tv_sec * NANOSECONDS + (uint64_t)time.tv_nsec;
}

/* Other signals do not end the wait. */
static int
wait_until(int fd, uint64_t end)
{
    while (flock(fd, LOCK_EX) < 0) {
        if (errno != EINTR)
            return -errno;
        if (now() >= end)
            return -ETIMEDOUT;
    }
    return 0;
}

static int
wait_with_timer(int fd, uint64_t nanoseconds)
{
    const struct sigaction wake = {.sa_handler = woken}; /* without SA_RESTART */
    struct sigaction action;
    const uint64_t end = now() + nanoseconds;
    sigset_t alarm, mask;
    timer_t timer;
    int rc;

    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    sigaction(SIGALRM, &wake, &action);
    sigprocmask(SIG_UNBLOCK, &alarm, &mask);
    rc = start_timer(&timer, nanoseconds);
    if (rc == 0) {
        rc = wait_until(fd, end);
        timer_delete(timer);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGALRM, &action, NULL);
    return rc;
}

int
file_lock(int fd, uint64_t nanoseconds)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return 0;
    if (errno != EWOULDBLOCK)
        return -errno;
    return nanoseconds ? wait_with_timer(fd, nanoseconds) : -ETIMEDOUT;
}
