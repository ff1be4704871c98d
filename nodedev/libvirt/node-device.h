/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * node-device: what a libvirt tells of the GPUs and vGPUs of its host, from its XML.
 *
 * That is less than the host's own /sys says: of a type its id, name and how many more a parent
 * would make; nothing of sizes or limits. What is not told stays as the inventory says "not told".
 *
 * Of virtual functions that make no mediated devices it tells that they are there. They may have
 * NVIDIA's vendor-specific VFIO, or their vGPU manager is not up. Such a GPU is in the inventory,
 * is_partial and without types, and its parents have no interface.
 *
 * The XML comes from another machine: it is parsed without network, and one with a document type
 * is refused.
 */

#pragma once

#include "device/inventory.h"

struct node_device {
    struct name name; /* the kernel's: the last word of its path in /sys */

    /* Of a parent. */
    struct name gpu; /* the physical function that it belongs to; itself if none is told */
    int numa;        /* -1: not told */
    struct name driver;
    struct inventory_type *types; /* NULL: it is no parent */
    int *available;               /* per type; -ENODATA: not told */
    size_t count;

    /* Of a GPU of NVIDIA's, the addresses of its virtual functions. */
    struct names functions;

    /* Of a vGPU. */
    struct name parent;
    struct name type; /* "": it is none */
};

/* By no order of libvirt's: whoever fills it need not sort it. */
struct node_devices {
    struct node_device *items;
    size_t count;
};

/* Adds one device by its XML. One that is neither a parent of GPU types nor a vGPU, nor a GPU of
 * NVIDIA's that has virtual functions, is left out.
 * -EBADMSG if it is no device's XML. */
int node_devices_add(struct node_devices *devices, const char *xml) CHECKED NONNULL;
void node_devices_clear(struct node_devices *devices) NONNULL;

/* All of them as an inventory, sorted by name. A vGPU whose parent is not among them is left out.
 * The caller clears ret. */
void node_devices_survey(struct node_devices *devices, struct inventory *ret) NONNULL;

/* The UUID of the host, from the XML of its device "computer": 0 or -ENODATA. */
int node_device_host(const char *xml, struct name *ret) CHECKED NONNULL;
