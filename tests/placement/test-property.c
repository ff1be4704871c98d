/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Random hosts and requests, against a placer that is slow and obviously right.
 *
 * SEED=N begins with another host, ROUNDS=N tries more of them. A failure names the seed of its
 * round: SEED=that ROUNDS=1 repeats it.
 */

#include "device/vgpu.h"
#include "fake/scene.h"
#include "placement/question.h"
#include "placement/resolution.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define SEED                20260107
#define ROUNDS              20000
#define ROUNDS_PER_SEQUENCE 150
#define ROUNDS_PER_TROUBLE  1500

#define CARDS    4
#define PLACES   4
#define KINDS    5
#define THINGS   32
#define WISHES   4
#define GROUPS   3
#define LIMITS   2
#define REFUSALS 2

/* --- chance ----------------------------------------------------------------------------------- */

static uint64_t
number_of(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);

    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* splitmix64 */
static unsigned
chance(uint64_t *seed, unsigned below)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (unsigned)((z ^ (z >> 31)) >> 33) % below;
}

static bool
maybe(uint64_t *seed, unsigned percent)
{
    return chance(seed, 100) < percent;
}

/* --- what there may be ------------------------------------------------------------------------ */

/* Types of real boards, some of one size; and a pool's, of which a type uses units. */
static const struct kind {
    const char *board, *id, *name, *word;
    unsigned framebuffer, max, units;
} kinds[] = {
    {"T4", "nvidia-222", "GRID T4-1B", "T4-1B", 1024, 16, 0},
    {"T4", "nvidia-230", "GRID T4-1Q", "T4-1Q", 1024, 16, 0},
    {"T4", "nvidia-231", "GRID T4-2Q", "T4-2Q", 2048, 8, 0},
    {"T4", "nvidia-232", "GRID T4-4Q", "T4-4Q", 4096, 4, 0},
    {"T4", "nvidia-233", "GRID T4-8Q", "T4-8Q", 8192, 2, 0},
    {"T4", "nvidia-234", "GRID T4-16Q", "T4-16Q", 16384, 1, 0},
    {"A40", "nvidia-562", "NVIDIA A40-8Q", "A40-8Q", 8192, 6, 0},
    {"A40", "nvidia-572", "NVIDIA A40-8A", "A40-8A", 8192, 6, 0},
    {"A40", "nvidia-564", "NVIDIA A40-16Q", "A40-16Q", 16384, 3, 0},
    {"A40", "nvidia-565", "NVIDIA A40-24Q", "A40-24Q", 24576, 2, 0},
    {"A40", "nvidia-566", "NVIDIA A40-48Q", "A40-48Q", 49152, 1, 0},
    {"L40S", "nvidia-1152", "NVIDIA L40S-8Q", "L40S-8Q", 8192, 6, 0},
    {"L40S", "nvidia-1151", "NVIDIA L40S-6Q", "L40S-6Q", 6144, 8, 0},
    {"L40S", "nvidia-1154", "NVIDIA L40S-16Q", "L40S-16Q", 16384, 3, 0},
    {"L40S", "nvidia-1155", "NVIDIA L40S-24Q", "L40S-24Q", 24576, 2, 0},
    {"L40S", "nvidia-1156", "NVIDIA L40S-48Q", "L40S-48Q", 49152, 1, 0},
    {"mtty", "mtty-1", "Single port serial", "Single port serial", 0, 0, 1},
    {"mtty", "mtty-2", "Dual port serial", "Dual port serial", 0, 0, 2},
};

/* A GPU, and what the administrator says of it. */
struct card {
    char name[16];
    char places[PLACES][16]; /* its parents: itself, or functions */
    unsigned place_count;
    bool functions;
    bool vf;   /* they are vGPUs themselves, and their driver tells no maximum... */
    bool told; /* ...but the administrator does */
    size_t kinds[KINDS];
    unsigned kind_count;
    unsigned pool;
    int node;
    bool listed, enabled, blue;
    unsigned reserve;
    unsigned allowed; /* bits of its kinds; 0: all */
};

/* A vGPU that is there, or is being made. */
struct thing {
    size_t card, place, kind;
    bool leased, shown, ci; /* whose guest is called ci-1, not web-1 */
    bool mine;
    bool lost; /* the ledger says that a function is another's, and it has no type */
    enum lease_state state;
};

struct group {
    char name[8];
    size_t kinds[3];
    unsigned kind_count, framebuffer;
};

struct limit {
    size_t group;
    unsigned max;
    const char *pattern;
};

struct wish {
    int group, kind; /* -1: the other one */
    int card, place; /* -1: any */
    int blue;        /* 1: only such, -1: none such */
    enum policy_numa numa;
    enum policy_order order;
    int thing; /* that has its UUID, or is on its function, already; -1: none */
    bool pci;  /* a PCI device: this function, if it is not free to go elsewhere */
    size_t on_card, on_place;
};

/* A way to meet a wish. */
struct option {
    size_t card, place, kind;
};

struct model {
    struct card cards[CARDS];
    size_t card_count;
    struct thing things[THINGS];
    size_t thing_count;
    struct option refused[REFUSALS]; /* by the kernel, in this call; a function refuses all */
    size_t refused_count;
    struct group groups[GROUPS];
    struct limit limits[LIMITS];
    size_t limit_count;
    struct wish wishes[WISHES];
    size_t wish_count;
    enum demand_freedom freedom; /* of all of them */
    int node;                    /* that the guest is bound to; -1: none */
    bool ci;                     /* it is called ci-9, not web-9 */
};

/* --- the slow placer: all assignments of wishes to places and types --------------------------- */

/* What the driver says of a type in a place, from what is made. */
static unsigned
driver_says(const struct model *model, const struct option *option)
{
    const struct card *card = &model->cards[option->card];
    const struct kind *kind = &kinds[option->kind];
    unsigned made = 0, here = 0, units = 0;

    for (size_t i = 0; i < model->thing_count; i++) {
        const struct thing *thing = &model->things[i];

        if (!thing->shown || thing->card != option->card)
            continue;
        made++;
        here += thing->place == option->place;
        units += kinds[thing->kind].units;
        if (!card->pool && kinds[thing->kind].framebuffer != kind->framebuffer)
            return 0;
    }
    if (card->pool)
        return (card->pool - units) / kind->units;
    if (made >= kind->max)
        return 0;
    return card->functions ? !here : kind->max - made;
}

static bool
is_refused(const struct model *model, const struct option *option)
{
    for (size_t i = 0; i < model->refused_count; i++) {
        const struct option *refused = &model->refused[i];

        if (refused->card == option->card && refused->place == option->place &&
            (refused->kind == option->kind || model->cards[option->card].functions))
            return true;
    }
    return false;
}

static bool
is_claimed(const struct model *model, size_t card, size_t place)
{
    for (size_t i = 0; i < model->thing_count; i++) {
        const struct thing *thing = &model->things[i];

        if (!thing->shown && thing->card == card && thing->place == place)
            return true;
    }
    return false;
}

/* Whether a GPU takes `more` of a type, and then keeps its reserve; what is being made takes some.
 */
static bool
has_room(const struct model *model, const struct option *option, unsigned more)
{
    const struct card *card = &model->cards[option->card];
    unsigned reserve = card->listed ? card->reserve : 0;
    unsigned free = 0, taken = 0, claimed = 0;

    for (size_t i = 0; i < model->thing_count; i++) {
        const struct thing *thing = &model->things[i];

        taken += thing->card == option->card && !thing->lost;
        claimed += thing->card == option->card && !thing->lost && !thing->shown;
    }
    for (size_t place = 0; place < card->place_count; place++) {
        struct option here = {option->card, place, option->kind};

        free += card->functions && is_claimed(model, option->card, place)
                    ? 0
                    : driver_says(model, &here);
    }
    if (!card->functions)
        return free >= claimed + more + reserve;
    return free >= more + reserve &&
           ((card->vf && !card->told) || kinds[option->kind].max >= taken + more + reserve);
}

static bool
group_has(const struct group *group, size_t kind)
{
    for (unsigned i = 0; i < group->kind_count; i++) {
        if (group->kinds[i] == kind)
            return true;
    }
    return group->framebuffer && kinds[kind].framebuffer >= group->framebuffer;
}

static bool
wants(const struct model *model, const struct wish *wish, size_t kind)
{
    return wish->group < 0 ? (size_t)wish->kind == kind
                           : group_has(&model->groups[wish->group], kind);
}

static bool
is_near(const struct model *model, size_t card)
{
    return model->node >= 0 && model->cards[card].node == model->node;
}

/* Whether it is a wish for one function and no other. */
static bool
is_fixed(const struct model *model, const struct wish *wish)
{
    return wish->pci && model->freedom == DEMAND_AS_IT_SAYS;
}

static bool
obeys_rules(const struct model *model, const struct wish *wish, const struct option *option)
{
    const struct card *card = &model->cards[option->card];

    if (!wants(model, wish, option->kind))
        return false;
    if (model->freedom != DEMAND_ANY_KIND && wish->pci != card->vf)
        return false;
    if (is_fixed(model, wish) && (wish->on_card != option->card || wish->on_place != option->place))
        return false;
    if (wish->card >= 0 && (size_t)wish->card != option->card)
        return false;
    if (wish->place >= 0 && (size_t)wish->place != option->place)
        return false;
    if (wish->numa == POLICY_NUMA_REQUIRE && !is_near(model, option->card))
        return false;
    if (wish->blue && (wish->blue > 0) != (card->listed && card->blue))
        return false;
    if (!card->listed)
        return true;
    for (unsigned i = 0; i < card->kind_count; i++) {
        if (card->kinds[i] == option->kind && card->allowed && !(card->allowed >> i & 1))
            return false;
    }
    return card->enabled;
}

static bool
pattern_means(const char *pattern, bool ci)
{
    return *pattern == '*' || (*pattern == 'c') == ci;
}

static bool
within_limits(const struct model *model, const struct option *options, size_t count)
{
    for (size_t i = 0; i < model->limit_count; i++) {
        const struct limit *limit = &model->limits[i];
        const struct group *group = &model->groups[limit->group];
        unsigned used = 0, more = 0;

        if (!pattern_means(limit->pattern, model->ci))
            continue;
        for (size_t k = 0; k < model->thing_count; k++) {
            const struct thing *thing = &model->things[k];

            used += thing->leased && !thing->mine && pattern_means(limit->pattern, thing->ci) &&
                    (thing->state == LEASE_HELD || thing->state == LEASE_PENDING ||
                     thing->state == LEASE_RESERVED) &&
                    group_has(group, thing->kind);
        }
        for (size_t k = 0; k < count; k++)
            more += group_has(group, options[k].kind);
        if (more && used + more > limit->max)
            return false;
    }
    return true;
}

/* One size on a GPU, of what is made, being made and to be made. */
static bool
is_size_alone(const struct model *model, const struct option *options, size_t count,
              const struct option *option)
{
    unsigned size = kinds[option->kind].framebuffer;

    for (size_t i = 0; i < model->thing_count; i++) {
        if (model->things[i].card == option->card && !model->things[i].lost &&
            kinds[model->things[i].kind].framebuffer != size)
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (options[i].card == option->card && kinds[options[i].kind].framebuffer != size)
            return false;
    }
    return true;
}

/* Whether the first `count` wishes may have these together. */
static bool
is_legal(const struct model *model, const struct option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct wish *wish = &model->wishes[i];
        const struct card *card = &model->cards[options[i].card];
        unsigned together = 0;

        if (!obeys_rules(model, wish, &options[i]))
            return false;
        if (wish->thing >= 0)
            continue;
        for (size_t k = 0; k < count; k++) {
            if (model->wishes[k].thing >= 0 || options[k].card != options[i].card)
                continue;
            together++;
            if (k != i && card->functions && options[k].place == options[i].place)
                return false;
        }
        if (driver_says(model, &options[i]) == 0 || is_refused(model, &options[i]) ||
            (card->functions && is_claimed(model, options[i].card, options[i].place)) ||
            !is_size_alone(model, options, count, &options[i]) ||
            !has_room(model, &options[i], together))
            return false;
    }
    return within_limits(model, options, count);
}

/* Fills in all ways for the wishes from `next` on, until one is legal. */
static bool
find_way(const struct model *model, struct option *options, size_t next)
{
    const struct wish *wish = &model->wishes[next];

    if (next == model->wish_count)
        return true;
    for (size_t c = 0; c < model->card_count; c++) {
        const struct card *card = &model->cards[c];

        for (size_t place = 0; place < card->place_count; place++) {
            for (unsigned k = 0; k < card->kind_count; k++) {
                const struct thing *thing = wish->thing < 0 ? NULL : &model->things[wish->thing];

                options[next] = (struct option){c, place, card->kinds[k]};
                if (thing &&
                    (thing->card != c || thing->place != place || thing->kind != card->kinds[k]))
                    continue;
                if (is_legal(model, options, next + 1) && find_way(model, options, next + 1))
                    return true;
            }
        }
    }
    return false;
}

/* What is on the function that a wish names: nobody's, its own and what is kept are what it gets,
 * others' nobody gets. */
static bool
settle(struct model *model)
{
    for (size_t w = 0; w < model->wish_count; w++) {
        struct wish *wish = &model->wishes[w];

        if (!wish->pci)
            continue;
        wish->thing = -1;
        for (size_t i = 0; is_fixed(model, wish) && i < model->thing_count; i++) {
            const struct thing *thing = &model->things[i];

            if (thing->card != wish->on_card || thing->place != wish->on_place)
                continue;
            if (thing->leased && !thing->mine && thing->state != LEASE_KEPT)
                return false;
            wish->thing = (int)i;
        }
    }
    return true;
}

static bool
find_any(const struct model *model)
{
    struct model settled = *model;
    struct option options[WISHES + 1];

    return settle(&settled) && find_way(&settled, options, 0);
}

/* --- random hosts and requests ---------------------------------------------------------------- */

static void
add_card(struct model *model, uint64_t *seed)
{
    static const char *const boards[] = {"T4", "A40", "L40S", "L40S", "mtty"};
    size_t index = model->card_count++;
    struct card *card = &model->cards[index];
    const char *board = boards[chance(seed, COUNT(boards))];
    unsigned pool_kind = chance(seed, 2);

    *card = (struct card){.node = (int)chance(seed, 3) - 1, .place_count = 1};
    card->vf = !strcmp(board, "L40S");
    card->told = maybe(seed, 50);
    card->functions =
        card->vf || !strcmp(board, "A40") || (!strcmp(board, "T4") && maybe(seed, 20));
    for (size_t i = 0; i < COUNT(kinds); i++) {
        /* of a pool one type only: what another one leaves of it nobody tells */
        if (strcmp(kinds[i].board, board) ||
            (kinds[i].units ? kinds[i].units != pool_kind + 1 : !maybe(seed, 60)))
            continue;
        if (card->kind_count < KINDS)
            card->kinds[card->kind_count++] = i;
    }
    if (!strcmp(board, "mtty")) {
        card->pool = 1 + chance(seed, 5);
        snprintf(card->name, sizeof(card->name), "mtty%zu", index);
    } else {
        snprintf(card->name, sizeof(card->name), "0000:%02zx:00.0", 0x18 + index);
    }
    if (card->functions)
        card->place_count = 1 + chance(seed, PLACES);
    for (unsigned i = 0; i < card->place_count; i++) {
        if (card->functions)
            snprintf(card->places[i], sizeof(card->places[i]), "0000:%02zx:00.%u", 0x18 + index,
                     4 + i);
        else
            memcpy(card->places[i], card->name, sizeof(card->name));
    }
    card->listed = maybe(seed, 50);
    card->enabled = maybe(seed, 85);
    card->blue = maybe(seed, 50);
    card->reserve = maybe(seed, 30) ? 1 + chance(seed, 2) : 0;
    card->allowed = maybe(seed, 30) ? chance(seed, 1u << card->kind_count) : 0;
}

/* What others have there: one kind per GPU, or two of a size, as far as there is room. */
static void
add_things(struct model *model, uint64_t *seed, size_t index)
{
    static const enum lease_state shown[] = {LEASE_HELD, LEASE_KEPT, LEASE_LEAVING, LEASE_REMOVING};
    static const enum lease_state hidden[] = {LEASE_PENDING, LEASE_RESERVED};
    static const enum lease_state lost[] = {LEASE_HELD, LEASE_LEAVING, LEASE_REMOVING};
    const struct card *card = &model->cards[index];
    unsigned count = maybe(seed, 60) ? chance(seed, 6) : 0;
    size_t kind;

    if (card->kind_count == 0)
        return;
    kind = card->kinds[chance(seed, card->kind_count)];
    for (unsigned i = 0; i < count && model->thing_count < THINGS; i++) {
        struct option option = {index, chance(seed, card->place_count), kind};
        struct thing thing = {index, option.place, kind, .leased = true};

        thing.shown = maybe(seed, 70);
        thing.leased = !thing.shown || maybe(seed, 80);
        thing.ci = maybe(seed, 50);
        thing.state = thing.shown ? shown[chance(seed, 4)] : hidden[chance(seed, 2)];
        thing.lost = card->vf && !thing.shown && maybe(seed, 30);
        if (thing.lost)
            thing.state = lost[chance(seed, COUNT(lost))];
        if (has_room(model, &option, 1) &&
            !(card->functions && is_claimed(model, index, option.place)) &&
            driver_says(model, &option) > 0)
            model->things[model->thing_count++] = thing;
    }
}

static void
add_groups(struct model *model, uint64_t *seed)
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
            group->kinds[k] = chance(seed, COUNT(kinds));
    }
    model->limit_count = maybe(seed, 40) ? 1 + chance(seed, LIMITS) : 0;
    for (size_t i = 0; i < model->limit_count; i++)
        model->limits[i] =
            (struct limit){chance(seed, GROUPS), chance(seed, 4), patterns[chance(seed, 3)]};
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
        /* whether a place that refuses is one in reserve is anybody's guess */
        model->cards[refused->card].reserve = 0;
    }
}

/* Something of a kind that is there, most of the time: else few requests would be met. */
static size_t
some_kind(const struct model *model, uint64_t *seed)
{
    const struct card *card = &model->cards[chance(seed, (unsigned)model->card_count)];

    return card->kind_count && maybe(seed, 90) ? card->kinds[chance(seed, card->kind_count)]
                                               : chance(seed, COUNT(kinds));
}

/* A device of our own that is there already, as after a start that failed. */
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

static void
add_wish(struct model *model, uint64_t *seed)
{
    static const enum policy_numa numas[] = {POLICY_NUMA_PREFER, POLICY_NUMA_PREFER,
                                             POLICY_NUMA_REQUIRE, POLICY_NUMA_IGNORE};
    struct wish *wish = &model->wishes[model->wish_count++];

    /* often like the one before: so are the requests that are hard */
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
    wish->order = maybe(seed, 70) ? POLICY_PACK : POLICY_SPREAD;
    if (maybe(seed, 25)) {
        wish->card = (int)chance(seed, (unsigned)model->card_count);
        wish->place = -1;
        if (model->cards[wish->card].functions && maybe(seed, 75))
            wish->place = (int)chance(seed, model->cards[wish->card].place_count);
    }
    take_thing(model, seed, wish);
}

static void
make_model(struct model *model, uint64_t seed)
{
    unsigned cards, wishes;

    *model = (struct model){.node = -1};
    cards = 1 + chance(&seed, CARDS);
    for (unsigned i = 0; i < cards; i++) {
        add_card(model, &seed);
        add_things(model, &seed, i);
    }
    add_groups(model, &seed);
    add_refusals(model, &seed);
    if (maybe(&seed, 30))
        model->freedom = maybe(&seed, 50) ? DEMAND_ANY_PLACE : DEMAND_ANY_KIND;
    wishes = 1 + chance(&seed, WISHES);
    for (unsigned i = 0; i < wishes; i++)
        add_wish(model, &seed);
    model->node = (int)chance(&seed, 3) - 1;
    model->ci = maybe(&seed, 50);
}

/* --- the same in our own words ---------------------------------------------------------------- */

struct problem {
    struct inventory inventory;
    struct inventory_gpu gpus[CARDS];
    struct inventory_type types[CARDS][KINDS];
    struct inventory_parent parents[CARDS * PLACES];
    int available[CARDS * PLACES][KINDS];
    struct inventory_vgpu vgpus[THINGS];
    struct ledger ledger;
    struct lease leases[THINGS];
    struct policy policy;
    struct policy_gpu policy_gpus[CARDS];
    char *gpu_types[CARDS][KINDS], *blue;
    struct policy_class classes[GROUPS];
    char *class_types[GROUPS][3];
    struct policy_quota quotas[LIMITS];
    char *patterns[LIMITS];
    struct request request;
    struct request_device devices[WISHES];
    struct request_hostdev hostdevs[WISHES];
    char aliases[WISHES][8];
    struct demands demands;
    struct placement_rejection rejections[REFUSALS * KINDS];
    struct placement_problem whole;
};

#define ME 9

static struct name
device_of(size_t number)
{
    struct name name;

    snprintf(name.text, sizeof(name.text), "dddddddd-0000-4000-8000-%012zu", number);
    return name;
}

/* A function is its own device. */
static struct name
device_on(const struct model *model, size_t card, size_t place, size_t number)
{
    struct name name = device_of(number);

    if (model->cards[card].vf)
        snprintf(name.text, sizeof(name.text), "%s", model->cards[card].places[place]);
    return name;
}

static struct name
domain_of(size_t number)
{
    struct name name;

    snprintf(name.text, sizeof(name.text), "aaaaaaaa-0000-4000-8000-%012zu", number);
    return name;
}

static void
tell_inventory(const struct model *model, struct problem *problem)
{
    struct inventory *inventory = &problem->inventory;

    *inventory = (struct inventory){.gpus = problem->gpus,
                                    .gpu_count = model->card_count,
                                    .parents = problem->parents,
                                    .vgpus = problem->vgpus};
    for (size_t c = 0; c < model->card_count; c++) {
        const struct card *card = &model->cards[c];

        problem->gpus[c] = (struct inventory_gpu){.numa = card->node,
                                                  .types = problem->types[c],
                                                  .count = card->kind_count,
                                                  .is_partial = card->vf};
        memcpy(problem->gpus[c].name.text, card->name, sizeof(card->name));
        for (unsigned k = 0; k < card->kind_count; k++) {
            const struct kind *kind = &kinds[card->kinds[k]];
            struct inventory_type *type = &problem->types[c][k];

            *type = (struct inventory_type){.framebuffer = kind->framebuffer,
                                            .max = card->vf && !card->told ? 0 : kind->max};
            snprintf(type->id.text, sizeof(type->id.text), "%s", kind->id);
            snprintf(type->name, sizeof(type->name), "%s", kind->name);
        }
        for (unsigned place = 0; place < card->place_count; place++) {
            size_t index = inventory->parent_count++;

            problem->parents[index] =
                (struct inventory_parent){.gpu = c,
                                          .interface = card->vf ? &vgpu_vf : &vgpu_mdev,
                                          .available = problem->available[index]};
            memcpy(problem->parents[index].name.text, card->places[place],
                   sizeof(card->places[place]));
            for (unsigned k = 0; k < card->kind_count; k++) {
                struct option option = {c, place, card->kinds[k]};

                problem->available[index][k] = (int)driver_says(model, &option);
            }
        }
    }
}

static size_t
parent_index(const struct model *model, size_t card, size_t place)
{
    for (size_t c = 0; c < card; c++)
        place += model->cards[c].place_count;
    return place;
}

static void
tell_things(const struct model *model, struct problem *problem)
{
    problem->ledger = (struct ledger){.next_claim = 1, .leases = problem->leases};
    for (size_t i = 0; i < model->thing_count; i++) {
        const struct thing *thing = &model->things[i];
        const struct kind *kind = &kinds[thing->kind];
        struct inventory_vgpu vgpu = {.device = device_on(model, thing->card, thing->place, i),
                                      .parent = parent_index(model, thing->card, thing->place)};
        struct lease *lease = &problem->leases[problem->ledger.count];

        snprintf(vgpu.type.text, sizeof(vgpu.type.text), "%s", kind->id);
        if (thing->shown)
            problem->vgpus[problem->inventory.vgpu_count++] = vgpu;
        if (!thing->leased)
            continue;
        problem->ledger.count++;
        *lease = (struct lease){.vgpu = {problem->parents[vgpu.parent].interface, vgpu.device,
                                         vgpu.type, problem->parents[vgpu.parent].name},
                                .framebuffer = kind->framebuffer,
                                .gpu = problem->gpus[thing->card].name,
                                .domain = domain_of(thing->mine ? ME : 1),
                                .state = thing->state,
                                .time = i * 7 % 5};
        snprintf(lease->domain_name, sizeof(lease->domain_name), "%s",
                 thing->ci ? "ci-1" : "web-1");
    }
}

static void
tell_policy(const struct model *model, struct problem *problem)
{
    struct policy *policy = &problem->policy;

    problem->blue = (char *)"blue";
    *policy = (struct policy){.enabled = true,
                              .default_class = (char *)"",
                              .order = POLICY_PACK,
                              .numa = POLICY_NUMA_PREFER,
                              .allow = ~0u,
                              .gpus = problem->policy_gpus,
                              .classes = problem->classes,
                              .class_count = GROUPS,
                              .quotas = problem->quotas,
                              .quota_count = model->limit_count};
    for (size_t c = 0; c < model->card_count; c++) {
        const struct card *card = &model->cards[c];
        struct policy_gpu *gpu = &problem->policy_gpus[policy->gpu_count];

        if (!card->listed)
            continue;
        policy->gpu_count++;
        *gpu = (struct policy_gpu){.address = problem->gpus[c].name,
                                   .types = {problem->gpu_types[c], 0},
                                   .traits = {&problem->blue, card->blue},
                                   .reserve = card->reserve,
                                   .enabled = card->enabled};
        for (unsigned k = 0; k < card->kind_count; k++) {
            if (card->allowed >> k & 1)
                gpu->types.items[gpu->types.count++] = (char *)kinds[card->kinds[k]].word;
        }
    }
    for (size_t i = 0; i < GROUPS; i++) {
        const struct group *group = &model->groups[i];

        problem->classes[i] =
            (struct policy_class){.name = (char *)group->name,
                                  .types = {problem->class_types[i], group->kind_count},
                                  .framebuffer = group->framebuffer};
        for (unsigned k = 0; k < group->kind_count; k++)
            problem->class_types[i][k] = (char *)kinds[group->kinds[k]].name;
    }
    for (size_t i = 0; i < model->limit_count; i++) {
        problem->patterns[i] = (char *)model->limits[i].pattern;
        problem->quotas[i] =
            (struct policy_quota){.domains = {&problem->patterns[i], 1},
                                  .class = (char *)model->groups[model->limits[i].group].name,
                                  .max = model->limits[i].max,
                                  .has_max = true,
                                  .origin = (char *)"vgpu.conf:1"};
    }
}

static void
tell_request(const struct model *model, struct problem *problem)
{
    struct request *request = &problem->request;
    struct error error;

    *request = (struct request){.domain = domain_of(ME),
                                .name = (char *)(model->ci ? "ci-9" : "web-9"),
                                .devices = problem->devices,
                                .device_count = model->wish_count,
                                .hostdevs = problem->hostdevs,
                                .hostdev_count = model->wish_count};
    for (size_t i = 0; i < model->wish_count; i++) {
        const struct wish *wish = &model->wishes[i];

        snprintf(problem->aliases[i], sizeof(problem->aliases[i]), "gpu%zu", i);
        problem->hostdevs[i] = (struct request_hostdev){
            .kind = wish->pci ? REQUEST_PCI : REQUEST_MDEV,
            .source = wish->pci ? device_on(model, wish->on_card, wish->on_place, 0)
                                : device_of(wish->thing < 0 ? 900 + i : (size_t)wish->thing),
            .alias = problem->aliases[i],
            .is_gpu = true,
            .device = i};
        problem->devices[i] = (struct request_device){
            .alias = problem->aliases[i],
            .type = wish->group < 0 ? (char *)kinds[wish->kind].word : NULL,
            .class = wish->group < 0 ? NULL : (char *)model->groups[wish->group].name,
            .placement = (char *)policy_order_words[wish->order],
            .numa = (char *)policy_numa_words[wish->numa],
            .traits = wish->blue ? (char *)(wish->blue > 0 ? "blue" : "!blue") : NULL,
        };
        if (wish->card >= 0)
            problem->devices[i].parent =
                (char *)(wish->place < 0 ? model->cards[wish->card].name
                                         : model->cards[wish->card].places[wish->place]);
    }
    assert_int_equal(resolution_make(request, &problem->policy, &problem->demands, &error), 0);
    assert_int_equal(problem->demands.count, model->wish_count);
    demands_set_free(&problem->demands, model->freedom);
    if (model->node >= 0)
        assert_int_equal(nodeset_add(&problem->demands.nodes, model->node ? "1" : "0"), 0);
}

static void
tell_refusals(const struct model *model, struct problem *problem)
{
    for (size_t i = 0; i < model->refused_count; i++) {
        const struct option *refused = &model->refused[i];
        const struct card *card = &model->cards[refused->card];
        size_t parent = parent_index(model, refused->card, refused->place);

        for (unsigned k = 0; k < card->kind_count; k++) {
            struct placement_rejection *refusal =
                &problem->rejections[problem->whole.rejection_count];

            if (card->kinds[k] != refused->kind && !card->functions)
                continue;
            problem->whole.rejection_count++;
            refusal->parent = problem->parents[parent].name;
            refusal->type = problem->types[refused->card][k].id;
            refusal->error = -EIO;
        }
    }
}

static void
tell(const struct model *model, struct problem *problem)
{
    *problem = (struct problem){.blue = NULL};
    tell_inventory(model, problem);
    tell_things(model, problem);
    tell_policy(model, problem);
    tell_request(model, problem);
    problem->whole = (struct placement_problem){.rejections = problem->rejections,
                                                .request = &problem->request,
                                                .demands = &problem->demands,
                                                .policy = &problem->policy,
                                                .inventory = &problem->inventory,
                                                .ledger = &problem->ledger};
    tell_refusals(model, problem);
}

/* --- what is said when they disagree ---------------------------------------------------------- */

static void
print_option(const struct model *model, const struct option *option)
{
    print_error("%s %s", model->cards[option->card].places[option->place],
                kinds[option->kind].word);
}

static void
print_model(const struct model *model)
{
    for (size_t c = 0; c < model->card_count; c++) {
        const struct card *card = &model->cards[c];

        print_error("%s: %u %s, node %d, pool %u", card->name, card->place_count,
                    card->vf          ? card->told ? "vf, told" : "vf"
                    : card->functions ? "functions"
                                      : "place",
                    card->node, card->pool);
        if (card->listed)
            print_error(", %s, reserve %u, allowed %x%s", card->enabled ? "enabled" : "disabled",
                        card->reserve, card->allowed, card->blue ? ", blue" : "");
        for (unsigned k = 0; k < card->kind_count; k++)
            print_error(", %s", kinds[card->kinds[k]].word);
        print_error("\n");
    }
    for (size_t i = 0; i < model->thing_count; i++) {
        const struct thing *thing = &model->things[i];

        print_error("  %zu: ", i);
        print_option(model, &(struct option){thing->card, thing->place, thing->kind});
        print_error(", %s, %s, %s%s\n", thing->leased ? lease_state_name(thing->state) : "foreign",
                    thing->shown  ? "made"
                    : thing->lost ? "lost"
                                  : "not yet",
                    thing->ci ? "ci-1" : "web-1", thing->mine ? ", mine" : "");
    }
    for (size_t i = 0; i < model->refused_count; i++) {
        print_error("  refused: ");
        print_option(model, &model->refused[i]);
        print_error("\n");
    }
    for (size_t i = 0; i < GROUPS; i++) {
        const struct group *group = &model->groups[i];

        print_error("class %s: %u MiB", group->name, group->framebuffer);
        for (unsigned k = 0; k < group->kind_count; k++)
            print_error(", %s", kinds[group->kinds[k]].word);
        print_error("\n");
    }
    for (size_t i = 0; i < model->limit_count; i++)
        print_error("at most %u of c%zu for %s\n", model->limits[i].max, model->limits[i].group,
                    model->limits[i].pattern);
    print_error("%s, node %d, freedom %d\n", model->ci ? "ci-9" : "web-9", model->node,
                (int)model->freedom);
    for (size_t i = 0; i < model->wish_count; i++) {
        const struct wish *wish = &model->wishes[i];

        print_error("  wants %s on %s, parent %d.%d, blue %d, numa %s, %s, thing %d\n",
                    wish->group < 0 ? kinds[wish->kind].word : model->groups[wish->group].name,
                    wish->pci ? model->cards[wish->on_card].places[wish->on_place] : "any",
                    wish->card, wish->place, wish->blue, policy_numa_words[wish->numa],
                    policy_order_words[wish->order], wish->thing);
    }
}

#define MUST(condition, ...)                                                                       \
    do {                                                                                           \
        if (condition)                                                                             \
            break;                                                                                 \
        print_model(model);                                                                        \
        print_error("SEED=%llu ROUNDS=1: not so: %s; ", (unsigned long long)seed, #condition);     \
        print_error(__VA_ARGS__);                                                                  \
        print_error("\n");                                                                         \
        fail();                                                                                    \
    } while (0)

/* --- properties of one answer ----------------------------------------------------------------- */

static size_t
card_of(const struct model *model, size_t parent, size_t *place)
{
    size_t card = 0;

    for (; parent >= model->cards[card].place_count; card++)
        parent -= model->cards[card].place_count;
    *place = parent;
    return card;
}

static unsigned
rank_of(const struct model *model, const struct wish *wish, size_t kind)
{
    if (wish->group < 0)
        return 0;
    for (unsigned i = 0; i < model->groups[wish->group].kind_count; i++) {
        if (model->groups[wish->group].kinds[i] == kind)
            return i;
    }
    return kinds[kind].framebuffer;
}

/* A lone wish gets the best type there is for it, and of those with it a near GPU. */
static void
check_best(const struct model *model, const struct option *found, uint64_t seed)
{
    const struct wish *wish = &model->wishes[0];
    unsigned rank = rank_of(model, wish, found->kind);
    bool picky = model->node >= 0 && wish->numa != POLICY_NUMA_IGNORE;

    for (size_t c = 0; c < model->card_count && wish->thing < 0; c++) {
        const struct card *card = &model->cards[c];

        for (size_t place = 0; place < card->place_count; place++) {
            for (unsigned k = 0; k < card->kind_count; k++) {
                struct option other = {c, place, card->kinds[k]};

                if (!is_legal(model, &other, 1))
                    continue;
                MUST(rank <= rank_of(model, wish, other.kind), "%s would be better", card->name);
                MUST(!picky || rank < rank_of(model, wish, other.kind) ||
                         is_near(model, found->card) || !is_near(model, c),
                     "%s would be nearer", card->name);
            }
        }
    }
}

static void
check_choices(const struct model *model, const struct problem *problem,
              const struct placement_choice *choices, uint64_t seed)
{
    struct option found[WISHES] = {{0}};

    for (size_t i = 0; i < model->wish_count; i++) {
        const struct placement_choice *choice = &choices[i];

        MUST(choice->parent < problem->inventory.parent_count, "wish %zu", i);
        found[i].card = card_of(model, choice->parent, &found[i].place);
        MUST(choice->type < model->cards[found[i].card].kind_count, "wish %zu", i);
        found[i].kind = model->cards[found[i].card].kinds[choice->type];
        MUST((choice->way == PLACEMENT_CREATE) == (model->wishes[i].thing < 0), "wish %zu", i);
    }
    MUST(is_legal(model, found, model->wish_count), "the first on %s as %s",
         problem->parents[choices[0].parent].name.text, kinds[found[0].kind].word);
    if (model->wish_count == 1)
        check_best(model, &found[0], seed);
}

/* Of the functions that would do instead of the one that the only wish names the first eight are
 * named. */
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
            if (free && find_any(&moved))
                MUST(named == (good++ < 8), "%s: %s", name, text);
            else
                MUST(!named, "%s: %s", name, text);
        }
    }
}

/* Which GPUs there are, and why each of them will not do, or the one of which a function is meant.
 */
static void
check_reasons(const struct model *model, const char *text, uint64_t seed)
{
    if (is_fixed(model, &model->wishes[0])) {
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
    static struct problem problem;
    static struct model settled;
    const struct model *model = &settled;
    struct placement_choice choices[WISHES] = {{0}}, again[WISHES] = {{0}};
    struct error error = {""}, same = {""};
    bool possible = find_any(unsettled);
    int rc;

    settled = *unsettled;
    (void)settle(&settled);
    tell(model, &problem);
    rc = question_find(&problem.whole, choices, &error);
    MUST(rc == 0 || rc == -ENOSPC || rc == -ENOENT || rc == -EEXIST, "%d", rc);
    MUST(!possible || rc == 0, "it is possible, yet: %s", error.text);
    MUST(possible || rc < 0, "it is impossible, yet done: %s",
         rc ? "" : problem.parents[choices[0].parent].name.text);
    if (rc == 0)
        check_choices(model, &problem, choices, seed);
    if (rc == -ENOSPC && model->wish_count == 1)
        check_reasons(model, error.text, seed);
    MUST(question_find(&problem.whole, again, &same) == rc, "%d", rc);
    MUST(!strcmp(same.text, error.text), "%s", same.text);
    MUST(rc < 0 || !memcmp(choices, again, model->wish_count * sizeof(*choices)), "%d", rc);
    demands_clear(&problem.demands);
}

static void
run_rounds(void (*check)(const struct model *model, uint64_t seed))
{
    uint64_t first = number_of("SEED", SEED), rounds = number_of("ROUNDS", ROUNDS);
    static struct model model;

    for (uint64_t i = 0; i < rounds; i++) {
        make_model(&model, first + i);
        check(&model, first + i);
    }
}

static void
a_place_is_found_if_and_only_if_there_is_one(void **state)
{
    (void)state;
    run_rounds(check_answer);
}

/* --- what is reaped --------------------------------------------------------------------------- */

static bool
is_idle(const struct thing *thing)
{
    return thing->leased && thing->shown && !thing->mine &&
           (thing->state == LEASE_KEPT || thing->state == LEASE_LEAVING);
}

/* A lone wish: others' idle vGPUs are given up if that helps, and on a GPU where it helps. */
static void
check_reaping(const struct model *model, uint64_t seed)
{
    static struct problem problem;
    static struct model without;
    struct placement_choice choices[WISHES];
    struct error error;
    bool may_reap[THINGS];
    size_t of_lease[THINGS], victim, leases = 0;
    int rc;

    if (model->wish_count != 1 || find_any(model))
        return;
    tell(model, &problem);
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
    rc = question_find(&problem.whole, choices, &error);
    if (rc != -ENOSPC && !(rc == -EEXIST && is_fixed(model, &model->wishes[0]))) {
        demands_clear(&problem.demands);
        return;
    }
    victim = question_pick_victim(&problem.whole, may_reap);
    MUST(victim == SIZE_MAX || may_reap[victim], "lease %zu", victim);
    MUST(!find_any(&without) || victim != SIZE_MAX, "it would help; %s", error.text);
    /* What a full pool's units are nobody tells, so there it may be in vain. */
    if (victim != SIZE_MAX && !model->cards[model->things[of_lease[victim]].card].pool) {
        /* and not only elsewhere */
        without.wishes[0].card = (int)model->things[of_lease[victim]].card;
        MUST(find_any(&without), "reaped: %zu", of_lease[victim]);
    }
    demands_clear(&problem.demands);
}

static void
what_is_idle_is_reaped_if_and_only_if_it_helps(void **state)
{
    (void)state;
    run_rounds(check_reaping);
}

/* --- sequences of starts and ends, through the hook ------------------------------------------- */

#define GUESTS 6 /* 1 to 3 are those whom a limit calls ci, the others web */
#define STEPS  25

struct town {
    struct scene scene; /* first */
    struct model hosts; /* without things and wishes */
    struct wish wishes[GUESTS][WISHES];
    size_t wish_count[GUESTS];
    bool running[GUESTS];
    size_t foreign, foreign_functions;
    bool keep, trouble;
    /* Functions: whose they are, or were when they had a type; 0: somebody else's. */
    struct owner {
        size_t guest; /* from 1 on */
        bool foreign; /* somebody else made it, so it is his again once the guest ends */
        char type[64];
    } owners[CARDS][PLACES];
};

/* Device k of guest g (from 0) is number 10(g+1)+k; what is nobody's, from 1 on. */
static unsigned
device_number(size_t guest, size_t k)
{
    return (unsigned)(10 * (guest + 1) + k);
}

static char *
machine_of(const struct model *model)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (size_t c = 0; c < model->card_count; c++) {
        const struct card *card = &model->cards[c];

        fprintf(out, "gpu %s rule ", card->name);
        if (card->pool)
            fprintf(out, "pool %u", card->pool);
        else
            fprintf(out, "size");
        if (card->functions)
            fprintf(out, "%s vfs %u", card->vf ? " vf" : "", card->place_count);
        fprintf(out, "\n");
        for (unsigned k = 0; k < card->kind_count; k++) {
            const struct kind *kind = &kinds[card->kinds[k]];

            fprintf(out, "type %s \"%s\" framebuffer %u max %u uses %u\n", kind->id, kind->name,
                    kind->framebuffer, kind->max, kind->units);
        }
    }
    fclose(out);
    return text;
}

/* A list of words, each after what parts it from the one before. */
static void
put_words(FILE *out, const struct card *card)
{
    const char *part = " types = [ ";

    for (unsigned k = 0; k < card->kind_count; k++) {
        if (!(card->allowed >> k & 1))
            continue;
        fprintf(out, "%s\"%s\"", part, kinds[card->kinds[k]].word);
        part = ", ";
    }
    if (card->allowed)
        fprintf(out, " ];");
}

static void
put_group(FILE *out, const struct group *group)
{
    fprintf(out, "%s = { ", group->name);
    if (group->framebuffer)
        fprintf(out, "framebuffer = \"%uM\"; };\n", group->framebuffer);
    else
        fprintf(out, "types = [ ");
    for (unsigned k = 0; k < group->kind_count; k++)
        fprintf(out, "\"%s\"%s", kinds[group->kinds[k]].id,
                k + 1 < group->kind_count ? ", " : " ]; };\n");
}

/* What the driver of functions does not tell; else each of its rejections takes a second. */
static void
put_limits(FILE *out)
{
    const char *part = "max_instances = (";

    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (strcmp(kinds[i].board, "L40S"))
            continue;
        fprintf(out, "%s { types = [ \"%s\" ]; max = %u; }", part, kinds[i].word, kinds[i].max);
        part = ",";
    }
    fprintf(out, " );\n");
}

static char *
configuration_of(const struct town *town)
{
    const struct model *model = &town->hosts;
    const char *part = "gpus = (";
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out, "release = \"%s\"; %s\n", town->keep ? "keep" : "reap",
            town->trouble ? "release_timeout = \"1s\"; prepare_timeout = \"400ms\";"
                          : "release_timeout = \"20s\";");
    for (size_t c = 0; c < model->card_count; c++) {
        const struct card *card = &model->cards[c];

        if (!card->listed)
            continue;
        fprintf(out, "%s { address = \"%s\"; enabled = %s; reserve = %u; traits = [ %s ];", part,
                card->name, card->enabled ? "true" : "false", card->reserve,
                card->blue ? "\"blue\"" : "");
        put_words(out, card);
        fprintf(out, " }");
        part = ",\n";
    }
    fprintf(out, "%s\n", *part == ',' ? " );" : "");
    put_limits(out);
    fprintf(out, "classes = {\n");
    for (size_t i = 0; i < GROUPS; i++)
        put_group(out, &model->groups[i]);
    fprintf(out, "};\n");
    for (size_t i = 0; i < model->limit_count; i++) {
        const struct limit *limit = &model->limits[i];

        fprintf(out, "%s { domains = [ \"%s\" ]; class = \"%s\"; max = %u; }",
                i ? "," : "quotas = (",
                *limit->pattern == '*'   ? "*"
                : *limit->pattern == 'c' ? "guest[123]"
                                         : "guest[456]",
                model->groups[limit->group].name, limit->max);
    }
    fprintf(out, "%s\n", model->limit_count ? " );" : "");
    fclose(out);
    return text;
}

/* Somebody else's, with which a guest that names its function may start. */
static void
add_foreign(struct town *town, uint64_t *chances)
{
    size_t index = chance(chances, (unsigned)town->hosts.card_count);
    const struct card *card = &town->hosts.cards[index];
    size_t *count = card->vf ? &town->foreign_functions : &town->foreign;

    if (!maybe(chances, 30) ||
        fake_make(&town->scene.kernel, card->places[0], kinds[card->kinds[0]].id,
                  scene_device((unsigned)town->foreign + 1)) < 0)
        return;
    ++*count;
    town->owners[index][0].foreign = card->vf;
}

static void
set_up_town(struct town *town, uint64_t seed, bool trouble)
{
    AUTO_FREE char *machine = NULL, *configuration = NULL;
    uint64_t chances = seed;
    unsigned cards = 1 + chance(&chances, CARDS);

    *town = (struct town){.keep = maybe(&chances, 50), .trouble = trouble};
    for (unsigned i = 0; i < cards; i++) {
        add_card(&town->hosts, &chances);
        /* a GPU without types is no parent */
        if (town->hosts.cards[i].kind_count == 0)
            town->hosts.cards[i].kinds[town->hosts.cards[i].kind_count++] =
                town->hosts.cards[i].vf ? 11 : 2;
        town->hosts.cards[i].node = -1;
        town->hosts.cards[i].told = true;
    }
    town->hosts.node = -1;
    add_groups(&town->hosts, &chances);
    for (size_t g = 0; g < GUESTS; g++) {
        struct model wishes = town->hosts;
        unsigned count = 1 + chance(&chances, 3);

        for (unsigned i = 0; i < count; i++)
            add_wish(&wishes, &chances);
        memcpy(town->wishes[g], wishes.wishes, sizeof(wishes.wishes));
        town->wish_count[g] = wishes.wish_count;
    }
    machine = machine_of(&town->hosts);
    configuration = configuration_of(town);
    scene_start(&town->scene, machine);
    fake_write(&town->scene.kernel, "etc/libvirt-vgpu/vgpu.conf", configuration);
    /* What functions list is seen once, so that a type of which they are full has a name. */
    assert_int_equal(scene_prepare(&town->scene, GUESTS + 1, 1, "no such type"), 1);
    for (unsigned i = 0; i < 2; i++)
        add_foreign(town, &chances);
}

static struct thing
thing_of(const char *id)
{
    struct thing thing = {.leased = true, .shown = true, .state = LEASE_HELD};

    while (strcmp(kinds[thing.kind].id, id))
        thing.kind++;
    return thing;
}

/* Where a mediated device is, if it is anywhere. */
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

/* What a guest has for a wish. */
static bool
find_own(const struct town *town, size_t guest, size_t k, struct thing *ret)
{
    const struct wish *wish = &town->wishes[guest][k];

    if (!wish->pci)
        return find_device(town, device_number(guest, k), ret);
    return find_function(town, wish->on_card, wish->on_place, ret) &&
           town->owners[wish->on_card][wish->on_place].guest == guest + 1;
}

/* Functions: somebody else's, those of guests that run, its own, and if `kept` what was left for
 * others on those that it names. */
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
                         wants(model, wish, thing.kind);
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
 * The hosts as they will be for a guest once all is gone that it does not need: others' kept ones,
 * and those of its own that it has no use for; or all of its own, if not `own`.
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
    const char *sources[WISHES + 1] = {NULL};
    AUTO_FREE char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (size_t k = 0; k < town->wish_count[guest]; k++) {
        const struct wish *wish = &town->wishes[guest][k];
        const struct card *card = wish->card < 0 ? NULL : &town->hosts.cards[wish->card];

        sources[k] = wish->pci ? town->hosts.cards[wish->on_card].places[wish->on_place]
                               : scene_device(device_number(guest, k));
        fprintf(out, "<vgpu:device alias=\"ua-gpu%zu\" placement=\"%s\" numa=\"%s\"", k + 1,
                policy_order_words[wish->order], policy_numa_words[wish->numa]);
        if (wish->group < 0)
            fprintf(out, " type=\"%s\"", kinds[wish->kind].name);
        else
            fprintf(out, " class=\"%s\"", town->hosts.groups[wish->group].name);
        if (card)
            fprintf(out, " parent=\"%s\"",
                    wish->place < 0 ? card->name : card->places[wish->place]);
        if (wish->blue)
            fprintf(out, " traits=\"%s\"", wish->blue > 0 ? "blue" : "!blue");
        fprintf(out, "/>");
    }
    fclose(out);
    return scene_xml_of((unsigned)guest + 1, text, sources);
}

/* What is true after every step: the ledger has what there is, and each guest all or none. */
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
            MUST(obeys_rules(&town->hosts, &town->wishes[g][k],
                             &(struct option){thing.card, thing.place, thing.kind}),
                 "%u is %s on %s", device_number(g, k), kinds[thing.kind].word,
                 town->hosts.cards[thing.card].places[thing.place]);
        }
    }
}

/* Whose a function is by now, and with which type: not somebody else's that it only uses. */
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
    possible = find_any(&other);
    /* It may have a device that a quota forbids it by now, and get another. */
    look_around(town, guest, false, false, &other);
    thinkable = find_any(&other);
    look_around(town, guest, true, true, &around);
    possible = possible || find_any(&around);
    status = scene_hook(&town->scene, xml, "prepare", "begin");
    MUST(!possible || status == 0, "guest%zu: %s", guest + 1, town->scene.said);
    MUST(possible || thinkable || status == 1, "guest%zu", guest + 1);
    /* what was given up in vain */
    MUST(possible || thinkable || town->wish_count[guest] > 1 ||
             scene_leases(&town->scene, "kept") == kept,
         "%zu kept ones instead of %zu; %s", scene_leases(&town->scene, "kept"), kept,
         town->scene.said);
    town->running[guest] = status == 0;
    if (status == 0)
        take_functions(town, guest);
    check_town(town, model, seed);
}

/* What was somebody else's is his again. */
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

/* All guests end, and what was kept for them goes at their next, hopeless, start. */
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

static void
guests_come_and_go(void **state)
{
    uint64_t first = number_of("SEED", SEED);
    uint64_t count = 1 + number_of("ROUNDS", ROUNDS) / ROUNDS_PER_SEQUENCE;
    static struct town town;

    (void)state;
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

/* --- and with a kernel that gives trouble ----------------------------------------------------- */

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

/* Whoever runs has all that it got when it started. */
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
                                       kinds[thing.kind].id),
                 "guest%zu has another device %zu", g + 1, k);
        }
    }
}

/* Nobody can say what must succeed then; but half a guest there never is, nor a device too many. */
static void
guests_come_and_go_in_trouble(void **state)
{
    uint64_t first = number_of("SEED", SEED);
    uint64_t count = 1 + number_of("ROUNDS", ROUNDS) / ROUNDS_PER_TROUBLE;
    static struct town town;

    (void)state;
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_is_found_if_and_only_if_there_is_one),
        cmocka_unit_test(what_is_idle_is_reaped_if_and_only_if_it_helps),
        cmocka_unit_test(guests_come_and_go),
        cmocka_unit_test(guests_come_and_go_in_trouble),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
