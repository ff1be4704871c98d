/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A connection.so of an older version, or of the same version with other sources. */

#include "libvirt/connection.h"

#ifndef OTHER_VERSION
#define OTHER_VERSION "0.0.9"
#define OTHER_SIZE    CONNECTION_CALLS_SIZE
#endif

const struct connection_calls connection_calls = {.version = OTHER_VERSION, .size = OTHER_SIZE};
