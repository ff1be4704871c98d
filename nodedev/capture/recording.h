/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * recording: a host that passes on the answers of another host, and records them.
 *
 * It records files, lists, links, errors, locked claims, and what the reader's child was told. It
 * changes nothing: each change fails with EROFS.
 *
 * For a public capture it answers only questions about cards. Any other file seems to be missing,
 * and is not recorded. So a question has the same answer now as in the capture later.
 */

#pragma once

#include "base/host.h"
#include "capture/answers.h"

struct recording {
    struct host host; /* first member, so that the operations find the rest */
    const struct host *recorded;
    bool is_public;
    struct answers answers;
    char *buffer;
};

/* Begins a recording. It notes the clock and where the program is installed. The recording must not
 * be moved. The caller clears it. */
void recording_start(struct recording *recording, const struct host *host, bool is_public) NONNULL;
void recording_clear(struct recording *recording) NONNULL;
