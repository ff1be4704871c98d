/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/chance.h"
#include "placement/model.h"

#include <stdio.h>
#include <string.h>

/* The limit of a card: one size, memory, units, instances, or pools. */
static void
choose_rule(struct card *card, const char *board, uint64_t *seed)
{
    card->xe = !strcmp(board, "B60");
    card->lent = !strcmp(board, "V710");
    card->vf = card->xe || card->lent || !strcmp(board, "L40S") || !strcmp(board, "PRO") ||
               (!strcmp(board, "A30") && maybe(seed, 50));
    card->functions = card->vf || !strcmp(board, "A40") || !strcmp(board, "A30") ||
                      (!strcmp(board, "T4") && maybe(seed, 20));
    if (card->xe)
        card->memory = 4096 * (1 + chance(seed, 4));
    else if ((!strcmp(board, "L40S") || !strcmp(board, "A40")) && maybe(seed, 30))
        card->memory = 49152;
    if (!strcmp(board, "mtty"))
        card->pool = 1 + chance(seed, 5);
    card->partitioned = !strcmp(board, "A30") && maybe(seed, 70);
}

static void
choose_kinds(struct card *card, const char *board, uint64_t *seed)
{
    unsigned units = 1 + chance(seed, 2);

    for (size_t i = 0; i < COUNT(model_kinds); i++) {
        /* a card with a pool has only one type: nobody tells how many units another type would
         * leave */
        if (strcmp(model_kinds[i].board, board) ||
            (model_kinds[i].units ? model_kinds[i].units != units
                                  : !card->xe && !card->lent && !maybe(seed, 60)))
            continue;
        card->instances[card->kind_count] =
            card->partitioned && model_kinds[i].slices ? chance(seed, model_kinds[i].max + 1) : 0;
        card->kinds[card->kind_count++] = i;
    }
}

static void
add_places(struct card *card, size_t index, uint64_t *seed)
{
    if (card->pool)
        snprintf(card->name, sizeof(card->name), "mtty%zu", index);
    else
        snprintf(card->name, sizeof(card->name), "0000:%02zx:00.0", 0x18 + index);
    card->place_count = card->functions ? 1 + chance(seed, PLACES) : 1;
    for (unsigned i = 0; i < card->place_count; i++) {
        if (card->functions)
            snprintf(card->places[i], sizeof(card->places[i]), "0000:%02zx:00.%u", 0x18 + index,
                     4 + i);
        else
            memcpy(card->places[i], card->name, sizeof(card->name));
    }
    /* there is no pool without a function */
    if (card->lent && card->place_count < card->kind_count)
        card->kind_count = card->place_count;
    for (unsigned i = 0; card->lent && i < card->place_count; i++)
        card->member[i] = i < card->kind_count ? i : chance(seed, card->kind_count);
}

void
model_add_card(struct model *model, uint64_t *seed)
{
    static const char *const boards[] = {"T4",  "A40", "L40S", "L40S", "PRO",
                                         "B60", "A30", "A30",  "V710", "mtty"};
    size_t index = model->card_count++;
    struct card *card = &model->cards[index];
    const char *board = boards[chance(seed, COUNT(boards))];

    *card = (struct card){.node = (int)chance(seed, 3) - 1};
    choose_rule(card, board, seed);
    choose_kinds(card, board, seed);
    add_places(card, index, seed);
    card->listed = maybe(seed, 50);
    card->enabled = maybe(seed, 85);
    card->blue = maybe(seed, 50);
    card->reserve = maybe(seed, 30) ? 1 + chance(seed, 2) : 0;
    /* nobody can tell the size of a reserved place */
    if (card->memory)
        card->reserve = 0;
    card->allowed = maybe(seed, 30) ? chance(seed, 1u << card->kind_count) : 0;
}

/* Maxima for drivers that tell none. Often they are smaller than the room. */
void
model_add_maxima(struct model *model, uint64_t *seed)
{
    for (size_t i = 0; i < COUNT(model_kinds); i++) {
        if (model_kinds[i].max == 0 || !maybe(seed, 40))
            continue;
        model->configured[i] =
            maybe(seed, 60) ? model_kinds[i].max : 1 + chance(seed, model_kinds[i].max);
    }
}

/* A kind for a thing on this card. */
static size_t
kind_of_things(const struct card *card, uint64_t *seed)
{
    return card->kinds[chance(seed, card->kind_count)];
}

/* Adds things of other guests, as far as there is room. If sizes cannot be mixed, the things are of
 * one kind. Often all of them are kept vGPUs. */
static void
add_things(struct model *model, uint64_t *seed, size_t index)
{
    static const enum lease_state shown[] = {LEASE_HELD, LEASE_KEPT, LEASE_LEAVING, LEASE_REMOVING};
    static const enum lease_state hidden[] = {LEASE_PENDING, LEASE_RESERVED};
    static const enum lease_state lost[] = {LEASE_HELD, LEASE_LEAVING, LEASE_REMOVING};
    const struct card *card = &model->cards[index];
    unsigned count = maybe(seed, 60) ? chance(seed, 6) : 0;
    bool left_over = maybe(seed, 25);
    size_t kind;

    if (card->kind_count == 0)
        return;
    kind = kind_of_things(card, seed);
    for (unsigned i = 0; i < count && model->thing_count < THINGS; i++) {
        struct option option = {index, chance(seed, card->place_count), kind};
        struct thing thing = {index, option.place, kind, .leased = true};

        if (card->memory || card->lent || card->partitioned)
            thing.kind = option.kind = kind_of_things(card, seed);
        thing.shown = maybe(seed, 70);
        thing.leased = !thing.shown || maybe(seed, 80);
        thing.ci = maybe(seed, 50);
        thing.state = thing.shown ? shown[chance(seed, 4)] : hidden[chance(seed, 2)];
        thing.lost = card->vf && !thing.shown && maybe(seed, 30);
        if (left_over && !thing.lost) {
            thing.shown = thing.leased = true;
            thing.state = LEASE_KEPT;
        }
        if (thing.lost)
            thing.state = lost[chance(seed, COUNT(lost))];
        if (model_has_room(model, &option, 1, 1) &&
            !(card->functions && model_is_claimed(model, index, option.place)) &&
            model_driver_says(model, &option) > 0)
            model->things[model->thing_count++] = thing;
    }
}

void
model_add_groups(struct model *model, uint64_t *seed)
{
    static const char *const patterns[] = {"*", "ci-*", "web-*"};

    for (size_t i = 0; i < GROUPS; i++) {
        struct group *group = &model->groups[i];

        *group = (struct group){.name = {'c', (char)('0' + i)}};
        if (maybe(seed, 40)) {
            group->framebuffer = 1024u << chance(seed, 6);
            continue;
        }
        group->kind_count = 1 + chance(seed, 3);
        for (unsigned k = 0; k < group->kind_count; k++)
            group->kinds[k] = chance(seed, COUNT(model_kinds));
    }
    model->limit_count = maybe(seed, 40) ? 1 + chance(seed, LIMITS) : 0;
    for (size_t i = 0; i < model->limit_count; i++)
        model->limits[i] =
            (struct quota){chance(seed, GROUPS), chance(seed, 4), patterns[chance(seed, 3)]};
}

static void
add_refusals(struct model *model, uint64_t *seed)
{
    model->refused_count = maybe(seed, 15) ? 1 + chance(seed, REFUSALS) : 0;
    for (size_t i = 0; i < model->refused_count; i++) {
        struct option *refused = &model->refused[i];
        const struct card *card;

        refused->card = chance(seed, (unsigned)model->card_count);
        card = &model->cards[refused->card];
        refused->place = chance(seed, card->place_count);
        refused->kind = card->kind_count ? card->kinds[chance(seed, card->kind_count)] : 0;
        /* nobody can tell whether a place that refuses is a reserved one */
        model->cards[refused->card].reserve = 0;
    }
}

/* Mostly chooses a kind that a card has. Otherwise few requests could be met. */
static size_t
some_kind(const struct model *model, uint64_t *seed)
{
    const struct card *card = &model->cards[chance(seed, (unsigned)model->card_count)];

    return card->kind_count && maybe(seed, 90) ? card->kinds[chance(seed, card->kind_count)]
                                               : chance(seed, COUNT(model_kinds));
}

/* A device of our own that exists already, as after a failed start. */
static void
take_thing(struct model *model, uint64_t *seed, struct wish *wish)
{
    unsigned index;

    if (model->thing_count == 0 || wish->pci || model->freedom || !maybe(seed, 15))
        return;
    index = chance(seed, (unsigned)model->thing_count);
    if (!model->things[index].shown || model->things[index].mine ||
        model->cards[model->things[index].card].vf)
        return;
    wish->thing = (int)index;
    wish->group = -1;
    wish->kind = (int)model->things[index].kind;
    model->things[index].mine = true;
    model->things[index].leased = true;
    model->things[index].state = LEASE_LEAVING;
}

/* A function that no other wish names. */
static void
name_function(struct model *model, uint64_t *seed, struct wish *wish)
{
    size_t card = chance(seed, (unsigned)model->card_count);
    size_t place = chance(seed, model->cards[card].place_count);

    wish->pci = model->cards[card].vf;
    for (const struct wish *other = model->wishes; other < wish; other++)
        wish->pci &= !other->pci || other->on_card != card || other->on_place != place;
    wish->on_card = card;
    wish->on_place = place;
    if (wish->pci && wish->group < 0 && model->cards[card].kind_count && maybe(seed, 80))
        wish->kind = (int)model->cards[card].kinds[chance(seed, model->cards[card].kind_count)];
    for (size_t i = 0; wish->pci && i < model->thing_count; i++) {
        struct thing *thing = &model->things[i];

        if (thing->card == card && thing->place == place && thing->shown && maybe(seed, 40)) {
            thing->mine = thing->leased = true;
            thing->state = maybe(seed, 50) ? LEASE_LEAVING : LEASE_KEPT;
        }
    }
}

void
model_add_wish(struct model *model, uint64_t *seed)
{
    static const enum choice_numa numas[] = {NUMA_PREFER, NUMA_PREFER, NUMA_REQUIRE, NUMA_IGNORE};
    struct wish *wish = &model->wishes[model->wish_count++];

    /* often the same as the previous wish, because such requests are hard to place */
    if (model->wish_count > 1 && maybe(seed, 40)) {
        *wish = wish[-1];
        wish->thing = -1;
    } else {
        *wish = (struct wish){.group = -1, .kind = -1, .card = -1, .place = -1, .thing = -1};
        if (maybe(seed, 50))
            wish->group = (int)chance(seed, GROUPS);
        else
            wish->kind = (int)some_kind(model, seed);
        wish->blue = maybe(seed, 80) ? 0 : maybe(seed, 50) ? 1 : -1;
        wish->numa = numas[maybe(seed, 60) ? 0 : chance(seed, COUNT(numas))];
    }
    wish->pci = false;
    if (maybe(seed, 60))
        name_function(model, seed, wish);
    wish->order = maybe(seed, 70) ? ORDER_PACK : ORDER_SPREAD;
    if (maybe(seed, 25)) {
        wish->card = (int)chance(seed, (unsigned)model->card_count);
        wish->place = -1;
        if (model->cards[wish->card].functions && maybe(seed, 75))
            wish->place = (int)chance(seed, model->cards[wish->card].place_count);
    }
    take_thing(model, seed, wish);
}

void
model_make(struct model *model, uint64_t seed)
{
    unsigned cards, wishes;

    *model = (struct model){.node = -1};
    cards = 1 + chance(&seed, CARDS);
    model_add_maxima(model, &seed);
    for (unsigned i = 0; i < cards; i++) {
        model_add_card(model, &seed);
        add_things(model, &seed, i);
    }
    model_calculate(model);
    model_add_groups(model, &seed);
    add_refusals(model, &seed);
    if (maybe(&seed, 30))
        model->freedom = maybe(&seed, 50) ? DEMAND_ANY_PLACE : DEMAND_ANY_KIND;
    wishes = 1 + chance(&seed, WISHES);
    for (unsigned i = 0; i < wishes; i++)
        model_add_wish(model, &seed);
    model->node = (int)chance(&seed, 3) - 1;
    model->ci = maybe(&seed, 50);
}
