/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/topology.h"

#include <string.h>

#define NODES "sys/devices/system/node"

void
topology_add_nodes(const struct host *host, const struct nodeset *processors, struct nodeset *nodes)
{
    AUTO(names_clear) struct names entries = {0};

    if (nodeset_is_empty(processors) || host_list(host, &entries, NODES) < 0)
        return;
    for (size_t i = 0; i < entries.count; i++) {
        const char *name = entries.items[i].text;
        struct nodeset here = {0};
        char text[4096];

        if (strncmp(name, "node", 4) || name[4] < '0' || name[4] > '9' ||
            host_read(host, text, sizeof(text), NODES "/%s/cpulist", name) <= 0 ||
            nodeset_add(&here, text) < 0 || !nodeset_meets(&here, processors))
            continue;
        if (nodeset_add(nodes, name + 4) < 0)
            continue;
    }
}
