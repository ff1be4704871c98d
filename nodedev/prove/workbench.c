/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "prove/workbench.h"
#include "apply/apply.h"
#include "apply/remove-all.h"
#include "base/array.h"
#include "base/descriptors.h"
#include "device/type-cache.h"
#include "lease/proving.h"
#include "placement/constraints.h"
#include "sriov/sriov.h"

#include <string.h>

#define BUSY 2000 /* ms for a process that has a new vGPU open for a moment */

/* Begins a transaction. Its waits may take the whole lock_timeout. */
static int
begin(struct workbench *bench, struct ledger *ledger, struct error *error)
{
    bench->transaction.lock_timeout = bench->lock_timeout;
    return transaction_begin(&bench->transaction, ledger, error);
}

/* Call it under the lock. */
static int
check_leases(const struct name *gpu, const struct ledger *ledger, struct error *error)
{
    const struct lease *lease =
        ARRAY_FIND(ledger->leases, ledger->count, item, name_equal(&item->gpu, gpu));

    if (!lease)
        return 0;
    error_set(error, -EBUSY, "%s is in use: the vGPU %s is that of %s (%s)", gpu->text,
              lease->vgpu.device.text, lease->domain_name, lease_state_name(lease->state));
    if (lease->state == LEASE_KEPT)
        error_advise_command(error, "remove it with", "vgpuctl reap %s", lease->vgpu.device.text);
    else
        error_advise_command(error, "keep new guests away until the GPU is empty with",
                             "vgpuctl drain %s", gpu->text);
    return -EBUSY;
}

static int
refuse_whole_card(const struct name *gpu, const struct ledger *ledger, struct error *error)
{
    const struct name nobody = {0};

    return error_set(error, -EBUSY, "the guest %s takes the card %s itself",
                     ledger_find_card(ledger, gpu, &nobody)->domain_name, gpu->text);
}

/* inventory: NULL if leases may be on the GPU. */
static int
take(struct workbench *bench, const struct inventory *inventory, struct ledger *ledger,
     struct error *error)
{
    struct statedir *statedir = &bench->transaction.statedir;
    int rc = inventory ? check_leases(&bench->gpu, ledger, error) : 0;

    if (rc == 0)
        rc = statedir_claim(statedir, ledger, error);
    if (rc == 0)
        rc = proving_begin(bench->host, &bench->gpu, statedir->claim, error);
    if (rc < 0)
        return rc;
    bench->is_taken = true;
    descriptors_bequeath(statedir->claims);
    if (inventory)
        type_cache_store(statedir->dir, inventory);
    return 0;
}

static int
refuse_proved(const struct host *host, const struct name *gpu, struct error *error)
{
    struct lock_holder holder;
    bool is_known = proving_find(host, gpu, &holder);

    return error_set(error, -EBUSY, "%s is being proved or set up by another vgpuctl%s%s",
                     gpu->text, is_known ? ": process " : "", is_known ? holder.name : "");
}

static int
open_and_take(const struct host *host, const struct name *gpu, const struct snapshot *snapshot,
              const struct inventory *inventory, struct workbench *ret, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    enum reason closed;
    int rc;

    *ret = WORKBENCH_NONE;
    ret->host = host;
    ret->gpu = *gpu;
    ret->lock_timeout = snapshot->policy.lock_timeout;
    rc = transaction_open(host, true, &ret->transaction, error);
    if (rc == 0)
        rc = begin(ret, &ledger, error);
    if (rc < 0)
        return rc;
    closed = constraints_closed(&ledger, gpu, NULL, true);
    if (closed == REASON_PROVED) {
        transaction_abort(&ret->transaction);
        return refuse_proved(host, gpu, error);
    }
    rc = closed == REASON_WHOLE ? refuse_whole_card(gpu, &ledger, error)
                                : take(ret, inventory, &ledger, error);
    if (rc == 0)
        return transaction_commit(&ret->transaction, &ledger, error);
    transaction_abort(&ret->transaction);
    return rc;
}

int
workbench_take(const struct host *host, const struct name *gpu, const struct snapshot *snapshot,
               struct workbench *ret, struct error *error)
{
    return open_and_take(host, gpu, snapshot, &snapshot->inventory, ret, error);
}

int
workbench_take_with_leases(const struct host *host, const struct name *gpu,
                           const struct snapshot *snapshot, struct workbench *ret,
                           struct error *error)
{
    return open_and_take(host, gpu, snapshot, NULL, ret, error);
}

int
workbench_check_users(const struct workbench *bench, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(sriov_gpu_clear) struct sriov_gpu card = {0};
    int rc = snapshot_take(&snapshot, bench->host, &inventory_no_types, error);

    if (rc < 0)
        return rc;
    if (sriov_gpu_read(bench->host, &bench->gpu, &card) < 0)
        card.address = bench->gpu;
    return users_check(bench->host, &snapshot, &card, error);
}

/* --- one vGPU --------------------------------------------------------------------------------- */

static int
lease_of(const struct workbench *bench, const struct place *place, struct lease *ret)
{
    const struct inventory_parent *parent = place->parent;

    *ret = (struct lease){
        .domain_name = "vgpuctl prove", /* the name in messages about this lease */
        .vgpu = vgpu_at(place, &parent->name),
        .framebuffer = place->type->framebuffer,
        .gpu = bench->gpu,
        .state = LEASE_PENDING,
        .origin = LEASE_MADE,
        .claim = bench->transaction.statedir.claim,
        .release = LEASE_REAP,
        .time = host_seconds(bench->host),
    };
    if (parent->interface->hostdev == REQUEST_MDEV && name_new_uuid(&ret->vgpu.device) < 0)
        return -EIO;
    return name_parse_uuid(&ret->domain, LEASE_NOBODY);
}

static int
record(struct workbench *bench, const struct lease *lease, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    int rc = begin(bench, &ledger, error);

    if (rc < 0)
        return rc;
    if (ledger_find(&ledger, &lease->vgpu.device)) {
        transaction_abort(&bench->transaction);
        return error_set(error, -EBUSY, "the vGPU %s has a lease already", lease->vgpu.device.text);
    }
    ledger_add(&ledger, lease);
    return transaction_commit(&bench->transaction, &ledger, error);
}

/* After these errors a part of the vGPU may be left (apply_make). */
static bool
may_be_there(int rc)
{
    return rc == -ETIMEDOUT || rc == -ECHILD || rc == -ENOTRECOVERABLE;
}

int
workbench_make(struct workbench *bench, const struct place *place, struct name *device,
               bool *is_refused, struct error *error)
{
    struct error forgetting;
    struct lease lease;
    int rc = lease_of(bench, place, &lease);

    *is_refused = false;
    if (rc < 0)
        return error_set(error, rc, "no UUID could be made: %s", strerror(-rc));
    *device = lease.vgpu.device;
    rc = record(bench, &lease, error);
    if (rc < 0)
        return rc;
    bench->transaction.deadline = deadline_in(bench->host, WORKBENCH_PATIENCE);
    rc = apply_make(&bench->transaction, &lease, error);
    if (rc == 0 || may_be_there(rc))
        return rc;
    bench->transaction.lock_timeout = bench->lock_timeout;
    if (transaction_forget(&bench->transaction, device, &forgetting) < 0) {
        *error = forgetting;
        return rc;
    }
    *is_refused = true;
    return rc;
}

int
workbench_remove(struct workbench *bench, const struct name *device, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    AUTO(removals_clear) struct removals removals = {0};
    struct transaction *transaction = &bench->transaction;
    const struct removal_terms terms = {
        /* This stands for the end of the vGPU's guest. */
        .occasion = OCCASION_RELEASE,
        .deadline = deadline_in(bench->host, WORKBENCH_PATIENCE),
        .patience = BUSY,
        .failures = error,
    };
    struct lease *lease;
    int rc;

    error->text[0] = '\0';
    transaction->lock_timeout = bench->lock_timeout;
    rc = transaction_begin_with(transaction, device, &ledger, &lease, error);
    if (rc <= 0)
        return rc < 0 ? rc : transaction_lost(device, error);
    rc = removals_claim(&removals, transaction, &ledger, lease, error);
    if (rc < 0) {
        transaction_abort(transaction);
        return rc;
    }
    rc = transaction_commit(transaction, &ledger, error);
    if (rc < 0)
        return rc;
    remove_all(transaction, &removals, &terms);
    return removals.items[0].rc;
}

/* The link goes if nobody has the claim any more: a writer or a program may have been left behind
 * with it. */
static void
sweep(const struct workbench *bench)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    struct error ignored;

    if (statedir_open(bench->host, false, &statedir, &ignored) == 0 &&
        statedir_lock(&statedir, deadline_in(bench->host, bench->lock_timeout), &ignored) == 0)
        proving_sweep(bench->host, statedir.claims);
}

void
workbench_close(struct workbench *bench)
{
    transaction_close(&bench->transaction);
    if (bench->is_taken)
        sweep(bench);
    bench->is_taken = false;
}
