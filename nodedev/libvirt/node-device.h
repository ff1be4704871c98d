/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * node-device: the GPUs and vGPUs that a libvirt tells of its host, read from XML.
 *
 * libvirt tells less than the host's own /sys. Of a type it tells the id, the name, and how many
 * more a parent would make. It tells no sizes and no limits. NVIDIA's names tell sizes. The
 * inventory marks the rest as "not told".
 *
 * Of virtual functions that make no mediated devices, libvirt tells only that they exist. They may
 * have NVIDIA's vendor-specific VFIO, or their vGPU manager does not run. Such a GPU is in the
 * inventory as is_partial and without types.
 *
 * The XML comes from another machine. So it is parsed without network, and XML with a document type
 * is refused.
 */

#pragma once

#include "device/inventory.h"

struct node_device {
    struct name name; /* the kernel's name: the last word of the path in /sys */

    /* For a parent. */
    struct name gpu; /* the parent's physical function; the device itself if none is told */
    int numa;        /* -1: not told */
    struct name driver;
    char vendor[8], product[8];   /* PCI ids, as of struct inventory_gpu; "": not told */
    struct inventory_type *types; /* NULL: the device is no parent */
    int *available;               /* per type; -ENODATA: not told */
    size_t count;

    /* For a GPU whose functions can be vGPUs of which libvirt does not tell: their addresses. */
    struct names functions;

    /* For a vGPU. */
    struct name parent;
    struct name type; /* "": the device is no vGPU */
};

/* The devices may be added in any order. */
struct node_devices {
    struct node_device *items;
    size_t count;
};

/* Adds a device by its XML. Only parents of GPU types, vGPUs, and GPUs with such virtual
 * functions are added; other devices are left out. Returns -EBADMSG if the XML is not that of a
 * device. */
int node_devices_add(struct node_devices *devices, const char *xml) CHECKED NONNULL;
void node_devices_clear(struct node_devices *devices) NONNULL;

/* Makes an inventory of all devices, sorted by name. A vGPU whose parent was not added is left out.
 * The caller clears ret. */
void node_devices_survey(struct node_devices *devices, struct inventory *ret) NONNULL;

/* Reads the UUID of the host from the XML of its device "computer". Returns 0 or -ENODATA. */
int node_device_host(const char *xml, struct name *ret) CHECKED NONNULL;
