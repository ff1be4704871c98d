/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * target: whose XML a command changes: a domain of this host's libvirt, or a file.
 *
 * A domain has up to two definitions, and the options say which are meant; a file has one, and is
 * never written.
 */

#pragma once

#include "cli/command.h"
#include "libvirt/connection.h"
#include "xml/domain-edit.h"

struct target {
    const struct host *host;
    const char *word;              /* as it was typed */
    struct connection *connection; /* NULL: a file */
    struct connection_domain domain;
    bool meant[2]; /* per enum connection_side; of a file, the first is it */
};

/*
 * A word that means a file (subject_is_file) is only read, and has no sides: -EINVAL if --config or
 * --live is given. Another is a domain, with the sides of --config and --live; of neither: as it
 * runs if it does, else its definition. -errno with a line in error. The caller closes ret in every
 * case.
 */
int target_open(const struct command_call *call, struct target *ret,
                struct error *error) CHECKED NONNULL;
void target_close(struct target *target) NONNULL;

/* Its XML; of a file, whatever side is asked for. Secrets are shown if it is to be defined again.
 * The caller clears ret in every case. */
int target_text(const struct target *target, enum connection_side side, bool secrets,
                struct document *ret, struct error *error) CHECKED NONNULL;

/* The same, to be edited. */
int target_edit(const struct target *target, enum connection_side side, bool secrets,
                struct domain_edit *ret, struct error *error) CHECKED NONNULL;

/* Adds the virtual functions (any PCI devices) that other domains of this host's libvirt name.
 * -errno with a line in error if it cannot be asked, or does not tell them all. */
int
target_add_named(const struct command_call *call, const struct target *target,
                 const struct name *domain, struct names *ret, struct error *error) CHECKED NONNULL;

/* Defines it anew; and prints the XML instead. */
int target_define(const struct target *target, const struct domain_edit *edit,
                  struct error *error) CHECKED NONNULL;
int target_print(const struct command_call *call, const struct domain_edit *edit,
                 struct error *error) CHECKED NONNULL;

/* The side that --print-xml shows. */
enum connection_side
target_side_shown(const struct command_call *call, const struct target *target) NONNULL;

/* "web01, for its next start": what was changed, for people. */
const char *target_sides(const struct target *target) NONNULL;
