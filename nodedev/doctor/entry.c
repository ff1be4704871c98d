/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "doctor/entry.h"

#include <stdio.h>
#include <string.h>

#define MOST_LINKS 16

static int
read_status(const struct host *host, struct entry *entry)
{
    return host_status(host, entry->path.text, &entry->status) < 0 ? -errno : 0;
}

int
entry_look(const struct host *host, struct entry *ret, const char *format, ...)
{
    PATH_OR_RETURN(ret->path, format);
    return read_status(host, ret);
}

/* Finds where a link leads, from the root or from the link's directory. */
static int
follow_link(const struct host *host, struct path *path)
{
    struct path target, here = *path;
    ssize_t length = host->ops->link(host, path->text, target.text, sizeof(target.text));
    const char *slash = strrchr(here.text, '/');

    if (length < 0)
        return (int)length;
    if (*target.text == '/')
        return path_format(path, "%s", target.text + strspn(target.text, "/"));
    here.text[slash ? slash + 1 - here.text : 0] = '\0';
    return path_format(path, "%s%s", here.text, target.text);
}

/* Removes "." and ".." from a path, as a person would write it. */
static void
shorten(struct path *path)
{
    struct path full = *path;
    char *rest = full.text, *part;
    size_t length = 0;

    while ((part = strsep(&rest, "/"))) {
        if (!strcmp(part, "..")) {
            while (length > 0 && path->text[--length] != '/')
                ;
        } else if (*part && strcmp(part, ".") != 0) {
            length += (size_t)snprintf(path->text + length, sizeof(path->text) - length, "%s%s",
                                       length ? "/" : "", part);
        }
        path->text[length] = '\0';
    }
}

/* Shortens the path if the short path names the same file. Below a linked directory, ".." leads
 * elsewhere. rc is the result of reading the file's status. */
static void
tidy(const struct host *host, struct entry *entry, int rc)
{
    struct entry other = *entry;

    shorten(&other.path);
    if (read_status(host, &other) == rc &&
        (rc < 0 || (other.status.st_ino == entry->status.st_ino &&
                    other.status.st_dev == entry->status.st_dev)))
        *entry = other;
}

int
entry_follow(const struct host *host, struct entry *ret, const char *format, ...)
{
    int rc = 0;

    PATH_OR_RETURN(ret->path, format);
    for (int i = 0; rc == 0 && i < MOST_LINKS; i++) {
        rc = read_status(host, ret);
        if (rc < 0 || !S_ISLNK(ret->status.st_mode)) {
            tidy(host, ret, rc);
            return rc;
        }
        rc = follow_link(host, &ret->path);
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

    return host_status(host, ".", &root) == 0 && entry->status.st_uid == root.st_uid &&
           !(entry->status.st_mode & (S_IWGRP | S_IWOTH));
}
