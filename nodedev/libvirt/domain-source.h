/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * domain-source: where a command reads the XML of its one domain: from this host's libvirt, or from
 * a file.
 *
 * A domain has up to two definitions, and the options of attach and detach choose among them. A
 * file has one, and is never written. A word means a file if it is "-" (stdin), has a slash, or is
 * the name of an existing file.
 */

#pragma once

#include "cli/command.h"
#include "libvirt/connection.h"

struct domain_source {
    const struct command_call *call;
    const char *word;                /* the word that was typed, or the name of a draft */
    struct connection *connection;   /* NULL: a file */
    bool is_borrowed;                /* the connection is the caller's */
    struct connection_domain domain; /* not set for a file */
    struct document text;   /* of a file: read once, for stdin ends; of a domain: of its request */
    struct request request; /* only if domain_source_request was called */
    bool meant[2]; /* per enum connection_side: whether to change it; a file has only the first */
};

/* Whether a word means a file. */
bool domain_source_is_file(const char *word) CHECKED NONNULL;

/*
 * Opens the domain, or reads the file, that the call's first argument names. Returns ERROR_USAGE
 * with a line in error if the word is no file and there is no libvirt, or the errors of
 * connection.h and of domain_source_read. The caller closes ret in every case.
 *
 * To write, the function also chooses definitions: those of --config and --live. Without either
 * option it chooses the running one if the domain runs, else the one for the next start. Returns
 * -errno with a line in error if there is no such definition. Returns ERROR_USAGE if the options
 * would do more with a file than print it.
 */
int domain_source_open(const struct command_call *call, enum connection_mode mode,
                       struct domain_source *ret, struct error *error) CHECKED NONNULL;
void domain_source_close(struct domain_source *source) NONNULL;

/* The same for a domain of a libvirt to which the caller has a connection, by its name or UUID. The
 * connection stays the caller's, and no definition is chosen. */
int
domain_source_find(const struct command_call *call, struct connection *connection, const char *word,
                   struct domain_source *ret, struct error *error) CHECKED NONNULL;

/* Makes a domain that nobody has defined, and that asks for nothing. The rest takes this domain for
 * a file. */
void domain_source_draft(const struct command_call *call, struct domain_source *ret) NONNULL;

/* Reads the XML of one side; a file has the same XML for both sides. Set `secrets` if the XML is to
 * be defined again: then it contains the passwords. Returns -errno with a line in error. The caller
 * clears ret in every case. */
int domain_source_text(const struct domain_source *source, enum connection_side side, bool secrets,
                       struct document *ret, struct error *error) CHECKED NONNULL;

/* Reads the request of the domain as it runs, else as it is defined. Returns the errors of
 * domain_source_text, and -EINVAL if the XML cannot be read. */
int domain_source_request(struct domain_source *source, struct error *error) CHECKED NONNULL;

/* Reads all domains of this host's libvirt. Returns -errno with a line in error if libvirt cannot
 * be asked, or does not tell all; ret then has those that it told. The caller clears ret in every
 * case. */
int domain_source_all(const struct domain_source *source, struct domains *ret,
                      struct error *error) CHECKED NONNULL;

/* Returns the version of this host's libvirt (version.h); 0: there is no libvirt, or it does not
 * tell. */
unsigned domain_source_version(const struct domain_source *source) CHECKED NONNULL;

/* Reads the text of such a file. The caller clears ret in every case. */
int domain_source_read(const struct host *host, const char *word, struct document *ret,
                       struct error *error) CHECKED NONNULL;

/* Returns the side that --print-xml and check show: if it can be chosen, that of the next start. */
enum connection_side domain_source_side_shown(const struct domain_source *source) NONNULL;

/* Returns words for people about the chosen definitions, such as "for its next start". */
const char *domain_source_sides(const struct domain_source *source) NONNULL;
