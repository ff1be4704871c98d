/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/promise.h"
#include "base/memory.h"
#include "base/reader.h"
#include "placement/plan.h"

#include <string.h>

#define PATIENCE 2000 /* ms that a card has to answer */
#define NO_UUID  "the kernel gives no random UUID"

/* --- the question ----------------------------------------------------------------------------- */

static const struct lease *
find_own(const struct promise *promise, const struct request_hostdev *hostdev)
{
    const struct ledger *ledger = &promise->snapshot.ledger;
    const struct lease *lease = ledger_find(ledger, &hostdev->source);

    return lease && lease->state == LEASE_HELD &&
                   name_equal(&lease->domain, &promise->request->domain)
               ? lease
               : NULL;
}

/* A saved state loads only into the type that the vGPU had. `before`: the places of then will do,
 * and no others; NULL: any will. */
static int
bind(struct promise *promise, const struct promise *before, struct error *error)
{
    struct demands *demands = &promise->snapshot.demands;

    for (size_t i = 0; i < demands->count; i++) {
        struct demand *demand = &demands->items[i];
        const struct lease *own = before ? ledger_find(&before->former, &demand->hostdev->source)
                                         : find_own(promise, demand->hostdev);

        if (!own)
            return error_refuse(error, ERROR_NOT_FOUND,
                                "%s: the ledger does not say that %s has it (%s)", demand->label,
                                promise->request->name, demand->hostdev->source.text);
        demand->saved = own->vgpu.type;
        if (before) {
            demand->place = own->vgpu.parent;
            demand->passes_drain = true;
        }
        ledger_add(&promise->former, own);
    }
    demands_set_free(demands, DEMAND_ANY_PLACE);
    return 0;
}

/* Which GPUs will not do. */
static void
find_excluded(const struct inventory *inventory, const struct names *left, const struct name *only,
              struct names *ret)
{
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct name *gpu = &inventory->gpus[i]->name;

        if (names_has(left, gpu) || (only && !name_equal(only, gpu)))
            names_append(ret, gpu);
    }
}

/* What the guest has now goes. So its quotas allow as much more. */
static void
raise_quotas(struct promise *promise)
{
    struct policy *policy = &promise->snapshot.policy;

    for (size_t i = 0; i < policy->quota_count; i++) {
        const struct policy_class *class = policy_find_class(policy, policy->quotas[i].class);

        for (size_t k = 0; k < promise->snapshot.demands.count; k++) {
            const struct inventory_vgpu *vgpu = inventory_find_vgpu(
                &promise->snapshot.inventory, &promise->snapshot.demands.items[k].hostdev->source);
            const struct inventory_type *type = vgpu ? inventory_type_of(vgpu) : NULL;

            policy->quotas[i].max += type && demand_class_has(class, type);
        }
    }
}

/* A promise of before is replaced: a start that libvirt refused itself calls no release. */
static void
forget_promises(struct ledger *ledger, const struct name *domain)
{
    for (size_t i = 0; i < ledger->count;) {
        struct lease *lease = &ledger->leases[i];

        if (lease_is_promise(lease) && name_equal(&lease->domain, domain))
            ledger_remove(ledger, lease);
        else
            i++;
    }
}

/* --- held ------------------------------------------------------------------------------------- */

/* Makes the two leases of each place: the one that holds it, in the ledger, and what it becomes. */
static int
record(struct promise *promise, struct plan *plan)
{
    struct ledger *ledger = &promise->snapshot.ledger;

    promise->devices = memory_zeroed(plan->count, sizeof(*promise->devices));
    promise->leases = memory_zeroed(plan->count, sizeof(*promise->leases));
    for (size_t i = 0; i < plan->count; i++) {
        struct lease *lease = &plan->steps[i].lease;
        struct lease *later = &promise->leases[i];

        *later = *lease;
        later->domain = promise->request->domain;
        (void)!name_parse_uuid(&lease->domain, LEASE_NOBODY);
        later->state = LEASE_RESERVED;
        later->daemon = LEASE_PROMISED;
        later->claim = 0;
        if (lease->vgpu.interface->hostdev == REQUEST_MDEV &&
            name_new_uuid(&lease->vgpu.device) < 0)
            return -EIO;
        promise->devices[i] = lease->vgpu.device;
        ledger_add(ledger, lease);
    }
    promise->count = plan->count;
    return 0;
}

/* The guest is a stranger here, with a UUID that nobody has: what it has keeps its place, and so
 * does what other calls hold. */
static int
choose(struct promise *promise, const struct names *left, bool claims, struct error *error)
{
    struct request stranger = *promise->request;
    struct transaction *transaction = &promise->transaction;
    AUTO_FREE struct placement_choice *choices =
        memory_zeroed(promise->snapshot.demands.count, sizeof(*choices));
    AUTO(plan_clear) struct plan plan = {0};
    struct placement_problem problem;
    struct plan_actor actor;
    int rc = name_new_uuid(&stranger.domain);

    problem = snapshot_problem(&promise->snapshot, &stranger);
    problem.left = left;
    if (rc < 0)
        return error_set(error, -EIO, NO_UUID);
    rc = placement_find(&problem, choices, error);
    if (rc == 0 && claims)
        rc = statedir_claim(&transaction->statedir, &promise->snapshot.ledger, error);
    if (rc < 0)
        return rc;
    actor = (struct plan_actor){{0}, transaction->statedir.claim, host_seconds(promise->host)};
    plan_build(&problem, choices, &actor, &plan);
    rc = record(promise, &plan);
    return rc < 0 ? error_set(error, rc, NO_UUID) : 0;
}

/* Looks without the lock, then decides under it. */
static int
hold(struct promise *promise, const struct promise *before, const struct names *left,
     const struct name *only, struct error *error)
{
    AUTO(look_clear) struct look look = {0};
    AUTO(names_clear) struct names others = {0};
    struct transaction *transaction = &promise->transaction;
    struct snapshot *snapshot = &promise->snapshot;
    int rc;

    transaction->lock_timeout = snapshot->policy.lock_timeout;
    reader_begin(promise->host->reader, PATIENCE);
    rc = statedir_load(&transaction->statedir, &snapshot->ledger, error);
    if (rc == 0)
        rc = bind(promise, before, error);
    if (rc == 0)
        rc = snapshot_look(snapshot, &transaction->statedir, NULL, &look, error);
    if (rc == 0)
        rc = snapshot_lock(snapshot, transaction, &look, error);
    if (rc < 0)
        return rc;
    forget_promises(&snapshot->ledger, &promise->request->domain);
    find_excluded(&snapshot->inventory, left, only, &others);
    raise_quotas(promise);
    rc = choose(promise, &others, true, error);
    if (rc == 0)
        rc = transaction_commit(transaction, &snapshot->ledger, error);
    else
        transaction_abort(transaction);
    if (rc < 0)
        promise->count = 0;
    return rc;
}

static int
begin(const struct host *host, const struct request *request, struct promise *ret,
      struct error *error)
{
    int rc;

    *ret = PROMISE_NONE;
    ret->host = host;
    ret->request = request;
    rc = snapshot_read(&ret->snapshot, host, request, "move", error);
    if (rc == 0)
        rc = error_refuse(error, ERROR_NOT_FOUND, "%s asks for no vGPU here", request->name);
    return rc < 0 ? rc : 0;
}

int
promise_hold(const struct host *host, const struct request *request, const struct names *left,
             const struct name *only, struct promise *ret, struct error *error)
{
    int rc = begin(host, request, ret, error);

    if (rc == 0)
        rc = transaction_open(host, true, &ret->transaction, error);
    return rc < 0 ? rc : hold(ret, NULL, left, only, error);
}

int
promise_hold_former(const struct promise *before, struct promise *ret, struct error *error)
{
    const struct names none = {0};
    int rc = begin(before->host, before->request, ret, error);

    if (rc == 0)
        rc = transaction_open(before->host, true, &ret->transaction, error);
    return rc < 0 ? rc : hold(ret, before, &none, NULL, error);
}

/* The same without the lock. */
static int
foresee(struct promise *promise, const struct ledger *earlier, const struct names *left,
        const struct name *only, struct error *error)
{
    AUTO(look_clear) struct look look = {0};
    AUTO(names_clear) struct names others = {0};
    struct snapshot *snapshot = &promise->snapshot;
    int rc = statedir_peek(promise->host, &snapshot->ledger, error);

    if (rc == 0)
        rc = bind(promise, NULL, error);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < earlier->count; i++)
        ledger_add(&snapshot->ledger, &earlier->leases[i]);
    transaction_open_to_look(promise->host, &promise->transaction);
    reader_begin(promise->host->reader, PATIENCE);
    rc = snapshot_look(snapshot, &promise->transaction.statedir, NULL, &look, error);
    if (rc < 0)
        return rc;
    find_excluded(&snapshot->inventory, left, only, &others);
    raise_quotas(promise);
    return choose(promise, &others, false, error);
}

int
promise_foresee(const struct host *host, const struct request *request, const struct names *left,
                const struct name *only, struct ledger *earlier, struct promise *ret,
                struct error *error)
{
    int rc = begin(host, request, ret, error);

    if (rc == 0)
        rc = foresee(ret, earlier, left, only, error);
    for (size_t i = 0; rc == 0 && i < ret->count; i++)
        ledger_add(earlier, ledger_find(&ret->snapshot.ledger, &ret->devices[i]));
    ret->count = 0;
    return rc;
}

/* --- given ------------------------------------------------------------------------------------ */

/* Under the lock: one place. */
static int
give(struct promise *promise, size_t index, struct ledger *ledger, struct error *error)
{
    struct lease *held = ledger_find(ledger, &promise->devices[index]),
                 later = promise->leases[index];

    if (!held || held->claim != promise->transaction.statedir.claim)
        return transaction_lost(&promise->devices[index], error);
    ledger_remove(ledger, held);
    if (ledger_find(ledger, &later.vgpu.device))
        return error_set(error, -EBUSY, "the vGPU %s is not gone yet", later.vgpu.device.text);
    later.claim = statedir_take_number(&promise->transaction.statedir, ledger);
    later.time = host_seconds(promise->host);
    ledger_add(ledger, &later);
    return 0;
}

/* Under the lock: what the guest had is gone, and it has nothing new. A virtual function has
 * another name than the former one, so each lease counts. */
static int
check_gone(const struct ledger *ledger, const struct name *domain, struct error *error)
{
    const struct lease *lease = ledger_find_of(ledger, domain);

    return lease ? error_set(error, -EBUSY, "the vGPU %s is not gone yet (%s)",
                             lease->vgpu.device.text, lease_state_name(lease->state))
                 : 0;
}

int
promise_give(struct promise *promise, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct transaction *transaction = &promise->transaction;
    int rc;

    transaction->lock_timeout = promise->snapshot.policy.lock_timeout;
    rc = transaction_begin(transaction, &ledger, error);
    if (rc < 0)
        return rc;
    rc = check_gone(&ledger, &promise->request->domain, error);
    for (size_t i = 0; i < promise->count && rc == 0; i++)
        rc = give(promise, i, &ledger, error);
    if (rc < 0) {
        transaction_abort(transaction);
        return rc;
    }
    rc = transaction_commit(transaction, &ledger, error);
    if (rc == 0)
        promise->count = 0;
    return rc;
}

void
promise_close(struct promise *promise)
{
    struct error ignored;

    for (size_t i = 0; i < promise->count; i++) {
        promise->transaction.lock_timeout = promise->snapshot.policy.lock_timeout;
        if (transaction_forget(&promise->transaction, &promise->devices[i], &ignored) < 0)
            break;
    }
    free(promise->devices);
    free(promise->leases);
    ledger_clear(&promise->former);
    transaction_close(&promise->transaction);
    snapshot_clear(&promise->snapshot);
    *promise = PROMISE_NONE;
}
