/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/adopt.h"
#include "actions/pass.h"
#include "actions/taken-cards.h"
#include "base/array.h"
#include "base/reader.h"
#include "domain/status-files.h"
#include "lease/daemon.h"
#include "lease/log.h"
#include "lease/marks.h"
#include "lease/origin.h"
#include "placement/demand.h"
#include "placement/resolution.h"

#include <stdio.h>

#define LONGEST_LOCK 10000 /* ms; the guest runs already */

void
adopt_lease(const struct transaction *transaction, struct ledger *ledger, struct lease *lease)
{
    lease->daemon = transaction->daemon;
    lease->state = LEASE_HELD;
    lease->claim = statedir_take_number(&transaction->statedir, ledger);
    lease->time = host_seconds(transaction->host);
}

/* Whether a vGPU without a lease counts as made by us. It does not if mdevctl defines it, or if
 * vgpu.conf says enabled = false: then somebody else made it. */
static bool
is_ours_to_make(const struct host *host, const struct policy *policy, const struct vgpu *vgpu)
{
    return policy->enabled && origin_of(host, &vgpu->parent, &vgpu->device, NULL) != ORIGIN_MDEVCTL;
}

static void
look_at(const struct host *host, const struct request *request, const struct policy *policy,
        const struct request_hostdev *hostdev, struct ledger *ret, struct error *unread)
{
    struct lease lease = {.domain = request->domain};
    int rc = vgpu_find(host, &hostdev->source, &lease.vgpu, &lease.gpu);

    if (rc == -ETIMEDOUT || rc == -ECHILD)
        error_set(unread, rc,
                  "the driver of the vGPU %s, which the guest %s has, does not answer; see the "
                  "kernel's log",
                  hostdev->source.text, request->name);
    if (rc < 0)
        return;
    lease.origin = is_ours_to_make(host, policy, &lease.vgpu) ? LEASE_MADE : LEASE_FOUND;
    snprintf(lease.domain_name, sizeof(lease.domain_name), "%s", request->name);
    snprintf(lease.alias, sizeof(lease.alias), "%s", hostdev->alias ? hostdev->alias : "");
    ledger_add(ret, &lease);
}

void
adopt_look(const struct host *host, const struct request *request, const struct policy *policy,
           const struct ledger *known, struct ledger *ret, struct error *unread)
{
    for (size_t i = 0; i < request->hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];

        if (hostdev->is_gpu && !*request->fault.text && demand_is_explicit(hostdev) &&
            !ledger_find(known, &hostdev->source) && !ledger_find(ret, &hostdev->source))
            look_at(host, request, policy, hostdev, ret, unread);
    }
}

/* Whether a guest gave something back since the ledger was `before`. */
static bool
has_lost(const struct ledger *before, const struct ledger *ledger, const struct name *domain)
{
    return ARRAY_HAS(before->leases, before->count, old,
                     name_equal(&old->domain, domain) && !ledger_find(ledger, &old->vgpu.device));
}

void
adopt_missing(const struct transaction *transaction, const struct ledger *held,
              const struct ledger *before, const char *event, struct ledger *ledger)
{
    for (size_t i = 0; i < held->count; i++) {
        struct lease lease = held->leases[i];

        if (ledger_find(ledger, &lease.vgpu.device) || has_lost(before, ledger, &lease.domain))
            continue;
        adopt_lease(transaction, ledger, &lease);
        log_lease(transaction->host, event, &lease, "adopted");
        ledger_add(ledger, &lease);
    }
}

/* The daemon that runs the guest now owes us the release of all its leases. That includes the
 * devices that the guest does not hold any more. */
static void
adopt(const struct transaction *transaction, const struct request *request,
      const struct ledger *held, struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->count; i++) {
        struct lease *lease = &ledger->leases[i];

        if (!name_equal(&lease->domain, &request->domain))
            continue;
        lease->daemon = transaction->daemon;
        if (status_files_has(request, &lease->vgpu.device) &&
            !statedir_is_claimed(&transaction->statedir, lease))
            adopt_lease(transaction, ledger, lease);
    }
    adopt_missing(transaction, held, ledger, "reconnect", ledger);
}

int
adopt_domain(const struct host *host, const struct request *request, struct error *error)
{
    AUTO(transaction_close) struct transaction transaction;
    AUTO(ledger_clear) struct ledger ledger = {0}, held = {0};
    AUTO(policy_clear) struct policy policy = {0};
    struct error unread = {0}, failure;
    bool asked = resolution_is_asked(request);
    uint64_t number;
    int rc = transaction_open(host, asked, &transaction, error);

    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    rc = statedir_load_leases(&transaction.statedir, &ledger, error);
    if (taken_cards_may_be(request))
        whole_cards_read(host, &ledger.cards);
    if (rc < 0 || (!asked && !ledger_has_domain(&ledger, &request->domain) &&
                   !whole_cards_have_domain(&ledger.cards, &request->domain)))
        return rc;
    pass_read_policy(host, "reconnect", request->name, &policy);
    reader_begin(host->reader, READER_PATIENCE);
    adopt_look(host, request, &policy, &ledger, &held, &unread);
    if (*unread.text)
        log_failure(host, "reconnect", request->name, &unread);
    ledger_clear(&ledger);
    transaction.daemon = daemon_find(host);
    transaction.lock_timeout = LONGEST_LOCK;
    rc = transaction_begin(&transaction, &ledger, error);
    if (rc < 0)
        return rc;
    /* The daemon has ended meanwhile, and a later one may have started the guest anew. */
    if (!transaction.daemon.pid || !process_alive(host, transaction.daemon)) {
        transaction_abort(&transaction);
        return error_set(error, -ESRCH, "libvirt's daemon has ended");
    }
    adopt(&transaction, request, &held, &ledger);
    rc = transaction_commit(&transaction, &ledger, error);
    number = statedir_number_above(host, &ledger);
    if (rc == 0 && daemon_may_live(host) &&
        marks_leave(host, MARK_RAN, &request->domain, number, &failure) < 0)
        log_failure(host, "reconnect", request->name, &failure);
    return rc;
}
