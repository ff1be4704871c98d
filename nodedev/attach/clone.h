/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * clone: the XML of a domain that was cloned, with vGPUs of its own instead of those of what it was
 * cloned from.
 */

#pragma once

#include "base/document.h"
#include "base/host.h"

/*
 * Gives each mediated device that the XML asks for the UUID that is its domain's own
 * (domain_edit_uuid), and each virtual function that other domains name another one of this host
 * that none does. Nothing else changes; ret is empty if nothing does. The caller clears ret. The
 * errors of vf_selection_find if there is no such function, and of rewrite.h.
 */
int clone_renew(const struct host *host, const struct document *document, const struct names *named,
                struct document *ret, struct error *error) CHECKED NONNULL;
