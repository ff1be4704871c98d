/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * explanation: explains a dry run, to people and to programs.
 */

#pragma once

#include "actions/dry-run.h"
#include "cli/json.h"
#include "libvirt/domain-source.h"

/* Prints what the domain has now by the ledger, what it asks for, and how a start would end. Set
 * `with_more` if the dry run is for more than the domain asks for (what-if.h). */
void explanation_tell(const struct domain_source *source, const struct ledger *ledger,
                      const struct dry_run *dry_run, bool with_more) NONNULL;

/* Puts the verdict, and what a start would remove and wait for. Set `is_refused` if the hook would
 * refuse a start for another reason than room (passthrough.h). */
void explanation_put(const struct domain_source *source, const struct dry_run *dry_run,
                     bool with_more, bool is_refused, struct json *json) NONNULL;
