/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * safe-open: opens files where somebody else may have put links, pipes or other names.
 */

#pragma once

#include "base/cleanup.h"

#include <sys/types.h>

/*
 * openat(2) as if root (a descriptor) were "/" for this process. Wherever links on the way lead,
 * absolute ones and ".." too, the file is below root. Returns a descriptor with O_CLOEXEC, or -1
 * and errno. O_PATH needs O_NOFOLLOW or O_DIRECTORY.
 *
 * That is RESOLVE_IN_ROOT of openat2(2). Kernels before Linux 5.6 do not have it, nor does valgrind
 * before 3.25, so it is done here, name by name. Each name is opened by itself, without following
 * it, in a directory that is held open. So nobody can exchange one meanwhile. It takes a few system
 * calls for each name of the path.
 */
int safe_open_in_root(int root, const char *path, int flags, mode_t mode) CHECKED NONNULL;

/*
 * Opens a new, empty file for writing, in place of whatever has the name in that directory. A link
 * there is removed and not followed, and a pipe is not waited for. An old file that has another
 * name too keeps its content there. Returns a descriptor with O_CLOEXEC, or -1 and errno.
 */
int safe_open_new(int directory, const char *name, mode_t mode) CHECKED NONNULL;

/* Writes a whole text into such a file. 0 or -errno. */
int safe_open_write(int fd, const char *text) CHECKED NONNULL;
