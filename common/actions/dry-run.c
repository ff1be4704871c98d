/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/dry-run.h"
#include "apply/recovery.h"
#include "device/scan.h"
#include "placement/boot-wait.h"
#include "placement/candidate.h"
#include "placement/ineligible.h"
#include "placement/max-instances.h"
#include "placement/reason.h"
#include "policy/policy-load.h"

#include <stdio.h>
#include <string.h>

const char *const forecast_verdict_words[] = {
    [FORECAST_NO] = "no",         [FORECAST_REAP] = "reap",   [FORECAST_POSSIBLE] = "possible",
    [FORECAST_CHOSEN] = "chosen", [FORECAST_FOUND] = "found", [FORECAST_TAKEN] = "taken",
};

void
forecast_clear(struct forecast *forecast)
{
    free(forecast->choices);
    free(forecast->may_reap);
    free(forecast->may_still);
    clearance_clear(&forecast->after);
    ledger_clear(&forecast->busy);
    ledger_clear(&forecast->unwanted);
    ledger_clear(&forecast->reaped);
    ledger_clear(&forecast->ledger);
    inventory_clear(&forecast->inventory);
    intent_clear(&forecast->intent);
}

/* As leftovers_claim_own, of which nothing is done. */
static int
sort_own(struct forecast *forecast, const struct job *job, const struct name *domain)
{
    for (size_t i = 0; i < forecast->ledger.count;) {
        struct lease *lease = &forecast->ledger.leases[i];
        enum leftovers_own judgement = LEFTOVERS_STAY;
        int rc = 0;

        if (name_equal(&lease->domain, domain))
            judgement =
                leftovers_judge_own(job, &forecast->intent.demands, &forecast->inventory, lease);
        if (judgement == LEFTOVERS_BUSY || judgement == LEFTOVERS_GOING)
            rc = ledger_add(&forecast->busy, lease);
        if (judgement == LEFTOVERS_REMOVE)
            rc = ledger_add(&forecast->unwanted, lease);
        if (rc < 0)
            return rc;
        if (judgement == LEFTOVERS_FORGET)
            ledger_remove(&forecast->ledger, lease);
        else
            i++;
    }
    return 0;
}

/* As leftovers_claim_others: forgets what is gone, and says what may go. -ENOMEM. */
static int
sort_others(struct forecast *forecast, const struct job *job, const struct name *domain)
{
    AUTO(guests_clear) struct guests guests = {0};
    struct ledger *ledger = &forecast->ledger;

    leftovers_read_guests(job, ledger, &guests);
    for (size_t i = 0; i < ledger->count;) {
        struct lease *lease = &ledger->leases[i];

        if (!name_equal(&lease->domain, domain) && leftovers_is_gone(job, &guests, lease))
            ledger_remove(ledger, lease);
        else
            i++;
    }
    forecast->may_reap = calloc(ledger->count + 1, sizeof(*forecast->may_reap));
    if (!forecast->may_reap)
        return -ENOMEM;
    for (size_t i = 0; i < ledger->count; i++)
        forecast->may_reap[i] = leftovers_may_reap(job, &guests, domain, &ledger->leases[i]);
    return 0;
}

/* What a start would see once what was found so far is removed. -ENOMEM. */
static int
clear(struct forecast *forecast, const struct placement_question *question)
{
    const struct ledger *ledger = &forecast->ledger;
    AUTO_FREE bool *gone = calloc(ledger->count + 1, sizeof(*gone));
    size_t staying = 0;

    free(forecast->may_still);
    forecast->may_still = calloc(ledger->count + 1, sizeof(*forecast->may_still));
    if (!gone || !forecast->may_still)
        return -ENOMEM;
    for (size_t i = 0; i < ledger->count; i++) {
        const struct name *device = &ledger->leases[i].vgpu.device;

        gone[i] = ledger_find(&forecast->busy, device) ||
                  ledger_find(&forecast->unwanted, device) ||
                  ledger_find(&forecast->reaped, device);
        if (!gone[i] && forecast->may_reap)
            forecast->may_still[staying] = forecast->may_reap[i];
        staying += !gone[i];
    }
    clearance_clear(&forecast->after);
    return clearance_make(&forecast->after, question, gone, CLEARANCE_LIKELY);
}

/* 1: something is in the way; 0: nothing is, or it is no matter of room; -ENOMEM. */
static int
find(struct forecast *forecast, const struct placement_question *question)
{
    int rc = clear(forecast, question);

    if (rc < 0)
        return rc;
    for (size_t i = 0; i < forecast->intent.demands.count; i++)
        forecast->choices[i].parent = SIZE_MAX;
    rc = placement_find(&forecast->after.question, forecast->choices, &forecast->refusal);
    forecast->rc = rc;
    forecast->outcome = rc < 0                   ? FORECAST_REFUSED
                        : forecast->reaped.count ? FORECAST_REAPING
                                                 : FORECAST_PLACED;
    return rc == -ENOMEM ? rc : rc == -ENOSPC || rc == -EEXIST;
}

static int
by_time(const void *a, const void *b)
{
    const struct lease *left = a, *right = b;

    return (left->time > right->time) - (left->time < right->time);
}

/* What would be removed for room: one, then from its GPU as much as is needed, which will be seen.
 * -ENOMEM. */
static int
list_reaped(struct forecast *forecast, size_t first)
{
    const struct ledger *ledger = &forecast->after.ledger;
    struct ledger *reaped = &forecast->reaped;
    int rc = ledger_add(reaped, &ledger->leases[first]);
    size_t start = reaped->count;

    for (size_t i = 0; rc == 0 && i < ledger->count; i++) {
        if (i != first && forecast->may_still[i] &&
            name_equal(&ledger->leases[i].gpu, &ledger->leases[first].gpu))
            rc = ledger_add(reaped, &ledger->leases[i]);
    }
    if (reaped->count > start + 1)
        qsort(&reaped->leases[start], reaped->count - start, sizeof(*reaped->leases), by_time);
    return rc;
}

/* One after another of what has a demanded UUID; then what has the room. -ENOMEM. */
static int
reap(struct forecast *forecast, const struct placement_question *question)
{
    int rc = 1;

    while (rc > 0) {
        size_t first = placement_reap(&forecast->after.question, forecast->may_still);

        if (first == SIZE_MAX)
            return 0;
        if (forecast->rc == -ENOSPC) {
            forecast->outcome = FORECAST_REAPING;
            return list_reaped(forecast, first);
        }
        rc = ledger_add(&forecast->reaped, &forecast->after.ledger.leases[first]);
        if (rc == 0)
            rc = find(forecast, question);
    }
    return rc;
}

/* What others left behind is looked at only when it is in the way, as in a start. */
static int
decide(struct forecast *forecast, const struct job *job, const struct request *request,
       const struct forecast_change *change)
{
    const struct placement_question question = {
        .request = request,
        .demands = &forecast->intent.demands,
        .policy = &forecast->intent.policy,
        .inventory = &forecast->inventory,
        .ledger = &forecast->ledger,
        .running = change->alone,
        .avoided = change->avoided,
    };
    int rc = change->alone ? 0 : sort_own(forecast, job, &request->domain);

    if (rc == 0)
        rc = find(forecast, &question);
    if (rc <= 0)
        return rc;
    rc = sort_others(forecast, job, &request->domain);
    if (rc == 0)
        rc = find(forecast, &question);
    return rc > 0 ? reap(forecast, &question) : rc;
}

static int
look(struct forecast *forecast, const struct host *host, const struct request *request,
     const struct forecast_change *change, struct error *error)
{
    AUTO(job_end) struct job job = JOB_NONE;
    int rc = statedir_peek(host, &forecast->ledger, error);

    if (rc == 0)
        rc = scan_host(host, &forecast->intent.filter, &forecast->inventory, error);
    if (rc < 0)
        return rc;
    job_begin_to_look(host, &job);
    ceiling_apply(&forecast->intent.policy, &forecast->inventory);
    forecast->choices = calloc(forecast->intent.demands.count, sizeof(*forecast->choices));
    rc = forecast->choices ? leftovers_add_going(host, &forecast->ledger, &forecast->inventory)
                           : -ENOMEM;
    if (rc == 0)
        rc = stranger_add_all(host, &forecast->intent.demands, &forecast->inventory);
    if (rc == 0)
        rc = decide(forecast, &job, request, change);
    if (rc == 0 && (forecast->rc == -ENOSPC || forecast->rc == -ENOENT))
        forecast->boot_left = boot_left(host, &forecast->intent.policy, &forecast->inventory);
    return rc < 0 ? error_set(error, rc, "no memory for the placement") : 0;
}

int
forecast_make_after(struct forecast *forecast, const struct host *host,
                    const struct request *request, const struct forecast_change *change,
                    struct error *error)
{
    struct intent *intent = &forecast->intent;
    int rc;

    *forecast = (struct forecast){0};
    rc = policy_load(host, &intent->policy, error);
    if (rc == 0)
        rc = intent_resolve(intent, host, request, error);
    if (rc <= 0)
        return rc;
    demands_set_some_free(&intent->demands, change->sources, change->freedom);
    if (change->alone)
        demands_keep_free(&intent->demands);
    return look(forecast, host, request, change, error);
}

int
forecast_make(struct forecast *forecast, const struct host *host, const struct request *request,
              struct error *error)
{
    const struct names none = {0};
    const struct forecast_change change = {.sources = &none, .avoided = &none};

    return forecast_make_after(forecast, host, request, &change, error);
}

bool
forecast_is_chosen(const struct forecast *forecast, size_t demand)
{
    return forecast->choices[demand].parent != SIZE_MAX;
}

int
forecast_room(const struct forecast *forecast, size_t demand, struct room *ret)
{
    int rc = room_init(ret, &forecast->after.question);

    for (size_t i = 0; rc == 0 && i < forecast->intent.demands.count; i++) {
        const struct placement_choice *choice = &forecast->choices[i];

        if (i == demand || !forecast_is_chosen(forecast, i))
            continue;
        if (choice->way == PLACEMENT_MAKE)
            room_occupy(ret, choice->parent, choice->type);
        else
            room_settle(ret, choice->parent, choice->type);
    }
    return rc;
}

/* Another GPU that has room: why it is not the one. */
static void
add_why(const struct forecast *forecast, const struct room *room, size_t demand, size_t gpu,
        char *text, size_t size)
{
    const struct placement_choice *choice = &forecast->choices[demand];
    size_t mine = forecast->inventory.parents[choice->parent].gpu, count, at = strlen(text);
    const struct candidate *chosen = NULL, *other = NULL;
    AUTO_FREE struct candidate *candidates = NULL;

    if (candidate_list(room, &forecast->intent.demands.items[demand], &candidates, &count) < 0)
        return;
    for (size_t i = 0; i < count; i++) {
        if (!chosen && candidates[i].gpu == mine && candidates[i].type == choice->type)
            chosen = &candidates[i];
        if (!other && candidates[i].gpu == gpu)
            other = &candidates[i];
    }
    if (chosen && other)
        snprintf(text + at, size - at, ", but %s", candidate_why(chosen, other));
}

enum forecast_verdict
forecast_judge(const struct forecast *forecast, const struct room *room, size_t demand, size_t gpu,
               char *text, size_t size)
{
    const struct demand *wanted = &forecast->intent.demands.items[demand];
    const struct placement_choice *choice = &forecast->choices[demand];
    bool chosen = forecast_is_chosen(forecast, demand);
    bool here = chosen && forecast->inventory.parents[choice->parent].gpu == gpu;
    enum verdict verdict;

    if (chosen && choice->way != PLACEMENT_MAKE) {
        snprintf(text, size, "%s", here ? "has it already" : "has it not");
        return !here                           ? FORECAST_NO
               : choice->way == PLACEMENT_TAKE ? FORECAST_TAKEN
                                               : FORECAST_FOUND;
    }
    verdict = reason_gpu(room, wanted, gpu, text, size);
    if (verdict != VERDICT_GOOD)
        return forecast->outcome == FORECAST_REAPING &&
                       candidate_could_take(room, wanted, gpu, forecast->may_still)
                   ? FORECAST_REAP
                   : FORECAST_NO;
    if (here)
        return FORECAST_CHOSEN;
    if (chosen)
        add_why(forecast, room, demand, gpu, text, size);
    return FORECAST_POSSIBLE;
}
