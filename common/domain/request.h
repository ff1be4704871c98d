/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * request: what one domain asks for, read from its XML.
 *
 *     <metadata>
 *       <vgpu:request xmlns:vgpu="urn:libvirt-vgpu:domain:1">
 *         <vgpu:device alias="ua-gpu0" type="nvidia-222"/>
 *
 * request-parser.h fills it in. Parsing does not fail if the annotation has a fault: `fault` keeps
 * it, because release and reconnect need only the domain's UUID. A caller that acts on the
 * annotation calls request_check first, which turns the fault into an error. Once request_check has
 * passed, each <vgpu:device> names exactly one hostdev, and at most one <vgpu:device> names each
 * hostdev.
 */

#pragma once

#include "base/attributes.h"
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
    char *alias;                    /* of its hostdev */
    char *uuid;                     /* of its hostdev; at most one of both */
    struct attributes attributes;   /* the request owns the texts */
    char *placement_id;             /* also among the parameters */
    struct document_span uuid_span; /* between the quotes of uuid */
    struct request_param *params;
    size_t param_count;
};

/* A mediated device, or a PCI device, which may be a virtual function of a GPU. */
enum request_kind { REQUEST_MDEV, REQUEST_PCI };

/* One <hostdev mode='subsystem' type='mdev'>, or type='pci'. */
struct request_hostdev {
    enum request_kind kind;
    unsigned line;
    size_t ordinal;     /* index among all <hostdev> in <devices> */
    struct name source; /* of its <source>: a UUID, or a PCI address; "": no valid address */
    struct document_span uuid_span; /* between the quotes of the UUID; of a mediated device only */
    struct document_span tag_span;  /* of all attributes of <hostdev> */
    struct document_span address_span; /* of all attributes of its <source>'s <address> */
    bool has_address;                  /* there is an <address>, right or wrong */
    char *alias;                       /* NULL: none */
    bool is_gpu;     /* it may be a vGPU: an mdev with model='vfio-pci' (s390 has others); a PCI
                        device that has a user alias, or that a <vgpu:device> names */
    bool is_managed; /* managed='yes' */
    bool
        has_display; /* display='on' or ramfb='on'; a PCI device may have it from libvirt 11.3 on */
    size_t device;   /* index of the <vgpu:device> that names it; SIZE_MAX: none */
};

/* A fault of the annotation. A request keeps no more than REQUEST_MOST_FAULTS of them. */
#define REQUEST_MOST_FAULTS 64
struct request_fault {
    unsigned line;
    bool is_of_links; /* not of one element, but of how devices and hostdevs are linked */
    char *text;
};

struct request {
    struct name domain; /* UUID */
    char *name;         /* its UUID if the XML has no name; libvirt's always has one */
    struct request_device *devices;
    size_t device_count;
    struct request_hostdev *hostdevs;
    size_t hostdev_count;
    struct names others;          /* PCI devices of the host that other elements take, such as a
                                     <disk type='nvme'> or an <interface type='hostdev'> */
    struct nodeset nodes;         /* NUMA nodes that its memory is bound to */
    struct nodeset processors;    /* processors that it is pinned to */
    int pid;                      /* of its QEMU; 0: not known. Only a status file tells it */
    struct error fault;           /* the first; "": none */
    struct request_fault *faults; /* all that are kept */
    size_t fault_count;
    bool is_partial; /* the XML could not be read to its end */
    unsigned line;   /* where the parser is */
};

void request_clear(struct request *request) NONNULL;

/* The first hostdev with this UUID or address as its source; NULL: none. */
const struct request_hostdev *
request_find_hostdev(const struct request *request, const struct name *device) CHECKED NONNULL;

/* Records a fault. format and args make its text. */
void request_add_fault(struct request *request, struct request_fault fault, const char *format,
                       va_list args) FORMAT(3, 0) __attribute__((nonnull(1, 3)));

/* Whether the domain has an annotation, or a hostdev that may be a vGPU. If not, we leave the
 * domain alone. */
bool request_concerns_us(const struct request *request) CHECKED NONNULL;

/* 0, or -EINVAL with the annotation's fault. */
int request_check(const struct request *request, struct error *error) CHECKED NONNULL;

/* Whether libvirt keeps an alias that somebody gives a device. It drops all but those that begin
 * with "ua-", and those that it gives to a <hostdev> itself. */
bool request_keeps_alias(const char *alias) CHECKED NONNULL;
