/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Random hosts with every kind of limit, and one guest. explain, check, types, an arrival and a
 * start all say whether the guest gets its vGPUs. Their answers must agree. The start is a real
 * one, on the fake kernel, so its answer is the right one. chance.h says how to repeat a failure.
 *
 * Hosts have plain sizes, mixed sizes, GPU instances, pools, and Intel's profiles with and without
 * a stated memory. They have max_instances, quotas and reserves. Their vGPUs are foreign, belong to
 * running guests, are kept, are about to be removed, are promised, or are being made.
 */

#include "actions/dry-run.h"
#include "check/domain-check.h"
#include "domain/request-parser.h"
#include "fake/chance.h"
#include "fake/scene.h"
#include "lease/statedir.h"
#include "placement/feasibility.h"
#include "placement/model-town.h"
#include "placement/placement.h"
#include "view/availability.h"

#include <stdio.h>
#include <string.h>

#define HOSTS       100 /* hosts that are played if ROUNDS is not set */
#define MOST_GUESTS 40

/* How often each case occurred. Without these counts the test could pass on hosts where nothing
 * fits. */
struct tally {
    unsigned leases, started, refused, never;
};

/* What each command says before the start. */
struct answers {
    struct document document;
    struct request request;
    struct dry_run_sight sight;
    struct dry_run explained;
    bool is_sure;      /* there is surely a place */
    bool is_told;      /* explain names this place */
    bool is_clearable; /* there is surely a place if all removable vGPUs are removed */
    bool is_tried;     /* check says yes only because a start would try it now */
    enum feasibility ever;
    bool is_forbidden; /* never, because vgpu.conf disables GPUs */
    size_t faults;     /* reasons that check finds */
    struct snapshot snapshot;
    struct availability types;
};

/* --- the commands that are asked -------------------------------------------------------------- */

/* Only the driver knows how much memory is left on a card if vgpu.conf does not say how much the
 * card has. */
static bool
is_untold(const struct model *model, const struct name *gpu)
{
    bool ret = false;

    for (size_t c = 0; c < model->card_count; c++)
        ret |= model->cards[c].untold && !strcmp(model->cards[c].name, gpu->text);
    return ret;
}

/* It is visible that a card takes several sizes only while it has one size and offers another. */
static bool
may_forget_mixing(const struct model *model)
{
    bool ret = false;

    for (size_t c = 0; c < model->card_count; c++)
        ret |= model->cards[c].memory && !model->cards[c].xe;
    return ret;
}

/* The driver of such a board makes fewer vGPUs on a GPU than NVIDIA says, and nobody tells that. */
static bool
has_hidden_ceiling(const struct model *model)
{
    bool ret = false;

    for (size_t c = 0; c < model->card_count; c++) {
        unsigned ceiling = model_kinds[model->cards[c].kinds[0]].ceiling, wished = 0;

        for (size_t i = 0; i < model->wish_count; i++)
            wished += model->wishes[i].pci && model->wishes[i].on_card == c;
        ret |= ceiling && wished > ceiling;
    }
    return ret;
}

/* Are there surely places? And are these the places that were found? */
static bool
is_found(const struct model *model, const struct placement_problem *problem,
         const struct placement_choice *found, bool *is_same)
{
    struct placement_problem sure = *problem;
    struct placement_choice choices[WISHES] = {{0}};
    struct error ignored;
    int rc;

    sure.certainty = PLACEMENT_SURE;
    rc = placement_find(&sure, choices, &ignored);
    for (size_t i = 0; rc == 0 && i < problem->demands->count; i++) {
        if (is_untold(model, &choices[i].place.parent->gpu->name))
            rc = -1;
    }
    *is_same = rc == 0 && !memcmp(choices, found, problem->demands->count * sizeof(*choices));
    return rc == 0;
}

static void
ask_explain(const struct model *model, struct answers *answers, const struct host *host)
{
    struct dry_run *explained = &answers->explained;
    const struct ledger *ledger = &explained->snapshot.ledger;
    struct placement_problem problem;
    AUTO_FREE bool *gone = NULL;
    struct error error;
    bool ignored;

    if (dry_run_look(host, &answers->request, false, &answers->sight, &error) < 0 ||
        dry_run_make(explained, &answers->sight, &answers->request, &dry_run_unchanged, &error) < 0)
        fail_msg("%s", error.text);
    gone = calloc(ledger->count + 1, sizeof(*gone));
    for (size_t i = 0; i < ledger->count; i++)
        gone[i] = explained->gone[i] || (explained->may_evict && explained->may_evict[i]);
    problem = explained->problem;
    answers->is_sure = explained->outcome == DRY_RUN_PLACED &&
                       is_found(model, &problem, explained->choices, &answers->is_told);
    problem.gone = gone;
    answers->is_clearable =
        is_found(model, &problem, explained->choices, &ignored) && !may_forget_mixing(model);
}

static void
ask_check(struct answers *answers, const struct host *host)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(findings_clear) struct findings found = {0};
    struct placement_choice ignored[WISHES];
    struct placement_problem problem;
    struct error error;
    struct domain_check check = {
        .policy = &snapshot.policy, .host = host, .file = "guest.xml", .found = &found};

    assert_int_equal(snapshot_read(&snapshot, host, &answers->request, "check", &error), 1);
    assert_int_equal(statedir_peek(host, &snapshot.ledger, &error), 0);
    assert_int_equal(snapshot_scan(&snapshot, host, &error), 0);
    problem = snapshot_problem(&snapshot, &answers->request);
    answers->is_tried = placement_find(&problem, ignored, &error) == 0;
    answers->ever = feasibility_of(&problem, false, &error);
    answers->is_forbidden =
        answers->ever == FEASIBILITY_NO && feasibility_is_disabled(&problem, false);
    assert_true(domain_check(&check, &answers->document, &error) > 0);
    answers->faults = findings_count(&found, 0, FINDING_ERROR);
}

static void
ask_types(struct answers *answers, const struct host *host)
{
    struct error error;

    assert_int_equal(snapshot_take(&answers->snapshot, host, &inventory_all_types, &error), 0);
    availability_init(&answers->types, host, &answers->snapshot);
}

static void
ask_all(const struct model_town *town, struct answers *answers, const char *xml)
{
    const struct host *host = &town->scene.kernel.host;
    struct error error;

    *answers = (struct answers){.document = {(char *)xml, strlen(xml)}};
    assert_int_equal(request_parse(&answers->document, &answers->request, &error), 0);
    ask_explain(&town->hosts, answers, host);
    ask_check(answers, host);
    ask_types(answers, host);
}

static void
clear_answers(struct answers *answers)
{
    availability_clear(&answers->types);
    snapshot_clear(&answers->snapshot);
    dry_run_clear(&answers->explained);
    dry_run_sight_clear(&answers->sight);
    request_clear(&answers->request);
}

/* --- what must hold --------------------------------------------------------------------------- */

/* The figure that types prints for this GPU and this type. */
static struct bounds
types_say(const struct answers *answers, const struct name *gpu, const struct name *type)
{
    const struct inventory *inventory = &answers->snapshot.inventory;
    const struct inventory_type *each = NULL;

    while ((each = inventory_next_type(inventory, each))) {
        if (name_equal(&each->gpu->name, gpu) && name_equal(&each->id, type))
            return availability_of(&answers->types, each);
    }
    return (struct bounds){.most = 0};
}

/* A guest that started has the places that explain named. types has counted these places. */
static void
check_places(const struct model_town *town, const struct answers *answers, uint64_t seed)
{
    const struct model *model = &town->hosts;
    const struct dry_run *explained = &answers->explained;
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error error;

    assert_int_equal(statedir_peek(&town->scene.kernel.host, &ledger, &error), 0);
    for (size_t i = 0; i < model->wish_count; i++) {
        const struct name *device = &answers->request.hostdevs[i].source;
        const struct lease *lease = ledger_find(&ledger, device);
        const struct placement_choice *choice = &explained->choices[i];

        MUST(lease && lease->state == LEASE_HELD, "%s", device->text);
        if (answers->is_told) {
            const struct place *place = &choice->place;

            MUST(name_equal(&lease->vgpu.parent, &place->parent->name), "%s is on %s, not on %s",
                 device->text, lease->vgpu.parent.text, place->parent->name.text);
            MUST(name_equal(&lease->vgpu.type, &place->type->id), "%s is %s", device->text,
                 lease->vgpu.type.text);
            MUST(choice->way != PLACEMENT_CREATE ||
                     types_say(answers, &lease->gpu, &lease->vgpu.type).most > 0,
                 "types has no %s on %s", lease->vgpu.type.text, lease->gpu.text);
        }
    }
}

/* Can types say how many such guests may start? types does not know quotas. So the guests must ask
 * for one vGPU, and for nothing else. */
static bool
is_counted(const struct model *model)
{
    const struct wish *wish = &model->wishes[0];

    return !model->limit_count && model->wish_count == 1 && wish->group < 0 && !wish->pci &&
           wish->card < 0 && !wish->blue && wish->thing < 0 && wish->numa != NUMA_REQUIRE;
}

static struct bounds
count_by_types(const struct answers *answers, const struct wish *wish)
{
    const struct inventory *inventory = &answers->snapshot.inventory;
    const struct inventory_type *type = NULL;
    struct bounds sum = {0};

    while ((type = inventory_next_type(inventory, type))) {
        struct bounds here = availability_of(&answers->types, type);
        bool is_mdev = false;

        for (size_t i = 0; i < type->gpu->parent_count; i++)
            is_mdev |= type->gpu->parents[i]->interface->hostdev == REQUEST_MDEV;
        if (!is_mdev || strcmp(type->id.text, model_kinds[wish->kind].id))
            continue;
        sum.least += here.least;
        sum.most = here.most < BOUNDS_ANY - sum.most ? sum.most + here.most : BOUNDS_ANY;
    }
    return sum;
}

/* Exactly as many guests start, one after the other, as types says. */
static void
check_count(struct model_town *town, const struct answers *answers, uint64_t seed)
{
    const struct model *model = &town->hosts;
    struct bounds bounds = count_by_types(answers, &model->wishes[0]);
    unsigned count = 0;
    int status = 0;

    while (count < MOST_GUESTS && status == 0) {
        AUTO_FREE char *xml = model_town_request(model, count);

        status = scene_hook(&town->scene, xml, "prepare", "begin");
        count += status == 0;
    }
    MUST(count >= bounds.least || count == MOST_GUESTS || may_forget_mixing(model),
         "%u start, types says at least %u: %s", count, bounds.least, town->scene.said);
    MUST(count <= bounds.most, "%u start, types says at most %u", count, bounds.most);
}

static void
check_start(struct model_town *town, const struct answers *answers, const char *xml, uint64_t seed,
            struct tally *tally)
{
    const struct model *model = &town->hosts;
    const struct dry_run *explained = &answers->explained;
    const char *why = explained->refusal.text;
    bool starts = scene_hook(&town->scene, xml, "prepare", "begin") == 0;

    MUST(starts || !answers->is_sure, "explain says yes, prepare: %s", town->scene.said);
    MUST(starts || !answers->is_clearable, "there is a place, prepare: %s", town->scene.said);
    MUST(!starts || explained->outcome != DRY_RUN_REFUSED, "explain says no: %s", why);
    MUST(!starts || answers->ever != FEASIBILITY_NO, "check says never");
    MUST((answers->ever == FEASIBILITY_NO && !answers->is_forbidden) == (answers->faults > 0),
         "%zu faults", answers->faults);
    if (starts)
        check_places(town, answers, seed);
    tally->started += starts;
    tally->refused += !starts;
    tally->never += answers->ever == FEASIBILITY_NO;
}

/* An arriving guest gets other UUIDs if an earlier run left its UUIDs here. The hook prefers a card
 * of unknown memory that may have room now to a card from which vGPUs must be removed. */
static bool
may_be_tried(const struct model *model)
{
    bool ret = false;

    for (size_t c = 0; c < model->card_count; c++)
        ret |= model->cards[c].untold;

    for (size_t i = 0; i < model->wish_count; i++)
        ret |= model->wishes[i].thing >= 0;
    return ret;
}

/* A start gets the places that an arrival prints. It never gets places if the arrival is
 * refused. */
static void
check_arrival(struct model_town *town, const struct answers *answers, const char *xml,
              uint64_t seed)
{
    const struct model *model = &town->hosts;
    bool comes = scene_hook(&town->scene, xml, "migrate", "begin") == 0;
    AUTO_FREE char *printed = strdup(*town->scene.printed ? town->scene.printed : xml);
    AUTO_FREE char *said = strdup(town->scene.said);
    bool starts;

    MUST(comes || answers->ever == FEASIBILITY_NO, "check does not say never: %s", said);
    MUST(comes || !answers->is_sure, "explain says yes: %s", said);
    if (!comes || may_be_tried(model))
        return;
    starts = scene_hook(&town->scene, printed, "prepare", "begin") == 0;
    MUST(starts || !answers->is_sure, "it could start, and then: %s", town->scene.said);
    MUST(starts || !answers->is_clearable, "there was a place, and then: %s", town->scene.said);
}

/* The same host without any vGPU. */
static void
check_emptied(struct model_town *town, const struct answers *answers, const char *xml,
              uint64_t seed)
{
    const struct model *model = &town->hosts;
    bool starts = scene_hook(&town->scene, xml, "prepare", "begin") == 0;

    MUST(!starts || answers->ever != FEASIBILITY_NO, "check says never");
    MUST(starts || answers->ever != FEASIBILITY_YES || answers->is_tried ||
             may_forget_mixing(model) || has_hidden_ceiling(model),
         "check says yes: %s", town->scene.said);
}

/* --- one host after the other ----------------------------------------------------------------- */

static void
play(uint64_t seed, struct tally *tally)
{
    static struct model_town town;
    static struct model model;
    static struct answers answers;
    AUTO_FREE char *xml = NULL;

    model_town_make(&model, seed);
    xml = model_town_request(&model, 0);
    model_town_start(&town, &model, true);
    tally->leases += scene_leases(&town.scene, "") > 0;
    ask_all(&town, &answers, xml);
    check_start(&town, &answers, xml, seed, tally);
    model_town_stop(&town);
    model_town_start(&town, &model, true);
    if (is_counted(&model))
        check_count(&town, &answers, seed);
    else
        check_arrival(&town, &answers, xml, seed);
    model_town_stop(&town);
    if (answers.ever != FEASIBILITY_UNKNOWN) {
        model_town_start(&town, &model, false);
        check_emptied(&town, &answers, xml, seed);
        model_town_stop(&town);
    }
    clear_answers(&answers);
}

UNIT_TEST(all_agree)
{
    uint64_t first = chance_setting("SEED", SEED), count = chance_rounds(HOSTS);
    struct tally tally = {0};

    for (uint64_t seed = first; seed < first + count; seed++)
        play(seed, &tally);
    print_message("%u had leases; %u started, %u were refused, %u for ever\n", tally.leases,
                  tally.started, tally.refused, tally.never);
    if (count < HOSTS)
        return;
    assert_true(tally.leases > count / 4);
    assert_true(tally.started > count / 4);
    assert_true(tally.refused > count / 8);
    assert_true(tally.never > count / 8);
}
