/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * capture: writes a capture of this host, and tells what is in it and what was left out. It is what
 * 'vgpuctl capture' does, for a command that has something to add.
 */

#pragma once

#include "cli/command.h"

/* record: lines for people, which the capture's manifest gets as well; "": none. -errno with a line
 * in error. */
int capture_host(const struct command_call *call, const char *path, const char *record,
                 struct error *error) CHECKED NONNULL;
