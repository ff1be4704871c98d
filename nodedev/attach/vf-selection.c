/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/vf-selection.h"
#include "base/array.h"
#include "libvirt/version.h"
#include "placement/boot-wait.h"
#include "placement/feasibility.h"

#include <string.h>

/* --- which are spoken for --------------------------------------------------------------------- */

void
vf_selection_add_own(const struct request *request, struct names *ret)
{
    for (size_t i = 0; i < request->hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];

        if (hostdev->kind == REQUEST_PCI && *hostdev->source.text)
            names_append_new(ret, &hostdev->source);
    }
}

void
vf_selection_add_named(const struct domains *domains, const struct name *but, struct names *ret)
{
    for (size_t i = 0; i < domains->count; i++) {
        const struct domain *domain = &domains->items[i];

        if (name_equal(&domain->uuid, but))
            continue;
        vf_selection_add_own(&domain->live, ret);
        vf_selection_add_own(&domain->config, ret);
    }
}

/* Adds the names of both lists. */
static void
join(const struct names *a, const struct names *b, struct names *ret)
{
    for (size_t i = 0; i < a->count; i++)
        names_append(ret, &a->items[i]);
    for (size_t i = 0; i < b->count; i++)
        names_append(ret, &b->items[i]);
}

/* --- what this host has ----------------------------------------------------------------------- */

static bool
has_functions(const struct inventory *inventory)
{
    return ARRAY_HAS(inventory->parents, inventory->parent_count, parent,
                     (*parent)->interface->hostdev == REQUEST_PCI);
}

/* Writes the device that a hostdev with this source becomes on a parent. */
static struct rewrite_source
take(const struct vgpu_interface *interface, const struct name *parent, const struct name *source)
{
    return (struct rewrite_source){
        .kind = interface->hostdev,
        .is_managed = interface->is_managed,
        .source = interface->hostdev == REQUEST_PCI ? *parent : *source,
    };
}

/* Writes the places of the choices. There is one choice per demand. */
static void
take_all(const struct demands *demands, const struct placement_choice *choices,
         const struct names *sources, struct rewrite_source *ret)
{
    for (size_t i = 0; i < demands->count; i++) {
        const struct inventory_parent *parent = choices[i].place.parent;

        for (size_t k = 0; parent && k < sources->count; k++) {
            if (name_equal(&demands->items[i].hostdev->source, &sources->items[k]))
                ret[k] = take(parent->interface, &parent->name, &sources->items[k]);
        }
    }
}

/* --- what could ever be ----------------------------------------------------------------------- */

struct prospect {
    struct dry_run_sight sight;
    struct demands demands; /* of the sight, in any place; sorted, if some are judged alone */
    struct placement_choice *choices;
    bool is_waiting; /* a GPU of the configuration may still appear */
};

static void
prospect_clear(struct prospect *prospect)
{
    free(prospect->choices);
    demands_clear(&prospect->demands);
    dry_run_sight_clear(&prospect->sight);
}

/* Whether this host could ever give the devices, together with everything else that the domain asks
 * for. Returns 0 and the places, or REFUSED. */
static int
judge(const struct vf_selection_search *search, struct prospect *prospect,
      const struct names *avoided, struct error *error)
{
    struct placement_problem problem = snapshot_problem(&prospect->sight.snapshot, search->request);

    problem.demands = &prospect->demands;
    problem.avoided = avoided;
    switch (feasibility_judge(&problem, prospect->is_waiting, prospect->choices, error)) {
    case FEASIBILITY_NO:
        return REFUSED;
    case FEASIBILITY_UNKNOWN:
        *search->doubt = *error;
        break;
    case FEASIBILITY_YES:
        break;
    }
    error->text[0] = '\0';
    return 0;
}

/* Puts the added demands first and the domain's former demands behind them. Returns the number of
 * added demands. */
static size_t
sort_added(const struct vf_selection_search *search, struct demands *demands)
{
    size_t added = 0;

    for (size_t i = 0; i < demands->count; i++) {
        const struct demand demand = demands->items[i];

        if (demand.freedom == DEMAND_AS_IT_SAYS &&
            !names_has(search->added, &demand.hostdev->source))
            continue;
        memmove(&demands->items[added + 1], &demands->items[added],
                (i - added) * sizeof(demands->items[0]));
        demands->items[added++] = demand;
    }
    return added;
}

/* Judges the devices as judge does. But if this host can never give the domain's former demands,
 * the added ones are judged alone. */
static int
judge_or_alone(const struct vf_selection_search *search, struct prospect *prospect,
               struct error *error)
{
    struct demands *demands = &prospect->demands;
    const struct demands all = *demands;
    int rc = judge(search, prospect, search->taken, error);
    struct error others;
    size_t added;

    if (rc != REFUSED)
        return rc;
    added = sort_added(search, demands);
    demands->items = all.items + added;
    demands->count = all.count - added;
    if (demands->count && judge(search, prospect, search->taken, &others) == REFUSED) {
        *search->others = others;
        demands->items = all.items;
        demands->count = added;
        return judge(search, prospect, search->taken, error);
    }
    *demands = all;
    return rc;
}

static int
look(const struct vf_selection_search *search, struct prospect *prospect, struct error *error)
{
    const struct snapshot *snapshot = &prospect->sight.snapshot;
    int rc = dry_run_look(search->host, search->request, false, &prospect->sight, error);

    if (rc < 0)
        return rc;
    if (!snapshot->demands.count)
        return error_set(error, -EOPNOTSUPP,
                         "vgpu.conf says enabled = false: no guest gets a vGPU here");
    demands_copy(&snapshot->demands, &prospect->demands);
    demands_set_some_free(&prospect->demands, search->sources, search->freedom);
    if (!demands_say_single(&prospect->demands, &snapshot->inventory, search->single))
        *search->single = (struct error){0};
    prospect->is_waiting = boot_wait_left(&snapshot->policy, &snapshot->ledger.drained,
                                          &snapshot->inventory, host_uptime(search->host)) > 0;
    prospect->choices = memory_zeroed(prospect->demands.count, sizeof(*prospect->choices));
    return 0;
}

/* --- what can be now -------------------------------------------------------------------------- */

/* If a start would remove a vGPU to make room, the new vGPU gets that vGPU's place. */
static bool
take_evicted(const struct vf_selection_search *search, const struct dry_run *dry_run,
             const struct names *avoided, struct rewrite_source *ret)
{
    const struct vgpu *first = dry_run->evicted.count ? &dry_run->evicted.leases[0].vgpu : NULL;

    if (!first || search->sources->count != 1 || names_has(avoided, &first->parent))
        return false;
    *ret = take(first->interface, &first->parent, &search->sources->items[0]);
    return true;
}

/* Returns 1 if there are places; 0 with a line in error if there are none now; or -errno. */
static int
ask(const struct vf_selection_search *search, const struct dry_run_sight *sight,
    const struct names *avoided, struct rewrite_source *ret, struct error *error)
{
    const struct dry_run_change change = {
        .sources = search->sources,
        .freedom = search->freedom,
        .avoided = avoided,
        .alone = search->now,
    };
    AUTO(dry_run_clear) struct dry_run dry_run = {0};
    int rc = dry_run_make(&dry_run, sight, search->request, &change, error);

    if (rc < 0)
        return rc;
    if (dry_run.outcome == DRY_RUN_PLACED) {
        take_all(&dry_run.snapshot.demands, dry_run.choices, search->sources, ret);
        return 1;
    }
    if (dry_run.outcome == DRY_RUN_EVICTING && take_evicted(search, &dry_run, avoided, ret))
        return 1;
    *error = dry_run.refusal;
    return 0;
}

static int
find(const struct vf_selection_search *search, struct prospect *prospect,
     struct rewrite_source *ret, struct error *error)
{
    AUTO(names_clear) struct names all = {0};
    int rc = look(search, prospect, error);
    struct error why;

    for (size_t i = 0; i < search->sources->count; i++)
        ret[i] = (struct rewrite_source){.kind = REQUEST_MDEV, .source = search->sources->items[i]};
    if (rc == 0)
        rc = judge_or_alone(search, prospect, error);
    if (rc < 0 || !has_functions(&prospect->sight.snapshot.inventory))
        return rc;
    join(search->named, search->taken, &all);
    rc = ask(search, &prospect->sight, &all, ret, &why);
    if (rc == 0)
        rc = ask(search, &prospect->sight, search->taken, ret, &why);
    if (rc > 0)
        return 0;
    if (rc < 0 || search->now) {
        *error = why;
        return rc < 0 ? rc : REFUSED;
    }
    rc = judge(search, prospect, &all, error);
    if (rc < 0)
        rc = judge(search, prospect, search->taken, error);
    if (rc == 0)
        take_all(&prospect->demands, prospect->choices, search->sources, ret);
    return rc;
}

/* --- what libvirt gives ----------------------------------------------------------------------- */

/* Refuses a choice that libvirt would give to no guest. */
static int
refuse_old_libvirt(const struct vf_selection_search *search, const struct prospect *prospect,
                   const struct rewrite_source *chosen, struct error *error)
{
    const struct demands *demands = &prospect->demands;

    for (size_t i = 0; i < demands->count; i++) {
        const struct demand *demand = &demands->items[i];

        for (size_t k = 0; k < search->sources->count; k++) {
            const struct inventory_parent *parent =
                inventory_find_parent(&prospect->sight.snapshot.inventory, &chosen[k].source);

            if (name_equal(&demand->hostdev->source, &search->sources->items[k]) && parent &&
                version_lacks(search->libvirt, parent->interface))
                return version_refuse(search->libvirt, demand, &parent->name, error);
        }
    }
    return 0;
}

int
vf_selection_find(const struct vf_selection_search *search, struct rewrite_source *ret,
                  struct error *error)
{
    AUTO(prospect_clear) struct prospect prospect = {.sight = DRY_RUN_UNSEEN};
    int rc = find(search, &prospect, ret, error);

    return rc < 0 ? rc : refuse_old_libvirt(search, &prospect, ret, error);
}
