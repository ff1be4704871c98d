/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * planted: a host on which nothing is wrong, the words to plant a fault on it, and what vgpuctl
 * doctor is to find then.
 *
 * The names have no "planted" before them, because every line of the tests is made of them.
 */

#pragma once

#include "fake/typed.h"

#include <sys/types.h>

#define HERE    "test:///default"
#define CONF    "etc/libvirt-vgpu/vgpu.conf"
#define HOOKS   "etc/libvirt/hooks"
#define LINK    HOOKS "/qemu.d/50-vgpu"
#define PROGRAM "usr/sbin/libvirt-vgpu-hook"

/* The machine of a test, and what was typed last. */
extern struct scene scene;
extern struct typed typed;

/* Of each test: a host with one GPU and a configuration. */
int setup(void **state);
int teardown(void **state);

/* What every host has on which nothing is wrong. */
void start(const char *machine);

/* Files below the machine's root: one is written, has another mode, goes, becomes a symbolic link,
 * or a script that can be executed. */
void put(const char *path, const char *text);
void mode(const char *path, mode_t bits);
void drop(const char *path);
void link_to(const char *target, const char *path);
void program(const char *path);

/* A GPU whose virtual functions are off. */
#define PCI "sys/bus/pci/devices/0000:3d:00.0"
void functions_off(void);

/* Domains, each the text of its devices, as libvirt's test driver reads them. */
const char *libvirt(const char *const *devices);
#define HOSTDEV(uuid, alias)                                                                       \
    "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source><address uuid='" uuid          \
    "'/></source><alias name='" alias "'/></hostdev>"
#define DEVICE1 "dddddddd-0000-4000-8000-000000000001"

/* Doctor finds nothing. */
void assert_healthy(const char *uri);

/* This fault, and no other. */
void assert_fault(const char *uri, const char *check, const char *words);

/* No fault, but worth a line. */
void assert_note(const char *uri, const char *check, const char *words);
