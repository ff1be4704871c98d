/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * journal: systemd's journal, as far as journalctl(1) shows it to this user.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

#include <time.h>

/* Whether this host has a journal that runs. */
bool journal_exists(const struct host *host) CHECKED NONNULL;

/* Opens, as text, what the programs of event.h have written as root since a moment, or since the
 * boot (NULL). Returns a descriptor, or -errno with a line in error. */
int journal_open(const struct host *host, const time_t *since, struct error *error) CHECKED
    __attribute__((nonnull(1, 3)));
