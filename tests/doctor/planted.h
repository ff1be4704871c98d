/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * planted: a host without faults, functions that plant a fault on it, and checks of doctor's
 * findings.
 *
 * The functions' names do not begin with "planted", because every line of the tests uses them.
 */

#pragma once

#include "fake/typed.h"

#include <sys/types.h>

#define HERE    "test:///default"
#define CONF    "etc/libvirt-vgpu/vgpu.conf"
#define HOOKS   "etc/libvirt/hooks"
#define LINK    HOOKS "/qemu.d/50-vgpu"
#define PROGRAM "usr/sbin/libvirt-vgpu-hook"

/* The machine of a test, and the result of the last command. */
extern struct scene scene;
extern struct typed typed;

/* The setup and the teardown of each test: a host with one GPU and a configuration. */
int setup(void **state);
int teardown(void **state);

/* The files of every host without faults. */
void start(const char *machine);

/* These functions change a file below the machine's root. They write it, change its mode, remove
 * it, make a symbolic link, or make an executable script. */
void put(const char *path, const char *text);
void mode(const char *path, mode_t bits);
void drop(const char *path);
void link_to(const char *target, const char *path);
void program(const char *path);

/* A GPU whose virtual functions are off. */
#define PCI "sys/bus/pci/devices/0000:3d:00.0"
void functions_off(void);

/* Domains for libvirt's test driver. Each text has the devices of one domain. */
const char *libvirt(const char *const *devices);
#define HOSTDEV(uuid, alias)                                                                       \
    "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source><address uuid='" uuid          \
    "'/></source><alias name='" alias "'/></hostdev>"
#define DEVICE1 "dddddddd-0000-4000-8000-000000000001"

/* Checks that doctor finds nothing. */
void assert_healthy(const char *uri);

/* Checks that doctor finds this fault, and no other fault. */
void assert_fault(const char *uri, const char *check, const char *words);

/* Checks that doctor finds no fault, but prints this note. */
void assert_note(const char *uri, const char *check, const char *words);
