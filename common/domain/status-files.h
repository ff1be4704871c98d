/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * guests: the domains that run now, as libvirt's status files tell.
 *
 * libvirtd and virtqemud write one for each, /run/libvirt/qemu/NAME.xml, anew whenever the domain
 * changes, and remove it when it ends. They are read as files, without asking libvirt. A starting
 * domain has none until its QEMU is forked. A stale one, whose process is gone, counts for nothing;
 * if its pid is used again it counts as running, which errs on the side that removes nothing.
 */

#pragma once

#include "base/host.h"
#include "domain/request.h"

struct status_files {
    struct request *items;
    size_t count;
    bool complete;        /* all files could be read */
    struct error failure; /* else the first that could not */
};

/* -ENOMEM, or the errno of a directory that cannot be listed; no directory: nobody runs. The caller
 * clears ret. */
int status_files_read(const struct host *host, struct status_files *ret,
                      struct error *error) CHECKED NONNULL;
void status_files_clear(struct status_files *guests) NONNULL;

/* By its UUID; NULL: it does not run, or its file could not be read. */
const struct request *
status_files_find(const struct status_files *guests, const struct name *domain) NONNULL;

/* Whether a domain has a device. */
bool status_files_has(const struct request *guest, const struct name *device) CHECKED NONNULL;

/* Whether any of them has it. */
bool
status_files_have(const struct status_files *guests, const struct name *device) CHECKED NONNULL;
