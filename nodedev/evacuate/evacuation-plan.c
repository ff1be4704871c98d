/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "evacuate/evacuation-plan.h"
#include "base/array.h"
#include "base/memory.h"
#include "lease/drained.h"
#include "libvirt/connection.h"
#include "migrate/relocation.h"
#include "view/vgpu-walk.h"

#include <stdio.h>
#include <string.h>

void
evacuation_plan_clear(struct evacuation_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        evacuation_move_clear(&plan->items[i].move);
    free(plan->items);
    names_clear(&plan->gpus);
    snapshot_clear(&plan->snapshot);
    evacuation_moves_clear(&plan->records);
    connection_close(&plan->connection);
}

static const struct names none;

const struct names *
evacuation_plan_left(const struct evacuation_plan *plan)
{
    return plan->is_back ? &none : &plan->gpus;
}

const struct names *
evacuation_plan_only(const struct evacuation_plan *plan, const struct evacuee *evacuee)
{
    return plan->is_bound ? &evacuee->move.to : &none;
}

bool
evacuee_has_moved(const struct evacuee *evacuee)
{
    return !strcmp(evacuee->result, relocation_words[RELOCATION_MOVED]);
}

/* --- who is on the GPUs ----------------------------------------------------------------------- */

static struct evacuee *
find(struct evacuation_plan *plan, const struct name *domain)
{
    return ARRAY_FIND(plan->items, plan->count, item,
                      evacuee_is_guest(item) && name_equal(&item->move.domain, domain));
}

static struct evacuee *
add(struct evacuation_plan *plan, const struct name *domain, const char *name)
{
    struct evacuee added = {.result = ""};

    if (domain)
        added.move.domain = *domain;
    snprintf(added.move.name, sizeof(added.move.name), "%s", name);
    ARRAY_ADD(plan->items, plan->count, added);
    return &plan->items[plan->count - 1];
}

/* Only a guest that has its vGPU can move. */
static void
add_vgpu(struct evacuation_plan *plan, const struct vgpu_walk *walk)
{
    const struct lease *lease = walk->lease, *shown = lease_of_domain(lease);
    struct evacuee *item;

    if (lease && lease->state == LEASE_HELD) {
        item = find(plan, &lease->domain);
        if (!item) {
            item = add(plan, &lease->domain, lease->domain_name);
            ledger_find_gpus(&plan->snapshot.ledger, &lease->domain, &item->move.from);
        }
    } else {
        item = add(plan, NULL, shown ? shown->domain_name : "");
        item->device = *walk->device;
        if (lease && (lease->state == LEASE_KEPT || lease_state_is_going(lease->state)))
            item->move.way = EVACUATION_REAP;
        error_set(&item->why, 0, "%s is %s", walk->device->text,
                  lease ? lease_state_name(lease->state) : "none of ours");
        names_append(&item->move.from, walk->gpu);
    }
    item->framebuffer += lease ? lease->framebuffer : 0;
}

static void
add_card(struct evacuation_plan *plan, const struct whole_card *card)
{
    struct evacuee *item = add(plan, NULL, card->domain_name);

    names_append(&item->move.from, &card->card);
    error_set(&item->why, 0, "%s has the card itself", card->domain_name);
}

/* A record without a place is that of a guest that was being moved when vgpuctl was killed.
 * *is_off: the guest waits for its start. Returns -errno with a line in error if libvirt does not
 * tell; 0: it knows no such domain. */
static int
find_in_hand(const struct evacuation_plan *plan, const struct evacuation_move *record, bool *is_off,
             struct error *error)
{
    struct connection_domain domain;
    int rc;

    *is_off = false;
    if (!plan->connection) {
        *error = plan->no_libvirt;
        return -ENOTCONN;
    }
    rc = connection_find(plan->connection, record->domain.text, &domain, error);
    if (rc < 0)
        return error->class == ERROR_NO_DOMAIN ? 0 : rc;
    *is_off = evacuation_record_is_in_hand(record) && !domain.is_running &&
              (domain.is_saved || record->way == EVACUATION_STOP);
    return 1;
}

/* An evacuation of before was killed, and left a guest off. */
static void
add_off(struct evacuation_plan *plan, const struct evacuation_move *record)
{
    AUTO(names_clear) struct names present = {0};
    struct error why = {0};
    struct evacuee *item;
    bool is_off;
    int rc;

    ledger_find_gpus(&plan->snapshot.ledger, &record->domain, &present);
    if (!evacuation_record_is_in_hand(record) || !names_overlap(&record->from, &plan->gpus) ||
        present.count)
        return;
    rc = find_in_hand(plan, record, &is_off, &why);
    if (rc >= 0 && !is_off)
        return;
    item = add(plan, &record->domain, record->name);
    item->is_off = is_off;
    item->move.way = is_off ? EVACUATION_HERE : EVACUATION_STAYS;
    if (rc < 0)
        item->why = why;
    names_copy(&record->from, &item->move.from);
}

static void
look_on_gpus(struct evacuation_plan *plan)
{
    const struct snapshot *snapshot = &plan->snapshot;
    struct vgpu_walk walk = {.ledger = &snapshot->ledger, .inventory = &snapshot->inventory};

    while (vgpu_walk_next(&walk)) {
        if (names_has(&plan->gpus, walk.gpu))
            add_vgpu(plan, &walk);
    }
    for (size_t i = 0; i < snapshot->ledger.cards.count; i++) {
        if (names_has(&plan->gpus, &snapshot->ledger.cards.items[i].card))
            add_card(plan, &snapshot->ledger.cards.items[i]);
    }
    for (size_t i = 0; i < plan->records.count; i++)
        add_off(plan, &plan->records.items[i]);
}

/* --- who is away ------------------------------------------------------------------------------ */

/* A guest that is off finds a place at its next start, and a guest that somebody else has moved is
 * no concern of ours any more. */
static void
see_where(struct evacuation_plan *plan, struct evacuee *item, const struct evacuation_move *record)
{
    const struct ledger *ledger = &plan->snapshot.ledger;
    int rc;

    ledger_find_gpus(ledger, &record->domain, &item->move.from);
    for (size_t i = 0; i < ledger->count; i++) {
        if (name_equal(&ledger->leases[i].domain, &record->domain))
            item->framebuffer += ledger->leases[i].framebuffer;
    }
    if (item->move.from.count) {
        item->is_settled = evacuation_record_is_in_hand(record)
                               ? names_are_same(&item->move.from, &record->from)
                               : !names_are_same(&item->move.from, &record->to);
        if (item->is_settled)
            error_set(&item->why, 0, "it is not where it was put");
        return;
    }
    rc = find_in_hand(plan, record, &item->is_off, &item->why);
    item->is_settled = rc >= 0 && !item->is_off;
    if (rc < 0)
        item->move.way = EVACUATION_STAYS;
    else
        error_set(&item->why, 0,
                  rc == 0 ? "libvirt does not know it any more"
                          : "it has been shut off: its next start finds a place by itself");
    if (item->is_off)
        item->why = (struct error){0};
}

/* Whether a guest that went to another host is here again. */
static bool
has_come(const struct evacuation_plan *plan, const struct evacuation_move *record)
{
    struct connection_domain domain;
    struct error ignored;

    return plan->connection &&
           connection_find(plan->connection, record->domain.text, &domain, &ignored) == 0;
}

static void
look_for_records(struct evacuation_plan *plan)
{
    for (size_t i = 0; i < plan->records.count; i++) {
        const struct evacuation_move *record = &plan->records.items[i];
        struct evacuee *item;

        if (plan->gpus.count && !names_overlap(&record->from, &plan->gpus))
            continue;
        item = add(plan, &record->domain, record->name);
        item->move.way = record->way;
        names_copy(&record->from, &item->move.to);
        if (record->host && !has_come(plan, record))
            item->move.host = memory_copy(record->host);
        else
            see_where(plan, item, record);
    }
}

void
evacuation_plan_find_drained(const struct evacuation_plan *plan, struct names *ret)
{
    AUTO(names_clear) struct names drained = {0};

    if (drained_read(plan->call->host, &drained) < 0)
        return;
    for (size_t i = 0; i < drained.count; i++) {
        const struct name *gpu = &drained.items[i];
        struct drained_note note;

        drained_find_note(plan->call->host, gpu, &note);
        if (note.by_evacuation && (!plan->gpus.count || names_has(&plan->gpus, gpu)))
            names_append(ret, gpu);
    }
}

/* --- who may move ----------------------------------------------------------------------------- */

static bool
is_excepted(const struct evacuation_plan *plan, const struct evacuation_move *move)
{
    const struct options *options = &plan->call->options;

    return ARRAY_HAS(options->excepted, options->excepted_count, word,
                     !strcmp(*word, move->name) || !strcmp(*word, move->domain.text));
}

int
evacuation_plan_allows(const struct evacuation_plan *plan, const struct evacuation_move *move,
                       unsigned *ways, struct error *error)
{
    *ways = 0;
    if (is_excepted(plan, move))
        return error_refuse(error, ERROR_FAILED, "--except names it");
    if (*plan->snapshot.policy_fault.text) {
        *error = plan->snapshot.policy_fault;
        return -EINVAL;
    }
    *ways = policy_evacuation(&plan->snapshot.policy, move->name, &move->domain);
    return *ways ? 0 : error_refuse(error, ERROR_NEVER, "vgpu.conf (evacuate) lets nobody move it");
}

/* A guest that only has to be started, or to come from another host, is judged here. */
static void
judge_rest(const struct evacuation_plan *plan, struct evacuee *item)
{
    unsigned ways;
    int rc = evacuation_plan_allows(plan, &item->move, &ways, &item->why);

    if (rc == 0 && item->move.host && !(ways & 1u << POLICY_EVACUATE_LIVE))
        rc = error_refuse(&item->why, ERROR_NEVER, EVACUATION_NOT_LIVE);
    if (rc < 0)
        item->move.way = EVACUATION_STAYS;
}

/* --- all of it -------------------------------------------------------------------------------- */

static int
by_size(const void *a, const void *b)
{
    const struct evacuee *left = a, *right = b;

    if (left->framebuffer != right->framebuffer)
        return left->framebuffer < right->framebuffer ? 1 : -1;
    return strcmp(left->move.name, right->move.name);
}

/* What is drained now will not be drained when the guests come home. */
static void
undrain_snapshot(struct evacuation_plan *plan)
{
    AUTO(names_clear) struct names ended = {0}, all = plan->snapshot.ledger.drained;

    plan->snapshot.ledger.drained = (struct names){0};
    evacuation_plan_find_drained(plan, &ended);
    for (size_t i = 0; i < all.count; i++) {
        if (!names_has(&ended, &all.items[i]))
            names_append(&plan->snapshot.ledger.drained, &all.items[i]);
    }
}

int
evacuation_plan_look(struct evacuation_plan *plan, struct error *error)
{
    const struct command_call *call = plan->call;
    int rc = snapshot_take_to_show(&plan->snapshot, call->host, &inventory_all_types, error);

    if (rc == 0)
        rc = evacuation_record_read_all(call->host, &plan->records, error);
    if (rc < 0)
        return rc;
    if (connection_open(call->host, call->uri, CONNECTION_READ, &plan->connection,
                        &plan->no_libvirt) < 0)
        connection_close(&plan->connection);
    plan->is_bound = plan->is_back;
    if (plan->is_back) {
        undrain_snapshot(plan);
        look_for_records(plan);
    } else {
        look_on_gpus(plan);
    }
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->items[i].is_off || plan->items[i].move.host)
            judge_rest(plan, &plan->items[i]);
    }
    if (plan->count)
        qsort(plan->items, plan->count, sizeof(*plan->items), by_size);
    return 0;
}

/* --- a plan of before ------------------------------------------------------------------------- */

static void
stay(struct evacuee *item, const char *why)
{
    item->move.way = EVACUATION_STAYS;
    error_set(&item->why, 0, "%s", why);
}

static void
follow(const struct evacuation_plan *plan, struct evacuee *item, const struct evacuation_move *said)
{
    unsigned ways;

    item->move.way = EVACUATION_STAYS;
    if (evacuation_plan_allows(plan, &item->move, &ways, &item->why) < 0)
        return;
    if (!said)
        return stay(item, "the plan does not have it");
    if (said->way == EVACUATION_STAYS)
        return stay(item, "the plan says so");
    if (!names_are_same(&said->from, &item->move.from))
        return stay(item, "it is on other GPUs than the plan says");
    if ((said->way == EVACUATION_HERE && !(ways & 1u << POLICY_EVACUATE_HERE)) ||
        (said->way == EVACUATION_LIVE && !(ways & 1u << POLICY_EVACUATE_LIVE)))
        return stay(item, "vgpu.conf (evacuate) does not let it move as the plan says");
    item->move.way = said->way;
    names_copy(&said->to, &item->move.to);
    if (said->host)
        item->move.host = memory_copy(said->host);
}

void
evacuation_plan_follow(struct evacuation_plan *plan, const struct evacuation_moves *moves)
{
    struct evacuee *sorted = memory_zeroed(plan->count, sizeof(*sorted));
    size_t count = 0;

    plan->is_bound = true;
    for (size_t i = 0; i < plan->count; i++) {
        struct evacuee *item = &plan->items[i];

        if (evacuee_is_guest(item) && !item->is_off)
            follow(plan, item, evacuation_moves_find(moves, &item->move.domain));
    }
    for (size_t i = 0; i < moves->count; i++) {
        struct evacuee *item = find(plan, &moves->items[i].domain);

        if (item)
            sorted[count++] = *item;
    }
    for (size_t i = 0; i < plan->count; i++) {
        const struct evacuee *item = &plan->items[i];

        if (!evacuee_is_guest(item) || !evacuation_moves_find(moves, &item->move.domain))
            sorted[count++] = *item;
    }
    free(plan->items);
    plan->items = sorted;
}
