/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "domain/status-files.h"
#include "base/array.h"
#include "base/words.h"
#include "domain/request-parser.h"

#include <fcntl.h>
#include <string.h>

#define DIRECTORY "run/libvirt/qemu"

static int
read_guest(const struct host *host, int directory, const char *name, struct status_files *ret)
{
    AUTO_CLOSE int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    AUTO(document_clear) struct document document = {0};
    struct request guest = {0};
    struct error error;
    int rc;

    if (fd < 0 && errno == ENOENT)
        return 0;
    rc = fd < 0 || host_check_opened(host, fd) < 0 ? error_set(&error, -errno, "%m")
                                                   : document_read(host, fd, &document, &error);
    if (rc == 0)
        rc = request_parse_status(&document, &guest, &error);
    /* Its process is gone, so whatever else it says is old. */
    if (guest.pid > 0 && !host_exists(host, "proc/%d", guest.pid)) {
        request_clear(&guest);
        return 0;
    }
    if (rc == 0)
        rc = ARRAY_ADD(ret->items, ret->count, guest);
    if (rc == 0)
        return 0;
    request_clear(&guest);
    if (ret->complete)
        error_set(&ret->failure, rc, "not all guests are known: /" DIRECTORY "/%s: %s", name,
                  error.text);
    ret->complete = false;
    return rc == -ENOMEM ? rc : 0;
}

int
status_files_read(const struct host *host, struct status_files *ret, struct error *error)
{
    AUTO_CLOSE int directory = host_open(host, DIRECTORY, O_RDONLY | O_DIRECTORY, 0);
    AUTO(words_clear) struct words names = {0};
    int rc;

    *ret = (struct status_files){.complete = true};
    if (directory < 0 && errno == ENOENT)
        return 0;
    if (directory < 0)
        return error_set(error, -errno, "cannot open /" DIRECTORY ": %m");
    /* Not "NAME.xml.new", which is being written. */
    rc = words_read_directory(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ".xml",
                              &names);
    for (size_t i = 0; rc == 0 && i < names.count; i++)
        rc = read_guest(host, directory, names.items[i], ret);
    return rc < 0 ? error_set(error, rc, "cannot read /" DIRECTORY ": %s", strerror(-rc)) : 0;
}

void
status_files_clear(struct status_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        request_clear(&files->items[i]);
    free(files->items);
    *files = (struct status_files){0};
}

const struct request *
status_files_find(const struct status_files *files, const struct name *domain)
{
    return ARRAY_FIND(files->items, files->count, guest, name_equal(&guest->domain, domain));
}

bool
status_files_has(const struct request *guest, const struct name *device)
{
    return ARRAY_HAS(guest->hostdevs, guest->hostdev_count, hostdev,
                     name_equal(&hostdev->source, device));
}

bool
status_files_have(const struct status_files *files, const struct name *device)
{
    return ARRAY_HAS(files->items, files->count, guest, status_files_has(guest, device));
}
