/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * daemon-process: finds the libvirt daemon that runs QEMU's guests on this host, by the daemon's
 * own files. A program that the daemon has started finds it by lease/daemon.h instead.
 */

#pragma once

#include "base/process.h"

/* Finds the daemon by its pid files, and returns its name as well. Returns {0} if there is no
 * daemon. */
struct process
daemon_process_find(const struct host *host, char *name, size_t size) CHECKED NONNULL;
