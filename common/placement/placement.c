/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/placement.h"
#include "base/array.h"
#include "base/suggest.h"
#include "base/text.h"
#include "device/type-name.h"
#include "placement/alternatives.h"
#include "placement/candidate.h"
#include "placement/gpu-reason.h"
#include "placement/search.h"

#include <stdio.h>
#include <string.h>

/* --- why there is none ------------------------------------------------------------------------ */

/*
 * The line that a person reads when demands cannot be met, and its class. Both functions return
 * REFUSED. error has that line, and which line of the XML it is about. The class is ERROR_NO_ROOM
 * if what is against some GPU may pass (reason.h), else ERROR_NEVER.
 */

#define LEAST_ALIKE 4  /* so many GPUs with the same reason share one sentence */
#define MOST_NAMED  4  /* GPUs that such a sentence names */
#define MOST_TYPES  12 /* types that are listed; for more, a command is named */

static void
list_types(const struct inventory *inventory, char *text, size_t size)
{
    const struct inventory_type *type = NULL;
    struct text list = text_on(text, size);
    size_t count = 0;

    text_add(&list, "there are: ");
    while (!list.is_cut && (type = inventory_next_type(inventory, type))) {
        char word[sizeof(type->id.text) + sizeof(type->name) + 8];

        snprintf(word, sizeof(word), "%s (%s)", type->id.text, type->name);
        if (!strstr(text, word))
            text_add(&list, "%s%s", count++ ? ", " : "", word);
    }
    if (count == 0)
        snprintf(text, size, "the GPUs here offer no type");
    else if (count > MOST_TYPES)
        snprintf(text, size, "'vgpuctl types' lists those that there are");
}

/* Guesses a type by any of the words that people use for it. */
static struct suggest
guess_type(const struct inventory *inventory, const char *wanted)
{
    struct suggest suggest = SUGGEST(wanted);
    const struct inventory_type *type = NULL;

    while ((type = inventory_next_type(inventory, type)))
        type_name_suggest(type, &suggest);
    return suggest;
}

static bool
may_have_type(const struct inventory *inventory, const struct demand *demand)
{
    for (size_t gpu = 0; gpu < inventory->gpu_count; gpu++) {
        if (demand_count_types(&demand->terms, inventory->gpus[gpu]) ||
            inventory_may_have_more(inventory->gpus[gpu]))
            return true;
    }
    return false;
}

/* Why a device is no parent. */
static const char *
find_why(const struct inventory *inventory, const struct name *device)
{
    for (size_t i = 0; i < inventory->ineligible_count; i++) {
        if (name_equal(&inventory->ineligible[i].device, device))
            return inventory->ineligible[i].why;
    }
    return "which takes no vGPUs here";
}

/* Adds GPUs with the same reason: "0000:18:00.0 is full (16 of 16)", or, for several, "each of A
 * and B is full (16 of 16)". */
static void
add_group(const struct inventory_gpu *const *gpus, size_t count, const char *reason,
          struct text *text)
{
    size_t named = count <= MOST_NAMED ? count : MOST_NAMED - 1;

    text_join(text, ", ", "%s%s", count > 1 ? "each of " : "", gpus[0]->name.text);
    for (size_t i = 1; i < named; i++)
        text_add(text, "%s%s", i + 1 == count ? " and " : ", ", gpus[i]->name.text);
    if (named < count)
        text_add(text, " and %zu others", count - named);
    text_add(text, " %s", reason);
}

/* Lists the reasons of all GPUs, equal ones together. Returns whether room on any would help. */
static bool
list_reasons(const struct loads *loads, const struct demand *demand, char *text, size_t size)
{
    const struct inventory *inventory = loads->problem->inventory;
    size_t count = inventory->gpu_count;
    struct text list = text_on(text, size);
    AUTO_FREE struct gpu_reason *reasons = memory_zeroed(count, sizeof(*reasons));
    AUTO_FREE const struct inventory_gpu **same = memory_zeroed(count, sizeof(const void *));
    bool helps = false;

    for (size_t gpu = 0; gpu < count; gpu++) {
        gpu_reason_tell(loads, demand, inventory->gpus[gpu], &reasons[gpu]);
        helps |= reason_may_pass(reasons[gpu].reason);
        if (reasons[gpu].reason == REASON_NONE)
            reasons[gpu].text[0] = '\0';
    }
    for (size_t gpu = 0; gpu < count && !list.is_cut; gpu++) {
        size_t alike = 0;

        if (!*reasons[gpu].text)
            continue;
        for (size_t other = gpu; other < count; other++) {
            if (!strcmp(reasons[other].text, reasons[gpu].text))
                same[alike++] = inventory->gpus[other];
        }
        alike = alike < LEAST_ALIKE ? 1 : alike;
        add_group(same, alike, reasons[gpu].text, &list);
        for (size_t i = 1; i < alike; i++)
            reasons[same[i]->index].text[0] = '\0';
    }
    return helps;
}

static enum error_class
class_of(bool room_helps)
{
    return room_helps ? ERROR_NO_ROOM : ERROR_NEVER;
}

/* The type that a parent has for good (a pool's), if the demand does not want it; else NULL. */
static const struct inventory_type *
find_other_pool(const struct inventory_parent *parent, const struct demand *demand)
{
    const struct inventory_type *type = inventory_type_for_good(parent);
    unsigned rank;

    return type && !demand_ranks(&demand->terms, type, &rank) ? type : NULL;
}

/* Says what is against the one virtual function that will do. */
static int
refuse_vf(const struct loads *loads, const struct demand *demand, struct error *error)
{
    const struct inventory *inventory = loads->problem->inventory;
    const struct name *vf = demand_vf(demand);
    const struct inventory_type *other;
    const struct inventory_parent *parent = inventory_find_parent(inventory, vf);
    struct gpu_reason why;
    int rc;

    if (!parent) {
        rc = error_refuse(error, ERROR_NEVER, "%s (%s) cannot be on %s, %s", demand->label,
                          demand->wanted, vf->text, find_why(inventory, vf));
    } else if (parent->interface->hostdev != REQUEST_PCI) {
        rc = error_refuse(error, ERROR_NEVER,
                          "%s (%s) cannot be on %s, which takes mediated devices (<hostdev "
                          "type='mdev'>)",
                          demand->label, demand->wanted, vf->text);
    } else if ((other = find_other_pool(parent, demand))) {
        rc = error_refuse(error, ERROR_NEVER, "%s (%s) cannot be on %s, which is in the pool %s",
                          demand->label, demand->wanted, vf->text, other->id.text);
    } else {
        bool of_function;

        gpu_reason_tell(loads, demand, parent->gpu, &why);
        of_function = why.reason == REASON_IN_USE;

        rc = error_refuse(error, class_of(reason_may_pass(why.reason)),
                          "%s (%s) cannot be on %s: it%s%s %s", demand->label, demand->wanted,
                          vf->text, of_function ? "" : "s GPU ",
                          of_function ? "" : parent->gpu->name.text, why.text);
    }
    alternatives_add(loads, demand, error);
    return rc;
}

/* Whether the request names a parent that this host does not have. */
static bool
lacks_parent(const struct inventory *inventory, const struct demand *demand)
{
    const char *parent = demand->terms.attributes.said[ATTRIBUTE_PARENT];

    for (size_t i = 0; parent && i < inventory->parent_count; i++) {
        if (!strcmp(parent, inventory->parents[i]->name.text) ||
            !strcmp(parent, inventory->parents[i]->gpu->name.text))
            return false;
    }
    return parent;
}

static int
refuse_parent(const struct inventory *inventory, const struct demand *demand, struct error *error)
{
    char gpus[600];
    struct text list = text_on(gpus, sizeof(gpus));

    for (size_t i = 0; i < inventory->gpu_count; i++)
        text_join(&list, ", ", "%s", inventory->gpus[i]->name.text);
    return error_refuse(error, ERROR_NEVER,
                        "%s (%s) asks for the parent %s, which is no GPU or virtual function here "
                        "that offers vGPUs; there are the GPUs %s",
                        demand->label, demand->wanted,
                        demand->terms.attributes.said[ATTRIBUTE_PARENT], gpus);
}

static int
refuse(const struct loads *loads, const struct demand *demand, struct error *error)
{
    const struct inventory *inventory = loads->problem->inventory;
    char reasons[1400];
    bool helps;

    if (demand_vf(demand) && (may_have_type(inventory, demand) || inventory->gpu_count == 0 ||
                              demand_words_are_lent(&demand->terms, loads->problem->policy)))
        return refuse_vf(loads, demand, error);
    if (inventory->gpu_count == 0)
        return error_refuse(error, ERROR_NEVER,
                            "%s wants %s, and no GPU on this host offers vGPUs; is its driver "
                            "loaded?",
                            demand->label, demand->wanted);
    if (!may_have_type(inventory, demand)) {
        struct suggest suggest = guess_type(inventory, demand->wanted);

        list_types(inventory, reasons, sizeof(reasons));
        return error_refuse(error, ERROR_NEVER, "%s wants %s, which no GPU here has%s; %s",
                            demand->label, demand->wanted, suggest_text(&suggest).text, reasons);
    }
    if (lacks_parent(inventory, demand))
        return refuse_parent(inventory, demand, error);
    helps = list_reasons(loads, demand, reasons, sizeof(reasons));
    return error_refuse(error, class_of(helps), "no GPU can take %s (%s): %s", demand->label,
                        demand->wanted, reasons);
}

/* Why a demand has no candidate. The line has the reason of each GPU. If no GPU here has the type,
 * the line lists the types that there are. If the host has no such parent, the line says so. */
static int
refusal_none(const struct loads *loads, const struct demand *demand, struct error *error)
{
    int rc = refuse(loads, demand, error);

    error->line = demand_line(demand);
    return rc;
}

/* Names two demands that no vendor's rule lets be in one guest. Returns 0 if there are none. */
static int
refuse_unlike(const struct loads *loads, const size_t *order, size_t count, struct error *error)
{
    const struct demand *demands = loads->problem->demands->items;

    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct demand *a = &demands[order[k]], *b = &demands[order[i]];
            const char *rule =
                demands_rule(loads->problem->demands, a, b, loads->problem->inventory);

            if (rule)
                return error_refuse(error, ERROR_NEVER,
                                    "%s (%s) and %s (%s) cannot be in one guest: %s; if you know "
                                    "better, see unlike_vgpus in vgpu.conf(5)",
                                    a->label, a->wanted, b->label, b->wanted, rule);
        }
    }
    return 0;
}

/* Why demands that each have candidates have none together. The line has the reason of each GPU
 * against the last demand, once the others have their places. The caller has handed out these
 * places in loads. */
static int
refusal_not_together(const struct loads *loads, const size_t *order, size_t count,
                     const struct demand *last, struct error *error)
{
    const struct demands *demands = loads->problem->demands;
    char all[512], reasons[1000];
    struct text list = text_on(all, sizeof(all));
    int rc = refuse_unlike(loads, order, count, error);

    if (rc < 0)
        return rc;
    for (size_t i = 0; i < count; i++)
        text_join(&list, ", ", "%s (%s)", demands->items[order[i]].label,
                  demands->items[order[i]].wanted);
    list_reasons(loads, last, reasons, sizeof(reasons));
    return error_refuse(error, ERROR_NO_ROOM,
                        "there is room for each of its vGPUs, but not for all together: %s; beside "
                        "the others, for %s %s",
                        all, last->label, reasons);
}

/* --- a place for each demand ------------------------------------------------------------------ */

/* Gives each demand the best place that is left, until one finds none. That one says why. */
static int
explain(struct search *search, struct error *error)
{
    const struct demand *demand = NULL;

    for (size_t i = 0; i < search->count; i++) {
        AUTO_FREE struct candidate *candidates = NULL;
        size_t count;

        demand = &search->problem->demands->items[search->order[i]];
        candidates = search_list(search, search->order[i], &count);
        if (count == 0 && i == 0)
            return refusal_none(&search->loads, demand, error);
        if (count == 0)
            break;
        loads_take(&search->loads, &candidates[0].place);
    }
    return refusal_not_together(&search->loads, search->order, search->count, demand, error);
}

int
placement_find(const struct placement_problem *problem, struct placement_choice *choices,
               struct error *error)
{
    AUTO(search_clear) struct search search;
    int rc = search_begin(&search, problem, choices, error);

    if (rc < 0)
        return rc;
    search_sort(&search);
    rc = search_run(&search);
    if (rc > 0)
        return 0;
    if (rc == 0)
        return explain(&search, error);
    return error_refuse(error, ERROR_UNDECIDED,
                        "its %zu vGPUs can be placed in more ways than were tried; name a parent "
                        "for some of them",
                        problem->demands->count);
}
