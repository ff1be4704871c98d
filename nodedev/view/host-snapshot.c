/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/host-snapshot.h"
#include "device/scan.h"
#include "device/vgpu.h"
#include "lease/statedir.h"
#include "placement/capacity.h"
#include "placement/fit.h"
#include "placement/max-instances.h"
#include "policy/policy-load.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

int
survey_take(const struct host *host, enum survey_depth depth, struct survey *ret,
            struct error *error)
{
    const struct inventory_filter *filter =
        depth == SURVEY_TYPES ? &inventory_all_types : &inventory_no_types;
    int rc;

    *ret = (struct survey){0};
    rc = policy_load(host, &ret->policy, error);
    /* Before the inventory: what is made in between is seen there. */
    if (rc == 0)
        rc = statedir_peek(host, &ret->ledger, error);
    if (rc == 0)
        rc = scan_host(host, filter, &ret->inventory, error);
    if (rc == 0)
        ceiling_apply(&ret->policy, &ret->inventory);
    return rc;
}

void
survey_clear(struct survey *survey)
{
    policy_clear(&survey->policy);
    inventory_clear(&survey->inventory);
    ledger_clear(&survey->ledger);
}

const struct lease *
survey_lease(const struct ledger *ledger, const struct inventory *inventory,
             const struct inventory_vgpu *vgpu)
{
    const struct lease *lease = ledger_find(ledger, &vgpu->device);
    bool is_function = inventory->parents[vgpu->parent].interface->hostdev == REQUEST_PCI;

    return lease && is_function && !name_equal(&lease->vgpu.type, &vgpu->type) ? NULL : lease;
}

bool
survey_shows(const struct survey *survey, const struct lease *lease)
{
    const struct inventory_vgpu *vgpu =
        inventory_find_vgpu(&survey->inventory, &lease->vgpu.device);

    return vgpu && survey_lease(&survey->ledger, &survey->inventory, vgpu);
}

size_t
survey_count(const struct survey *survey, size_t gpu)
{
    const struct inventory *inventory = &survey->inventory;
    size_t count = 0;

    for (size_t i = 0; i < inventory->vgpu_count; i++)
        count += inventory->parents[inventory->vgpus[i].parent].gpu == gpu;
    return count;
}

/* Several functions may each offer a place, and the GPU not have it for all of them: only its own
 * limit tells that, and that is not a limit of mixed sizes or of GPU instances. */
static bool
is_known(const struct survey *survey, size_t gpu, size_t type, size_t room)
{
    const struct inventory *inventory = &survey->inventory;
    const struct inventory_gpu *card = &inventory->gpus[gpu];
    size_t parents = 0;

    for (size_t i = 0; i < inventory->parent_count; i++)
        parents += inventory->parents[i].gpu == gpu;
    return parents == 1 || room <= 1 ||
           (card->types[type].max && !card->types[type].slices && !card->is_mixed);
}

int
survey_room(const struct survey *survey, size_t gpu, size_t type)
{
    /* Everybody's: no rule is in the way. */
    const struct policy policy = {.enabled = true, .order = POLICY_PACK};
    const struct request request = {0};
    const struct demands demands = {0};
    const struct demand demand = {.label = "", .wanted = "", .numa = POLICY_NUMA_IGNORE};
    const struct placement_question question = {
        .request = &request,
        .demands = &demands,
        .policy = &policy,
        .inventory = &survey->inventory,
        .ledger = &survey->ledger,
    };
    AUTO(room_clear) struct room room = {0};
    struct room_place place = {0};
    size_t left;
    int rc = room_init(&room, &question);

    if (rc < 0)
        return rc;
    switch (fit_judge(&room, &demand, gpu, type, &place)) {
    case VERDICT_GOOD:
        left = place.total - place.used;
        if (!is_known(survey, gpu, type, left))
            return -ENODATA;
        return left < INT_MAX ? (int)left : INT_MAX;
    case VERDICT_UNREADABLE:
        return survey->inventory.parents[place.parent].available[type];
    default:
        return 0;
    }
}

unsigned
survey_size(const struct survey *survey, size_t gpu)
{
    const struct inventory *inventory = &survey->inventory;
    unsigned size = 0;

    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = &inventory->vgpus[i];
        const struct inventory_type *type;

        if (inventory->parents[vgpu->parent].gpu != gpu)
            continue;
        type = inventory_find_type(&inventory->gpus[gpu], &vgpu->type);
        if (!type || type->slices || (size && size != type->framebuffer))
            return 0;
        size = type->framebuffer;
    }
    return inventory->gpus[gpu].is_mixed ? 0 : size;
}

bool
survey_is_enabled(const struct survey *survey, size_t gpu)
{
    const struct policy_gpu *said =
        policy_find_gpu(&survey->policy, &survey->inventory.gpus[gpu].name);

    return survey->policy.enabled && (!said || said->enabled) && !survey_is_drained(survey, gpu);
}

bool
survey_is_drained(const struct survey *survey, size_t gpu)
{
    return policy_is_drained(&survey->policy, &survey->inventory.gpus[gpu].name);
}

/* How much of a type's name says which board it is of, with the dash after that: all before the
 * profile, "GRID T4-" of "GRID T4-1B", "NVIDIA A30-" of "NVIDIA A30-2-12C"; all of it without one.
 */
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

/* What comes before the last dash of what those of its types that have names have in common. */
void
survey_gpu_name(const struct survey *survey, size_t gpu, char *ret, size_t size)
{
    const struct inventory_gpu *card = &survey->inventory.gpus[gpu];
    bool found = false;
    char *dash;

    *ret = '\0';
    for (size_t i = 0; i < card->count; i++) {
        const struct inventory_type *type = &card->types[i];
        size_t same = 0;

        if (!strcmp(type->name, type->id.text))
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
        snprintf(ret, size, "%s", card->driver.text);
}

const char *
survey_type_name(const struct survey *survey, const struct name *gpu, const struct name *type)
{
    const struct inventory *inventory = &survey->inventory;

    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct inventory_type *known = inventory_find_type(&inventory->gpus[i], type);

        if (known && name_equal(&inventory->gpus[i].name, gpu))
            return known->name;
    }
    return NULL;
}

int
survey_find_gpu(const struct survey *survey, const char *word, size_t *ret, struct error *error)
{
    const struct inventory *inventory = &survey->inventory;
    struct name name;

    if (name_parse_pci(&name, word) == 0 || name_parse(&name, word) == 0) {
        for (*ret = 0; *ret < inventory->gpu_count; ++*ret) {
            if (name_equal(&inventory->gpus[*ret].name, &name))
                return 0;
        }
    }
    if (inventory->gpu_count == 0)
        return error_set(error, -ENOENT, "no GPU on this host offers vGPUs; is its driver loaded?");
    error_set(error, -ENOENT, "there is no GPU \"%s\" here; there are: %s", word,
              inventory->gpus[0].name.text);
    for (size_t i = 1; i < inventory->gpu_count; i++)
        error_add(error, "%s", inventory->gpus[i].name.text);
    return -ENOENT;
}
