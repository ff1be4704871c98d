/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * status-files: the domains that run now, as libvirt's files about them say.
 *
 * libvirtd and virtqemud write one file for each running domain, /run/libvirt/qemu/NAME.xml. They
 * write it anew whenever the domain changes, and remove it when the domain ends. We read the files
 * and do not ask libvirt. A domain that is being started has no file until its QEMU runs. A file
 * whose process is gone is ignored. If another process has got that pid, the domain counts as
 * running. That is a mistake, but nothing is removed because of it.
 */

#pragma once

#include "base/host.h"
#include "domain/request.h"

/*
 * A running domain whose file cannot be read to its end. The file is no status file, or exceeds a
 * limit of size or cost. `guest` is the part that was read. Its name is the file's, its UUID may be
 * missing, and so may some of its host devices.
 */
struct status_files_unread {
    struct request guest;
    struct error why; /* a line that names the file */
};

struct status_files {
    struct request *items; /* domains whose files were read to their end */
    size_t count;
    struct status_files_unread *unread;
    size_t unread_count;
    bool complete;        /* all files could be read */
    struct error failure; /* if not: why the directory or the first such file could not be read */
};

/* Reads all files. Errors: -ENOMEM, or the errno of a directory that cannot be listed. Then ret is
 * empty and not complete, and its failure says why too. Without such a directory no domain runs.
 * The caller clears ret. */
int status_files_read(const struct host *host, struct status_files *ret,
                      struct error *error) CHECKED NONNULL;
void status_files_clear(struct status_files *files) NONNULL;

/* Whether libvirt's directory has no file of a domain of that name: it does not run, or not yet.
 * False without such a directory, and for a name that cannot be a file's. */
bool status_files_lack(const struct host *host, const char *domain_name) CHECKED NONNULL;

/* Finds a domain by its UUID. NULL: it does not run, or its file could not be read. */
const struct request *
status_files_find(const struct status_files *files, const struct name *domain) NONNULL;

/*
 * Why it is not known whether a domain runs, and which devices it has; NULL: that is known. Only
 * the domain's own file counts. That file is found by the UUID in it, or by its name if no UUID was
 * read. libvirt names the file after the domain, and renames no running domain. If the directory
 * could not be listed, nothing is known of any domain.
 *
 * Another domain's unread file may name a device of this one, if libvirt was given the device
 * without us. Whoever removes the device has to prove first that nobody has it open.
 */
const char *status_files_doubt(const struct status_files *files, const struct name *domain,
                               const char *domain_name) NONNULL;

/* Whether a domain has a device. */
bool status_files_has(const struct request *guest, const struct name *device) CHECKED NONNULL;

/* A domain that has the device, as far as the files could be read; NULL: none. */
const struct request *
status_files_holder(const struct status_files *files, const struct name *device) NONNULL;
