/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/run-links.h"

#include <string.h>
#include <sys/stat.h>

#define DIRECTORY "run/libvirt-vgpu"

static int
path_of(const char *kind, const char *name, struct path *ret)
{
    return path_format(ret, DIRECTORY "/%s/%s", kind, name);
}

/* The directories are made only if they are missing. So a link needs no other step as a rule. */
static int
make(const struct host *host, const char *kind, const char *name, const char *target,
     int (*make_link)(const struct host *host, const char *path, const char *target))
{
    struct path directory, path;
    int rc = path_format(&directory, DIRECTORY "/%s", kind);

    if (rc == 0)
        rc = path_of(kind, name, &path);
    if (rc == 0)
        rc = make_link(host, path.text, target);
    if (rc != -ENOENT)
        return rc;
    if ((host_make_directory(host, DIRECTORY) < 0 && errno != EEXIST) ||
        (host_make_directory(host, directory.text) < 0 && errno != EEXIST))
        return -errno;
    return make_link(host, path.text, target);
}

int
run_links_put(const struct host *host, const char *kind, const char *name, const char *target)
{
    return make(host, kind, name, target, host_make_link);
}

int
run_links_replace(const struct host *host, const char *kind, const char *name, const char *format,
                  ...)
{
    struct path target;

    PATH_OR_RETURN(target, format);
    return make(host, kind, name, target.text, host_replace_link);
}

int
run_links_check(int rc, const char *kind, const char *name, struct error *error)
{
    return rc < 0 ? error_set(error, rc, "cannot make the link /" DIRECTORY "/%s/%s: %s", kind,
                              name, strerror(-rc))
                  : 0;
}

int
run_links_read(const struct host *host, const char *kind, const char *name, char *ret, size_t size)
{
    struct path path;
    int rc = path_of(kind, name, &path);

    if (rc == 0)
        rc = (int)host->ops->link(host, path.text, ret, size);
    return rc < 0 ? rc : 0;
}

int
run_links_read_number(const struct host *host, const char *kind, const char *name, uint64_t *ret)
{
    char target[HOST_NUMBER];
    int rc = run_links_read(host, kind, name, target, sizeof(target));

    return rc < 0 ? rc : host_parse_number(target, ret);
}

bool
run_links_is_recent(const struct host *host, const char *kind, const char *name,
                    unsigned milliseconds)
{
    uint64_t now = host_uptime(host), time;

    return run_links_read_number(host, kind, name, &time) == 0 && time <= now &&
           now - time < milliseconds;
}

void
run_links_list(const struct host *host, const char *kind, struct words *ret)
{
    struct path directory;
    struct stat status;

    *ret = (struct words){0};
    if (path_format(&directory, DIRECTORY "/%s", kind) == 0 &&
        host_status(host, directory.text, &status) == 0 && S_ISDIR(status.st_mode))
        (void)!host_list_all(host, ret, "%s", directory.text);
}

int
run_links_remove(const struct host *host, const char *kind, const char *name)
{
    struct path path;
    int rc = path_of(kind, name, &path);

    return rc < 0 ? rc : host_remove(host, path.text);
}
