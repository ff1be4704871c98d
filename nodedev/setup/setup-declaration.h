/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-declaration: how GPUs are, as text for vgpu.conf. `vgpuctl setup` then makes them so after
 * a boot.
 *
 * The text is printed for a person, or written into a file of conf.d for each GPU:
 *
 *     /etc/libvirt-vgpu/conf.d/50-setup-0000:3d:00.0.conf
 *
 * The first line of such a file says who wrote it. A file that a person wrote is never replaced,
 * and a GPU that another file lists already is left to that file.
 */

#pragma once

#include "actions/snapshot.h"
#include "cli/command.h"

/* Prints the GPUs that have anything that a boot takes away. -errno with a line in error. */
int setup_declaration_print(const struct command_call *call, const struct snapshot *snapshot,
                            struct error *error) CHECKED NONNULL;

/* Writes the files of the GPUs that were typed, or of all that have anything that a boot takes
 * away. -errno with a line in error: a GPU is not known, or cannot be declared. The files of the
 * GPUs before it are written then. */
int setup_declaration_write(const struct command_call *call, const struct snapshot *snapshot,
                            struct error *error) CHECKED NONNULL;
