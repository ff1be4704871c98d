/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * rewrite: a domain's XML in which hostdevs have other sources, and nothing else has changed.
 *
 * libvirt takes what the hook prints at `migrate` and `restore` for the domain's XML, so every
 * other byte stays: entities, comments, quotes, and whatever we do not know. The new text is
 * checked before it is handed out: it is parsed, and both documents must be equal outside of the
 * values that were to change. If a mediated device becomes a PCI device, or the other way round,
 * the attributes of <hostdev> and of its source's <address> are such values too; the guest's own
 * address of the device stays.
 */

#pragma once

#include "domain/request.h"

/* What a hostdev is to be. */
struct rewrite_source {
    enum request_kind kind;
    struct name source;
    bool is_lent; /* libvirt is to bind it to VFIO and back (managed='yes') */
};

/*
 * Gives each hostdev of the request, which was parsed from this document, the source at its index.
 * A uuid="..." of the annotation that names the hostdev changes with it. -EINVAL with the hostdev
 * in error if it is not known where its source stands (see span.h), or if a uuid="..." would have
 * to name a PCI device; -EILSEQ if the check of the new text fails. The caller clears ret, which is
 * empty if all sources are what they were.
 */
int rewrite_sources(const struct document *document, const struct request *request,
                    const struct rewrite_source *sources, struct document *ret,
                    struct error *error) CHECKED NONNULL;

/* The sources that the hostdevs have, the caller's to free. */
struct rewrite_source *rewrite_own(const struct request *request) CHECKED NONNULL;
