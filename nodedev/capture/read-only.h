/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * read-only: the operations of a host that must not be changed. Each fails with EROFS.
 */

#pragma once

#include "base/host.h"

int read_only_write(const struct host *host, const char *path, const char *text);
int read_only_probe(const struct host *host, const char *path);
int read_only_lock(const struct host *host, int fd, uint64_t nanoseconds);
