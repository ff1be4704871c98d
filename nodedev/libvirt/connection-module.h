/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * connection-module: loads connection.so, and with it libvirt's library, when a command first needs
 * it. It stays loaded until the process ends.
 */

#pragma once

#include "libvirt/connection-calls.h"

/* Loads connection.so from a path that configure has set. Returns -ENOTCONN with a line in error if
 * the file is not there, or was not built together with this program. */
int connection_module_load(const char *path, const struct connection_calls **ret,
                           struct error *error) CHECKED NONNULL;
