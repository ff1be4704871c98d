/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/remote-placement.h"
#include "base/array.h"
#include "base/text.h"
#include "placement/placement.h"

#include <stdio.h>
#include <string.h>

/* --- what there is ---------------------------------------------------------------------------- */

/* The guest that runs with a device. Another one may only name it for its next start. */
static const struct domain *
find_holder(const struct remote_host *host, const struct name *device)
{
    const struct domain *user = NULL;

    while ((user = domains_next_user(&host->domains, device, user))) {
        if (user->is_running && request_find_hostdev(&user->live, device))
            break;
    }
    return user;
}

static struct lease
lease_of(const struct remote_host *host, const struct inventory_vgpu *vgpu)
{
    const struct domain *holder = find_holder(host, &vgpu->device);
    struct lease lease = {
        .vgpu = {.interface = vgpu->parent->interface,
                 .device = vgpu->device,
                 .type = vgpu->type,
                 .parent = vgpu->parent->name},
        .gpu = vgpu->parent->gpu->name,
        .state = holder ? LEASE_HELD : LEASE_KEPT,
    };

    if (holder) {
        lease.domain = holder->uuid;
        snprintf(lease.domain_name, sizeof(lease.domain_name), "%s", holder->name);
    }
    return lease;
}

void
remote_placement_init(struct remote_placement *placement, const struct remote_host *host,
                      const struct request *request, enum demand_freedom freedom)
{
    const struct inventory *inventory = &host->inventory;

    *placement = (struct remote_placement){
        .host = host,
        .request = request,
        .freedom = freedom,
        .demands = {.nodes = request->nodes},
    };
    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        const struct lease lease = lease_of(host, inventory->vgpus[i]);

        ledger_add(&placement->ledger, &lease);
    }
}

void
remote_placement_clear(struct remote_placement *placement)
{
    for (size_t i = 0; i < placement->class_count; i++) {
        words_clear(&placement->classes[i]->types);
        free(placement->classes[i]);
    }
    free(placement->classes);
    demands_clear(&placement->demands);
    ledger_clear(&placement->ledger);
    *placement = (struct remote_placement){0};
}

/* --- what is asked ---------------------------------------------------------------------------- */

/* A class of the types that will do there. Demands that want the same share it. */
static const struct policy_class *
class_of(struct remote_placement *placement, const struct inventory_filter *types,
         const char *wanted)
{
    struct policy_class *const *known = ARRAY_FIND(placement->classes, placement->class_count, each,
                                                   !strcmp((*each)->name, wanted));
    const struct inventory_type *type = NULL;
    struct policy_class *class;

    if (known)
        return *known;
    class = memory_zeroed(1, sizeof(*class));
    class->name = (char *)wanted;
    while ((type = inventory_next_type(&placement->host->inventory, type))) {
        if (types->wants(type, types->data) && !words_has(&class->types, type->id.text))
            words_add(&class->types, type->id.text);
    }
    ARRAY_ADD(placement->classes, placement->class_count, class);
    return class;
}

/* The traits of GPUs there, and what a class means there, only the configuration there says. */
void
remote_placement_add(struct remote_placement *placement, const struct demand *demand,
                     const struct inventory_filter *types, const char *wanted)
{
    struct demand there = *demand;
    struct attributes *attributes = &there.terms.attributes;

    there.terms.class = class_of(placement, types, wanted);
    there.wanted = wanted;
    attributes->said[ATTRIBUTE_TRAITS] = NULL;
    /* The nodes of its processors are not known there. */
    if (nodeset_is_empty(&placement->request->nodes) &&
        !nodeset_is_empty(&placement->request->processors))
        attributes->chosen[ATTRIBUTE_NUMA] = NUMA_IGNORE;
    /* Types that share a GPU may not fit together. */
    attributes->chosen[ATTRIBUTE_PLACEMENT] = ORDER_SPREAD;
    demand_set_free(&there, placement->freedom);
    ARRAY_ADD(placement->demands.items, placement->demands.count, there);
}

/* --- the answer ------------------------------------------------------------------------------- */

/* Whether two types without a known size would come together on a GPU. libvirt does not tell
 * whether the GPU takes both. */
static const struct inventory_gpu *
find_mixed(const struct placement_choice *choices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct inventory_type *type = choices[i].place.type;

        if (ARRAY_HAS(choices, i, other,
                      other->place.type->gpu == type->gpu && other->place.type != type &&
                          (!type->framebuffer || !other->place.type->framebuffer)))
            return type->gpu;
    }
    return NULL;
}

static const struct policy forbids_nothing = {.enabled = true};

static struct placement_problem
problem_of(const struct remote_placement *placement, const struct demands *demands)
{
    return (struct placement_problem){
        .request = placement->request,
        .demands = demands,
        .policy = &forbids_nothing,
        .inventory = &placement->host->inventory,
        .ledger = &placement->ledger,
        .certainty = PLACEMENT_SURE,
    };
}

/* Whether there may be a place for each, without the vGPUs of these leases; `unlike`: if vgpu.conf
 * there has unlike_vgpus. */
static bool
may_fit(const struct placement_problem *problem, const struct ledger *gone, bool unlike)
{
    AUTO_FREE struct placement_choice *choices =
        memory_zeroed(problem->demands->count, sizeof(*choices));
    struct demands demands = *problem->demands;
    struct placement_problem then = *problem;
    struct error error;

    demands.may_be_unlike |= unlike;
    then.demands = &demands;
    then.host = PLACEMENT_WITHOUT_OURS;
    then.certainty = PLACEMENT_TRY;
    then.ledger = gone;
    return placement_find(&then, choices, &error) == 0 || error.class == ERROR_UNDECIDED;
}

/* Whether a running guest there has a device that this guest must have. */
static bool
is_taken(const struct remote_placement *placement)
{
    const struct demands *demands = &placement->demands;

    for (size_t i = 0; placement->freedom == DEMAND_AS_IT_SAYS && i < demands->count; i++) {
        const struct request_hostdev *hostdev = demands->items[i].hostdev;
        const struct lease *lease =
            hostdev ? ledger_find(&placement->ledger, &hostdev->source) : NULL;

        if (lease && lease->state == LEASE_HELD)
            return true;
    }
    return false;
}

/* Removes the leases of running guests. */
static void
keep_idle(struct ledger *ledger)
{
    for (size_t i = ledger->count; i > 0; i--) {
        if (ledger->leases[i - 1].state == LEASE_HELD)
            ledger_remove(ledger, &ledger->leases[i - 1]);
    }
}

static void
name_places(const struct demands *demands, const struct placement_choice *choices, char *text,
            size_t size)
{
    struct text list = text_on(text, size);

    for (size_t i = 0; i < demands->count; i++)
        text_join(&list, ", ", "%s%s on %s", i ? "" : "there is room for ", demands->items[i].label,
                  choices[i].place.parent->gpu->name.text);
}

enum migrate_answer
remote_placement_judge(const struct remote_placement *placement, char *text, size_t size)
{
    const struct ledger nothing = {0};
    const struct placement_problem now = problem_of(placement, &placement->demands);
    AUTO_FREE struct placement_choice *choices =
        memory_zeroed(placement->demands.count, sizeof(*choices));
    AUTO(ledger_clear) struct ledger idle = {0};
    const struct inventory_gpu *mixed;
    struct error error;

    if (placement_find(&now, choices, &error) == 0) {
        mixed = find_mixed(choices, placement->demands.count);
        if (!mixed) {
            name_places(&placement->demands, choices, text, size);
            return MIGRATE_YES;
        }
        snprintf(text, size, "whether %s takes several types together is not told",
                 mixed->name.text);
        return MIGRATE_UNKNOWN;
    }
    snprintf(text, size, "%s", error.text);
    if (error.class == ERROR_UNDECIDED)
        return MIGRATE_UNKNOWN;
    if (is_taken(placement))
        return MIGRATE_NO;
    if (may_fit(&now, &nothing, false)) {
        snprintf(text, size, "%s; but whether a GPU there takes more is not told", error.text);
        return MIGRATE_UNKNOWN;
    }
    ledger_copy(&placement->ledger, &idle);
    keep_idle(&idle);
    if (may_fit(&now, &idle, false)) {
        snprintf(text, size, "%s; but no running guest has %zu of the vGPUs there", error.text,
                 idle.count);
        return MIGRATE_UNKNOWN;
    }
    if (may_fit(&now, &idle, true)) {
        snprintf(text, size, "%s; but whether vgpu.conf there has unlike_vgpus is not told",
                 error.text);
        return MIGRATE_UNKNOWN;
    }
    return MIGRATE_NO;
}

/* --- how many such guests --------------------------------------------------------------------- */

/* A vGPU that an earlier guest would have. Its name is a number. */
static struct lease
claim_of(const struct placement_choice *choice, size_t number)
{
    const struct inventory_parent *parent = choice->place.parent;
    const struct inventory_type *type = choice->place.type;
    struct lease lease = {
        .vgpu = {.interface = parent->interface, .type = type->id, .parent = parent->name},
        .framebuffer = type->framebuffer,
        .gpu = parent->gpu->name,
        .state = LEASE_PENDING,
    };

    snprintf(lease.vgpu.device.text, sizeof(lease.vgpu.device.text), "%zu", number);
    return lease;
}

/* One guest comes after the other, and what the earlier ones have is claimed. Each has sources of
 * its own. */
size_t
remote_placement_count(const struct remote_placement *placement, size_t most)
{
    AUTO(demands_clear) struct demands demands = {0};
    AUTO(ledger_clear) struct ledger ledger = {0};
    AUTO_FREE struct placement_choice *all = NULL;
    struct placement_problem problem = problem_of(placement, &demands);
    size_t guests = 0, count = 0, effort = 0;
    struct error ignored;

    demands_copy(&placement->demands, &demands);
    demands_set_free(&demands, DEMAND_ANY_KIND);
    ledger_copy(&placement->ledger, &ledger);
    problem.ledger = &ledger;
    problem.effort = &effort;
    for (; guests < most; guests++) {
        AUTO_FREE struct placement_choice *choices = memory_zeroed(demands.count, sizeof(*choices));

        if (placement_find(&problem, choices, &ignored) < 0)
            break;
        for (size_t i = 0; i < demands.count; i++) {
            const struct lease lease = claim_of(&choices[i], count);

            ARRAY_ADD(all, count, choices[i]);
            ledger_add(&ledger, &lease);
        }
        if (find_mixed(all, count))
            break;
    }
    return guests;
}
