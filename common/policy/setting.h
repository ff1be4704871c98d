/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setting: reads libconfig's settings into the fields of a struct, by a table of keys.
 *
 * Every fault is added to the reader's error as "file:line: message", and reading goes on. So a
 * person sees all faults at once. A key that is not in the table is a fault.
 */

#pragma once

#include "base/error.h"
#include "base/names.h"
#include "base/words.h"
#include "policy/setting-each.h"
#include "policy/setting-trace.h"

#include <libconfig.h>
#include <limits.h>

#define SETTING_MOST_PATH 128

struct setting_reader {
    struct error *error;
    const char *file;             /* for messages */
    int rc;                       /* 0; -EINVAL after a fault */
    struct setting_trace *trace;  /* NULL: nobody asks where settings were read */
    char path[SETTING_MOST_PATH]; /* of the group that is being read; "" or with a dot at its end */
};

struct setting_key;

/* One setting of a file, and where it belongs. */
struct setting {
    struct setting_reader *reader;
    const config_setting_t *node;
    const struct setting_key *key;
    void *object; /* the struct that the key's offset is in */
};

/* What a key's value may be. The comments say the type of the field. */
typedef void setting_function(const struct setting *setting);
setting_function setting_bool;        /* bool */
setting_function setting_count;       /* unsigned: a number from 0 */
setting_function setting_string;      /* char *, owned */
setting_function setting_address;     /* struct name: a PCI address, or a parent's name */
setting_function setting_words;       /* struct words: appended to */
setting_function setting_some_words;  /* the same; an empty list is a fault */
setting_function setting_choice;      /* unsigned: index into key->words */
setting_function setting_choices;     /* unsigned: a bit for each of key->words */
setting_function setting_each_choice; /* struct setting_each: a word, or a list of them */
setting_function setting_duration;    /* unsigned: milliseconds, from "30s" */
setting_function setting_framebuffer; /* unsigned: MiB, from "8G" or "512M" */
setting_function setting_number;      /* unsigned: a number from 1, or SETTING_ALL from "all" */
setting_function setting_group;       /* fields of the same object, with the keys of key->list */
setting_function setting_list;        /* an array, as key->list says: appended to */

#define SETTING_ALL UINT_MAX

/* A list of groups. Each becomes one more item of an array. */
struct setting_list {
    const char *what;               /* an item, for messages: "a GPU" */
    const struct setting_key *keys; /* that it may have */
    size_t key_count;
    size_t size;       /* bytes of an item */
    size_t origin;     /* offset in an item of a char *, which gets setting_origin */
    size_t count;      /* offset of the array's count, a size_t, in the object */
    const void *fresh; /* an item of which nothing was read; NULL: zeros */
    bool has_names;    /* the list is a group, and each item has a name */
    size_t name;       /* offset of the name, a char *, in an item */
};

struct setting_key {
    const char *name;
    setting_function *read;
    size_t offset;                   /* of the field in the object */
    bool needed;                     /* an item of a list must have it */
    const char *const *words;        /* of a choice; "" cannot be chosen; NULL ends them */
    const struct setting_list *list; /* of a list; of a group, only its keys count */
    setting_function *like;          /* the function above that fits the field, if `read` is none
                                        of them */
};

/* Which of the functions above fits the field of a key. */
setting_function *setting_kind(const struct setting_key *key) NONNULL;

void setting_read_group(struct setting_reader *reader, const config_setting_t *group,
                        const struct setting_key *keys, size_t count, void *object) NONNULL;

/* Appends an item to the array at an offset in setting->object, and reads the group setting->node
 * into it. Returns the item, which belongs to the array. */
void *setting_add_item(const struct setting *setting, size_t offset,
                       const struct setting_list *list) NONNULL;

/* The same for an item that is there already. */
void setting_read_item(const struct setting *setting, size_t index, const struct setting_list *list,
                       void *item) NONNULL;

/* Tells that a value is wrong. The format says what it must be; ", not" and the value are added. */
void setting_wrong(const struct setting *setting, const char *format, ...) FORMAT(2, 3) NONNULL;

/* The text of a setting; "" if it is no string. */
const char *setting_text(const struct setting *setting) NONNULL;

/* "file:line" of a setting, for later messages; the caller frees it. */
char *setting_origin(const struct setting *setting) NONNULL;
