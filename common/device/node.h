/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * node: a character device of the kernel's, by its number.
 *
 * A device can be opened by any node of its number, in any directory and in any mount name space.
 * So a path tells nothing. /sys tells the number.
 */

#pragma once

#include "base/host.h"

struct node {
    dev_t number;  /* 0: this host does not tell it, as an old capture */
    char name[64]; /* for such a host: below root, as "dev/vfio/12"; "": not needed */
};

/* Reads the number of a device from its directory in /sys: 0; -ENOENT: it has no node, or does not
 * tell its number; or -errno. The node then has no name. */
int node_read(const struct host *host, struct node *ret, const char *format, ...)
    FORMAT(3, 4) CHECKED NONNULL;

bool node_equal(const struct node *a, const struct node *b) CHECKED NONNULL;
