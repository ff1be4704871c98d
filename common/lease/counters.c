/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/counters.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define DIRECTORY  "run/libvirt-vgpu/counters"
#define LOST_LINES DIRECTORY "/log.lost"

const char *
counters_operation_name(enum counters_operation operation)
{
    static const char *const names[] = {
        [COUNTERS_PREPARE] = "prepare",     [COUNTERS_START] = "start",
        [COUNTERS_RECONNECT] = "reconnect", [COUNTERS_RELEASE] = "release",
        [COUNTERS_MIGRATE] = "migrate",     [COUNTERS_RESTORE] = "restore",
        [COUNTERS_RECONCILE] = "reconcile",
    };

    return names[operation];
}

const char *
counters_result_name(enum counters_result result)
{
    static const char *const names[] = {
        [COUNTERS_OK] = "ok",
        [COUNTERS_NO_ROOM] = "no_room",
        [COUNTERS_NOT_ALLOWED] = "not_allowed",
        [COUNTERS_CONFIG] = "config",
        [COUNTERS_LEDGER] = "ledger",
        [COUNTERS_KERNEL] = "kernel",
        [COUNTERS_BUSY] = "busy",
        [COUNTERS_OTHER] = "other",
    };

    return names[result];
}

static enum counters_result
result_of(int rc, const struct error *error)
{
    static const struct {
        enum error_class class;
        enum counters_result result;
    } refused[] = {
        {ERROR_NO_ROOM, COUNTERS_NO_ROOM},
        {ERROR_NEVER, COUNTERS_CONFIG},
        {ERROR_TAKEN, COUNTERS_BUSY},
        {ERROR_UNDECIDED, COUNTERS_NO_ROOM},
    };
    static const struct {
        int code;
        enum counters_result result;
    } rows[] = {
        {0, COUNTERS_OK},
        {-EPERM, COUNTERS_NOT_ALLOWED},
        {-EACCES, COUNTERS_NOT_ALLOWED},
        {-EINVAL, COUNTERS_CONFIG},
        {-ENOENT, COUNTERS_CONFIG},
        {-EBADMSG, COUNTERS_LEDGER},
        {-EPROTONOSUPPORT, COUNTERS_LEDGER},
        {-ESTALE, COUNTERS_LEDGER},
        {-EIO, COUNTERS_KERNEL},
        {-ENODEV, COUNTERS_KERNEL},
        {-ENXIO, COUNTERS_KERNEL},
        {-ECHILD, COUNTERS_KERNEL},
        {-ENOTRECOVERABLE, COUNTERS_KERNEL},
        {-EBUSY, COUNTERS_BUSY},
        {-ETIMEDOUT, COUNTERS_BUSY},
        {-EEXIST, COUNTERS_BUSY},
    };

    for (size_t i = 0; rc == REFUSED && i < COUNT(refused); i++) {
        if (refused[i].class == error->class)
            return refused[i].result;
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].code == rc)
            return rows[i].result;
    }
    return COUNTERS_OTHER;
}

static int
format(struct path *ret, enum counters_operation operation, enum counters_result result)
{
    return path_format(ret, DIRECTORY "/%s.%s", counters_operation_name(operation),
                       counters_result_name(result));
}

/* Adds one byte for each count. */
static void
add(const struct host *host, const char *path, unsigned count)
{
    AUTO_CLOSE int fd = -1;

    if (host_make_directory(host, DIRECTORY) < 0 && errno != EEXIST)
        return;
    fd = host_open(host, path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0644);
    while (fd >= 0 && count-- > 0) {
        if (write(fd, "+", 1) < 0)
            return;
    }
}

void
counters_add(const struct host *host, enum counters_operation operation, int rc,
             const struct error *error)
{
    struct path path;

    if (format(&path, operation, result_of(rc, error)) == 0)
        add(host, path.text, 1);
}

void
counters_add_lost_lines(const struct host *host, unsigned lines)
{
    if (lines)
        add(host, LOST_LINES, lines);
}

static bool
is_later(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

void
counters_read(const struct host *host, struct counters *ret)
{
    struct stat lost;

    *ret = (struct counters){0};
    if (host_status(host, LOST_LINES, &lost) == 0)
        ret->lost_lines = (uint64_t)lost.st_size;
    for (enum counters_operation operation = 0; operation < COUNTERS_OPERATIONS; operation++) {
        for (enum counters_result result = 0; result < COUNTERS_RESULTS; result++) {
            struct path path;
            struct stat status;

            if (format(&path, operation, result) < 0 || host_status(host, path.text, &status) < 0)
                continue;
            ret->counts[operation][result] = (uint64_t)status.st_size;
            if (operation != COUNTERS_RECONCILE && is_later(status.st_mtim, ret->last_call))
                ret->last_call = status.st_mtim;
        }
    }
}
