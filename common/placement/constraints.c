/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/constraints.h"
#include "device/type-name.h"

#include <stdio.h>
#include <string.h>

const struct policy_quota *
constraints_exceeded_quota(const struct loads *loads, const struct inventory_type *type,
                           size_t *used)
{
    const struct policy *policy = loads->problem->policy;

    for (size_t i = 0; i < policy->quota_count; i++) {
        *used = loads->quota_used[i];
        if (*used != SIZE_MAX && *used >= policy->quotas[i].max &&
            demand_class_has(policy_find_class(policy, policy->quotas[i].class), type))
            return &policy->quotas[i];
    }
    return NULL;
}

static bool
is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && !memcmp(text, word, length);
}

/* Whether a GPU has a trait: one from the administrator, or one that the GPU has by itself. */
static bool
has_trait(const struct loads *loads, const struct inventory_gpu *gpu, const char *trait,
          size_t length)
{
    const struct policy_gpu *policy = policy_find_gpu(loads->problem->policy, &gpu->name);
    const char *kind = gpu->parent_count ? gpu->parents[0]->interface->kind : "";
    const struct {
        const char *name, *value;
    } automatic[] = {
        {"vendor", gpu->vendor},
        {"device", gpu->device},
        {"driver", gpu->driver.text},
        {"interface", kind},
    };

    for (size_t i = 0; policy && i < policy->traits.count; i++) {
        if (is_word(trait, length, policy->traits.items[i]))
            return true;
    }
    for (size_t i = 0; i < COUNT(automatic); i++) {
        char word[sizeof("interface=") + sizeof(struct name)];

        snprintf(word, sizeof(word), "%s=%s", automatic[i].name, automatic[i].value);
        if (*automatic[i].value && is_word(trait, length, word))
            return true;
    }
    return false;
}

/* Whether a GPU has a trait that is asked for. With a leading '!', whether the GPU does not have
 * the trait. */
static bool
meets_trait(const struct loads *loads, const struct inventory_gpu *gpu, const char *trait,
            size_t length)
{
    bool forbidden = *trait == '!';

    return has_trait(loads, gpu, trait + forbidden, length - forbidden) != forbidden;
}

size_t
constraints_unmet_trait(const struct loads *loads, const struct demand_terms *terms,
                        const struct inventory_gpu *gpu, const char **ret)
{
    static const char blanks[] = " ,";
    const char *own = terms->attributes.said[ATTRIBUTE_TRAITS], *trait = own ? own : "";

    for (trait += strspn(trait, blanks); *trait; trait += strspn(trait, blanks)) {
        size_t length = strcspn(trait, blanks);

        *ret = trait;
        if (!meets_trait(loads, gpu, trait, length))
            return length;
        trait += length;
    }
    for (size_t i = 0; terms->class && i < terms->class->traits.count; i++) {
        *ret = terms->class->traits.items[i];
        if (!meets_trait(loads, gpu, *ret, strlen(*ret)))
            return strlen(*ret);
    }
    return 0;
}

static enum reason
judge_traits(const struct loads *loads, const struct demand_terms *terms,
             const struct inventory_gpu *gpu)
{
    const char *trait = NULL;

    if (!constraints_unmet_trait(loads, terms, gpu, &trait))
        return REASON_NONE;
    return *trait == '!' ? REASON_HAS_TRAIT : REASON_LACKS_TRAIT;
}

static bool
may_have(const struct policy_gpu *gpu, const struct inventory_type *type)
{
    for (size_t i = 0; i < gpu->types.count; i++) {
        if (type_name_matches(type, gpu->types.items[i]))
            return true;
    }
    return gpu->types.count == 0;
}

bool
constraints_bring_memory(const struct policy *policy, const struct inventory_gpu *card)
{
    const struct policy_gpu *gpu = policy_find_gpu(policy, &card->name);
    size_t count = 0;

    for (size_t i = 0; i < card->type_count; i++) {
        if (!policy_find_profile(policy, card->types[i].id.text) ||
            (gpu && (!gpu->enabled || !may_have(gpu, &card->types[i]))))
            continue;
        if (!card->types[i].framebuffer)
            return false;
        count++;
    }
    return count > 0;
}

/* Whether the hostdev names another place than this parent. If the hostdev names none yet, whether
 * this place is to be avoided. */
static bool
is_elsewhere(const struct loads *loads, const struct demand_terms *terms,
             const struct inventory_parent *parent)
{
    const struct names *avoided = loads->problem->avoided;

    if (*terms->function.text)
        return !name_equal(&terms->function, &parent->name);
    return avoided && parent->interface->hostdev == REQUEST_PCI &&
           names_has(avoided, &parent->name);
}

/* Whether libvirt would take the function from its driver. The driver makes the vGPU, and
 * managed='yes' unbinds the driver. The rewrite of a guest that arrives does not change
 * managed='yes', unless the PCI device becomes a mediated one. */
static bool
would_be_taken(const struct demand_terms *terms, const struct inventory_parent *parent)
{
    return terms->is_managed && parent->interface->hostdev == REQUEST_PCI &&
           !parent->interface->is_managed;
}

/* Whether a device of the guest, which is no vGPU, is the card itself. */
static bool
is_own_card(const struct loads *loads, const struct name *gpu)
{
    const struct placement_problem *problem = loads->problem;
    const struct request_hostdev *hostdev = request_find_hostdev(problem->request, gpu);

    return names_has(&problem->request->others, gpu) ||
           (hostdev && hostdev->kind == REQUEST_PCI && !demands_name(problem->demands, gpu));
}

const char *
constraints_unlike(const struct loads *loads, const struct inventory_type *type,
                   const struct inventory_type **other)
{
    const struct demands *demands = loads->problem->demands;
    const char *rule = NULL;

    for (size_t i = 0; i < loads->place_count && !rule; i++) {
        if (i > 0 && loads->places[i].at.type == *other)
            continue;
        *other = loads->places[i].at.type;
        rule = demands_forbid(demands, *other, type);
    }
    for (size_t i = 0; i < loads->brought_count && !rule; i++) {
        *other = loads->brought[i];
        rule = demands_forbid(demands, *other, type);
    }
    return rule;
}

enum reason
constraints_closed(const struct ledger *ledger, const struct name *gpu, const struct name *guest,
                   bool passes_drain)
{
    static const struct name nobody = {0};

    if (!passes_drain && names_has(&ledger->drained, gpu))
        return REASON_DRAINED;
    if (names_has(&ledger->proved, gpu))
        return REASON_PROVED;
    return ledger_find_card(ledger, gpu, guest ? guest : &nobody) ? REASON_WHOLE : REASON_NONE;
}

/* The rules of the hostdev, the request and vgpu.conf. */
static enum reason
judge_place(const struct loads *loads, const struct demand_terms *terms, const struct place *place)
{
    const struct placement_problem *problem = loads->problem;
    const struct inventory_parent *parent = place->parent;
    const struct inventory_gpu *gpu = parent->gpu;
    const struct policy_gpu *policy = policy_find_gpu(problem->policy, &gpu->name);
    const char *wanted = terms->attributes.said[ATTRIBUTE_PARENT];
    const struct nodeset *nodes = &problem->demands->nodes;
    bool is_bound = terms->attributes.chosen[ATTRIBUTE_NUMA] == NUMA_REQUIRE;
    enum reason reason;

    if (!(terms->kinds >> parent->interface->hostdev & 1))
        return REASON_OTHER_KIND;
    if (is_elsewhere(loads, terms, parent))
        return REASON_OTHER_VF;
    if (would_be_taken(terms, parent))
        return REASON_MANAGED;
    if (wanted && strcmp(wanted, gpu->name.text) && strcmp(wanted, parent->name.text))
        return REASON_OTHER_PARENT;
    if (*terms->place.text && !name_equal(&terms->place, &parent->name))
        return REASON_NOT_PROMISED;
    if (problem->left && names_has(problem->left, &gpu->name))
        return REASON_LEFT;
    if (is_own_card(loads, &gpu->name))
        return REASON_OWN_CARD;
    if (policy && !policy->enabled)
        return REASON_DISABLED;
    if (policy && place->type && !may_have(policy, place->type))
        return REASON_NOT_ALLOWED;
    reason = judge_traits(loads, terms, gpu);
    if (reason != REASON_NONE)
        return reason;
    if (is_bound && nodeset_is_empty(nodes))
        return REASON_UNBOUND;
    if (is_bound && (gpu->numa < 0 || !nodeset_has(nodes, (unsigned)gpu->numa)))
        return REASON_OTHER_NODE;
    return REASON_NONE;
}

/* The reasons that pass, but for quotas. */
static enum reason
judge_today(const struct loads *loads, const struct demand_terms *terms,
            const struct inventory_gpu *gpu)
{
    const struct placement_problem *problem = loads->problem;

    return problem->host == PLACEMENT_NOW
               ? constraints_closed(problem->ledger, &gpu->name, &problem->request->domain,
                                    terms->passes_drain)
               : REASON_NONE;
}

enum reason
constraints_judge_fixed(const struct loads *loads, const struct demand_terms *terms,
                        const struct place *place)
{
    enum reason reason = judge_place(loads, terms, place);

    return reason == REASON_NONE ? judge_today(loads, terms, place->parent->gpu) : reason;
}

enum reason
constraints_judge(const struct loads *loads, const struct demand_terms *terms,
                  const struct place *place)
{
    enum reason reason = judge_place(loads, terms, place);
    const struct inventory_type *other;
    size_t used;

    if (reason != REASON_NONE)
        return reason;
    if (place->type && constraints_unlike(loads, place->type, &other))
        return REASON_UNLIKE;
    reason = judge_today(loads, terms, place->parent->gpu);
    if (reason != REASON_NONE)
        return reason;
    return place->type && constraints_exceeded_quota(loads, place->type, &used) ? REASON_QUOTA
                                                                                : REASON_NONE;
}
