/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * domain-check: what is wrong in a domain's XML before anybody starts it: its request, by the
 * parser and against the configuration; what libvirt takes and is probably not meant; and virtual
 * functions that this host does not have, or another domain has as well.
 */

#pragma once

#include "base/document.h"
#include "cli/report.h"
#include "libvirt/domains.h"
#include "policy/policy.h"

/* What it is asked of: all borrowed. */
struct domain_check {
    const struct policy *policy;   /* NULL: it is broken, and not to be asked */
    const struct host *host;       /* which may have the virtual functions */
    const struct domains *domains; /* who may name those as well; NULL: its libvirt is asked */
    const char *uri;               /* of that libvirt; NULL: there is none to ask */
    const char *file;              /* what messages call the document */
    struct report *report;
    /* What the caller looks at in another way, and is left out: what is wrong with a virtual
     * function by itself; and whether this host could ever give it all. */
    bool without_functions;
    bool without_feasibility;
};

/* How many vGPUs it asks for (0, too, if it has faults, which are in the report), or -EINVAL with a
 * line in error if it is no domain XML at all. */
int domain_check(const struct domain_check *check, const struct document *document,
                 struct error *error) CHECKED NONNULL;
