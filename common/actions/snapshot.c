/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/snapshot.h"
#include "base/reader.h"
#include "device/ineligible.h"
#include "device/nvidia-number.h"
#include "device/scan.h"
#include "device/topology.h"
#include "device/type-cache.h"
#include "lease/card-end.h"
#include "lease/drained.h"
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
        const struct demand *demand = &demands->items[i];
        unsigned rank;

        /* The demand asks by frame buffer, which may not have been read yet. */
        if (demand_ranks(demand, type, &rank) || (demand->framebuffer && !type->framebuffer))
            return true;
    }
    return false;
}

/* Whether each of these words is an id, so that no type's name has to be compared with it. A word
 * for a number of NVIDIA's is one, because no other driver's types are called so. Any other word is
 * an id if a type of the GPU has it. */
static bool
are_ids(char *const *words, size_t count, const struct names *ids)
{
    struct name word;

    for (size_t i = 0; i < count; i++) {
        if (name_parse(&word, words[i]) < 0 ||
            (nvidia_number_of_word(words[i]) == 0 && !names_has(ids, &word)))
            return false;
    }
    return true;
}

/* Whether a decision may compare the names of a GPU's types with words of the demands or the
 * policy. */
static bool
wants_names(const struct name *gpu, const struct names *ids, const void *data)
{
    const struct snapshot *snapshot = data;
    const struct policy *policy = &snapshot->policy;
    const struct policy_gpu *rules = policy_find_gpu(policy, gpu);
    bool enough = !rules || are_ids(rules->types.items, rules->types.count, ids);

    for (size_t i = 0; enough && i < snapshot->demands.count; i++)
        enough =
            are_ids(snapshot->demands.items[i].words, snapshot->demands.items[i].word_count, ids);
    for (size_t i = 0; enough && i < policy->limit_count; i++)
        enough = are_ids(policy->limits[i].types.items, policy->limits[i].types.count, ids);
    for (size_t i = 0; enough && i < policy->quota_count; i++) {
        const struct policy_class *class = policy_find_class(policy, policy->quotas[i].class);

        enough = !class || are_ids(class->types.items, class->types.count, ids);
    }
    return !enough;
}

static bool
wants_all_names(const struct name *gpu, const struct names *ids, const void *data)
{
    (void)gpu;
    (void)ids;
    (void)data;
    return true;
}

static bool
lists_type(const struct inventory *inventory, const struct demand *demand)
{
    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++) {
        if (demand_count_types(demand, inventory->gpus[gpu]))
            return true;
    }
    return false;
}

/* Whether a lease's type is to be shown, but has no name, because its vGPU is not there. */
static bool
has_nameless_lease(const struct snapshot *snapshot)
{
    const struct inventory *inventory = &snapshot->inventory;

    for (size_t i = 0; i < snapshot->ledger.count; i++) {
        const struct lease *lease = &snapshot->ledger.leases[i];
        const struct inventory_gpu *gpu = inventory_find_gpu(inventory, &lease->gpu);
        const struct inventory_type *type =
            gpu ? inventory_find_type(gpu, &lease->vgpu.type) : NULL;

        if (type && !inventory_type_has_name(type) &&
            !inventory_find_vgpu(inventory, &lease->vgpu.device))
            return true;
    }
    return false;
}

/* Whether the sizes of all types are needed for a demanded type that may share its GPU in time.
 * They are if its driver does not tell how many fit, alone or beside another demanded size. Then
 * the sizes tell that (maxima.h), and NVIDIA's names have them. */
static bool
needs_sizes(const struct snapshot *snapshot)
{
    const struct inventory_type *type = NULL, *first = NULL;

    while ((type = inventory_next_type(&snapshot->inventory, type))) {
        if (!type->gpu->one_size || !type->framebuffer || !inventory_type_shares_time(type) ||
            !is_demanded_type(type, snapshot))
            continue;
        if (!first || first->gpu != type->gpu)
            first = type;
        if (!type->max || (snapshot->demands.count > 1 && type->framebuffer != first->framebuffer))
            return true;
    }
    return false;
}

/* Whether the names that were left out are needed after all. If a demand asks for an id that no GPU
 * here has, the user is told what there is. */
static bool
lacks_names(const struct snapshot *snapshot)
{
    const struct inventory *inventory = &snapshot->inventory;
    const struct inventory_type *type = NULL;
    bool some = false;

    /* A partial list comes with names. */
    while (!some && (type = inventory_next_type(inventory, type)))
        some = !type->gpu->is_partial && !inventory_type_has_name(type);
    if (!some || snapshot->filter.wants_names == wants_all_names)
        return false;
    for (size_t i = 0; i < snapshot->demands.count; i++) {
        if (!lists_type(inventory, &snapshot->demands.items[i]))
            return true;
    }
    return needs_sizes(snapshot) || (snapshot->demands.count == 0 && has_nameless_lease(snapshot));
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

    snapshot->filter = (struct inventory_filter){is_demanded_type, snapshot, wants_names, false};
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
            demand->saved = type;
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

        demand->passes_drain = promise != NULL;
        if (!promise)
            continue;
        demand->place = promise->vgpu.parent;
        demand->saved = promise->vgpu.type;
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

static int
scan(struct snapshot *snapshot, const struct host *host, struct error *error)
{
    inventory_clear(&snapshot->inventory);
    return scan_host(host, &snapshot->policy, &snapshot->filter, &snapshot->inventory, error);
}

int
snapshot_scan(struct snapshot *snapshot, const struct host *host, struct error *error)
{
    int rc;

    rc = scan(snapshot, host, error);
    if (rc == 0 && lacks_names(snapshot)) {
        snapshot->filter.wants_names = wants_all_names;
        rc = scan(snapshot, host, error);
    }
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
    card_end_sweep(&transaction->statedir, look, &snapshot->ledger);
    ledger_clear(&snapshot->changed);
    look_compare(look, &snapshot->ledger, &snapshot->changed);
    type_cache_store(transaction->host, transaction->statedir.dir, &snapshot->inventory);
    if (*snapshot->inventory.table_fault.text)
        log_failure(transaction->host, "scan", "-", &snapshot->inventory.table_fault);
    return 0;
}

int
snapshot_take_to_show(struct snapshot *snapshot, const struct host *host,
                      const struct inventory_filter *filter, struct error *error)
{
    struct error fault;
    int rc;

    *snapshot = (struct snapshot){.filter = *filter};
    reader_begin(host->reader, READER_PATIENCE);
    if (policy_load(host, &snapshot->policy, &fault) < 0)
        snapshot->policy_fault = fault;
    rc = statedir_peek(host, &snapshot->ledger, error);
    if (!*snapshot->policy_fault.text && drained_check(snapshot->ledger.drained_rc, &fault) < 0)
        snapshot->policy_fault = fault;
    return rc < 0 ? rc : snapshot_scan(snapshot, host, error);
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
