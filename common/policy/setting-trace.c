/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/setting-trace.h"
#include "base/array.h"

#include <string.h>

static void
clear_entry(struct setting_trace_entry *entry)
{
    free(entry->path);
    free(entry->word);
    free(entry->origin);
}

void
setting_trace_add(struct setting_trace *trace, const char *path, const char *word,
                  const char *origin)
{
    struct setting_trace_entry entry = {memory_copy(path), word ? memory_copy(word) : NULL,
                                        memory_copy(origin)};

    ARRAY_ADD(trace->items, trace->count, entry);
}

void
setting_trace_clear(struct setting_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++)
        clear_entry(&trace->items[i]);
    free(trace->items);
    *trace = (struct setting_trace){0};
}

const char *
setting_trace_origin(const struct setting_trace *trace, const char *path)
{
    for (size_t i = trace->count; i-- > 0;) {
        if (!trace->items[i].word && !strcmp(trace->items[i].path, path))
            return trace->items[i].origin;
    }
    return NULL;
}

const char *
setting_trace_word(const struct setting_trace *trace, const char *path, const char *word)
{
    for (size_t i = trace->count; i-- > 0;) {
        const struct setting_trace_entry *entry = &trace->items[i];

        if (entry->word && !strcmp(entry->path, path) && !strcmp(entry->word, word))
            return entry->origin;
    }
    return NULL;
}

const char *
setting_trace_nth(const struct setting_trace *trace, const char *path, size_t n)
{
    for (size_t i = 0; i < trace->count; i++) {
        const struct setting_trace_entry *entry = &trace->items[i];

        if (entry->word && !strcmp(entry->path, path) && n-- == 0)
            return entry->origin;
    }
    return NULL;
}
