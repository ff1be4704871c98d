/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/gpu-view.h"
#include "cli/pick.h"
#include "placement/constraints.h"
#include "sriov/sriov-gpu.h"

#include <stdio.h>
#include <string.h>

unsigned
gpu_view_size(const struct inventory_gpu *gpu)
{
    unsigned size = 0;

    for (size_t i = 0; i < gpu->vgpu_count; i++) {
        const struct inventory_type *type = inventory_type_of(gpu->vgpus[i]);

        if (!type || type->slices || (size && size != type->framebuffer))
            return 0;
        size = type->framebuffer;
    }
    return gpu->one_size || inventory_is_separate(gpu) ? size : 0;
}

bool
gpu_view_is_enabled(const struct snapshot *snapshot, const struct inventory_gpu *gpu)
{
    const struct policy_gpu *said = policy_find_gpu(&snapshot->policy, &gpu->name);

    return snapshot->policy.enabled && (!said || said->enabled) &&
           constraints_closed(&snapshot->ledger, &gpu->name, NULL, false) == REASON_NONE;
}

bool
gpu_view_is_drained(const struct snapshot *snapshot, const struct inventory_gpu *gpu)
{
    return names_has(&snapshot->ledger.drained, &gpu->name);
}

/* Returns the length of the part of a type's name that names the board. This part ends with the
 * dash before the profile: "GRID T4-" of "GRID T4-1B", "NVIDIA A30-" of "NVIDIA A30-2-12C". Without
 * a dash it is the whole name. */
static size_t
length_of_board(const struct inventory_type *type)
{
    const char *end = strrchr(type->name, '-');

    for (const char *at = end; type->slices && at > type->name; at--) {
        if (at[-1] == '-')
            return (size_t)(at - type->name);
    }
    return end ? (size_t)(end + 1 - type->name) : strlen(type->name);
}

/* The name is the common beginning of the names of the GPU's types, up to its last dash. Types
 * without a name do not count. */
void
gpu_view_name(const struct inventory_gpu *gpu, char *ret, size_t size)
{
    bool found = false;
    char *dash;

    *ret = '\0';
    for (size_t i = 0; i < gpu->type_count; i++) {
        const struct inventory_type *type = &gpu->types[i];
        size_t same = 0;

        if (!inventory_type_has_name(type))
            continue;
        if (!found)
            snprintf(ret, size, "%.*s", (int)length_of_board(type), type->name);
        found = true;
        while (ret[same] && ret[same] == type->name[same])
            same++;
        ret[same] = '\0';
    }
    dash = strrchr(ret, '-');
    if (dash && strchr(ret, ' '))
        *dash = '\0';
    else
        snprintf(ret, size, "%s", gpu->driver.text);
}

const char *
gpu_view_type_name(const struct snapshot *snapshot, const struct name *gpu, const struct name *type)
{
    const struct inventory_gpu *found = inventory_find_gpu(&snapshot->inventory, gpu);
    const struct inventory_type *known = found ? inventory_find_type(found, type) : NULL;

    return known ? known->name : NULL;
}

static int
no_such_gpu(const struct names *gpus, const char *word, struct error *error)
{
    if (gpus->count == 0)
        return error_set(error, -ENOENT, "no GPU on this host offers vGPUs; is its driver loaded?");
    error_set(error, -ENOENT, "there is no GPU \"%s\" here; there are: %s", word,
              gpus->items[0].text);
    for (size_t i = 1; i < gpus->count; i++)
        error_add(error, "%s", gpus->items[i].text);
    return -ENOENT;
}

/* A GPU that makes vGPUs only on its virtual functions is no GPU of the inventory without them. */
static int
explain_off(const struct snapshot *snapshot, const struct host *host, const char *word,
            struct error *error)
{
    AUTO(names_clear) struct names cards = {0};
    struct error ignored;
    struct name card;

    if (sriov_gpu_list(host, snapshot, true, &cards) < 0 ||
        pick_name(&cards, word, &card, &ignored) < 0 || !sriov_gpu_is_off(host, &card))
        return 0;
    return error_set(error, -ENOENT,
                     "the virtual functions of %s are off, so it offers no vGPUs: 'vgpuctl sriov "
                     "enable %s' enables them",
                     card.text, card.text);
}

int
gpu_view_find(const struct snapshot *snapshot, const struct host *host, const char *word,
              const struct inventory_gpu **ret, struct error *error)
{
    const struct inventory *inventory = &snapshot->inventory;
    AUTO(names_clear) struct names gpus = {0};
    struct name name;
    int rc;

    *ret = NULL;
    for (size_t i = 0; i < inventory->gpu_count; i++)
        names_append(&gpus, &inventory->gpus[i]->name);
    rc = pick_name(&gpus, word, &name, error);
    if (rc == -ENOENT && host && explain_off(snapshot, host, word, error) < 0)
        return rc;
    if (rc == -ENOENT)
        return no_such_gpu(&gpus, word, error);
    if (rc == 0)
        *ret = inventory_find_gpu(inventory, &name);
    return rc;
}
