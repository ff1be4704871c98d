/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * domain-check: what is wrong in a domain's XML before anybody starts it: its request, by the
 * schema, by the parser and against the configuration; and what libvirt takes and is probably not
 * meant.
 */

#pragma once

#include "document.h"
#include "policy.h"
#include "report.h"

/* What it is asked of: all borrowed. */
struct domain_check {
    const struct policy *policy; /* NULL: it is broken, and not to be asked */
    const char *data;            /* where the schema is */
    const char *file;            /* what messages call the document */
    struct report *report;
};

/* How many vGPUs it asks for (0, too, if it has faults, which are in the report), or -EINVAL with a
 * line in error if it is no domain XML at all, -ENOENT if there is no schema. */
int domain_check(const struct domain_check *check, const struct document *document,
                 struct error *error) CHECKED NONNULL;
