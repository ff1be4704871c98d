/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/remote-capacity.h"
#include "base/memory.h"
#include "placement/gpu-room.h"

#include <stdio.h>
#include <string.h>

struct remote_gpu {
    struct gpu_load room; /* includes what this guest takes */
    size_t type;          /* the type that is taken; without meaning if count is 0 */
    size_t count;
};

void
remote_capacity_start(struct remote_capacity *capacity, const struct remote_host *host)
{
    size_t count = host->inventory.gpu_count;

    *capacity = (struct remote_capacity){
        .host = host,
        .gpus = memory_zeroed(count, sizeof(*capacity->gpus)),
    };
    for (size_t i = 0; i < count; i++)
        gpu_load_init(&capacity->gpus[i].room, &host->inventory, i, LOAD_NOW);
}

void
remote_capacity_end(struct remote_capacity *capacity)
{
    for (size_t i = 0; capacity->host && i < capacity->host->inventory.gpu_count; i++)
        gpu_load_clear(&capacity->gpus[i].room);
    free(capacity->gpus);
    *capacity = (struct remote_capacity){0};
}

static bool
has_functions(const struct gpu_load *room)
{
    return room->parent_count && gpu_load_on(room, room->parents[0])->is_single;
}

/* Returns how many vGPUs the GPU takes without this guest, as its libvirt tells. */
static struct bounds
told(const struct gpu_load *room, size_t type)
{
    AUTO(gpu_load_clear) struct gpu_load as_seen = {0};

    gpu_load_init(&as_seen, room->inventory, room->gpu, LOAD_NOW);
    return gpu_room_left(&as_seen, type, NULL);
}

/* Counts the vGPUs on a GPU that no running guest has. */
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

/* Returns the answer of one GPU for one type, and the reason. */
static enum remote_capacity_answer
judge(const struct remote_capacity *capacity, size_t gpu, size_t type, char *text, size_t size)
{
    const struct remote_gpu *self = &capacity->gpus[gpu];
    const struct inventory_gpu *card = &capacity->host->inventory.gpus[gpu];
    struct bounds all = told(&self->room, type), left = gpu_room_left(&self->room, type, NULL);
    bool is_other = self->count && self->type != type;
    size_t idle = count_idle(capacity->host, gpu);

    if (all.why == ROOM_UNREADABLE) {
        snprintf(text, size, "%s does not tell how many more it takes", card->name.text);
    } else if ((is_other ? all.most : left.most) == 0 && idle > 0) {
        snprintf(text, size, "%s is full, but no running guest has %zu of its vGPUs",
                 card->name.text, idle);
    } else if (all.most == 0) {
        snprintf(text, size, "%s is full", card->name.text);
        return REMOTE_CAPACITY_NO;
    } else if (has_functions(&self->room)) {
        snprintf(text, size, "%s has %u virtual functions for it, and what it takes is not told",
                 card->name.text, all.most);
    } else if (is_other) {
        snprintf(text, size, "%s is to take %s as well, and whether it takes both is not told",
                 card->name.text, card->types[self->type].name);
    } else if (left.least == 0) {
        snprintf(text, size, "%s takes %u more, which this guest's others need", card->name.text,
                 all.most);
        return capacity->has_chosen ? REMOTE_CAPACITY_UNKNOWN : REMOTE_CAPACITY_NO;
    } else {
        snprintf(text, size, "%s takes %u more", card->name.text, left.least);
        return REMOTE_CAPACITY_YES;
    }
    return REMOTE_CAPACITY_UNKNOWN;
}

/* Adds one vGPU to the load of a GPU that has no functions. */
static void
take(struct remote_gpu *gpu, size_t type)
{
    const struct load_use use = {.parent = gpu->room.parents[0], .type = type};

    gpu_load_put(&gpu->room, &use);
    gpu->type = type;
    gpu->count++;
}

/* Whether more than one type fits. */
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
            take(&capacity->gpus[walk.gpu], walk.index);
    }
    return best;
}
