/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * descriptors: which files a process of ours has open.
 *
 * If the kernel does not let go of a process, it is left behind, with all its files open. A process
 * that waits for the end of such a file, or for a lock on it, then waits for the one left behind.
 */

#pragma once

#include "base/cleanup.h"

/* Opens `nothing`, /dev/null, for reading, in the place of each standard descriptor that is closed.
 * Without that a file of ours would get the number, and what is printed would get into that file.
 * The file can only be read, so a write fails (EBADF), and no result is lost without a word. */
void descriptors_settle(const char *nothing) NONNULL;

/* The same, and closes all other descriptors. Whoever runs a program of ours may have any open, and
 * a script may have a lock on one of them. */
void descriptors_keep_standard(const char *nothing) NONNULL;

/* Closes all descriptors but these two. */
void descriptors_close_but(int a, int b);

/* Programs that this process starts from now on have this descriptor, too. So a lock on its file
 * lives as long as any of them, however this process ends. */
void descriptors_bequeath(int fd);
