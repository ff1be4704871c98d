/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/stand-ins.h"
#include "base/array.h"
#include "base/memory.h"
#include "lease/ledger.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* Returns the first character of its class: '0', 'A' or 'a'. Returns '\0' if it has no class. */
static char
class_of(char character)
{
    if (character >= '0' && character <= '9')
        return '0';
    if (character >= 'A' && character <= 'Z')
        return 'A';
    return character >= 'a' && character <= 'z' ? 'a' : '\0';
}

/* Returns the n-th character of the class. n is the character's rank among those used in this place
 * of words with the same beginning. */
static char
character_for(const struct words *words, const char *begin, size_t length, char character)
{
    const char class = class_of(character);
    bool used[26] = {false};
    char ret = class;

    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->items[i];

        if (!strncmp(word, begin, length) && class_of(word[length]) == class)
            used[word[length] - class] = true;
    }
    for (char each = class; each < character; each++)
        ret = (char)(ret + used[each - class]);
    return ret;
}

/* Reads a name from left to right, and remembers where the present word began. Between the brackets
 * of a pattern, each character is another end of that word. */
struct walk {
    const char *begin;
    size_t length; /* length of the word until here */
    bool is_bracket;
};

/* Begins the word of a character, or continues it. */
static void
step(struct walk *walk, const char *at)
{
    if (walk->is_bracket) {
        walk->is_bracket = *at != ']';
        if (!walk->is_bracket)
            walk->length = 0;
        return;
    }
    if (*at == '[' && strchr(at, ']')) {
        walk->is_bracket = true;
    } else if (!class_of(*at)) {
        walk->length = 0;
    } else if (walk->length && class_of(at[-1]) == class_of(*at)) {
        walk->length++;
    } else {
        walk->begin = at;
        walk->length = 1;
    }
}

/* Returns how much of the word comes before one of its characters. */
static size_t
before(const struct walk *walk, const char *at)
{
    if (!walk->is_bracket)
        return walk->length - 1;
    return walk->length && class_of(*walk->begin) == class_of(*at) ? walk->length : 0;
}

static void
learn_word(struct stand_ins *stand_ins, const char *begin, size_t length, char last)
{
    AUTO_FREE char *word = memory_format("%.*s%c", (int)length, length ? begin : "", last);

    if (!words_has(&stand_ins->words, word))
        words_add(&stand_ins->words, word);
}

void
stand_ins_learn_name(struct stand_ins *stand_ins, const char *name)
{
    struct walk walk = {.begin = name};

    for (const char *at = name; *at; at++) {
        step(&walk, at);
        if (class_of(*at))
            learn_word(stand_ins, walk.begin, before(&walk, at), *at);
    }
}

char *
stand_ins_name(const struct stand_ins *stand_ins, const char *name)
{
    char *ret = memory_copy(name);
    struct walk walk = {.begin = name};

    for (const char *at = name; *at; at++) {
        step(&walk, at);
        if (class_of(*at))
            ret[at - name] = character_for(&stand_ins->words, walk.begin, before(&walk, at), *at);
    }
    return ret;
}

void
stand_ins_learn_uuid(struct stand_ins *stand_ins, const struct name *uuid)
{
    const struct name nobody = {LEASE_NOBODY};

    if (stand_ins->uuids.count == 0)
        names_append(&stand_ins->uuids, &nobody);
    if (!names_has(&stand_ins->uuids, uuid))
        names_append(&stand_ins->uuids, uuid);
}

void
stand_ins_sort(struct stand_ins *stand_ins)
{
    names_sort(&stand_ins->uuids);
}

struct name
stand_ins_uuid(const struct stand_ins *stand_ins, const struct name *uuid)
{
    const struct name *found =
        ARRAY_FIND(stand_ins->uuids.items, stand_ins->uuids.count, each, name_equal(each, uuid));
    struct name ret = *uuid;

    if (found && found != stand_ins->uuids.items)
        snprintf(ret.text, sizeof(ret.text), "00000000-0000-4000-8000-%012zx",
                 (size_t)(found - stand_ins->uuids.items));
    return ret;
}

bool
stand_ins_keep(const struct stand_ins *stand_ins, const char *pattern, const struct words *names)
{
    AUTO_FREE char *other = stand_ins_name(stand_ins, pattern);
    bool kept = true;

    for (size_t i = 0; kept && i < names->count; i++) {
        AUTO_FREE char *name = stand_ins_name(stand_ins, names->items[i]);

        kept = (fnmatch(pattern, names->items[i], 0) == 0) == (fnmatch(other, name, 0) == 0);
    }
    return kept;
}

void
stand_ins_clear(struct stand_ins *stand_ins)
{
    words_clear(&stand_ins->words);
    names_clear(&stand_ins->uuids);
}
