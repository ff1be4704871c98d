/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * asked-vgpus: the vGPUs that a domain's XML itself asks for, by a <vgpu:device> or an alias. Only
 * these are taken out again by 'vgpuctl detach'.
 */

#pragma once

#include "base/error.h"
#include "domain/request.h"

/* Adds the names of all of them to a line in error, if there are any. A vGPU's name is its alias,
 * else its UUID or the address of its function. */
void asked_vgpus_add(const struct request *request, struct error *error) NONNULL;

/* *ret is the name of the only one. Returns -ENOENT if there is none, and ERROR_USAGE if there are
 * several; error names them. */
int asked_vgpus_only(const struct request *request, const char **ret,
                     struct error *error) CHECKED NONNULL;
