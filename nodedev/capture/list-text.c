/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/list-text.h"
#include "base/memory.h"
#include "capture/harmless.h"
#include "capture/path-text.h"

#include <stdio.h>
#include <string.h>

bool
list_text_guests(const struct answers *answers, const struct answer *list, const char *name)
{
    (void)answers;
    (void)list;
    return path_text_guest(name) > 0;
}

bool
list_text_numbers(const struct answers *answers, const struct answer *list, const char *name)
{
    (void)answers;
    (void)list;
    return harmless_is_digits(name);
}

bool
list_text_functions(const struct answers *answers, const struct answer *list, const char *name)
{
    static const char stem[] = "virtfn";

    (void)answers;
    (void)list;
    return !strncmp(name, stem, strlen(stem)) && harmless_is_digits(name + strlen(stem));
}

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

bool
list_text_is_device(const struct answers *answers, const char *number)
{
    static const char attribute[] = "/dev";

    for (size_t i = 0; harmless_is_device(number) && i < answers->count; i++) {
        const struct answer *answer = answers->items[i];
        size_t length = strlen(answer->path);

        if (answer->kind == ANSWER_READ && length > strlen(attribute) &&
            !strcmp(answer->path + length - strlen(attribute), attribute) &&
            !strncmp(answer->text, number, strlen(number)) &&
            !strcmp(answer->text + strlen(number), "\n"))
            return true;
    }
    return false;
}

bool
list_text_open(const struct answers *answers, const struct answer *list, const char *name)
{
    AUTO_FREE char *path = memory_format("%s/%s", list->path, name), *node = NULL;
    const struct answer *device = answers_find(answers, ANSWER_DEVICE, path);
    const struct answer *link = answers_find(answers, ANSWER_LINK, path);
    const struct answer *answer = device ? device : link;

    if (!harmless_is_digits(name) || !answer)
        return false;
    if (answer->error)
        return answer->error != ENOENT;
    if (device)
        return list_text_is_device(answers, device->text);
    node = list_text_node(link->text);
    return node;
}

char *
list_text_copy(struct stand_ins *stand_ins, const struct answers *answers,
               const struct answer *list, list_text *keeps)
{
    AUTO_FREE char *names = memory_copy(list->text);
    char *rest = names, *name, *ret = NULL;
    const char *part = "";
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    while ((name = strsep(&rest, "/"))) {
        AUTO_FREE char *other = NULL;

        if (!*name || (keeps && !keeps(answers, list, name)))
            continue;
        other = path_text(stand_ins, list->path, name);
        fprintf(out, "%s%s", part, other);
        part = "/";
    }
    memory_stream_end(out, &ret);
    return ret;
}
