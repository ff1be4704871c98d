/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * journal: systemd's journal, as far as journalctl(1) shows it to this user.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

#include <stdio.h>

/* Opens, as lines for event_read, what the programs of event.h have written as root. `since` is a
 * time that journalctl reads; NULL: the boot. The caller closes the
 * stream. Returns NULL with a line in error. */
FILE *journal_open(const struct host *host, const char *since, struct error *error) CHECKED
    __attribute__((nonnull(1, 3)));
