/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/demand.h"
#include "base/array.h"
#include "base/text.h"
#include "device/type-name.h"
#include "device/vendor.h"

#include <string.h>

bool
demand_is_explicit(const struct request_hostdev *hostdev)
{
    return hostdev->device != SIZE_MAX ||
           (hostdev->is_gpu && hostdev->alias &&
            !strncmp(hostdev->alias, DEMAND_ALIAS_STEM, strlen(DEMAND_ALIAS_STEM)));
}

unsigned
demand_line(const struct demand *demand)
{
    if (demand->device)
        return demand->device->line;
    return demand->hostdev ? demand->hostdev->line : 0;
}

/* Whether the device of a demand may become one of the other kind. A PCI device shows no display,
 * and only an alias can name a PCI device. */
static bool
can_be_of_any_kind(const struct demand *demand)
{
    return !demand->hostdev->has_display && demand->hostdev->alias &&
           (demand->device ? demand->device->alias != NULL : demand->source != DEMAND_DEFAULT);
}

void
demand_set_free(struct demand *demand, enum demand_freedom freedom)
{
    const struct request_hostdev *hostdev = demand->hostdev;
    bool is_function = hostdev && hostdev->kind == REQUEST_PCI;
    bool is_any = !hostdev || (freedom == DEMAND_ANY_KIND && can_be_of_any_kind(demand));

    demand->freedom = freedom;
    demand->terms.kinds = is_any ? DEMAND_ANY_DEVICE : 1u << hostdev->kind;
    demand->terms.is_managed = is_function && hostdev->is_managed;
    demand->terms.function =
        is_function && freedom == DEMAND_AS_IT_SAYS ? hostdev->source : (struct name){0};
}

const struct name *
demand_vf(const struct demand *demand)
{
    return *demand->terms.function.text ? &demand->terms.function : NULL;
}

bool
demand_terms_equal(const struct demand_terms *a, const struct demand_terms *b)
{
    return attributes_equal(&a->attributes, &b->attributes) && a->class == b->class &&
           name_equal(&a->saved, &b->saved) && name_equal(&a->place, &b->place) &&
           name_equal(&a->function, &b->function) && a->kinds == b->kinds &&
           a->is_managed == b->is_managed && a->passes_drain == b->passes_drain;
}

char *const *
demand_words(const struct demand_terms *terms, size_t *count)
{
    char *const *type = &terms->attributes.said[ATTRIBUTE_TYPE];

    *count = terms->class ? terms->class->types.count : *type != NULL;
    return terms->class ? terms->class->types.items : type;
}

bool
demand_words_are_lent(const struct demand_terms *terms, const struct policy *policy)
{
    size_t count;
    char *const *words = demand_words(terms, &count);

    return ARRAY_HAS(words, count, word,
                     policy_find_pool(policy, *word) || policy_find_profile(policy, *word));
}

unsigned
demand_framebuffer(const struct demand_terms *terms)
{
    return terms->class ? terms->class->framebuffer : 0;
}

bool
demands_name(const struct demands *demands, const struct name *device)
{
    return ARRAY_HAS(demands->items, demands->count, demand,
                     demand->hostdev && name_equal(&demand->hostdev->source, device));
}

void
demands_set_free(struct demands *demands, enum demand_freedom freedom)
{
    for (size_t i = 0; i < demands->count; i++)
        demand_set_free(&demands->items[i], freedom);
}

void
demands_set_some_free(struct demands *demands, const struct names *sources,
                      enum demand_freedom freedom)
{
    for (size_t i = 0; i < demands->count; i++) {
        if (names_has(sources, &demands->items[i].hostdev->source))
            demand_set_free(&demands->items[i], freedom);
    }
}

void
demands_keep_only(struct demands *demands, const struct name *device)
{
    size_t kept = 0;

    for (size_t i = 0; i < demands->count; i++) {
        if (name_equal(&demands->items[i].hostdev->source, device))
            demands->items[kept++] = demands->items[i];
    }
    demands->count = kept;
}

void
demands_keep_free(struct demands *demands)
{
    size_t kept = 0;

    for (size_t i = 0; i < demands->count; i++) {
        if (demands->items[i].freedom != DEMAND_AS_IT_SAYS)
            demands->items[kept++] = demands->items[i];
    }
    demands->count = kept;
}

static bool
rank_of(char *const *words, size_t count, unsigned framebuffer, const struct inventory_type *type,
        unsigned *rank)
{
    for (*rank = 0; *rank < count; ++*rank) {
        if (type_name_matches(type, words[*rank]))
            return true;
    }
    *rank = type->framebuffer;
    return framebuffer && type->framebuffer >= framebuffer;
}

bool
demand_ranks(const struct demand_terms *terms, const struct inventory_type *type, unsigned *rank)
{
    char *const *words;
    size_t count;

    *rank = 0;
    if (*terms->saved.text)
        return name_equal(&terms->saved, &type->id);
    words = demand_words(terms, &count);
    return rank_of(words, count, demand_framebuffer(terms), type, rank);
}

void
demands_tell_saved(const struct demands *demands, struct error *error)
{
    for (size_t i = 0; i < demands->count; i++) {
        const struct demand *demand = &demands->items[i];

        if (*demand->terms.saved.text)
            error_add(error, "%s: its saved state loads only into %s", demand->label,
                      demand->terms.saved.text);
    }
}

const char *
demands_forbid(const struct demands *demands, const struct inventory_type *a,
               const struct inventory_type *b)
{
    return demands->may_be_unlike ? NULL : vendor_forbids(a, b);
}

/* The rule that forbids every type of a demand beside this type; NULL: there is none, or the demand
 * has no type here. */
static const char *
find_rule(const struct demands *demands, const struct inventory_type *type,
          const struct demand *demand, const struct inventory *inventory)
{
    const struct inventory_type *each = NULL;
    const char *rule = NULL;
    unsigned rank;

    while ((each = inventory_next_type(inventory, each))) {
        if (!demand_ranks(&demand->terms, each, &rank))
            continue;
        rule = demands_forbid(demands, type, each);
        if (!rule)
            return NULL;
    }
    return rule;
}

bool
demands_oppose(const struct demands *demands, const struct demand *demand,
               const struct inventory_type *type, const struct inventory *inventory)
{
    return ARRAY_HAS(demands->items, demands->count, other,
                     other != demand && find_rule(demands, type, other, inventory));
}

/* A type of this vendor's cards that would do for a demand; "": of any vendor's. NULL: there is
 * none. */
static const struct inventory_type *
find_of_vendor(const struct demand *demand, const char *vendor, const struct inventory *inventory)
{
    const struct inventory_type *type = NULL;
    unsigned rank;

    while ((type = inventory_next_type(inventory, type))) {
        if (demand_ranks(&demand->terms, type, &rank) &&
            (!*vendor || !strcmp(type->gpu->vendor, vendor)))
            return type;
    }
    return NULL;
}

/* A type that would do for a demand, if each such type may only stand alone. NULL: one may stand
 * beside others, or the guest is to have no other vGPU of that vendor. */
static const struct inventory_type *
find_single(const struct demands *demands, const struct demand *demand,
            const struct inventory *inventory)
{
    const struct inventory_type *found = find_of_vendor(demand, "", inventory), *type = NULL;
    unsigned rank;

    if (!found)
        return NULL;
    while ((type = inventory_next_type(inventory, type))) {
        if (demand_ranks(&demand->terms, type, &rank) && !type->is_single)
            return NULL;
    }
    return ARRAY_HAS(demands->items, demands->count, other,
                     other != demand && find_of_vendor(other, found->gpu->vendor, inventory))
               ? found
               : NULL;
}

bool
demands_say_single(const struct demands *demands, const struct inventory *inventory,
                   struct error *ret)
{
    for (size_t i = 0; i < demands->count && !demands->may_be_unlike; i++) {
        const struct inventory_type *type = find_single(demands, &demands->items[i], inventory);

        if (!type)
            continue;
        error_set(ret, REFUSED,
                  "by its vendor's own table a %s may be the only vGPU of its guest, and the guest "
                  "is to have %zu: QEMU may not start with them",
                  type->name, demands->count);
        ret->line = demand_line(&demands->items[i]);
        return true;
    }
    return false;
}

/* Whether a demand may be met by a type that no GPU lists now. A demand for a single type that is
 * listed may not. */
static bool
may_mean_more(const struct demand *demand, const struct inventory *inventory)
{
    size_t count;

    demand_words(&demand->terms, &count);
    return (count > 1 || demand_framebuffer(&demand->terms)) &&
           ARRAY_HAS(inventory->gpus, inventory->gpu_count, gpu, inventory_may_have_more(*gpu));
}

const char *
demands_rule(const struct demands *demands, const struct demand *a, const struct demand *b,
             const struct inventory *inventory)
{
    const struct inventory_type *type = NULL;
    const char *rule = NULL;
    unsigned rank;

    if (may_mean_more(a, inventory) || may_mean_more(b, inventory))
        return NULL;
    while ((type = inventory_next_type(inventory, type))) {
        if (!demand_ranks(&a->terms, type, &rank))
            continue;
        rule = find_rule(demands, type, b, inventory);
        if (!rule)
            return NULL;
    }
    return rule;
}

bool
demands_conflict(const struct demands *demands, const struct inventory *inventory)
{
    for (size_t i = 0; i < demands->count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (demands_rule(demands, &demands->items[k], &demands->items[i], inventory))
                return true;
        }
    }
    return false;
}

size_t
demand_count_types(const struct demand_terms *terms, const struct inventory_gpu *gpu)
{
    size_t count = 0;
    unsigned rank;

    for (size_t i = 0; i < gpu->type_count; i++)
        count += demand_ranks(terms, &gpu->types[i], &rank);
    return count;
}

bool
demand_class_has(const struct policy_class *class, const struct inventory_type *type)
{
    unsigned rank;

    return rank_of(class->types.items, class->types.count, class->framebuffer, type, &rank);
}

void
demand_params(const struct demand *demand, char *ret, size_t size)
{
    struct text list = text_on(ret, size);

    for (size_t i = 0; demand->device && i < demand->device->param_count; i++)
        text_join(&list, ", ", "%s=%s", demand->device->params[i].name,
                  demand->device->params[i].value);
}

void
demands_copy(const struct demands *from, struct demands *to)
{
    *to = *from;
    to->items = memory_zeroed(from->count, sizeof(*to->items));
    for (size_t i = 0; i < from->count; i++)
        to->items[i] = from->items[i];
}

void
demands_clear(struct demands *demands)
{
    free(demands->items);
    *demands = (struct demands){0};
}
