/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/remote-capacity.h"

#include <stdio.h>
#include <string.h>

struct vacancy_place {
    size_t type; /* that is taken; of no meaning if count is 0 */
    size_t count;
};

int
vacancy_start(struct vacancy *vacancy, const struct remote_host *host)
{
    size_t count = host->inventory.gpu_count;

    *vacancy = (struct vacancy){
        .host = host,
        .places = calloc(count ? count : 1, sizeof(*vacancy->places)),
    };
    return vacancy->places ? 0 : -ENOMEM;
}

void
vacancy_end(struct vacancy *vacancy)
{
    free(vacancy->places);
    *vacancy = (struct vacancy){0};
}

static bool
has_functions(const struct inventory *inventory, size_t gpu)
{
    for (size_t i = 0; i < inventory->parent_count; i++) {
        if (inventory->parents[i].gpu == gpu &&
            !name_equal(&inventory->parents[i].name, &inventory->gpus[gpu].name))
            return true;
    }
    return false;
}

/* The vGPUs on a GPU that no running guest has. */
static size_t
count_idle(const struct remote_host *host, size_t gpu)
{
    const struct inventory *inventory = &host->inventory;
    size_t idle = 0;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct domain *user;

        if (inventory->parents[inventory->vgpus[i].parent].gpu != gpu)
            continue;
        user = domains_next_user(&host->domains, &inventory->vgpus[i].device, NULL);
        idle += !user || !user->is_running;
    }
    return idle;
}

/* What one GPU says of one type, and why. */
static enum vacancy_answer
judge(const struct vacancy *vacancy, size_t gpu, size_t type, char *text, size_t size)
{
    const struct inventory *inventory = &vacancy->host->inventory;
    const struct inventory_gpu *card = &inventory->gpus[gpu];
    const struct vacancy_place *place = &vacancy->places[gpu];
    size_t taken = place->count && place->type == type ? place->count : 0;
    int most = inventory_at_most(inventory, gpu, type);

    if (most < 0) {
        snprintf(text, size, "%s does not tell how many more it takes", card->name.text);
    } else if ((size_t)most <= taken && count_idle(vacancy->host, gpu) > 0) {
        snprintf(text, size, "%s is full, but %zu of its vGPUs are no running guest's",
                 card->name.text, count_idle(vacancy->host, gpu));
    } else if (most == 0) {
        snprintf(text, size, "%s is full", card->name.text);
        return VACANCY_NO;
    } else if (has_functions(inventory, gpu)) {
        snprintf(text, size, "%s has %d virtual functions for it, and what it takes is not told",
                 card->name.text, most);
    } else if (place->count && place->type != type) {
        snprintf(text, size, "%s is to take %s as well, and whether it takes both is not told",
                 card->name.text, card->types[place->type].name);
    } else if ((size_t)most <= taken) {
        snprintf(text, size, "%s takes %d more, which this guest's others need", card->name.text,
                 most);
        return vacancy->has_chosen ? VACANCY_UNKNOWN : VACANCY_NO;
    } else {
        snprintf(text, size, "%s takes %zu more", card->name.text, (size_t)most - taken);
        return VACANCY_YES;
    }
    return VACANCY_UNKNOWN;
}

/* Whether more than one type would do. */
static bool
is_choice(const struct inventory *inventory, const struct inventory_filter *filter)
{
    const struct inventory_type *first = NULL;

    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++) {
        for (size_t type = 0; type < inventory->gpus[gpu].count; type++) {
            const struct inventory_type *at = &inventory->gpus[gpu].types[type];

            if (!filter->wants(at, filter->data))
                continue;
            if (first && !name_equal(&first->id, &at->id))
                return true;
            first = at;
        }
    }
    return false;
}

enum vacancy_answer
vacancy_take(struct vacancy *vacancy, const struct inventory_filter *filter, char *text,
             size_t size)
{
    const struct inventory *inventory = &vacancy->host->inventory;
    enum vacancy_answer best = VACANCY_NO;
    bool is_first = true;

    vacancy->has_chosen |= is_choice(inventory, filter);
    snprintf(text, size, "no GPU has it");
    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++) {
        for (size_t type = 0; type < inventory->gpus[gpu].count; type++) {
            struct vacancy_place *place = &vacancy->places[gpu];
            enum vacancy_answer answer;
            char why[256];

            if (!filter->wants(&inventory->gpus[gpu].types[type], filter->data))
                continue;
            answer = judge(vacancy, gpu, type, why, sizeof(why));
            if (is_first || answer < best)
                snprintf(text, size, "%s", why);
            best = answer < best ? answer : best;
            is_first = false;
            if (answer == VACANCY_YES) {
                *place = (struct vacancy_place){.type = type, .count = place->count + 1};
                return answer;
            }
        }
    }
    return best;
}
