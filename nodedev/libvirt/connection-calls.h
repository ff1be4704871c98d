/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * connection-calls: what calls libvirt's library, as a table. Its rows are in libvirt-*.c.
 *
 * The library brings half a hundred others with it, which takes longer to load than most commands
 * take to run. So these calls are a shared object of their own, connection.so, which
 * connection-module.h loads when something is to be asked. Only connection.c uses the table.
 */

#pragma once

#include "libvirt/domains.h"

enum connection_mode { CONNECTION_READ, CONNECTION_WRITE };

/* Is called with each domain. */
typedef int connection_reader(void *data, const struct domain_text *text);

/* What is to be told of a host. */
enum connection_scope {
    CONNECTION_DEVICES, /* its GPUs and vGPUs */
    CONNECTION_ALL,     /* and all its domains, which takes a call or two for each */
};

/*
 * Hears, word after word, what a libvirt tells of its host's vGPUs: "host" and the hypervisor's
 * kind, libvirt's version, the hypervisor's, the XML of the node device "computer"; "device" and
 * the XML of a parent, a vGPU, or a PCI device that can have virtual functions, for each of these;
 * "domain" and its UUID, name, "running" or "",
 * "defined" or "", and its XML as it runs and as it is defined ("" for one that there is not, or
 * that libvirt would not give).
 */
typedef int connection_listener(void *data, const char *word);

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

/* How far a domain's migration is, in bytes. */
struct connection_progress {
    uint64_t total; /* 0: it has not begun, or is over */
    uint64_t remaining;
};

/* libvirt's virConnect. */
struct _virConnect;

struct connection_calls {
    const char *version; /* of libvirt-vgpu, that this was built from; first in every version */
    size_t size;         /* CONNECTION_CALLS_SIZE, as it was then */

    int (*open)(const char *uri, enum connection_mode mode, struct _virConnect **ret,
                struct error *error);
    void (*close)(struct _virConnect *libvirt);

    /* 0: it runs no guests of QEMU's, or does not say. */
    unsigned (*version_of)(struct _virConnect *libvirt);

    /* What follows is as in connection.h. */
    int (*each_domain)(struct _virConnect *libvirt, connection_reader *read, void *data,
                       struct error *error);
    int (*tell)(struct _virConnect *libvirt, enum connection_scope scope,
                connection_listener *listen, void *data, struct error *error);
    int (*find)(struct _virConnect *libvirt, const char *word, struct connection_domain *ret,
                struct error *error);
    int (*define)(struct _virConnect *libvirt, const char *xml, struct error *error);

    /* By the domain's UUID. The caller frees ret. */
    int (*xml)(struct _virConnect *libvirt, const char *uuid, enum connection_side side,
               bool secrets, char **ret, struct error *error);
    int (*start)(struct _virConnect *libvirt, const char *uuid, struct error *error);
    int (*attach)(struct _virConnect *libvirt, const char *uuid, const char *xml,
                  struct error *error);
    int (*detach)(struct _virConnect *libvirt, const char *uuid, const char *alias,
                  struct error *error);
    int (*set_annotation)(struct _virConnect *libvirt, const char *uuid, const char *xml,
                          struct error *error);
    int (*migrate)(struct _virConnect *libvirt, const char *uuid, const char *uri,
                   struct error *error);
    int (*progress)(struct _virConnect *libvirt, const char *uuid, struct connection_progress *ret,
                    struct error *error);
    int (*abort)(struct _virConnect *libvirt, const char *uuid, struct error *error);
};

/* Of all that passes between the two: if it is another, they were not built together. */
#define CONNECTION_CALLS_SIZE                                                                      \
    (sizeof(struct connection_calls) + sizeof(struct connection_domain) +                          \
     sizeof(struct connection_progress) + sizeof(struct domain_text) + sizeof(struct error))

/* What the shared object has for others. */
extern const struct connection_calls connection_calls;
