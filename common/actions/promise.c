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
find_own(const struct ledger *ledger, const struct name *domain,
         const struct request_hostdev *hostdev)
{
    const struct lease *lease = ledger_find(ledger, &hostdev->source);

    return lease && lease->state == LEASE_HELD && name_equal(&lease->domain, domain) ? lease : NULL;
}

/* A saved state loads only into the type that the vGPU had. `before`: the leases of then name the
 * only places that will do; NULL: any will. `former` gets what the guest has, or had. */
static int
bind(struct snapshot *snapshot, const struct request *request, const struct ledger *before,
     struct ledger *former, struct error *error)
{
    struct demands *demands = &snapshot->demands;

    for (size_t i = 0; i < demands->count; i++) {
        struct demand *demand = &demands->items[i];
        const struct lease *own =
            before ? ledger_find(before, &demand->hostdev->source)
                   : find_own(&snapshot->ledger, &request->domain, demand->hostdev);

        if (!own)
            return error_refuse(error, ERROR_NOT_FOUND,
                                "%s: the ledger does not say that %s has it (%s)", demand->label,
                                request->name, demand->hostdev->source.text);
        demand->terms.saved = own->vgpu.type;
        if (before) {
            demand->terms.place = own->vgpu.parent;
            demand->terms.passes_drain = true;
        }
        ledger_add(former, own);
    }
    demands_set_free(demands, DEMAND_ANY_PLACE);
    return 0;
}

/* Which GPUs will not do. */
static void
find_excluded(const struct inventory *inventory, const struct names *left, const struct names *only,
              struct names *ret)
{
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct name *gpu = &inventory->gpus[i]->name;

        if (names_has(left, gpu) || (only->count && !names_has(only, gpu)))
            names_append(ret, gpu);
    }
}

/* Under the lock: whether the guest has what it had at the look, and nobody else moves it. Two
 * commands that move one guest would start it for each other, and neither at its own place. */
static int
check_alone(const struct promise *promise, struct error *error)
{
    const struct statedir *statedir = &promise->transaction.statedir;
    const struct ledger *now = &promise->snapshot.ledger, *then = &promise->former;
    const char *name = promise->request->name;

    for (size_t i = 0; i < now->count; i++) {
        const struct lease *lease = &now->leases[i];

        if (lease_is_nobodys(lease) && !strcmp(lease->domain_name, name) &&
            statedir_is_claimed(statedir, lease))
            return error_set(error, -EBUSY,
                             "another vgpuctl moves %s: it holds a place on %s; wait until it ends",
                             name, lease->gpu.text);
    }
    for (size_t i = 0; i < then->count; i++) {
        const struct lease *lease = ledger_find(now, &then->leases[i].vgpu.device);

        if (!lease || lease_has_changed(&then->leases[i], lease))
            return error_set(error, -EBUSY, "the vGPU %s of %s has changed meanwhile; try again",
                             then->leases[i].vgpu.device.text, name);
    }
    return 0;
}

/* How many of a class the guest has now. */
static unsigned
count_own(const struct snapshot *snapshot, const struct policy_class *class)
{
    unsigned count = 0;

    for (size_t i = 0; i < snapshot->demands.count; i++) {
        const struct inventory_vgpu *vgpu =
            inventory_find_vgpu(&snapshot->inventory, &snapshot->demands.items[i].hostdev->source);
        const struct inventory_type *type = vgpu ? inventory_type_of(vgpu) : NULL;

        count += type && demand_class_has(class, type);
    }
    return count;
}

/* What the guest has now goes. So its quotas allow as much more, until its places are found. */
static void
shift_quotas(struct snapshot *snapshot, bool up)
{
    struct policy *policy = &snapshot->policy;

    for (size_t i = 0; i < policy->quota_count; i++) {
        const struct policy_class *class = policy_find_class(policy, policy->quotas[i].class);
        unsigned count = count_own(snapshot, class);

        policy->quotas[i].max += up ? count : -count;
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

/* The guest is a stranger here, with a UUID that nobody has: what it has keeps its place, and so
 * does what other calls hold. The caller clears ret. */
static int
choose(struct snapshot *snapshot, const struct host *host, const struct request *request,
       const struct names *left, const struct names *only, struct plan *ret, struct error *error)
{
    const struct plan_actor actor = {.time = host_seconds(host)};
    AUTO(names_clear) struct names excluded = {0};
    AUTO_FREE struct placement_choice *choices =
        memory_zeroed(snapshot->demands.count, sizeof(*choices));
    struct request stranger = *request;
    struct placement_problem problem;
    int rc = name_new_uuid(&stranger.domain);

    if (rc < 0)
        return error_set(error, -EIO, NO_UUID);
    find_excluded(&snapshot->inventory, left, only, &excluded);
    problem = snapshot_problem(snapshot, &stranger);
    problem.left = &excluded;
    shift_quotas(snapshot, true);
    rc = placement_find(&problem, choices, error);
    shift_quotas(snapshot, false);
    if (rc == 0)
        plan_build(&problem, choices, &actor, ret);
    return rc;
}

/* Makes a place that was found one of nobody's: no start gets it. */
static int
make_nobodys(struct lease *lease)
{
    (void)!name_parse_uuid(&lease->domain, LEASE_NOBODY);
    if (lease->vgpu.interface->hostdev == REQUEST_MDEV)
        return name_new_uuid(&lease->vgpu.device);
    return 0;
}

/* Under the lock: makes the two leases of each place: the one that holds it, in the ledger, and
 * what it becomes. */
static int
record(struct promise *promise, struct plan *plan, struct error *error)
{
    struct statedir *statedir = &promise->transaction.statedir;
    struct ledger *ledger = &promise->snapshot.ledger;
    int rc = statedir_claim(statedir, ledger, error);

    if (rc < 0)
        return rc;
    promise->devices = memory_zeroed(plan->count, sizeof(*promise->devices));
    promise->leases = memory_zeroed(plan->count, sizeof(*promise->leases));
    for (size_t i = 0; i < plan->count; i++) {
        struct lease *lease = &plan->steps[i].lease;
        struct lease *later = &promise->leases[i];

        *later = *lease;
        later->domain = promise->request->domain;
        later->state = LEASE_RESERVED;
        later->daemon = LEASE_PROMISED;
        later->claim = 0;
        if (make_nobodys(lease) < 0)
            return error_set(error, -EIO, NO_UUID);
        lease->claim = statedir->claim;
        promise->devices[i] = lease->vgpu.device;
        ledger_add(ledger, lease);
    }
    promise->count = plan->count;
    return 0;
}

/* Looks without the lock, then decides under it. */
static int
hold(struct promise *promise, const struct ledger *before, const struct names *left,
     const struct names *only, struct error *error)
{
    AUTO(look_clear) struct look look = {0};
    AUTO(plan_clear) struct plan plan = {0};
    struct transaction *transaction = &promise->transaction;
    struct snapshot *snapshot = &promise->snapshot;
    int rc;

    transaction->lock_timeout = snapshot->policy.lock_timeout;
    reader_begin(promise->host->reader, PATIENCE);
    rc = statedir_load(&transaction->statedir, &snapshot->ledger, error);
    if (rc == 0)
        rc = bind(snapshot, promise->request, before, &promise->former, error);
    if (rc == 0)
        rc = snapshot_look(snapshot, &transaction->statedir, NULL, &look, error);
    if (rc == 0)
        rc = snapshot_lock(snapshot, transaction, &look, error);
    if (rc < 0)
        return rc;
    rc = before ? 0 : check_alone(promise, error);
    if (rc == 0) {
        forget_promises(&snapshot->ledger, &promise->request->domain);
        rc = choose(snapshot, promise->host, promise->request, left, only, &plan, error);
    }
    if (rc == 0)
        rc = record(promise, &plan, error);
    if (rc == 0)
        rc = transaction_commit(transaction, &snapshot->ledger, error);
    else
        transaction_abort(transaction);
    if (rc < 0)
        promise->count = 0;
    return rc;
}

static int
check_asks(int rc, const struct request *request, struct error *error)
{
    if (rc == 0)
        rc = error_refuse(error, ERROR_NOT_FOUND, "%s asks for no vGPU here", request->name);
    return rc < 0 ? rc : 0;
}

static int
begin(const struct host *host, const struct request *request, struct promise *ret,
      struct error *error)
{
    int rc;

    *ret = PROMISE_NONE;
    ret->host = host;
    ret->request = request;
    rc = check_asks(snapshot_read(&ret->snapshot, host, request, "move", error), request, error);
    return rc < 0 ? rc : transaction_open(host, true, &ret->transaction, error);
}

int
promise_hold(const struct host *host, const struct request *request, const struct names *left,
             const struct names *only, struct promise *ret, struct error *error)
{
    int rc = begin(host, request, ret, error);

    return rc < 0 ? rc : hold(ret, NULL, left, only, error);
}

int
promise_hold_former(const struct promise *before, struct promise *ret, struct error *error)
{
    const struct names any = {0};
    int rc = begin(before->host, before->request, ret, error);

    return rc < 0 ? rc : hold(ret, &before->former, &any, &any, error);
}

/* --- foreseen --------------------------------------------------------------------------------- */

int
promise_foresee(struct snapshot *snapshot, const struct host *host, const struct request *request,
                const struct names *left, const struct names *only, struct ledger *former,
                struct error *error)
{
    AUTO(plan_clear) struct plan plan = {0};
    int rc;

    demands_clear(&snapshot->demands);
    if (*snapshot->policy_fault.text) {
        *error = snapshot->policy_fault;
        return -EINVAL;
    }
    rc = check_asks(snapshot_resolve(snapshot, host, request, error), request, error);
    if (rc == 0)
        rc = bind(snapshot, request, NULL, former, error);
    if (rc == 0)
        rc = choose(snapshot, host, request, left, only, &plan, error);
    for (size_t i = 0; i < plan.count && rc == 0; i++) {
        rc = make_nobodys(&plan.steps[i].lease);
        if (rc < 0)
            error_set(error, -EIO, NO_UUID);
        else
            ledger_add(&snapshot->ledger, &plan.steps[i].lease);
    }
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
