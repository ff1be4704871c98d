/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * migrate-verdict: what migrate-check says of a guest and a host. The answer follows from all
 * findings. A note does not count.
 */

#pragma once

#include "cli/finding.h"

/* What is known of a question about another host, as the severity of a finding. A greater answer is
 * worse. */
enum migrate_answer {
    MIGRATE_YES = FINDING_OK,
    MIGRATE_UNKNOWN = FINDING_WARNING,
    MIGRATE_NO = FINDING_ERROR,
};

struct migrate_verdict {
    enum migrate_answer answer; /* the worst answer of a finding */
    const char *why; /* text of the first of the worst findings; if all are OK, of the last */
    struct findings found;
    /* If the answer is yes and the guest asks for a vGPU: for how many such guests there is room.
     * The count stops at MIGRATE_CHECK_MOST_ROOM. */
    size_t room;
};

/* Adds a finding that is no note. */
void migrate_verdict_add(struct migrate_verdict *verdict, const char *word,
                         enum migrate_answer answer, const char *format, ...) FORMAT(4, 5) NONNULL;

void migrate_verdict_clear(struct migrate_verdict *verdict) NONNULL;
