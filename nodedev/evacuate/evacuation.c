/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "evacuate/evacuation.h"
#include "actions/reap.h"
#include "actions/reconcile.h"
#include "base/deadline.h"
#include "base/lock-holder.h"
#include "base/memory.h"
#include "cli/end-signals.h"
#include "cli/reply.h"
#include "evacuate/evacuation-judgment.h"
#include "migrate/move.h"
#include "migrate/relocation.h"

#include <fcntl.h>
#include <string.h>

#define LOCK   "run/libvirt-vgpu/evacuation"
#define STAYED relocation_words[RELOCATION_STAYED]
#define MOVED  relocation_words[RELOCATION_MOVED]

int
evacuation_lock(const struct host *host, int *ret, struct error *error)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    struct lock_holder holder;
    int rc = statedir_open(host, true, &statedir, error);

    *ret = -1;
    if (rc < 0)
        return rc;
    *ret = host_open(host, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    if (*ret < 0)
        return error_set(error, -errno, "cannot open /" LOCK ": %m");
    if (deadline_lock(deadline_in(host, 0), *ret) == 0)
        return 0;
    if (lock_holder_find(host, LOCK, &holder))
        return error_set(error, -EBUSY, "process %s evacuates a GPU of this host: wait for its end",
                         holder.name);
    return error_set(error, -EBUSY,
                     "another vgpuctl evacuates a GPU of this host: wait for its end");
}

/* --- one guest -------------------------------------------------------------------------------- */

struct evacuation {
    struct evacuation_plan *plan;
    unsigned patience;
    void (*tell)(const struct evacuation_plan *plan);
    bool is_signalled; /* nothing more begins */
};

/* The GPUs where it is, by the ledger. */
static void
find_present(const struct evacuation *evacuation, const struct name *domain, struct names *ret)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error ignored;

    if (statedir_peek(evacuation->plan->call->host, &ledger, &ignored) == 0)
        ledger_find_gpus(&ledger, domain, ret);
}

/* Where it has gone. A guest that has not left goes nowhere. */
static void
find_places(const struct evacuation *evacuation, struct evacuee *item, bool has_left)
{
    names_clear(&item->move.to);
    if (has_left)
        find_present(evacuation, &item->move.domain, &item->move.to);
}

/* Nobody knows yet where the guest will be. */
static int
write_record(const struct evacuation *evacuation, struct evacuee *item)
{
    struct evacuation_move record = item->move;

    record.to = (struct names){0};
    return evacuation_record_write(evacuation->plan->call->host, &record, &item->why);
}

static void
move_here(struct evacuation *evacuation, struct evacuee *item)
{
    const struct evacuation_plan *plan = evacuation->plan;
    const struct command_call *call = plan->call;
    AUTO(connection_close) struct connection *connection = NULL;
    AUTO(domain_source_close) struct domain_source source = {0};
    const struct relocation relocation = {
        .call = plan->call,
        .way = item->move.way == EVACUATION_STOP ? RELOCATION_SHUT_DOWN : RELOCATION_SAVE,
        .patience = evacuation->patience,
        .source = &source,
        .left = evacuation_plan_left(plan),
        .only = evacuation_plan_only(plan, item),
        .is_signalled = &evacuation->is_signalled,
    };
    enum relocation_end end = item->is_off ? RELOCATION_SAVED : RELOCATION_STAYED;
    int rc = connection_open(call->host, call->uri, CONNECTION_WRITE, &connection, &item->why);

    if (rc == 0)
        rc = domain_source_find(call, connection, item->move.domain.text, &source, &item->why);
    if (rc == 0 && item->is_off) {
        rc = relocation_restore(&relocation, &end, &item->why);
    } else if (rc == 0) {
        rc = domain_source_request(&source, &item->why);
        if (rc == 0)
            rc = relocation_run(&relocation, &end, &item->why);
    }
    if (rc == REFUSED)
        item->move.way = EVACUATION_STAYS;
    item->result = relocation_words[end];
    find_places(evacuation, item, end == RELOCATION_MOVED || end == RELOCATION_RETURNED);
}

static int
find_host(const struct evacuation_plan *plan, struct migrate_question *question,
          struct evacuee *item)
{
    const struct command_call *call = plan->call;
    const char *const planned[] = {item->move.host};
    int rc = migrate_question_start(question, call->host, &item->why);

    if (rc == 0)
        rc = plan->is_bound ? migrate_question_ask(question, call, planned, 1, &item->why)
                            : migrate_question_ask(question, call, call->options.uris,
                                                   call->options.uri_count, &item->why);
    return rc < 0 ? rc : evacuation_judgment_find_host(question, &item->move, &item->why);
}

/* Another host than the plan's may be the best by now. */
static void
move_there(struct evacuation *evacuation, struct evacuee *item)
{
    const struct evacuation_plan *plan = evacuation->plan;
    AUTO(migrate_question_clear) struct migrate_question question = {0};
    AUTO(moved_types_clear) struct moved_types types = {0};
    struct move move = {.call = plan->call,
                        .domain = &item->move.domain,
                        .name = item->move.name,
                        .types = &types,
                        .is_signalled = &evacuation->is_signalled};
    int rc = find_host(plan, &question, item);

    item->result = STAYED;
    if (rc == REFUSED)
        item->move.way = EVACUATION_STAYS;
    if (rc < 0)
        return;
    rc = write_record(evacuation, item);
    moved_types_find(&question.guest, &question.snapshot.inventory, &question.snapshot.policy,
                     &types);
    move.to = item->move.host;
    if (rc == 0)
        rc = move_run(&move, &item->why);
    if (rc == 0)
        item->result = MOVED;
}

/* Whether the other host still has the guest; -errno with a line in error if that is not known. */
static int
is_there(const struct command_call *there, const struct name *domain, struct error *error)
{
    AUTO(connection_close) struct connection *connection = NULL;
    struct connection_domain known;
    int rc = connection_open(there->host, there->uri, CONNECTION_READ, &connection, error);

    if (rc == 0)
        rc = connection_find(connection, domain->text, &known, error);
    return rc == 0 ? 1 : error->class == ERROR_NO_DOMAIN ? 0 : rc;
}

/* Its type is in the XML with which it runs there. */
static void
move_home(struct evacuation *evacuation, struct evacuee *item)
{
    const struct command_call *call = evacuation->plan->call;
    struct command_call there = *call;
    const struct move move = {.call = &there,
                              .to = call->uri,
                              .domain = &item->move.domain,
                              .name = item->move.name,
                              .place = item->move.host,
                              .is_signalled = &evacuation->is_signalled};
    int rc;

    there.uri = item->move.host;
    item->result = STAYED;
    rc = is_there(&there, &item->move.domain, &item->why);
    item->is_settled = rc == 0;
    if (rc > 0 && move_run(&move, &item->why) == 0) {
        item->result = MOVED;
        find_places(evacuation, item, true);
    }
}

/* --- all of them ------------------------------------------------------------------------------ */

/* The ledger tells where the guest is. A guest that did not leave, or has come home, needs no
 * record. The record of a guest that is off, or of which nobody knows where it is, stays. */
static int
update_record(const struct evacuation *evacuation, struct evacuee *item,
              const struct evacuation_move *before, struct error *error)
{
    const struct host *host = evacuation->plan->call->host;
    struct evacuation_move record = item->move;
    AUTO(names_clear) struct names present = {0};

    if (evacuation->plan->is_back)
        return evacuee_has_moved(item) || item->is_settled
                   ? evacuation_record_remove(host, &record.domain, error)
                   : 0;
    find_present(evacuation, &record.domain, &present);
    record.from = before ? before->from : item->move.from;
    if (record.host && evacuee_has_moved(item))
        return evacuation_record_write(host, &record, error);
    if (present.count == 0) {
        if (strcmp(item->result, STAYED) == 0)
            item->result = relocation_words[RELOCATION_UNKNOWN];
        return 0;
    }
    record.to = present;
    free(record.host);
    record.host = item->move.host = NULL;
    if (names_are_same(&present, &record.from))
        return evacuation_record_remove(host, &record.domain, error);
    if (!names_overlap(&present, &evacuation->plan->gpus))
        return evacuation_record_write(host, &record, error);
    return before ? evacuation_record_write(host, before, error)
                  : evacuation_record_remove(host, &record.domain, error);
}

/* The record of a guest that is away already, and moves on. */
static const struct evacuation_move *
find_before(const struct evacuation_plan *plan, const struct evacuee *item)
{
    const struct evacuation_move *before =
        evacuation_moves_find(&plan->records, &item->move.domain);

    return before && !evacuation_record_is_in_hand(before) && !before->host ? before : NULL;
}

static void
move(struct evacuation *evacuation, struct evacuee *item)
{
    const struct evacuation_plan *plan = evacuation->plan;
    const struct evacuation_move *before = plan->is_back ? NULL : find_before(plan, item);
    struct error error;

    item->why = (struct error){0};
    if (!plan->is_back && !item->is_off && write_record(evacuation, item) < 0) {
        item->result = STAYED;
        return;
    }
    item->result = "moving";
    evacuation->tell(plan);
    if (plan->is_back && item->move.host)
        move_home(evacuation, item);
    else if (item->move.way == EVACUATION_LIVE)
        move_there(evacuation, item);
    else
        move_here(evacuation, item);
    if (evacuee_has_moved(item))
        item->why = (struct error){0};
    if (update_record(evacuation, item, before, &error) < 0)
        reply_warn(plan->call, ERROR_FAILED, "%s: %s", item->move.name, error.text);
    evacuation->tell(plan);
}

/* A guest may have ended meanwhile, and started elsewhere. */
static bool
has_left(const struct evacuation *evacuation, const struct evacuee *item)
{
    AUTO(names_clear) struct names present = {0};

    if (evacuation->plan->is_back || item->is_off)
        return false;
    find_present(evacuation, &item->move.domain, &present);
    return !names_overlap(&present, &evacuation->plan->gpus);
}

static void
run_one(struct evacuation *evacuation, struct evacuee *item)
{
    const struct host *host = evacuation->plan->call->host;

    if (item->is_settled) {
        if (evacuation_record_remove(host, &item->move.domain, &item->why) < 0) {
            item->is_settled = false;
            item->result = STAYED;
        }
        return;
    }
    if (item->move.way == EVACUATION_STAYS) {
        item->result = STAYED;
        return;
    }
    if (has_left(evacuation, item)) {
        item->is_settled = true;
        error_set(&item->why, 0, "it has left by itself");
        return;
    }
    evacuation->is_signalled |= end_signals_are_pending();
    if (!evacuation->is_signalled)
        return move(evacuation, item);
    item->move.way = EVACUATION_STAYS;
    item->result = STAYED;
    error_set(&item->why, 0, "not begun: a signal has ended the evacuation");
}

/* vgpuctl was killed after the guest had started at its new place. What was left to do is done now:
 * its definition, and its record. */
static void
finish(struct evacuation *evacuation, const struct evacuation_move *record)
{
    const struct command_call *call = evacuation->plan->call;
    AUTO(connection_close) struct connection *connection = NULL;
    AUTO(domain_source_close) struct domain_source source = {0};
    const struct relocation relocation = {.call = call, .source = &source};
    AUTO(names_clear) struct names present = {0};
    struct evacuation_move away = *record;
    struct error ignored;

    find_present(evacuation, &record->domain, &present);
    if (!evacuation_record_is_in_hand(record) || present.count == 0 ||
        names_overlap(&present, &record->from))
        return;
    away.to = present;
    if (connection_open(call->host, call->uri, CONNECTION_WRITE, &connection, &ignored) < 0 ||
        domain_source_find(call, connection, record->domain.text, &source, &ignored) < 0)
        return;
    relocation_update_definition(&relocation);
    (void)!evacuation_record_write(call->host, &away, &ignored);
}

/* Whether a vGPU is still there, or has a lease. */
static bool
has_vgpu(const struct snapshot *snapshot, const struct name *device)
{
    return inventory_find_vgpu(&snapshot->inventory, device) ||
           ledger_find(&snapshot->ledger, device);
}

/* Removes kept vGPUs and leftovers from the GPUs of the plan, and writes the results into its
 * items. A kept vGPU goes because the next start of its guest finds a place elsewhere. */
static void
remove_unused(struct evacuation_plan *plan)
{
    const struct host *host = plan->call->host;
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(names_clear) struct names kept = {0};
    struct error error;
    int rc;

    for (size_t i = 0; i < plan->count; i++) {
        const struct evacuee *item = &plan->items[i];
        const struct lease *lease = ledger_find(&plan->snapshot.ledger, &item->device);

        if (item->move.way == EVACUATION_REAP && lease && lease->state == LEASE_KEPT)
            names_append(&kept, &item->device);
    }
    reap_named(host, &plan->snapshot.ledger, &kept);
    (void)!reconcile_host(host, &outcomes, &error);
    rc = snapshot_take_to_show(&snapshot, host, &inventory_no_types, &error);
    for (size_t i = 0; i < plan->count; i++) {
        struct evacuee *item = &plan->items[i];

        if (item->move.way != EVACUATION_REAP)
            continue;
        item->result = "removed";
        if (rc < 0)
            item->why = error;
        if (rc < 0 || has_vgpu(&snapshot, &item->device)) {
            item->move.way = EVACUATION_STAYS;
            item->result = rc < 0 ? relocation_words[RELOCATION_UNKNOWN] : STAYED;
        }
    }
}

void
evacuation_run(struct evacuation_plan *plan, unsigned patience,
               void (*tell)(const struct evacuation_plan *plan))
{
    struct evacuation evacuation = {.plan = plan, .patience = patience, .tell = tell};

    for (size_t i = 0; i < plan->records.count; i++)
        finish(&evacuation, &plan->records.items[i]);
    for (size_t i = 0; i < plan->count; i++) {
        if (evacuee_is_guest(&plan->items[i]))
            run_one(&evacuation, &plan->items[i]);
    }
    remove_unused(plan);
}
