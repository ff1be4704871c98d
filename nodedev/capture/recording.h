/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * recording: a host that writes down what another one answers.
 *
 * Whoever looks at it sees the other host, and every answer is kept: files, lists, links, errors,
 * locked claims, and what the reader's child was told. It changes nothing: each change fails with
 * EROFS.
 */

#pragma once

#include "base/host.h"
#include "capture/answers.h"

struct recording {
    struct host host; /* first: the operations find the rest by it */
    const struct host *recorded;
    struct answers answers;
    char *buffer;
};

/* Begins, and notes the clock and where things are installed. The recording must stay where it is;
 * the caller clears it. */
void recording_start(struct recording *recording, const struct host *host) NONNULL;
void recording_clear(struct recording *recording) NONNULL;
