/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/dry-run.h"
#include "actions/assignment.h"
#include "actions/snapshot.h"
#include "apply/recovery.h"
#include "base/array.h"
#include "base/reader.h"
#include "lease/fate.h"
#include "lease/marks.h"
#include "placement/boot-wait.h"
#include "placement/candidate.h"
#include "placement/feasibility.h"
#include "placement/placement.h"
#include "placement/victim.h"
#include "policy/policy-load.h"

#include <stdio.h>
#include <string.h>

const char *const dry_run_answer_words[] = {
    [DRY_RUN_NO] = "no",         [DRY_RUN_EVICT] = "reap",  [DRY_RUN_POSSIBLE] = "possible",
    [DRY_RUN_CHOSEN] = "chosen", [DRY_RUN_FOUND] = "found", [DRY_RUN_TAKEN] = "taken",
};

/* --- what was seen ---------------------------------------------------------------------------- */

void
dry_run_sight_clear(struct dry_run_sight *sight)
{
    look_clear(&sight->look);
    transaction_close(&sight->transaction);
    snapshot_clear(&sight->snapshot);
}

static int
look(struct dry_run_sight *sight, const struct host *host, const struct request *request,
     struct error *error)
{
    struct snapshot *snapshot = &sight->snapshot;
    struct statedir *statedir = &sight->transaction.statedir;
    int rc = statedir_peek(host, &snapshot->ledger, error);

    if (rc < 0)
        return rc;
    snapshot_bind_to_promises(snapshot, host, request);
    transaction_open_to_look(host, &sight->transaction);
    reader_begin(host->reader, READER_PATIENCE);
    sight->is_unsure = statedir_is_unsure(statedir, &snapshot->ledger);
    marks_read(host, &snapshot->ledger);
    rc = snapshot_look(snapshot, statedir, NULL, &sight->look, error);
    if (rc == 0)
        fate_sweep_cards(statedir, &sight->look, &snapshot->ledger);
    return rc;
}

int
dry_run_look(const struct host *host, const struct request *request, bool is_restored,
             struct dry_run_sight *ret, struct error *error)
{
    struct snapshot *snapshot = &ret->snapshot;
    int rc;

    *ret = DRY_RUN_UNSEEN;
    rc = policy_load(host, &snapshot->policy, error);
    ret->knows_policy = rc == 0;
    if (rc == 0)
        rc = snapshot_resolve(snapshot, host, request, error);
    if (rc <= 0)
        return rc;
    if (is_restored)
        snapshot_bind_to_saved(snapshot, host, request);
    ret->rc = look(ret, host, request, &ret->fault);
    if (ret->rc == 0)
        return 0;
    ledger_clear(&snapshot->ledger);
    return snapshot_scan(snapshot, host, error);
}

/* --- the start -------------------------------------------------------------------------------- */

static const struct names none;
const struct dry_run_change dry_run_unchanged = {.sources = &none, .avoided = &none};

void
dry_run_clear(struct dry_run *dry_run)
{
    free(dry_run->choices);
    free(dry_run->gone);
    free(dry_run->may_evict);
    ledger_clear(&dry_run->busy);
    ledger_clear(&dry_run->unwanted);
    ledger_clear(&dry_run->evicted);
    ledger_clear(&dry_run->snapshot.ledger);
    demands_clear(&dry_run->snapshot.demands);
}

/* As recovery_claim_own, but removes and claims nothing. */
static void
sort_own(struct dry_run *dry_run, const struct transaction *transaction, const struct look *look,
         const struct name *domain)
{
    for (size_t i = 0; i < dry_run->snapshot.ledger.count;) {
        struct lease *lease = &dry_run->snapshot.ledger.leases[i];
        enum fate fate = FATE_REUSE;
        const char *why;

        if (name_equal(&lease->domain, domain))
            fate = recovery_judge_own(transaction, look, &dry_run->snapshot.demands,
                                      &dry_run->snapshot.inventory, &dry_run->snapshot.ledger,
                                      lease, &why);
        if (fate == FATE_WAIT)
            ledger_add(&dry_run->busy, lease);
        if (fate == FATE_REMOVE)
            ledger_add(&dry_run->unwanted, lease);
        if (fate == FATE_FORGET)
            ledger_remove(&dry_run->snapshot.ledger, lease);
        else
            i++;
    }
}

/* As recovery_claim_others: forgets leases whose devices are gone, and says which may be
 * removed. */
static void
sort_others(struct dry_run *dry_run, const struct transaction *transaction, const struct look *look,
            const struct name *domain, bool running)
{
    struct ledger *ledger = &dry_run->snapshot.ledger;

    dry_run->may_evict = memory_zeroed(ledger->count, sizeof(*dry_run->may_evict));
    recovery_sort_others(&transaction->statedir, look, domain, running, NULL, ledger,
                         dry_run->may_evict);
}

/* Flags the leases that a start would have removed by then, as far as was found. */
static void
flag_gone(struct dry_run *dry_run)
{
    const struct ledger *ledger = &dry_run->snapshot.ledger;

    free(dry_run->gone);
    dry_run->gone = memory_zeroed(ledger->count, sizeof(*dry_run->gone));
    for (size_t i = 0; i < ledger->count; i++) {
        const struct name *device = &ledger->leases[i].vgpu.device;

        dry_run->gone[i] = ledger_find(&dry_run->busy, device) ||
                           ledger_find(&dry_run->unwanted, device) ||
                           ledger_find(&dry_run->evicted, device);
        if (dry_run->may_evict)
            dry_run->may_evict[i] &= !dry_run->gone[i];
    }
    dry_run->problem.gone = dry_run->gone;
}

/* Whether there is a place for each demand. A start tries what is offered now. What a GPU offers
 * after a removal, a start sees only then. So only sure places count on a GPU where something is
 * gone. */
static unsigned
ask_places(struct dry_run *dry_run, const struct host *host)
{
    const struct snapshot *snapshot = &dry_run->snapshot;

    flag_gone(dry_run);
    for (size_t i = 0; i < snapshot->demands.count; i++)
        dry_run->choices[i].place = (struct place){NULL, NULL};
    dry_run->problem.certainty = PLACEMENT_TRY_SEEN;
    if (placement_find(&dry_run->problem, dry_run->choices, &dry_run->refusal) == 0) {
        dry_run->outcome = dry_run->evicted.count ? DRY_RUN_EVICTING : DRY_RUN_PLACED;
        return START_ASKED_PLACES | START_PLACED;
    }
    dry_run->outcome = DRY_RUN_REFUSED;
    dry_run->boot_wait_left =
        dry_run->refusal.class == ERROR_NO_ROOM || dry_run->refusal.class == ERROR_NEVER
            ? boot_wait_left(&snapshot->policy, &snapshot->ledger.drained, &snapshot->inventory,
                             host_uptime(host))
            : 0;
    return START_ASKED_PLACES | start_refusal(dry_run->refusal.class) |
           (assignment_has_recent_removal(host, &dry_run->problem) ? START_JUST_REMOVED : 0) |
           (dry_run->boot_wait_left ? START_BOOTING : 0);
}

static int
by_time(const void *a, const void *b)
{
    const struct lease *left = a, *right = b;

    return (left->time > right->time) - (left->time < right->time);
}

/* Lists what would be removed for room: one lease, then more of its GPU until there is room. How
 * many that takes shows only at the start. */
static void
list_evicted(struct dry_run *dry_run, size_t first)
{
    const struct ledger *ledger = &dry_run->snapshot.ledger;
    struct ledger *evicted = &dry_run->evicted;
    size_t start = evicted->count + 1;

    ARRAY_ADD(evicted->leases, evicted->count, ledger->leases[first]);
    for (size_t i = 0; i < ledger->count; i++) {
        if (i != first && dry_run->may_evict[i] &&
            name_equal(&ledger->leases[i].gpu, &ledger->leases[first].gpu))
            ARRAY_ADD(evicted->leases, evicted->count, ledger->leases[i]);
    }
    if (evicted->count > start + 1)
        qsort(&evicted->leases[start], evicted->count - start, sizeof(*evicted->leases), by_time);
}

/* Asks whether something of others could make room. Leases with a demanded UUID go first, one after
 * another, and then those that take the room. */
static unsigned
ask_others(struct dry_run *dry_run)
{
    size_t first = victim_find(&dry_run->problem, dry_run->may_evict);

    if (first == SIZE_MAX)
        return START_ASKED_OTHERS;
    if (dry_run->refusal.class == ERROR_NO_ROOM) {
        dry_run->outcome = DRY_RUN_EVICTING;
        list_evicted(dry_run, first);
    } else {
        ARRAY_ADD(dry_run->evicted.leases, dry_run->evicted.count,
                  dry_run->snapshot.ledger.leases[first]);
    }
    return START_ASKED_OTHERS | START_OTHERS_GO;
}

/* Notes a step that takes a start some time. Each kind is told once. */
static void
note(struct dry_run *dry_run, enum start_step step)
{
    for (size_t i = 0; i < dry_run->step_count; i++) {
        if (dry_run->steps[i] == step)
            return;
    }
    dry_run->steps[dry_run->step_count++] = step;
}

/* There is no place for sure. But what a start removes may make one, as only the driver can tell.
 */
static void
try_unsure_places(struct dry_run *dry_run)
{
    const size_t going = dry_run->busy.count + dry_run->unwanted.count + dry_run->evicted.count;
    struct placement_problem then = dry_run->problem;
    struct error ignored;

    then.certainty = PLACEMENT_TRY;
    if (!going || dry_run->refusal.class != ERROR_NO_ROOM ||
        placement_find(&then, dry_run->choices, &ignored) < 0)
        return;
    dry_run->outcome = DRY_RUN_EVICTING;
    for (size_t i = 0; i < dry_run->snapshot.demands.count; i++)
        dry_run->choices[i].place = (struct place){NULL, NULL};
}

/* Takes the steps of a start on the copy. What a start would have removed by the next step counts
 * as gone. */
static void
take_steps(struct dry_run *dry_run, const struct transaction *transaction, const struct look *look,
           const struct dry_run_change *change)
{
    const unsigned again = START_ASKED_PLACES | START_TAKEN | START_NEVER | START_UNDECIDED |
                           START_BOOTING | START_JUST_REMOVED | START_ASKED_OTHERS |
                           START_OTHERS_GO;
    unsigned facts =
        (dry_run->busy.count ? START_OWN_BUSY : 0) | (dry_run->unwanted.count ? START_OWN_GOES : 0);

    for (;;) {
        enum start_step step = start_next(facts);

        switch (step) {
        case START_ASK_PLACES:
            facts |= ask_places(dry_run, transaction->host);
            continue;
        case START_ASK_OTHERS:
            facts |= ask_others(dry_run);
            continue;
        case START_LOOK_AT_OTHERS:
            sort_others(dry_run, transaction, look, &dry_run->problem.request->domain,
                        change->alone);
            facts = (facts & ~again) | START_SAW_OTHERS;
            continue;
        case START_PAUSE:
            if (!(facts & START_OWN_BUSY)) {
                dry_run->settles = true;
                facts &= ~(unsigned)START_JUST_REMOVED;
                continue;
            }
            facts &= ~(unsigned)START_OWN_BUSY;
            break;
        case START_REMOVE_OWN:
            facts &= ~(unsigned)START_OWN_GOES;
            break;
        case START_REMOVE_OTHERS:
            facts &= ~again;
            break;
        case START_WAIT_FOR_BOOT:
            note(dry_run, step);
            return;
        case START_REFUSE:
            try_unsure_places(dry_run);
            return;
        default:
            return;
        }
        note(dry_run, step);
        if (dry_run->outcome == DRY_RUN_EVICTING)
            return;
    }
}

static void
decide(struct dry_run *dry_run, const struct transaction *transaction, const struct look *look,
       const struct request *request, const struct dry_run_change *change)
{
    if (!change->alone)
        sort_own(dry_run, transaction, look, &request->domain);
    dry_run->problem = snapshot_problem(&dry_run->snapshot, request);
    dry_run->problem.running = change->alone;
    dry_run->problem.avoided = change->avoided;
    take_steps(dry_run, transaction, look, change);
}

/* Gives a refusal the class ERROR_NEVER, if this host could never meet the demands. */
static void
look_ahead(struct dry_run *dry_run, const struct request *request,
           const struct dry_run_change *change)
{
    const struct snapshot *snapshot = &dry_run->snapshot;
    struct placement_problem problem = snapshot_problem(snapshot, request);
    enum error_class class = dry_run->refusal.class;
    struct error ignored;

    if (dry_run->outcome != DRY_RUN_REFUSED || (class != ERROR_NO_ROOM && class != ERROR_NEVER))
        return;
    problem.running = change->alone;
    problem.avoided = change->avoided;
    if (feasibility_of(&problem, dry_run->boot_wait_left, &ignored) == FEASIBILITY_NO)
        dry_run->refusal.class = ERROR_NEVER;
}

static void
copy_words(const struct words *from, struct words *to)
{
    for (size_t i = 0; i < from->count; i++)
        words_add(to, from->items[i]);
}

static void
copy(const struct snapshot *from, struct snapshot *to)
{
    to->policy = from->policy;
    to->inventory = from->inventory;
    demands_copy(&from->demands, &to->demands);
    ledger_copy(&from->ledger, &to->ledger);
    copy_words(&from->ledger.released, &to->ledger.released);
    copy_words(&from->ledger.ran, &to->ledger.ran);
}

int
dry_run_make(struct dry_run *dry_run, const struct dry_run_sight *sight,
             const struct request *request, const struct dry_run_change *change,
             struct error *error)
{
    struct demands *demands = &dry_run->snapshot.demands;

    *dry_run = (struct dry_run){0};
    copy(&sight->snapshot, &dry_run->snapshot);
    if (sight->rc < 0) {
        *error = sight->fault;
        return sight->rc;
    }
    if (!demands->count)
        return 0;
    demands_set_some_free(demands, change->sources, change->freedom);
    if (change->alone)
        demands_keep_free(demands);
    dry_run->choices = memory_zeroed(demands->count, sizeof(*dry_run->choices));
    decide(dry_run, &sight->transaction, &sight->look, request, change);
    look_ahead(dry_run, request, change);
    if (dry_run->outcome == DRY_RUN_REFUSED)
        demands_tell_saved(demands, &dry_run->refusal);
    return 0;
}

/* --- each GPU --------------------------------------------------------------------------------- */

bool
dry_run_is_chosen(const struct dry_run *dry_run, size_t demand)
{
    return dry_run->choices[demand].place.parent;
}

static void
take_others(const struct dry_run *dry_run, size_t demand, struct loads *loads)
{
    for (size_t i = 0; i < dry_run->snapshot.demands.count; i++) {
        const struct placement_choice *choice = &dry_run->choices[i];

        if (i == demand || !dry_run_is_chosen(dry_run, i))
            continue;
        if (choice->way == PLACEMENT_CREATE)
            loads_take(loads, &choice->place);
        else
            loads_settle(loads, &choice->place);
    }
}

void
dry_run_loads_init(struct dry_run_loads *loads, const struct dry_run *dry_run, size_t demand)
{
    const struct ledger *ledger = &dry_run->snapshot.ledger;

    loads->gone = memory_zeroed(ledger->count, sizeof(*loads->gone));
    for (size_t i = 0; i < ledger->count; i++)
        loads->gone[i] = dry_run->gone[i] || (dry_run->may_evict && dry_run->may_evict[i]);
    loads->after = dry_run->problem;
    loads->after.gone = loads->gone;
    loads->after.certainty = PLACEMENT_TRY;
    loads_init(&loads->now, &dry_run->problem);
    loads_init(&loads->then, &loads->after);
    take_others(dry_run, demand, &loads->now);
    take_others(dry_run, demand, &loads->then);
}

void
dry_run_loads_clear(struct dry_run_loads *loads)
{
    loads_clear(&loads->now);
    loads_clear(&loads->then);
    free(loads->gone);
}

/* Adds why another GPU that has room was not chosen. */
static void
add_why(const struct dry_run *dry_run, const struct loads *loads, size_t demand,
        const struct inventory_gpu *gpu, char *text, size_t size)
{
    const struct placement_choice *choice = &dry_run->choices[demand];
    size_t count, at = strlen(text);
    const struct candidate *chosen = NULL, *other = NULL;
    AUTO_FREE struct candidate *candidates =
        candidate_list(loads, &dry_run->snapshot.demands.items[demand].terms, &count);

    for (size_t i = 0; i < count; i++) {
        if (!chosen && candidates[i].place.type == choice->place.type)
            chosen = &candidates[i];
        if (!other && candidates[i].place.type->gpu == gpu)
            other = &candidates[i];
    }
    if (chosen && other)
        snprintf(text + at, size - at, ", but %s", candidate_why(chosen, other));
}

enum dry_run_answer
dry_run_judge(const struct dry_run *dry_run, const struct dry_run_loads *loads, size_t demand,
              const struct inventory_gpu *gpu, struct gpu_reason *ret)
{
    const struct demand *wanted = &dry_run->snapshot.demands.items[demand];
    const struct placement_choice *choice = &dry_run->choices[demand];
    bool chosen = dry_run_is_chosen(dry_run, demand);
    bool here = chosen && choice->place.parent->gpu == gpu;

    if (chosen && choice->way != PLACEMENT_CREATE) {
        *ret = (struct gpu_reason){.reason = REASON_NONE, .figures = gpu_figures_none};
        snprintf(ret->text, sizeof(ret->text), "%s",
                 here ? "has it already" : "another GPU has it");
        return !here ? DRY_RUN_NO : choice->way == PLACEMENT_REUSE ? DRY_RUN_TAKEN : DRY_RUN_FOUND;
    }
    gpu_reason_tell(&loads->now, wanted, gpu, ret);
    if (ret->reason != REASON_NONE)
        return dry_run->outcome == DRY_RUN_EVICTING && victim_would_help(&loads->then, wanted, gpu)
                   ? DRY_RUN_EVICT
                   : DRY_RUN_NO;
    if (here)
        return DRY_RUN_CHOSEN;
    if (chosen)
        add_why(dry_run, &loads->now, demand, gpu, ret->text, sizeof(ret->text));
    return DRY_RUN_POSSIBLE;
}
