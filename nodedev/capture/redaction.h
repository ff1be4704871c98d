/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * redaction: removes from a host's answers what is not known to be harmless.
 *
 * A first pass over all answers learns which domains, classes and types there are. The second pass
 * writes each answer anew: a table says by which rule. Each rule keeps what has the form that
 * vgpuctl expects there, and puts stand-ins (stand-ins.h) in place of the rest, in paths as well.
 */

#pragma once

#include "base/host.h"
#include "capture/answers.h"
#include "capture/stand-ins.h"

/* What was written anew or left out, beside stand-ins. */
enum redaction_kind {
    REDACTION_NOTHING,
    REDACTION_COMMENTS, /* files of the configuration; their comments are empty */
    REDACTION_GUESTS,   /* status files */
    REDACTION_SCRIPTS,  /* and rules and lists; hardly anything of them is left */
    REDACTION_OPEN,     /* files that processes have open, except VFIO's */
    REDACTION_KINDS,
};
extern const char *const redaction_words[REDACTION_KINDS];

struct redaction {
    size_t counts[REDACTION_KINDS];
    struct stand_ins stand_ins;
};

/* Redacts the answers of a host, and sorts them. With keeps_names, names and UUIDs stay. The caller
 * clears ret and redaction. */
void redaction_make(const struct host *host, struct answers *answers, bool keeps_names,
                    struct answers *ret, struct redaction *redaction) NONNULL;

/* Returns lines for people, with stand-ins for the names and UUIDs in them. The caller frees it. */
char *redaction_remark(struct redaction *redaction, const char *text) CHECKED NONNULL;
void redaction_clear(struct redaction *redaction) NONNULL;
