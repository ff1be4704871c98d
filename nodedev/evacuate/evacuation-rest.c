/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "evacuate/evacuation-rest.h"
#include "actions/reap.h"
#include "actions/reconcile.h"
#include "base/printable.h"
#include "cli/reply.h"
#include "libvirt/connection.h"

#include <string.h>

/* --- vGPUs ------------------------------------------------------------------------------------ */

/* Whether a vGPU is still there, or has a lease. */
static bool
is_there(const struct snapshot *snapshot, const struct name *device)
{
    return inventory_find_vgpu(&snapshot->inventory, device) ||
           ledger_find(&snapshot->ledger, device);
}

void
evacuation_rest_remove(struct evacuation_plan *plan)
{
    const struct host *host = plan->call->host;
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(names_clear) struct names kept = {0};
    struct error error;

    for (size_t i = 0; i < plan->count; i++) {
        const struct evacuee *item = &plan->items[i];
        const struct lease *lease = ledger_find(&plan->snapshot.ledger, &item->device);

        if (item->move.way == EVACUATION_REAP && lease && lease->state == LEASE_KEPT)
            names_append(&kept, &item->device);
    }
    reap_named(host, &plan->snapshot.ledger, &kept);
    (void)!reconcile_host(host, &outcomes, &error);
    if (snapshot_take_to_show(&snapshot, host, &inventory_no_types, &error) < 0)
        return;
    for (size_t i = 0; i < plan->count; i++) {
        struct evacuee *item = &plan->items[i];

        if (item->move.way != EVACUATION_REAP)
            continue;
        item->result = "removed";
        if (is_there(&snapshot, &item->device)) {
            item->move.way = EVACUATION_STAYS;
            item->result = "stayed";
        }
    }
}

/* --- definitions ------------------------------------------------------------------------------ */

static void
tell_of(const struct evacuation_plan *plan, const struct domain *domain)
{
    for (size_t i = 0; i < domain->config.hostdev_count; i++) {
        const struct name *source = &domain->config.hostdevs[i].source;
        const struct inventory_parent *parent =
            inventory_find_parent(&plan->snapshot.inventory, source);

        if (!parent || !names_has(&plan->gpus, &parent->gpu->name))
            continue;
        reply_warn(plan->call, ERROR_IN_USE,
                   "%s is off, and its definition names %s of %s: it does not start while that is "
                   "drained ('vgpuctl attach %s --renew' names another)",
                   domain->name, source->text, parent->gpu->name.text,
                   shell_word(domain->name).text);
    }
}

void
evacuation_rest_tell(const struct evacuation_plan *plan)
{
    AUTO(domains_clear) struct domains domains = {0};
    struct error ignored;

    if (!plan->connection || connection_domains(plan->connection, &domains, &ignored) < 0)
        return;
    for (size_t i = 0; i < domains.count; i++) {
        if (!domains.items[i].is_running)
            tell_of(plan, &domains.items[i]);
    }
}
