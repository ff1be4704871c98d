/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/remote-capacity.h"
#include "base/memory.h"
#include "placement/gpu-room.h"

#include <stdio.h>
#include <string.h>

struct remote_gpu {
    struct gpu_load load;              /* includes what this guest takes */
    const struct inventory_type *type; /* that is taken; NULL: none yet */
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
        gpu_load_init(&capacity->gpus[i].load, host->inventory.gpus[i], LOAD_NOW);
}

void
remote_capacity_end(struct remote_capacity *capacity)
{
    for (size_t i = 0; capacity->host && i < capacity->host->inventory.gpu_count; i++)
        gpu_load_clear(&capacity->gpus[i].load);
    free(capacity->gpus);
    *capacity = (struct remote_capacity){0};
}

static bool
has_functions(const struct gpu_load *load)
{
    return load->gpu->parent_count && load->on[0].is_single;
}

/* Returns how many vGPUs the GPU takes without this guest, as its libvirt tells. */
static struct bounds
told(const struct inventory_type *type)
{
    AUTO(gpu_load_clear) struct gpu_load as_seen = {0};

    gpu_load_init(&as_seen, type->gpu, LOAD_NOW);
    return gpu_room_left(&as_seen, type, NULL);
}

/* Counts the vGPUs on a GPU that no running guest has. */
static size_t
count_idle(const struct remote_host *host, const struct inventory_gpu *gpu)
{
    size_t idle = 0;

    for (size_t i = 0; i < gpu->vgpu_count; i++) {
        const struct domain *user = domains_next_user(&host->domains, &gpu->vgpus[i]->device, NULL);

        idle += !user || !user->is_running;
    }
    return idle;
}

/* Returns the answer of one GPU for one type, and the reason. */
static enum remote_capacity_answer
judge(const struct remote_capacity *capacity, const struct inventory_type *type, char *text,
      size_t size)
{
    const struct inventory_gpu *card = type->gpu;
    const struct remote_gpu *self = &capacity->gpus[card->index];
    struct bounds all = told(type), left = gpu_room_left(&self->load, type, NULL);
    bool is_other = self->type && self->type != type;
    size_t idle = count_idle(capacity->host, card);

    if (all.why == ROOM_UNREADABLE) {
        snprintf(text, size, "%s does not tell how many more it takes", card->name.text);
    } else if ((is_other ? all.most : left.most) == 0 && idle > 0) {
        snprintf(text, size, "%s is full, but no running guest has %zu of its vGPUs",
                 card->name.text, idle);
    } else if (all.most == 0) {
        snprintf(text, size, "%s is full", card->name.text);
        return REMOTE_CAPACITY_NO;
    } else if (has_functions(&self->load)) {
        snprintf(text, size, "%s has %u virtual functions for it, and what it takes is not told",
                 card->name.text, all.most);
    } else if (is_other) {
        snprintf(text, size, "%s is to take %s as well, and whether it takes both is not told",
                 card->name.text, self->type->name);
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
take(struct remote_gpu *gpu, const struct inventory_type *type)
{
    const struct load_use use = {{type->gpu->parents[0], type}, 0};

    gpu_load_put(&gpu->load, &use);
    gpu->type = type;
}

/* Whether more than one type fits. */
static bool
is_choice(const struct inventory *inventory, const struct inventory_filter *filter)
{
    const struct inventory_type *first = NULL;
    const struct inventory_type *type = NULL;

    while ((type = inventory_next_type(inventory, type))) {
        if (!filter->wants(type, filter->data))
            continue;
        if (first && !name_equal(&first->id, &type->id))
            return true;
        first = type;
    }
    return false;
}

enum remote_capacity_answer
remote_capacity_take(struct remote_capacity *capacity, const struct inventory_filter *filter,
                     char *text, size_t size)
{
    const struct inventory *inventory = &capacity->host->inventory;
    enum remote_capacity_answer best = REMOTE_CAPACITY_NO;
    const struct inventory_type *type = NULL;
    bool is_first = true;

    capacity->has_chosen |= is_choice(inventory, filter);
    snprintf(text, size, "no GPU has it");
    while (best != REMOTE_CAPACITY_YES && (type = inventory_next_type(inventory, type))) {
        enum remote_capacity_answer answer;
        char why[256];

        if (!filter->wants(type, filter->data))
            continue;
        answer = judge(capacity, type, why, sizeof(why));
        if (is_first || answer < best)
            snprintf(text, size, "%s", why);
        best = answer < best ? answer : best;
        is_first = false;
        if (answer == REMOTE_CAPACITY_YES)
            take(&capacity->gpus[type->gpu->index], type);
    }
    return best;
}
