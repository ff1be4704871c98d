/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * rewrite: a domain's XML in which mdev hostdevs have other UUIDs, and nothing else has changed.
 *
 * libvirt takes what the hook prints at `migrate` and `restore` for the domain, so every other byte
 * stays: entities, comments, quotes, what we do not know. The new text is proved before it is
 * handed out: it is parsed, and both are compared but for the values that were to change.
 */

#pragma once

#include "request.h"

/*
 * uuids: one per hostdev of the request, which was parsed from the document; where it is the
 * hostdev's own nothing changes. The annotation's uuid="..." links follow. -EINVAL with the hostdev
 * if the place of its UUID is not known (see request_parse), -EILSEQ if the proof fails. The caller
 * clears ret, which is empty if nothing changes.
 */
int
rewrite_uuids(const struct document *document, const struct request *request,
              const struct name *uuids, struct document *ret, struct error *error) CHECKED NONNULL;
