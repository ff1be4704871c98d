/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * metrics: a host's vGPUs as Prometheus reads them: its text format, version 0.0.4.
 *
 * A metric whose value nobody knows is not written at all: an absent series is no zero.
 */

#pragma once

#include "lease/counters.h"
#include "view/host-view.h"

#include <stdio.h>

struct metrics {
    const struct host_view *view; /* of this host, with all types and their availability */
    const struct counters *counters;
    const size_t *orphans; /* how many; NULL: libvirt could not be asked */
};

/* Whether all was written is the stream's to say. */
void metrics_write(const struct metrics *metrics, FILE *out) NONNULL;
