/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * subject: the one domain that a command is about: one that libvirt knows, or a file of XML.
 */

#pragma once

#include "domain/request.h"

struct subject {
    struct request request; /* what it asks for: as it runs, else as it is defined */
    bool is_running;        /* as libvirt says; of a file it is not known */
};

/* Whether a word means a file, and not a domain: "-", or it has a slash, or a file has that name.
 */
bool subject_is_file(const char *word) CHECKED NONNULL;

/*
 * `uri` is that of the libvirt to ask; NULL: there is none, and only a file will do. -ENOENT if
 * there is no such domain, -EINVAL if its XML cannot be read, or the errors of connection.h; with a
 * line in error. The caller clears ret in every case.
 */
int subject_find(const struct host *host, const char *uri, const char *word, struct subject *ret,
                 struct error *error) __attribute__((nonnull(1, 3, 4, 5))) CHECKED;
void subject_clear(struct subject *subject) NONNULL;

/* The text of such a file: "-" is stdin. The caller clears ret in every case. */
int subject_read(const struct host *host, const char *word, struct document *ret,
                 struct error *error) CHECKED NONNULL;
