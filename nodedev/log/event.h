/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * event: reads what a line of the journal tells of a guest's vGPUs.
 *
 * There are two kinds of such lines: ours (lease/log.h), and libvirt's lines about a start that the
 * hook has refused.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>
#include <time.h>

/* Parts of the line. NULL: the line does not have that part. */
struct event {
    time_t time;
    const char *domain, *uuid, *name, *device, *type, *gpu, *result;
    bool is_refused; /* libvirt tells of a refusal, and the result is its reason */
};

/* A program that writes such lines. `program` is its name in the journal's lines. `field` is the
 * journal's field that has this name; libvirt writes no identifier there. `read` reads its
 * messages. */
#define EVENT_SOURCES 4
struct event_source {
    const char *program, *field;
    bool (*read)(char *message, struct event *ret);
};
extern const struct event_source event_sources[EVENT_SOURCES];

/* Reads a line "SECONDS PROGRAM[PID]: MESSAGE" without its line feed, and cuts it into parts. The
 * seconds count from 1970. Returns whether the line tells of a vGPU. */
bool event_read(char *line, struct event *ret) CHECKED NONNULL;

/* Whether an event is about a domain. `domain` is its UUID, or its name as typed or as in the
 * log. */
bool event_is_about(const struct event *event, const char *domain) CHECKED NONNULL;
