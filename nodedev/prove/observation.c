/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "prove/observation.h"
#include "base/array.h"
#include "base/deadline.h"
#include "base/reader.h"
#include "base/text.h"
#include "device/pci.h"
#include "device/scan.h"
#include "device/vgpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LATE 10000 /* ms in which wrong figures may become right */

/* ms until wrong figures are read again. Figures that are right by then are no finding, because a
 * refused start decides again, too. */
#define AGAIN 250

/* "with 3 T4-1B and 1 T4-2Q on it" */
struct observation_text
observation_situation(const struct observation *observation)
{
    struct observation_text ret = {""};
    struct text text = text_on(ret.text, sizeof(ret.text));

    for (size_t k = 0; k < observation->card->type_count; k++) {
        const struct inventory_type *type = &observation->card->types[k];
        size_t count = 0;

        for (size_t i = 0; i < observation->vgpu_count; i++)
            count += observation->vgpus[i].type == type;
        if (count > 0)
            text_add(&text, "%s %zu %s", text.length ? " and" : "with", count, type->name);
    }
    text_add(&text, "%s on it", text.length ? "" : "with nothing");
    return ret;
}

/* --- virtual functions ------------------------------------------------------------------------ */

static struct observation_function
read_function(const struct host *host, const struct name *function)
{
    struct observation_function fact = {
        .function = *function,
        .driver = pci_driver(host, function),
        .can_reset = host_exists(host, PCI_DEVICES "/%s/reset", function->text),
    };

    if (host_link(host, &fact.group, PCI_DEVICES "/%s/iommu_group", function->text) < 0)
        fact.group = (struct name){0};
    return fact;
}

void
observation_functions_read(const struct host *host, const struct inventory_gpu *gpu,
                           struct observation_functions *ret)
{
    *ret = (struct observation_functions){0};
    for (size_t i = 0; i < gpu->parent_count; i++) {
        const struct inventory_parent *parent = gpu->parents[i];

        if (parent->interface->hostdev == REQUEST_PCI)
            ARRAY_ADD(ret->items, ret->count, read_function(host, &parent->name));
    }
}

static void
compare_word(const struct observation_function *fact, const char *what, const char *before,
             const char *now, const char *situation, struct discrepancies *ret)
{
    before = *before ? before : "none";
    now = *now ? now : "none";
    if (strcmp(before, now) != 0)
        discrepancies_add(ret, DISCREPANCY_FUNCTIONS, fact->function.text, before, now,
                          "%s: the %s of %s was %s before, and is %s now", situation, what,
                          fact->function.text, before, now);
}

/* Passes over a function that one of the readings lacks: discrepancies_find finds it in the
 * inventory. */
static void
compare_functions(const struct observation_functions *before,
                  const struct observation_functions *now, const char *situation,
                  struct discrepancies *ret)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct observation_function *old = &before->items[i];
        const struct observation_function *fact =
            ARRAY_FIND(now->items, now->count, item, name_equal(&item->function, &old->function));

        if (!fact)
            continue;
        compare_word(old, "driver", old->driver.text, fact->driver.text, situation, ret);
        compare_word(old, "IOMMU group", old->group.text, fact->group.text, situation, ret);
        compare_word(old, "way to be reset", old->can_reset ? "there" : "",
                     fact->can_reset ? "there" : "", situation, ret);
    }
}

void
observation_functions_clear(struct observation_functions *functions)
{
    free(functions->items);
    *functions = (struct observation_functions){0};
}

/* --- reading and comparing -------------------------------------------------------------------- */

static int
scan(const struct observation *observation, struct inventory *ret, struct error *error)
{
    reader_begin(observation->host->reader, READER_PATIENCE);
    return scan_host(observation->host, observation->policy, &inventory_all_types, ret, error);
}

/* Each vGPU that was made must be at its place, and no other vGPU may be there. */
static int
check_vgpus(const struct observation *observation, const struct inventory *seen,
            const char *situation, struct discrepancies *ret, struct error *error)
{
    for (size_t i = 0; i < seen->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = seen->vgpus[i];

        if (name_equal(&vgpu->parent->gpu->name, &observation->gpu) &&
            !ARRAY_HAS(observation->vgpus, observation->vgpu_count, made,
                       name_equal(&made->device, &vgpu->device)))
            return error_set(error, -EBUSY,
                             "somebody else has the vGPU %s (%s) on %s; remove it first",
                             vgpu->device.text, vgpu->type.text, observation->gpu.text);
    }
    for (size_t i = 0; i < observation->vgpu_count; i++) {
        const struct observation_vgpu *made = &observation->vgpus[i];
        const struct inventory_vgpu *vgpu = inventory_find_vgpu(seen, &made->device);
        const char *type = made->type->id.text;
        const char *now = vgpu ? vgpu->type.text : "gone";

        if (!vgpu || strcmp(now, type) != 0 || !name_equal(&vgpu->parent->name, &made->parent))
            discrepancies_add(ret, DISCREPANCY_VGPU, type, type, now,
                              "%s: a vGPU of type %s was made on %s, and is %s now", situation,
                              type, made->parent.text, now);
    }
    return 0;
}

/* The GPU as it was when empty, with the vGPUs that are made now. */
static void
compare_with_empty(const struct observation *observation, const struct inventory *seen,
                   const char *situation, struct discrepancies *ret)
{
    AUTO(gpu_load_clear) struct gpu_load load = {0};

    gpu_load_init(&load, observation->card, LOAD_NOW);
    for (size_t i = 0; i < observation->vgpu_count; i++) {
        const struct observation_vgpu *vgpu = &observation->vgpus[i];
        const struct load_use use = {
            {inventory_find_parent(&observation->empty, &vgpu->parent), vgpu->type}, 0};

        if (use.place.parent)
            gpu_load_put(&load, &use);
    }
    discrepancies_find(&load, seen, situation, ret);
}

static int
compare(const struct observation *observation, const struct gpu_load *predicted,
        const struct inventory *seen, struct discrepancies *ret, struct error *error)
{
    AUTO(observation_functions_clear) struct observation_functions functions = {0};
    const struct observation_text situation = observation_situation(observation);
    const struct inventory_gpu *gpu = inventory_find_gpu(seen, &observation->gpu);
    int rc = check_vgpus(observation, seen, situation.text, ret, error);

    if (rc < 0)
        return rc;
    discrepancies_find(predicted, seen, situation.text, ret);
    compare_with_empty(observation, seen, situation.text, ret);
    if (gpu) {
        observation_functions_read(observation->host, gpu, &functions);
        compare_functions(&observation->functions, &functions, situation.text, ret);
    }
    return 0;
}

/* Adds the figures that were wrong at first and are right now. */
static void
tell_late(struct observation *observation, const struct discrepancy *first, uint64_t milliseconds)
{
    char late[32];

    if (!first || milliseconds <= AGAIN)
        return;
    snprintf(late, sizeof(late), "%" PRIu64 ".%" PRIu64 " s", milliseconds / 1000,
             milliseconds % 1000 / 100);
    discrepancies_add(&observation->found, DISCREPANCY_LATE, first->subject, "at once", late,
                      "the driver's figures were right only %s after the step; at first, %s", late,
                      first->text);
}

/* Reads what the driver says after a step, and compares it with the prediction. The prediction
 * borrows from the previous reading. */
int
observation_take(struct observation *observation, const struct gpu_load *predicted,
                 struct error *error)
{
    const uint64_t began = host_uptime(observation->host);
    const struct deadline deadline = deadline_in(observation->host, LATE);
    AUTO(discrepancies_clear) struct discrepancies first = {.step = observation->found.step};

    for (bool again = false;; again = true) {
        AUTO(discrepancies_clear) struct discrepancies now = {.step = observation->found.step};
        AUTO(inventory_clear) struct inventory seen = {0};
        unsigned pause = AGAIN;
        int rc = scan(observation, &seen, error);

        if (rc == 0)
            rc = compare(observation, predicted, &seen, &now, error);
        if (rc < 0)
            return rc;
        if (!again)
            discrepancies_merge(&first, &now);
        if (discrepancies_find_new(&observation->found, &now) && deadline_pause(deadline, &pause))
            continue;
        tell_late(observation, discrepancies_find_new(&now, &first),
                  host_uptime(observation->host) - began);
        discrepancies_merge(&observation->found, &now);
        inventory_clear(&observation->now);
        observation->now = seen;
        seen = (struct inventory){0};
        return 0;
    }
}

int
observation_begin(struct observation *observation, struct error *error)
{
    int rc = scan(observation, &observation->empty, error);

    if (rc == 0)
        rc = scan(observation, &observation->now, error);
    if (rc < 0)
        return rc;
    observation->card = inventory_find_gpu(&observation->empty, &observation->gpu);
    if (!observation->card)
        return error_set(error, -ENOENT, "%s offers no vGPUs any more", observation->gpu.text);
    observation_functions_read(observation->host, observation->card, &observation->functions);
    return check_vgpus(observation, &observation->empty, "", &observation->found, error);
}

void
observation_clear(struct observation *observation)
{
    inventory_clear(&observation->empty);
    inventory_clear(&observation->now);
    observation_functions_clear(&observation->functions);
    discrepancies_clear(&observation->found);
    free(observation->vgpus);
}
