/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * startup-notice: tells systemd that a unit of Type=notify is up (sd_notify(3)). Then the units
 * that wait for this one start.
 *
 * The notice is sent once: by the caller, or before that by a timer, whatever the process does
 * then. A process that systemd did not start as such a unit sends nothing. systemd takes the notice
 * only from the process that it started.
 */

#pragma once

#include "base/error.h"

#include <time.h>

struct startup_notice {
    int socket; /* systemd's; -1: nobody waits for a notice */
    timer_t timer;
    bool has_timer;
};

/* Sets the timer. 0: the notice is sent at once. Returns -errno with a line in error if the notice
 * cannot be sent. End ret in either case. */
int startup_notice_begin(struct startup_notice *ret, unsigned milliseconds,
                         struct error *error) CHECKED NONNULL;

/* Sends the notice, unless it was sent. */
void startup_notice_send(const struct startup_notice *notice) NONNULL;

/* The same, and stops the timer. */
void startup_notice_end(struct startup_notice *notice) NONNULL;
