/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/setting-text.h"
#include "base/array.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static void __attribute__((format(printf, 3, 4), nonnull(1, 3)))
put(struct setting_text *text, const char *origin, const char *format, ...)
{
    AUTO_FREE char *line = NULL;
    AUTO_FREE char *whole = NULL;
    va_list args;

    va_start(args, format);
    line = memory_vformat(format, args);
    va_end(args);
    whole = memory_format("%*s%s", (int)(4 * text->depth), "", line);
    text->take(text->data, whole, origin);
}

/* A string between quotes. The caller frees it. */
static char *
quote(const char *string)
{
    char *ret = memory_zeroed(4 * strlen(string) + 3, 1), *to = ret;

    *to++ = '"';
    for (; *string; string++) {
        if ((unsigned char)*string < ' ') {
            to += sprintf(to, "\\x%02x", (unsigned char)*string);
            continue;
        }
        if (strchr("\"\\", *string))
            *to++ = '\\';
        *to++ = *string;
    }
    strcpy(to, "\"");
    return ret;
}

/* --- single values ---------------------------------------------------------------------------- */

typedef char *setting_form(const struct setting_key *key, const void *field);

static char *
print_amount(unsigned amount, unsigned factor, const char *large, const char *small)
{
    bool is_round = amount % factor == 0;

    return memory_format("\"%u%s\"", is_round ? amount / factor : amount, is_round ? large : small);
}

static char *
form_bool(const struct setting_key *key, const void *field)
{
    (void)key;
    return memory_copy(*(const bool *)field ? "true" : "false");
}

static char *
form_count(const struct setting_key *key, const void *field)
{
    (void)key;
    return memory_format("%u", *(const unsigned *)field);
}

static char *
form_number(const struct setting_key *key, const void *field)
{
    (void)key;
    return *(const unsigned *)field == SETTING_ALL ? memory_copy("\"all\"")
                                                   : form_count(key, field);
}

static char *
form_string(const struct setting_key *key, const void *field)
{
    (void)key;
    return quote(*(char *const *)field);
}

static char *
form_address(const struct setting_key *key, const void *field)
{
    (void)key;
    return quote(((const struct name *)field)->text);
}

static char *
form_choice(const struct setting_key *key, const void *field)
{
    return quote(key->words[*(const unsigned *)field]);
}

static char *
form_each(const struct setting_key *key, const void *field)
{
    const struct setting_each *each = field;
    char words[512];
    struct text text = text_on(words, sizeof(words));

    for (unsigned i = 0; i < each->count; i++)
        text_join(&text, ", ", "\"%s\"", key->words[each->items[i]]);
    return each->count == 1 ? memory_copy(words) : memory_format("[ %s ]", words);
}

static char *
form_duration(const struct setting_key *key, const void *field)
{
    (void)key;
    return print_amount(*(const unsigned *)field, 1000, "s", "ms");
}

static char *
form_framebuffer(const struct setting_key *key, const void *field)
{
    (void)key;
    return print_amount(*(const unsigned *)field, 1024, "G", "M");
}

static void
put_value(struct setting_text *text, const struct setting_key *key, const char *origin,
          setting_form *form, const void *field)
{
    AUTO_FREE char *value = form(key, field);

    put(text, origin, "%s = %s;", key->name, value);
}

/* --- lists ------------------------------------------------------------------------------------ */

/* Words, and where each was read. */
struct text_word {
    const char *word, *origin;
};

struct text_list {
    struct text_word *items;
    size_t count;
};

static void
clear_list(struct text_list *list)
{
    free(list->items);
}

static void
add_word(struct text_list *list, const char *word, const char *origin)
{
    ARRAY_ADD(list->items, list->count, ((struct text_word){word, origin}));
}

/* All words in one line, if they were read from one line; NULL: they were not. */
static char *
join_list(const struct text_list *list)
{
    char *ret = memory_copy("[ ");

    for (size_t i = 0; i < list->count && ret; i++) {
        AUTO_FREE char *value = quote(list->items[i].word);
        AUTO_FREE char *before = ret;

        ret = strcmp(list->items[i].origin, list->items[0].origin) != 0
                  ? NULL
                  : memory_format("%s%s%s ", before, value, i + 1 < list->count ? "," : "");
    }
    return ret;
}

static void
put_list(struct setting_text *text, const char *name, const char *origin,
         const struct text_list *list)
{
    AUTO_FREE char *line = join_list(list);

    if (line) {
        put(text, list->count ? list->items[0].origin : origin, "%s = %s];", name, line);
        return;
    }
    put(text, NULL, "%s = [", name);
    for (size_t i = 0; i < list->count; i++) {
        AUTO_FREE char *value = quote(list->items[i].word);

        put(text, list->items[i].origin, "    %s%s", value, i + 1 < list->count ? "," : "");
    }
    put(text, NULL, "];");
}

static void
put_words(struct setting_text *text, const struct setting_key *key, const char *path,
          const char *origin, const struct words *words)
{
    AUTO(clear_list) struct text_list list = {0};

    for (size_t i = 0; i < words->count; i++) {
        const char *own = setting_trace_nth(text->trace, path, i);

        add_word(&list, words->items[i], own ? own : origin);
    }
    put_list(text, key->name, origin, &list);
}

/* The list of the last file counts, and so does its origin. */
static void
put_choices(struct setting_text *text, const struct setting_key *key, const char *path,
            const char *origin, unsigned bits)
{
    AUTO(clear_list) struct text_list list = {0};

    for (size_t i = 0; key->words[i]; i++) {
        const char *own = setting_trace_word(text->trace, path, key->words[i]);

        if (bits & 1u << i)
            add_word(&list, key->words[i], own ? own : origin);
    }
    put_list(text, key->name, origin, &list);
}

/* A list of groups, or a group of groups that have names. */
static void
put_groups(struct setting_text *text, const struct setting_key *key, const char *path,
           const void *object)
{
    const struct setting_list *list = key->list;
    size_t count = *(const size_t *)((const char *)object + list->count);
    struct setting_text inner = *text;
    const char *items;

    memcpy(&items, (const char *)object + key->offset, sizeof(items));
    put(text, NULL, "%s = %s", key->name, list->has_names ? "{" : "(");
    text->depth++;
    inner.depth = text->depth + 1;
    for (size_t i = 0; i < count; i++) {
        const char *item = items + i * list->size;

        snprintf(inner.path, sizeof(inner.path), "%.100s.%zu.", path, i);
        if (list->has_names)
            put(text, NULL, "%s = {", *(char *const *)(item + list->name));
        else
            put(text, NULL, "{");
        setting_text_group(&inner, list->keys, list->key_count, item);
        put(text, NULL, list->has_names ? "};" : i + 1 < count ? "}," : "}");
    }
    text->depth--;
    put(text, NULL, list->has_names ? "};" : ");");
}

static void
put_group(struct setting_text *text, const struct setting_key *key, const char *path,
          const void *object)
{
    struct setting_text inner = *text;

    inner.depth = text->depth + 1;
    snprintf(inner.path, sizeof(inner.path), "%.100s.", path);
    put(text, NULL, "%s = {", key->name);
    setting_text_group(&inner, key->list->keys, key->list->key_count, object);
    put(text, NULL, "};");
}

static const struct {
    setting_function *read;
    setting_form *form;
} forms[] = {
    {setting_bool, form_bool},         {setting_count, form_count},
    {setting_number, form_number},     {setting_string, form_string},
    {setting_address, form_address},   {setting_choice, form_choice},
    {setting_duration, form_duration}, {setting_framebuffer, form_framebuffer},
    {setting_each_choice, form_each},
};

static void
put_setting(struct setting_text *text, const struct setting_key *key, const char *path,
            const char *origin, const void *object)
{
    setting_function *read = setting_kind(key);
    const void *field = (const char *)object + key->offset;

    for (size_t i = 0; i < COUNT(forms); i++) {
        if (forms[i].read == read)
            return put_value(text, key, origin, forms[i].form, field);
    }
    if (read == setting_choices)
        put_choices(text, key, path, origin, *(const unsigned *)field);
    else if (read == setting_list)
        put_groups(text, key, path, object);
    else if (read == setting_group)
        put_group(text, key, path, object);
    else
        put_words(text, key, path, origin, field);
}

void
setting_text_group(struct setting_text *text, const struct setting_key *keys, size_t count,
                   const void *object)
{
    for (size_t i = 0; i < count; i++) {
        const struct setting_key *key = &keys[i];
        char path[SETTING_MOST_PATH];
        const char *origin;

        snprintf(path, sizeof(path), "%s%s", text->path, key->name);
        origin = setting_trace_origin(text->trace, path);
        /* A setting that nobody has set is written only at the top level, and not if it is a list
         * of groups. */
        if (origin || (text->depth == 0 && !key->list))
            put_setting(text, key, path, origin ? origin : "default", object);
    }
}
