/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * subject: whose XML a command changes: a domain of this host's libvirt, or a file.
 *
 * A domain has up to two definitions, and the options say which are meant; a file has one, and is
 * never written.
 */

#pragma once

#include "command.h"
#include "connection.h"
#include "edit.h"

struct subject {
    const char *word;              /* as it was typed */
    struct connection *connection; /* NULL: a file */
    struct connection_domain domain;
    bool meant[2]; /* per enum connection_side; of a file, the first is it */
};

/*
 * A word with a slash in it, the name of an .xml file that is there, and "-" (stdin) mean a file,
 * which is read only and has no sides: -EINVAL if --config or --live is given. Else a domain, with
 * the sides of --config and --live; of neither: as it runs if it does, else its definition. -errno
 * with a line in error. The caller closes ret in every case.
 */
int subject_open(const struct command_call *call, struct subject *ret,
                 struct error *error) CHECKED NONNULL;
void subject_close(struct subject *subject) NONNULL;

/* Its XML; of a file, whatever side is asked for. Secrets are shown if it is to be defined again.
 * The caller clears ret in every case. */
int subject_text(const struct subject *subject, enum connection_side side, bool secrets,
                 struct document *ret, struct error *error) CHECKED NONNULL;

/* The same, to be edited. */
int subject_edit(const struct subject *subject, enum connection_side side, bool secrets,
                 struct edit *ret, struct error *error) CHECKED NONNULL;

/* Defines it anew; and prints the XML instead. */
int subject_define(const struct subject *subject, const struct edit *edit,
                   struct error *error) CHECKED NONNULL;
int subject_print(const struct command_call *call, const struct edit *edit,
                  struct error *error) CHECKED NONNULL;

/* The side that --print-xml shows. */
enum connection_side
subject_side_shown(const struct command_call *call, const struct subject *subject) NONNULL;

/* "web01, for its next start": what was changed, for people. */
const char *subject_sides(const struct subject *subject) NONNULL;
