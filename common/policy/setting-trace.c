/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/setting-trace.h"
#include "base/array.h"

#include <search.h>
#include <string.h>

static int
compare_paths(const void *left, const void *right)
{
    const struct setting_trace_entry *a = left, *b = right;

    return strcmp(a->path, b->path);
}

static void
forget(struct setting_trace_entry *entry)
{
    for (size_t i = 0; i < entry->word_count; i++) {
        free(entry->words[i].word);
        free(entry->words[i].origin);
    }
    free(entry->words);
    free(entry->origin);
    *entry = (struct setting_trace_entry){.path = entry->path};
}

static void
free_entry(void *entry)
{
    forget(entry);
    free(((struct setting_trace_entry *)entry)->path);
    free(entry);
}

static struct setting_trace_entry *
find(const struct setting_trace *trace, const char *path)
{
    const struct setting_trace_entry sought = {.path = (char *)path};
    void *const *found = tfind(&sought, &trace->by_path, compare_paths);

    return found ? *found : NULL;
}

static struct setting_trace_entry *
make(struct setting_trace *trace, const char *path)
{
    struct setting_trace_entry *entry = memory_zeroed(1, sizeof(*entry));

    entry->path = memory_copy(path);
    if (!tsearch(entry, &trace->by_path, compare_paths))
        memory_fail();
    ARRAY_ADD(trace->items, trace->count, entry);
    return entry;
}

void
setting_trace_add(struct setting_trace *trace, const char *path, const char *word,
                  const char *origin)
{
    struct setting_trace_entry *entry = find(trace, path);

    entry = entry ? entry : make(trace, path);
    if (word) {
        const struct setting_trace_word read = {memory_copy(word), memory_copy(origin)};

        ARRAY_ADD(entry->words, entry->word_count, read);
        return;
    }
    free(entry->origin);
    entry->origin = memory_copy(origin);
}

void
setting_trace_clear(struct setting_trace *trace)
{
    tdestroy(trace->by_path, free_entry);
    free(trace->items);
    *trace = (struct setting_trace){0};
}

void
setting_trace_keep(struct setting_trace *trace, bool (*is_kept)(const char *path))
{
    for (size_t i = 0; i < trace->count; i++) {
        if (!is_kept(trace->items[i]->path))
            forget(trace->items[i]);
    }
}

const char *
setting_trace_origin(const struct setting_trace *trace, const char *path)
{
    const struct setting_trace_entry *entry = find(trace, path);

    return entry ? entry->origin : NULL;
}

const char *
setting_trace_word(const struct setting_trace *trace, const char *path, const char *word)
{
    const struct setting_trace_entry *entry = find(trace, path);

    for (size_t i = entry ? entry->word_count : 0; i-- > 0;) {
        if (!strcmp(entry->words[i].word, word))
            return entry->words[i].origin;
    }
    return NULL;
}

const char *
setting_trace_nth(const struct setting_trace *trace, const char *path, size_t n)
{
    const struct setting_trace_entry *entry = find(trace, path);

    return entry && n < entry->word_count ? entry->words[n].origin : NULL;
}
