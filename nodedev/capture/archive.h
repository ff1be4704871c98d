/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * archive: the file of a capture: a tar archive, packed by gzip, with one member, "manifest".
 *
 * tar(1) writes and reads it. An archive may come from anybody. So tar puts that one member on its
 * standard output, and nothing into any directory; its output is memory of ours that does not grow
 * beyond a limit.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

/*
 * The manifest in a directory, or in an archive, terminated: 1, and the caller frees it. 0: a
 * directory without one. -errno with a line in error; -EFBIG for more than 64 MiB.
 */
int archive_read(const struct host *host, const char *path, char **ret,
                 struct error *error) CHECKED NONNULL;

/* The archive of a manifest, which the caller frees: 0, or -errno with a line in error. */
int archive_pack(const struct host *host, const char *manifest, size_t length, char **ret,
                 size_t *ret_length, struct error *error) CHECKED NONNULL;
