/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * migrate-case: a guest with vGPUs, another host, and the expected answer of migrate-check.
 *
 * A host is a set of answers of libvirt. This host also has a fake /sys. It has a T4 with two
 * devices of the smallest type, a third device elsewhere, two virtual functions with a type, and an
 * H100. For the second function no function of its card names the type. The cards of Intel and AMD
 * have types if the configuration says so.
 */

#pragma once

#include "cli/command.h"
#include "fake/typed.h"
#include "migrate/migrate-question.h"

#include <stdio.h>

#define UUID_HERE  "aaaaaaaa-0000-4000-8000-0000000000a1"
#define UUID_THERE "aaaaaaaa-0000-4000-8000-0000000000a2"

#define GPU(address, types)                                                                        \
    "<device><path>/sys/devices/pci0000:00/" address "</path><capability type='pci'>"              \
    "<capability type='mdev_types'>" types "</capability></capability></device>"
#define FUNCTION(address, types)                                                                   \
    "<device><path>/sys/devices/pci0000:00/" address "</path><capability type='pci'>"              \
    "<capability type='phys_function'>"                                                            \
    "<address domain='0x0000' bus='0xe2' slot='0x00' function='0x0'/></capability>"                \
    "<capability type='mdev_types'>" types "</capability></capability></device>"
#define TYPE(id, name, left)                                                                       \
    "<type id='" id "'><name>" name "</name><deviceAPI>vfio-pci</deviceAPI>"                       \
    "<availableInstances>" left "</availableInstances></type>"
#define VGPU(address, type, device)                                                                \
    "<device><path>/sys/devices/pci0000:00/" address "/" device "</path>"                          \
    "<capability type='mdev'><type id='" type "'/></capability></device>"

#define CARD(address, function)                                                                    \
    "<device><path>/sys/devices/pci0000:00/" address "</path><driver><name>nvidia</name></driver>" \
    "<capability type='pci'><vendor id='0x10de'/>"                                                 \
    "<capability type='virt_functions' maxCount='16'>"                                             \
    "<address domain='0x0000' bus='0x3d' slot='0x00' function='" function                          \
    "'/></capability></capability></device>"

/* A card whose functions have vendor-specific VFIO, and a mediated type, by its PCI id. */
#define HOPPER(address, id)                                                                        \
    "<device><path>/sys/devices/pci0000:00/" address "</path><driver><name>nvidia</name></driver>" \
    "<capability type='pci'><product id='0x" id "'/><vendor id='0x10de'/>"                         \
    "<capability type='virt_functions' maxCount='16'>"                                             \
    "<address domain='0x0000' bus='0x3d' slot='0x00' function='0x7'/></capability></capability>"   \
    "</device>"
#define HOPPER_TYPE(address, id)                                                                   \
    "<device><path>/sys/devices/pci0000:00/" address "</path><capability type='pci'>"              \
    "<product id='0x" id "'/><vendor id='0x10de'/><capability type='mdev_types'>" TYPE(            \
        "nvidia-9101", "NVIDIA H100-80C", "1") "</capability></capability></device>"

#define STRAY "dddddddd-0000-4000-8000-0000000000ff"

/* The answers of a host. If an answer is not set, it is that of a good host. */
struct migrate_case_host {
    const char *hypervisor, *libvirt, *qemu, *uuid;
    const char *devices[4];
    const char *name; /* the name of a domain there */
    unsigned domain;  /* the number of this domain; 0: there is no domain */
    bool is_running;
};

/* A situation, and the words that the answer must have. */
struct migrate_case {
    const char *why;
    const char *request; /* the guest's <vgpu:device>s */
    unsigned numbers[4]; /* the UUIDs of its devices */
    const char *function,
        *type; /* or its virtual function, with the requested type; "": the guest has no request */
    const char *config; /* of this host */
    const char *kernel;
    struct {
        const char *path, *text;
    } files[3];           /* more configuration of this host */
    bool is_down;         /* the guest does not run */
    bool is_new;          /* a new guest, which comes from a file */
    const char *new_type; /* a new guest, of which there is only this type */
    bool is_alone;        /* libvirt of this host does not answer */
    struct migrate_case_host here, there;
    enum migrate_answer answer;
    size_t room;          /* the expected room; 0: it is not checked */
    const char *words[3]; /* the words of the printed rows */
    const char *unsaid;   /* words that no printed row may have; NULL: any may be there */
};

#define ONE(what) .request = "<vgpu:device alias=\"ua-gpu1\" " what "/>", .numbers = {1}
#define TWO(what, other)                                                                           \
    .request = "<vgpu:device alias=\"ua-gpu1\" " what "/>"                                         \
               "<vgpu:device alias=\"ua-gpu2\" " other "/>",                                       \
    .numbers = {1, 2}
#define T4(room1, room2)                                                                           \
    GPU("0000:18:00.0",                                                                            \
        TYPE("nvidia-222", "GRID T4-1B", room1) TYPE("nvidia-223", "GRID T4-2B", room2))
#define OTHER_T4(room1, room2)                                                                     \
    GPU("0000:19:00.0",                                                                            \
        TYPE("nvidia-222", "GRID T4-1B", room1) TYPE("nvidia-223", "GRID T4-2B", room2))

/* libvirt's answer about the virtual functions that read_here makes. */
#define FUNCTIONS_HERE  .here = {.devices = {CARD("0000:3d:00.0", "0x4")}}
#define L40S_GUEST      .function = "0000:3d:00.4", .type = "L40S-8Q", FUNCTIONS_HERE
#define OTHER_FUNCTIONS CARD("0000:5e:00.0", "0x4")
#define L40S(capacity)  GPU("0000:18:00.0", TYPE("nvidia-1152", "NVIDIA L40S-8Q", capacity))

#define H100_GUEST                                                                                 \
    .function = "0000:41:00.4", .type = "H100-80C",                                                \
    .here = {.devices = {HOPPER("0000:41:00.0", "2331")}}

#define XE_FUNCTION "0000:03:00.4"

#define SERIAL TYPE("mtty-1", "Single port serial", "24") TYPE("mtty-2", "Dual port serial", "12")

/* Plays each case, and prints all wrong ones. Fails if there is any. */
void migrate_cases_play(const struct migrate_case *rows, size_t count);

/* Starts this host with that configuration. The test stops it. */
void migrate_case_read_here(struct scene *scene, const struct migrate_case *row,
                            struct policy *policy, struct inventory *inventory);

/* Sets the answers of a host: its UUID, if `told` has none, and its guest number 1, with this XML
 * (NULL: no guest). ret borrows the URI. */
void migrate_case_read_host(const struct migrate_case_host *told, const char *uuid, const char *uri,
                            const char *guest, bool is_running, struct remote_host *ret);
