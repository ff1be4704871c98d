/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/release.h"
#include "actions/pass.h"
#include "actions/taken-cards.h"
#include "lease/daemon.h"
#include "lease/log.h"
#include "lease/marks.h"
#include "lease/saved-type.h"

#include <string.h>

static bool
is_in_scope(const struct pass *pass, const struct lease *lease)
{
    const struct release_scope *scope = pass->scope;

    if (scope->of_ended && process_alive(pass->transaction->host, lease->daemon))
        return false;
    return name_equal(&lease->domain, scope->domain) &&
           (!scope->device || name_equal(&lease->vgpu.device, scope->device)) &&
           (!scope->claim || lease->claim == scope->claim) &&
           (!scope->below || lease->claim < scope->below);
}

/* Ends the links of the cards that the domain has taken itself. Only the event of libvirt does so,
 * which has a number. */
static int
end_cards(struct pass *pass, struct ledger *ledger, bool *changed, struct error *error)
{
    const struct release_scope *scope = pass->scope;

    (void)error;
    *changed |= whole_cards_end(pass->transaction->host, &ledger->cards, scope->domain,
                                scope->below, scope->of_ended);
    return 0;
}

static const struct pass_row row = {
    .occasion = OCCASION_RELEASE,
    .event = "release",
    .forgotten = "left in place",
    .concerns = is_in_scope,
    .conclude = end_cards,
};

static int
last_failure(const struct removals *removals)
{
    int rc = 0;

    for (size_t i = 0; i < removals->count; i++)
        rc = removals->items[i].rc < 0 ? removals->items[i].rc : rc;
    return rc;
}

int
release_leases(struct transaction *transaction, const struct release_scope *scope,
               struct deadline deadline, struct error *error)
{
    const struct removal_terms terms = {
        .occasion = OCCASION_RELEASE,
        .event = "release",
        .deadline = deadline,
        .failures = error,
    };
    AUTO(pass_clear)
    struct pass pass = {
        .row = &row, .transaction = transaction, .scope = scope, .keeps_none = scope->device};
    unsigned pause = 1;

    *error = (struct error){0};
    for (;;) {
        /* A driver may be busy with the guest's end, so it has half of the release's time. */
        int rc = pass_look(&pass, scope->domain, deadline_left(deadline) / 2 + 1, error);

        if (rc == 0)
            rc = pass_decide(&pass, error);
        if (rc < 0)
            return rc;
        remove_all(transaction, &pass.todo, &terms);
        if (pass.waiting == 0)
            return last_failure(&pass.todo);
        if (!deadline_pause(deadline, &pause)) {
            error_add(error, "another process is still at work on %zu of its vGPUs", pass.waiting);
            return -ETIMEDOUT;
        }
    }
}

/* `whom` is the domain's name. */
static int
give_back(struct transaction *transaction, const struct release_scope *scope, const char *whom,
          struct error *error)
{
    const struct host *host = transaction->host;
    AUTO(policy_clear) struct policy policy = {0};

    pass_read_policy(host, "release", whom, &policy);
    transaction->lock_timeout = policy.lock_timeout;
    return release_leases(transaction, scope, deadline_in(host, policy.release_timeout), error);
}

/* Reads the ledger without the lock. 1: the domain has leases. */
static int
look(const struct host *host, const struct name *domain, struct transaction *transaction,
     struct ledger *ledger, struct error *error)
{
    int rc = transaction_open(host, false, transaction, error);

    if (rc == 0)
        rc = statedir_load_leases(&transaction->statedir, ledger, error);
    return rc < 0 ? rc : ledger_has_domain(ledger, domain);
}

/* Notes the types of the vGPUs if the guest's state may have been saved. Either libvirt says so, or
 * it is older than 10.5 and says no reason. */
static void
note_types(const struct host *host, const struct request *request, uint64_t below,
           const char *reason, struct ledger *ledger)
{
    bool is_saved = !strcmp(reason, "saved");
    struct error failure;

    if (!is_saved && strcmp(reason, "-") != 0)
        return;
    if (!is_saved)
        marks_read(host, ledger);
    if (saved_type_note(host, ledger, &request->domain, below, is_saved, &failure) < 0)
        log_failure(host, "release", request->name, &failure);
}

int
release_domain(const struct host *host, const struct request *request, const char *reason,
               struct error *error)
{
    const struct name *domain = &request->domain;
    AUTO(transaction_close) struct transaction transaction = TRANSACTION_NONE;
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct release_scope scope = {.domain = domain};
    int rc = look(host, domain, &transaction, &ledger, error);
    uint64_t number = statedir_number_above(host, &ledger);
    struct error failure;

    if (rc == -ENOENT)
        return 0;
    if (taken_cards_may_be(request))
        whole_cards_read(host, &ledger.cards);
    if (rc == 0 && !whole_cards_have_domain(&ledger.cards, domain))
        return 0;
    scope.of_ended = !daemon_may_live(host);
    scope.below = number;
    /* Leave the mark before anything is waited for, and even if the ledger cannot be read. If
     * the daemon has ended, no mark is needed, and the number may be that of another daemon's
     * next run. */
    if (!scope.of_ended && marks_leave(host, MARK_RELEASED, domain, number, &failure) < 0)
        log_failure(host, "release", request->name, &failure);
    if (rc > 0)
        note_types(host, request, number, reason, &ledger);
    return rc < 0 ? rc : give_back(&transaction, &scope, request->name, error);
}

int
release_device(const struct host *host, const struct name *domain, const struct name *device,
               struct error *error)
{
    AUTO(transaction_close) struct transaction transaction = TRANSACTION_NONE;
    AUTO(ledger_clear) struct ledger ledger = {0};
    const struct release_scope scope = {.domain = domain, .device = device};
    int rc = look(host, domain, &transaction, &ledger, error);
    const struct lease *lease = ledger_find(&ledger, device);

    if (rc <= 0 || !lease)
        return rc == -ENOENT || rc > 0 ? 0 : rc;
    return give_back(&transaction, &scope, lease->domain_name, error);
}
