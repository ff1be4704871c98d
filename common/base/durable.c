/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/durable.h"
#include "base/safe-open.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
durable_sync(const struct host *host, const char *directory)
{
    AUTO_CLOSE int fd = host_open(host, directory, O_RDONLY | O_DIRECTORY, 0);

    return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

int
durable_make_directory(const struct host *host, const char *directory)
{
    struct path path, above = {"."};
    char *slash;
    int rc = path_format(&path, "%s", directory);

    slash = path.text;
    while (rc == 0 && slash) {
        slash = strchr(slash, '/');
        if (slash)
            *slash = '\0';
        if (host_make_directory(host, path.text) == 0)
            rc = durable_sync(host, above.text);
        else if (errno != EEXIST)
            rc = -errno;
        above = path;
        if (slash)
            *slash++ = '/';
    }
    return rc;
}

int
durable_write(const struct host *host, const char *directory, const char *name, const char *text)
{
    AUTO_CLOSE int at = -1, fd = -1;
    struct path new;
    int rc = durable_make_directory(host, directory);

    /* Each process has a name of its own, so two do not write into the same file. */
    if (rc == 0)
        rc = path_format(&new, ".%s.%d.new", name, (int)getpid());
    if (rc < 0)
        return rc;
    at = host_open(host, directory, O_RDONLY | O_DIRECTORY, 0);
    fd = at < 0 ? -1 : safe_open_new(at, new.text, 0644);
    if (fd < 0)
        return -errno;
    rc = fchmod(fd, 0644) < 0 ? -errno : safe_open_write(fd, text);
    if (rc == 0 && (fsync(fd) < 0 || renameat(at, new.text, at, name) < 0 || fsync(at) < 0))
        rc = -errno;
    if (rc < 0)
        unlinkat(at, new.text, 0);
    return rc;
}

int
durable_remove(const struct host *host, const char *directory, const char *name,
               struct error *error)
{
    struct path path;
    int rc = path_format(&path, "%s/%s", directory, name);

    if (rc == 0)
        rc = host_remove(host, path.text);
    if (rc == -ENOENT)
        return 0;
    if (rc == 0)
        rc = durable_sync(host, directory);
    return rc < 0 ? error_set(error, rc, "cannot remove /%s/%s: %s", directory, name, strerror(-rc))
                  : 1;
}
