/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * daemon: the libvirt daemon that runs us, and that owes a release to the domains of our leases.
 *
 * It need not be our parent: many hosts have a script of their own as /etc/libvirt/hooks/qemu, a
 * dispatcher, which runs us and ends soon after.
 */

#pragma once

#include "base/process.h"

/*
 * The nearest of our ancestors that is libvirt's daemon: the one whose pid is in
 * /run/libvirt/qemu/driver.pid, where libvirt's QEMU driver has it for as long as it runs
 * (qemuStateInitialize in src/qemu/qemu_driver.c), whatever its program is called; else the one
 * that is called libvirtd or virtqemud; else our parent. No process if the daemon has ended: the
 * pipe to it is broken, or another daemon runs and process 1 has adopted who called us.
 */
struct process daemon_find(const struct host *host) NONNULL;

/* Whether libvirt's daemon that runs us lives, as far as can be told. */
bool daemon_may_live(const struct host *host) CHECKED NONNULL;
