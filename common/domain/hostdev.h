/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * hostdev: the grammar of libvirt's <hostdev>, and which <vgpu:device> means which.
 * request-parser.c walks the document and calls us.
 *
 * A request keeps only the hostdevs that can be vGPUs: mediated devices, and PCI devices, because a
 * virtual function of a GPU is one. Only this file decides that. Other files find an element by its
 * `ordinal`. See libvirt's virDomainHostdevDefParseXMLSubsys.
 */

#pragma once

#include "domain/annotation.h"

/* Reads the start tag of <hostdev>. 1: it is now the last hostdev of the request; 0: it is not
 * kept; -ENOMEM. */
int hostdev_open(struct request *request,
                 const struct annotation_attributes *attributes) CHECKED NONNULL;

/* Reads an <address> in its <source>. As in libvirt, only the first one counts. -EINVAL: the
 * address of a mediated device has no UUID. A wrong PCI address leaves the source empty. It is no
 * error here, because the device may have nothing to do with us. */
int hostdev_open_address(struct request_hostdev *hostdev,
                         const struct annotation_attributes *attributes) CHECKED NONNULL;

/* The PCI address in the attributes of an <address>, read as libvirt reads it. -EINVAL: there is
 * none. */
int
hostdev_read_pci(const struct annotation_attributes *attributes, struct name *ret) CHECKED NONNULL;

void hostdev_open_alias(struct request_hostdev *hostdev,
                        const struct annotation_attributes *attributes) NONNULL;

/* Reads the end tag. *ours counts the hostdevs that can be vGPUs. A PCI device without a user alias
 * cannot be one, and a domain may have any number of those. -EINVAL: a mediated device without a
 * UUID; -E2BIG: too many that can be vGPUs. */
int hostdev_close(const struct request_hostdev *hostdev, size_t *ours) CHECKED NONNULL;

/* Links the <vgpu:device> and <hostdev> of a whole document with each other. An unclear link is a
 * fault of the request. */
void hostdevs_link(struct request *request) NONNULL;

/* The attributes of a <hostdev> and of its source's <address>, as libvirt writes them, each with a
 * blank before it. They can replace tag_span and address_span. If is_managed, libvirt is to bind
 * the PCI device to VFIO, and back. */
struct hostdev_text {
    char hostdev[96];
    char address[96];
};
void hostdev_format(enum request_kind kind, const struct name *source, bool is_managed,
                    struct hostdev_text *ret) NONNULL;

/* --- where the parser's values stand in the document ------------------------------------------ */

/* The text between the quotes of an attribute. A span is known only if exactly these bytes of the
 * document are the value. It is not known if the parser had to change the value (character
 * references, line feeds). Ask only while the parser hands over the element. */
struct document_span
span_of_value(const struct annotation_attributes *attributes, const char *name) NONNULL;
