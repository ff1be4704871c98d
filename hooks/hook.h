/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * hook: what libvirt's qemu hook does at each event of a domain.
 *
 * libvirt runs it as "HOOK NAME OPERATION SUB-OPERATION EXTRA" with the domain's XML on stdin, and
 * reads stdout and stderr to their end. An exit status other than 0 from `reconnect` or `started`
 * kills a running guest: nothing here ever exits so there.
 */

#pragma once

#include "base/host.h"

/*
 * Handles one event. argv is libvirt's, input has the XML, output gets a changed one where libvirt
 * takes it (`migrate`, `restore`), faults get one line if the event is to fail. Returns the exit
 * status: 0, or 1 where libvirt may be refused.
 */
int hook_run(const struct host *host, bool privileged, int argc, char *const argv[], int input,
             int output, int faults) CHECKED NONNULL;
