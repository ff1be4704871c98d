/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * archive: the file of a capture: a tar archive, packed by gzip, with one member, "manifest".
 *
 * tar(1) writes and reads the archive. An archive is untrusted input. So tar writes this one member
 * to its standard output, and writes to no directory. The output goes to memory of limited size.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

/*
 * Reads the manifest in a directory or in an archive, ended by a NUL. Returns 1, and the caller
 * frees the manifest. Returns 0 for a directory without a manifest. Returns -errno with a line in
 * error, -EFBIG for more than 64 MiB.
 */
int archive_read(const struct host *host, const char *path, char **ret,
                 struct error *error) CHECKED NONNULL;

/* Packs a manifest into an archive, which the caller frees. Returns 0, or -errno with a line in
 * error. */
int archive_pack(const struct host *host, const char *manifest, size_t length, char **ret,
                 size_t *ret_length, struct error *error) CHECKED NONNULL;
