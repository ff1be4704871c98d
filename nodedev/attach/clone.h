/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * clone: gives a cloned domain vGPUs of its own, in place of those of the original.
 */

#pragma once

#include "base/document.h"
#include "base/host.h"

/*
 * Each mediated device that the XML asks for gets its domain's own UUID (domain_edit_uuid). Each
 * virtual function that other domains name is replaced by a function of this host that no other
 * domain names. Nothing else changes. If nothing changes, ret is empty. The caller clears ret.
 * Returns the errors of rewrite.h, and those of vf_selection_find if there is no such function.
 */
int clone_renew(const struct host *host, const struct document *document, const struct names *named,
                struct document *ret, struct error *error) CHECKED NONNULL;
