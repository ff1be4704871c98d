/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * entry: a file, directory or link below the root, as "ls -l" shows it.
 *
 * Links are followed below the root. An absolute link does not lead out of a tree that --root
 * names.
 */

#pragma once

#include "base/host.h"

#include <sys/stat.h>

struct entry {
    struct path path; /* below the root, without a '/' in front; of a link, where the link leads */
    struct stat status;
};

/* Looks at the entry itself, even if it is a link. Returns 0 or -errno. The path is set in both
 * cases. */
int entry_look(const struct host *host, struct entry *ret, const char *format, ...)
    FORMAT(3, 4) CHECKED NONNULL;

/* Looks at the entry where a link leads in the end, or at the entry itself. Returns 0, -ELOOP or
 * another -errno. On an error, the path is that of the missing file. */
int entry_follow(const struct host *host, struct entry *ret, const char *format, ...)
    FORMAT(3, 4) CHECKED NONNULL;

/* Whether libvirt would run the entry as a hook: a file that anybody may execute. */
bool entry_is_program(const struct entry *entry) CHECKED NONNULL;

/* Whether only the owner of the root directory, who is root, may change the entry. */
bool entry_is_safe(const struct host *host, const struct entry *entry) CHECKED NONNULL;
