/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * playback: a host whose answers come from a capture of another host.
 *
 * A path does not exist if the recorded list of its directory does not name it, or if a path above
 * it does not exist. Any other question that was not recorded fails with ENOMEDIUM. This error
 * never means "does not exist". The captures of tests/captures have "host unrecorded = absent":
 * there such a path does not exist, so that a test of a new question needs no new capture. Time
 * passes only for those who wait. Nothing can be changed (EROFS).
 */

#pragma once

#include "base/host.h"
#include "capture/answers.h"

struct playback {
    struct host host; /* first member, so that the operations find the rest */
    struct answers answers;
    struct answers listed; /* a path for each name in a list: "DIRECTORY/NAME" */
    struct answers misses; /* paths that were asked and are not recorded */
    bool has_texts;  /* an earlier version recorded the texts of open files, not their numbers */
    uint64_t waited; /* nanoseconds */
};

/*
 * Plays the capture that `path` names: a directory with the file "manifest", or an archive that has
 * it. Returns 1; 0 for a directory without a manifest; or -errno with a line in error. The playback
 * must not be moved. The caller clears it in every case.
 */
int playback_open(struct playback *playback, const struct host *host, const char *path,
                  struct error *error) CHECKED NONNULL;

/* Plays a text, and changes the text. Returns 0 or -errno. */
int playback_start(struct playback *playback, const struct host *host, char *manifest,
                   struct error *error) CHECKED NONNULL;
void playback_clear(struct playback *playback) NONNULL;
