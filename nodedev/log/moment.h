/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * moment: reads a moment, as people type it or as a line of a log begins.
 *
 * A moment without a zone is local time. The log of another machine (--root) is read as if it had
 * this machine's local time.
 */

#pragma once

#include "base/cleanup.h"

#include <time.h>

/*
 * Reads a moment as it is typed, in the forms of systemd.time(7) that journalctl takes:
 *
 * - "2026-11-23 12:00:01", also without seconds, without time, or without day; also with "T" for
 *   the blank, and with a zone ("Z", "UTC", "+01:00");
 * - "now", "today", "yesterday";
 * - "-1h30min", "2 days ago";
 * - "@1700000000".
 *
 * Returns 0, or -EINVAL.
 */
int moment_parse(const char *text, time_t now, time_t *ret) CHECKED NONNULL;

/* Reads the moment at the beginning of a line of a log: the first of those forms, or "Nov 23
 * 12:00:01". The latter has no year; it is at most a day after `latest`. Returns 0, or -EINVAL. */
int moment_of_line(const char *text, time_t latest, time_t *ret) CHECKED NONNULL;
