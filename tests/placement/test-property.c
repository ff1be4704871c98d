/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Random hosts and requests, compared with a slow placement that is obviously right (model.h).
 * chance.h says how to repeat a failure.
 */

#include "fake/chance.h"
#include "placement/feasibility.h"
#include "placement/model-problem.h"
#include "placement/question.h"

#include <string.h>

/* --- properties of one answer ----------------------------------------------------------------- */

static unsigned
rank_of(const struct model *model, const struct wish *wish, size_t kind)
{
    if (wish->group < 0)
        return 0;
    for (unsigned i = 0; i < model->groups[wish->group].kind_count; i++) {
        if (model->groups[wish->group].kinds[i] == kind)
            return i;
    }
    return model_kinds[kind].framebuffer;
}

/* If there is only one wish, it gets the best type that is possible. With this type it gets a near
 * GPU. */
static void
check_best(const struct model *model, const struct option *found, uint64_t seed)
{
    const struct wish *wish = &model->wishes[0];
    unsigned rank = rank_of(model, wish, found->kind);
    bool picky = model->node >= 0 && wish->numa != NUMA_IGNORE;

    for (size_t c = 0; c < model->card_count && wish->thing < 0; c++) {
        const struct card *card = &model->cards[c];

        for (size_t place = 0; place < card->place_count; place++) {
            for (unsigned k = 0; k < card->kind_count; k++) {
                struct option other = {c, place, card->kinds[k]};

                if (!model_is_legal(model, &other, 1))
                    continue;
                MUST(rank <= rank_of(model, wish, other.kind), "%s would be better", card->name);
                MUST(!picky || rank < rank_of(model, wish, other.kind) ||
                         model_is_near(model, found->card) || !model_is_near(model, c),
                     "%s would be nearer", card->name);
            }
        }
    }
}

static void
check_choices(const struct model *model, const struct placement_choice *choices, uint64_t seed)
{
    struct option found[WISHES] = {{0}};

    for (size_t i = 0; i < model->wish_count; i++) {
        const struct place *place = &choices[i].place;

        MUST(place->parent && place->type && place->type->gpu == place->parent->gpu, "wish %zu", i);
        found[i].card = place->parent->gpu->index;
        found[i].place = place->parent->index;
        found[i].kind = model->cards[found[i].card].kinds[inventory_type_index(place->type)];
        MUST((choices[i].way == PLACEMENT_CREATE) == (model->wishes[i].thing < 0), "wish %zu", i);
    }
    MUST(model_is_legal(model, found, model->wish_count), "the first on %s as %s",
         choices[0].place.parent->name.text, model_kinds[found[0].kind].word);
    if (model->wish_count == 1)
        check_best(model, &found[0], seed);
}

/* The only wish names a function that will not do. Then the message names the first eight functions
 * that would. */
static void
check_others(const struct model *model, const char *text, uint64_t seed)
{
    const char *tail = strstr(text, " could be on ");
    struct model moved = *model;
    unsigned good = 0;

    for (size_t c = 0; c < model->card_count; c++) {
        for (size_t place = 0; model->cards[c].vf && place < model->cards[c].place_count; place++) {
            const char *name = model->cards[c].places[place];
            bool free = true, named = tail && strstr(tail, name);

            for (size_t i = 0; i < model->thing_count; i++)
                free &= model->things[i].card != c || model->things[i].place != place;
            moved.wishes[0].on_card = c;
            moved.wishes[0].on_place = place;
            if (free && model_find(&moved))
                MUST(named == (good++ < 8), "%s: %s", name, text);
            else
                MUST(!named, "%s: %s", name, text);
        }
    }
}

/* The message names the GPUs, with the reason why each of them will not do. If the wish names a
 * function, the message has the reason for the function's GPU. */
static void
check_reasons(const struct model *model, const char *text, uint64_t seed)
{
    if (model_is_fixed(model, &model->wishes[0])) {
        MUST(strstr(text, model->cards[model->wishes[0].on_card].name), "%s", text);
        check_others(model, text, seed);
        return;
    }
    for (size_t i = 0; i < model->card_count; i++)
        MUST(strstr(text, model->cards[i].name), "%s", text);
}

static void
check_answer(const struct model *unsettled, uint64_t seed)
{
    static struct model_problem problem;
    static struct model settled;
    const struct model *model = &settled;
    struct placement_choice choices[WISHES] = {{0}}, again[WISHES] = {{0}};
    struct error error = {0}, same = {0};
    bool possible = model_find(unsettled);
    int rc;

    settled = *unsettled;
    (void)model_settle(&settled);
    model_problem_make(model, &problem);
    rc = question_find(&problem.whole, choices, &error);
    MUST(rc == 0 || (rc == REFUSED && error.class != ERROR_FAILED), "%d", rc);
    MUST(!possible || rc == 0, "it is possible, yet: %s", error.text);
    MUST(possible || rc < 0, "it is impossible, yet done: %s",
         rc ? "" : choices[0].place.parent->name.text);
    if (rc == 0)
        check_choices(model, choices, seed);
    if (rc == REFUSED && error.class == ERROR_NO_ROOM && model->wish_count == 1)
        check_reasons(model, error.text, seed);
    MUST(question_find(&problem.whole, again, &same) == rc, "%d", rc);
    MUST(!strcmp(same.text, error.text), "%s", same.text);
    MUST(rc < 0 || !memcmp(choices, again, model->wish_count * sizeof(*choices)), "%d", rc);
    model_problem_clear(&problem);
}

static void
run_rounds(void (*check)(const struct model *model, uint64_t seed))
{
    uint64_t first = chance_setting("SEED", SEED), rounds = chance_rounds(ROUNDS);
    static struct model model;

    for (uint64_t i = 0; i < rounds; i++) {
        model_make(&model, first + i);
        check(&model, first + i);
    }
}

UNIT_TEST(a_place_is_found_if_and_only_if_there_is_one)
{
    run_rounds(check_answer);
}

/* --- vGPUs that are given up ------------------------------------------------------------------ */

static bool
is_idle(const struct thing *thing)
{
    return thing->leased && thing->shown && !thing->mine &&
           (thing->state == LEASE_KEPT || thing->state == LEASE_LEAVING);
}

/* Nobody tells how the units of a full pool are used. Nobody tells which GPU instances are free if
 * each function has a vGPU. So there a vGPU may be removed in vain. */
static bool
may_be_in_vain(const struct model *model, size_t index)
{
    const struct card *card = &model->cards[index];
    unsigned shown = 0;

    for (size_t i = 0; i < model->thing_count; i++)
        shown += model->things[i].shown && model->things[i].card == index;
    return card->pool || (card->partitioned && shown == card->place_count);
}

/* Can a wish be met once these things are gone? Each bit is a thing. */
static bool
helps(const struct model *model, uint32_t gone)
{
    static struct model after;

    after = *model;
    after.thing_count = 0;
    for (size_t i = 0; i < model->thing_count; i++) {
        if (!(gone >> i & 1))
            after.things[after.thing_count++] = model->things[i];
    }
    return model_find(&after);
}

/* Is there a set of idle things on a card in which this thing is needed? The removal of the set
 * helps, and its removal without this thing does not. */
static bool
is_needed(const struct model *model, size_t thing)
{
    uint32_t idle = 0, gone = 0;

    for (size_t i = 0; i < model->thing_count; i++) {
        if (i != thing && model->things[i].card == model->things[thing].card &&
            is_idle(&model->things[i]))
            idle |= 1u << i;
    }
    /* each set of these things, from all of them to none */
    for (gone = idle;; gone = (gone - 1) & idle) {
        if (!helps(model, gone) && helps(model, gone | 1u << thing))
            return true;
        if (gone == 0)
            return false;
    }
}

/* There is only one wish. Idle vGPUs of others are given up if and only if this helps, and only on
 * a GPU where it helps. */
static void
check_reaping(const struct model *model, uint64_t seed)
{
    static struct model_problem problem;
    static struct model without;
    struct placement_choice choices[WISHES];
    struct error error;
    bool may_reap[THINGS];
    size_t of_lease[THINGS], victim, leases = 0;
    int rc;

    if (model->wish_count != 1 || model_find(model))
        return;
    model_problem_make(model, &problem);
    without = *model;
    without.thing_count = 0;
    for (size_t i = 0; i < model->thing_count; i++) {
        if (model->things[i].leased) {
            may_reap[leases] = is_idle(&model->things[i]);
            of_lease[leases++] = i;
        }
        if (!is_idle(&model->things[i]))
            without.things[without.thing_count++] = model->things[i];
    }
    without.exact = true;
    rc = question_find(&problem.whole, choices, &error);
    MUST(rc == 0 || error.class != ERROR_NEVER || !model_find(&without), "never, yet it helps; %s",
         error.text);
    if (rc == 0 || (error.class != ERROR_NO_ROOM &&
                    !(error.class == ERROR_TAKEN && model_is_fixed(model, &model->wishes[0])))) {
        model_problem_clear(&problem);
        return;
    }
    victim = question_pick_victim(&problem.whole, may_reap);
    MUST(victim == SIZE_MAX || may_reap[victim], "lease %zu", victim);
    MUST(!model_find(&without) || victim != SIZE_MAX, "it would help; %s", error.text);
    if (victim != SIZE_MAX && !may_be_in_vain(model, model->things[of_lease[victim]].card)) {
        /* it helps on this GPU, too; the placement tries it if the drivers may accept */
        without.exact = false;
        without.wishes[0].card = (int)model->things[of_lease[victim]].card;
        MUST(model_find(&without), "reaped: %zu", of_lease[victim]);
        /* Of other guests' vGPUs the oldest is removed first, even if a younger one alone would
         * do. */
        without = *model;
        without.wishes[0].card = (int)model->things[of_lease[victim]].card;
        MUST(!model_kinds[model->things[of_lease[victim]].kind].slices ||
                 is_needed(&without, of_lease[victim]),
             "reaped in vain: %zu", of_lease[victim]);
    }
    model_problem_clear(&problem);
}

UNIT_TEST(what_is_idle_is_reaped_if_and_only_if_it_helps)
{
    run_rounds(check_reaping);
}

/* --- answers about another day ---------------------------------------------------------------- */

/* The same host after it has lost some of its vGPUs. Each bit is a vGPU. */
static bool
could_without(const struct model *model, uint32_t lost)
{
    static struct model after;
    int now[THINGS];

    after = *model;
    after.thing_count = 0;
    after.refused_count = 0;
    after.exact = true;
    for (size_t i = 0; i < model->thing_count; i++) {
        now[i] = lost >> i & 1 ? -1 : (int)after.thing_count;
        if (now[i] >= 0)
            after.things[after.thing_count++] = model->things[i];
    }
    for (size_t i = 0; i < after.wish_count; i++) {
        if (after.wishes[i].thing >= 0)
            after.wishes[i].thing = now[after.wishes[i].thing];
    }
    return model_find(&after);
}

/* Is there a way after any such loss? With few vGPUs all sets are tried, with many only some. */
static bool
could_ever(const struct model *model, uint64_t seed)
{
    uint32_t all = model->thing_count < 32 ? (1u << model->thing_count) - 1 : ~0u, named = 0;

    for (size_t i = 0; i < model->wish_count; i++)
        named |= model->wishes[i].thing >= 0 ? 1u << model->wishes[i].thing : 0;
    if (could_without(model, all) || could_without(model, all & ~named) || could_without(model, 0))
        return true;
    for (uint32_t lost = 0; all < 256 && lost <= all; lost++) {
        if (could_without(model, lost))
            return true;
    }
    for (int i = 0; all >= 256 && i < 100; i++) {
        if (could_without(model, chance(&seed, 1u << 31) & all))
            return true;
    }
    return false;
}

/* One gap is known, and stays. A wish may keep the vGPU that it already has, even if a reserve
 * would forbid to make this vGPU now. On an emptied host it would have to be made. So the answer is
 * "no". */
static bool
has_what_is_reserved(const struct model *model)
{
    for (size_t i = 0; i < model->wish_count; i++) {
        const struct wish *wish = &model->wishes[i];
        const struct card *card =
            wish->thing < 0 ? NULL : &model->cards[model->things[wish->thing].card];

        if (card && card->listed && card->reserve)
            return true;
    }
    return false;
}

/* The answer is never "no" if the wishes can be met now, or after some vGPUs are gone. It is never
 * "yes" if the wishes can never be met. */
static void
check_feasibility(const struct model *unsettled, uint64_t seed)
{
    static struct model_problem problem;
    static struct model settled;
    const struct model *model = unsettled;
    struct error why = {0};
    enum feasibility feasibility;

    settled = *unsettled;
    (void)model_settle(&settled);
    model_problem_make(&settled, &problem);
    feasibility = feasibility_of(&problem.whole, false, &why);
    if (feasibility == FEASIBILITY_NO && !has_what_is_reserved(&settled))
        MUST(!could_ever(model, seed), "%s", why.text);
    if (feasibility == FEASIBILITY_YES)
        MUST(model_find(model) || could_ever(model, seed), "it never is");
    MUST(feasibility != FEASIBILITY_UNKNOWN || *why.text, "and nothing is said");
    model_problem_clear(&problem);
}

UNIT_TEST(it_is_no_only_where_it_never_is)
{
    run_rounds(check_feasibility);
}
