/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * stand-ins: what a capture has in place of names and UUIDs that others should not know.
 *
 * All names are learned first. A stand-in is as long as its original. The same name always gets the
 * same stand-in. The stand-ins have the same order as the originals.
 *
 * A name's stand-in is made word by word. A word is a run of digits, of small letters, or of
 * capital letters; all other characters stay. Words with the same beginning get stand-ins with the
 * same beginning. So a pattern of vgpu.conf (fnmatch(3)) still matches the same names, unless the
 * pattern contains only the end of a word. stand_ins_keep tells for which patterns this is so.
 *
 *     ci-web01, ci-web02, ci-*       aa-aaa00, aa-aaa01, aa-*
 */

#pragma once

#include "base/names.h"
#include "base/words.h"

struct stand_ins {
    struct words words;
    struct names uuids; /* sorted when all are learned; the first is the UUID that means nobody */
};

/* Learns a name or a pattern, and a UUID. */
void stand_ins_learn_name(struct stand_ins *stand_ins, const char *name) NONNULL;
void stand_ins_learn_uuid(struct stand_ins *stand_ins, const struct name *uuid) NONNULL;

/* Call it when all is learned. */
void stand_ins_sort(struct stand_ins *stand_ins) NONNULL;

/* Returns the stand-in of a name or a pattern that was learned. The caller frees it. */
char *stand_ins_name(const struct stand_ins *stand_ins, const char *name) CHECKED NONNULL;

/* Returns the stand-in of a UUID that was learned. Any other UUID stays, because a name's stand-in
 * may look like one. */
struct name
stand_ins_uuid(const struct stand_ins *stand_ins, const struct name *uuid) CHECKED NONNULL;

/* Whether the stand-in of a pattern matches exactly the stand-ins of the names that the pattern
 * matches. */
bool stand_ins_keep(const struct stand_ins *stand_ins, const char *pattern,
                    const struct words *names) CHECKED NONNULL;

void stand_ins_clear(struct stand_ins *stand_ins) NONNULL;
