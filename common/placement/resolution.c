/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/resolution.h"
#include "device/topology.h"
#include "lease/log.h"
#include "policy/policy-load.h"

static bool
is_demanded_type(const struct inventory_type *type, const void *data)
{
    const struct demands *demands = data;

    for (size_t i = 0; i < demands->count; i++) {
        const struct demand *demand = &demands->items[i];
        unsigned rank;

        /* By its frame buffer, which may not have been read yet. */
        if (demand_ranks(demand, type, &rank) || (demand->framebuffer && !type->framebuffer))
            return true;
    }
    return false;
}

bool
intent_is_asked(const struct request *request)
{
    bool found = *request->fault.text || request->device_count;

    for (size_t i = 0; i < request->hostdev_count; i++)
        found |= demand_is_explicit(&request->hostdevs[i]);
    return found;
}

int
intent_read(struct intent *intent, const struct host *host, const struct request *request,
            const char *event, struct error *error)
{
    int rc;

    *intent = (struct intent){0};
    if (!request_concerns_us(request))
        return 0;
    rc = policy_load(host, &intent->policy, error);
    if (rc < 0 && !intent_is_asked(request)) {
        log_problem(event, request->name, error);
        return 0;
    }
    return rc < 0 ? rc : intent_resolve(intent, host, request, error);
}

int
intent_resolve(struct intent *intent, const struct host *host, const struct request *request,
               struct error *error)
{
    int rc;

    intent->filter = (struct inventory_filter){is_demanded_type, &intent->demands};
    if (!intent->policy.enabled)
        return 0;
    rc = request_check(request, error);
    if (rc == 0)
        rc = demands_resolve(request, &intent->policy, &intent->demands, error);
    if (rc < 0 || intent->demands.count == 0)
        return rc;
    intent->demands.nodes = request->nodes;
    if (nodeset_is_empty(&request->nodes))
        topology_add_nodes(host, &request->processors, &intent->demands.nodes);
    return 1;
}

void
intent_clear(struct intent *intent)
{
    demands_clear(&intent->demands);
    policy_clear(&intent->policy);
}
