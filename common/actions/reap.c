/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/reap.h"
#include "actions/pass.h"
#include "base/reader.h"
#include "device/scan.h"
#include "lease/fate.h"
#include "lease/log.h"
#include "lease/origin.h"

#include <stdio.h>

#define PATIENCE 300 /* ms for all together, for users who have a device open for a moment only */

struct reaping {
    const struct reap_order *order;
    struct transaction transaction;
    struct policy policy;
    struct pass pass; /* its look and its removals are shared */
    struct inventory inventory;
    struct lease_outcomes *outcomes;
};

static const struct pass_row row = {
    .occasion = OCCASION_REAP,
    .event = "reap",
    .guests = PASS_ALL_GUESTS,
};

/* One device that may have to go. */
struct suspect {
    struct lease lease; /* the device's own, or the one that it is to get */
    bool is_leased;
    bool is_named;
};

static void
reaping_clear(struct reaping *reaping)
{
    pass_clear(&reaping->pass);
    inventory_clear(&reaping->inventory);
    policy_clear(&reaping->policy);
    transaction_close(&reaping->transaction);
}

bool
reap_is_orphan(const struct statedir *statedir, const struct lease *lease)
{
    if (!lease || lease->state == LEASE_KEPT)
        return true;
    return (lease->state == LEASE_HELD || lease->state == LEASE_LEAVING) &&
           !statedir_is_claimed(statedir, lease);
}

static const char *
find_reference(const struct reap_order *order, const struct name *device)
{
    for (size_t i = 0; i < order->count; i++) {
        if (name_equal(&order->references[i].device, device))
            return order->references[i].domain;
    }
    return NULL;
}

/* No rule of ours decides about a foreign vGPU. An administrator has to name it. */
static enum outcome
decide_foreign(const struct reaping *reaping, const struct suspect *suspect, struct error *why)
{
    const struct vgpu *vgpu = &suspect->lease.vgpu;

    if (suspect->is_named)
        return OUTCOME_REMOVED;
    if (origin_of(reaping->transaction.host, &vgpu->parent, &vgpu->device, NULL) == ORIGIN_MDEVCTL)
        error_set(why, 0, "mdevctl defines it; name it to have it removed");
    else
        error_set(why, 0, "it is not ours; name it to have it removed");
    return OUTCOME_LEFT;
}

static enum outcome
decide_leased(const struct reaping *reaping, const struct suspect *suspect,
              const struct ledger *ledger, struct error *why)
{
    const struct lease *lease = &suspect->lease;
    const struct fate_facts facts =
        fate_gather(&reaping->transaction.statedir, &reaping->pass.look, ledger, lease);
    const char *phrase;

    switch (fate_judge(OCCASION_REAP, &facts, &phrase)) {
    case FATE_REMOVE:
        return OUTCOME_REMOVED;
    case FATE_FORGET:
        return facts.bits & FACT_ABSENT ? OUTCOME_FORGOTTEN : decide_foreign(reaping, suspect, why);
    default:
        error_set(why, 0, "%s", phrase);
        return OUTCOME_LEFT;
    }
}

static enum outcome
decide(const struct reaping *reaping, const struct suspect *suspect, const struct ledger *ledger,
       struct error *why)
{
    const struct lease *lease = &suspect->lease;
    const struct vgpu *vgpu = &lease->vgpu;
    const struct status_files *guests = &reaping->pass.look.guests;
    const char *domain = find_reference(reaping->order, &vgpu->device);
    const char *doubt = suspect->is_leased
                            ? status_files_doubt(guests, &lease->domain, lease->domain_name)
                            : guests->failure.text;

    if (domain)
        error_set(why, 0, "the domain %s refers to it", domain);
    else if (status_files_holder(guests, &vgpu->device))
        error_set(why, 0, "a running guest has it, as libvirt's status files say");
    else if (doubt && *doubt)
        error_set(why, 0, "%s", doubt);
    /* A process that died may have left a function without a type. Whoever names it has seen
     * that. */
    else if (!*vgpu->type.text &&
             !(suspect->is_named && !suspect->is_leased && vgpu->interface->hostdev == REQUEST_PCI))
        error_set(why, 0, "somebody is just making or removing it");
    else if (!suspect->is_leased && ledger_find(&reaping->pass.look.before, &vgpu->device))
        error_set(why, 0, "somebody has just given it back");
    else if (suspect->is_leased)
        return decide_leased(reaping, suspect, ledger, why);
    else
        return decide_foreign(reaping, suspect, why);
    return OUTCOME_LEFT;
}

/* Under the lock: puts a lease into the ledger if there is none, and claims it. */
static int
claim(struct reaping *reaping, const struct suspect *suspect, struct ledger *ledger,
      struct error *error)
{
    struct lease *lease;

    if (!suspect->is_leased)
        ledger_add(ledger, &suspect->lease);
    lease = ledger_find(ledger, &suspect->lease.vgpu.device);
    return removals_claim(&reaping->pass.todo, &reaping->transaction, ledger, lease, error);
}

static int
consider(struct reaping *reaping, const struct suspect *suspect, struct ledger *ledger,
         struct error *error)
{
    struct error why = {0};
    enum outcome outcome = decide(reaping, suspect, ledger, &why);

    lease_outcomes_add(reaping->outcomes, &suspect->lease, outcome, why.text);
    reaping->outcomes->failed += outcome == OUTCOME_LEFT && suspect->is_named;
    if (reaping->order->dry_run)
        return 0;
    if (outcome == OUTCOME_REMOVED)
        return claim(reaping, suspect, ledger, error);
    if (outcome == OUTCOME_FORGOTTEN) {
        log_lease(reaping->transaction.host, "reap", &suspect->lease, "forgotten");
        ledger_remove(ledger, ledger_find(ledger, &suspect->lease.vgpu.device));
    }
    return 0;
}

static int
lease_of(const struct reaping *reaping, const struct inventory_vgpu *vgpu, struct lease *ret)
{
    const struct inventory_parent *parent = vgpu->parent;

    *ret = (struct lease){
        .domain_name = "vgpuctl", /* for messages about it */
        .vgpu = {.interface = parent->interface,
                 .device = vgpu->device,
                 .type = vgpu->type,
                 .parent = parent->name},
        .gpu = parent->gpu->name,
        .state = LEASE_LEAVING,
        .origin = LEASE_FOUND,
        .release = LEASE_REAP,
        .time = host_seconds(reaping->transaction.host),
    };
    return name_parse_uuid(&ret->domain, LEASE_NOBODY);
}

static int
consider_named(struct reaping *reaping, const struct name *device, struct ledger *ledger,
               struct error *error)
{
    const struct lease *lease = ledger_find(ledger, device);
    const struct inventory_vgpu *vgpu = inventory_find_vgpu(&reaping->inventory, device);
    struct suspect suspect = {.is_leased = lease != NULL, .is_named = true};
    int rc = 0;

    if (lease)
        suspect.lease = *lease;
    else
        rc = vgpu ? lease_of(reaping, vgpu, &suspect.lease) : -ENOENT;
    if (rc < 0) {
        error_set(error, rc, "there is no vGPU %s here", device->text);
        error_advise_command(error, "see", "vgpuctl orphans");
        return rc;
    }
    return consider(reaping, &suspect, ledger, error);
}

/* Considers every orphan. A vGPU that a domain refers to is none, and is not mentioned. */
static int
consider_all(struct reaping *reaping, struct ledger *ledger, struct error *error)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < reaping->inventory.vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = reaping->inventory.vgpus[i];
        const struct lease *lease = ledger_find(ledger, &vgpu->device);
        struct suspect suspect = {.is_leased = lease != NULL};

        if (find_reference(reaping->order, &vgpu->device) ||
            !reap_is_orphan(&reaping->transaction.statedir, lease))
            continue;
        if (lease)
            suspect.lease = *lease;
        else
            rc = lease_of(reaping, vgpu, &suspect.lease);
        if (rc == 0)
            rc = consider(reaping, &suspect, ledger, error);
    }
    return rc;
}

/* Under the lock: considers the named vGPUs, or every orphan. */
static int
consider_what_is_there(struct reaping *reaping, struct ledger *ledger, struct error *error)
{
    const struct names *named = reaping->order->named;
    int rc = 0;

    if (named->count == 0)
        return consider_all(reaping, ledger, error);
    for (size_t i = 0; rc == 0 && i < named->count; i++)
        rc = consider_named(reaping, &named->items[i], ledger, error);
    return rc;
}

static int
look(struct reaping *reaping, struct error *error)
{
    int rc = pass_look(&reaping->pass, NULL, READER_PATIENCE, error);

    return rc < 0 ? rc
                  : scan_host(reaping->transaction.host, NULL, &inventory_no_types,
                              &reaping->inventory, error);
}

static int
claim_what_is_to_go(struct reaping *reaping, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    /* A dry run makes no state directory. */
    int rc = reaping->transaction.statedir.dir < 0
                 ? 0
                 : transaction_begin(&reaping->transaction, &ledger, error);

    if (rc < 0)
        return rc;
    rc = consider_what_is_there(reaping, &ledger, error);
    if (rc == 0 && !reaping->order->dry_run)
        return transaction_commit(&reaping->transaction, &ledger, error);
    transaction_abort(&reaping->transaction);
    return rc;
}

/*
 * Looks which processes have devices open: named devices that stay, and in a dry run devices that
 * would be removed. Only /proc is read: nothing is claimed, and no guest is disturbed. Outside the
 * lock, because it is slow.
 */
static void
look_for_holders(struct reaping *reaping)
{
    const struct reap_order *order = reaping->order;
    AUTO(open_files_clear) struct open_files files = {0};

    for (size_t i = 0; i < reaping->outcomes->count; i++) {
        struct lease_outcome *each = &reaping->outcomes->items[i];
        bool is_to_stay = each->outcome == OUTCOME_LEFT && order->named->count > 0;
        bool is_to_go = each->outcome == OUTCOME_REMOVED && order->dry_run;
        char holder[128];

        /* A process at work on it may have it open for the proof. */
        if ((!is_to_stay && !is_to_go) ||
            statedir_is_claimed(&reaping->transaction.statedir, &each->lease) ||
            vgpu_holder(reaping->transaction.host, &files, &each->lease.vgpu, holder,
                        sizeof(holder)) <= 0)
            continue;
        error_add(&each->why, "it is in use by process %s", holder);
        each->outcome = OUTCOME_LEFT;
        reaping->outcomes->failed += is_to_go;
    }
}

static void
remove_claimed(struct reaping *reaping)
{
    const struct removal_terms terms = {
        .occasion = OCCASION_REAP,
        .event = "reap",
        .each = reaping->policy.release_timeout,
        .patience = PATIENCE,
    };

    remove_all(&reaping->transaction, &reaping->pass.todo, &terms);
    lease_outcomes_correct(reaping->outcomes, &reaping->pass.todo);
}

int
reap_devices(const struct host *host, const struct reap_order *order, struct lease_outcomes *ret,
             struct error *error)
{
    AUTO(reaping_clear)
    struct reaping reaping = {.order = order, .transaction = TRANSACTION_NONE, .outcomes = ret};
    struct transaction *transaction = &reaping.transaction;
    int rc;

    *ret = (struct lease_outcomes){0};
    rc = transaction_open(host, !order->dry_run, transaction, error);
    if (rc < 0 && rc != -ENOENT)
        return rc;
    pass_read_policy(host, "reap", "-", &reaping.policy);
    reaping.pass = (struct pass){.row = &row, .transaction = transaction, .before = order->before};
    transaction->lock_timeout = reaping.policy.lock_timeout;
    rc = look(&reaping, error);
    if (rc == 0)
        rc = claim_what_is_to_go(&reaping, error);
    if (rc < 0)
        return rc;
    look_for_holders(&reaping);
    remove_claimed(&reaping);
    return 0;
}

void
reap_named(const struct host *host, const struct ledger *before, const struct names *named)
{
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};
    const struct reap_order order = {.before = before, .named = named};
    struct error ignored;

    if (named->count)
        (void)!reap_devices(host, &order, &outcomes, &ignored);
}
