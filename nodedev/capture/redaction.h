/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * redaction: a host's answers without what is nobody else's business.
 *
 * It goes over all answers twice: once to learn which names and UUIDs there are, and once to put
 * their stand-ins (stand-ins.h) in their place, in paths as well. A table says what is left of
 * which file. Files that are not in it keep of their text only the words that vgpuctl looks for.
 */

#pragma once

#include "base/host.h"
#include "base/words.h"
#include "capture/answers.h"

/* What was replaced or left out. */
enum redaction_kind {
    REDACTION_NAMES,
    REDACTION_UUIDS,
    REDACTION_USERS,
    REDACTION_COMMENTS, /* files of the configuration, whose comments are hidden */
    REDACTION_GUESTS,   /* status files that are written anew */
    REDACTION_TEXTS,    /* other files of which hardly anything is left */
    REDACTION_OPEN,     /* of processes: files that they have open, but those of VFIO */
    REDACTION_UNREAD,   /* status files and ledgers that could not be read, and so were left out */
    REDACTION_KINDS,
};
extern const char *const redaction_words[REDACTION_KINDS]; /* "UUIDs have stand-ins" */

struct redaction {
    struct {
        size_t times, different; /* `different` is 0 if that is not counted */
    } counts[REDACTION_KINDS];
    struct words patterns; /* that match others now than they did */
};

/* The answers of a host, redacted; or all but names and UUIDs. The caller clears both. */
void redaction_make(const struct host *host, const struct answers *answers, bool keeps_names,
                    struct answers *ret, struct redaction *redaction) NONNULL;
void redaction_clear(struct redaction *redaction) NONNULL;
