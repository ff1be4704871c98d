/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * domain-source: where the XML of the one domain that a command is about comes from: this host's
 * libvirt, or a file.
 *
 * A domain has up to two definitions, and the options of attach and detach say which are meant; a
 * file has one, and is never written. A word means a file if it is "-", which is stdin, or has a
 * slash, or is the name of a file that is there.
 */

#pragma once

#include "cli/command.h"
#include "libvirt/connection.h"

struct domain_source {
    const struct command_call *call;
    const char *word;                /* as it was typed */
    struct connection *connection;   /* NULL: a file */
    struct connection_domain domain; /* of a file nothing of it is known */
    struct request request;          /* only what domain_source_request has read... */
    struct document text;            /* ...and its XML */
    bool meant[2]; /* per enum connection_side: what is to be changed; of a file, the first is it */
};

/* Whether a word means a file. */
bool domain_source_is_file(const char *word) CHECKED NONNULL;

/*
 * The one that the call's first argument names. A file is not opened yet. ERROR_USAGE with a line
 * in error if it is no file, and there is no libvirt, or the errors of connection.h. The caller
 * closes ret in every case.
 *
 * To write, it also decides which definitions are meant: those of --config and --live; without
 * either the one that it runs with if it runs, else what its next start uses. -errno with a line in
 * error if there is no such definition; ERROR_USAGE if either is given with a file.
 */
int domain_source_open(const struct command_call *call, enum connection_mode mode,
                       struct domain_source *ret, struct error *error) CHECKED NONNULL;
void domain_source_close(struct domain_source *source) NONNULL;

/* Its XML; of a file, whatever side is asked for. With passwords if it is to be defined again.
 * -errno with a line in error. The caller clears ret in every case. */
int domain_source_text(const struct domain_source *source, enum connection_side side, bool secrets,
                       struct document *ret, struct error *error) CHECKED NONNULL;

/* Reads what it asks for: as it runs, else as it is defined. The errors of domain_source_text, and
 * -EINVAL if the XML cannot be read. */
int domain_source_request(struct domain_source *source, struct error *error) CHECKED NONNULL;

/* All domains of this host's libvirt. -errno with a line in error if it cannot be asked, or does
 * not tell them all; those that it tells are in ret. The caller clears ret in every case. */
int domain_source_all(const struct domain_source *source, struct domains *ret,
                      struct error *error) CHECKED NONNULL;

/* The text of such a file. The caller clears ret in every case. */
int domain_source_read(const struct host *host, const char *word, struct document *ret,
                       struct error *error) CHECKED NONNULL;

/* The side that --print-xml shows. */
enum connection_side domain_source_side_shown(const struct domain_source *source) NONNULL;

/* "for its next start": which definitions are meant, for people. */
const char *domain_source_sides(const struct domain_source *source) NONNULL;
