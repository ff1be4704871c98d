/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * hosts-file: the file of --hosts, for who would type many --connect: the URI of a libvirt in each
 * line. Lines that are empty, or begin with '#', are passed over.
 */

#pragma once

#include "cli/options.h"

/* Adds its URIs to those of --connect, as options.h has them. Does nothing if there is no such
 * option. -errno with a line in error if it cannot be read, REFUSED (ERROR_USAGE) if it names no
 * host, or a line has more than one word. */
int hosts_file_read(struct options *options, struct error *error) CHECKED NONNULL;
