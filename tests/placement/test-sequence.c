/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Guests start and end, through the hook, on random hosts. The result is compared with the model: a
 * guest that must start starts, and only the expected vGPUs are left. chance.h says how to repeat a
 * failure.
 */

#include "fake/scene.h"
#include "fake/chance.h"
#include "placement/model-host.h"

#include <stdio.h>
#include <string.h>

#define ROUNDS_PER_SEQUENCE 150
#define ROUNDS_PER_TROUBLE  1500

#define GUESTS 6 /* by the quotas guests 1 to 3 are called ci, and the others web */
#define STEPS  25

struct town {
    struct scene scene; /* first: the scene's teardown finds the rest by it */
    struct model hosts; /* without things and wishes */
    struct wish wishes[GUESTS][WISHES];
    size_t wish_count[GUESTS];
    bool running[GUESTS];
    size_t foreign, foreign_functions;
    bool keep, trouble;
    bool ids; /* requests name types by their ids, so that the hook reads hardly any name */
    /* For each function: the guest that has it, or that had it when it had a type. 0: somebody
     * else. */
    struct owner {
        size_t guest; /* the number of a guest, from 1 on */
        bool foreign; /* somebody else made the vGPU, and has it again once the guest ends */
        char type[64];
    } owners[CARDS][PLACES];
};

/* Device k of guest g (from 0) has the number 10(g+1)+k. Devices of nobody have numbers from 1
 * on. */
static unsigned
device_number(size_t guest, size_t k)
{
    return (unsigned)(10 * (guest + 1) + k);
}

/* Makes a vGPU without the hook. A guest that names its function may start with this vGPU. */
static void
add_foreign(struct town *town, uint64_t *chances)
{
    size_t index = chance(chances, (unsigned)town->hosts.card_count);
    const struct card *card = &town->hosts.cards[index];
    size_t *count = card->vf ? &town->foreign_functions : &town->foreign;

    if (!maybe(chances, 30) ||
        fake_make(&town->scene.kernel, card->places[0], model_kinds[card->kinds[0]].id,
                  scene_device((unsigned)town->foreign + 1)) < 0)
        return;
    ++*count;
    town->owners[index][0].foreign = card->vf;
}

/* A type that one card lists exists on each card of its model, even while that card does not list
 * the type. So cards of one model have the same kinds. */
static void
share_kinds(struct model *hosts)
{
    struct card *card = &hosts->cards[hosts->card_count - 1];

    for (const struct card *other = hosts->cards; card->vf && !card->xe && other < card; other++) {
        if (!other->vf || other->xe || other->partitioned != card->partitioned ||
            strcmp(model_kinds[other->kinds[0]].board, model_kinds[card->kinds[0]].board))
            continue;
        memcpy(card->kinds, other->kinds, sizeof(card->kinds));
        memcpy(card->calculated, other->calculated, sizeof(card->calculated));
        card->kind_count = other->kind_count;
        card->allowed &= (1u << card->kind_count) - 1;
    }
}

/* A card that the fake kernel's tree can play, and that tells all that the model knows. So there is
 * no pool, because functions of pools are only in snapshots. Only xe has mixed sizes: on other
 * cards nobody knows of them before two sizes are seen. Each function has a GPU instance, because
 * nobody knows how many instances there are. */
static void
add_card(struct town *town, uint64_t *chances)
{
    struct card *card = &town->hosts.cards[town->hosts.card_count];

    model_add_card(&town->hosts, chances);
    while (card->lent) {
        town->hosts.card_count--;
        model_add_card(&town->hosts, chances);
    }
    if (!card->xe)
        card->memory = 0;
    /* a GPU without types is no parent */
    if (card->kind_count == 0)
        card->kinds[card->kind_count++] = card->vf ? 11 : 2;
    share_kinds(&town->hosts);
    for (unsigned k = 0; card->partitioned && k < card->kind_count; k++)
        card->instances[k] = model_kinds[card->kinds[k]].slices ? card->place_count : 0;
    card->node = -1;
}

static void
set_up_town(struct town *town, uint64_t seed, bool trouble)
{
    AUTO_FREE char *machine = NULL, *configuration = NULL, *head = NULL;
    uint64_t chances = seed;
    unsigned cards = 1 + chance(&chances, CARDS);

    *town =
        (struct town){.keep = maybe(&chances, 50), .ids = maybe(&chances, 50), .trouble = trouble};
    for (size_t i = 0; i < COUNT(model_kinds); i++) {
        if (!strcmp(model_kinds[i].board, "L40S") || !strcmp(model_kinds[i].board, "PRO") ||
            (!strcmp(model_kinds[i].board, "A30") && !model_kinds[i].slices))
            town->hosts.configured[i] = model_kinds[i].max;
    }
    for (unsigned i = 0; i < cards; i++)
        add_card(town, &chances);
    town->hosts.node = -1;
    model_add_groups(&town->hosts, &chances);
    for (size_t g = 0; g < GUESTS; g++) {
        struct model wishes = town->hosts;
        unsigned count = 1 + chance(&chances, 3);

        for (unsigned i = 0; i < count; i++)
            model_add_wish(&wishes, &chances);
        memcpy(town->wishes[g], wishes.wishes, sizeof(wishes.wishes));
        town->wish_count[g] = wishes.wish_count;
    }
    machine = model_host_machine(&town->hosts);
    assert_true(asprintf(&head, "release = \"%s\"; %s\n", town->keep ? "keep" : "reap",
                         trouble ? "release_timeout = \"1s\"; prepare_timeout = \"400ms\";"
                                 : "release_timeout = \"20s\";") > 0);
    configuration = model_host_configuration(&town->hosts, town->ids, head);
    scene_start(&town->scene, machine);
    fake_write(&town->scene.kernel, "etc/libvirt-vgpu/vgpu.conf", configuration);
    /* The functions list their types once. So a type has a name even when all functions have it. */
    assert_int_equal(scene_prepare(&town->scene, GUESTS + 1, 1, "no such type"), 1);
    for (unsigned i = 0; i < 2; i++)
        add_foreign(town, &chances);
}

static struct thing
thing_of(const char *id)
{
    struct thing thing = {.leased = true, .shown = true, .state = LEASE_HELD};

    while (strcmp(model_kinds[thing.kind].id, id))
        thing.kind++;
    return thing;
}

/* The place of a mediated device, if it exists. */
static bool
find_device(const struct town *town, unsigned number, struct thing *ret)
{
    const struct model *model = &town->hosts;
    const char *uuid = scene_device(number), *id = fake_type_of(&town->scene.kernel, uuid);

    if (!*id)
        return false;
    *ret = thing_of(id);
    for (; ret->card < model->card_count; ret->card++) {
        const struct card *card = &model->cards[ret->card];

        for (ret->place = 0; ret->place < card->place_count; ret->place++) {
            struct host host = {.root = town->scene.kernel.host.root, .ops = &host_kernel};

            if (host_exists(&host, "sys/devices/%s/%s", card->places[ret->place], uuid))
                return true;
        }
    }
    return false;
}

/* A function that has a type. */
static bool
find_function(const struct town *town, size_t card, size_t place, struct thing *ret)
{
    const char *id = fake_type_of(&town->scene.kernel, town->hosts.cards[card].places[place]);

    if (!*id)
        return false;
    *ret = thing_of(id);
    ret->card = card;
    ret->place = place;
    return true;
}

/* The thing that a guest has already for a wish. */
static bool
find_own(const struct town *town, size_t guest, size_t k, struct thing *ret)
{
    const struct wish *wish = &town->wishes[guest][k];

    if (!wish->pci)
        return find_device(town, device_number(guest, k), ret);
    return find_function(town, wish->on_card, wish->on_place, ret) &&
           town->owners[wish->on_card][wish->on_place].guest == guest + 1;
}

/* Adds the functions' vGPUs: those of somebody else, those of running guests, and the guest's own.
 * With `kept` it also adds those that are kept for other guests on functions that the guest
 * names. */
static void
look_at_functions(const struct town *town, size_t guest, bool kept, bool own, struct model *model)
{
    for (size_t c = 0; c < model->card_count; c++) {
        for (size_t place = 0; model->cards[c].vf && place < model->cards[c].place_count; place++) {
            size_t owner = town->owners[c][place].guest;
            bool named = false;
            struct thing thing;

            if (!find_function(town, c, place, &thing))
                continue;
            for (size_t k = 0; k < town->wish_count[guest]; k++) {
                const struct wish *wish = &town->wishes[guest][k];

                named |= wish->pci && wish->on_card == c && wish->on_place == place &&
                         model_wants(model, wish, thing.kind);
            }
            thing.leased = owner != 0;
            thing.ci = owner <= 3;
            thing.mine = owner == guest + 1;
            if (owner && !town->running[owner - 1])
                thing.state = LEASE_KEPT;
            if (!owner || town->running[owner - 1] || (named && (thing.mine ? own : kept)))
                model->things[model->thing_count++] = thing;
        }
    }
}

/*
 * The hosts as they will be for a guest when all unneeded vGPUs are gone. These are the kept vGPUs
 * of other guests, and the guest's own vGPUs that it does not use. Without `own`, all of its own
 * vGPUs are gone, too.
 */
static void
look_around(const struct town *town, size_t guest, bool kept, bool own, struct model *model)
{
    struct thing thing;

    *model = town->hosts;
    model->ci = guest < 3;
    memcpy(model->wishes, town->wishes[guest], sizeof(model->wishes));
    model->wish_count = town->wish_count[guest];
    for (unsigned i = 1; i <= town->foreign; i++) {
        assert_true(find_device(town, i, &thing));
        thing.leased = false;
        model->things[model->thing_count++] = thing;
    }
    for (size_t g = 0; g < GUESTS; g++) {
        for (size_t k = 0; k < town->wish_count[g]; k++) {
            if (town->wishes[g][k].pci || (g == guest && !own) || !find_own(town, g, k, &thing))
                continue;
            thing.ci = g < 3;
            thing.mine = g == guest;
            if (g == guest)
                model->wishes[k].thing = (int)model->thing_count;
            if (g == guest || town->running[g])
                model->things[model->thing_count++] = thing;
        }
    }
    look_at_functions(town, guest, kept, own, model);
}

static char *
write_request(const struct town *town, size_t guest)
{
    struct model model = town->hosts;

    memcpy(model.wishes, town->wishes[guest], sizeof(model.wishes));
    model.wish_count = town->wish_count[guest];
    return model_host_request(&model, town->ids, (unsigned)guest + 1, device_number(guest, 0));
}

/* Checks after every step: the ledger has every existing vGPU, and each guest has all of its vGPUs
 * or none. */
static void
check_town(struct town *town, const struct model *model, uint64_t seed)
{
    MUST(scene_leases(&town->scene, "") - scene_leases(&town->scene, "found") + town->foreign +
                 town->foreign_functions ==
             fake_count(&town->scene.kernel),
         "%zu leases", scene_leases(&town->scene, ""));
    for (size_t g = 0; g < GUESTS; g++) {
        for (size_t k = 0; k < town->wish_count[g]; k++) {
            struct thing thing;
            bool there = find_own(town, g, k, &thing);

            MUST(there || !town->running[g], "guest%zu lacks %u", g + 1, device_number(g, k));
            MUST(!there || town->running[g] || town->keep, "%u is left", device_number(g, k));
            if (!there || !town->running[g])
                continue;
            MUST(model_obeys(&town->hosts, &town->wishes[g][k],
                             &(struct option){thing.card, thing.place, thing.kind}),
                 "%u is %s on %s", device_number(g, k), model_kinds[thing.kind].word,
                 town->hosts.cards[thing.card].places[thing.place]);
        }
    }
}

/* Records the present owner of each function, and its type. If a guest only uses a vGPU of somebody
 * else, the guest does not become its owner. */
static void
take_functions(struct town *town, size_t guest)
{
    for (size_t k = 0; k < town->wish_count[guest]; k++) {
        const struct wish *wish = &town->wishes[guest][k];
        struct owner *owner = &town->owners[wish->on_card][wish->on_place];

        if (!wish->pci)
            continue;
        owner->guest = guest + 1;
        snprintf(owner->type, sizeof(owner->type), "%s",
                 fake_type_of(&town->scene.kernel,
                              town->hosts.cards[wish->on_card].places[wish->on_place]));
    }
}

static void
start_guest(struct town *town, size_t guest, uint64_t seed)
{
    static struct model around, other;
    const struct model *model = &around;
    AUTO_FREE char *xml = write_request(town, guest);
    size_t kept = scene_leases(&town->scene, "kept");
    bool possible, thinkable;
    int status;

    look_around(town, guest, false, true, &other);
    possible = model_find(&other);
    /* The guest may have a device that a quota forbids now, and gets another device. */
    look_around(town, guest, false, false, &other);
    thinkable = model_find(&other);
    look_around(town, guest, true, true, &around);
    possible = possible || model_find(&around);
    status = scene_hook(&town->scene, xml, "prepare", "begin");
    MUST(!possible || status == 0, "guest%zu: %s", guest + 1, town->scene.said);
    MUST(possible || thinkable || status == 1, "guest%zu", guest + 1);
    /* vGPUs that were given up in vain */
    MUST(possible || thinkable || town->wish_count[guest] > 1 ||
             scene_leases(&town->scene, "kept") == kept,
         "%zu kept ones instead of %zu; %s", scene_leases(&town->scene, "kept"), kept,
         town->scene.said);
    town->running[guest] = status == 0;
    if (status == 0)
        take_functions(town, guest);
    check_town(town, model, seed);
}

/* A vGPU of somebody else belongs to its maker again. */
static void
give_foreign_back(struct town *town, size_t guest)
{
    for (size_t k = 0; k < town->wish_count[guest]; k++) {
        const struct wish *wish = &town->wishes[guest][k];
        struct owner *owner = &town->owners[wish->on_card][wish->on_place];

        if (wish->pci && owner->foreign && owner->guest == guest + 1)
            owner->guest = 0;
    }
}

static void
end_guest(struct town *town, size_t guest, uint64_t seed)
{
    AUTO_FREE char *xml = write_request(town, guest);

    assert_int_equal(scene_hook(&town->scene, xml, "release", "end"), 0);
    town->running[guest] = false;
    give_foreign_back(town, guest);
    check_town(town, &town->hosts, seed);
}

/* All guests end. The vGPUs that are kept for them are removed at their next start, which cannot
 * succeed. */
static void
end_town(struct town *town)
{
    fake_write(&town->scene.kernel, "etc/libvirt-vgpu/vgpu.conf", "");
    for (size_t g = 0; g < GUESTS; g++) {
        AUTO_FREE char *xml = write_request(town, g);

        assert_int_equal(scene_hook(&town->scene, xml, "release", "end"), 0);
    }
    for (unsigned g = 1; g <= GUESTS; g++)
        assert_int_equal(scene_prepare(&town->scene, g, 100 + g, "no such type"), 1);
    for (unsigned i = 1; i <= town->foreign; i++)
        assert_int_equal(fake_remove(&town->scene.kernel, scene_device(i)), 0);
    for (size_t c = 0; c < town->hosts.card_count; c++) {
        if (town->owners[c][0].foreign)
            assert_int_equal(fake_remove(&town->scene.kernel, town->hosts.cards[c].places[0]), 0);
    }
    scene_assert_empty(&town->scene);
    scene_stop(&town->scene);
}

UNIT_TEST(guests_come_and_go)
{
    uint64_t first = chance_setting("SEED", SEED);
    uint64_t count = 1 + chance_rounds(ROUNDS) / ROUNDS_PER_SEQUENCE;
    static struct town town;

    for (uint64_t seed = first; seed < first + count; seed++) {
        uint64_t chances = ~seed;

        set_up_town(&town, seed, false);
        for (unsigned step = 0; step < STEPS; step++) {
            size_t guest = chance(&chances, GUESTS);

            if (town.running[guest])
                end_guest(&town, guest, seed);
            else
                start_guest(&town, guest, seed);
        }
        end_town(&town);
    }
}

/* --- the same with a kernel that refuses ------------------------------------------------------ */

static void
cause_trouble(struct town *town, uint64_t *chances)
{
    struct fake_faults *faults = town->scene.kernel.faults;

    faults->refuse = maybe(chances, 30) ? 1 + chance(chances, 3) : 0;
    faults->unreadable = maybe(chances, 20) ? 1 + chance(chances, 5) : 0;
    faults->writes = 0;
    faults->fail_at = maybe(chances, 30) ? 1 + chance(chances, 4) : 0;
    faults->fail_with = maybe(chances, 50) ? EIO : EBUSY;
}

/* A running guest has all vGPUs that it got when it started. */
static void
check_running(const struct town *town, uint64_t seed)
{
    const struct model *model = &town->hosts;

    for (size_t g = 0; g < GUESTS; g++) {
        for (size_t k = 0; town->running[g] && k < town->wish_count[g]; k++) {
            const struct wish *wish = &town->wishes[g][k];
            struct thing thing;

            MUST(find_own(town, g, k, &thing), "guest%zu lacks its device %zu", g + 1, k);
            MUST(!wish->pci || !strcmp(town->owners[wish->on_card][wish->on_place].type,
                                       model_kinds[thing.kind].id),
                 "guest%zu has another device %zu", g + 1, k);
        }
    }
}

/* Nobody can say which starts must succeed then. But no guest has only some of its vGPUs, and there
 * are never too many devices. */
UNIT_TEST(guests_come_and_go_in_trouble)
{
    uint64_t first = chance_setting("SEED", SEED);
    uint64_t count = 1 + chance_rounds(ROUNDS) / ROUNDS_PER_TROUBLE;
    static struct town town;

    for (uint64_t seed = first; seed < first + count; seed++) {
        const struct model *model = &town.hosts;
        uint64_t chances = ~seed;

        set_up_town(&town, seed, true);
        for (unsigned step = 0; step < STEPS; step++) {
            size_t guest = chance(&chances, GUESTS);
            AUTO_FREE char *xml = write_request(&town, guest);
            int status;

            cause_trouble(&town, &chances);
            status = scene_hook(&town.scene, xml, town.running[guest] ? "release" : "prepare",
                                town.running[guest] ? "end" : "begin");
            MUST(status == 0 || (status == 1 && !town.running[guest]), "%d", status);
            town.running[guest] = !town.running[guest] && status == 0;
            *town.scene.kernel.faults = (struct fake_faults){0};
            if (town.running[guest])
                take_functions(&town, guest);
            else
                give_foreign_back(&town, guest);
            check_running(&town, seed);
        }
        end_town(&town);
    }
}
