/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * definitions-check: runs domain-check on every domain that this host's libvirt knows.
 *
 * It checks the definition for the next start. A transient domain has none, so the XML that runs is
 * checked. Messages have the domain's name, and the lines that "virsh edit" shows.
 */

#pragma once

#include "check/domain-check.h"

struct definitions_check {
    size_t count;  /* number of definitions */
    size_t faulty; /* number of definitions with a fault; their start would be refused */
    size_t vgpus;  /* number of vGPUs that all of them ask for */
};

/* `check` has no file; it has the uri, and may have the domains. Returns 0, or -errno with a line
 * in error if libvirt cannot be asked. A definition that cannot be read counts as a fault. */
int definitions_check_all(const struct domain_check *check, struct definitions_check *ret,
                          struct error *error) CHECKED NONNULL;
