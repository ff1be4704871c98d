/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * request: what one domain asks for, read from its XML.
 *
 *     <metadata>
 *       <vgpu:request xmlns:vgpu="urn:libvirt-vgpu:domain:1">
 *         <vgpu:device alias="ua-gpu0" type="nvidia-222"/>
 *
 * request-parser.h fills it in. If the annotation has a fault, that is kept in `fault`, and parsing
 * does not fail: release and reconnect need only the domain's UUID. Whoever acts on the annotation
 * calls request_check first, which turns the fault into an error. Once it has passed, each device
 * names exactly one hostdev, and each hostdev is named by at most one device.
 */

#pragma once

#include "base/document.h"
#include "base/names.h"
#include "base/nodeset.h"

#include <stdint.h>

#define REQUEST_NAMESPACE "urn:libvirt-vgpu:domain:1"

struct request_param {
    char *name;
    char *value;
};

/* One <vgpu:device>. Strings are NULL where the attribute is absent. */
struct request_device {
    unsigned line;
    char *alias;
    char *uuid;
    char *type;
    char *class;
    char *parent;
    char *placement;
    char *numa;
    char *traits;
    char *placement_id;             /* it is among the parameters, too */
    struct document_span uuid_span; /* what stands between the quotes of uuid */
    struct request_param *params;
    size_t param_count;
};

/* A mediated device, or a PCI device: a GPU's virtual function, if a request names it. */
enum request_kind { REQUEST_MDEV, REQUEST_PCI };

/* One <hostdev mode='subsystem' type='mdev'>, or type='pci'. */
struct request_hostdev {
    enum request_kind kind;
    unsigned line;
    size_t ordinal;     /* which of all <hostdev> in <devices> it is, from 0 */
    struct name source; /* what its <source> names: a UUID; or a PCI address, "" if it is none */
    struct document_span uuid_span;    /* between its quotes; of a mediated device only */
    struct document_span tag_span;     /* of all attributes of <hostdev> */
    struct document_span address_span; /* of all attributes of its <source>'s <address> */
    bool has_address;                  /* there is an <address>, right or wrong */
    char *alias;                       /* NULL: none */
    bool is_gpu;      /* may be one: model='vfio-pci', not one of s390's; of PCI devices those that
                         have an alias of the user's, or that a device names */
    bool is_managed;  /* managed='yes' */
    bool has_display; /* display='on' or ramfb='on', of a PCI device from libvirt 11.3 on */
    size_t device;    /* index of the device that names it; SIZE_MAX: none does */
};

/* Something that is wrong in the annotation; of more than so many those behind are not kept. */
#define REQUEST_MOST_FAULTS 64
struct request_fault {
    unsigned line;
    bool is_of_links; /* not in an element by itself, but in how they go together */
    char *text;
};

struct request {
    struct name domain; /* UUID */
    char *name;         /* the UUID if it has none; libvirt's always have */
    struct request_device *devices;
    size_t device_count;
    struct request_hostdev *hostdevs;
    size_t hostdev_count;
    struct nodeset nodes;         /* NUMA nodes that its memory is bound to */
    struct nodeset processors;    /* that it is pinned to */
    int pid;                      /* of its QEMU; 0: not told, as in anything but a status file */
    struct error fault;           /* the first; "": none */
    struct request_fault *faults; /* all */
    size_t fault_count;
    unsigned line; /* that the parser is at; 0 once it is done */
};

void request_clear(struct request *request) NONNULL;

/* The first that has a device, by its UUID or address; NULL: none. */
const struct request_hostdev *
request_find_hostdev(const struct request *request, const struct name *device) CHECKED NONNULL;

/* Records a fault, whose text is the caller's format. */
void request_add_fault(struct request *request, struct request_fault fault, const char *format,
                       va_list args) FORMAT(3, 0) __attribute__((nonnull(1, 3)));

/* Whether there is anything here that we handle: an annotation, or the hostdev of a GPU. If not, we
 * leave the domain alone. */
bool request_concerns_us(const struct request *request) CHECKED NONNULL;

/* 0, or -EINVAL with the annotation's fault. */
int request_check(const struct request *request, struct error *error) CHECKED NONNULL;

/* Whether libvirt keeps an alias that somebody gives a device: it drops all that do not begin with
 * "ua-", but what it would call a <hostdev> itself. */
bool request_keeps_alias(const char *alias) CHECKED NONNULL;
