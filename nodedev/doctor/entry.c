/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "doctor/entry.h"
#include "base/array.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_LINKS 16

static int FORMAT(2, 0) format_path(struct path *ret, const char *format, va_list args)
{
    int length = vsnprintf(ret->text, sizeof(ret->text), format, args);

    return length < 0 || (size_t)length >= sizeof(ret->text) ? -ENAMETOOLONG : 0;
}

static int
look(const struct host *host, struct entry *entry)
{
    return fstatat(host->root, entry->path.text, &entry->status, AT_SYMLINK_NOFOLLOW) < 0 ? -errno
                                                                                          : 0;
}

int
entry_look(const struct host *host, struct entry *ret, const char *format, ...)
{
    va_list args;
    int rc;

    va_start(args, format);
    rc = format_path(&ret->path, format, args);
    va_end(args);
    return rc < 0 ? rc : look(host, ret);
}

/* Where a link leads: from the root, or from the directory that it is in. */
static int
step(const struct host *host, struct path *path)
{
    struct path target, here = *path;
    ssize_t length = host->ops->link(host, path->text, target.text, sizeof(target.text));
    char *slash = strrchr(here.text, '/');

    if (length < 0)
        return (int)length;
    if (*target.text == '/')
        return path_format(path, "%s", target.text + strspn(target.text, "/"));
    if (slash)
        *slash = '\0';
    return path_format(path, "%s/%s", slash ? here.text : ".", target.text);
}

int
entry_follow(const struct host *host, struct entry *ret, const char *format, ...)
{
    va_list args;
    int rc;

    va_start(args, format);
    rc = format_path(&ret->path, format, args);
    va_end(args);
    for (int i = 0; rc == 0 && i < MOST_LINKS; i++) {
        rc = look(host, ret);
        if (rc < 0 || !S_ISLNK(ret->status.st_mode))
            return rc;
        rc = step(host, &ret->path);
    }
    return rc < 0 ? rc : -ELOOP;
}

bool
entry_is_program(const struct entry *entry)
{
    return S_ISREG(entry->status.st_mode) && entry->status.st_mode & 0111;
}

bool
entry_is_safe(const struct host *host, const struct entry *entry)
{
    struct stat root;

    return fstat(host->root, &root) == 0 && entry->status.st_uid == root.st_uid &&
           !(entry->status.st_mode & (S_IWGRP | S_IWOTH));
}

static void
close_directory(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
read_names(DIR *directory, struct entry_names *ret)
{
    for (;;) {
        const struct dirent *entry;
        char *name;

        errno = 0;
        entry = readdir(directory);
        if (!entry)
            return -errno;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        name = strdup(entry->d_name);
        if (!name || ARRAY_ADD(ret->items, ret->count, name) < 0) {
            free(name);
            return -ENOMEM;
        }
    }
}

int
entry_list(const struct host *host, struct entry_names *ret, const char *format, ...)
{
    AUTO(close_directory) DIR *directory = NULL;
    AUTO_CLOSE int fd = -1;
    struct path path;
    va_list args;
    int rc;

    *ret = (struct entry_names){0};
    va_start(args, format);
    rc = format_path(&path, format, args);
    va_end(args);
    if (rc < 0)
        return rc;
    fd = openat(host->root, path.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    directory = fd < 0 ? NULL : fdopendir(fd);
    if (!directory)
        return -errno;
    TAKE_FD(fd);
    rc = read_names(directory, ret);
    if (rc < 0)
        entry_names_clear(ret);
    else if (ret->count)
        qsort(ret->items, ret->count, sizeof(*ret->items), by_text);
    return rc;
}

void
entry_names_clear(struct entry_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct entry_names){0};
}
