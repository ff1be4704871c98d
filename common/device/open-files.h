/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * open-files: which process has a device node open, from /proc/PID/fd.
 *
 * This is for messages, and for devices that have a node of their own: a group that opens does not
 * say that nobody has that open.
 * Opening the device's own node as a test would be wrong: others could open it at the same time,
 * and the device could not be removed meanwhile.
 */

#pragma once

#include "base/host.h"

/*
 * Finds a process that has a node open whose path ends in tail ("/vfio/12"): its pid; 0 if there is
 * none; -EACCES if none was found, but not all processes could be looked at.
 */
int open_files_find(const struct host *host, const char *tail) CHECKED NONNULL;
