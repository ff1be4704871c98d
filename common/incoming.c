/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "incoming.h"
#include "boot.h"
#include "intent.h"
#include "log.h"
#include "placement.h"
#include "rewrite.h"
#include "statedir.h"

#include <string.h>

struct arrival {
    const struct host *host;
    const struct request *request;
    struct intent intent;
    struct inventory inventory;
    struct ledger ledger;
    struct name *uuids; /* per hostdev */
};

static void
arrival_clear(struct arrival *arrival)
{
    intent_clear(&arrival->intent);
    inventory_clear(&arrival->inventory);
    ledger_clear(&arrival->ledger);
    free(arrival->uuids);
}

/* A picture of the host, taken without the lock: prepare looks again. */
static int
look(struct arrival *arrival, struct error *error)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    int rc = statedir_open(arrival->host, false, &statedir, error);

    if (rc == 0)
        rc = statedir_load(&statedir, &arrival->ledger, error);
    if (rc == 0 || rc == -ENOENT)
        rc = inventory_scan(arrival->host, &arrival->intent.filter, &arrival->inventory, error);
    return rc;
}

/* Whether any parent has, or is still losing, a device of that UUID. */
static bool
is_there(const struct arrival *arrival, const struct name *uuid)
{
    const struct inventory *inventory = &arrival->inventory;
    struct vgpu found;
    struct name gpu;

    if (vgpu_find(arrival->host, uuid, &found, &gpu) == 0)
        return true;
    for (size_t i = 0; i < inventory->parent_count; i++) {
        const struct vgpu vgpu = {
            .interface = inventory->parents[i].interface,
            .device = *uuid,
            .parent = inventory->parents[i].name,
        };
        struct name type;

        if (vgpu_look(arrival->host, &vgpu, &type) != VGPU_GONE)
            return true;
    }
    return false;
}

/* Ours, left in place for this very domain's next start, and what it asks for. */
static bool
is_kept_for(const struct arrival *arrival, const struct demand *demand, const struct lease *lease)
{
    const struct inventory *inventory = &arrival->inventory;
    const struct inventory_vgpu *vgpu = inventory_find_vgpu(inventory, &lease->vgpu.device);
    const struct inventory_type *type;
    unsigned rank;

    if (!vgpu || lease->state != LEASE_KEPT)
        return false;
    type = inventory_find_type(&inventory->gpus[inventory->parents[vgpu->parent].gpu], &vgpu->type);
    return type && demand_ranks(demand, type, &rank);
}

static bool
can_keep(const struct arrival *arrival, const struct demand *demand)
{
    const struct name *uuid = &demand->hostdev->uuid;
    const struct lease *lease = ledger_find(&arrival->ledger, uuid);

    if (arrival->intent.policy.migrate_uuid == POLICY_NEW_UUID)
        return false;
    if (lease && !name_equal(&lease->domain, &arrival->request->domain))
        return false;
    return !is_there(arrival, uuid) || (lease && is_kept_for(arrival, demand, lease));
}

/* The UUIDs, fresh where the old one cannot be used. 1: there is such; 0; -errno. */
static int
choose(struct arrival *arrival, struct error *error)
{
    const struct demands *demands = &arrival->intent.demands;
    const struct request *request = arrival->request;
    int changed = 0;

    arrival->uuids = calloc(request->hostdev_count, sizeof(*arrival->uuids));
    if (!arrival->uuids)
        return error_set(error, -ENOMEM, "no memory for the UUIDs");
    for (size_t i = 0; i < request->hostdev_count; i++)
        arrival->uuids[i] = request->hostdevs[i].uuid;
    for (size_t i = 0; i < demands->count; i++) {
        const struct demand *demand = &demands->items[i];

        if (can_keep(arrival, demand))
            continue;
        if (name_new_uuid(&arrival->uuids[demand->hostdev - request->hostdevs]) < 0)
            return error_set(error, -EIO, "the kernel gives no random UUID");
        changed = 1;
    }
    return changed;
}

static void
log_changes(const struct arrival *arrival)
{
    const struct request *request = arrival->request;

    for (size_t i = 0; i < request->hostdev_count; i++) {
        if (!name_equal(&request->hostdevs[i].uuid, &arrival->uuids[i]))
            log_renamed(request->name, &request->domain, &request->hostdevs[i].uuid,
                        &arrival->uuids[i]);
    }
}

int
incoming_rewrite(const struct host *host, const struct document *document,
                 const struct request *request, struct document *ret, struct error *error)
{
    AUTO(arrival_clear) struct arrival arrival = {.host = host, .request = request};
    const struct placement_question question = {
        .request = request,
        .demands = &arrival.intent.demands,
        .policy = &arrival.intent.policy,
        .inventory = &arrival.inventory,
        .ledger = &arrival.ledger,
    };
    int rc = intent_read(&arrival.intent, host, request, "incoming", error);

    *ret = (struct document){0};
    if (rc <= 0)
        return rc;
    rc = look(&arrival, error);
    if (rc == 0)
        rc = placement_check(&question, error);
    /* What is not there yet may come up: prepare waits for it. */
    if ((rc == -ENOENT || rc == -ENOSPC) &&
        boot_left(host, &arrival.intent.policy, &arrival.inventory) > 0)
        rc = 0;
    if (rc == 0)
        rc = choose(&arrival, error);
    if (rc <= 0)
        return rc;
    rc = rewrite_uuids(document, request, arrival.uuids, ret, error);
    if (rc == 0)
        log_changes(&arrival);
    return rc;
}
