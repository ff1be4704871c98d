/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * nvidia-daemon: NVIDIA's daemons that have each card open all the time, and their units. They are
 * no users of a card. But a card is not reset while they run.
 *
 * systemd tells which units run. A unit that is enabled and does not run was stopped, by a setup
 * that was killed or by a person.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"
#include "base/words.h"

/* Whether the process is such a daemon, by its program and its user. Anybody can take the name of a
 * program, and nobody can take the user. */
bool nvidia_daemon_is(const struct host *host, int pid) CHECKED NONNULL;

struct nvidia_daemons {
    struct words running; /* names of units */
    struct words stopped; /* of those that are enabled */
};

/* Without an answer of systemd's, no unit runs and none was stopped. The caller clears ret. */
void nvidia_daemons_read(const struct host *host, struct nvidia_daemons *ret) NONNULL;

/* Starts or stops these units, if there are any. -errno with a line in error. */
int nvidia_daemons_set(const struct host *host, const struct words *units, bool on,
                       struct error *error) CHECKED NONNULL;

/* Restarts nvidia-vgpud, which tells the driver the types of a card's GPU instances. It does not
 * run on, so no vGPU is touched. */
int nvidia_daemons_restart_vgpud(const struct host *host, struct error *error) CHECKED NONNULL;

void nvidia_daemons_clear(struct nvidia_daemons *daemons) NONNULL;
