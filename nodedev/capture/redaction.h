/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * redaction: removes from a host's answers what others should not know.
 *
 * It passes over all answers twice. The first pass learns which names and UUIDs there are. The
 * second pass replaces them by stand-ins (stand-ins.h), in paths as well. A table says what is left
 * of which file. If a file is not in the table, only the words that vgpuctl looks for are left of
 * it.
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
    REDACTION_COMMENTS, /* files of the configuration; their comments are hidden */
    REDACTION_GUESTS,   /* status files, written anew */
    REDACTION_TEXTS,    /* other files; hardly anything of them is left */
    REDACTION_OPEN,     /* files that processes have open, except VFIO's */
    REDACTION_UNREAD,   /* status files and ledgers that could not be read, and were left out */
    REDACTION_KINDS,
};
extern const char *const redaction_words[REDACTION_KINDS]; /* such as "UUIDs have stand-ins" */

struct redaction {
    struct {
        size_t times, different; /* `different` is 0 if it is not counted */
    } counts[REDACTION_KINDS];
    struct words patterns; /* patterns that match other names now than before */
};

/* Redacts the answers of a host. With keeps_names, names and UUIDs stay. The caller clears ret and
 * redaction. */
void redaction_make(const struct host *host, const struct answers *answers, bool keeps_names,
                    struct answers *ret, struct redaction *redaction) NONNULL;
void redaction_clear(struct redaction *redaction) NONNULL;
