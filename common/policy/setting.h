/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setting: reads libconfig's settings into the fields of a struct, by a table of keys.
 *
 * Whatever is wrong is added to the reader's error as "file:line: message", and reading goes on, so
 * that a person sees all of it at once. A key that is not in the table is a fault.
 */

#pragma once

#include "base/error.h"

#include <libconfig.h>
#include <stdbool.h>

/* Strings in a growing array, which owns them. */
struct setting_words {
    char **items;
    size_t count;
};

struct setting_reader {
    struct error *error;
    const char *file; /* for messages */
    void *whole;      /* what all of it belongs to */
    int rc;           /* -EINVAL or -ENOMEM once something was wrong */
};

struct setting_key {
    const char *name;
    void (*read)(struct setting_reader *reader, const config_setting_t *setting,
                 const struct setting_key *key, void *object);
    size_t offset; /* of the field in the object */
    const char *const
        *words; /* setting_choice: its field becomes an index into these; "" is nobody's */
};

void setting_read_group(struct setting_reader *reader, const config_setting_t *group,
                        const struct setting_key *keys, size_t count, void *object) NONNULL;

/* What a key may be; the comment says the field's type. */
typedef void setting_function(struct setting_reader *reader, const config_setting_t *setting,
                              const struct setting_key *key, void *object);
setting_function setting_bool;        /* bool */
setting_function setting_count;       /* unsigned: a number from 0 */
setting_function setting_string;      /* char *, owned */
setting_function setting_words_list;  /* struct setting_words: appended to */
setting_function setting_choice;      /* unsigned: index into key->words */
setting_function setting_choices;     /* unsigned: a bit for each of key->words */
setting_function setting_duration;    /* unsigned: milliseconds, from "30s" */
setting_function setting_framebuffer; /* unsigned: MiB, from "8G" or "512M" */

void setting_fault(struct setting_reader *reader, const config_setting_t *setting,
                   const char *format, ...) FORMAT(3, 4) NONNULL;
void setting_no_memory(struct setting_reader *reader) NONNULL;

/* "file:line" of a setting, for messages of later; the caller frees it. NULL: no memory, said so.
 */
char *setting_origin(struct setting_reader *reader, const config_setting_t *setting) NONNULL;

void setting_words_clear(struct setting_words *words) NONNULL;
