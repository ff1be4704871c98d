/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The figures of a GPU's room on random hosts are compared with the fake kernel's rules. This is
 * done for the host as it is, and after each step that puts or drops vGPUs. chance.h says how to
 * repeat a failure.
 */

#include "fake/chance.h"
#include "placement/gpu-room.h"
#include "placement/model-problem.h"

#include <string.h>

#define STEPS 8

/* The room's figures for one kind: on the whole card, and in each place. */
struct saying {
    struct bounds left, at[PLACES];
};

/* A GPU of the model, and its room. Both must give the same figures. */
struct played {
    struct model model; /* with all vGPUs that were put, and without those that were dropped */
    size_t card;
    const struct inventory *inventory;
    struct gpu_load load;
    size_t vgpus[THINGS]; /* each thing's vGPU in the inventory; SIZE_MAX: the test put the thing */
    unsigned freed[KIND_COUNT], put[KIND_COUNT]; /* how many of each kind were dropped, and put */
    bool lacks[KIND_COUNT]; /* kinds that no function offered at first, though one was free */
    size_t drops;
};

/* --- vGPUs that can be made ------------------------------------------------------------------- */

/* Does the administrator allow one more vGPU of a kind on a card? */
static bool
is_allowed(const struct model *model, size_t card, size_t kind)
{
    unsigned most = model->cards[card].vf ? model->configured[kind] : 0, taken = 0;

    for (size_t i = 0; i < model->thing_count; i++)
        taken += model_counts(model, &model->things[i], card, kind);
    return most == 0 || taken < most;
}

/* How many more vGPUs of a kind can be made in the place `only`, one after the other. SIZE_MAX: in
 * all places. */
static unsigned
count_makable(const struct model *model, size_t card, size_t kind, size_t only)
{
    static struct model then;
    unsigned count = 0;
    bool more = true;

    then = *model;
    while (more && then.thing_count < THINGS) {
        more = false;
        for (size_t place = 0; !more && place < then.cards[card].place_count; place++) {
            const struct option option = {card, place, kind};

            if ((only != SIZE_MAX && only != place) || model_driver_says(&then, &option) == 0 ||
                !is_allowed(&then, card, kind))
                continue;
            then.things[then.thing_count++] =
                (struct thing){.card = card, .place = place, .kind = kind, .shown = true};
            count++;
            more = true;
        }
    }
    return count;
}

/* --- facts that can be known ------------------------------------------------------------------ */

/* Does the program know the largest type of a card, which takes the whole card? An idle card lists
 * it. Without it a maximum that follows from sizes is too low. */
static bool
knows_largest(const struct card *card)
{
    for (unsigned k = 0; k < card->kind_count; k++) {
        if (model_kinds[card->kinds[k]].max == 1 && !model_kinds[card->kinds[k]].slices)
            return true;
    }
    return false;
}

/* Has a kind surely no GPU instance? Either the driver told of no free instance, and every dropped
 * instance of its size is used again. Or the card is not partitioned. */
static bool
has_none(const struct played *played, size_t kind)
{
    const struct card *card = &played->model.cards[played->card];

    if (!model_kinds[kind].slices)
        return card->partitioned;
    return !card->partitioned || (played->lacks[kind] && played->freed[kind] <= played->put[kind]);
}

/* Does the room know the exact maximum of a kind? If not, its figure is never too low. */
static bool
knows_most(const struct played *played, unsigned k)
{
    const struct card *card = &played->model.cards[played->card];
    size_t kind = card->kinds[k];

    if (has_none(played, kind))
        return true;
    if (model_kinds[kind].slices)
        return false;
    if (card->pool)
        return played->drops == 0;
    return !card->vf || card->memory || card->lent || played->model.configured[kind] ||
           (knows_largest(card) && card->calculated[k]);
}

static unsigned
count_made(const struct played *played)
{
    unsigned made = 0;

    for (size_t i = 0; i < played->model.thing_count; i++)
        made += played->model.things[i].card == played->card;
    return made;
}

/* Does the room know the exact number that is sure? Some drivers take one type at a time, and no
 * file tells. So if another type went and others stay, the number may be lower. */
static bool
knows_least(const struct played *played, unsigned k)
{
    const struct card *card = &played->model.cards[played->card];
    size_t kind = card->kinds[k];

    if (has_none(played, kind))
        return true;
    if (model_kinds[kind].slices || (card->memory && !card->xe))
        return false;
    if (card->pool || (card->vf && !card->lent && !card->xe))
        return played->drops == 0 && (card->pool || played->model.configured[kind]);
    return card->lent || card->xe || played->drops == 0 || played->freed[kind] ||
           count_made(played) == 0;
}

/* --- the room's figures are checked ----------------------------------------------------------- */

/* A place of the model, for the k-th kind of its card. */
static struct place
place_of(const struct played *played, size_t place, unsigned k)
{
    const struct inventory_gpu *gpu = played->inventory->gpus[played->card];

    return (struct place){gpu->parents[place], &gpu->types[k]};
}

/* The number of vGPUs of a kind that must be sure, even if nothing else is known. If nothing was
 * put, this number is one if the card is empty now, or if a vGPU of the kind was dropped there. */
static unsigned
promised(const struct played *played, size_t kind)
{
    return played->load.puts == 0 &&
           (played->freed[kind] || (count_made(played) == 0 && !model_kinds[kind].slices));
}

static void
check(const struct played *played, unsigned k, size_t place, const struct bounds *said,
      const char *step, uint64_t seed)
{
    const struct model *model = &played->model;
    const struct card *card = &model->cards[played->card];
    unsigned real = count_makable(model, played->card, card->kinds[k], place);
    const char *where = place == SIZE_MAX ? card->name : card->places[place];
    bool now = played->load.time == LOAD_NOW, as_it_is = now && played->load.step_count == 0;
    bool largest = !card->vf || card->memory || card->lent || knows_largest(card) ||
                   model_kinds[card->kinds[k]].slices || model->configured[card->kinds[k]];

    MUST(said->least <= said->most, "%s: %s on %s: %u..%u", step, model_kinds[card->kinds[k]].word,
         where, said->least, said->most);
    MUST(said->least <= real, "%s: %s on %s: %u..%u, and %u can be made", step,
         model_kinds[card->kinds[k]].word, where, said->least, said->most, real);
    MUST(real <= said->most || !largest, "%s: %s on %s: %u..%u, and %u can be made", step,
         model_kinds[card->kinds[k]].word, where, said->least, said->most, real);
    if (now && real >= promised(played, card->kinds[k]))
        MUST(said->least >= promised(played, card->kinds[k]), "%s: %s on %s: %u..%u", step,
             model_kinds[card->kinds[k]].word, where, said->least, said->most);
    if (now && knows_most(played, k))
        MUST(said->most == real, "%s: %s on %s: %u..%u, and %u can be made", step,
             model_kinds[card->kinds[k]].word, where, said->least, said->most, real);
    if ((now && knows_least(played, k)) || (as_it_is && place != SIZE_MAX))
        MUST(said->least == real, "%s: %s on %s: %u..%u, and %u can be made", step,
             model_kinds[card->kinds[k]].word, where, said->least, said->most, real);
}

/* Is this limit the driver's maximum for vGPUs of all sizes? */
static bool
is_of_any_size(const struct limit *limit)
{
    return limit->source == LIMIT_CALCULATED && !limit->is_enough && !limit->is_memory;
}

/* The rest of each limit is its total without the used parts. */
static void
check_limits(const struct played *played, const char *step, uint64_t seed)
{
    const struct model *model = &played->model;
    const struct card *card = &model->cards[played->card];
    const struct inventory_gpu *gpu = played->inventory->gpus[played->card];

    for (size_t i = 0; i < gpu->limit_count; i++) {
        const struct limit *limit = &gpu->limits[i];
        struct bounds rest = gpu_room_rest(&played->load, i);
        bool is_ceiling = is_of_any_size(limit);
        uint64_t total = card->memory ? card->memory : gpu->framebuffer, used = 0;
        unsigned k = 0;

        while (!limit->binds[k])
            k++;
        if (is_ceiling)
            total = model_ceiling(card);
        else if (!limit->is_memory)
            total = model_maximum(model, played->card, k);
        for (size_t t = 0; t < model->thing_count; t++) {
            const struct thing *thing = &model->things[t];

            if (is_ceiling)
                used += thing->card == played->card && !model_kinds[thing->kind].slices;
            else if (!limit->is_memory)
                used += model_counts(model, thing, played->card, card->kinds[k]);
            else if (thing->card == played->card)
                used += model_kinds[thing->kind].framebuffer;
        }
        MUST(limit->total == total, "%s: of %s there are %llu, not %llu", step, limit->unit,
             (unsigned long long)limit->total, (unsigned long long)total);
        MUST(rest.least == rest.most && rest.most == (total > used ? total - used : 0),
             "%s: %s of %s: %u..%u of %llu are left, and %llu are taken", step, limit->unit,
             model_kinds[card->kinds[k]].word, rest.least, rest.most, (unsigned long long)total,
             (unsigned long long)used);
    }
}

static void
ask(const struct played *played, struct saying *said)
{
    const struct card *card = &played->model.cards[played->card];

    for (unsigned k = 0; k < card->kind_count; k++) {
        said[k] = (struct saying){
            .left = gpu_room_left(&played->load, place_of(played, 0, k).type, NULL)};
        for (size_t i = 0; i < card->place_count; i++) {
            const struct place place = place_of(played, i, k);

            said[k].at[i] = gpu_room_at(&played->load, &place);
        }
    }
}

static void
check_bounds(const struct played *played, const char *step, struct saying *said, uint64_t seed)
{
    const struct card *card = &played->model.cards[played->card];

    ask(played, said);
    for (unsigned k = 0; k < card->kind_count; k++) {
        check(played, k, SIZE_MAX, &said[k].left, step, seed);
        for (size_t place = 0; place < card->place_count; place++)
            check(played, k, place, &said[k].at[place], step, seed);
    }
    check_limits(played, step, seed);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Puts a vGPU in a place that has room. */
static void
put(struct played *played, uint64_t *seed)
{
    struct model *model = &played->model;
    const struct card *card = &model->cards[played->card];
    const unsigned k = chance(seed, card->kind_count);
    const struct option option = {played->card, chance(seed, card->place_count), card->kinds[k]};
    const struct load_use use = {place_of(played, option.place, k), 0};

    if (model_driver_says(model, &option) == 0 || !is_allowed(model, played->card, option.kind) ||
        model->thing_count + 1 >= THINGS)
        return;
    played->vgpus[model->thing_count] = SIZE_MAX;
    model->things[model->thing_count++] = (struct thing){
        .card = option.card, .place = option.place, .kind = option.kind, .shown = true};
    played->put[option.kind]++;
    gpu_load_put(&played->load, &use);
}

/* Drops a vGPU that was there from the beginning. */
static void
drop(struct played *played, uint64_t *seed)
{
    struct model *model = &played->model;
    size_t index = model->thing_count ? chance(seed, (unsigned)model->thing_count) : 0;

    if (!model->thing_count || model->things[index].card != played->card ||
        played->vgpus[index] == SIZE_MAX)
        return;
    gpu_load_drop(&played->load, played->inventory->vgpus[played->vgpus[index]]);
    played->drops++;
    played->freed[model->things[index].kind]++;
    model->thing_count--;
    memmove(&model->things[index], &model->things[index + 1],
            (model->thing_count - index) * sizeof(*model->things));
    memmove(&played->vgpus[index], &played->vgpus[index + 1],
            (model->thing_count - index) * sizeof(*played->vgpus));
}

static bool
is_same(const struct bounds *a, const struct bounds *b)
{
    return a->least == b->least && a->most == b->most && a->why == b->why && a->error == b->error;
}

/* Undoes the steps after a mark. Afterwards the room gives the figures that it gave at the mark. */
static void
go_back(struct played *played, size_t mark, const struct saying *then, uint64_t seed)
{
    const struct model *model = &played->model;
    const struct card *card = &model->cards[played->card];
    struct saying said[KINDS];

    gpu_load_rewind(&played->load, mark);
    ask(played, said);
    for (unsigned k = 0; k < card->kind_count; k++) {
        MUST(is_same(&said[k].left, &then[k].left), "taken back: %s on %s: %u..%u, not %u..%u",
             model_kinds[card->kinds[k]].word, card->name, said[k].left.least, said[k].left.most,
             then[k].left.least, then[k].left.most);
        for (size_t place = 0; place < card->place_count; place++)
            MUST(is_same(&said[k].at[place], &then[k].at[place]), "taken back: %s on %s",
                 model_kinds[card->kinds[k]].word, card->places[place]);
    }
}

/* Plays all steps, and undoes them. Some steps are undone together. */
static void
play(struct played *played, uint64_t *seed, uint64_t first)
{
    static struct played before;
    struct saying said[STEPS + 1][KINDS];
    size_t marks[STEPS + 1];

    before = *played;
    for (int i = 0; i < STEPS; i++) {
        marks[i] = played->load.step_count;
        check_bounds(played, i ? "after steps" : "as it is", said[i], first);
        if (maybe(seed, 50))
            put(played, seed);
        else
            drop(played, seed);
    }
    check_bounds(played, "after steps", said[STEPS], first);
    for (int i = STEPS - 1; i >= 0; i--) {
        if (i == 0 || maybe(seed, 50))
            go_back(played, marks[i], said[i], first);
    }
    before.load = played->load;
    *played = before;
    check_bounds(played, "all taken back", said[0], first);
}

/* Makes the host's things visible, as far as its drivers would have made them. */
static void
show_all(struct model *model)
{
    size_t count = model->thing_count;

    model->thing_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct thing thing = model->things[i];
        const struct option option = {thing.card, thing.place, thing.kind};

        thing.shown = true;
        thing.leased = thing.lost = false;
        if (model_driver_says(model, &option) > 0)
            model->things[model->thing_count++] = thing;
    }
    model->wish_count = 0;
    model->refused_count = 0;
    model_calculate(model);
}

/* Finds the kinds that no function offers, although a function is free and could offer them. */
static void
find_lacking(struct played *played)
{
    const struct model *model = &played->model;
    const struct card *card = &model->cards[played->card];
    unsigned made = 0;

    for (size_t i = 0; i < model->thing_count; i++)
        made += model->things[i].card == played->card;
    for (unsigned k = 0; k < card->kind_count; k++) {
        bool offered = false;

        for (size_t place = 0; place < card->place_count; place++) {
            const struct option option = {played->card, place, card->kinds[k]};

            offered |= model_driver_says(model, &option) > 0;
        }
        played->lacks[card->kinds[k]] = !offered && made < card->place_count;
    }
}

static void
check_host(struct model *model, uint64_t first)
{
    static struct model_problem problem;
    static struct played played;
    uint64_t seed = first;

    show_all(model);
    model_problem_make(model, &problem);
    for (size_t card = 0; card < model->card_count; card++) {
        played = (struct played){
            .model = *model, .card = card, .inventory = &problem.snapshot.inventory};
        for (size_t i = 0; i < model->thing_count; i++)
            played.vgpus[i] = i;
        if (model->cards[card].kind_count == 0)
            continue;
        find_lacking(&played);
        gpu_load_init(&played.load, played.inventory->gpus[card],
                      maybe(&seed, 80) ? LOAD_NOW : LOAD_EVER);
        play(&played, &seed, first);
        gpu_load_clear(&played.load);
    }
    model_problem_clear(&problem);
}

UNIT_TEST(the_room_is_what_the_kernel_would_make)
{
    uint64_t first = chance_setting("SEED", SEED), rounds = chance_rounds(ROUNDS);
    static struct model model;

    for (uint64_t i = 0; i < rounds; i++) {
        model_make(&model, first + i);
        check_host(&model, first + i);
    }
}
