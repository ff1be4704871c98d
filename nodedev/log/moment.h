/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * moment: a moment as people type it, or as a line of a log has it.
 *
 * Where no zone is said it is local time. A log of another machine (--root) is read as if its time
 * were that of this one.
 */

#pragma once

#include "base/cleanup.h"

#include <time.h>

/*
 * Reads a moment as it is typed, of those that systemd.time(7) has for journalctl: "2026-11-23
 * 12:00:01", without seconds or time or day, with "T" for the blank and with a zone ("Z", "UTC",
 * "+01:00"); "now", "today", "yesterday"; "-1h30min", "2 days ago"; "@1700000000". 0, or -EINVAL.
 */
int moment_parse(const char *text, time_t now, time_t *ret) CHECKED NONNULL;

/* Reads what a line of a log begins with: "Nov 23 12:00:01", which says no year and is no later
 * than a day after `latest`, or the first of the above. 0, or -EINVAL. */
int moment_of_line(const char *text, time_t latest, time_t *ret) CHECKED NONNULL;
