/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * asked-vgpus: the vGPUs that a domain's XML itself asks for, by a <vgpu:device> or an alias. Only
 * these are taken out again by 'vgpuctl detach'.
 */

#pragma once

#include "base/error.h"
#include "base/words.h"
#include "domain/request.h"

/* Adds the names of all of them to a line in error, if there are any. A vGPU's name is its alias,
 * else its UUID or the address of its function. */
void asked_vgpus_add(const struct request *request, struct error *error) NONNULL;

/* Lists the names of all, or of the only one. Returns -ENOENT if there is none, and ERROR_USAGE if
 * there are several and not all are meant; error names them. The caller clears ret. */
int asked_vgpus_find(const struct request *request, bool all, struct words *ret,
                     struct error *error) CHECKED NONNULL;
