/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/list-text.h"
#include "base/memory.h"
#include "capture/harmless.h"
#include "capture/path-text.h"

#include <stdio.h>
#include <string.h>

/* Returns what stands in a list for a name, which the caller frees. NULL: nothing does. */
typedef char *rename_one(struct stand_ins *stand_ins, const struct answers *answers,
                         const struct answer *list, const char *name);

static char *
rename_all(struct stand_ins *stand_ins, const struct answers *answers, const struct answer *list,
           rename_one *rename)
{
    AUTO_FREE char *names = memory_copy(list->text);
    char *rest = names, *name, *ret = NULL;
    const char *part = "";
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    while ((name = strsep(&rest, "/"))) {
        AUTO_FREE char *other = *name ? rename(stand_ins, answers, list, name) : NULL;

        if (!other)
            continue;
        fprintf(out, "%s%s", part, other);
        part = "/";
    }
    memory_stream_end(out, &ret);
    return ret;
}

static char *
rename_name(struct stand_ins *stand_ins, const struct answers *answers, const struct answer *list,
            const char *name)
{
    (void)answers;
    return path_text_name(stand_ins, list->path, name);
}

char *
list_text_names(struct stand_ins *stand_ins, const struct answers *answers,
                const struct answer *list)
{
    return rename_all(stand_ins, answers, list, rename_name);
}

static char *
rename_guest(struct stand_ins *stand_ins, const struct answers *answers, const struct answer *list,
             const char *name)
{
    static const char end[] = ".xml";
    const size_t length = strlen(name), tail = strlen(end);

    (void)answers;
    return length > tail && !strcmp(name + length - tail, end)
               ? path_text_name(stand_ins, list->path, name)
               : NULL;
}

char *
list_text_guests(struct stand_ins *stand_ins, const struct answers *answers,
                 const struct answer *list)
{
    return rename_all(stand_ins, answers, list, rename_guest);
}

static char *
keep_number(struct stand_ins *stand_ins, const struct answers *answers, const struct answer *list,
            const char *name)
{
    (void)stand_ins;
    (void)answers;
    (void)list;
    return harmless_is_digits(name) ? memory_copy(name) : NULL;
}

char *
list_text_numbers(struct stand_ins *stand_ins, const struct answers *answers,
                  const struct answer *list)
{
    return rename_all(stand_ins, answers, list, keep_number);
}

static char *
keep_function(struct stand_ins *stand_ins, const struct answers *answers, const struct answer *list,
              const char *name)
{
    static const char stem[] = "virtfn";
    const size_t length = strlen(stem);

    (void)stand_ins;
    (void)answers;
    (void)list;
    return !strncmp(name, stem, length) && harmless_is_digits(name + length) ? memory_copy(name)
                                                                             : NULL;
}

char *
list_text_functions(struct stand_ins *stand_ins, const struct answers *answers,
                    const struct answer *list)
{
    return rename_all(stand_ins, answers, list, keep_function);
}

/* --- files that a process has open ------------------------------------------------------------ */

char *
list_text_node(const char *target)
{
    static const char own[] = "devices/vfio";
    const char *node = strstr(target, "dev/vfio/"), *number;

    if (!node)
        return NULL;
    number = node + strlen("dev/vfio/");
    number += strncmp(number, own, strlen(own)) ? 0 : strlen(own);
    return harmless_is_digits(number) ? memory_format("/%s", node) : NULL;
}

static char *
keep_open(struct stand_ins *stand_ins, const struct answers *answers, const struct answer *list,
          const char *name)
{
    AUTO_FREE char *path = memory_format("%s/%s", list->path, name), *node = NULL;
    const struct answer *link = answers_find(answers, ANSWER_LINK, path);

    (void)stand_ins;
    if (!harmless_is_digits(name) || !link)
        return NULL;
    node = link->error ? NULL : list_text_node(link->text);
    return node || (link->error && link->error != ENOENT) ? memory_copy(name) : NULL;
}

char *
list_text_open(struct stand_ins *stand_ins, const struct answers *answers,
               const struct answer *list)
{
    return rename_all(stand_ins, answers, list, keep_open);
}
