/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * topology: which NUMA nodes processors belong to (/sys/devices/system/node/nodeN/cpulist).
 */

#pragma once

#include "base/host.h"
#include "base/nodeset.h"

/* Adds the NUMA nodes of the processors to `nodes`. If the host does not tell them, nothing is
 * added. */
void topology_add_nodes(const struct host *host, const struct nodeset *processors,
                        struct nodeset *nodes) NONNULL;
