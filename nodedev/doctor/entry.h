/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * entry: something in the file system below the root, as "ls -l" shows it.
 *
 * Links are followed below the root: an absolute one does not lead out of a tree that --root names.
 */

#pragma once

#include "base/host.h"
#include "base/words.h"

#include <sys/stat.h>

struct entry {
    struct path path; /* below root, without a '/' in front; of what a link leads to */
    struct stat status;
};

/* The thing itself, be it a link: 0 or -errno; then the path is known all the same. */
int entry_look(const struct host *host, struct entry *ret, const char *format, ...)
    FORMAT(3, 4) CHECKED NONNULL;

/* What a link leads to in the end, or the thing itself: 0 or -errno, -ELOOP; then the path is that
 * of what is not there. */
int entry_follow(const struct host *host, struct entry *ret, const char *format, ...)
    FORMAT(3, 4) CHECKED NONNULL;

/* Whether libvirt would run it as a hook: a file that anybody may execute. */
bool entry_is_program(const struct entry *entry) CHECKED NONNULL;

/* Whether nobody but the owner of the root directory, who is root, may change it. */
bool entry_is_safe(const struct host *host, const struct entry *entry) CHECKED NONNULL;

/* The names in a directory, whatever is in them, sorted; the caller clears them. 0, or -errno and
 * nothing in ret. */
int entry_list(const struct host *host, struct words *ret, const char *format, ...)
    FORMAT(3, 4) CHECKED NONNULL;
