/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/incoming.h"
#include "actions/arrival.h"
#include "device/vgpu.h"
#include "domain/rewrite.h"
#include "lease/log.h"

/* Whether a parent has a device of that UUID, or is still losing it. */
static bool
is_there(const struct arrival *arrival, const struct name *uuid)
{
    const struct inventory *inventory = &arrival->snapshot.inventory;
    struct vgpu found;
    struct name gpu;

    if (vgpu_find(arrival->host, uuid, &found, &gpu) == 0)
        return true;
    for (size_t i = 0; i < inventory->parent_count; i++) {
        const struct vgpu vgpu = {
            .interface = inventory->parents[i]->interface,
            .device = *uuid,
            .parent = inventory->parents[i]->name,
        };
        struct name type;

        if (vgpu_state(arrival->host, &vgpu, &type) != VGPU_ABSENT)
            return true;
    }
    return false;
}

/* Whether the guest may have the vGPU of a lease back, and it is of a type that the demand asks
 * for. */
static bool
is_its_own(const struct arrival *arrival, const struct demand *demand, const struct lease *lease)
{
    const struct inventory *inventory = &arrival->snapshot.inventory;
    const struct inventory_vgpu *vgpu = inventory_find_vgpu(inventory, &lease->vgpu.device);
    const struct inventory_type *type;
    unsigned rank;

    if (!vgpu || !arrival_may_have(arrival, lease))
        return false;
    type = inventory_type_of(vgpu);
    return type && demand_ranks(demand, type, &rank);
}

static bool
can_keep(const struct arrival *arrival, const struct demand *demand)
{
    const struct name *uuid = &demand->hostdev->source;
    const struct lease *lease = ledger_find(&arrival->snapshot.ledger, uuid);

    if (arrival->snapshot.policy.migrate_uuid == POLICY_NEW_UUID)
        return false;
    if (lease && !name_equal(&lease->domain, &arrival->request->domain))
        return false;
    return !is_there(arrival, uuid) || (lease && is_its_own(arrival, demand, lease));
}

/* Chooses the new source of one hostdev. */
static int
choose_source(const struct arrival *arrival, size_t index, struct rewrite_source *ret)
{
    const struct demand *demand = &arrival->snapshot.demands.items[index];
    const struct inventory_parent *parent = arrival->choices[index].place.parent;

    ret->kind = parent->interface->hostdev;
    ret->is_managed = parent->interface->is_managed;
    if (ret->kind == REQUEST_PCI) {
        ret->source = parent->name;
        return 0;
    }
    if (demand->hostdev->kind == REQUEST_MDEV && can_keep(arrival, demand))
        return 0;
    return name_new_uuid(&ret->source);
}

static int
choose_sources(const struct arrival *arrival, struct rewrite_source **ret, struct error *error)
{
    const struct demands *demands = &arrival->snapshot.demands;
    int rc = 0;

    *ret = rewrite_own(arrival->request);
    for (size_t i = 0; i < demands->count && rc == 0; i++) {
        size_t hostdev = (size_t)(demands->items[i].hostdev - arrival->request->hostdevs);

        rc = choose_source(arrival, i, &(*ret)[hostdev]);
    }
    return rc < 0 ? error_set(error, -EIO, "the kernel gives no random UUID") : 0;
}

static void
log_changes(const struct host *host, const struct request *request,
            const struct rewrite_source *sources)
{
    for (size_t i = 0; i < request->hostdev_count; i++) {
        if (!name_equal(&request->hostdevs[i].source, &sources[i].source))
            log_renamed(host, request->name, &request->domain, &request->hostdevs[i].source,
                        &sources[i].source);
    }
}

int
incoming_rewrite(const struct host *host, const struct document *document,
                 const struct request *request, struct document *ret, struct error *error)
{
    AUTO(arrival_clear) struct arrival arrival = {.host = host, .request = request};
    AUTO_FREE struct rewrite_source *sources = NULL;
    int rc = snapshot_read(&arrival.snapshot, host, request, "incoming", error);

    *ret = (struct document){0};
    if (rc <= 0)
        return rc;
    rc = arrival_choose(&arrival, error);
    /* The GPU may still come up: prepare waits for it, where the XML says. */
    if (rc < 0 || arrival.is_unknown)
        return rc;
    rc = choose_sources(&arrival, &sources, error);
    if (rc == 0)
        rc = rewrite_sources(document, request, sources, ret, error);
    if (rc < 0)
        arrival_give_up(&arrival);
    else
        log_changes(host, request, sources);
    return rc;
}
