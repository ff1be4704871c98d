/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * holders: which process has a device node open, from /proc/PID/fd.
 *
 * It is for messages, and for kernels without VFIO groups, where it is the only way to tell: the
 * device's own node must never be opened for a test (that is not exclusive, and blocks its
 * removal).
 */

#pragma once

#include "base/host.h"

/*
 * A process that has the node open whose path ends in tail ("/vfio/12"): its pid; 0 if there is
 * none; -EACCES if not all could be looked at, which means "perhaps".
 */
int open_files_find(const struct host *host, const char *tail) CHECKED NONNULL;
