/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * domains: the guests that one libvirt knows, running or only defined, as values.
 *
 * A guest has up to two definitions: the one it runs with and the one its next start will use. What
 * either refers to is not an orphan. Filled by connection.h; a test may build one by hand.
 */

#pragma once

#include "domain/request.h"

struct domain {
    struct name uuid;
    char *name;
    bool is_running;
    bool is_persistent;
    struct request live;   /* what it runs or starts with; nothing in it if it is only defined */
    struct request config; /* what its next start uses; nothing in it unless is_persistent */
};

struct domains {
    struct domain *items; /* by name */
    size_t count;
    bool complete;        /* all definitions could be read: else any may refer to any device */
    struct error failure; /* else the first that could not */
};

/* What a libvirt tells of one domain. Borrowed. */
struct domain_text {
    const char *uuid, *name;
    bool is_running, is_persistent;
    const char *live, *config; /* XML; NULL or "": there is none, or it would not give it */
    const char *failure;       /* why it would not, or NULL */
};

/* Adds a domain. A definition that should be there and cannot be read is in `failure`. 0, or
 * -EBADMSG if it has no UUID. */
int domains_add(struct domains *domains, const struct domain_text *text) CHECKED NONNULL;

/* Adds a guest that runs, of which no more is known; takes what is in it. */
void domains_add_running(struct domains *domains, struct request *guest) NONNULL;

/* Once all are added: puts them in order. */
void domains_sort(struct domains *domains) NONNULL;
void domains_clear(struct domains *domains) NONNULL;

/* By name, else by UUID; NULL if there is none. */
const struct domain *domains_find(const struct domains *domains, const char *word) NONNULL;

/* Walks over the host devices that the domains refer to; each once, if both definitions of a domain
 * have it. It starts as {0}. */
struct domains_walk {
    const struct domain *domain;
    const struct request_hostdev *hostdev;
    size_t next_domain, next_hostdev;
};
bool domains_next_hostdev(const struct domains *domains, struct domains_walk *walk) CHECKED NONNULL;

/* The first after `after` (NULL: from the beginning), running ones before others, of whose
 * definitions one refers to a device; or NULL. */
const struct domain *
domains_next_user(const struct domains *domains, const struct name *device,
                  const struct domain *after) __attribute__((nonnull(1, 2))) CHECKED;

/* The alias that a device has in a definition of the domain, that it runs with before the other; or
 * NULL. */
const char *domain_alias(const struct domain *domain, const struct name *device) CHECKED NONNULL;
