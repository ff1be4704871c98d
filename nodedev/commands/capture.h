/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * capture: writes a capture of this host. A public one has facts of cards (public-capture.h); with
 * --names it has all that vgpuctl looks at. 'vgpuctl capture' calls it. Another command can call it
 * too, and add a record of its own.
 */

#pragma once

#include "cli/command.h"
#include "cli/output.h"

/* record: lines for people, which also go into the capture's manifest; "" adds none. Returns -errno
 * with a line in error. */
int capture_host(const struct command_call *call, const struct output *output, const char *record,
                 struct error *error) CHECKED NONNULL;
