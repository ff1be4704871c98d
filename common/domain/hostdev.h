/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * hostdev: the grammar of libvirt's <hostdev>, for request.c, which walks the document.
 *
 * Kept are those that can be a vGPU: mediated devices, and PCI devices, of which a virtual function
 * with a type is one. See libvirt's virDomainHostdevDefParseXMLSubsys.
 */

#pragma once

#include "domain/span.h"

/* The start of <hostdev>: 1 if it is kept, as the request's last; 0; -ENOMEM. */
int hostdev_open(struct request *request,
                 const struct annotation_attributes *attributes) CHECKED NONNULL;

/* <address> in its <source>: the first counts, as for libvirt. -EINVAL: an mdev's without a UUID. A
 * PCI device's that is none leaves the source empty: it may be none of ours. */
int hostdev_open_address(struct request_hostdev *hostdev,
                         const struct annotation_attributes *attributes) CHECKED NONNULL;

void hostdev_open_alias(struct request_hostdev *hostdev,
                        const struct annotation_attributes *attributes) NONNULL;

/* Its end. *ours: how many there were so far that can be ours; a PCI device that nobody gave a name
 * is not, and there may be any number of those. -EINVAL: a mediated device without a UUID; -E2BIG.
 */
int hostdev_close(const struct request_hostdev *hostdev, size_t *ours) CHECKED NONNULL;

/* Its attributes and its source's address, as libvirt writes them, with a blank before each: to
 * stand in the two spans. */
struct hostdev_text {
    char hostdev[96];
    char address[96];
};
void
hostdev_format(enum request_kind kind, const struct name *source, struct hostdev_text *ret) NONNULL;
