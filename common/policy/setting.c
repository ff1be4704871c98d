/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/setting.h"
#include "base/array.h"

#include <stdio.h>
#include <string.h>

#define MOST_TIME        3600000 /* ms */
#define MOST_FRAMEBUFFER 1048576 /* MiB */
#define MOST_COUNT       1000000

void
setting_fault(struct setting_reader *reader, const config_setting_t *setting, const char *format,
              ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    error_add(reader->error, "%s:%u: %s", reader->file, config_setting_source_line(setting), text);
    reader->rc = -EINVAL;
}

void
setting_no_memory(struct setting_reader *reader)
{
    reader->rc = error_set(reader->error, -ENOMEM, "no memory for the configuration");
}

char *
setting_origin(struct setting_reader *reader, const config_setting_t *setting)
{
    char *origin;

    if (asprintf(&origin, "%s:%u", reader->file, config_setting_source_line(setting)) < 0) {
        setting_no_memory(reader);
        return NULL;
    }
    return origin;
}

void
setting_read_group(struct setting_reader *reader, const config_setting_t *group,
                   const struct setting_key *keys, size_t count, void *object)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        size_t k = 0;

        while (k < count && strcmp(keys[k].name, config_setting_name(setting)))
            k++;
        if (k == count)
            setting_fault(reader, setting, "unknown key \"%s\"", config_setting_name(setting));
        else
            keys[k].read(reader, setting, &keys[k], object);
    }
}

static void *
field_of(const struct setting_key *key, void *object)
{
    return (char *)object + key->offset;
}

/* "" for what is no string. */
static const char *
text_of(const config_setting_t *setting)
{
    return config_setting_type(setting) == CONFIG_TYPE_STRING ? config_setting_get_string(setting)
                                                              : "";
}

void
setting_bool(struct setting_reader *reader, const config_setting_t *setting,
             const struct setting_key *key, void *object)
{
    if (config_setting_type(setting) != CONFIG_TYPE_BOOL)
        setting_fault(reader, setting, "%s must be true or false", key->name);
    else
        *(bool *)field_of(key, object) = config_setting_get_bool(setting);
}

void
setting_count(struct setting_reader *reader, const config_setting_t *setting,
              const struct setting_key *key, void *object)
{
    int number =
        config_setting_type(setting) == CONFIG_TYPE_INT ? config_setting_get_int(setting) : -1;

    if (number < 0 || number > MOST_COUNT)
        setting_fault(reader, setting, "%s must be a number from 0", key->name);
    else
        *(unsigned *)field_of(key, object) = (unsigned)number;
}

void
setting_string(struct setting_reader *reader, const config_setting_t *setting,
               const struct setting_key *key, void *object)
{
    char **field = field_of(key, object), *copy;

    if (config_setting_type(setting) != CONFIG_TYPE_STRING)
        return setting_fault(reader, setting, "%s must be a string", key->name);
    copy = strdup(config_setting_get_string(setting));
    if (!copy)
        return setting_no_memory(reader);
    free(*field);
    *field = copy;
}

/* A list or an array of strings: the function is called with each. */
static void
each_string(struct setting_reader *reader, const config_setting_t *setting,
            const struct setting_key *key, void *object,
            void (*take)(struct setting_reader *reader, const config_setting_t *item,
                         const struct setting_key *key, void *object))
{
    if (!config_setting_is_list(setting) && !config_setting_is_array(setting))
        return setting_fault(reader, setting, "%s must be a list of strings, as [ \"a\", \"b\" ]",
                             key->name);
    for (int i = 0; i < config_setting_length(setting); i++) {
        const config_setting_t *item = config_setting_get_elem(setting, (unsigned)i);

        if (!*text_of(item))
            setting_fault(reader, item, "%s may hold only strings", key->name);
        else
            take(reader, item, key, object);
    }
}

static void
take_word(struct setting_reader *reader, const config_setting_t *item,
          const struct setting_key *key, void *object)
{
    struct setting_words *words = field_of(key, object);
    char *copy = strdup(text_of(item));

    if (!copy || ARRAY_ADD(words->items, words->count, copy) < 0) {
        free(copy);
        setting_no_memory(reader);
    }
}

void
setting_words_list(struct setting_reader *reader, const config_setting_t *setting,
                   const struct setting_key *key, void *object)
{
    each_string(reader, setting, key, object, take_word);
}

/* The index of a word, or a fault that lists them all: -1. */
static int
find_word(struct setting_reader *reader, const config_setting_t *setting,
          const struct setting_key *key)
{
    char all[256] = "";

    for (int i = 0; key->words[i]; i++) {
        size_t at = strlen(all);

        if (!*key->words[i])
            continue;
        if (!strcmp(key->words[i], text_of(setting)))
            return i;
        snprintf(all + at, sizeof(all) - at, "%s\"%s\"", at ? ", " : "", key->words[i]);
    }
    setting_fault(reader, setting, "%s must be one of %s", key->name, all);
    return -1;
}

void
setting_choice(struct setting_reader *reader, const config_setting_t *setting,
               const struct setting_key *key, void *object)
{
    int word = find_word(reader, setting, key);

    if (word >= 0)
        *(unsigned *)field_of(key, object) = (unsigned)word;
}

static void
take_choice(struct setting_reader *reader, const config_setting_t *item,
            const struct setting_key *key, void *object)
{
    int word = find_word(reader, item, key);

    if (word >= 0)
        *(unsigned *)field_of(key, object) |= 1u << word;
}

/* A later file's list replaces an earlier one's: what is allowed must not grow by accident. */
void
setting_choices(struct setting_reader *reader, const config_setting_t *setting,
                const struct setting_key *key, void *object)
{
    *(unsigned *)field_of(key, object) = 0;
    each_string(reader, setting, key, object, take_choice);
}

struct unit {
    const char *word;
    unsigned factor;
};

/* A number with a unit, as "30s"; false if it is none, or more than most. */
static bool
parse_amount(const char *text, const struct unit *units, size_t count, unsigned most, unsigned *ret)
{
    unsigned long number;
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    number = strtoul(text, &end, 10);
    for (size_t i = 0; i < count && !errno; i++) {
        if (strcmp(end, units[i].word) || number > most / units[i].factor)
            continue;
        *ret = (unsigned)number * units[i].factor;
        return true;
    }
    return false;
}

void
setting_duration(struct setting_reader *reader, const config_setting_t *setting,
                 const struct setting_key *key, void *object)
{
    static const struct unit units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"min", 60000}};

    unsigned *field = field_of(key, object);

    if (!parse_amount(text_of(setting), units, COUNT(units), MOST_TIME, field) || *field == 0)
        setting_fault(
            reader, setting,
            "%s must be a time of more than 0 and at most an hour, as \"500ms\", \"30s\" or \"2m\"",
            key->name);
}

void
setting_framebuffer(struct setting_reader *reader, const config_setting_t *setting,
                    const struct setting_key *key, void *object)
{
    static const struct unit units[] = {{"M", 1}, {"MiB", 1}, {"G", 1024}, {"GiB", 1024}};
    unsigned *field = field_of(key, object);

    if (!parse_amount(text_of(setting), units, COUNT(units), MOST_FRAMEBUFFER, field) ||
        *field == 0)
        setting_fault(reader, setting, "%s must be a size, as \"512M\" or \"8G\"", key->name);
}

void
setting_words_clear(struct setting_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (struct setting_words){0};
}
