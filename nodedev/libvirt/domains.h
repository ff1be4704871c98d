/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * domains: the guests that one libvirt knows, running or only defined, as values.
 *
 * A guest has up to two definitions: one it runs with, and one for its next start. A vGPU to which
 * either definition refers is no orphan. connection.h fills in the domains; a test may build them
 * by hand.
 */

#pragma once

#include "domain/request.h"

struct domain {
    struct name uuid;
    char *name;
    bool is_running;
    bool is_persistent;
    bool is_unread;        /* a definition could not be read: more may be in it */
    struct request live;   /* of a running or starting domain; empty if it is only defined */
    struct request config; /* for the next start; empty unless is_persistent */
};

struct domains {
    struct domain *items; /* sorted by name */
    size_t count;
    bool complete; /* all definitions could be read; else any domain may refer to any device */
    struct error failure; /* the first failure, if not complete */
    void *devices;        /* tree of tsearch(3): which domains refer to a device */
};

/* What a libvirt tells of one domain. All strings are borrowed. */
struct domain_text {
    const char *uuid, *name;
    bool is_running, is_persistent;
    const char *live, *config; /* XML; NULL or "": there is none, or libvirt would not give it */
    const char *failure;       /* why libvirt would not give it, or NULL */
};

/* Adds a domain. If a definition should exist and cannot be read, `failure` says which one and why.
 * Returns 0, or -EBADMSG if the domain has no UUID. */
int domains_add(struct domains *domains, const struct domain_text *text) CHECKED NONNULL;

/* Adds a running guest of which only the request is known. The function takes ownership of the
 * request's contents. */
void domains_add_running(struct domains *domains, struct request *guest) NONNULL;

/* Sorts the domains. Call it after all were added. */
void domains_sort(struct domains *domains) NONNULL;
void domains_clear(struct domains *domains) NONNULL;

/* Finds a domain by name, else by UUID. Returns NULL if there is none. */
const struct domain *domains_find(const struct domains *domains, const char *word) NONNULL;

/* Walks over the host devices to which the domains refer. A device that both definitions of a
 * domain have comes once. Begin with {0}. */
struct domains_walk {
    const struct domain *domain;
    const struct request_hostdev *hostdev;
    size_t next_domain, next_hostdev;
};
bool domains_next_hostdev(const struct domains *domains, struct domains_walk *walk) CHECKED NONNULL;

/* Returns the first domain after `after` (NULL: from the beginning) with a definition that refers
 * to the device. Running domains come before others. Returns NULL if there is none. */
const struct domain *
domains_next_user(const struct domains *domains, const struct name *device,
                  const struct domain *after) __attribute__((nonnull(1, 2))) CHECKED;

/* Returns the alias of a device in a domain, or NULL. The definition that the domain runs with
 * counts before the other. */
const char *domain_alias(const struct domain *domain, const struct name *device) CHECKED NONNULL;
