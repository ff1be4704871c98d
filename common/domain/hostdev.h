/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * hostdev: the grammar of libvirt's <hostdev>, for request-parser.c, which walks the document.
 *
 * Only those are kept that can be a vGPU: mediated devices, and PCI devices, because a virtual
 * function of a GPU is one. This file alone decides that; others find an element by its `ordinal`.
 * See libvirt's virDomainHostdevDefParseXMLSubsys.
 */

#pragma once

#include "domain/span.h"

/* Reads the start tag of <hostdev>. 1: it is kept, as the last one of the request; 0: it is not;
 * -ENOMEM. */
int hostdev_open(struct request *request,
                 const struct annotation_attributes *attributes) CHECKED NONNULL;

/* Reads an <address> in its <source>; as for libvirt, only the first counts. -EINVAL: a mediated
 * device's has no UUID. A wrong PCI address leaves the source empty and is no error here, because
 * the device may have nothing to do with us. */
int hostdev_open_address(struct request_hostdev *hostdev,
                         const struct annotation_attributes *attributes) CHECKED NONNULL;

void hostdev_open_alias(struct request_hostdev *hostdev,
                        const struct annotation_attributes *attributes) NONNULL;

/* Its end tag. *ours counts those that can be vGPUs; a PCI device without an alias of the user's
 * cannot, and there may be any number of those. -EINVAL: a mediated device without a UUID; -E2BIG:
 * too many that can be vGPUs. */
int hostdev_close(const struct request_hostdev *hostdev, size_t *ours) CHECKED NONNULL;

/* The attributes of a <hostdev> and of its source's <address>, as libvirt writes them, with a blank
 * before each: what can replace tag_span and address_span. Of a PCI device libvirt is to bind it to
 * VFIO, and back, if is_lent. */
struct hostdev_text {
    char hostdev[96];
    char address[96];
};
void hostdev_format(enum request_kind kind, const struct name *source, bool is_lent,
                    struct hostdev_text *ret) NONNULL;
