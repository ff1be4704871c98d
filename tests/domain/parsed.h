/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * parsed: a domain XML that a test has read, and the result of reading it.
 */

#pragma once

#include "domain/request.h"
#include "fake/unit.h"

#define UUID  "6fa459ea-ee8a-4ca4-894e-db77e160355e"
#define UUID0 "b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e20"
#define UUID1 "b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e21"

#define HEAD "<name>web01</name><uuid>" UUID "</uuid>"
#define BODY(metadata, devices)                                                                    \
    HEAD "<metadata>" metadata "</metadata><devices>" devices "</devices>"
#define GUEST(metadata, devices) "<domain type='kvm'>" BODY(metadata, devices) "</domain>"
#define OURS                     "<vgpu:request xmlns:vgpu='" REQUEST_NAMESPACE "'>"
#define ASK(devices)             OURS devices "</vgpu:request>"
#define MDEV_OF(model, uuid, more)                                                                 \
    "<hostdev mode='subsystem' type='mdev' model='" model "'><source><address uuid='" uuid         \
    "'/></source>" more "</hostdev>"
#define MDEV(uuid, more) MDEV_OF("vfio-pci", uuid, more)
#define GPU0             MDEV(UUID0, "<alias name='ua-gpu0'/>")
#define GPU1             MDEV(UUID1, "<alias name='ua-gpu1'/>")
#define FUNCTION(alias)                                                                            \
    "<hostdev mode='subsystem' type='pci' managed='no'><source><address domain='0x0000' "          \
    "bus='0x3d' slot='0x00' function='0x4'/></source><alias name='" alias "'/></hostdev>"
#define PCI                                                                                        \
    "<hostdev mode='subsystem' type='pci' managed='yes'><source><address domain='0x0000' "         \
    "bus='0x18' slot='0x00' function='0x0'/></source><alias name='hostdev0'/></hostdev>"
#define TYPE  "type='nvidia-222'"
#define ONE   "<vgpu:device alias='ua-gpu0' " TYPE "/>"
#define ASKED "<metadata>" ASK(ONE) "</metadata><devices>" GPU0 "</devices></domain>"

struct parsed {
    struct document document;
    struct request request;
    struct error error;
};

/* The setup and the teardown of each test. The state of a test is a struct parsed. */
int parsed_set_up(void **state);
int parsed_tear_down(void **state);

/* These read a descriptor to its end, bytes, or a text. They return 0, or -errno with a line in
 * parsed->error. */
int parsed_read_all(struct parsed *parsed, int fd);
int parsed_read_bytes(struct parsed *parsed, const char *bytes, size_t length);
int parsed_read(struct parsed *parsed, const char *text);

/* Checks that the document can be read, and that its request has no fault. */
void parsed_assert(struct parsed *parsed, const char *text);
