/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * startup-notice: tells systemd that a unit of Type=notify is up (sd_notify(3)). Then the units
 * that wait for this one start.
 *
 * The notice is sent once: by the caller, or before that by a timer, whatever the process does
 * then. A process that systemd did not start as such a unit sends nothing.
 */

#pragma once

#include "base/error.h"

/* Sets the timer. 0: the notice is sent at once. A notice that cannot be sent is -errno with a line
 * in error. */
int startup_notice_after(unsigned milliseconds, struct error *error) CHECKED NONNULL;

/* Sends the notice, unless it was sent. */
void startup_notice_send(void);
