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

struct status_files {
    struct request *items;
    size_t count;
    bool complete;        /* all files could be read */
    struct error failure; /* else why the first of the others could not */
};

/* Reads them all. -ENOMEM, or the errno of the directory if it cannot be listed. If there is no
 * such directory, no domain runs. The caller clears ret. */
int status_files_read(const struct host *host, struct status_files *ret,
                      struct error *error) CHECKED NONNULL;
void status_files_clear(struct status_files *files) NONNULL;

/* Finds a domain by its UUID; NULL: it does not run, or its file could not be read. */
const struct request *
status_files_find(const struct status_files *files, const struct name *domain) NONNULL;

/* Whether a domain has a device. */
bool status_files_has(const struct request *guest, const struct name *device) CHECKED NONNULL;

/* Whether any of them has it. */
bool status_files_have(const struct status_files *files, const struct name *device) CHECKED NONNULL;
