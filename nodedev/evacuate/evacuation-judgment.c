/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "evacuate/evacuation-judgment.h"
#include "base/array.h"
#include "base/memory.h"
#include "migrate/managed-save.h"
#include "migrate/migrate-question.h"
#include "migrate/relocation.h"

#include <string.h>

#define MOST_ORDERED 6 /* guests of which all orders are tried */

struct judgment {
    struct evacuation_plan *plan;
    struct domain_source *sources; /* per item; read only for guests that may move */
    unsigned *ways;                /* per item: bits of enum policy_evacuate; 0: it stays */
};

static struct evacuee *
item_at(const struct judgment *judgment, size_t index)
{
    return &judgment->plan->items[index];
}

static void
stay(struct evacuee *item, const struct error *why)
{
    item->move.way = EVACUATION_STAYS;
    if (!*item->why.text)
        item->why = *why;
    else if (!strstr(item->why.text, why->text))
        error_add(&item->why, "%s", why->text);
}

/* --- who may move at all ---------------------------------------------------------------------- */

static int
read_guest(const struct judgment *judgment, size_t index, struct error *error)
{
    const struct evacuation_plan *plan = judgment->plan;
    const struct evacuation_move *move = &plan->items[index].move;
    struct domain_source *source = &judgment->sources[index];
    int rc;

    rc = evacuation_plan_allows(plan, move, &judgment->ways[index], error);
    if (rc < 0)
        return rc;
    if (!plan->connection) {
        *error = plan->no_libvirt;
        return -ENOTCONN;
    }
    rc = domain_source_find(plan->call, plan->connection, move->domain.text, source, error);
    return rc < 0 ? rc : domain_source_request(source, error);
}

/* A guest that has nothing to do but to start, or that is on another host, needs no judgment. */
static bool
needs_judgment(const struct judgment *judgment, size_t index)
{
    const struct evacuee *item = item_at(judgment, index);

    return evacuee_is_guest(item) && !item->is_off && !item->is_settled && !item->move.host;
}

static void
find_who_may(struct judgment *judgment)
{
    for (size_t i = 0; i < judgment->plan->count; i++) {
        struct error why;

        if (!needs_judgment(judgment, i))
            continue;
        item_at(judgment, i)->move.way = EVACUATION_STAYS;
        if (read_guest(judgment, i, &why) < 0) {
            judgment->ways[i] = 0;
            stay(item_at(judgment, i), &why);
        }
    }
}

/* --- places here ------------------------------------------------------------------------------ */

static int
foresee(const struct judgment *judgment, size_t index, enum relocation_way way, struct error *error)
{
    struct evacuation_plan *plan = judgment->plan;
    const struct relocation relocation = {
        .call = plan->call,
        .way = way,
        .source = &judgment->sources[index],
        .left = evacuation_plan_left(plan),
        .only = evacuation_plan_only(plan, &plan->items[index]),
    };

    return relocation_foresee(&relocation, &plan->snapshot, error);
}

static void
forget(const struct judgment *judgment, size_t count)
{
    struct ledger *ledger = &judgment->plan->snapshot.ledger;

    while (ledger->count > count)
        ledger_remove(ledger, &ledger->leases[ledger->count - 1]);
}

/* Gives a guest its place in the snapshot. */
static int
place(const struct judgment *judgment, size_t index, enum relocation_way way)
{
    struct evacuation_plan *plan = judgment->plan;
    const struct ledger *ledger = &plan->snapshot.ledger;
    struct evacuee *item = item_at(judgment, index);
    const size_t count = ledger->count;
    struct error why;
    int rc = foresee(judgment, index, way, &why);

    if (rc < 0) {
        stay(item, &why);
        return rc;
    }
    item->why = (struct error){0};
    item->move.way = way == RELOCATION_SAVE ? EVACUATION_HERE : EVACUATION_STOP;
    names_clear(&item->move.to);
    for (size_t i = count; i < ledger->count; i++)
        names_append_new(&item->move.to, &ledger->leases[i].gpu);
    if (way == RELOCATION_SAVE)
        item->pause = managed_save_estimate_pause(
            plan->call->host,
            item->framebuffer + managed_save_memory(&judgment->sources[index].text));
    return 0;
}

/* The guests that look for a place, and the orders of them. */
struct orders {
    const struct judgment *judgment;
    size_t guests[MOST_ORDERED]; /* indices of items */
    size_t count;
    bool is_placed[MOST_ORDERED];
    size_t tried[MOST_ORDERED], best[MOST_ORDERED]; /* the same, of those that find a place */
    size_t best_count;
};

/* The first order that is tried is that of the items. */
static void
try_orders(struct orders *orders, size_t depth)
{
    const size_t leases = orders->judgment->plan->snapshot.ledger.count;

    if (depth > orders->best_count) {
        orders->best_count = depth;
        memcpy(orders->best, orders->tried, sizeof(orders->best));
    }
    for (size_t i = 0; i < orders->count && orders->best_count < orders->count; i++) {
        struct error ignored;

        if (orders->is_placed[i] ||
            foresee(orders->judgment, orders->guests[i], RELOCATION_SAVE, &ignored) < 0)
            continue;
        orders->is_placed[i] = true;
        orders->tried[depth] = orders->guests[i];
        try_orders(orders, depth + 1);
        orders->is_placed[i] = false;
        forget(orders->judgment, leases);
    }
}

/* Puts the guests with the indices of `first` before all others. */
static void
reorder(struct judgment *judgment, const size_t *first, size_t count)
{
    struct evacuation_plan *plan = judgment->plan;
    struct evacuee *items = memory_zeroed(plan->count, sizeof(*items));
    struct domain_source *sources = memory_zeroed(plan->count, sizeof(*sources));
    unsigned *ways = memory_zeroed(plan->count, sizeof(*ways));
    AUTO_FREE bool *is_taken = memory_zeroed(plan->count, sizeof(*is_taken));
    size_t next = 0;

    for (size_t i = 0; i < count + plan->count; i++) {
        const size_t from = i < count ? first[i] : i - count;

        if (is_taken[from])
            continue;
        is_taken[from] = true;
        items[next] = plan->items[from];
        sources[next] = judgment->sources[from];
        ways[next++] = judgment->ways[from];
    }
    free(plan->items);
    free(judgment->sources);
    free(judgment->ways);
    plan->items = items;
    judgment->sources = sources;
    judgment->ways = ways;
}

static void
find_order(struct judgment *judgment)
{
    struct orders orders = {.judgment = judgment};

    for (size_t i = 0; i < judgment->plan->count; i++) {
        if (!(judgment->ways[i] & 1u << POLICY_EVACUATE_HERE))
            continue;
        if (orders.count == MOST_ORDERED)
            return;
        orders.guests[orders.count++] = i;
    }
    try_orders(&orders, 0);
    reorder(judgment, orders.best, orders.best_count);
}

static void
find_places(struct judgment *judgment)
{
    find_order(judgment);
    for (size_t i = 0; i < judgment->plan->count; i++) {
        struct error why;

        if (judgment->ways[i] & 1u << POLICY_EVACUATE_HERE)
            (void)!place(judgment, i, RELOCATION_SAVE);
        else if (judgment->ways[i]) {
            error_refuse(&why, ERROR_NEVER, "vgpu.conf (evacuate) does not let it move here");
            stay(item_at(judgment, i), &why);
        }
    }
}

/* --- other hosts ------------------------------------------------------------------------------ */

static int
ask_hosts(const struct judgment *judgment, struct migrate_question *question, struct error *error)
{
    const struct command_call *call = judgment->plan->call;
    int rc = migrate_question_start(question, call->host, error);

    return rc < 0 ? rc
                  : migrate_question_ask(question, call, call->options.uris,
                                         call->options.uri_count, error);
}

int
evacuation_judgment_find_host(struct migrate_question *question, struct evacuation_move *move,
                              struct error *error)
{
    AUTO(destinations_clear) struct destinations destinations = {0};
    int rc = migrate_question_find_guest(question, move->domain.text, error);
    char *host;

    if (rc < 0)
        return rc;
    destinations_judge(question, &destinations);
    if (destinations_conclude(&destinations, move->name, error) != COMMAND_DONE)
        return REFUSED;
    /* The URI that was asked may be the move's own. */
    host = memory_copy(destinations.items[0].host->uri);
    free(move->host);
    move->host = host;
    return 0;
}

static void
find_hosts(struct judgment *judgment)
{
    AUTO(migrate_question_clear) struct migrate_question question = {0};
    struct evacuation_plan *plan = judgment->plan;
    struct error why;
    bool is_asked = false;
    int rc = 0;

    for (size_t i = 0; i < plan->count && plan->call->options.uri_count && !plan->is_back; i++) {
        struct evacuee *item = &plan->items[i];

        if (item->move.way != EVACUATION_STAYS || !judgment->ways[i])
            continue;
        if (!(judgment->ways[i] & 1u << POLICY_EVACUATE_LIVE)) {
            error_refuse(&why, ERROR_NEVER, EVACUATION_NOT_LIVE);
            stay(item, &why);
            continue;
        }
        if (!is_asked)
            rc = ask_hosts(judgment, &question, &why);
        is_asked = true;
        if (rc < 0 || evacuation_judgment_find_host(&question, &item->move, &why) < 0) {
            stay(item, &why);
            continue;
        }
        item->move.way = EVACUATION_LIVE;
        item->why = (struct error){0};
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

static void
find_who_stops(struct judgment *judgment)
{
    for (size_t i = 0; i < judgment->plan->count; i++) {
        if (judgment->ways[i] && item_at(judgment, i)->move.way == EVACUATION_STAYS)
            (void)!place(judgment, i, RELOCATION_SHUT_DOWN);
    }
}

void
evacuation_judgment_make(struct evacuation_plan *plan)
{
    struct judgment judgment = {
        .plan = plan,
        .sources = memory_zeroed(plan->count, sizeof(*judgment.sources)),
        .ways = memory_zeroed(plan->count, sizeof(*judgment.ways)),
    };

    find_who_may(&judgment);
    find_places(&judgment);
    find_hosts(&judgment);
    if (option_given(&plan->call->options, OPTION_STOP))
        find_who_stops(&judgment);
    for (size_t i = 0; i < plan->count; i++)
        domain_source_close(&judgment.sources[i]);
    free(judgment.sources);
    free(judgment.ways);
}
