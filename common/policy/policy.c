/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/policy.h"
#include "base/array.h"
#include "base/suggest.h"
#include "base/text.h"

#include <fnmatch.h>
#include <string.h>

const char *const policy_sizes_words[] = {"", "equal", "mixed", NULL};
const char *const policy_scheduler_words[] = {"", "best-effort", "equal-share", "fixed-share",
                                              NULL};

const char *const policy_evacuate_words[] = {"here", "live", NULL};

/* NVIDIA's parameters that do not affect other guests. */
const char *const policy_built_in_params[POLICY_BUILT_IN_PARAMS] = {
    "frame_rate_limiter", "disable_vnc", "vgpu-placement-id"};

static void
clear_domain(struct policy_domain *domain)
{
    for (size_t i = 0; i < domain->device_count; i++) {
        free(domain->devices[i].alias);
        free(domain->devices[i].type);
        free(domain->devices[i].class);
        free(domain->devices[i].origin);
    }
    free(domain->devices);
    free(domain->name);
    free(domain->origin);
}

void
policy_clear(struct policy *policy)
{
    for (size_t i = 0; i < policy->gpu_count; i++) {
        words_clear(&policy->gpus[i].types);
        words_clear(&policy->gpus[i].traits);
        words_clear(&policy->gpus[i].setup.instances);
        free(policy->gpus[i].origin);
    }
    for (size_t i = 0; i < policy->class_count; i++) {
        words_clear(&policy->classes[i].types);
        words_clear(&policy->classes[i].traits);
        free(policy->classes[i].name);
        free(policy->classes[i].origin);
    }
    for (size_t i = 0; i < policy->pool_count; i++) {
        words_clear(&policy->pools[i].functions);
        free(policy->pools[i].name);
        free(policy->pools[i].origin);
    }
    for (size_t i = 0; i < policy->profile_count; i++) {
        free(policy->profiles[i].name);
        free(policy->profiles[i].origin);
    }
    for (size_t i = 0; i < policy->quota_count; i++) {
        words_clear(&policy->quotas[i].domains);
        free(policy->quotas[i].class);
        free(policy->quotas[i].origin);
    }
    for (size_t i = 0; i < policy->domain_count; i++)
        clear_domain(&policy->domains[i]);
    for (size_t i = 0; i < policy->limit_count; i++) {
        words_clear(&policy->limits[i].types);
        free(policy->limits[i].origin);
    }
    words_clear(&policy->accepted);
    words_clear(&policy->params);
    free(policy->gpus);
    free(policy->classes);
    free(policy->pools);
    free(policy->profiles);
    free(policy->quotas);
    free(policy->domains);
    free(policy->limits);
    free(policy->default_class);
    free(policy->enabled_origin);
    free(policy->default_origin);
    *policy = (struct policy){0};
}

const struct policy_gpu *
policy_find_gpu(const struct policy *policy, const struct name *address)
{
    return ARRAY_FIND(policy->gpus, policy->gpu_count, gpu, name_equal(&gpu->address, address));
}

const struct policy_class *
policy_find_class(const struct policy *policy, const char *name)
{
    return ARRAY_FIND(policy->classes, policy->class_count, class, !strcmp(class->name, name));
}

struct policy_hint
policy_hint_class(const struct policy *policy, const char *said)
{
    struct suggest suggest = SUGGEST(said);
    struct policy_hint hint = {""};
    struct text text = text_on(hint.text, sizeof(hint.text));

    for (size_t i = 0; i < policy->class_count; i++)
        suggest_offer(&suggest, policy->classes[i].name);
    text_add(&text, "%s; %s", suggest_text(&suggest).text,
             policy->class_count ? "there are: " : "no class is defined");
    for (size_t i = 0; i < policy->class_count; i++)
        text_add(&text, "%s%s", i ? ", " : "", policy->classes[i].name);
    return hint;
}

struct policy_hint
policy_hint_params(const struct policy *policy)
{
    const struct words built_in = {(char **)policy_built_in_params, POLICY_BUILT_IN_PARAMS};
    const struct words *params = policy->has_params ? &policy->params : &built_in;
    struct policy_hint hint = {""};
    struct text list = text_on(hint.text, sizeof(hint.text));

    for (size_t i = 0; i < params->count; i++)
        text_join(&list, ", ", "%s", params->items[i]);
    return list.length ? hint : (struct policy_hint){"nothing"};
}

struct policy_hint
policy_hint_allow(const struct policy *policy)
{
    struct policy_hint hint = {""};
    struct text list = text_on(hint.text, sizeof(hint.text));

    for (enum attribute i = 0; i < ATTRIBUTES; i++) {
        if (policy_allows(policy, i))
            text_join(&list, ", ", "%s", attribute_names[i]);
    }
    return list.length ? hint : (struct policy_hint){"nothing"};
}

const struct policy_pool *
policy_find_pool(const struct policy *policy, const char *name)
{
    return ARRAY_FIND(policy->pools, policy->pool_count, pool, !strcmp(pool->name, name));
}

const struct policy_profile *
policy_find_profile(const struct policy *policy, const char *name)
{
    return ARRAY_FIND(policy->profiles, policy->profile_count, profile,
                      !strcmp(profile->name, name));
}

bool
policy_lends_any(const struct policy *policy)
{
    return policy->pool_count + policy->profile_count > 0;
}

static bool
has_function(const struct policy_pool *pool, const struct name *function)
{
    return ARRAY_HAS(pool->functions.items, pool->functions.count, pattern,
                     fnmatch(*pattern, function->text, 0) == 0);
}

const struct policy_pool *
policy_pool_of(const struct policy *policy, const struct name *function)
{
    return ARRAY_FIND(policy->pools, policy->pool_count, pool, has_function(pool, function));
}

bool
policy_has_setup(const struct policy_gpu *gpu)
{
    return gpu->setup.functions || gpu->setup.has_instances || gpu->setup.slicing ||
           gpu->setup.sizes.count || gpu->setup.scheduler.count;
}

/* Steps over digits that do not begin with 0. NULL: there are none. */
static const char *
skip_number(const char *text)
{
    size_t length = strspn(text, "0123456789");

    return length && length <= 4 && *text != '0' ? text + length : NULL;
}

bool
policy_is_profile_of_instances(const char *word)
{
    const char *at = skip_number(word);

    if (!at || strncmp(at, "g.", 2))
        return false;
    at = skip_number(at + 2);
    if (!at || strncmp(at, "gb", 2))
        return false;
    at += 2;
    return !*at || (strchr("+-", *at) && strlen(at) > 1 && strlen(at) < 16 &&
                    at[1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz.")] == '\0');
}

bool
policy_allows(const struct policy *policy, enum attribute attribute)
{
    return policy->allow >> attribute & 1;
}

bool
policy_allows_param(const struct policy *policy, const char *name)
{
    return words_has(&policy->params, name) ||
           (!policy->has_params &&
            ARRAY_HAS(policy_built_in_params, POLICY_BUILT_IN_PARAMS, each, !strcmp(*each, name)));
}

bool
policy_is_domain(const char *pattern, const char *name, const struct name *uuid)
{
    struct name wanted;

    if (name_parse_uuid(&wanted, pattern) == 0)
        return name_equal(&wanted, uuid);
    return fnmatch(pattern, name, 0) == 0;
}

unsigned
policy_evacuation(const struct policy *policy, const char *name, const struct name *uuid)
{
    for (size_t i = 0; i < policy->domain_count; i++) {
        const struct policy_domain *domain = &policy->domains[i];

        if (domain->has_evacuate && policy_is_domain(domain->name, name, uuid))
            return domain->evacuate;
    }
    return policy->evacuate;
}
