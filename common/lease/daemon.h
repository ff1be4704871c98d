/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * daemon: the libvirt daemon that runs us. It owes a release to the domains of our leases.
 *
 * It need not be our parent. Many hosts have a script of their own as /etc/libvirt/hooks/qemu. The
 * script runs us and ends soon after.
 */

#pragma once

#include "base/process.h"

/*
 * Finds the libvirt daemon among our ancestors. It is the one whose pid is in
 * /run/libvirt/qemu/driver.pid. libvirt's QEMU driver keeps that file while it runs, whatever its
 * program is called (qemuStateInitialize in src/qemu/qemu_driver.c). Else it is the nearest one
 * called libvirtd or virtqemud, else our parent.
 *
 * The answer is no process if the daemon has ended. One of three signs tells that. The pipe to the
 * daemon is broken; or process 1 has adopted us; or it has adopted our caller, and another daemon
 * runs.
 */
struct process daemon_find(const struct host *host) NONNULL;

/* Whether the libvirt daemon that runs us lives. True if that is not known. */
bool daemon_may_live(const struct host *host) CHECKED NONNULL;

/* Finds the daemon by its pid files, for a program that the daemon has not started, and returns its
 * name as well. Returns {0} if there is no daemon. */
struct process
daemon_find_by_file(const struct host *host, char *name, size_t size) CHECKED NONNULL;
