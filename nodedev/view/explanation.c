/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/explanation.h"
#include "base/array.h"
#include "cli/say.h"
#include "placement/alternatives.h"

#include <string.h>

#define MOST_OTHERS 8 /* at most so many virtual functions are named */

/* Prints a fact about a device. */
static void FORMAT(3, 4) tell(FILE *out, const char *what, const char *format, ...)
{
    va_list args;

    say_part(out, "  %-9s ", what);
    va_start(args, format);
    say_vpart(out, format, args);
    va_end(args);
    say_end(out);
}

static void
tell_lease(const struct lease *lease, bool with_domain, FILE *out)
{
    const char *alias = *lease->alias ? lease->alias : "no alias";

    say_line(out, "  %s (%s): %s on %s, %s%s%s", lease->vgpu.device.text,
             with_domain ? lease->domain_name : alias, lease->vgpu.type.text,
             lease->vgpu.parent.text, lease_state_name(lease->state),
             lease->origin == LEASE_FOUND ? ", made by somebody else" : "",
             lease->release == LEASE_KEEP && lease->state != LEASE_KEPT ? ", to be kept" : "");
}

static void
tell_leases(const struct domain_source *source, const struct ledger *ledger, FILE *out)
{
    const struct request *request = &source->request;

    if (!ledger_has_domain(ledger, &request->domain)) {
        if (source->domain.is_running)
            say_line(out, "%s runs, and has no vGPU.", request->name);
        return;
    }
    say_line(out, "%s %s:", request->name, source->domain.is_running ? "runs, and has" : "has");
    for (size_t i = 0; i < ledger->count; i++) {
        if (name_equal(&ledger->leases[i].domain, &request->domain))
            tell_lease(&ledger->leases[i], false, out);
    }
}

static bool
has_all(const struct dry_run *dry_run)
{
    return dry_run->outcome == DRY_RUN_PLACED &&
           !ARRAY_HAS(dry_run->choices, dry_run->snapshot.demands.count, choice,
                      choice->way == PLACEMENT_CREATE);
}

struct verdict {
    const char *word; /* for programs; it stays the same in all versions */
    const char *sentence;
};

/* How a start would end. Set `for_what_runs` if the domain runs and nothing more is asked for. */
static const struct verdict *
judge(const struct dry_run *dry_run, bool for_what_runs)
{
    static const struct verdict has = {"has", "has all it asks for"};
    static const struct verdict differs = {
        "differs", "what it has differs from what a start would give it now"};
    static const struct verdict of_outcome[] = {
        [DRY_RUN_NOTHING] = {"nothing", "is to get none"},
        [DRY_RUN_PLACED] = {"yes", "can have all it asks for"},
        [DRY_RUN_EVICTING] =
            {"after-removal",
             "can have all it asks for, once something is removed that nobody uses"},
        [DRY_RUN_REFUSED] = {"no", "cannot have what it asks for"},
    };

    if (has_all(dry_run))
        return &has;
    return for_what_runs ? &differs : &of_outcome[dry_run->outcome];
}

static void
tell_source(const struct demand *demand, FILE *out)
{
    static const char *const words[] = {
        [DEMAND_ANNOTATION] = "its <vgpu:device>",
        [DEMAND_DOMAINS] = "domains",
        [DEMAND_ALIAS] = "its alias",
        [DEMAND_DEFAULT] = "default_class",
    };

    say_paragraph(out, "%s: %s %s (said by %s%s%s)", demand->label,
                  demand->terms.class ? "class" : "type", demand->wanted, words[demand->source],
                  demand->origin ? ", " : "", demand->origin ? demand->origin : "");
}

struct ranked {
    const struct inventory_type *type;
    unsigned rank;
};

static int
by_rank(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;

    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return strcmp(left->type->id.text, right->type->id.text);
}

/* Returns the types on this host that satisfy the demand, the best first. The caller frees the
 * array. */
static void
rank_types(const struct inventory *inventory, const struct demand *demand, struct ranked **ret,
           size_t *count)
{
    struct ranked ranked = {0};

    while ((ranked.type = inventory_next_type(inventory, ranked.type))) {
        if (demand_ranks(&demand->terms, ranked.type, &ranked.rank))
            ARRAY_ADD(*ret, *count, ranked);
    }
    if (*count > 1)
        qsort(*ret, *count, sizeof(**ret), by_rank);
}

static void
tell_types(const struct inventory *inventory, const struct demand *demand, FILE *out)
{
    AUTO_FREE struct ranked *ranked = NULL;
    size_t count = 0;

    rank_types(inventory, demand, &ranked, &count);
    say_part(out, "  %-9s ", "types");
    for (size_t i = 0; i < count; i++) {
        const struct inventory_type *type = ranked[i].type;

        if (i == 0 || !name_equal(&type->id, &ranked[i - 1].type->id))
            say_part(out, "%s%s (%s)", i ? ", " : "", type->id.text, type->name);
    }
    say_line(out, "%s", count ? "" : "no GPU here has one");
}

static void
say_nodes(const struct nodeset *nodes, FILE *out)
{
    const char *between = "; the guest is bound to node ";

    for (unsigned i = 0; i < NODESET_MOST; i++) {
        if (!nodeset_has(nodes, i))
            continue;
        say_part(out, "%s%u", between, i);
        between = ", ";
    }
}

/* Prints what the request says of an attribute, or the policy. A class adds its traits. */
static void
tell_attribute(const struct nodeset *nodes, const struct demand_terms *terms,
               enum attribute attribute, FILE *out)
{
    const char *text = attributes_text(&terms->attributes, attribute);
    bool has_more = attribute == ATTRIBUTE_TRAITS && terms->class;
    size_t count = has_more ? terms->class->traits.count : 0;

    if (!text && !count)
        return;
    say_part(out, "  %-9s %s", attribute_names[attribute], text ? text : "");
    for (size_t i = 0; i < count; i++)
        say_part(out, "%s%s", i || text ? ", " : "", terms->class->traits.items[i]);
    if (attribute == ATTRIBUTE_NUMA)
        say_nodes(nodes, out);
    say_end(out);
}

/* Prints the device that the XML names. For a virtual function it also prints the GPU. */
static void
tell_device(const struct inventory *inventory, const struct demand *demand, FILE *out)
{
    const struct name *device = &demand->hostdev->source;
    const struct inventory_ineligible *ineligible =
        ARRAY_FIND(inventory->ineligible, inventory->ineligible_count, each,
                   name_equal(&each->device, device));
    const struct inventory_parent *function = inventory_find_parent(inventory, device);

    if (demand_vf(demand) && function)
        tell(out, "device", "%s, a virtual function of %s", device->text, function->gpu->name.text);
    else if (ineligible)
        tell(out, "device", "%s, %s", device->text, ineligible->why);
    else
        tell(out, "device", "%s", device->text);
}

/* Prints the virtual functions that the XML could name instead. */
static void
tell_functions(const struct loads *loads, const struct demand *demand, FILE *out)
{
    char text[MOST_OTHERS * sizeof(struct name)];
    struct text list = text_on(text, sizeof(text));
    size_t count = alternatives_list(loads, demand, NULL, MOST_OTHERS, &list);

    if (count > MOST_OTHERS)
        tell(out, "others", "%s, and %zu more", text, count - MOST_OTHERS);
    else if (demand_vf(demand))
        tell(out, "others", "%s", count ? text : "none could take it now");
}

static void
tell_wish(const struct dry_run *dry_run, const struct demand *demand, FILE *out)
{
    char params[VGPU_PARAMS];

    tell_source(demand, out);
    tell_device(&dry_run->snapshot.inventory, demand, out);
    tell_types(&dry_run->snapshot.inventory, demand, out);
    for (enum attribute i = ATTRIBUTE_PARENT; i < ATTRIBUTES; i++)
        tell_attribute(&dry_run->snapshot.demands.nodes, &demand->terms, i, out);
    demand_params(demand, params, sizeof(params));
    if (*params)
        tell(out, "params", "%s", params);
}

static void
tell_place(const struct dry_run *dry_run, size_t demand, FILE *out)
{
    const struct placement_choice *choice = &dry_run->choices[demand];
    const struct place *place = &choice->place;
    const char *const ways[] = {
        [PLACEMENT_CREATE] = "to be made",
        [PLACEMENT_REUSE] = "there already",
        [PLACEMENT_FOREIGN] = "there already, made by somebody else",
    };

    if (!dry_run_is_chosen(dry_run, demand))
        return;
    tell(out, "place", "%s, as %s (%s): %s", place->parent->name.text, place->type->id.text,
         place->type->name, ways[choice->way]);
}

static void
tell_gpus(const struct dry_run *dry_run, size_t demand, FILE *out)
{
    AUTO(dry_run_loads_clear) struct dry_run_loads loads = {0};
    const struct inventory *inventory = &dry_run->snapshot.inventory;
    int width = 0;

    dry_run_loads_init(&loads, dry_run, demand);
    tell_functions(&loads.now, &dry_run->snapshot.demands.items[demand], out);
    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++) {
        int length = (int)strlen(inventory->gpus[gpu]->name.text);

        width = length > width ? length : width;
    }
    say_line(out, "  GPUs");
    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++) {
        struct gpu_reason why;
        enum dry_run_answer answer =
            dry_run_judge(dry_run, &loads, demand, inventory->gpus[gpu], &why);

        say_line(out, "    %-*s  %-8s  %s", width, inventory->gpus[gpu]->name.text,
                 dry_run_answer_words[answer], why.text);
    }
}

static void
tell_leases_of(const struct ledger *ledger, bool with_domain, FILE *out)
{
    for (size_t i = 0; i < ledger->count; i++)
        tell_lease(&ledger->leases[i], with_domain, out);
}

/* Prints what would delay a start, in the order of the start's steps. */
static void
tell_step(const struct dry_run *dry_run, enum start_step step, const char *name, FILE *out)
{
    switch (step) {
    case START_PAUSE:
        say_paragraph(out,
                      "A start would wait: these of %s are still being made or removed:", name);
        tell_leases_of(&dry_run->busy, false, out);
        break;
    case START_REMOVE_OWN:
        say_paragraph(out,
                      "A start would first remove what %s has and does not want as it is:", name);
        tell_leases_of(&dry_run->unwanted, false, out);
        break;
    case START_REMOVE_OTHERS:
        say_paragraph(out, "To make room, a start would remove%s:",
                      dry_run->evicted.count > 1 ? ", in this order and no more than needed" : "");
        tell_leases_of(&dry_run->evicted, true, out);
        break;
    default:
        say_paragraph(out,
                      "A start would wait up to %u s for a GPU of vgpu.conf that is not there yet.",
                      (dry_run->boot_wait_left + 999) / 1000);
        break;
    }
}

void
explanation_tell(const struct domain_source *source, const struct ledger *ledger,
                 const struct dry_run *dry_run, bool with_more)
{
    FILE *out = source->call->out;
    const struct demands *demands = &dry_run->snapshot.demands;
    const struct request *request = &source->request;
    bool is_running = source->domain.is_running;

    tell_leases(source, ledger, out);
    if (!dry_run->snapshot.policy.enabled)
        say_line(out, "%s says enabled = false: until it says true, no guest is given a vGPU.",
                 dry_run->snapshot.policy.enabled_origin);
    else if (demands->count == 0)
        say_line(out, "%s asks for no vGPU.", request->name);
    else
        say_line(out, "%s %s %zu vGPU%s%s, and %s.", request->name,
                 with_more ? "would ask for" : "asks for", demands->count,
                 demands->count == 1 ? "" : "s", with_more && is_running ? " more" : "",
                 judge(dry_run, is_running && !with_more)->sentence);
    for (size_t i = 0; i < demands->count; i++) {
        tell_wish(dry_run, &demands->items[i], out);
        tell_place(dry_run, i, out);
        tell_gpus(dry_run, i, out);
    }
    if (!is_running || with_more)
        for (size_t i = 0; i < dry_run->step_count; i++)
            tell_step(dry_run, dry_run->steps[i], request->name, out);
    if (dry_run->settles && (!is_running || with_more))
        say_paragraph(out, "A start would wait up to 3 s, and look again: a vGPU was just removed, "
                           "and the driver may not show the room yet.");
}

/* --- for programs ----------------------------------------------------------------------------- */

static void
put_leases(const struct ledger *ledger, struct json *json)
{
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        json_open(json, NULL, '{');
        json_text(json, "device", lease->vgpu.device.text);
        json_text(json, "type", lease->vgpu.type.text);
        json_text(json, "parent", lease->vgpu.parent.text);
        json_text(json, "gpu", lease->gpu.text);
        json_text(json, "domain", lease->domain_name);
        json_text(json, "domain-uuid", lease->domain.text);
        json_text(json, "alias", lease->alias);
        json_text(json, "state", lease_state_name(lease->state));
        json_close(json, '}');
    }
}

/* Puts the leases that a step of a start is about, if the start takes that step. */
static void
put_step(const struct dry_run *dry_run, enum start_step step, const struct ledger *ledger,
         struct json *json)
{
    if (ARRAY_HAS(dry_run->steps, dry_run->step_count, each, *each == step))
        put_leases(ledger, json);
}

void
explanation_put(const struct domain_source *source, const struct dry_run *dry_run, bool with_more,
                bool is_refused, struct json *json)
{
    static const struct dry_run no_start;
    bool for_what_runs = source->domain.is_running && !with_more;
    const struct dry_run *start = for_what_runs ? &no_start : dry_run;

    json_text(json, "verdict", is_refused ? "no" : judge(dry_run, for_what_runs)->word);
    json_open(json, "removes", '[');
    put_step(start, START_REMOVE_OWN, &start->unwanted, json);
    put_step(start, START_REMOVE_OTHERS, &start->evicted, json);
    json_close(json, ']');
    json_open(json, "waits-for", '[');
    put_step(start, START_PAUSE, &start->busy, json);
    json_close(json, ']');
    if (start->settles)
        json_flag(json, "settles", true);
    if (ARRAY_HAS(start->steps, start->step_count, step, *step == START_WAIT_FOR_BOOT))
        json_number(json, "boot-wait", (start->boot_wait_left + 999) / 1000);
}
