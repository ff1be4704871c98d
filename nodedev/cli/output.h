/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * output: what a command was told to put into a file.
 *
 * Others may read a regular file at any time, so it is replaced as a whole, and they never see half
 * of it. A link stays, and what it leads to is replaced. Whatever else has this name keeps it: a
 * pipe or a device like /dev/null is written. Directories, sockets and disks are refused.
 *
 * A command that takes long opens its output first, so that it is refused early.
 */

#pragma once

#include "base/error.h"

#include <sys/types.h>

struct output {
    const char *path; /* as it was typed; borrowed */
    char *file;       /* the regular file to make or to replace; NULL: there is a descriptor */
    int fd;           /* a pipe, a device, or our own stdout or stderr */
};
#define OUTPUT_NONE ((struct output){.fd = -1})

/* Returns 0, or -errno with a line in error that names the path. The caller closes ret in every
 * case. */
int output_open(const char *path, struct output *ret, struct error *error) CHECKED NONNULL;
void output_close(struct output *output) NONNULL;

/* Writes all that there is to write. A new file is called PATH.XXXXXX until it is complete. Returns
 * 0, or -errno with a line in error that names the path. */
int output_write(const struct output *output, const char *bytes, size_t length, mode_t mode,
                 struct error *error) CHECKED NONNULL;
