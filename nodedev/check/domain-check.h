/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * domain-check: finds what is wrong in a domain's XML before anybody starts the domain. It checks
 * the request, by the parser and against the configuration. It reports what libvirt accepts but is
 * probably not meant. It also reports virtual functions that this host does not have, or that
 * another domain has as well.
 */

#pragma once

#include "actions/snapshot.h"
#include "base/document.h"
#include "cli/finding.h"
#include "libvirt/domains.h"
#include "policy/policy.h"

/* What this host has, seen once for several domains. It begins as 0, and the caller clears it. */
struct domain_check_sight {
    struct snapshot snapshot; /* with all types; its policy is the caller's */
    bool is_taken;            /* a domain needed it */
};
void domain_check_sight_clear(struct domain_check_sight *sight) NONNULL;

/* The parts of the question. All are borrowed. */
struct domain_check {
    const struct policy *policy;      /* NULL: it is broken and is not used */
    const struct host *host;          /* has the virtual functions, if they exist */
    const struct domains *domains;    /* may name the same functions; NULL: libvirt is asked */
    struct domain_check_sight *sight; /* NULL: the host is looked at for this domain alone */
    const char *uri;                  /* of that libvirt; NULL: there is no libvirt */
    unsigned libvirt; /* its version (libvirt/version.h), if the domains are known */
    const char *file; /* the document's name in messages */
    struct findings *found;
    /* Checks to leave out, because the caller does them in another way. They look for faults of a
     * single virtual function, and whether this host could ever give the domain everything and
     * would give it its cards now. */
    bool without_functions;
    bool without_feasibility;
};

/* Returns how many vGPUs the XML asks for; 0 as well if it has faults, which are among the
 * findings. Returns -EINVAL with a line in error if it is no domain XML. */
int domain_check(const struct domain_check *check, const struct document *document,
                 struct error *error) CHECKED NONNULL;
