/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * open-files: which processes have character devices open, from /proc/PID/fd.
 *
 * One look goes through all processes, and then answers for every device. It opens no device. A
 * device's own node can be opened by several processes at once. Nobody could remove the device
 * while we had it open.
 *
 * A process holds a device if it has the device itself open, by its number. The name of a file
 * proves nothing, as anybody can choose it. A descriptor of O_PATH holds nothing, and needs no
 * right to the device. A file that is no character device does not matter, whatever its file system
 * says of it. So a user who has no right to a device cannot make the look say anything of that
 * device.
 *
 * Under AppArmor a file counts as no device if its path has more than 8192 bytes. Once such a file
 * was seen, more than 4096 bytes are enough. Anybody can have such a file. But nobody can have a
 * device open by such a path without a right to the device.
 *
 * The threads of a process are taken to have their descriptors in common. If the first thread has
 * ended, those of another thread count. Not seen are a descriptor that is on its way in a socket,
 * and a mapping of a device whose descriptor is closed.
 *
 * If a host has only the texts of links, these are believed. Such a host is a directory of --root,
 * or a capture of an earlier version.
 */

#pragma once

#include "base/host.h"

/* A character device of the kernel's, by its number. A device can be opened by any node of its
 * number, in any directory and in any mount name space. So a path tells nothing. /sys tells the
 * number. */
struct node {
    dev_t number;  /* 0: this host does not tell it, as an old capture */
    char name[64]; /* for such a host: below root, as "dev/vfio/12"; "": not needed */
};

/* Reads the number of a device from its directory in /sys: 0; -ENOENT: it has no node, or does not
 * tell its number; or -errno. The node then has no name. */
int node_read(const struct host *host, struct node *ret, const char *format, ...)
    FORMAT(3, 4) CHECKED NONNULL;

struct open_file {
    struct node node;
    int pid;
};

/* Zeroed, it is a look that is still to be made. The first question makes it. */
struct open_files {
    struct open_file *items;
    size_t count;
    bool is_made;
    bool is_blind;      /* not all processes could be looked at */
    bool refuses_paths; /* AppArmor refuses to tell of files with very long paths */
};

/* A process that has the node open: its pid; 0: none has; -EACCES: none was found, but not all
 * processes could be looked at. */
int open_files_find(const struct host *host, struct open_files *files,
                    const struct node *node) CHECKED NONNULL;

/* The next process that has the node open, from *at on: its pid; 0: there is no other. A process
 * that has the node several times comes once. */
int open_files_next(const struct host *host, struct open_files *files, const struct node *node,
                    size_t *at) CHECKED NONNULL;
void open_files_clear(struct open_files *files) NONNULL;

/* The name of a process in a message: "12 (qemu-system-x86)". */
void open_files_name(const struct host *host, int pid, char *text, size_t size) NONNULL;
