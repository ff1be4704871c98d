/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * event: what one line of the system log says of a guest's vGPUs.
 *
 * Two kinds of lines say something: ours (lease/log.h), and libvirt's about a start that the hook
 * has refused.
 */

#pragma once

#include "base/cleanup.h"

#include <stdbool.h>

/* Parts of the line. NULL: it says nothing of that. */
struct event {
    const char *time, *domain, *uuid, *name, *device, *type, *gpu, *result;
    bool is_refused; /* libvirt says so, and the result is the reason */
};

/* Who writes such lines: what the log calls the program, the field of the journal in which that
 * stands (libvirt writes no identifier there), and who reads its messages. */
#define EVENT_SOURCES 4
struct event_source {
    const char *program, *field;
    bool (*read)(char *message, struct event *ret);
};
extern const struct event_source event_sources[EVENT_SOURCES];

/* Reads a line "TIME [HOST] PROGRAM[PID]: MESSAGE" without its line feed, which is cut to pieces.
 * Whether it says something of a vGPU. */
bool event_read(char *line, struct event *ret) CHECKED NONNULL;

/* Whether it is about a domain of that name, as a person types it or as the log has it, or of that
 * UUID. */
bool event_is_about(const struct event *event, const char *domain) CHECKED NONNULL;
