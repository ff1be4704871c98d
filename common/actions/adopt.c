/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/adopt.h"
#include "apply/transaction.h"
#include "domain/status-files.h"
#include "lease/log.h"
#include "lease/origin.h"
#include "placement/demand.h"
#include "policy/policy-load.h"

#include <stdio.h>

#define LONGEST_LOCK 10000 /* ms; the guest runs, and its configuration is not looked at */

static bool
asks_us(const struct request *request)
{
    for (size_t i = 0; i < request->hostdev_count; i++) {
        if (demand_is_explicit(&request->hostdevs[i]))
            return true;
    }
    return false;
}

static void
renew(struct lease *lease, struct process daemon)
{
    lease->daemon = daemon;
    lease->state = LEASE_HELD;
    lease->claim = 0;
    lease->time = statedir_time();
}

/* Not what mdevctl defines, nor anything while we are switched off: somebody else made it then. A
 * configuration that cannot be read says nothing. */
static bool
is_ours_to_make(const struct host *host, const struct vgpu *vgpu)
{
    AUTO(policy_clear) struct policy policy = {0};
    struct error ignored;

    if (origin_of(host, &vgpu->parent, &vgpu->device, NULL) == ORIGIN_MDEVCTL)
        return false;
    return policy_load(host, &policy, &ignored) < 0 || policy.enabled;
}

static int
add_lease(const struct job *job, const struct request *request,
          const struct request_hostdev *hostdev, const char *event, struct ledger *ledger)
{
    struct lease lease = {.domain = request->domain};
    int rc = vgpu_find(job->host, &hostdev->source, &lease.vgpu, &lease.gpu);

    if (rc < 0)
        return rc == -ENOMEM ? rc : 0;
    lease.origin = is_ours_to_make(job->host, &lease.vgpu) ? LEASE_MADE : LEASE_FOUND;
    snprintf(lease.domain_name, sizeof(lease.domain_name), "%s", request->name);
    snprintf(lease.alias, sizeof(lease.alias), "%s", hostdev->alias ? hostdev->alias : "");
    renew(&lease, job->daemon);
    log_lease(event, &lease, "adopted");
    return ledger_add(ledger, &lease);
}

int
adopt_missing(const struct job *job, const struct request *request, const char *event,
              struct ledger *ledger)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < request->hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];

        if (hostdev->is_gpu && !*request->fault.text && demand_is_explicit(hostdev) &&
            !ledger_find(ledger, &hostdev->source))
            rc = add_lease(job, request, hostdev, event, ledger);
    }
    return rc;
}

/* The daemon that runs the guest now owes us the release, of what it does not hold any more too. */
static int
adopt(const struct job *job, const struct request *request, struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->count; i++) {
        struct lease *lease = &ledger->leases[i];

        if (!name_equal(&lease->domain, &request->domain))
            continue;
        lease->daemon = job->daemon;
        if (guests_has(request, &lease->vgpu.device) && job_may_act(job, lease))
            renew(lease, job->daemon);
    }
    return adopt_missing(job, request, "reconnect", ledger);
}

int
adopt_domain(const struct host *host, const struct request *request, struct error *error)
{
    AUTO(job_end) struct job job;
    AUTO(ledger_clear) struct ledger ledger = {0};
    bool asked = asks_us(request);
    int rc = job_begin(host, asked, &job, error);

    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    rc = statedir_load(&job.statedir, &ledger, error);
    if (rc < 0 || (!asked && !ledger_has_domain(&ledger, &request->domain)))
        return rc;
    ledger_clear(&ledger);
    job.daemon = process_parent(host);
    job.lock_timeout = LONGEST_LOCK;
    rc = job_look(&job, &ledger, error);
    if (rc < 0)
        return rc;
    rc = adopt(&job, request, &ledger);
    if (rc == 0)
        return job_record(&job, &ledger, error);
    job_leave(&job);
    return error_set(error, rc, "no memory for the leases");
}
