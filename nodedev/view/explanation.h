/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * explanation: explains a dry run to people.
 */

#pragma once

#include "actions/dry-run.h"
#include "libvirt/domain-source.h"

#include <stdio.h>

/* Prints what the domain has now by the ledger, what it asks for, and how a start would end. Set
 * `with_more` if the dry run is for more than the domain asks for (what-if.h). */
void explanation_tell(const struct domain_source *source, const struct ledger *ledger,
                      const struct dry_run *dry_run, bool with_more, FILE *out) NONNULL;
