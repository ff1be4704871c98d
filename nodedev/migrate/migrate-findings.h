/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * migrate-findings: what migrate-check has found so far. Each finding has an answer, and is told at
 * once. The verdict follows from all of them.
 */

#pragma once

#include "base/error.h"

#include <stddef.h>

/* What is known of a question about another host. A greater answer is worse. */
enum migrate_answer { MIGRATE_YES, MIGRATE_UNKNOWN, MIGRATE_NO };

/* Is called with each finding, if it is set. `answer` is NULL for a note. The word stays the same
 * in all versions, for programs. */
typedef void migrate_check_listener(void *data, const enum migrate_answer *answer, const char *word,
                                    const char *text);

/* The result of all findings. */
struct migrate_verdict {
    enum migrate_answer answer; /* the worst answer of a finding */
    size_t against;             /* number of findings that are not OK */
    char why[1024]; /* reason of the first of the worst findings; if all are OK, of the last */
    /* If the answer is yes and the guest asks for a vGPU: for how many such guests there is room.
     * The count stops at MIGRATE_CHECK_MOST_ROOM. */
    size_t room;
};

struct migrate_findings {
    migrate_check_listener *listen; /* may be NULL */
    void *data;
    struct migrate_verdict *verdict; /* begins as MIGRATE_YES */
};

/* Adds a finding, or a note, which does not count. */
void migrate_findings_add(const struct migrate_findings *findings, const char *word,
                          enum migrate_answer answer, const char *format, ...) FORMAT(4, 5) NONNULL;
void migrate_findings_note(const struct migrate_findings *findings, const char *word,
                           const char *format, ...) FORMAT(3, 4) NONNULL;
