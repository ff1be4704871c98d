/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * typed-line: the command line as a person typed it, and who that was, for the log.
 */

#pragma once

#include "base/host.h"

/* The whole line, with each word as for a shell. Many people read the log, so the password of a URI
 * is "***" there. The caller frees the line. */
char *typed_line_make(int argc, char *const argv[]) CHECKED NONNULL;

/* The login of the person, also behind sudo(8): the kernel keeps the user who logged in
 * (/proc/self/loginuid). Without one, as for a service, it is the user of the process. Without a
 * name it is the number. Returns buffer. */
const char *typed_line_user(const struct host *host, char *buffer, size_t size) NONNULL;
