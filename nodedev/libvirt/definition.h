/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * definition: replaces a domain's definition, and loses no change of others.
 *
 * libvirt replaces a definition as a whole, and knows no condition for that. So the definition is
 * read again just before and just after it is written. Somebody who writes between the first look
 * and the write still loses a change: libvirt leaves that open.
 */

#pragma once

#include "libvirt/connection.h"

/* How often a caller makes its change anew before it gives up. */
#define DEFINITION_TRIES 10

/*
 * Makes `after` the definition, if it is still `before`. Both contain the passwords. *written is
 * the definition as libvirt has it then, which the caller clears in every case.
 *
 * -ESTALE with a line in error: somebody else has changed the definition, and this change is not in
 * it. What others added to it does not matter. The caller may make its change anew. Otherwise -EIO
 * with libvirt's words.
 */
int definition_replace(struct connection *connection, const struct name *domain,
                       const struct document *before, const struct document *after,
                       struct document *written, struct error *error) CHECKED NONNULL;
