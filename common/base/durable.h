/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * durable: names in directories that are still there after a power loss.
 *
 * Whoever makes, renames or removes a name in a directory syncs that directory afterwards. All
 * paths are below the host's root.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

/* Writes a directory's names to disk. 0 or -errno. */
int durable_sync(const struct host *host, const char *directory) CHECKED NONNULL;

/* Makes a directory and those above it, unless they are there. They are on disk when it returns. 0
 * or -errno. */
int durable_make_directory(const struct host *host, const char *directory) CHECKED NONNULL;

/* Makes the directory, and writes a text into a file there, in place of what has its name. Nobody
 * sees half of the text, not even after a power loss. If several processes write the file at once,
 * the text of one of them stays. 0 or -errno. */
int durable_write(const struct host *host, const char *directory, const char *name,
                  const char *text) CHECKED NONNULL;

/* Removes a file of a directory, and that on disk: 1; 0: there is none; -errno with a line in
 * error. */
int durable_remove(const struct host *host, const char *directory, const char *name,
                   struct error *error) CHECKED NONNULL;
