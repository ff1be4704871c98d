/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/words.h"
#include "base/array.h"

#include <dirent.h>
#include <string.h>

int
words_index(const char *const *list, const char *word)
{
    for (int i = 0; list[i]; i++) {
        if (!strcmp(list[i], word))
            return i;
    }
    return -1;
}

void
words_add(struct words *words, const char *word)
{
    ARRAY_ADD(words->items, words->count, memory_copy(word));
}

bool
words_has(const struct words *words, const char *word)
{
    return ARRAY_HAS(words->items, words->count, each, !strcmp(*each, word));
}

void
words_clear(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (struct words){0};
}

static int
compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
read_names(DIR *directory, struct words *ret)
{
    for (;;) {
        const struct dirent *entry;

        errno = 0;
        entry = readdir(directory);
        if (!entry)
            return -errno;
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            words_add(ret, entry->d_name);
    }
}

int
words_read_directory(int directory_fd, struct words *ret)
{
    AUTO_CLOSE int fd = directory_fd;
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    int rc;

    *ret = (struct words){0};
    if (!directory)
        return -errno;
    TAKE_FD(fd);
    rc = read_names(directory, ret);
    closedir(directory);
    if (rc < 0)
        words_clear(ret);
    else if (ret->count)
        qsort(ret->items, ret->count, sizeof(*ret->items), compare);
    return rc;
}
