/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fake-clock: the fake kernel's clock, and all that waits for it.
 *
 * It is a simulation: time stands still while any process of the test works, and when all of them
 * wait it goes on at once to the moment at which the first of them wants to go on. So a wait takes
 * no time, work takes none by this clock, and no verdict depends on how busy the machine is.
 *
 * The processes are the test program's own and all that it and they fork; they may be killed at any
 * moment. Which of them work is the real kernel's word (/proc/PID/status): one that waits for a
 * lock, a child or a pipe waits. So a test that waits for what another process does must sleep by
 * this clock between two looks (fake_sleep), or wait for that process: one that sleeps by the real
 * clock counts as waiting, and time passes by.
 *
 * There is one clock for each test program. It begins at an hour after boot.
 */

#pragma once

#include "base/host.h"

#define FAKE_UPTIME 3600000u /* ms */

/* Starts it if it was not; since boot it is FAKE_UPTIME at least then. */
void fake_clock_start(void);

/* Takes the real clock instead, for measurements; before anything else here. */
void fake_clock_use_real(void);

/* Milliseconds since boot, and another moment from which it goes on; nobody may be asleep then. */
uint64_t fake_now(void);
void fake_set_uptime(uint64_t milliseconds);

/* Sleeps; 0 is no sleep at all. */
void fake_sleep(unsigned milliseconds);

/* Zeroed memory for flags, that all processes and the clock share; returned, it is zero again. */
void *fake_clock_take_flags(size_t size);
void fake_clock_return_flags(void *flags);

/* Sleeps for as long as such a flag is set. */
void fake_sleep_while(const volatile bool *flag);

/* The operations of struct host. */
uint64_t fake_clock_now(const struct host *host);
int
fake_clock_wait(const struct host *host, struct pollfd *polls, size_t count, uint64_t nanoseconds);
int fake_clock_lock(const struct host *host, int fd, uint64_t nanoseconds);
