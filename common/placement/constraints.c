/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/constraints.h"

#include <stdio.h>
#include <string.h>

const struct policy_quota *
rules_exceeded_quota(const struct room *room, const struct inventory_type *type, size_t *used)
{
    const struct policy *policy = room->question->policy;

    for (size_t i = 0; i < policy->quota_count; i++) {
        const struct policy_class *class = policy_find_class(policy, policy->quotas[i].class);

        if (room->quota_used[i] == SIZE_MAX || !demand_class_has(class, type))
            continue;
        *used = room->quota_used[i];
        for (size_t k = 0; k < room->claim_count; k++) {
            const struct room_claim *claim = &room->claims[k];

            *used += (claim->own || claim->settled) && claim->type &&
                     demand_class_has(class, claim->type);
        }
        if (*used >= policy->quotas[i].max)
            return &policy->quotas[i];
    }
    return NULL;
}

static bool
is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && !memcmp(text, word, length);
}

/* The administrator's traits, and those that a GPU has by itself. */
static bool
has_trait(const struct room *room, size_t gpu, const char *trait, size_t length)
{
    const struct inventory *inventory = room->question->inventory;
    const struct inventory_gpu *card = &inventory->gpus[gpu];
    const struct policy_gpu *policy = policy_find_gpu(room->question->policy, &card->name);
    const struct room_gpu *known = &room->gpus[gpu];
    const char *kind = known->place_count
                           ? inventory->parents[room->places[known->first_place]].interface->kind
                           : "";
    const struct {
        const char *name, *value;
    } automatic[] = {
        {"vendor", card->vendor},
        {"device", card->device},
        {"driver", card->driver.text},
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

/* One trait, asked for or, with a leading '!', forbidden. */
static enum verdict
judge_trait(const struct room *room, size_t gpu, const char *trait, size_t length)
{
    bool forbidden = *trait == '!';

    if (has_trait(room, gpu, trait + forbidden, length - forbidden) != forbidden)
        return VERDICT_GOOD;
    return forbidden ? VERDICT_HAS_TRAIT : VERDICT_LACKS_TRAIT;
}

static enum verdict
judge_traits(const struct room *room, const struct demand *demand, size_t gpu)
{
    static const char blanks[] = " ,";
    const char *trait = demand->device && demand->device->traits ? demand->device->traits : "";
    enum verdict verdict = VERDICT_GOOD;

    for (trait += strspn(trait, blanks); *trait && verdict == VERDICT_GOOD;
         trait += strspn(trait, blanks)) {
        size_t length = strcspn(trait, blanks);

        verdict = judge_trait(room, gpu, trait, length);
        trait += length;
    }
    for (size_t i = 0; demand->class && i < demand->class->traits.count; i++) {
        const char *word = demand->class->traits.items[i];

        if (verdict == VERDICT_GOOD)
            verdict = judge_trait(room, gpu, word, strlen(word));
    }
    return verdict;
}

static bool
may_have(const struct policy_gpu *gpu, const struct inventory_type *type)
{
    for (size_t i = 0; i < gpu->types.count; i++) {
        if (inventory_type_is(type, gpu->types.items[i]))
            return true;
    }
    return gpu->types.count == 0;
}

/* Not where its hostdev says or, if that is still to be said, where it is not to say so. */
static bool
is_elsewhere(const struct room *room, const struct demand *demand,
             const struct inventory_parent *place)
{
    const struct names *avoided = room->question->avoided;
    const struct name *wanted = demand_place(demand);

    if (wanted)
        return !name_equal(wanted, &place->name);
    return avoided && place->interface->hostdev == REQUEST_PCI && names_has(avoided, &place->name);
}

enum verdict
rules_judge(const struct room *room, const struct demand *demand, size_t gpu, size_t parent,
            size_t type)
{
    const struct placement_question *question = room->question;
    const struct inventory_gpu *card = &question->inventory->gpus[gpu];
    const struct policy_gpu *policy = policy_find_gpu(question->policy, &card->name);
    const char *wanted = demand->device ? demand->device->parent : NULL;
    const struct nodeset *nodes = &question->demands->nodes;
    const struct inventory_parent *place = &question->inventory->parents[parent];
    enum verdict verdict;
    size_t used;

    if (!demand_may_be(demand, place->interface->hostdev))
        return VERDICT_OTHER_KIND;
    if (is_elsewhere(room, demand, place))
        return VERDICT_OTHER_PLACE;
    if (wanted && strcmp(wanted, card->name.text) && strcmp(wanted, place->name.text))
        return VERDICT_OTHER_PARENT;
    if (policy && !policy->enabled)
        return VERDICT_DISABLED;
    if (policy_is_drained(question->policy, &card->name))
        return VERDICT_DRAINED;
    if (policy && type != RULES_ANY_TYPE && !may_have(policy, &card->types[type]))
        return VERDICT_NOT_ALLOWED;
    verdict = judge_traits(room, demand, gpu);
    if (verdict != VERDICT_GOOD)
        return verdict;
    if (demand->numa == POLICY_NUMA_REQUIRE && nodeset_is_empty(nodes))
        return VERDICT_UNBOUND;
    if (demand->numa == POLICY_NUMA_REQUIRE &&
        (card->numa < 0 || !nodeset_has(nodes, (unsigned)card->numa)))
        return VERDICT_OTHER_NODE;
    return type != RULES_ANY_TYPE && rules_exceeded_quota(room, &card->types[type], &used)
               ? VERDICT_QUOTA
               : VERDICT_GOOD;
}
