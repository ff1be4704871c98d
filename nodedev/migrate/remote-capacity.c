/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/remote-capacity.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

struct remote_gpu {
    size_t type; /* that is taken; of no meaning if count is 0 */
    size_t count;
};

void
remote_capacity_start(struct remote_capacity *capacity, const struct remote_host *host)
{
    *capacity = (struct remote_capacity){
        .host = host,
        .gpus = memory_zeroed(host->inventory.gpu_count, sizeof(*capacity->gpus)),
    };
}

void
remote_capacity_end(struct remote_capacity *capacity)
{
    free(capacity->gpus);
    *capacity = (struct remote_capacity){0};
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
static enum remote_capacity_answer
judge(const struct remote_capacity *capacity, size_t gpu, size_t type, char *text, size_t size)
{
    const struct inventory *inventory = &capacity->host->inventory;
    const struct inventory_gpu *card = &inventory->gpus[gpu];
    const struct remote_gpu *others = &capacity->gpus[gpu];
    size_t taken = others->count && others->type == type ? others->count : 0;
    int most = inventory_at_most(inventory, gpu, type);

    if (most < 0) {
        snprintf(text, size, "%s does not tell how many more it takes", card->name.text);
    } else if ((size_t)most <= taken && count_idle(capacity->host, gpu) > 0) {
        snprintf(text, size, "%s is full, but no running guest has %zu of its vGPUs",
                 card->name.text, count_idle(capacity->host, gpu));
    } else if (most == 0) {
        snprintf(text, size, "%s is full", card->name.text);
        return REMOTE_CAPACITY_NO;
    } else if (has_functions(inventory, gpu)) {
        snprintf(text, size, "%s has %d virtual functions for it, and what it takes is not told",
                 card->name.text, most);
    } else if (others->count && others->type != type) {
        snprintf(text, size, "%s is to take %s as well, and whether it takes both is not told",
                 card->name.text, card->types[others->type].name);
    } else if ((size_t)most <= taken) {
        snprintf(text, size, "%s takes %d more, which this guest's others need", card->name.text,
                 most);
        return capacity->has_chosen ? REMOTE_CAPACITY_UNKNOWN : REMOTE_CAPACITY_NO;
    } else {
        snprintf(text, size, "%s takes %zu more", card->name.text, (size_t)most - taken);
        return REMOTE_CAPACITY_YES;
    }
    return REMOTE_CAPACITY_UNKNOWN;
}

/* Whether more than one type would do. */
static bool
is_choice(const struct inventory *inventory, const struct inventory_filter *filter)
{
    const struct inventory_type *first = NULL;
    struct inventory_walk walk = {0};

    while (inventory_next_type(inventory, &walk)) {
        if (!filter->wants(walk.type, filter->data))
            continue;
        if (first && !name_equal(&first->id, &walk.type->id))
            return true;
        first = walk.type;
    }
    return false;
}

enum remote_capacity_answer
remote_capacity_take(struct remote_capacity *capacity, const struct inventory_filter *filter,
                     char *text, size_t size)
{
    const struct inventory *inventory = &capacity->host->inventory;
    enum remote_capacity_answer best = REMOTE_CAPACITY_NO;
    struct inventory_walk walk = {0};
    bool is_first = true;

    capacity->has_chosen |= is_choice(inventory, filter);
    snprintf(text, size, "no GPU has it");
    while (best != REMOTE_CAPACITY_YES && inventory_next_type(inventory, &walk)) {
        struct remote_gpu *taken = &capacity->gpus[walk.gpu];
        enum remote_capacity_answer answer;
        char why[256];

        if (!filter->wants(walk.type, filter->data))
            continue;
        answer = judge(capacity, walk.gpu, walk.index, why, sizeof(why));
        if (is_first || answer < best)
            snprintf(text, size, "%s", why);
        best = answer < best ? answer : best;
        is_first = false;
        if (answer == REMOTE_CAPACITY_YES)
            *taken = (struct remote_gpu){.type = walk.index, .count = taken->count + 1};
    }
    return best;
}
