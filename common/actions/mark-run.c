/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/mark-run.h"
#include "lease/daemon.h"
#include "lease/marks.h"
#include "lease/statedir.h"

int
mark_run(const struct host *host, const struct request *request, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    int rc = statedir_peek(host, &ledger, error);
    uint64_t number = statedir_number_above(host, &ledger);

    if (rc < 0 || !ledger_has_domain(&ledger, &request->domain) || !daemon_may_live(host))
        return rc;
    return marks_leave(host, MARK_RAN, &request->domain, number, error);
}
