/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fake-clock: the fake kernel's clock, and the functions that wait for it.
 *
 * The clock is a simulation. While any process of the test works, time stands still. When all of
 * them wait, time goes on at once, to the moment at which the first of them wants to go on. So
 * neither a wait nor work takes time, and no result depends on how busy the machine is.
 *
 * The processes are the test program and all processes that it and they fork. They may be killed at
 * any moment. The real kernel tells which of them work (/proc/PID/status and /proc/PID/syscall, and
 * the same of its threads): a process that waits for a lock, a child or a pipe does not work. If
 * the kernel refuses the second file, a busy machine can make the clock go on too early. A test may
 * look again and again for the work of another process. Between two looks it must sleep by this
 * clock (fake_sleep), or it must wait for that process. If it sleeps by the real clock, it counts
 * as waiting, and simulated time passes.
 *
 * There is one clock for each test program. It begins at an hour after boot.
 */

#pragma once

#include "base/host.h"

#define FAKE_UPTIME 3600000u /* ms */

/* Starts the clock if it does not run. Then the time since boot is at least FAKE_UPTIME. */
void fake_clock_start(void);

/* Uses the real clock, for measurements. Call it before any other function here. */
void fake_clock_use_real(void);

/* Milliseconds since boot. The second function sets this time. No process may be asleep then. */
uint64_t fake_now(void);
void fake_set_uptime(uint64_t milliseconds);

/* Sleeps. 0 is no sleep at all. */
void fake_sleep(unsigned milliseconds);

/* Takes zeroed memory for flags, which all processes and the clock share. It is zeroed again when
 * it is returned. */
void *fake_clock_take_flags(size_t size);
void fake_clock_return_flags(void *flags);

/* Sleeps as long as a flag in this memory is set. */
void fake_sleep_while(const volatile bool *flag);

/* The operations of struct host. */
uint64_t fake_clock_now(const struct host *host);
int
fake_clock_wait(const struct host *host, struct pollfd *polls, size_t count, uint64_t nanoseconds);
int fake_clock_lock(const struct host *host, int fd, uint64_t nanoseconds);
