/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * hosts-file: the file of --hosts, in place of many --connect. Each line has the URI of a libvirt.
 * Empty lines, and lines that begin with '#', are skipped.
 */

#pragma once

#include "cli/options.h"

/* Adds the file's URIs to those of --connect in `options`. Does nothing without --hosts. Returns
 * -errno with a line in error if the file cannot be read. Returns REFUSED (ERROR_USAGE) if the file
 * names no host, or if a line has more than one word. */
int hosts_file_read(struct options *options, struct error *error) CHECKED NONNULL;
