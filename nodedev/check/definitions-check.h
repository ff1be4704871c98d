/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * definitions-check: domain-check of every domain that this host's libvirt knows.
 *
 * What is checked is what the next start of a domain uses; of a transient one, what it runs with.
 * Messages call each by the domain's name, with the lines that "virsh edit" shows.
 */

#pragma once

#include "check/domain-check.h"

struct definitions_check {
    size_t count;  /* definitions */
    size_t faulty; /* those of them that have a fault: a start would be refused */
    size_t vgpus;  /* that all of them ask for */
};

/* `check` is without a file; it has the uri, and may have the domains. 0; or -errno with a line in
 * error if libvirt cannot be asked. A definition that cannot be read has a fault. */
int definitions_check_all(const struct domain_check *check, struct definitions_check *ret,
                          struct error *error) CHECKED NONNULL;
