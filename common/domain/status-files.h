/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * status-files: the domains that run now, as the files say that libvirt keeps about them.
 *
 * libvirtd and virtqemud write one for each running domain, /run/libvirt/qemu/NAME.xml. They write
 * it anew whenever the domain changes, and remove it when the domain ends. We read the files and do
 * not ask libvirt. A domain that is being started has none until its QEMU runs. A file whose
 * process is gone is ignored. If another process has got that pid, the domain counts as running: a
 * mistake, but one that removes nothing.
 */

#pragma once

#include "base/host.h"
#include "domain/request.h"

/*
 * A running domain whose file cannot be read to its end: it is no status file, or larger or more
 * costly than is read of any. `guest` is what was read of it: its name is that of the file, its
 * UUID may be missing, and its host devices are some of those that it has.
 */
struct status_files_unread {
    struct request guest;
    struct error why; /* a line that names the file */
};

struct status_files {
    struct request *items; /* those that were read to their end */
    size_t count;
    struct status_files_unread *unread;
    size_t unread_count;
    bool complete;        /* all files could be read */
    struct error failure; /* else why the first of the others could not */
};

/* Reads them all. -ENOMEM, or the errno of the directory if it cannot be listed; ret is empty then,
 * not complete, and says so in its failure too. If there is no such directory, no domain runs. The
 * caller clears ret. */
int status_files_read(const struct host *host, struct status_files *ret,
                      struct error *error) CHECKED NONNULL;
void status_files_clear(struct status_files *files) NONNULL;

/* Whether there is no file of a domain of that name, where there are such files: it does not run,
 * or not yet. One that cannot be a file's name counts as if there were one. */
bool status_files_lack(const struct host *host, const char *domain_name) CHECKED NONNULL;

/* Finds a domain by its UUID; NULL: it does not run, or its file could not be read. */
const struct request *
status_files_find(const struct status_files *files, const struct name *domain) NONNULL;

/*
 * Why it cannot be told whether a domain runs, and what it has; NULL: it can. Only that domain's
 * own file counts, found by the UUID in it, or by the file's name if that was not read: libvirt
 * names the file after the domain, and renames none that runs. That another domain's unread file
 * names this one's device is not excluded, where libvirt was given that device without us; whoever
 * would remove it has to prove that nobody has it open anyway.
 */
const char *status_files_doubt(const struct status_files *files, const struct name *domain,
                               const char *domain_name) NONNULL;

/* Whether a domain has a device. */
bool status_files_has(const struct request *guest, const struct name *device) CHECKED NONNULL;

/* One of them that has it, as far as they could be read; NULL: none. */
const struct request *
status_files_holder(const struct status_files *files, const struct name *device) NONNULL;
