/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * metrics: the vGPUs of a host in the text format of Prometheus, version 0.0.4.
 *
 * A metric whose value is not known is not written, because an absent series does not mean zero.
 */

#pragma once

#include "lease/counters.h"
#include "view/host-view.h"

#include <stdio.h>

struct metrics {
    const struct host_view *view; /* of this host, with all types and their availability; NULL: it
                                     could not be read, and the metrics say so */
    const struct counters *counters;
    const size_t *orphans; /* number of orphans; NULL: libvirt could not be asked */
    const size_t *away;    /* number of guests with a record of an evacuation; NULL: not known */
};

/* The caller checks the stream for errors of writing. */
void metrics_write(const struct metrics *metrics, FILE *out) NONNULL;
