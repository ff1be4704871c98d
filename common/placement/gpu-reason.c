/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/gpu-reason.h"
#include "placement/constraints.h"
#include "placement/fit.h"

#include <stdio.h>
#include <string.h>

/* For a GPU without such a type: whether its driver just does not list the type now. A GPU that
 * lists nothing may have no parents either. */
static enum reason
judge_unlisted(const struct loads *loads, const struct demand *demand,
               const struct inventory_gpu *gpu)
{
    enum reason best = gpu->parent_count ? REASON_NO_TYPE : REASON_NONE;

    for (size_t i = 0; i < gpu->parent_count; i++) {
        const struct place place = {gpu->parents[i], NULL};
        enum reason here = constraints_judge(loads, &demand->terms, &place);

        best = here > best ? here : best;
    }
    return best == REASON_NONE ? REASON_UNLISTED : best;
}

/* Returns the GPU's best reason over all types that satisfy the demand, and where it was found. */
static enum reason
judge_gpu(const struct loads *loads, const struct demand *demand, const struct inventory_gpu *gpu,
          struct fit *fit)
{
    enum reason best = REASON_NO_TYPE;

    for (size_t i = 0; i < gpu->type_count; i++) {
        struct fit here = {0};
        enum reason reason;
        unsigned rank;

        if (!demand_ranks(&demand->terms, &gpu->types[i], &rank))
            continue;
        reason = fit_judge(loads, &demand->terms, &gpu->types[i], &here);
        if (reason <= best)
            continue;
        best = reason;
        *fit = here;
    }
    return best == REASON_NO_TYPE && inventory_may_have_more(gpu)
               ? judge_unlisted(loads, demand, gpu)
               : best;
}

/* Names the vGPUs on a GPU that does not offer a type. */
static void
say_unlisted(const struct loads *loads, const struct inventory_gpu *gpu, char *text, size_t size)
{
    const struct name *type = NULL;

    for (size_t i = 0; i < gpu->vgpu_count; i++) {
        if (!placement_vgpu_is_gone(loads->problem, gpu->vgpus[i]))
            type = &gpu->vgpus[i]->type;
    }
    if (type)
        snprintf(text, size, "does not offer it while it holds %s (%zu in use)", type->text,
                 loads_on(loads, gpu)->kept);
}

/* Tells of a partitioned GPU whose driver lists no type, though the GPU has GPU instances. */
static void
say_lacks_types(const struct inventory_gpu *card, char *text, size_t size)
{
    snprintf(text, size,
             "has %u GPU instance%s (MIG), for which its driver offers no type; see 'vgpuctl "
             "doctor'",
             card->instances, card->instances == 1 ? "" : "s");
}

/* Names the trait. */
static void
say_trait(const struct loads *loads, const struct demand *demand, const struct inventory_gpu *gpu,
          enum reason reason, char *text, size_t size)
{
    const char *trait = "";
    size_t length = constraints_unmet_trait(loads, &demand->terms, gpu, &trait);

    snprintf(text, size, "%s (%.*s)", reason_of_rule(reason), (int)length, trait);
}

/* Names the two types that may not be in one guest. */
static void
say_unlike(const struct loads *loads, const struct inventory_type *type, char *text, size_t size)
{
    const struct inventory_type *other = NULL;
    const char *rule = constraints_unlike(loads, type, &other);

    if (rule)
        snprintf(text, size, "would give it %s beside %s, and %s", type->name, other->name, rule);
}

/* Whether every virtual function of a GPU has a vGPU or is promised. */
static bool
lacks_vf(const struct loads *loads, const struct inventory_gpu *gpu)
{
    const struct gpu_load *load = loads_on(loads, gpu);

    return gpu->parent_count && load->on[0].takes_one && load->kept >= gpu->parent_count;
}

/* How many vGPUs a GPU has, as words: "1 in use, 2 for this guest". `used` counts both. */
struct usage_words {
    char text[80];
};

static struct usage_words
say_used(const struct loads *loads, const struct inventory_gpu *gpu, size_t used)
{
    struct usage_words ret;
    size_t own = 0;

    for (size_t i = 0; i < loads->place_count; i++)
        own += loads->places[i].at.parent->gpu == gpu && !loads->places[i].is_there;
    if (own)
        snprintf(ret.text, sizeof(ret.text), "%zu in use, %zu for this guest", used - own, own);
    else
        snprintf(ret.text, sizeof(ret.text), "%zu in use", used);
    return ret;
}

/* Tells what a full GPU is full of, and how many of how many vGPUs it has. On a GPU with several
 * sizes, a calculated maximum says nothing of that: other sizes take the room. */
static void
say_full(const struct loads *loads, const struct inventory_type *type, size_t used, char *text,
         size_t size)
{
    const struct inventory_gpu *gpu = type->gpu;
    const struct name *other = NULL;
    bool same = false;

    for (size_t i = 0; i < gpu->vgpu_count; i++) {
        const struct inventory_vgpu *vgpu = gpu->vgpus[i];

        if (placement_vgpu_is_gone(loads->problem, vgpu))
            continue;
        if (name_equal(&vgpu->type, &type->id))
            same = true;
        else if (*vgpu->type.text)
            other = &vgpu->type;
    }
    if (!same && other)
        snprintf(text, size, "holds %s (%s)", other->text, say_used(loads, gpu, used).text);
    else if (used == 0)
        snprintf(text, size, "does not offer it now, though nothing is on it%s",
                 inventory_withholds(gpu) && !strcmp(gpu->driver.text, "nvidia")
                     ? "; see 'vgpuctl doctor'"
                     : "");
    else if (used < type->max && lacks_vf(loads, gpu))
        snprintf(text, size, "has no free virtual function (%s)", say_used(loads, gpu, used).text);
    else if (type->max && (gpu->one_size || type->max_source != LIMIT_CALCULATED))
        snprintf(text, size, "is full (%zu of %u)", used, type->max);
    else
        snprintf(text, size, "is full (%s)", say_used(loads, gpu, used).text);
}

/* Tells who has the only place that fits. */
static void
say_taken(const struct loads *loads, const struct name *vf, char *text, size_t size)
{
    const struct inventory_vgpu *vgpu = placement_vgpu(loads->problem, vf);
    const struct lease *lease = placement_lease(loads->problem, vf);
    const char *of = lease ? " of the guest " : "", *whom = lease ? lease->domain_name : "";

    if (vgpu)
        snprintf(text, size, "has a vGPU%s%s there already (%s)", of, whom, vgpu->type.text);
    else if (lease)
        snprintf(text, size, "has a place there%s%s (%s)", of, whom,
                 lease_state_name(lease->state));
}

/* Tells who has the function that came closest. */
static void
say_in_use(const struct demand *demand, const struct inventory_parent *on, char *text, size_t size)
{
    if (demand_vf(demand))
        snprintf(text, size, "is in use by process %s", on->user);
    else
        snprintf(text, size, "has no free function (%s is in use by process %s)", on->name.text,
                 on->user);
}

static void
say_quota(const struct loads *loads, const struct inventory_type *type, char *text, size_t size,
          struct gpu_figures *figures)
{
    size_t used = 0;
    const struct policy_quota *quota = constraints_exceeded_quota(loads, type, &used);

    if (!quota)
        return;
    figures->used = (int64_t)used;
    figures->limit = quota->max;
    snprintf(text, size, "has it, but the quota of %u for class %s is used up (%zu; %s)",
             quota->max, quota->class, used, quota->origin);
}

/* A limit of 0 is a limit that nobody knows. */
static void
count_full(const struct fit *fit, struct gpu_figures *figures)
{
    figures->used = (int64_t)fit->used;
    figures->limit = fit->place.type->max ? (int64_t)fit->place.type->max : -1;
}

static void
say_room(const struct loads *loads, const struct fit *fit, char *text, size_t size)
{
    const struct bounds *left = &fit->left;
    const struct usage_words used = say_used(loads, fit->place.type->gpu, fit->used);

    if (left->most == BOUNDS_ANY)
        snprintf(text, size, "has room for at least %u (%s)", left->least, used.text);
    else if (left->least == left->most)
        snprintf(text, size, "has room for %u (%s)", left->most, used.text);
    else if (left->least > 0)
        snprintf(text, size, "has room for %u, perhaps for up to %u (%s)", left->least, left->most,
                 used.text);
    else
        snprintf(text, size, "may have room for up to %u (%s)", left->most, used.text);
}

static void
say_other_kind(const struct inventory_gpu *gpu, char *text, size_t size)
{
    snprintf(text, size, "makes vGPUs for <hostdev type='%s'> only",
             gpu->parents[0]->interface->hostdev == REQUEST_PCI ? "pci" : "mdev");
}

const struct gpu_figures gpu_figures_none = {-1, -1, -1, -1};

void
gpu_reason_tell(const struct loads *loads, const struct demand *demand,
                const struct inventory_gpu *gpu, struct gpu_reason *ret)
{
    struct fit fit = {0};
    enum reason reason = judge_gpu(loads, demand, gpu, &fit);
    const struct place *place = &fit.place;
    const struct placement_rejection *refusal;
    char *text = ret->text;
    size_t size = sizeof(ret->text);

    ret->reason = reason;
    ret->figures = gpu_figures_none;
    snprintf(text, size, "%s", reason_of_rule(reason));
    if (gpu->is_silent && (reason == REASON_UNREADABLE || reason == REASON_UNLISTED)) {
        snprintf(text, size, "has a driver that does not answer; see the kernel's log");
        return;
    }
    if (inventory_lacks_types(gpu) && (reason == REASON_FULL || reason == REASON_UNLISTED)) {
        say_lacks_types(gpu, text, size);
        return;
    }
    if (reason == REASON_UNREADABLE)
        snprintf(text, size, "does not tell its room (%s)",
                 strerror(gpu_room_at(loads_on(loads, gpu), place).error));
    if (reason == REASON_DISABLED)
        snprintf(text, size, "is disabled by %s",
                 policy_find_gpu(loads->problem->policy, &gpu->name)->origin);
    if (reason == REASON_OTHER_KIND)
        say_other_kind(gpu, text, size);
    if (reason == REASON_OTHER_VF && !demand_vf(demand))
        snprintf(text, size, "has no virtual function left that may be named");
    if (reason == REASON_LACKS_TRAIT || reason == REASON_HAS_TRAIT)
        say_trait(loads, demand, gpu, reason, text, size);
    if (reason == REASON_UNLIKE)
        say_unlike(loads, place->type, text, size);
    if (reason == REASON_UNLISTED)
        say_unlisted(loads, gpu, text, size);
    if (reason == REASON_FULL) {
        count_full(&fit, &ret->figures);
        say_full(loads, place->type, fit.used, text, size);
    }
    if (reason == REASON_FULL && demand_vf(demand))
        say_taken(loads, demand_vf(demand), text, size);
    if (reason == REASON_IN_USE)
        say_in_use(demand, place->parent, text, size);
    if (reason == REASON_QUOTA)
        say_quota(loads, place->type, text, size, &ret->figures);
    if (reason == REASON_REJECTED && (refusal = loads_find_rejection(loads, place->type)))
        snprintf(text, size, "refused it (%s)", strerror(-refusal->error));
    if (reason == REASON_NONE) {
        count_full(&fit, &ret->figures);
        ret->figures.room = bounds_figure(&fit.left);
        ret->figures.room_at_most = bounds_most(&fit.left);
        say_room(loads, &fit, text, size);
    }
}
