/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/verify.h"
#include "apply/transaction.h"
#include "domain/status-files.h"
#include "placement/resolution.h"

int
verify_domain(const struct host *host, const struct request *request, struct error *error)
{
    AUTO(transaction_close) struct transaction transaction = TRANSACTION_NONE;
    AUTO(ledger_clear) struct ledger ledger = {0};
    int rc;

    if (!request_concerns_us(request))
        return 0;
    rc = transaction_open(host, false, &transaction, error);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    rc = statedir_load(&transaction.statedir, &ledger, error);
    if (rc < 0 && !resolution_is_asked(request))
        return 0;
    for (size_t i = 0; rc == 0 && i < ledger.count; i++) {
        const struct lease *lease = &ledger.leases[i];

        if (!name_equal(&lease->domain, &request->domain) || lease->state != LEASE_HELD ||
            !status_files_has(request, &lease->vgpu.device) || !vgpu_is_wrong(host, &lease->vgpu))
            continue;
        rc = error_set(error, -ENODEV,
                       "the vGPU %s (%s) was made on %s, and is not there any more: something else "
                       "removed it; start the guest again",
                       lease->vgpu.device.text, lease->vgpu.type.text, lease->vgpu.parent.text);
    }
    return rc;
}
