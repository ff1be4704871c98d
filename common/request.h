/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * request: what one domain asks for, read from its XML.
 *
 *     <metadata>
 *       <vgpu:request xmlns:vgpu="urn:libvirt-vgpu:domain:1">
 *         <vgpu:device alias="ua-gpu0" type="nvidia-222"/>
 *
 * The XML is written by less trusted people. It is parsed as a stream, at most 8 MiB of it, without
 * network, document type or entities of its own; no tree of it is ever built.
 *
 * There are two kinds of fault. A document that is no domain XML is unreadable, and request_read
 * fails. An annotation that says something we do not understand is kept as `fault`, so that
 * release and reconnect, which need only the domain's UUID, are not stopped by it; request_check
 * turns it into an error for those who act on the annotation. Once that has passed, each device
 * names exactly one mdev hostdev, and each hostdev at most one device.
 */

#pragma once

#include "error.h"
#include "names.h"
#include "nodeset.h"

#include <stdint.h>

#define REQUEST_NAMESPACE "urn:libvirt-vgpu:domain:1"

struct request_param {
    char *name;
    char *value;
};

/* One <vgpu:device>. Strings are NULL where the attribute is absent. */
struct request_device {
    char *alias;
    char *uuid;
    char *type;
    char *class;
    char *parent;
    char *placement;
    char *numa;
    char *traits;
    struct request_param *params;
    size_t param_count;
};

/* One <hostdev mode='subsystem' type='mdev'>. */
struct request_hostdev {
    struct name uuid;
    char *alias;   /* NULL: none */
    bool is_gpu;   /* model='vfio-pci': not one of s390's */
    size_t device; /* index of the device that names it; SIZE_MAX: none does */
};

struct request {
    struct name domain; /* UUID */
    char *name;         /* the UUID if it has none; libvirt's always have */
    struct request_device *devices;
    size_t device_count;
    struct request_hostdev *hostdevs;
    size_t hostdev_count;
    struct nodeset nodes;      /* NUMA nodes that its memory is bound to */
    struct nodeset processors; /* that it is pinned to */
    struct error fault;        /* "": none */
};

/*
 * Reads a domain's XML from a descriptor to its end. -EINVAL (or the errno of a failed read) with a
 * line in error if it is unreadable or has no <uuid>; what was learned by then is in ret, and ret
 * is to be cleared in every case.
 */
int request_read(int fd, struct request *ret, struct error *error) CHECKED NONNULL;
void request_clear(struct request *request) NONNULL;

/* Whether there is anything at all here that may be ours: an annotation, or a GPU's hostdev. If
 * not, the guest is none of our business. */
bool request_concerns_us(const struct request *request) CHECKED NONNULL;

/* 0, or -EINVAL with the annotation's fault. */
int request_check(const struct request *request, struct error *error) CHECKED NONNULL;
