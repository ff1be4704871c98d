/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * source-change: a change of the domain that a command's source has.
 */

#pragma once

#include "libvirt/domain-source.h"
#include "view/change.h"

/* Completes a change: whose it is, and for when. */
void source_change_set(struct change *change, const struct domain_source *source,
                       const char *alias) NONNULL;
