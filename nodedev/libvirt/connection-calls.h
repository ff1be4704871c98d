/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * connection-calls: the table of the functions that call libvirt's library. Its rows are in
 * libvirt-*.c.
 *
 * libvirt's library needs fifty other libraries. Loading them takes longer than most commands take
 * to run. So these functions are a shared object of their own, connection.so. connection.c loads it
 * when a command first asks libvirt, and nobody else uses the table.
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

/* The table of the shared object. */
extern const struct connection_calls connection_calls;
