/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "domain/status-files.h"
#include "base/array.h"
#include "domain/request-parser.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define DIRECTORY "run/libvirt/qemu"
#define SUFFIX    ".xml"

/* Keeps a guest whose file, NAME.xml, could not be read to its end. */
static void
add_unread(struct status_files *files, struct request *guest, const char *name,
           const struct error *error)
{
    struct status_files_unread unread = {.guest = *guest};

    *guest = (struct request){0};
    error_set(&unread.why, 0, "not all guests are known: /" DIRECTORY "/%s: %s", name, error->text);
    free(unread.guest.name);
    unread.guest.name = memory_copy_bytes(name, strlen(name) - strlen(SUFFIX));
    ARRAY_ADD(files->unread, files->unread_count, unread);
    if (files->complete)
        files->failure = unread.why;
    files->complete = false;
}

/* The file may be truncated. The readable part may still have the domain's UUID and its QEMU's
 * pid. */
static int
parse(const struct host *host, int fd, struct request *ret, struct error *error)
{
    AUTO(document_clear) struct document document = {0};
    struct error ignored;
    int rc = document_read(host, fd, &document, error), parsed = -EINVAL;

    if (document.length)
        parsed = request_parse_status(&document, ret, rc < 0 ? &ignored : error);
    return rc < 0 ? rc : parsed;
}

static int
read_guest(const struct host *host, const char *name, struct status_files *ret)
{
    AUTO(request_clear) struct request guest = {0};
    struct error error;
    struct path path;
    int rc = path_format(&path, DIRECTORY "/%s", name);
    AUTO_CLOSE int fd =
        rc < 0 ? -1 : host_open(host, path.text, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);

    if (rc == 0 && fd < 0)
        rc = -errno;
    if (rc == -ENOENT)
        return 0;
    rc = rc < 0 ? error_set(&error, rc, "%s", strerror(-rc)) : parse(host, fd, &guest, &error);
    /* Its process is gone, so whatever else it says is old. */
    if (guest.pid > 0 && !host_exists(host, "proc/%d", guest.pid))
        return 0;
    if (rc == -ENOMEM)
        return rc;
    if (rc < 0) {
        add_unread(ret, &guest, name, &error);
        return 0;
    }
    ARRAY_ADD(ret->items, ret->count, guest);
    guest = (struct request){0};
    return 0;
}

/* Forgets the guests that were read: an incomplete list must not pass for all that run. */
static int
give_up(struct status_files *files, const struct error *error, int code)
{
    status_files_clear(files);
    files->failure = *error;
    return code;
}

/* Not "NAME.xml.new", which is being written. */
static bool
is_guest(const char *name)
{
    const size_t length = strlen(name), tail = strlen(SUFFIX);

    return length > tail && !strcmp(name + length - tail, SUFFIX);
}

int
status_files_read(const struct host *host, struct status_files *ret, struct error *error)
{
    AUTO(words_clear) struct words names = {0};
    int rc = host_list_all(host, &names, DIRECTORY);

    *ret = (struct status_files){.complete = true};
    if (rc == -ENOENT)
        return 0;
    for (size_t i = 0; rc == 0 && i < names.count; i++) {
        if (is_guest(names.items[i]))
            rc = read_guest(host, names.items[i], ret);
    }
    if (rc < 0)
        return give_up(ret, error,
                       error_set(error, rc, "cannot read /" DIRECTORY ": %s", strerror(-rc)));
    return 0;
}

void
status_files_clear(struct status_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        request_clear(&files->items[i]);
    for (size_t i = 0; i < files->unread_count; i++)
        request_clear(&files->unread[i].guest);
    free(files->items);
    free(files->unread);
    *files = (struct status_files){0};
}

bool
status_files_lack(const struct host *host, const char *domain_name)
{
    struct path path;
    struct stat status;

    return host_exists(host, DIRECTORY) && !strchr(domain_name, '/') &&
           path_format(&path, DIRECTORY "/%s" SUFFIX, domain_name) == 0 &&
           host_status(host, path.text, &status) < 0 && errno == ENOENT;
}

const struct request *
status_files_find(const struct status_files *files, const struct name *domain)
{
    return ARRAY_FIND(files->items, files->count, guest, name_equal(&guest->domain, domain));
}

static bool
is_about(const struct request *unread, const struct name *domain, const char *domain_name)
{
    return *unread->domain.text ? name_equal(&unread->domain, domain)
                                : !strcmp(unread->name, domain_name);
}

const char *
status_files_doubt(const struct status_files *files, const struct name *domain,
                   const char *domain_name)
{
    const struct status_files_unread *unread = ARRAY_FIND(
        files->unread, files->unread_count, each, is_about(&each->guest, domain, domain_name));

    if (unread)
        return unread->why.text;
    return files->complete || files->unread_count ? NULL : files->failure.text;
}

bool
status_files_has(const struct request *guest, const struct name *device)
{
    return request_find_hostdev(guest, device) || names_has(&guest->others, device);
}

const struct request *
status_files_holder(const struct status_files *files, const struct name *device)
{
    const struct request *guest =
        ARRAY_FIND(files->items, files->count, each, status_files_has(each, device));
    const struct status_files_unread *unread = ARRAY_FIND(files->unread, files->unread_count, each,
                                                          status_files_has(&each->guest, device));

    return guest || !unread ? guest : &unread->guest;
}
