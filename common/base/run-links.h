/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * run-links: what processes tell each other by symbolic links in the state directory.
 *
 *     /run/libvirt-vgpu/KIND/NAME -> TARGET
 *
 * A link leads nowhere: its target is the text. It is made in one step, and takes neither a
 * descriptor nor room in /run. Each kind has a directory, which is made for the first link. After a
 * boot the links are gone. Whoever has a kind says what its names and targets mean, and whether a
 * lock must be held.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

/* Makes a link: 0; -EEXIST: there is one of that name, whatever its target; or another -errno. */
int run_links_put(const struct host *host, const char *kind, const char *name,
                  const char *target) CHECKED NONNULL;

/* Makes a link in place of the one that has its name, if there is one. Who reads meanwhile finds
 * the one or the other. Of several processes that do this at once some may fail, and the link of
 * one stays. 0 or -errno. */
int run_links_replace(const struct host *host, const char *kind, const char *name,
                      const char *format, ...) FORMAT(4, 5) CHECKED NONNULL;

/* Takes what one of these has returned, and returns it: 0, or -errno with a line in error. */
int run_links_check(int rc, const char *kind, const char *name, struct error *error) NONNULL;

/* Reads the target of a link: 0; -ENOENT: there is none; or another -errno. */
int run_links_read(const struct host *host, const char *kind, const char *name, char *ret,
                   size_t size) CHECKED NONNULL;

/* The same of a target that is a decimal number; -EBADMSG: it is none. */
int run_links_read_number(const struct host *host, const char *kind, const char *name,
                          uint64_t *ret) CHECKED NONNULL;

/* Whether the target is a time of this boot that is less than so many ms ago. */
bool run_links_is_recent(const struct host *host, const char *kind, const char *name,
                         unsigned milliseconds) CHECKED NONNULL;

/* All names of a kind, sorted. There are none if they cannot be read, or if a link is in the
 * directory's place: nobody knows who wrote what is behind it. The caller clears ret. */
void run_links_list(const struct host *host, const char *kind, struct words *ret) NONNULL;

/* Removes a link: 0; -ENOENT: there is none; or another -errno. */
int run_links_remove(const struct host *host, const char *kind, const char *name) NONNULL;
