/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * connection: one libvirt, over its API. No other file includes libvirt's headers.
 *
 * Everything comes back as our own values, or as one line in error with libvirt's words in it.
 * Nothing here is ever called by the hook or the mdevctl call-out: libvirt holds the domain's lock
 * while those run.
 */

#pragma once

#include "libvirt/domains.h"

struct connection;

enum connection_mode { CONNECTION_READ, CONNECTION_WRITE };

/* libvirt prints nothing by itself. -ENOTCONN with a line in error if there is no such libvirt or
 * it lets us not in. The caller closes ret. */
int connection_open(const char *uri, enum connection_mode mode, struct connection **ret,
                    struct error *error) CHECKED NONNULL;
void connection_close(struct connection **connection) NONNULL;

/* All of its domains, running and defined. -EIO with a line in error if it does not tell them all;
 * what it has told is in ret. The caller clears ret in every case. */
int connection_domains(struct connection *connection, struct domains *ret,
                       struct error *error) CHECKED NONNULL;

/* The same of a libvirt that nothing else is wanted of; or the errors of connection_open. Of one
 * that runs QEMU's guests *version (if not NULL) is 1000000 * major + 1000 * minor + release; else
 * it stays. */
int connection_ask_domains(const char *uri, struct domains *ret, unsigned *version,
                           struct error *error) __attribute__((nonnull(1, 2, 4))) CHECKED;

/* Calls a function with each of its domains, by name, until one call fails. -EIO with a line in
 * error, or what `read` has failed with. */
typedef int connection_reader(void *data, const struct domain_text *text);
int connection_each_domain(struct connection *connection, connection_reader *read, void *data,
                           struct error *error) CHECKED __attribute__((nonnull(1, 2, 4)));

/* What is to be told of a host. */
enum connection_scope {
    CONNECTION_DEVICES, /* its GPUs and vGPUs */
    CONNECTION_ALL,     /* and all its domains, which takes a call or two for each */
};

/*
 * Says, word after word, what a libvirt tells of its host's vGPUs: "host" and the hypervisor's
 * kind, libvirt's version, the hypervisor's, the XML of the node device "computer"; "device" and
 * the XML of a parent, a vGPU, or a PCI device that can have virtual functions, for each of these;
 * "domain" and its UUID, name, "running" or "",
 * "defined" or "", and its XML as it runs and as it is defined ("" for one that there is not, or
 * that libvirt would not give). Stops at what `listen` fails with.
 */
typedef int connection_listener(void *data, const char *word);
int connection_tell(struct connection *connection, enum connection_scope scope,
                    connection_listener *listen, void *data, struct error *error) CHECKED
    __attribute__((nonnull(1, 3, 5)));

/* --- changing one domain --------------------------------------------------------------------- */

/* Its two definitions. */
enum connection_side {
    CONNECTION_CONFIG, /* what its next start uses; a domain that is not persistent has none */
    CONNECTION_LIVE,   /* what it runs with */
};

struct connection_domain {
    struct name uuid;
    char name[256];
    bool is_running;
    bool is_persistent;
    bool is_saved; /* its next start restores a state that libvirt has saved */
};

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
