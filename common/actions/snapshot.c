/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/snapshot.h"
#include "base/reader.h"
#include "device/ineligible.h"
#include "device/scan.h"
#include "device/topology.h"
#include "device/type-cache.h"
#include "lease/drained.h"
#include "lease/fate.h"
#include "lease/log.h"
#include "lease/saved-type.h"
#include "placement/resolution.h"
#include "policy/policy-load.h"

#include <string.h>

static bool
is_demanded_type(const struct inventory_type *type, const void *data)
{
    const struct demands *demands = &((const struct snapshot *)data)->demands;

    for (size_t i = 0; i < demands->count; i++) {
        const struct demand_terms *terms = &demands->items[i].terms;
        unsigned rank;

        /* The demand asks by frame buffer, which may not have been read yet. */
        if (demand_ranks(terms, type, &rank) || (demand_framebuffer(terms) && !type->framebuffer))
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

/* In the ledger this UUID means nobody, so a guest of this UUID would escape its quotas, and its
 * leases would be forgotten. Whether the domain asks us for a vGPU is known only here. */
static int
check_domain(const struct request *request, struct error *error)
{
    if (strcmp(request->domain.text, LEASE_NOBODY) != 0)
        return 0;
    return error_set(error, -EINVAL,
                     "its <uuid> is %s, which means nobody here: give the domain another UUID, as "
                     "uuidgen prints one",
                     request->domain.text);
}

int
snapshot_resolve(struct snapshot *snapshot, const struct host *host, const struct request *request,
                 struct error *error)
{
    int rc;

    snapshot->filter = (struct inventory_filter){is_demanded_type, snapshot, false};
    if (!snapshot->policy.enabled)
        return 0;
    rc = request_check(request, error);
    if (rc == 0)
        rc = resolution_make(request, &snapshot->policy, &snapshot->demands, error);
    if (rc < 0 || snapshot->demands.count == 0)
        return rc;
    rc = check_domain(request, error);
    if (rc < 0)
        return rc;
    snapshot->filter.wants_singles = snapshot->demands.count > 1;
    snapshot->demands.nodes = request->nodes;
    if (nodeset_is_empty(&request->nodes))
        topology_add_nodes(host, &request->processors, &snapshot->demands.nodes);
    return 1;
}

/* A record that cannot be read is as good as none: the driver judges the saved state, too. */
void
snapshot_bind_to_saved(struct snapshot *snapshot, const struct host *host,
                       const struct request *request)
{
    for (size_t i = 0; i < snapshot->demands.count; i++) {
        struct demand *demand = &snapshot->demands.items[i];
        struct error error;
        struct name type;
        int rc = saved_type_find(host, &request->domain, demand->hostdev, &type);

        if (rc > 0)
            demand->terms.saved = type;
        if (rc >= 0)
            continue;
        error_set(&error, rc, "cannot read with which type %s was saved: %s", demand->label,
                  strerror(-rc));
        log_failure(host, "restore", request->name, &error);
    }
}

/* The promise for a hostdev: of its source, else of its alias, because a restore may give the
 * hostdev another source. */
static const struct lease *
find_promise(const struct ledger *ledger, const struct name *domain, uint64_t now,
             const struct request_hostdev *hostdev)
{
    const struct lease *of_alias = NULL;

    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        if (!lease_binds(lease, domain, now))
            continue;
        if (name_equal(&lease->vgpu.device, &hostdev->source))
            return lease;
        if (hostdev->alias && !strcmp(lease->alias, hostdev->alias))
            of_alias = lease;
    }
    return of_alias;
}

void
snapshot_bind_to_promises(struct snapshot *snapshot, const struct host *host,
                          const struct request *request)
{
    const struct ledger *ledger = &snapshot->ledger;
    const uint64_t now = host_seconds(host);

    for (size_t i = 0; i < snapshot->demands.count; i++) {
        struct demand *demand = &snapshot->demands.items[i];
        const struct lease *promise = find_promise(ledger, &request->domain, now, demand->hostdev);

        demand->terms.passes_drain = promise != NULL;
        if (!promise)
            continue;
        demand->terms.place = promise->vgpu.parent;
        demand->terms.saved = promise->vgpu.type;
    }
}

/* A removal under way takes the device off the bus first, and its directory last. Until then the
 * device is still on its parent, and the driver's figures are right. */
static void
add_going(struct snapshot *snapshot, const struct host *host)
{
    for (size_t i = 0; i < snapshot->ledger.count; i++) {
        const struct lease *lease = &snapshot->ledger.leases[i];
        struct name type;

        if (lease_state_is_going(lease->state) &&
            !inventory_find_vgpu(&snapshot->inventory, &lease->vgpu.device) &&
            vgpu_state(host, &lease->vgpu, &type) == VGPU_TRANSIENT)
            inventory_add_going(&snapshot->inventory, &lease->vgpu.device, &lease->vgpu.parent);
    }
}

/* Takes the size of a vGPU from its lease: nothing else may describe its type. */
static void
tell_sizes(struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->inventory.vgpu_count; i++) {
        struct inventory_vgpu *vgpu = snapshot->inventory.vgpus[i];
        const struct lease *lease = ledger_find(&snapshot->ledger, &vgpu->device);

        if (lease)
            vgpu->framebuffer = lease->framebuffer;
    }
}

int
snapshot_scan(struct snapshot *snapshot, const struct host *host, struct error *error)
{
    int rc;

    inventory_clear(&snapshot->inventory);
    rc = scan_host(host, &snapshot->policy, &snapshot->filter, &snapshot->inventory, error);
    if (rc < 0)
        return rc;
    tell_sizes(snapshot);
    add_going(snapshot, host);
    for (size_t i = 0; i < snapshot->demands.count; i++) {
        const struct name *vf = demand_vf(&snapshot->demands.items[i]);

        if (vf)
            ineligible_add(host, vf, &snapshot->inventory);
    }
    return 0;
}

int
snapshot_look(struct snapshot *snapshot, const struct statedir *statedir, const struct name *of,
              struct look *look, struct error *error)
{
    const struct lease *unknown = ledger_find_unknown(&snapshot->ledger);
    int rc;

    /* What such a vGPU takes of its GPU is not known either. */
    if (unknown)
        return error_set(error, -EPROTONOSUPPORT,
                         "the guest %s has the vGPU %s, of the interface \"%s\", which this "
                         "libvirt-vgpu does not know; install the version that gave it, or let "
                         "'vgpuctl reconcile --rebuild' forget it",
                         unknown->domain_name, unknown->vgpu.device.text, unknown->kind.text);
    rc = drained_check(snapshot->ledger.drained_rc, error);
    if (rc < 0)
        return rc;
    look_take_with(look, statedir, &snapshot->ledger, of);
    if (!of)
        look_at_guests_if_needed(look, statedir);
    return snapshot_scan(snapshot, statedir->host, error);
}

int
snapshot_lock(struct snapshot *snapshot, struct transaction *transaction, const struct look *look,
              struct error *error)
{
    int rc;

    ledger_clear(&snapshot->ledger);
    rc = transaction_begin(transaction, &snapshot->ledger, error);
    if (rc < 0)
        return rc;
    rc = drained_check(snapshot->ledger.drained_rc, error);
    if (rc < 0) {
        transaction_abort(transaction);
        return rc;
    }
    fate_sweep_cards(&transaction->statedir, look, &snapshot->ledger);
    ledger_clear(&snapshot->changed);
    look_compare(look, &snapshot->ledger, &snapshot->changed);
    type_cache_store(transaction->statedir.dir, &snapshot->inventory);
    if (*snapshot->inventory.table_fault.text)
        log_failure(transaction->host, "scan", "-", &snapshot->inventory.table_fault);
    return 0;
}

/* Reads what the policy does not say. */
static int
take_rest(struct snapshot *snapshot, const struct host *host, struct error *error)
{
    struct error fault;
    int rc;

    reader_begin(host->reader, READER_PATIENCE);
    rc = statedir_peek(host, &snapshot->ledger, error);
    if (!*snapshot->policy_fault.text && drained_check(snapshot->ledger.drained_rc, &fault) < 0)
        snapshot->policy_fault = fault;
    return rc < 0 ? rc : snapshot_scan(snapshot, host, error);
}

int
snapshot_take_to_show(struct snapshot *snapshot, const struct host *host,
                      const struct inventory_filter *filter, struct error *error)
{
    struct error fault;

    *snapshot = (struct snapshot){.filter = *filter};
    if (policy_load(host, &snapshot->policy, &fault) < 0)
        snapshot->policy_fault = fault;
    return take_rest(snapshot, host, error);
}

int
snapshot_take_again(struct snapshot *snapshot, const struct host *host, struct error *error)
{
    ledger_clear(&snapshot->ledger);
    return take_rest(snapshot, host, error);
}

int
snapshot_take(struct snapshot *snapshot, const struct host *host,
              const struct inventory_filter *filter, struct error *error)
{
    int rc = snapshot_take_to_show(snapshot, host, filter, error);

    if (!*snapshot->policy_fault.text)
        return rc;
    *error = snapshot->policy_fault;
    return -EINVAL;
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
