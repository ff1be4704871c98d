/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * stand-ins: what a capture has in place of texts that people chose.
 *
 * A text is kept only if it is known to be harmless. Harmless are the words of a list, and those
 * that the host's kernel and drivers use, which are learned first. Any other text gets a stand-in
 * of its kind, with a number: "domain-3", "class-1". The same text of the same kind always gets the
 * same stand-in. A stand-in tells nothing of the text: neither its length nor its order.
 */

#pragma once

#include "base/names.h"
#include "base/words.h"

enum stand_in {
    STAND_IN_DOMAIN,
    STAND_IN_PATTERN, /* of domains, and no domain matches it */
    STAND_IN_CLASS,
    STAND_IN_POOL,
    STAND_IN_PROFILE,
    STAND_IN_TYPE, /* that this host does not have */
    STAND_IN_TRAIT,
    STAND_IN_ALIAS,
    STAND_IN_PARAM,
    STAND_IN_KEY, /* that vgpu.conf does not have */
    STAND_IN_USER,
    STAND_IN_FILE,
    STAND_IN_PROGRAM,
    STAND_IN_DEVICE,
    STAND_IN_TEXT,
    STAND_IN_UUID,
    STAND_INS,
};
extern const char *const stand_in_words[STAND_INS]; /* for people: "names of domains" */

struct stand_ins {
    bool keeps_names; /* every text is its own stand-in */
    void *tree;       /* of tsearch(3) */
    struct {
        struct words originals; /* the first is number 1 */
        size_t uses;
    } kinds[STAND_INS];
};

/* Adds the list of harmless words. */
void stand_ins_start(struct stand_ins *stand_ins, bool keeps_names) NONNULL;
void stand_ins_clear(struct stand_ins *stand_ins) NONNULL;

/* Learns a harmless word. */
void stand_ins_learn_harmless(struct stand_ins *stand_ins, const char *word) NONNULL;
bool stand_ins_is_harmless(const struct stand_ins *stand_ins, const char *word) CHECKED NONNULL;

/* Learns a text of a kind, without a use of it. */
void stand_ins_learn(struct stand_ins *stand_ins, enum stand_in kind, const char *text) NONNULL;
bool stand_ins_has(const struct stand_ins *stand_ins, enum stand_in kind,
                   const char *text) CHECKED NONNULL;

/* Returns the stand-in of a text, which the caller frees; or a copy of a text that is harmless. */
char *stand_ins_use_unless(struct stand_ins *stand_ins, bool is_harmless, enum stand_in kind,
                           const char *text) CHECKED NONNULL;
char *
stand_ins_use(struct stand_ins *stand_ins, enum stand_in kind, const char *text) CHECKED NONNULL;
