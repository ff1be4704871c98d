/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * rewrite: a domain's XML in which hostdevs have other sources, and nothing else has changed.
 *
 * libvirt takes what the hook prints at `migrate` and `restore` for the domain, so every other byte
 * stays: entities, comments, quotes, what we do not know. The new text is proved before it is
 * handed out: it is parsed, and both are compared but for the values that were to change. Of a
 * mediated device that becomes a PCI device, or the other way, the attributes of <hostdev> and of
 * its source's <address> are such values; its place on the guest's side stays.
 */

#pragma once

#include "domain/request.h"

/* What a hostdev is to be. */
struct rewrite_source {
    enum request_kind kind;
    struct name source;
};

/*
 * sources: one per hostdev of the request, which was parsed from the document; where it is the
 * hostdev's own nothing changes. The annotation's uuid="..." links follow. -EINVAL with the hostdev
 * if the place of its source is not known (see span.h), or a uuid="..." link would have to name a
 * PCI device; -EILSEQ if the proof fails. The caller clears ret, which is empty if nothing changes.
 */
int rewrite_sources(const struct document *document, const struct request *request,
                    const struct rewrite_source *sources, struct document *ret,
                    struct error *error) CHECKED NONNULL;

/* The sources that the hostdevs have, the caller's to free; NULL: no memory. */
struct rewrite_source *rewrite_own(const struct request *request) CHECKED NONNULL;
