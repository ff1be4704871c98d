/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * journal: systemd's journal, as journalctl(1) gives it to whoever asks.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

#include <time.h>

/* Whether this host has one that runs. */
bool journal_exists(const struct host *host) CHECKED NONNULL;

/* What those programs have written as root that event.h knows, as text: since a moment, or since
 * the boot (NULL). A descriptor, or -errno with a line in error. */
int journal_open(const struct host *host, const time_t *since, struct error *error) CHECKED
    __attribute__((nonnull(1, 3)));
