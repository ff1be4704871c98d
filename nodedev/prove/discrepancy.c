/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "prove/discrepancy.h"
#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const discrepancy_words[DISCREPANCY_KINDS] = {
    [DISCREPANCY_FEWER] = "fewer",
    [DISCREPANCY_MORE] = "more",
    [DISCREPANCY_APPEARED] = "appeared",
    [DISCREPANCY_LATE] = "late",
    [DISCREPANCY_REFUSED] = "refused",
    [DISCREPANCY_MAXIMUM] = "maximum",
    [DISCREPANCY_MEMORY] = "memory",
    [DISCREPANCY_FUNCTIONS] = "functions",
    [DISCREPANCY_VGPU] = "vgpu",
    [DISCREPANCY_SLOW_MAKE] = "slow-make",
    [DISCREPANCY_SLOW_REMOVE] = "slow-remove",
    [DISCREPANCY_STAYED] = "stayed",
};

/* The discrepancy of the same kind and subject. NULL: there is none. */
static struct discrepancy *
find_same(const struct discrepancies *discrepancies, const struct discrepancy *as)
{
    return ARRAY_FIND(discrepancies->items, discrepancies->count, item,
                      item->kind == as->kind && !strcmp(item->subject, as->subject));
}

const struct discrepancy *
discrepancies_find_new(const struct discrepancies *known, const struct discrepancies *list)
{
    return ARRAY_FIND(list->items, list->count, item, !find_same(known, item));
}

/* Adds a discrepancy. If there is one of the same kind and subject, this counts one more step. */
static void
add(struct discrepancies *discrepancies, const struct discrepancy *added)
{
    struct discrepancy *known = find_same(discrepancies, added);

    if (!known) {
        ARRAY_ADD(discrepancies->items, discrepancies->count, *added);
        return;
    }
    known->times += known->last != added->step;
    known->last = added->step;
}

void
discrepancies_add(struct discrepancies *discrepancies, enum discrepancy_kind kind,
                  const char *subject, const char *predicted, const char *seen, const char *format,
                  ...)
{
    struct discrepancy added = {
        .kind = kind, .step = discrepancies->step, .last = discrepancies->step, .times = 1};
    va_list args;

    snprintf(added.subject, sizeof(added.subject), "%s", subject);
    snprintf(added.predicted, sizeof(added.predicted), "%s", predicted);
    snprintf(added.seen, sizeof(added.seen), "%s", seen);
    va_start(args, format);
    vsnprintf(added.text, sizeof(added.text), format, args);
    va_end(args);
    add(discrepancies, &added);
}

void
discrepancies_merge(struct discrepancies *discrepancies, const struct discrepancies *added)
{
    for (size_t i = 0; i < added->count; i++)
        add(discrepancies, &added->items[i]);
}

void
discrepancies_clear(struct discrepancies *discrepancies)
{
    free(discrepancies->items);
    *discrepancies = (struct discrepancies){0};
}

/* --- comparing -------------------------------------------------------------------------------- */

struct comparison {
    const struct gpu_load *predicted;
    const struct gpu_load *seen;
    const char *situation;
    struct discrepancies *ret;
};

struct discrepancy_text
discrepancy_bounds(const struct bounds *bounds)
{
    struct discrepancy_text ret;
    unsigned least = bounds->least, most = bounds->most;

    if (least == most)
        snprintf(ret.text, sizeof(ret.text), "%u", least);
    else if (most == BOUNDS_ANY && least == 0)
        snprintf(ret.text, sizeof(ret.text), "any number");
    else if (most == BOUNDS_ANY)
        snprintf(ret.text, sizeof(ret.text), "at least %u", least);
    else if (least == 0)
        snprintf(ret.text, sizeof(ret.text), "at most %u", most);
    else
        snprintf(ret.text, sizeof(ret.text), "%u to %u", least, most);
    return ret;
}

/* Returns a GPU's parent of this name, or NULL. */
static const struct inventory_parent *
find_parent(const struct inventory_gpu *gpu, const struct name *name)
{
    struct inventory_parent *const *found =
        ARRAY_FIND(gpu->parents, gpu->parent_count, parent, name_equal(&(*parent)->name, name));

    return found ? *found : NULL;
}

/* --- how many more there can be --------------------------------------------------------------- */

/* Is a vGPU on the GPU whose size is not the size of this type? */
static bool
has_other_size(const struct inventory_gpu *gpu, const struct inventory_type *type)
{
    for (size_t i = 0; i < gpu->vgpu_count; i++) {
        const struct inventory_type *other = inventory_type_of(gpu->vgpus[i]);

        if (other && other->framebuffer != type->framebuffer)
            return true;
    }
    return false;
}

/* The predicted bounds. If the GPU turns out to take several sizes at a time, there may be room for
 * more vGPUs of another size. */
static struct bounds
predict(const struct comparison *comparison, const struct place *place)
{
    struct bounds bounds = gpu_room_at(comparison->predicted, place);

    if (comparison->predicted->gpu->one_size && !comparison->seen->gpu->one_size &&
        has_other_size(comparison->seen->gpu, place->type))
        bounds.most = BOUNDS_ANY;
    return bounds;
}

/* How the prediction and the driver differ about a type. */
struct difference {
    const struct inventory_parent *parent; /* the first on which they differ */
    struct bounds predicted, seen;
    bool is_more;
    unsigned places; /* the number of parents on which they differ */
};

/* Do the prediction and the driver differ on some parent? */
static bool
find_difference(const struct comparison *comparison, const struct inventory_type *type,
                struct difference *ret)
{
    const struct gpu_load *predicted = comparison->predicted, *seen = comparison->seen;
    const struct inventory_type *seen_type = inventory_find_type(seen->gpu, &type->id);

    *ret = (struct difference){0};
    for (size_t i = 0; i < predicted->gpu->parent_count; i++) {
        const struct place place = {predicted->gpu->parents[i], type};
        const struct place there = {find_parent(seen->gpu, &place.parent->name), seen_type};
        struct bounds expected = predict(comparison, &place), now = {0};

        if (!there.parent)
            continue;
        if (there.type)
            now = gpu_room_told(seen, &there);
        if (now.most >= expected.least && now.least <= expected.most)
            continue;
        if (ret->places++ == 0) {
            ret->parent = place.parent;
            ret->predicted = expected;
            ret->seen = now;
            ret->is_more = now.least > expected.most;
        }
    }
    return ret->places > 0;
}

static void
compare_type(const struct comparison *comparison, const struct inventory_type *type)
{
    struct discrepancy_text expected, seen;
    struct difference difference;
    char others[48] = "";

    if (!find_difference(comparison, type, &difference))
        return;
    expected = discrepancy_bounds(&difference.predicted);
    seen = discrepancy_bounds(&difference.seen);
    if (difference.places > 1)
        snprintf(others, sizeof(others), " and %u other functions", difference.places - 1);
    discrepancies_add(comparison->ret, difference.is_more ? DISCREPANCY_MORE : DISCREPANCY_FEWER,
                      type->name, expected.text, seen.text,
                      "%s: room for %s more %s was predicted on %s%s; the driver offers %s",
                      comparison->situation, expected.text, type->name,
                      difference.parent->name.text, others, seen.text);
}

/* A type that the empty GPU did not list, and that can be made now. */
static void
compare_new_type(const struct comparison *comparison, const struct inventory_type *type)
{
    const struct bounds room = gpu_room_left(comparison->seen, type, NULL);
    const struct discrepancy_text seen = discrepancy_bounds(&room);

    if (inventory_find_type(comparison->predicted->gpu, &type->id) || room.most == 0)
        return;
    discrepancies_add(comparison->ret, DISCREPANCY_APPEARED, type->name, "not listed", seen.text,
                      "%s: the driver offers %s %s, a type that it did not list before",
                      comparison->situation, seen.text, type->name);
}

/* --- what types and limits are ---------------------------------------------------------------- */

static void
compare_figure(const struct comparison *comparison, const struct inventory_type *type,
               const char *what, unsigned predicted, unsigned seen)
{
    char before[16], now[16];

    if (predicted == seen || predicted == 0 || seen == 0)
        return;
    snprintf(before, sizeof(before), "%u", predicted);
    snprintf(now, sizeof(now), "%u", seen);
    discrepancies_add(comparison->ret, DISCREPANCY_MAXIMUM, type->name, before, now,
                      "%s: the %s of type %s was %u before, and is %u now", comparison->situation,
                      what, type->name, predicted, seen);
}

static void
compare_figures(const struct comparison *comparison, const struct inventory_type *type)
{
    const struct inventory_type *seen = inventory_find_type(comparison->seen->gpu, &type->id);

    if (!seen)
        return;
    if (type->max_source != LIMIT_CALCULATED && seen->max_source != LIMIT_CALCULATED)
        compare_figure(comparison, type, "maximum", type->max, seen->max);
    compare_figure(comparison, type, "frame buffer in MiB", type->framebuffer, seen->framebuffer);
}

/* This compares only the driver's own figures, because the other figures follow from them. */
static void
compare_limit(const struct comparison *comparison, size_t index)
{
    const struct limit *limit = gpu_load_limit(comparison->predicted, index);
    const struct limit *now;
    struct bounds predicted, seen;
    char before[16], after[16];

    if (index >= comparison->seen->gpu->limit_count || limit->source != LIMIT_TOLD ||
        !limit->is_memory)
        return;
    now = gpu_load_limit(comparison->seen, index);
    if (now->source != LIMIT_TOLD || strcmp(now->unit, limit->unit) != 0)
        return;
    predicted = gpu_room_rest(comparison->predicted, index);
    seen = gpu_room_rest(comparison->seen, index);
    if (predicted.most == seen.most)
        return;
    snprintf(before, sizeof(before), "%u", predicted.most);
    snprintf(after, sizeof(after), "%u", seen.most);
    discrepancies_add(comparison->ret, DISCREPANCY_MEMORY, limit->unit, before, after,
                      "%s: %u %s were predicted to be free, and the driver's figures leave %u",
                      comparison->situation, predicted.most, limit->unit, seen.most);
}

/* --- parents ---------------------------------------------------------------------------------- */

static void
compare_parents(const struct comparison *comparison, const struct inventory_gpu *in,
                const struct inventory_gpu *not_in, const char *predicted, const char *seen,
                const char *what)
{
    for (size_t i = 0; i < in->parent_count; i++) {
        const struct name *name = &in->parents[i]->name;

        if (!find_parent(not_in, name))
            discrepancies_add(comparison->ret, DISCREPANCY_FUNCTIONS, name->text, predicted, seen,
                              "%s: the driver %s on %s", comparison->situation, what, name->text);
    }
}

void
discrepancies_find(const struct gpu_load *predicted, const struct inventory *seen,
                   const char *situation, struct discrepancies *ret)
{
    const struct inventory_gpu *before = predicted->gpu;
    const struct inventory_gpu *gpu = inventory_find_gpu(seen, &before->name);
    AUTO(gpu_load_clear) struct gpu_load now = {0};
    const struct comparison comparison = {predicted, &now, situation, ret};

    if (!gpu) {
        discrepancies_add(ret, DISCREPANCY_FUNCTIONS, before->name.text, "there", "gone",
                          "%s: the driver offers no vGPUs on %s any more", situation,
                          before->name.text);
        return;
    }
    gpu_load_init(&now, gpu, LOAD_NOW);
    compare_parents(&comparison, before, gpu, "there", "gone", "makes no vGPUs any more");
    compare_parents(&comparison, gpu, before, "not there", "there", "makes vGPUs now");
    for (size_t i = 0; i < before->type_count; i++) {
        compare_type(&comparison, &before->types[i]);
        compare_figures(&comparison, &before->types[i]);
    }
    for (size_t i = 0; i < gpu->type_count; i++)
        compare_new_type(&comparison, &gpu->types[i]);
    for (size_t i = 0; i < before->limit_count; i++)
        compare_limit(&comparison, i);
}
