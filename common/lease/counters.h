/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * counters: how often each operation ended in which way, since the state directory was made.
 *
 * Each counter is a file, /run/libvirt-vgpu/counters/OPERATION.RESULT. Each operation adds one byte
 * to its file. The size of the file is the count, and its time is that of the last byte. That needs
 * no lock, and a hook that is killed leaves no wrong file.
 *
 * An operation never fails because counting fails. Counting does not make the state directory.
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
    COUNTERS_RECONCILE, /* the only one that is no event of libvirt */
    COUNTERS_OPERATIONS,
};

enum counters_result {
    COUNTERS_OK,
    COUNTERS_NO_ROOM,
    COUNTERS_NOT_ALLOWED, /* we lack a right */
    COUNTERS_CONFIG,      /* the request or the configuration is wrong for this host */
    COUNTERS_LEDGER,
    COUNTERS_KERNEL,
    COUNTERS_BUSY,
    COUNTERS_OTHER,
    COUNTERS_RESULTS,
};

struct counters {
    uint64_t counts[COUNTERS_OPERATIONS][COUNTERS_RESULTS];
    uint64_t lost_lines;       /* that the log did not take, see log.h */
    struct timespec last_call; /* of the hook, by CLOCK_REALTIME; 0: there was none */
};

/* Counts an operation that ended with 0, or with -errno and this error. */
void counters_add(const struct host *host, enum counters_operation operation, int rc,
                  const struct error *error) NONNULL;

/* Counts lines that the log did not take. */
void counters_add_lost_lines(const struct host *host, unsigned lines) NONNULL;

/* Reads all counters. One that cannot be read is 0. */
void counters_read(const struct host *host, struct counters *ret) NONNULL;

/* "prepare", "no_room". */
const char *counters_operation_name(enum counters_operation operation);
const char *counters_result_name(enum counters_result result);
