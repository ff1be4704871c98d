/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/mark-run.h"
#include "actions/taken-cards.h"
#include "lease/daemon.h"
#include "lease/marks.h"
#include "lease/statedir.h"

int
mark_run(const struct host *host, const struct request *request, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    int rc = statedir_look(host, &statedir, error);
    uint64_t number;

    if (rc < 0 || statedir.dir < 0)
        return rc;
    rc = statedir_load_leases(&statedir, &ledger, error);
    number = statedir_number_above(host, &ledger);
    if (taken_cards_may_be(request))
        whole_cards_read(host, &ledger.cards);
    if ((rc < 0 || !ledger_has_domain(&ledger, &request->domain)) &&
        !whole_cards_have_domain(&ledger.cards, &request->domain))
        return rc;
    if (!daemon_may_live(host))
        return rc;
    return marks_leave(host, MARK_RAN, &request->domain, number, error);
}
