/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * connection: a connection to one libvirt, over its API.
 *
 * libvirt's library needs fifty other libraries. Loading them takes longer than most commands take
 * to run. So the functions that call the library are a shared object of their own, connection.so.
 * The first connection loads that object (host.module). A command that asks no libvirt does not
 * load it.
 *
 * All results are values of our own, or one line in error that contains libvirt's words. The hook
 * and the mdevctl call-out call none of these functions, because libvirt holds the domain's lock
 * while they run.
 */

#pragma once

#include "libvirt/domains.h"

enum connection_mode { CONNECTION_READ, CONNECTION_WRITE };

/* A function that is called with each domain. */
typedef int connection_reader(void *data, const struct domain_text *text);

/* How much a libvirt is asked about its host. */
enum connection_scope {
    CONNECTION_DEVICES, /* the host's GPUs and vGPUs */
    CONNECTION_ALL,     /* also all domains; each domain takes one or two calls */
};

/*
 * Called with each word that a libvirt tells of the vGPUs of its host. The words are:
 *
 * - "host", the hypervisor's kind, libvirt's version, the hypervisor's version, and the XML of the
 *   node device "computer";
 * - for each parent, each vGPU, and each PCI device that can have virtual functions: "device" and
 *   its XML;
 * - for each domain: "domain", UUID, name, "running" or "", "defined" or "", the XML as it runs,
 *   and the XML as it is defined. An XML is "" if there is none, or if libvirt would not give it.
 */
typedef int connection_listener(void *data, const char *word);

/* The two definitions of a domain. */
enum connection_side {
    CONNECTION_CONFIG, /* its next start uses it; only a persistent domain has it */
    CONNECTION_LIVE,   /* the domain runs with it */
};

struct connection_domain {
    struct name uuid;
    char name[256];
    bool is_running;
    bool is_persistent;
    bool is_saved; /* the next start restores a state that libvirt has saved */
};

/* The progress of a domain's migration or save, in bytes. */
struct connection_progress {
    uint64_t total; /* 0: it has not begun, or is over */
    uint64_t remaining;
};

struct connection;

/* Loads the library before children open connections. Returns -ENOTCONN with a line in error if
 * connection.so is not there, or was not built together with this program. */
int connection_load(const struct host *host, struct error *error) CHECKED NONNULL;

/* Opens a connection, and keeps libvirt from printing. Returns -ENOTCONN with a line in error if
 * there is no such libvirt, if it refuses the connection, or if its library cannot be loaded. The
 * caller closes ret. */
int connection_open(const struct host *host, const char *uri, enum connection_mode mode,
                    struct connection **ret, struct error *error) CHECKED NONNULL;
void connection_close(struct connection **connection) NONNULL;

/* If libvirt runs QEMU's guests, returns its version (version.h); else 0. */
unsigned connection_version(struct connection *connection) NONNULL;

/* Reads all domains, running and defined. Returns -EIO with a line in error if libvirt does not
 * tell them all; ret then has those that it told. The caller clears ret in every case. */
int connection_domains(struct connection *connection, struct domains *ret,
                       struct error *error) CHECKED NONNULL;

/* Opens a connection and reads all domains. Also returns the errors of connection_open. *version
 * (if not NULL) becomes libvirt's, as in connection_version; without a connection it keeps its
 * value. */
int connection_ask_domains(const struct host *host, const char *uri, struct domains *ret,
                           unsigned *version, struct error *error)
    __attribute__((nonnull(1, 2, 3, 5))) CHECKED;

/* Adds one of the domains, unless there is no domain with this UUID. If libvirt does not tell the
 * domain, or the domain cannot be read, ret becomes incomplete as in domains_add. */
void connection_add_domain(struct connection *connection, const struct name *domain,
                           struct domains *ret) NONNULL;

/* Calls a function with each domain, sorted by name, until a call fails. Returns -EIO with a line
 * in error, or the error of `read`. */
int connection_each_domain(struct connection *connection, connection_reader *read, void *data,
                           struct error *error) CHECKED __attribute__((nonnull(1, 2, 4)));

/* Passes all words about the vGPUs of the host to `listen`: see connection_listener. If `listen`
 * fails, the function stops and returns its error. */
int connection_tell(struct connection *connection, enum connection_scope scope,
                    connection_listener *listen, void *data, struct error *error) CHECKED
    __attribute__((nonnull(1, 3, 5)));

/* --- changing one domain --------------------------------------------------------------------- */

/* Finds a domain by name, else by UUID. Returns -ENOENT; error then names the domain that was
 * probably meant. */
int connection_find(struct connection *connection, const char *word, struct connection_domain *ret,
                    struct error *error) CHECKED NONNULL;

/* Reads one definition of a domain. Set `secrets` if the XML is to be defined again: then it
 * contains the passwords. The caller clears ret in every case. Returns -ESRCH if the domain has
 * ended, and -EIO with libvirt's words. The functions below return -EIO likewise. */
int
connection_xml(struct connection *connection, const struct name *domain, enum connection_side side,
               bool secrets, struct document *ret, struct error *error) CHECKED NONNULL;

/* Makes this XML the definition of its domain. */
int connection_define(struct connection *connection, const struct document *xml,
                      struct error *error) CHECKED NONNULL;

/* Starts the domain as it is defined. */
int connection_start(struct connection *connection, const struct name *domain,
                     struct error *error) CHECKED NONNULL;

/* Asks the guest of the running domain to shut down, and does not wait for it. */
int connection_shut_down(struct connection *connection, const struct name *domain,
                         struct error *error) CHECKED NONNULL;

/* Plugs a device into the running domain. */
int connection_attach(struct connection *connection, const struct name *domain, const char *xml,
                      struct error *error) CHECKED NONNULL;

/* Asks the running domain to release a device, and does not wait for it. Returns 0 also if the
 * domain was asked a moment ago. */
int connection_detach(struct connection *connection, const struct name *domain, const char *alias,
                      struct error *error) CHECKED NONNULL;

/* Sets the annotation of the running domain: an element without a namespace
 * (domain_edit_annotation). NULL removes the annotation. */
int
connection_set_annotation(struct connection *connection, const struct name *domain, const char *xml,
                          struct error *error) __attribute__((nonnull(1, 2, 4))) CHECKED;

/* --- moving one domain ------------------------------------------------------------------------ */

/* Migrates a domain to the libvirt of another URI, live if it runs. Its definition moves too, if it
 * has one. The domain runs there with `xml`; NULL: with the XML that it has here. The function
 * returns when the migration is over. So another process must watch or stop the migration, over
 * another connection. Returns -ENOTCONN if the other libvirt cannot be reached, and -EIO with
 * libvirt's words. */
int connection_migrate(struct connection *connection, const struct name *domain, const char *uri,
                       const char *xml, struct error *error)
    __attribute__((nonnull(1, 2, 3, 5))) CHECKED;

/* Ends the running domain, and keeps its state: its next start, whoever asks for it, restores the
 * state (virDomainManagedSave). Returns when all is on disk. */
int connection_save(struct connection *connection, const struct name *domain,
                    struct error *error) CHECKED NONNULL;

/* Reads the progress of a migration or a save. */
int connection_progress(struct connection *connection, const struct name *domain,
                        struct connection_progress *ret, struct error *error) CHECKED NONNULL;

/* Stops a migration or a save. The domain goes on where it is. */
int connection_abort(struct connection *connection, const struct name *domain,
                     struct error *error) CHECKED NONNULL;

/* --- connection.so ---------------------------------------------------------------------------- */

/* libvirt's virConnect. */
struct _virConnect;

struct connection_calls {
    const char *version; /* version of libvirt-vgpu at the build; first member in every version */
    size_t size;         /* CONNECTION_CALLS_SIZE at the build */

    int (*open)(const char *uri, enum connection_mode mode, struct _virConnect **ret,
                struct error *error);
    void (*close)(struct _virConnect *libvirt);

    /* As version.h has it. Returns 0 if libvirt runs no guests of QEMU, or does not tell it. */
    unsigned (*version_of)(struct _virConnect *libvirt);

    /* The following functions are described in connection.h. */
    int (*each_domain)(struct _virConnect *libvirt, connection_reader *read, void *data,
                       struct error *error);
    int (*tell)(struct _virConnect *libvirt, enum connection_scope scope,
                connection_listener *listen, void *data, struct error *error);
    int (*find)(struct _virConnect *libvirt, const char *word, struct connection_domain *ret,
                struct error *error);
    int (*define)(struct _virConnect *libvirt, const char *xml, struct error *error);

    /* The following functions find the domain by its UUID. The caller frees ret. */
    int (*xml)(struct _virConnect *libvirt, const char *uuid, enum connection_side side,
               bool secrets, char **ret, struct error *error);
    int (*start)(struct _virConnect *libvirt, const char *uuid, struct error *error);
    int (*shut_down)(struct _virConnect *libvirt, const char *uuid, struct error *error);
    int (*attach)(struct _virConnect *libvirt, const char *uuid, const char *xml,
                  struct error *error);
    int (*detach)(struct _virConnect *libvirt, const char *uuid, const char *alias,
                  struct error *error);
    int (*set_annotation)(struct _virConnect *libvirt, const char *uuid, const char *xml,
                          struct error *error);
    int (*migrate)(struct _virConnect *libvirt, const char *uuid, const char *uri, const char *xml,
                   struct error *error);
    int (*save)(struct _virConnect *libvirt, const char *uuid, struct error *error);
    int (*progress)(struct _virConnect *libvirt, const char *uuid, struct connection_progress *ret,
                    struct error *error);
    int (*abort)(struct _virConnect *libvirt, const char *uuid, struct error *error);
};

/* The size of all that the program and the shared object exchange. If the sizes differ, the two
 * were not built together. */
#define CONNECTION_CALLS_SIZE                                                                      \
    (sizeof(struct connection_calls) + sizeof(struct connection_domain) +                          \
     sizeof(struct connection_progress) + sizeof(struct domain_text) + sizeof(struct error))

/* The table of connection.so. */
extern const struct connection_calls connection_calls;
