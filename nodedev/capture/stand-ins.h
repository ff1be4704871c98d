/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * stand-ins: what stands in a capture for a name or a UUID that is nobody else's business.
 *
 * All of them are learned first. Then a stand-in has the length of what it stands for, the same
 * name always has the same one, and stand-ins sort as what they stand for. A name's is made word by
 * word, where a word is a run of digits, of small or of capital letters: words that begin alike
 * keep to begin alike. So a pattern of vgpu.conf (fnmatch(3)) goes on matching the same names,
 * unless it has only the end of a word: stand_ins_keep says which does. What is no letter and no
 * digit stays.
 *
 *     ci-web01, ci-web02, ci-*       aa-aaa00, aa-aaa01, aa-*
 */

#pragma once

#include "base/names.h"
#include "base/words.h"

struct stand_ins {
    struct words words;
    struct names uuids; /* sorted once all are learned; the first is that of nobody */
};

/* Learns a name or a pattern, and a UUID. */
void stand_ins_learn_name(struct stand_ins *stand_ins, const char *name) NONNULL;
void stand_ins_learn_uuid(struct stand_ins *stand_ins, const struct name *uuid) NONNULL;

/* All is learned. */
void stand_ins_sort(struct stand_ins *stand_ins) NONNULL;

/* The stand-in of a name or a pattern that was learned; the caller frees it. */
char *stand_ins_name(const struct stand_ins *stand_ins, const char *name) CHECKED NONNULL;

/* That of a UUID that was learned. Others stay: a name may look like one, once it has a stand-in.
 */
struct name
stand_ins_uuid(const struct stand_ins *stand_ins, const struct name *uuid) CHECKED NONNULL;

/* Whether a pattern's stand-in matches those of exactly the names that it matches. */
bool stand_ins_keep(const struct stand_ins *stand_ins, const char *pattern,
                    const struct words *names) CHECKED NONNULL;

void stand_ins_clear(struct stand_ins *stand_ins) NONNULL;
