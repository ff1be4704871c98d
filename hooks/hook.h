/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * hook: what libvirt's qemu hook does at each event of a domain.
 *
 * libvirt runs it as "HOOK NAME OPERATION SUB-OPERATION EXTRA" with the domain's XML on stdin, and
 * reads stdout and stderr to their end. If the hook fails at `reconnect` or `started`, libvirt
 * kills a running guest. So hook_run always returns 0 for these two.
 */

#pragma once

#include "base/host.h"

/*
 * Handles one event and returns the exit status: 0, or 1 where libvirt may be told of a failure.
 * argv is libvirt's, and input has the XML. output gets the changed XML at `migrate` and `restore`,
 * and the answer to a person who says --version or --help.
 * faults gets one line if the event fails.
 */
int hook_run(const struct host *host, bool privileged, int argc, char *const argv[], int input,
             int output, int faults) CHECKED NONNULL;
