/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What a GPU's room says of random hosts, held to what the fake kernel's rules would let be made:
 * of the host as it is, and after each step of putting and dropping vGPUs. How to repeat a failure
 * is in chance.h.
 */

#include "fake/chance.h"
#include "placement/gpu-room.h"
#include "placement/model-problem.h"

#include <string.h>

#define STEPS 8

/* A GPU of the model, with the room that is to say the same. */
struct played {
    struct model model; /* with all that is put, without what is dropped */
    size_t card;
    const struct inventory *inventory;
    struct gpu_load room;
    size_t vgpus[THINGS]; /* per thing: its vGPU in the inventory; SIZE_MAX: it was put */
};

/* How many more of a kind can be made, one after another. */
static unsigned
count_makable(const struct model *model, size_t card, size_t kind)
{
    static struct model then;
    unsigned count = 0;
    bool more = true;

    then = *model;
    while (more && then.thing_count < THINGS) {
        more = false;
        for (size_t place = 0; !more && place < then.cards[card].place_count; place++) {
            const struct option option = {card, place, kind};

            if (model_driver_says(&then, &option) == 0)
                continue;
            then.things[then.thing_count++] =
                (struct thing){.card = card, .place = place, .kind = kind, .shown = true};
            count++;
            more = true;
        }
    }
    return count;
}

/* Whether the largest type of a card is known, which has all of it: an idle card lists that. Else a
 * maximum that follows from sizes is too low. */
static bool
knows_largest(const struct card *card)
{
    bool found = !card->vf || card->told || card->memory;

    for (unsigned k = 0; k < card->kind_count; k++)
        found |= model_kinds[card->kinds[k]].max == 1;
    return found;
}

static void
check_bounds(const struct played *played, const char *step, uint64_t seed)
{
    const struct model *model = &played->model;
    const struct card *card = &model->cards[played->card];

    for (unsigned k = 0; k < card->kind_count; k++) {
        const struct bounds left = gpu_room_left(&played->room, k, NULL);
        unsigned real = count_makable(model, played->card, card->kinds[k]);

        MUST(left.least <= left.most, "%s: %s on %s: %u..%u", step,
             model_kinds[card->kinds[k]].word, card->name, left.least, left.most);
        MUST(left.least <= real && (real <= left.most || !knows_largest(card)),
             "%s: %s on %s: %u..%u, and %u can be made", step, model_kinds[card->kinds[k]].word,
             card->name, left.least, left.most, real);
    }
}

/* Puts a vGPU where there is a place for it. */
static void
put(struct played *played, uint64_t *seed)
{
    struct model *model = &played->model;
    const struct card *card = &model->cards[played->card];
    const unsigned k = chance(seed, card->kind_count);
    const struct option option = {played->card, chance(seed, card->place_count), card->kinds[k]};
    struct load_use use = {.type = k};

    if (model_driver_says(model, &option) == 0 || model->thing_count + 1 >= THINGS)
        return;
    for (size_t i = 0; i < played->card; i++)
        use.parent += model->cards[i].place_count;
    use.parent += option.place;
    played->vgpus[model->thing_count] = SIZE_MAX;
    model->things[model->thing_count++] = (struct thing){
        .card = option.card, .place = option.place, .kind = option.kind, .shown = true};
    gpu_load_put(&played->room, &use);
}

/* Drops one that was there from the beginning. */
static void
drop(struct played *played, uint64_t *seed)
{
    struct model *model = &played->model;
    size_t index = model->thing_count ? chance(seed, (unsigned)model->thing_count) : 0;

    if (!model->thing_count || model->things[index].card != played->card ||
        played->vgpus[index] == SIZE_MAX)
        return;
    gpu_load_drop(&played->room, played->vgpus[index]);
    model->thing_count--;
    memmove(&model->things[index], &model->things[index + 1],
            (model->thing_count - index) * sizeof(*model->things));
    memmove(&played->vgpus[index], &played->vgpus[index + 1],
            (model->thing_count - index) * sizeof(*played->vgpus));
}

static void
play(struct played *played, uint64_t *seed, uint64_t first)
{
    const struct model model = played->model;
    size_t vgpus[THINGS];

    memcpy(vgpus, played->vgpus, sizeof(vgpus));
    check_bounds(played, "as it is", first);
    for (int i = 0; i < STEPS; i++) {
        if (maybe(seed, 50))
            put(played, seed);
        else
            drop(played, seed);
        check_bounds(played, "after steps", first);
    }
    gpu_load_rewind(&played->room, 0);
    played->model = model;
    memcpy(played->vgpus, vgpus, sizeof(vgpus));
    check_bounds(played, "all taken back", first);
}

/* What is on the host is there, and to be seen, as far as its drivers would have made it. */
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
        gpu_load_init(&played.room, played.inventory, card, LOAD_NOW);
        play(&played, &seed, first);
        gpu_load_clear(&played.room);
    }
    model_problem_clear(&problem);
}

static void
the_room_is_what_the_kernel_would_make(void **state)
{
    uint64_t first = chance_setting("SEED", SEED), rounds = chance_rounds(ROUNDS);
    static struct model model;

    (void)state;
    for (uint64_t i = 0; i < rounds; i++) {
        model_make(&model, first + i);
        check_host(&model, first + i);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_room_is_what_the_kernel_would_make),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
