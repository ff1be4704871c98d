/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/safe-open.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#define MOST_DEPTH 64      /* directories below the root, each of which is held open */
#define MOST_LINKS 40      /* as the kernel */
#define GO_ON      INT_MIN /* no errno: more names follow */

struct walk {
    int root;
    int way[MOST_DEPTH]; /* the directories from the root to here, except the root */
    size_t depth;
    unsigned links;
    char rest[PATH_MAX]; /* of the path, from here on */
};

static int
here(const struct walk *walk)
{
    return walk->depth ? walk->way[walk->depth - 1] : walk->root;
}

static void
go_back(struct walk *walk, size_t depth)
{
    while (walk->depth > depth)
        cleanup_close(&walk->way[--walk->depth]);
}

static void
end_walk(struct walk *walk)
{
    go_back(walk, 0);
}

/* Takes the next name off the rest; "." if there is none. *last: no name follows it. */
static int
take_name(struct walk *walk, char name[NAME_MAX + 1], bool *last)
{
    const char *start = walk->rest + strspn(walk->rest, "/");
    size_t length = strcspn(start, "/");

    if (length > NAME_MAX)
        return -ENAMETOOLONG;
    memcpy(name, start, length);
    memcpy(name + length, "", 1);
    if (length == 0)
        strcpy(name, ".");
    start += length + strspn(start + length, "/");
    *last = !*start;
    memmove(walk->rest, start, strlen(start) + 1);
    return 0;
}

/* Puts the target of a link in front of the rest. -EINVAL: it is no link. */
static int
follow(struct walk *walk, const char *name)
{
    char target[PATH_MAX];
    ssize_t length = readlinkat(here(walk), name, target, sizeof(target));

    if (length < 0)
        return -errno;
    if (walk->links++ == MOST_LINKS)
        return -ELOOP;
    if ((size_t)length + 1 + strlen(walk->rest) >= sizeof(walk->rest))
        return -ENAMETOOLONG;
    memmove(walk->rest + length + 1, walk->rest, strlen(walk->rest) + 1);
    memcpy(walk->rest, target, (size_t)length);
    walk->rest[length] = '/';
    if (*walk->rest == '/')
        go_back(walk, 0);
    return 0;
}

/* Goes into a directory, or to where a link leads. From the root ".." leads to the root. */
static int
enter(struct walk *walk, const char *name)
{
    int fd, rc;

    if (!strcmp(name, "."))
        return 0;
    if (!strcmp(name, "..")) {
        go_back(walk, walk->depth ? walk->depth - 1 : 0);
        return 0;
    }
    if (walk->depth == MOST_DEPTH)
        return -ENAMETOOLONG;
    fd = openat(here(walk), name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) {
        walk->way[walk->depth++] = fd;
        return 0;
    }
    if (errno != ENOTDIR && errno != ELOOP)
        return -errno;
    rc = follow(walk, name);
    return rc == -EINVAL ? -ENOTDIR : rc;
}

/* The last name: a descriptor, -errno, or GO_ON if it was a link. */
static int
open_last(struct walk *walk, const char *name, int flags, mode_t mode)
{
    int fd, rc;

    if (!strcmp(name, "..")) {
        enter(walk, name);
        name = ".";
    }
    fd = openat(here(walk), name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd >= 0)
        return fd;
    rc = -errno;
    if (flags & O_NOFOLLOW || (rc != -ELOOP && rc != -ENOTDIR))
        return rc;
    switch (follow(walk, name)) {
    case 0:
        return GO_ON;
    case -ELOOP:
        return -ELOOP;
    default:
        return rc;
    }
}

int
safe_open_in_root(int root, const char *path, int flags, mode_t mode)
{
    AUTO(end_walk) struct walk walk = {.root = root};
    char name[NAME_MAX + 1];
    int rc = strlen(path) < sizeof(walk.rest) ? GO_ON : -ENAMETOOLONG;

    if (rc == GO_ON)
        strcpy(walk.rest, path);
    while (rc == GO_ON) {
        bool last;

        rc = take_name(&walk, name, &last);
        if (rc == 0 && last)
            rc = open_last(&walk, name, flags, mode);
        else if (rc == 0 && (rc = enter(&walk, name)) == 0)
            rc = GO_ON;
    }
    if (rc >= 0)
        return rc;
    errno = -rc;
    return -1;
}

int
safe_open_new(int directory, const char *name, mode_t mode)
{
    int fd = -1;

    for (int tries = 0; tries < 2; tries++) {
        fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST || unlinkat(directory, name, 0) < 0)
            break;
    }
    return fd;
}

int
safe_open_write(int fd, const char *text)
{
    while (*text) {
        ssize_t done = write(fd, text, strlen(text));

        if (done < 0)
            return -errno;
        text += done;
    }
    return 0;
}
