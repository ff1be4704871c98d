/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/model-town.h"
#include "fake/chance.h"
#include "placement/model-host.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- a random model --------------------------------------------------------------------------- */

/* Does another wish name this function? */
static bool
is_named(const struct model *model, size_t wish, size_t card, unsigned place)
{
    bool ret = false;

    for (size_t k = 0; k < model->wish_count; k++)
        ret |= k != wish && model->wishes[k].pci && model->wishes[k].on_card == card &&
               model->wishes[k].on_place == place;
    return ret;
}

/* Most random wishes ask for a type that no card of the host has. So this changes most of them to a
 * type that a card has. Often it is the same type, on the same card, as the wish before. */
static void
make_sensible(struct model *model, uint64_t *chances)
{
    for (size_t i = 0; i < model->wish_count; i++) {
        struct wish *wish = &model->wishes[i];
        bool is_alike = i > 0 && wish[-1].kind >= 0 && maybe(chances, 60);
        size_t index = is_alike ? wish[-1].on_card : chance(chances, (unsigned)model->card_count);
        const struct card *card = &model->cards[index];
        unsigned place = chance(chances, card->place_count);
        size_t kind = card->kinds[chance(chances, card->kind_count)];

        if (wish->thing >= 0 || maybe(chances, 15))
            continue;
        for (unsigned k = 0; k < card->place_count && is_named(model, i, index, place); k++)
            place = (place + 1) % card->place_count;
        if (card->vf && is_named(model, i, index, place))
            continue;
        if (card->lent || is_alike)
            kind = card->lent ? card->kinds[card->member[place]] : (size_t)wish[-1].kind;
        *wish = (struct wish){.group = -1,
                              .kind = (int)kind,
                              .card = maybe(chances, 20) ? (int)index : -1,
                              .place = -1,
                              .thing = -1,
                              .order = wish->order,
                              .numa = NUMA_PREFER,
                              .pci = card->vf,
                              .on_card = index,
                              .on_place = place};
    }
}

static void
add_kind(struct card *card, size_t kind)
{
    for (unsigned k = 0; k < card->kind_count; k++) {
        if (card->kinds[k] == kind)
            return;
    }
    assert_true(card->kind_count < KINDS);
    card->instances[card->kind_count] = 0;
    card->kinds[card->kind_count++] = kind;
}

/* A GPU without types is no parent. Some cards list only the types that they would make now. Such
 * cards of one board all know the same types, and one of these types takes a whole card. So the
 * program can learn a card's memory, and other figures that no driver tells. */
static void
complete_card(const struct model *model, struct card *card)
{
    size_t whole = 0;

    if (card->kind_count == 0)
        add_kind(card, card->vf ? 11 : 2);
    if (!card->vf || card->xe || card->lent)
        return;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        const struct kind *kind = &model_kinds[i];
        bool is_known = false;

        if (strcmp(kind->board, model_kinds[card->kinds[0]].board))
            continue;
        if (!kind->slices && kind->framebuffer > model_kinds[whole].framebuffer)
            whole = i;
        for (size_t c = 0; c < model->card_count; c++) {
            for (unsigned k = 0; k < model->cards[c].kind_count; k++)
                is_known |= model->cards[c].kinds[k] == i;
        }
        if (is_known)
            add_kind(card, i);
    }
    add_kind(card, whole);
}

void
model_town_make(struct model *model, uint64_t seed)
{
    uint64_t chances = ~seed;

    model_make(model, seed);
    for (size_t c = 0; c < model->card_count; c++) {
        struct card *card = &model->cards[c];

        card->untold = card->xe && maybe(&chances, 25);
        complete_card(model, card);
    }
    if (maybe(&chances, 60))
        model->wish_count = 1;
    make_sensible(model, &chances);
}

/* --- on the fake kernel ----------------------------------------------------------------------- */

static unsigned
own_number(const struct model *model)
{
    return model->ci ? 199 : 499;
}

static void
configure(const struct model_town *town, const struct model *model, const char *head)
{
    AUTO_FREE char *text = NULL, *all = NULL;

    assert_true(asprintf(&all, "release_timeout = \"1s\"; prepare_timeout = \"2s\";\n%s\n", head) >
                0);
    text = model_host_configuration(model, false, all);
    scene_configure(&town->scene, text);
}

/* A configuration that forbids nothing. So the things get their places. */
static void
configure_freely(const struct model_town *town)
{
    struct model free = town->hosts;

    for (size_t c = 0; c < free.card_count; c++)
        free.cards[c].listed = free.cards[c].untold = false;
    memset(free.configured, 0, sizeof(free.configured));
    free.limit_count = 0;
    configure(town, &free, "release = \"keep\";");
}

/* Makes a vGPU without our hook. On one of Intel's functions a number that is written without our
 * hook makes no vGPU. The function keeps the number. */
static void
put_foreign(const struct model_town *town, size_t index)
{
    const struct thing *thing = &town->hosts.things[index];
    const struct card *card = &town->hosts.cards[thing->card];
    const struct kind *kind = &model_kinds[thing->kind];
    const char *place = card->places[thing->place];

    if (card->xe)
        *fake_profile(&town->scene.kernel, place) = (uint64_t)kind->framebuffer << 20;
    else if (!card->lent)
        (void)!fake_make(&town->scene.kernel, place, kind->id,
                         scene_device(MODEL_HOST_THING + (unsigned)index));
}

/* The XML of a guest that has a thing. */
static char *
request_of_thing(const struct model_town *town, size_t index)
{
    const struct thing *thing = &town->hosts.things[index];
    struct model model = town->hosts;

    model.wish_count = 1;
    model.node = -1;
    model.wishes[0] = (struct wish){.group = -1,
                                    .kind = (int)thing->kind,
                                    .card = (int)thing->card,
                                    .place = (int)thing->place,
                                    .thing = (int)index,
                                    .order = ORDER_PACK,
                                    .numa = NUMA_IGNORE,
                                    .pci = model.cards[thing->card].vf,
                                    .on_card = thing->card,
                                    .on_place = thing->place};
    return model_host_request(
        &model, true, thing->mine ? own_number(&model) : (thing->ci ? 100 : 400) + (unsigned)index,
        0);
}

/* Puts the thing's lease into another state by hand. If a vGPU is only promised, or is being made,
 * it does not exist yet. */
static void
change_lease(struct model_town *town, size_t index)
{
    const struct thing *thing = &town->hosts.things[index];
    const struct card *card = &town->hosts.cards[thing->card];
    bool is_there = thing->shown || card->xe || card->lent;
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct lease *lease = NULL;
    struct name device;
    struct error error;
    int rc = name_parse(&device, card->vf ? card->places[thing->place]
                                          : scene_device(MODEL_HOST_THING + (unsigned)index));

    if (rc == 0)
        rc = statedir_lock(&town->work, deadline_in(&town->scene.kernel.host, 1000), &error);
    if (rc == 0)
        rc = statedir_load(&town->work, &ledger, &error);
    if (rc == 0)
        lease = ledger_find(&ledger, &device);
    assert_non_null(lease);
    lease->state = thing->shown                                              ? LEASE_LEAVING
                   : card->vf && !is_there && thing->state == LEASE_RESERVED ? LEASE_RESERVED
                                                                             : LEASE_PENDING;
    lease->release = LEASE_REAP;
    if (lease->state == LEASE_PENDING) {
        assert_int_equal(statedir_claim(&town->work, &ledger, &error), 0);
        lease->claim = town->work.claim;
    }
    assert_int_equal(statedir_store(&town->work, &ledger, &error), 0);
    statedir_unlock(&town->work);
    if (!is_there)
        assert_int_equal(fake_remove(&town->scene.kernel, device.text), 0);
}

/* Makes a vGPU that a guest has now, or had before. */
static void
put_leased(struct model_town *town, size_t index)
{
    const struct thing *thing = &town->hosts.things[index];
    AUTO_FREE char *xml = request_of_thing(town, index);

    if (thing->lost || scene_hook(&town->scene, xml, "prepare", "begin") != 0)
        return;
    if (thing->shown && thing->state == LEASE_KEPT)
        assert_int_equal(scene_hook(&town->scene, xml, "release", "end"), 0);
    else if (!thing->shown || thing->state != LEASE_HELD)
        change_lease(town, index);
}

/* The machine may have hundreds of processes. Only this process can have something open here. */
static int
list_own_process(const struct host *host, const char *path, struct words *ret)
{
    const struct model_town *town = (const struct model_town *)host;
    char self[16];

    if (strcmp(path, "proc") != 0)
        return town->usual->list(host, path, ret);
    *ret = (struct words){0};
    snprintf(self, sizeof(self), "%d", (int)getpid());
    words_add(ret, self);
    return 0;
}

void
model_town_start(struct model_town *town, const struct model *model, bool things)
{
    AUTO_FREE char *machine = model_host_machine(model);
    struct error error;

    *town = (struct model_town){.hosts = *model, .work = STATEDIR_CLOSED};
    scene_start(&town->scene, machine);
    town->usual = town->scene.kernel.host.ops;
    town->quiet = *town->usual;
    town->quiet.list = list_own_process;
    town->scene.kernel.host.ops = &town->quiet;
    configure_freely(town);
    assert_int_equal(statedir_open(&town->scene.kernel.host, true, &town->work, &error), 0);
    for (size_t i = 0; i < model->thing_count; i++) {
        const struct thing *thing = &model->things[i];

        if (thing->leased && things)
            put_leased(town, i);
        else if (!thing->leased && (things || model->cards[thing->card].xe))
            put_foreign(town, i);
    }
    configure(town, model, "");
}

void
model_town_stop(struct model_town *town)
{
    statedir_close(&town->work);
    scene_stop(&town->scene);
    free(town->scene.printed);
}

char *
model_town_request(const struct model *model, unsigned other)
{
    return model_host_request(model, false, own_number(model) - other, 50 - other);
}
