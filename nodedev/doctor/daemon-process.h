/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * daemon-process: the libvirt daemon that runs QEMU's guests on this host, as its own files tell.
 * Who is run by it finds it in another way (lease/daemon.h).
 */

#pragma once

#include "base/process.h"

/* By the files in which it tells its pid; and its name. {0}: none is found. */
struct process
daemon_process_find(const struct host *host, char *name, size_t size) CHECKED NONNULL;
