/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * rewrite: gives the hostdevs in a domain's XML other sources, and changes nothing else.
 *
 * libvirt takes what the hook prints at `migrate` and `restore` as the domain's XML. So every other
 * byte stays: entities, comments, quotes, and unknown elements. The new text is checked before it
 * is handed out. It is parsed, and both documents must be equal outside of the values that were to
 * change. If a mediated device becomes a PCI device, or the other way round, the attributes of
 * <hostdev> and of its source's <address> change too. The guest's own address of the device stays.
 */

#pragma once

#include "domain/request.h"

/* The source that a hostdev is to have. */
struct rewrite_source {
    enum request_kind kind;
    struct name source;
    bool is_managed; /* libvirt is to bind it to VFIO and back (managed='yes') */
};

/*
 * Gives each hostdev of the request the source at its index. The request was parsed from this
 * document. If a uuid="..." of the annotation names the hostdev, that uuid changes, too. -EINVAL
 * with the hostdev in error: the place of its source is not known (hostdev.h). The same if a
 * uuid="..." would have to name a PCI device. -EILSEQ: the check of the new text failed. The caller
 * clears ret. It is empty if no source changes.
 */
int rewrite_sources(const struct document *document, const struct request *request,
                    const struct rewrite_source *sources, struct document *ret,
                    struct error *error) CHECKED NONNULL;

/* The sources that the hostdevs have now. The caller frees the array. */
struct rewrite_source *rewrite_own(const struct request *request) CHECKED NONNULL;
