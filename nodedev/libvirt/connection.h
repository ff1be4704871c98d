/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * connection: one libvirt, over its API.
 *
 * Its library is loaded by the first that is opened, as host.module (connection-calls.h): a command
 * that asks no libvirt does without.
 *
 * Everything comes back as our own values, or as one line in error with libvirt's words in it.
 * Nothing here is ever called by the hook or the mdevctl call-out: libvirt holds the domain's lock
 * while those run.
 */

#pragma once

#include "libvirt/connection-calls.h"

struct connection;

/* Loads the library, for children that are about to open one each. -ENOTCONN with a line in error.
 */
int connection_load(const struct host *host, struct error *error) CHECKED NONNULL;

/* libvirt prints nothing by itself. -ENOTCONN with a line in error if there is no such libvirt or
 * it lets us not in, or its library cannot be loaded. The caller closes ret. */
int connection_open(const struct host *host, const char *uri, enum connection_mode mode,
                    struct connection **ret, struct error *error) CHECKED NONNULL;
void connection_close(struct connection **connection) NONNULL;

/* All of its domains, running and defined. -EIO with a line in error if it does not tell them all;
 * what it has told is in ret. The caller clears ret in every case. */
int connection_domains(struct connection *connection, struct domains *ret,
                       struct error *error) CHECKED NONNULL;

/* The same of a libvirt that nothing else is wanted of; or the errors of connection_open. Of one
 * that runs QEMU's guests *version (if not NULL) is 1000000 * major + 1000 * minor + release; else
 * it stays. */
int connection_ask_domains(const struct host *host, const char *uri, struct domains *ret,
                           unsigned *version, struct error *error)
    __attribute__((nonnull(1, 2, 3, 5))) CHECKED;

/* Adds one of its domains, unless it has none with that UUID. One that it does not tell, or that
 * cannot be read, makes ret incomplete, as in domains_add. */
void connection_add_domain(struct connection *connection, const struct name *domain,
                           struct domains *ret) NONNULL;

/* Calls a function with each of its domains, by name, until one call fails. -EIO with a line in
 * error, or what `read` has failed with. */
int connection_each_domain(struct connection *connection, connection_reader *read, void *data,
                           struct error *error) CHECKED __attribute__((nonnull(1, 2, 4)));

/* Says, word after word, what a libvirt tells of its host's vGPUs: see connection_listener. Stops
 * at what `listen` fails with. */
int connection_tell(struct connection *connection, enum connection_scope scope,
                    connection_listener *listen, void *data, struct error *error) CHECKED
    __attribute__((nonnull(1, 3, 5)));

/* --- changing one domain --------------------------------------------------------------------- */

/* By name, else by UUID. -ENOENT with the name that was probably meant. */
int connection_find(struct connection *connection, const char *word, struct connection_domain *ret,
                    struct error *error) CHECKED NONNULL;

/* One of its definitions; with passwords if it is to be defined again. The caller clears ret in
 * every case. -ESRCH if it has ended; -EIO with libvirt's words, as all that follow. */
int
connection_xml(struct connection *connection, const struct name *domain, enum connection_side side,
               bool secrets, struct document *ret, struct error *error) CHECKED NONNULL;

/* Makes this its definition. */
int connection_define(struct connection *connection, const struct document *xml,
                      struct error *error) CHECKED NONNULL;

/* Starts it as it is defined. */
int connection_start(struct connection *connection, const struct name *domain,
                     struct error *error) CHECKED NONNULL;

/* Plugs a device into the running domain. */
int connection_attach(struct connection *connection, const struct name *domain, const char *xml,
                      struct error *error) CHECKED NONNULL;

/* Asks the running domain to let go of a device, and does not wait for it. 0 as well if it was
 * asked a moment ago. */
int connection_detach(struct connection *connection, const struct name *domain, const char *alias,
                      struct error *error) CHECKED NONNULL;

/* Sets the annotation that it runs with, an element without a namespace (domain_edit_annotation);
 * NULL: removes it. */
int
connection_set_annotation(struct connection *connection, const struct name *domain, const char *xml,
                          struct error *error) __attribute__((nonnull(1, 2, 4))) CHECKED;

/* --- moving one domain ------------------------------------------------------------------------ */

/* Migrates it to the libvirt of another URI, live if it runs; its definition goes along, if it has
 * one. Returns when that is over: who wants to watch or stop it does so over another connection, in
 * another process. -ENOTCONN if that libvirt cannot be reached; -EIO with libvirt's words, as the
 * others. */
int connection_migrate(struct connection *connection, const struct name *domain, const char *uri,
                       struct error *error) CHECKED NONNULL;

/* How far that is. */
int connection_progress(struct connection *connection, const struct name *domain,
                        struct connection_progress *ret, struct error *error) CHECKED NONNULL;

/* Stops it: the domain stays where it was. */
int connection_abort(struct connection *connection, const struct name *domain,
                     struct error *error) CHECKED NONNULL;
