/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * playback: a host that answers what another one has answered, from a capture.
 *
 * What a recorded list of a directory does not name is not there, nor is what is below something
 * that was not there. All else that was not asked is not recorded: that is no answer, and counts as
 * an error (ENOMEDIUM), never as "not there". Time stands still, but for those who wait. Nothing
 * can be changed (EROFS).
 */

#pragma once

#include "base/host.h"
#include "base/words.h"
#include "capture/answers.h"

struct playback {
    struct host host; /* first: the operations find the rest by it */
    struct answers answers;
    struct words misses; /* paths that were asked and are not recorded, each once */
    uint64_t waited;     /* nanoseconds */
};

/*
 * Plays what `path` names, in place of a host: a directory with the file "manifest", or an archive
 * that has it. 1; 0 if it is a directory without one; -errno with a line in error. The playback
 * must stay where it is; the caller clears it in every case.
 */
int playback_open(struct playback *playback, const struct host *host, const char *path,
                  struct error *error) CHECKED NONNULL;

/* The same of a text, which is changed. 0 or -errno. */
int playback_start(struct playback *playback, const struct host *host, char *manifest,
                   struct error *error) CHECKED NONNULL;
void playback_clear(struct playback *playback) NONNULL;
