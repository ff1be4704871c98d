/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/snapshot.h"
#include "base/reader.h"
#include "device/ineligible.h"
#include "device/scan.h"
#include "device/topology.h"
#include "lease/log.h"
#include "lease/statedir.h"
#include "placement/max-instances.h"
#include "placement/resolution.h"
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

int
snapshot_read(struct snapshot *snapshot, const struct host *host, const struct request *request,
              const char *event, struct error *error)
{
    int rc;

    *snapshot = (struct snapshot){0};
    if (!request_concerns_us(request))
        return 0;
    rc = policy_load(host, &snapshot->policy, error);
    if (rc < 0 && !resolution_is_asked(request)) {
        log_failure(host, event, request->name, error);
        return 0;
    }
    return rc < 0 ? rc : snapshot_resolve(snapshot, host, request, error);
}

int
snapshot_resolve(struct snapshot *snapshot, const struct host *host, const struct request *request,
                 struct error *error)
{
    int rc;

    snapshot->filter = (struct inventory_filter){is_demanded_type, &snapshot->demands};
    if (!snapshot->policy.enabled)
        return 0;
    rc = request_check(request, error);
    if (rc == 0)
        rc = resolution_make(request, &snapshot->policy, &snapshot->demands, error);
    if (rc < 0 || snapshot->demands.count == 0)
        return rc;
    snapshot->demands.nodes = request->nodes;
    if (nodeset_is_empty(&request->nodes))
        topology_add_nodes(host, &request->processors, &snapshot->demands.nodes);
    return 1;
}

/* A removal under way takes the device off the bus first, and its directory last: until then it is
 * on its parent, and the driver's figures are right as they are. */
static int
add_going(struct snapshot *snapshot, const struct host *host)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < snapshot->ledger.count; i++) {
        const struct lease *lease = &snapshot->ledger.leases[i];
        struct name type;

        if ((lease->state == LEASE_LEAVING || lease->state == LEASE_REMOVING) &&
            !inventory_find_vgpu(&snapshot->inventory, &lease->vgpu.device) &&
            vgpu_state(host, &lease->vgpu, &type) == VGPU_TRANSIENT)
            rc =
                inventory_add_going(&snapshot->inventory, &lease->vgpu.device, &lease->vgpu.parent);
    }
    return rc;
}

int
snapshot_look(struct snapshot *snapshot, const struct host *host, struct error *error)
{
    int rc;

    inventory_clear(&snapshot->inventory);
    rc = scan_host(host, &snapshot->policy, &snapshot->filter, &snapshot->inventory, error);
    if (rc < 0)
        return rc;
    max_instances_apply(&snapshot->policy, &snapshot->inventory);
    rc = add_going(snapshot, host);
    for (size_t i = 0; rc == 0 && i < snapshot->demands.count; i++) {
        const struct name *vf = demand_vf(&snapshot->demands.items[i]);

        if (vf)
            rc = ineligible_add(host, vf, &snapshot->inventory);
    }
    return rc < 0 ? error_set(error, rc, "no memory for the GPUs") : 0;
}

int
snapshot_take(struct snapshot *snapshot, const struct host *host,
              const struct inventory_filter *filter, struct error *error)
{
    int rc;

    *snapshot = (struct snapshot){.filter = *filter};
    reader_begin(host->reader, READER_PATIENCE);
    rc = policy_load(host, &snapshot->policy, error);
    if (rc == 0)
        rc = statedir_peek(host, &snapshot->ledger, error);
    return rc < 0 ? rc : snapshot_look(snapshot, host, error);
}

struct placement_problem
snapshot_problem(const struct snapshot *snapshot, const struct request *request)
{
    return (struct placement_problem){
        .request = request,
        .demands = &snapshot->demands,
        .policy = &snapshot->policy,
        .inventory = &snapshot->inventory,
        .ledger = &snapshot->ledger,
        .changed = &snapshot->changed,
    };
}

void
snapshot_clear(struct snapshot *snapshot)
{
    inventory_clear(&snapshot->inventory);
    ledger_clear(&snapshot->ledger);
    ledger_clear(&snapshot->changed);
    demands_clear(&snapshot->demands);
    policy_clear(&snapshot->policy);
}
