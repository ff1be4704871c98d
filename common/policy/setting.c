/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/setting.h"
#include "base/array.h"
#include "base/suggest.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define MOST_TIME        3600000 /* ms */
#define MOST_FRAMEBUFFER 1048576 /* MiB */
#define MOST_COUNT       1000000

static void FORMAT(3, 0)
    add_fault(const struct setting *setting, const char *value, const char *format, va_list args)
{
    char text[640];

    vsnprintf(text, sizeof(text), format, args);
    error_add(setting->reader->error, "%s:%u: %s%s%s", setting->reader->file,
              config_setting_source_line(setting->node), text, *value ? ", not " : "", value);
    setting->reader->rc = -EINVAL;
}

static void FORMAT(2, 3) tell(const struct setting *setting, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_fault(setting, "", format, args);
    va_end(args);
}

void
setting_wrong(const struct setting *setting, const char *format, ...)
{
    const config_setting_t *node = setting->node;
    char value[64] = "another number";
    va_list args;

    switch (config_setting_type(node)) {
    case CONFIG_TYPE_STRING:
        snprintf(value, sizeof(value), "\"%.56s\"", config_setting_get_string(node));
        break;
    case CONFIG_TYPE_BOOL:
        strcpy(value, config_setting_get_bool(node) ? "true" : "false");
        break;
    case CONFIG_TYPE_INT:
        snprintf(value, sizeof(value), "%d", config_setting_get_int(node));
        break;
    case CONFIG_TYPE_GROUP:
        strcpy(value, "{ ... }");
        break;
    case CONFIG_TYPE_LIST:
        strcpy(value, "( ... )");
        break;
    case CONFIG_TYPE_ARRAY:
        strcpy(value, "[ ... ]");
        break;
    }
    va_start(args, format);
    add_fault(setting, value, format, args);
    va_end(args);
}

char *
setting_origin(const struct setting *setting)
{
    return memory_format("%s:%u", setting->reader->file, config_setting_source_line(setting->node));
}

const char *
setting_text(const struct setting *setting)
{
    return config_setting_type(setting->node) == CONFIG_TYPE_STRING
               ? config_setting_get_string(setting->node)
               : "";
}

/* Notes where a setting was read, or a word of it. */
static void
trace(const struct setting *setting, const char *word)
{
    struct setting_reader *reader = setting->reader;
    AUTO_FREE char *origin = reader->trace ? setting_origin(setting) : NULL;
    char path[SETTING_MOST_PATH];

    if (!origin)
        return;
    snprintf(path, sizeof(path), "%s%s", reader->path, setting->key->name);
    setting_trace_add(reader->trace, path, word, origin);
}

static void
unknown_key(const struct setting *setting, const struct setting_key *keys, size_t count)
{
    struct suggest suggest = SUGGEST(config_setting_name(setting->node));
    char all[120];
    struct text list = text_on(all, sizeof(all));

    for (size_t i = 0; i < count; i++) {
        suggest_offer(&suggest, keys[i].name);
        text_join(&list, ", ", "%s", keys[i].name);
    }
    if (suggest.best)
        tell(setting, "unknown key \"%s\"%s", suggest.said, suggest_text(&suggest).text);
    else if (list.is_cut) /* as the keys of the whole configuration are */
        tell(setting, "unknown key \"%s\"; see vgpu.conf(5)", suggest.said);
    else
        tell(setting, "unknown key \"%s\"; there are: %s", suggest.said, all);
}

void
setting_read_group(struct setting_reader *reader, const config_setting_t *group,
                   const struct setting_key *keys, size_t count, void *object)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *node = config_setting_get_elem(group, (unsigned)i);
        struct setting setting = {reader, node, keys, object};
        const char *name = config_setting_name(node);

        while (setting.key < keys + count && strcmp(setting.key->name, name))
            setting.key++;
        if (setting.key == keys + count) {
            unknown_key(&setting, keys, count);
        } else {
            trace(&setting, NULL);
            setting.key->read(&setting);
        }
    }
}

static void *
field_of(const struct setting *setting)
{
    return (char *)setting->object + setting->key->offset;
}

void
setting_bool(const struct setting *setting)
{
    if (config_setting_type(setting->node) != CONFIG_TYPE_BOOL)
        setting_wrong(setting, "%s must be true or false", setting->key->name);
    else
        *(bool *)field_of(setting) = config_setting_get_bool(setting->node);
}

void
setting_count(const struct setting *setting)
{
    int number = config_setting_type(setting->node) == CONFIG_TYPE_INT
                     ? config_setting_get_int(setting->node)
                     : -1;

    if (number < 0 || number > MOST_COUNT)
        setting_wrong(setting, "%s must be a number from 0 to %d", setting->key->name, MOST_COUNT);
    else
        *(unsigned *)field_of(setting) = (unsigned)number;
}

void
setting_number(const struct setting *setting)
{
    bool is_number = config_setting_type(setting->node) == CONFIG_TYPE_INT;
    int number = is_number ? config_setting_get_int(setting->node) : 0;

    if (!strcmp(setting_text(setting), "all"))
        *(unsigned *)field_of(setting) = SETTING_ALL;
    else if (number < 1 || number > MOST_COUNT)
        setting_wrong(setting, "%s must be \"all\", or a number from 1 to %d", setting->key->name,
                      MOST_COUNT);
    else
        *(unsigned *)field_of(setting) = (unsigned)number;
}

void
setting_string(const struct setting *setting)
{
    char **field = field_of(setting);

    if (config_setting_type(setting->node) != CONFIG_TYPE_STRING)
        return setting_wrong(setting, "%s must be a string", setting->key->name);
    free(*field);
    *field = memory_copy(setting_text(setting));
}

void
setting_address(const struct setting *setting)
{
    const char *text = setting_text(setting);

    if (name_parse_address(field_of(setting), text) < 0)
        setting_wrong(setting, "%s must be a PCI address, as \"0000:18:00.0\"", setting->key->name);
}

/* Calls a function with each string of a list or an array. */
static void
each_string(const struct setting *setting, void (*take)(const struct setting *item))
{
    const char *name = setting->key->name;
    struct setting item = *setting;

    if (!config_setting_is_list(setting->node) && !config_setting_is_array(setting->node)) {
        setting_wrong(setting, "%s must be a list of strings, as [ \"a\", \"b\" ]", name);
        /* The brackets were forgotten, but the string is there. */
        if (*setting_text(setting))
            take(setting);
        return;
    }
    for (int i = 0; i < config_setting_length(setting->node); i++) {
        item.node = config_setting_get_elem(setting->node, (unsigned)i);
        if (!*setting_text(&item))
            setting_wrong(&item, "%s may hold only strings, as \"a\"", name);
        else {
            trace(&item, setting_text(&item));
            take(&item);
        }
    }
}

static void
take_word(const struct setting *item)
{
    words_add(field_of(item), setting_text(item));
}

void
setting_words(const struct setting *setting)
{
    each_string(setting, take_word);
}

/* An empty list would mean "none" to a reader, and "all" to us. */
void
setting_some_words(const struct setting *setting)
{
    setting_words(setting);
    if (config_setting_is_aggregate(setting->node) && config_setting_length(setting->node) == 0)
        tell(setting, "%s is an empty list: it needs at least one string", setting->key->name);
}

setting_function *
setting_kind(const struct setting_key *key)
{
    return key->like ? key->like : key->read;
}

/* The index of a word, or a fault that lists them all: -1. */
static int
find_word(const struct setting *setting)
{
    const char *const *words = setting->key->words;
    int index = words_index(words, setting_text(setting));
    char all[256];
    struct text list = text_on(all, sizeof(all));

    if (index >= 0 && *words[index])
        return index;
    for (; *words; words++) {
        if (**words)
            text_join(&list, ", ", "\"%s\"", *words);
    }
    setting_wrong(
        setting, "%s %s %s", setting->key->name,
        setting_kind(setting->key) == setting_choices ? "may hold only" : "must be one of", all);
    return -1;
}

void
setting_choice(const struct setting *setting)
{
    int word = find_word(setting);

    if (word >= 0)
        *(unsigned *)field_of(setting) = (unsigned)word;
}

static void
take_choice(const struct setting *item)
{
    int word = find_word(item);

    if (word >= 0)
        *(unsigned *)field_of(item) |= 1u << word;
}

/* The list of a later file replaces that of an earlier one. If they were joined, more could be
 * allowed than anybody wanted. */
void
setting_choices(const struct setting *setting)
{
    *(unsigned *)field_of(setting) = 0;
    each_string(setting, take_choice);
}

static void
take_each(const struct setting *item)
{
    struct setting_each *each = field_of(item);
    int word = find_word(item);

    if (word >= 0 && each->count < SETTING_MOST_EACH)
        each->items[each->count++] = (unsigned)word;
}

/* Here, too, the list of a later file replaces that of an earlier one. */
void
setting_each_choice(const struct setting *setting)
{
    struct setting_each *each = field_of(setting);

    each->count = 0;
    if (!config_setting_is_aggregate(setting->node))
        take_each(setting);
    else if (config_setting_length(setting->node) == 0)
        tell(setting, "%s is an empty list: it needs at least one string", setting->key->name);
    else if (config_setting_length(setting->node) > SETTING_MOST_EACH)
        tell(setting, "%s has more than %d words", setting->key->name, SETTING_MOST_EACH);
    else
        each_string(setting, take_each);
}

struct unit {
    const char *word;
    unsigned factor;
};

/* Reads a number with a unit, as "30s". False: it is none, or more than most. */
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
setting_duration(const struct setting *setting)
{
    static const struct unit units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"min", 60000}};
    unsigned *field = field_of(setting);

    if (!parse_amount(setting_text(setting), units, COUNT(units), MOST_TIME, field) || *field == 0)
        setting_wrong(
            setting,
            "%s must be a time of more than 0 and at most an hour, as \"500ms\", \"30s\" or \"2m\"",
            setting->key->name);
}

void
setting_framebuffer(const struct setting *setting)
{
    static const struct unit units[] = {{"M", 1}, {"MiB", 1}, {"G", 1024}, {"GiB", 1024}};
    unsigned *field = field_of(setting);

    if (!parse_amount(setting_text(setting), units, COUNT(units), MOST_FRAMEBUFFER, field) ||
        *field == 0) {
        setting_wrong(setting, "%s must be a size, as \"512M\" or \"8G\"", setting->key->name);
        *field = 1; /* so that nobody says that it is missing */
    }
}

/* --- groups and lists of groups --------------------------------------------------------------- */

/* Reads a group at this place of the reader's path. */
static void
read_at(const struct setting *setting, const char *place, const struct setting_list *list,
        void *object)
{
    struct setting_reader *reader = setting->reader;
    size_t length = strlen(reader->path);

    snprintf(reader->path + length, sizeof(reader->path) - length, "%s.", place);
    setting_read_group(reader, setting->node, list->keys, list->key_count, object);
    reader->path[length] = '\0';
}

void
setting_group(const struct setting *setting)
{
    if (!config_setting_is_group(setting->node))
        setting_wrong(setting, "%s must be a group, as { ... }", setting->key->name);
    else
        read_at(setting, setting->key->name, setting->key->list, setting->object);
}

void
setting_read_item(const struct setting *setting, size_t index, const struct setting_list *list,
                  void *item)
{
    char place[SETTING_MOST_PATH];

    snprintf(place, sizeof(place), "%s.%zu", setting->key->name, index);
    read_at(setting, place, list, item);
}

void *
setting_add_item(const struct setting *setting, size_t offset, const struct setting_list *list)
{
    char *field = (char *)setting->object + offset, *item;
    size_t *count = (size_t *)((char *)setting->object + list->count);
    void *items;

    memcpy(&items, field, sizeof(items));
    items = array_grow(items, *count, list->size);
    memcpy(field, &items, sizeof(items));
    item = (char *)items + (*count)++ * list->size;
    memset(item, 0, list->size);
    if (list->fresh)
        memcpy(item, list->fresh, list->size);
    *(char **)(item + list->origin) = setting_origin(setting);
    setting_read_item(setting, *count - 1, list, item);
    return item;
}

/* Reports the keys that an item must have, and lacks. */
static void
find_missing(const struct setting *item, const struct setting_list *list)
{
    char needed[100];
    struct text names = text_on(needed, sizeof(needed));

    for (size_t i = 0; i < list->key_count; i++) {
        if (list->keys[i].needed)
            text_join(&names, ", ", "%s", list->keys[i].name);
    }
    for (size_t i = 0; i < list->key_count; i++) {
        if (list->keys[i].needed && !config_setting_get_member(item->node, list->keys[i].name))
            tell(item, "%s is missing; %s needs %s", list->keys[i].name, list->what, needed);
    }
}

void
setting_list(const struct setting *setting)
{
    const struct setting_list *list = setting->key->list;
    const char *name = setting->key->name;
    struct setting item = *setting;

    if (!config_setting_is_list(setting->node))
        return setting_wrong(setting, "%s must be a list of groups, as ( { ... } )", name);
    for (int i = 0; i < config_setting_length(setting->node); i++) {
        item.node = config_setting_get_elem(setting->node, (unsigned)i);
        if (!config_setting_is_group(item.node)) {
            setting_wrong(&item, "%s may hold only groups, as { ... }", name);
            continue;
        }
        find_missing(&item, list);
        setting_add_item(&item, setting->key->offset, list);
    }
}
