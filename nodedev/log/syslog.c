/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "log/syslog.h"
#include "base/array.h"
#include "base/words.h"
#include "program/program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DIRECTORY "var/log"
#define PACKED    ".gz"
#define GZIP      "/usr/bin/gzip"

/* Returns what a file's name has behind the log's name: "", ".1", ".2.gz", "-20261122". Returns
 * NULL if it is no file of the log. */
static const char *
suffix_of(const char *name, const char *log)
{
    const char *suffix = name + strlen(log), *end = suffix;

    if (strncmp(name, log, strlen(log)) != 0)
        return NULL;
    if (*suffix == '.')
        end += 1 + strspn(suffix + 1, "0123456789");
    else if (*suffix == '-')
        end += 1 + strspn(suffix + 1, "0123456789-");
    return end != suffix + 1 && (!*end || !strcmp(end, PACKED)) ? suffix : NULL;
}

/* Sorts files with a date first, then files with a number. The highest number is the oldest. */
static int
by_age(const void *a, const void *b)
{
    const char *one = ((const struct syslog_file *)a)->suffix;
    const char *other = ((const struct syslog_file *)b)->suffix;
    unsigned long numbers[2];

    if (*one != *other)
        return !*one ? 1 : !*other ? -1 : *one == '-' ? -1 : 1;
    if (*one != '.')
        return strcmp(one, other);
    numbers[0] = strtoul(one + 1, NULL, 10);
    numbers[1] = strtoul(other + 1, NULL, 10);
    return (numbers[0] < numbers[1]) - (numbers[0] > numbers[1]);
}

/* Opens a regular file. Nobody waits for the writer of a pipe. */
static int
open_file(const struct host *host, const char *path, struct stat *status, struct error *error)
{
    AUTO_CLOSE int fd = host_open(host, path, O_RDONLY | O_NONBLOCK, 0);
    bool is_file = fd >= 0 && fstat(fd, status) == 0 && S_ISREG(status->st_mode);

    /* What else cannot be opened: a socket, and below --root anything that is no file. */
    if (!is_file && (fd >= 0 || errno == ENXIO || errno == EOPNOTSUPP))
        return error_set(error, -EINVAL, "/%s: it is no regular file", path);
    return is_file ? TAKE_FD(fd) : error_set(error, -errno, "/%s: %m", path);
}

/* Adds a file, unless its last write is older than the moment. A file that was renamed just now is
 * skipped. One that cannot be opened is added, so that syslog_open tells why. */
static void
add_file(const struct host *host, const char *name, size_t length, const time_t *since,
         struct syslog *syslog)
{
    AUTO_FREE char *path = memory_format(DIRECTORY "/%s", name);
    struct syslog_file file = {.path = path, .suffix = path + strlen(DIRECTORY "/") + length};
    struct stat status;
    struct error ignored;
    AUTO_CLOSE int fd = open_file(host, path, &status, &ignored);

    if (fd == -ENOENT)
        return;
    if (fd >= 0)
        file.changed = status.st_mtime;
    if (fd >= 0 && since && file.changed < *since)
        return;
    ARRAY_ADD(syslog->files, syslog->count, file);
    path = NULL;
}

static int
list_files(const struct host *host, const char *log, const time_t *since, struct syslog *ret,
           struct error *error)
{
    AUTO(words_clear) struct words names = {0};
    int rc = host_list_all(host, &names, DIRECTORY);

    if (rc < 0)
        return error_set(error, rc, "/" DIRECTORY ": %s", strerror(-rc));
    for (size_t i = 0; i < names.count; i++) {
        if (suffix_of(names.items[i], log))
            add_file(host, names.items[i], strlen(log), since, ret);
    }
    if (ret->count)
        qsort(ret->files, ret->count, sizeof(*ret->files), by_age);
    return 0;
}

int
syslog_find(const struct host *host, const time_t *since, struct syslog *ret, struct error *error)
{
    static const char *const logs[] = {"syslog", "messages", "daemon.log"};

    *ret = (struct syslog){0};
    for (size_t i = 0; i < COUNT(logs); i++) {
        if (host_exists(host, DIRECTORY "/%s", logs[i]))
            return list_files(host, logs[i], since, ret, error);
    }
    return error_set(error, -ENOENT,
                     "there is no log here: no journal, and none of /" DIRECTORY "/%s, /" DIRECTORY
                     "/%s and /" DIRECTORY "/%s",
                     logs[0], logs[1], logs[2]);
}

void
syslog_clear(struct syslog *syslog)
{
    for (size_t i = 0; i < syslog->count; i++)
        free(syslog->files[i].path);
    free(syslog->files);
    *syslog = (struct syslog){0};
}

int
syslog_open(const struct host *host, const struct syslog_file *file, struct error *error)
{
    char program[] = GZIP, option[] = "-dc";
    char *const argv[] = {program, option, NULL};
    struct stat status;
    AUTO_CLOSE int fd = open_file(host, file->path, &status, error);
    size_t length = strlen(file->path), packed = strlen(PACKED);
    int rc;

    if (fd < 0)
        return fd;
    if (length < packed || strcmp(file->path + length - packed, PACKED) != 0)
        return TAKE_FD(fd);
    rc = program_read(host, argv, fd, error);
    if (rc < 0)
        error_wrap(error, "/%s", file->path);
    return rc;
}
