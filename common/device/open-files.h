/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * open-files: which processes have device nodes of VFIO or of NVIDIA's cards open, from
 * /proc/PID/fd.
 *
 * One look goes through all processes, and then answers for every device. It opens no device. A
 * device's own node can be opened by several processes at once. Nobody could remove the device
 * while we had it open.
 */

#pragma once

#include "base/host.h"

struct open_file {
    char node[64]; /* below root: "dev/vfio/12", "dev/vfio/devices/vfio3", "dev/nvidia0" */
    int pid;
};

struct open_files {
    struct open_file *items;
    size_t count;
    bool is_blind; /* not all processes could be looked at */
};

/* Looks at all processes. The caller clears the answer. */
void open_files_read(const struct host *host, struct open_files *ret) NONNULL;
void open_files_clear(struct open_files *files) NONNULL;

/* A process that has the node open: its pid; 0: none has; -EACCES: none was found, but not all
 * processes could be looked at. */
int open_files_find(const struct open_files *files, const char *node) CHECKED NONNULL;

/* The name of a process in a message: "12 (qemu-system-x86)". */
void open_files_name(const struct host *host, int pid, char *text, size_t size) NONNULL;
