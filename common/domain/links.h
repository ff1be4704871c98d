/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * links: which <hostdev> each <vgpu:device> means, once the whole document has been read.
 */

#pragma once

#include "domain/request.h"

/* Links devices and hostdevs. An unclear link is a fault of the request. */
void links_make(struct request *request) NONNULL;
