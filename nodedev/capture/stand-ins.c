/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/stand-ins.h"
#include "base/memory.h"
#include "capture/harmless.h"

#include <search.h>
#include <stdio.h>
#include <string.h>

const char *const stand_in_words[STAND_INS] = {
    [STAND_IN_DOMAIN] = "names of domains",
    [STAND_IN_PATTERN] = "patterns of domains",
    [STAND_IN_CLASS] = "names of classes",
    [STAND_IN_POOL] = "names of pools",
    [STAND_IN_PROFILE] = "names of profiles",
    [STAND_IN_TYPE] = "names of types that this host does not have",
    [STAND_IN_TRAIT] = "traits",
    [STAND_IN_ALIAS] = "aliases",
    [STAND_IN_PARAM] = "names of parameters",
    [STAND_IN_KEY] = "unknown keys",
    [STAND_IN_USER] = "names of users",
    [STAND_IN_FILE] = "names of files",
    [STAND_IN_PROGRAM] = "names of programs",
    [STAND_IN_DEVICE] = "names of devices",
    [STAND_IN_TEXT] = "other texts",
    [STAND_IN_UUID] = "UUIDs",
};

static const char *const stems[STAND_INS] = {
    [STAND_IN_DOMAIN] = "domain",   [STAND_IN_PATTERN] = "pattern", [STAND_IN_CLASS] = "class",
    [STAND_IN_POOL] = "pool",       [STAND_IN_PROFILE] = "profile", [STAND_IN_TYPE] = "type",
    [STAND_IN_TRAIT] = "trait",     [STAND_IN_ALIAS] = "alias",     [STAND_IN_PARAM] = "param",
    [STAND_IN_KEY] = "key",         [STAND_IN_USER] = "user",       [STAND_IN_FILE] = "file",
    [STAND_IN_PROGRAM] = "program", [STAND_IN_DEVICE] = "device",   [STAND_IN_TEXT] = "text",
};

#define HARMLESS STAND_INS

struct known {
    unsigned kind; /* enum stand_in, or HARMLESS */
    char *text;
    size_t number;
};

static int
compare(const void *left, const void *right)
{
    const struct known *a = left, *b = right;

    return a->kind == b->kind ? strcmp(a->text, b->text)
                              : (a->kind > b->kind) - (a->kind < b->kind);
}

static void
free_known(void *data)
{
    struct known *known = data;

    free(known->text);
    free(known);
}

static const struct known *
find(const struct stand_ins *stand_ins, unsigned kind, const char *text)
{
    const struct known sought = {.kind = kind, .text = (char *)text};
    void *found = tfind(&sought, &stand_ins->tree, compare);

    return found ? *(struct known **)found : NULL;
}

/* The text must not be there yet. */
static const struct known *
add(struct stand_ins *stand_ins, unsigned kind, const char *text, size_t number)
{
    struct known *known = memory_zeroed(1, sizeof(*known));

    *known = (struct known){kind, memory_copy(text), number};
    if (!tsearch(known, &stand_ins->tree, compare))
        memory_fail();
    return known;
}

static const struct known *
learn(struct stand_ins *stand_ins, enum stand_in kind, const char *text)
{
    struct words *originals = &stand_ins->kinds[kind].originals;
    const struct known *known = find(stand_ins, kind, text);

    if (known)
        return known;
    words_add(originals, text);
    return add(stand_ins, kind, text, originals->count);
}

void
stand_ins_start(struct stand_ins *stand_ins, bool keeps_names)
{
    *stand_ins = (struct stand_ins){.keeps_names = keeps_names};
    for (size_t i = 0; harmless_words[i]; i++)
        stand_ins_learn_harmless(stand_ins, harmless_words[i]);
}

void
stand_ins_clear(struct stand_ins *stand_ins)
{
    tdestroy(stand_ins->tree, free_known);
    for (size_t i = 0; i < STAND_INS; i++)
        words_clear(&stand_ins->kinds[i].originals);
    *stand_ins = (struct stand_ins){0};
}

void
stand_ins_learn_harmless(struct stand_ins *stand_ins, const char *word)
{
    if (!find(stand_ins, HARMLESS, word))
        add(stand_ins, HARMLESS, word, 0);
}

bool
stand_ins_is_harmless(const struct stand_ins *stand_ins, const char *word)
{
    return find(stand_ins, HARMLESS, word) != NULL;
}

void
stand_ins_learn(struct stand_ins *stand_ins, enum stand_in kind, const char *text)
{
    (void)learn(stand_ins, kind, text);
}

bool
stand_ins_has(const struct stand_ins *stand_ins, enum stand_in kind, const char *text)
{
    return find(stand_ins, kind, text) != NULL;
}

char *
stand_ins_use(struct stand_ins *stand_ins, enum stand_in kind, const char *text)
{
    size_t number;

    if (stand_ins->keeps_names)
        return memory_copy(text);
    number = learn(stand_ins, kind, text)->number;
    stand_ins->kinds[kind].uses++;
    if (kind == STAND_IN_UUID)
        return memory_format("00000000-0000-4000-8000-%012zx", number);
    return memory_format("%s-%zu", stems[kind], number);
}

char *
stand_ins_use_unless(struct stand_ins *stand_ins, bool is_harmless, enum stand_in kind,
                     const char *text)
{
    return is_harmless ? memory_copy(text) : stand_ins_use(stand_ins, kind, text);
}
