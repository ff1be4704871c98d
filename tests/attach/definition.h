/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * definition: the domains of libvirt's test driver, as a test writes and reads them.
 */

#pragma once

#include "libvirt/connection.h"

/* Connects to the test driver, and defines a domain there. A failure fails the test. */
struct connection *definition_begin(const struct host *host, const char *uri, const char *xml);

/* Defines a domain. A failure fails the test. */
void definition_write(struct connection *libvirt, const char *xml);

/* Returns the definition of a domain, which the caller frees. A failure fails the test. */
char *definition_read(struct connection *libvirt, const char *domain);
