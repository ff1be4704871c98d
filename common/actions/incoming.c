/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/incoming.h"
#include "actions/arrival.h"
#include "device/vgpu.h"
#include "domain/rewrite.h"
#include "lease/log.h"
#include "lease/saved-type.h"

#include <string.h>

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
    return type && demand_ranks(&demand->terms, type, &rank);
}

static bool
can_keep(const struct arrival *arrival, const struct demand *demand)
{
    const struct name *uuid = &demand->hostdev->source;
    const struct lease *lease = ledger_find(&arrival->snapshot.ledger, uuid);

    /* A promise is under the device that the guest had. */
    if (arrival->snapshot.policy.migrate_uuid == POLICY_NEW_UUID && !*demand->terms.place.text)
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

/* Notes a demand's type under the source that its hostdev has from now on. */
static int
follow_source(const struct arrival *arrival, const struct demand *demand,
              const struct rewrite_source *sources, struct error *error)
{
    const struct request *request = arrival->request;
    int rc = saved_type_follow(arrival->host, &request->domain, demand->hostdev,
                               &sources[demand->hostdev - request->hostdevs].source,
                               &demand->terms.saved);

    return rc < 0 ? error_set(error, rc, "cannot note with which type %s was saved: %s",
                              demand->label, strerror(-rc))
                  : 0;
}

/* Records that the next prepare of the domain is to give the types of the saved state, whatever the
 * sources are by then. If that cannot be recorded, prepare is as free as any start. sources: NULL
 * if they stay as they are. */
static void
promise_types(const struct arrival *arrival, const struct rewrite_source *sources)
{
    const struct demands *demands = &arrival->snapshot.demands;
    bool is_bound = false;
    struct error error;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < demands->count; i++) {
        if (!*demands->items[i].terms.saved.text)
            continue;
        is_bound = true;
        if (sources)
            rc = follow_source(arrival, &demands->items[i], sources, &error);
    }
    if (rc == 0 && is_bound)
        rc = saved_type_begin_restore(arrival->host, &arrival->request->domain, &error);
    if (rc < 0)
        log_failure(arrival->host, "restore", arrival->request->name, &error);
}

/* Chooses places, and gives the hostdevs their sources. *sources: NULL if a GPU has to come up
 * first. Then the XML stays as it is, and prepare waits for the GPU. */
static int
rewrite(struct arrival *arrival, const struct document *document, struct rewrite_source **sources,
        struct document *ret, struct error *error)
{
    int rc = arrival_choose(arrival, error);

    if (rc == REFUSED)
        demands_tell_saved(&arrival->snapshot.demands, error);
    if (rc < 0 || arrival->is_unknown)
        return rc;
    rc = choose_sources(arrival, sources, error);
    if (rc == 0)
        rc = rewrite_sources(document, arrival->request, *sources, ret, error);
    if (rc < 0)
        arrival_give_up(arrival);
    else
        log_changes(arrival->host, arrival->request, *sources);
    return rc;
}

static int
arrive(const struct host *host, const struct document *document, const struct request *request,
       bool is_restored, struct document *ret, struct error *error)
{
    AUTO(arrival_clear) struct arrival arrival = {.host = host, .request = request};
    AUTO_FREE struct rewrite_source *sources = NULL;
    int rc = snapshot_read(&arrival.snapshot, host, request, "incoming", error);

    *ret = (struct document){0};
    if (rc <= 0)
        return rc;
    if (is_restored)
        snapshot_bind_to_saved(&arrival.snapshot, host, request);
    rc = rewrite(&arrival, document, &sources, ret, error);
    if (rc == 0 && is_restored)
        promise_types(&arrival, sources);
    return rc;
}

int
incoming_migrate(const struct host *host, const struct document *document,
                 const struct request *request, struct document *ret, struct error *error)
{
    return arrive(host, document, request, false, ret, error);
}

int
incoming_restore(const struct host *host, const struct document *document,
                 const struct request *request, struct document *ret, struct error *error)
{
    return arrive(host, document, request, true, ret, error);
}
