/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/chance.h"
#include "placement/eviction.h"
#include "placement/fit.h"
#include "placement/gpu-room.h"
#include "placement/model-problem.h"

#include <string.h>

static void
put_claims(struct gpu_room *room, const struct capacity *capacity)
{
    for (size_t i = 0; i < capacity->claim_count; i++) {
        const struct capacity_claim *claim = &capacity->claims[i];
        const struct inventory_gpu *card = &room->inventory->gpus[room->gpu];

        if (claim->gpu == room->gpu && !claim->settled)
            (void)gpu_room_put(
                room,
                &(struct room_use){claim->parent,
                                   claim->type ? (size_t)(claim->type - card->types) : ROOM_NO_TYPE,
                                   claim->framebuffer});
    }
}

static void
check_same(const struct model *model, const struct placement_problem *old, struct gpu_room *room,
           size_t type, uint64_t seed, const char *what)
{
    AUTO(capacity_clear) struct capacity capacity = {0};
    const struct demand demand = {.label = "", .wanted = "", .numa = POLICY_NUMA_IGNORE};
    AUTO_FREE bool *usable = calloc(old->inventory->parent_count + 1, sizeof(bool));
    struct fit fit = {0};
    struct bounds bounds;
    enum reason reason;
    size_t left;

    assert_int_equal(capacity_init(&capacity, old), 0);
    for (size_t i = 0; i < old->inventory->parent_count; i++)
        usable[i] = !capacity.owned[i];
    reason = fit_judge(&capacity, &demand, room->gpu, type, &fit);
    left = reason == REASON_NONE ? fit.total - fit.used : 0;
    bounds = gpu_room_left(room, type, usable);
    if (left >= EVICTION_PLENTY / 2)
        left = BOUNDS_ANY;
    for (size_t i = 0; i < room->inventory->gpus[room->gpu].limit_count; i++) {
        const struct limit *l = &room->inventory->gpus[room->gpu].limits[i];

        if (l->source == LIMIT_CALCULATED && !l->is_memory && l->binds[type] && room->drops &&
            l->total > room->inventory->gpus[room->gpu].types[type].most)
            return;
    }
    MUST(left == bounds.most, "%s gpu %zu type %s: old %zu (reason %d used %zu) new %u..%u why %d",
         what, room->gpu, room->inventory->gpus[room->gpu].types[type].name, left, reason, fit.used,
         bounds.least, bounds.most, bounds.why);
}

static void
check_room(const struct model *model, uint64_t seed)
{
    static struct model_problem problem;
    struct placement_problem plain;
    const struct policy policy = {.enabled = true};
    const struct ledger *ledger;
    AUTO_FREE bool *gone = NULL;

    model_problem_make(model, &problem);
    plain = problem.whole;
    plain.policy = &policy;
    plain.rejection_count = 0;
    for (size_t g = 0; g < plain.inventory->gpu_count; g++) {
        struct inventory_gpu *card = &plain.inventory->gpus[g];
        unsigned largest = 0, smallest = ~0u;

        for (size_t t = 0; t < card->count; t++) {
            unsigned fb = card->types[t].framebuffer;
            if (fb > largest)
                largest = fb;
            if (fb && fb < smallest)
                smallest = fb;
        }
        for (size_t t = 0; t < card->count; t++)
            if (largest > smallest && card->types[t].framebuffer)
                card->types[t].most = largest / card->types[t].framebuffer;
    }
    ledger = plain.ledger;
    gone = calloc(ledger->count + 1, sizeof(*gone));
    for (size_t i = 0; i < ledger->count; i++)
        gone[i] = ledger->leases[i].state == LEASE_KEPT || ledger->leases[i].state == LEASE_LEAVING;
    for (size_t gpu = 0; gpu < plain.inventory->gpu_count; gpu++) {
        AUTO(capacity_clear) struct capacity capacity = {0};
        AUTO(eviction_clear) struct eviction eviction = {0};
        struct gpu_room room;
        size_t mark;

        assert_int_equal(capacity_init(&capacity, &plain), 0);
        gpu_room_init(&room, plain.inventory, gpu, ROOM_NOW);
        put_claims(&room, &capacity);
        for (size_t type = 0; type < plain.inventory->gpus[gpu].count; type++)
            check_same(model, &plain, &room, type, seed, "now");
        mark = room.step_count;
        assert_int_equal(eviction_make(&eviction, &plain, gone, EVICTION_MOST), 0);
        for (size_t i = 0; i < plain.inventory->vgpu_count; i++) {
            const struct lease *lease = ledger_find(ledger, &plain.inventory->vgpus[i].device);

            if (plain.inventory->parents[plain.inventory->vgpus[i].parent].gpu == gpu && lease &&
                gone[lease - ledger->leases])
                (void)gpu_room_drop(&room, i);
        }
        for (size_t type = 0; type < plain.inventory->gpus[gpu].count; type++)
            check_same(model, &eviction.problem, &room, type, seed, "drop");
        gpu_room_rewind(&room, mark);
        for (size_t type = 0; type < plain.inventory->gpus[gpu].count; type++)
            check_same(model, &plain, &room, type, seed, "back");
        gpu_room_clear(&room);
    }
    model_problem_clear(&problem);
}

static void
the_room_is_what_it_was(void **state)
{
    uint64_t first = chance_setting("SEED", 1), rounds = chance_setting("ROUNDS", 20000);
    static struct model model;

    (void)state;
    for (uint64_t i = 0; i < rounds; i++) {
        model_make(&model, first + i);
        check_room(&model, first + i);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_room_is_what_it_was)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
