/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/model.h"
#include "placement/model-problem.h"

#include <string.h>

const struct kind model_kinds[KIND_COUNT] = {
    {"T4", "nvidia-222", "GRID T4-1B", "T4-1B", 1024, 16, 0, 0, 0},
    {"T4", "nvidia-230", "GRID T4-1Q", "T4-1Q", 1024, 16, 0, 0, 0},
    {"T4", "nvidia-231", "GRID T4-2Q", "T4-2Q", 2048, 8, 0, 0, 0},
    {"T4", "nvidia-232", "GRID T4-4Q", "T4-4Q", 4096, 4, 0, 0, 0},
    {"T4", "nvidia-233", "GRID T4-8Q", "T4-8Q", 8192, 2, 0, 0, 0},
    {"T4", "nvidia-234", "GRID T4-16Q", "T4-16Q", 16384, 1, 0, 0, 0},
    {"A40", "nvidia-562", "NVIDIA A40-8Q", "A40-8Q", 8192, 6, 0, 0, 0},
    {"A40", "nvidia-572", "NVIDIA A40-8A", "A40-8A", 8192, 6, 0, 0, 0},
    {"A40", "nvidia-564", "NVIDIA A40-16Q", "A40-16Q", 16384, 3, 0, 0, 0},
    {"A40", "nvidia-565", "NVIDIA A40-24Q", "A40-24Q", 24576, 2, 0, 0, 0},
    {"A40", "nvidia-566", "NVIDIA A40-48Q", "A40-48Q", 49152, 1, 0, 0, 0},
    {"L40S", "nvidia-1152", "NVIDIA L40S-8Q", "L40S-8Q", 8192, 6, 0, 0, 0},
    {"L40S", "nvidia-1151", "NVIDIA L40S-6Q", "L40S-6Q", 6144, 8, 0, 0, 0},
    {"L40S", "nvidia-1154", "NVIDIA L40S-16Q", "L40S-16Q", 16384, 3, 0, 0, 0},
    {"L40S", "nvidia-1155", "NVIDIA L40S-24Q", "L40S-24Q", 24576, 2, 0, 0, 0},
    {"L40S", "nvidia-1156", "NVIDIA L40S-48Q", "L40S-48Q", 49152, 1, 0, 0, 0},
    {"PRO", "nvidia-1518", "NVIDIA PRO-2B", "PRO-2B", 2048, 2, 0, 0, 2},
    {"PRO", "nvidia-1521", "NVIDIA PRO-4Q", "PRO-4Q", 4096, 2, 0, 0, 2},
    {"PRO", "nvidia-1522", "NVIDIA PRO-8Q", "PRO-8Q", 8192, 2, 0, 0, 2},
    {"PRO", "nvidia-1523", "NVIDIA PRO-16Q", "PRO-16Q", 16384, 1, 0, 0, 2},
    {"B60", "b60-2g", "b60-2g", "b60-2g", 2048, 0, 0, 0, 0},
    {"B60", "b60-4g", "b60-4g", "b60-4g", 4096, 0, 0, 0, 0},
    {"B60", "b60-6g", "b60-6g", "b60-6g", 6144, 0, 0, 0, 0},
    {"A30", "nvidia-686", "NVIDIA A30-6C", "A30-6C", 6144, 4, 0, 0, 0},
    {"A30", "nvidia-687", "NVIDIA A30-12C", "A30-12C", 12288, 2, 0, 0, 0},
    {"A30", "nvidia-688", "NVIDIA A30-24C", "A30-24C", 24576, 1, 0, 0, 0},
    {"A30", "nvidia-689", "NVIDIA A30-1-6C", "A30-1-6C", 6144, 4, 0, 1, 0},
    {"A30", "nvidia-690", "NVIDIA A30-2-12C", "A30-2-12C", 12288, 2, 0, 2, 0},
    {"A30", "nvidia-691", "NVIDIA A30-4-24C", "A30-4-24C", 24576, 1, 0, 4, 0},
    {"V710", "amd-small", "amd-small", "amd-small", 0, 0, 0, 0, 0},
    {"V710", "amd-large", "amd-large", "amd-large", 8192, 0, 0, 0, 0},
    {"mtty", "mtty-1", "Single port serial", "Single port serial", 0, 0, 1, 0, 0},
    {"mtty", "mtty-2", "Dual port serial", "Dual port serial", 0, 0, 2, 0, 0},
};

/* For a card with a common memory: is there room for this many more MiB, beside the vGPUs that
 * exist or are being made? */
static bool
has_memory(const struct model *model, size_t card, uint64_t more)
{
    for (size_t i = 0; i < model->thing_count; i++) {
        const struct thing *thing = &model->things[i];

        if (thing->card == card && !thing->lost)
            more += model_kinds[thing->kind].framebuffer;
    }
    return model->cards[card].memory == 0 || more <= model->cards[card].memory;
}

/* Do all vGPUs of a card have one frame-buffer size? */
static bool
has_one_size(const struct card *card)
{
    return !card->pool && !card->memory && !card->lent && !card->partitioned;
}

/* The function of the card has no vGPU. Does the card have a free instance of the kind's size? */
static bool
has_instance(const struct model *model, const struct option *option)
{
    const struct card *card = &model->cards[option->card];
    unsigned made = 0, k = 0;

    while (card->kinds[k] != option->kind)
        k++;
    for (size_t i = 0; i < model->thing_count; i++)
        made += model->things[i].shown && model->things[i].card == option->card &&
                model->things[i].kind == option->kind;
    return made < card->instances[k];
}

/* The same for a card with vGPUs of one size. *made: how many vGPUs it has. */
static bool
is_of_the_size(const struct model *model, const struct option *option, unsigned *made)
{
    *made = 0;
    for (size_t i = 0; i < model->thing_count; i++) {
        const struct thing *thing = &model->things[i];

        if (!thing->shown || thing->card != option->card)
            continue;
        ++*made;
        if (model_kinds[thing->kind].framebuffer != model_kinds[option->kind].framebuffer)
            return false;
    }
    return true;
}

static unsigned
count_shown(const struct model *model, size_t card, size_t place)
{
    unsigned count = 0;

    for (size_t i = 0; i < model->thing_count; i++)
        count += model->things[i].shown && model->things[i].card == card &&
                 model->things[i].place == place;
    return count;
}

static unsigned
units_left(const struct model *model, size_t card)
{
    unsigned units = model->cards[card].pool;

    for (size_t i = 0; i < model->thing_count; i++) {
        if (model->things[i].shown && model->things[i].card == card)
            units -= model_kinds[model->things[i].kind].units;
    }
    return units;
}

unsigned
model_driver_says(const struct model *model, const struct option *option)
{
    const struct card *card = &model->cards[option->card];
    const struct kind *kind = &model_kinds[option->kind];
    unsigned made;

    if (card->functions && count_shown(model, option->card, option->place) > 0)
        return 0;
    if (card->lent)
        return card->kinds[card->member[option->place]] == option->kind;
    if (kind->slices)
        return card->partitioned && has_instance(model, option);
    if (card->memory)
        return has_memory(model, option->card, kind->framebuffer);
    if (card->pool)
        return units_left(model, option->card) / kind->units;
    if (card->partitioned || !is_of_the_size(model, option, &made) || made >= kind->max)
        return 0;
    return card->functions ? 1 : kind->max - made;
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

bool
model_is_claimed(const struct model *model, size_t card, size_t place)
{
    for (size_t i = 0; i < model->thing_count; i++) {
        const struct thing *thing = &model->things[i];

        if (!thing->shown && thing->card == card && thing->place == place)
            return true;
    }
    return false;
}

unsigned
model_ceiling(const struct card *card)
{
    const struct kind *kind = &model_kinds[card->kinds[0]];

    return kind->ceiling ? kind->ceiling : strncmp(kind->id, "nvidia-", strlen("nvidia-")) ? 0 : 32;
}

/* The maximum of a kind on a card whose driver tells none. It follows from the largest of the
 * card's sizes. It is never less than the number of made and offered vGPUs. 0: not known. */
static unsigned
calculated(const struct model *model, const struct option *option)
{
    const struct card *card = &model->cards[option->card];
    unsigned size = model_kinds[option->kind].framebuffer, largest = 0, smallest = ~0u;
    unsigned seen = 0, offered = 0;

    if (model_kinds[option->kind].slices || card->memory || card->lent || card->pool)
        return 0;
    for (unsigned i = 0; i < card->kind_count; i++) {
        unsigned other = model_kinds[card->kinds[i]].framebuffer;

        if (model_kinds[card->kinds[i]].slices)
            continue;
        largest = other > largest ? other : largest;
        smallest = other < smallest ? other : smallest;
    }
    for (size_t i = 0; i < model->thing_count; i++)
        seen += model->things[i].shown && model->things[i].card == option->card &&
                model_kinds[model->things[i].kind].slices == 0 &&
                model_kinds[model->things[i].kind].framebuffer == size;
    for (size_t place = 0; place < card->place_count; place++) {
        const struct option here = {option->card, place, option->kind};

        offered |= model_driver_says(model, &here) > 0;
    }
    if (largest == smallest)
        return 0;
    return largest / size > seen + offered ? largest / size : seen + offered;
}

void
model_calculate(struct model *model)
{
    for (size_t c = 0; c < model->card_count; c++) {
        for (unsigned k = 0; k < model->cards[c].kind_count; k++) {
            const struct option option = {.card = c, .kind = model->cards[c].kinds[k]};

            model->cards[c].calculated[k] = calculated(model, &option);
        }
    }
}

unsigned
model_maximum(const struct model *model, size_t card, unsigned k)
{
    const struct card *self = &model->cards[card];
    unsigned members = 0;

    if (!self->vf)
        return model_kinds[self->kinds[k]].max;
    if (!self->lent)
        return model->configured[self->kinds[k]] ? model->configured[self->kinds[k]]
                                                 : self->calculated[k];
    for (unsigned i = 0; i < self->place_count; i++)
        members += self->member[i] == k;
    return members;
}

bool
model_counts(const struct model *model, const struct thing *thing, size_t card, size_t kind)
{
    const struct card *self = &model->cards[card];
    bool all = !self->pool && !self->memory && !self->lent && !model_kinds[kind].slices;

    return thing->card == card && !thing->lost && (all || thing->kind == kind);
}

/* Would a card's driver make this many more vGPUs, whatever their kinds are? If a driver tells the
 * maximum of each kind, it makes fewer. */
static bool
is_below_ceiling(const struct model *model, const struct option *option, unsigned more)
{
    const struct card *card = &model->cards[option->card];
    unsigned ceiling = model_kinds[option->kind].slices ? 0 : model_ceiling(card), made = 0;

    for (size_t i = 0; i < model->thing_count; i++)
        made += model->things[i].card == option->card && !model->things[i].lost;
    return !card->vf || card->lent || ceiling == 0 || made + more <= ceiling;
}

/* Would the card make all of these vGPUs? Its functions do not tell that several of them may offer
 * the same place. */
static bool
would_make(const struct model *model, const struct option *option, unsigned more, unsigned alike)
{
    const struct card *card = &model->cards[option->card];
    unsigned taken = 0, k = 0;

    if (card->memory || card->lent || card->pool)
        return true;
    for (size_t i = 0; i < model->thing_count; i++)
        taken += model_counts(model, &model->things[i], option->card, option->kind);
    while (card->kinds[k] != option->kind)
        k++;
    return model_kinds[option->kind].slices ? taken + alike <= card->instances[k]
                                            : taken + more <= model_kinds[option->kind].max;
}

bool
model_has_room(const struct model *model, const struct option *option, unsigned more,
               unsigned alike)
{
    const struct card *card = &model->cards[option->card];
    unsigned reserve = card->listed ? card->reserve : 0;
    unsigned free = 0, taken = 0, claimed = 0, limit, k = 0;

    for (size_t i = 0; i < model->thing_count; i++) {
        const struct thing *thing = &model->things[i];

        taken += model_counts(model, thing, option->card, option->kind);
        claimed += thing->card == option->card && !thing->lost && !thing->shown;
    }
    for (size_t place = 0; place < card->place_count; place++) {
        struct option here = {option->card, place, option->kind};

        free += card->functions && model_is_claimed(model, option->card, place)
                    ? 0
                    : model_driver_says(model, &here);
    }
    if (model->exact && !would_make(model, option, more, alike))
        return false;
    if (!card->functions)
        return free >= claimed + more + reserve;
    while (card->kinds[k] != option->kind)
        k++;
    limit = model_maximum(model, option->card, k);
    return free >= (card->lent ? alike : more) + reserve &&
           is_below_ceiling(model, option, more + reserve) &&
           (limit == 0 || limit >= taken + (has_one_size(card) ? more : alike) + reserve);
}

static bool
group_has(const struct group *group, size_t kind)
{
    for (unsigned i = 0; i < group->kind_count; i++) {
        if (group->kinds[i] == kind)
            return true;
    }
    return group->framebuffer && model_kinds[kind].framebuffer >= group->framebuffer;
}

bool
model_wants(const struct model *model, const struct wish *wish, size_t kind)
{
    return wish->group < 0 ? (size_t)wish->kind == kind
                           : group_has(&model->groups[wish->group], kind);
}

bool
model_is_near(const struct model *model, size_t card)
{
    return model->node >= 0 && model->cards[card].node == model->node;
}

bool
model_is_fixed(const struct model *model, const struct wish *wish)
{
    return wish->pci && model->freedom == DEMAND_AS_IT_SAYS;
}

bool
model_obeys(const struct model *model, const struct wish *wish, const struct option *option)
{
    const struct card *card = &model->cards[option->card];

    if (!model_wants(model, wish, option->kind))
        return false;
    if (model->freedom != DEMAND_ANY_KIND && wish->pci != card->vf)
        return false;
    if (model_is_fixed(model, wish) &&
        (wish->on_card != option->card || wish->on_place != option->place))
        return false;
    if (wish->card >= 0 && (size_t)wish->card != option->card)
        return false;
    if (wish->place >= 0 && (size_t)wish->place != option->place)
        return false;
    if (wish->numa == NUMA_REQUIRE && !model_is_near(model, option->card))
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
        const struct quota *limit = &model->limits[i];
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

/* All vGPUs of a GPU have one size: those that are made, that are being made, and that will be
 * made. Or all of them fit together. A vGPU with units or an instance of its own fits beside all
 * others. */
static bool
goes_together(const struct model *model, const struct option *options, size_t count,
              const struct option *option)
{
    unsigned size = model_kinds[option->kind].framebuffer;
    uint64_t more = 0;

    if (model->cards[option->card].lent || model_kinds[option->kind].slices)
        return true;
    if (model->cards[option->card].memory) {
        for (size_t i = 0; i < count; i++) {
            if (options[i].card == option->card && model->wishes[i].thing < 0)
                more += model_kinds[options[i].kind].framebuffer;
        }
        return has_memory(model, option->card, more);
    }
    for (size_t i = 0; i < model->thing_count; i++) {
        if (model->things[i].card == option->card && !model->things[i].lost &&
            model_kinds[model->things[i].kind].framebuffer != size)
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (options[i].card == option->card && model_kinds[options[i].kind].framebuffer != size)
            return false;
    }
    return true;
}

static char
series_of(const struct kind *kind)
{
    return kind->name[strlen(kind->name) - 1];
}

bool
model_may_combine(size_t kind, size_t other)
{
    const struct kind *a = &model_kinds[kind], *b = &model_kinds[other];

    if (strncmp(a->id, "nvidia-", 7) || strncmp(b->id, "nvidia-", 7))
        return true;
    return !strcmp(a->board, b->board) && series_of(a) == series_of(b);
}

bool
model_is_legal(const struct model *model, const struct option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct wish *wish = &model->wishes[i];
        const struct card *card = &model->cards[options[i].card];
        unsigned together = 0, alike = 0;

        if (!model_obeys(model, wish, &options[i]))
            return false;
        for (size_t k = 0; k < i; k++) {
            if (!model_may_combine(options[k].kind, options[i].kind))
                return false;
        }
        if (wish->thing >= 0)
            continue;
        for (size_t k = 0; k < count; k++) {
            if (model->wishes[k].thing >= 0 || options[k].card != options[i].card)
                continue;
            together++;
            alike += options[k].kind == options[i].kind;
            if (k != i && card->functions && options[k].place == options[i].place)
                return false;
        }
        if (model_driver_says(model, &options[i]) == 0 || is_refused(model, &options[i]) ||
            (card->functions && model_is_claimed(model, options[i].card, options[i].place)) ||
            !goes_together(model, options, count, &options[i]) ||
            !model_has_room(model, &options[i], together, alike))
            return false;
    }
    return within_limits(model, options, count);
}

/* Tries all ways to meet the wishes from `next` on, until one way is legal. */
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
                if (model_is_legal(model, options, next + 1) && find_way(model, options, next + 1))
                    return true;
            }
        }
    }
    return false;
}

bool
model_settle(struct model *model)
{
    for (size_t w = 0; w < model->wish_count; w++) {
        struct wish *wish = &model->wishes[w];

        if (!wish->pci)
            continue;
        wish->thing = -1;
        for (size_t i = 0; model_is_fixed(model, wish) && i < model->thing_count; i++) {
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

bool
model_find(const struct model *model)
{
    struct model settled = *model;
    struct option options[WISHES + 1];

    return model_settle(&settled) && find_way(&settled, options, 0);
}
