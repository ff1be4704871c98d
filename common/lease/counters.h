/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * counters: how often each operation ended how, since the state directory was made.
 *
 * Each is a file, /run/libvirt-vgpu/counters/OPERATION.RESULT, to which one byte is added every
 * time: its size is the count, its time that of the last. That needs no lock, cannot be torn by a
 * hook that is killed, and keeps nobody waiting.
 *
 * Counting never fails an operation, and never makes the state directory.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

#include <time.h>

enum counters_operation {
    COUNTERS_PREPARE,
    COUNTERS_START,
    COUNTERS_RECONNECT,
    COUNTERS_RELEASE,
    COUNTERS_MIGRATE,
    COUNTERS_RESTORE,
    COUNTERS_RECONCILE, /* the only one that is not libvirt calling the hook */
    COUNTERS_OPERATIONS,
};

enum counters_result {
    COUNTERS_OK,
    COUNTERS_NO_ROOM,
    COUNTERS_NOT_ALLOWED, /* to us */
    COUNTERS_CONFIG,      /* what is asked for, or configured, makes no sense on this host */
    COUNTERS_LEDGER,
    COUNTERS_KERNEL,
    COUNTERS_BUSY,
    COUNTERS_OTHER,
    COUNTERS_RESULTS,
};

struct counters {
    uint64_t counts[COUNTERS_OPERATIONS][COUNTERS_RESULTS];
    struct timespec last_call; /* of the hook, CLOCK_REALTIME; 0: there was none */
};

/* One more, which ended with 0, or with -errno and this error. */
void counters_add(const struct host *host, enum counters_operation operation, int rc,
                  const struct error *error) NONNULL;

/* What cannot be read is 0. */
void counters_read(const struct host *host, struct counters *ret) NONNULL;

/* "prepare", "no_room". */
const char *counters_operation_name(enum counters_operation operation);
const char *counters_result_name(enum counters_result result);
