/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "check/policy-check.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "device/maxima.h"
#include "device/nvidia-number.h"
#include "device/nvidia-table.h"
#include "device/profile.h"
#include "device/share.h"
#include "device/type-name.h"
#include "domain/request.h"
#include "lease/ledger.h"
#include "placement/demand.h"
#include "placement/feasibility.h"
#include "placement/problem.h"

#include <stdio.h>
#include <string.h>

struct checker {
    const struct policy *policy;
    const struct setting_trace *trace;
    const struct inventory *inventory;
    struct findings *found;
    bool *served; /* per class */
};

/* Whether a word means a type of one GPU, or of any GPU (NULL). If it does not, guess gets what may
 * have been meant. */
static bool
is_offered(const struct inventory *inventory, const struct inventory_gpu *gpu,
           struct suggest *suggest)
{
    const struct inventory_type *type = NULL;

    while ((type = inventory_next_type(inventory, type))) {
        if (gpu && type->gpu != gpu)
            continue;
        if (type_name_matches(type, suggest->said))
            return true;
        type_name_suggest(type, suggest);
    }
    return false;
}

static void
check_word(struct checker *checker, const char *origin, const struct inventory_gpu *gpu,
           const char *word)
{
    const struct inventory *inventory = checker->inventory;
    struct suggest suggest = SUGGEST(word);
    bool unsure = false;

    if (is_offered(inventory, gpu, &suggest))
        return;
    for (size_t i = 0; i < inventory->gpu_count; i++)
        unsure |=
            (!gpu || inventory->gpus[i] == gpu) && inventory_may_have_more(inventory->gpus[i]);
    findings_at(checker->found, FINDING_WARNING, "unknown-type", origin, 0,
                "the type \"%s\" is not offered by %s%s%s", word,
                gpu ? gpu->name.text : "any GPU here", unsure ? " now" : "",
                suggest_text(&suggest).text);
}

/* Checks each type of the n-th item of a list of groups. A type may be in another file than the
 * item's first line, so its own place is reported. */
static void
check_types(struct checker *checker, const char *list, size_t n, const char *origin,
            const struct inventory_gpu *gpu, const struct words *types)
{
    char path[64];

    snprintf(path, sizeof(path), "%s.%zu.types", list, n);
    for (size_t i = 0; i < types->count; i++) {
        const char *own = setting_trace_nth(checker->trace, path, i);

        check_word(checker, own ? own : origin, gpu, types->items[i]);
    }
}

static void
miss_gpu(struct checker *checker, const struct policy_gpu *gpu)
{
    const struct inventory *inventory = checker->inventory;
    const struct inventory_parent *function = inventory_find_parent(inventory, &gpu->address);
    char all[512];
    struct text list = text_on(all, sizeof(all));

    if (function) {
        findings_at(checker->found, FINDING_WARNING, "function-named", gpu->origin, 0,
                    "%s is a virtual function, of which nothing can be said: name its GPU, %s",
                    gpu->address.text, function->gpu->name.text);
        return;
    }
    for (size_t i = 0; i < inventory->gpu_count; i++)
        text_join(&list, ", ", "%s", inventory->gpus[i]->name.text);
    findings_at(checker->found, FINDING_WARNING, "unknown-gpu", gpu->origin, 0,
                "no GPU %s on this host offers vGPUs; there are: %s", gpu->address.text, all);
}

/* Warns of more memory than the card's driver has been seen to share out. */
static void
check_memory(struct checker *checker, const struct policy_gpu *gpu, size_t n,
             const struct inventory_gpu *seen)
{
    const struct share_sum sum = share_seen(seen);
    char path[64];
    const char *own;

    if (sum.most == 0 || gpu->vram <= sum.most)
        return;
    snprintf(path, sizeof(path), "gpus.%zu.vram", n);
    own = setting_trace_origin(checker->trace, path);
    findings_at(checker->found, FINDING_WARNING, "vram", own ? own : gpu->origin, 0,
                "vram is %u MiB, and the driver of the GPU %s has shared out only %u MiB among "
                "its functions, so a guest may be refused although it seems to fit; say vram = "
                "\"%uM\"",
                gpu->vram, gpu->address.text, sum.least, sum.least);
}

static void
check_gpu(struct checker *checker, const struct policy_gpu *gpu)
{
    const struct inventory_gpu *seen = inventory_find_gpu(checker->inventory, &gpu->address);
    size_t n = (size_t)(gpu - checker->policy->gpus);

    if (!seen)
        return miss_gpu(checker, gpu);
    check_types(checker, "gpus", n, gpu->origin, seen, &gpu->types);
    check_memory(checker, gpu, n, seen);
}

/* Writes a class's demand in words. */
static void
say_wish(const struct policy_class *class, char *ret, size_t size)
{
    struct text text = text_on(ret, size);

    if (class->framebuffer)
        text_add(&text, "%u MiB of frame buffer", class->framebuffer);
    for (size_t i = 0; i < class->types.count; i++)
        text_join(&text, " or ", "%s", class->types.items[i]);
}

/* Checks whether any GPU, even if empty, could ever serve a guest that asks for the class. The same
 * question is asked for a guest that arrives by migration. */
static void
check_class(struct checker *checker, const struct policy_class *class, bool *served)
{
    char nobody[] = "", wish[256] = "";
    const struct request request = {.name = nobody};
    struct policy policy = *checker->policy;
    const struct ledger ledger = {0};
    struct placement_choice ignored;
    struct demand demand = {
        .label = "it",
        .wanted = wish,
        .terms = {.class = class, .kinds = DEMAND_ANY_DEVICE},
    };
    const struct demands demands = {.items = &demand, .count = 1};
    const struct placement_problem problem = {
        .request = &request,
        .demands = &demands,
        .policy = &policy,
        .inventory = checker->inventory,
        .ledger = &ledger,
    };
    struct error why;

    /* Quotas depend on other guests, so they do not count here. */
    policy.quota_count = 0;
    say_wish(class, wish, sizeof(wish));
    *served = feasibility_judge(&problem, false, &ignored, &why) != FEASIBILITY_NO;
    if (!*served)
        findings_at(checker->found, FINDING_WARNING, "class", class->origin, 0,
                    "no guest can be given the class \"%s\" here: %s", class->name, why.text);
    else
        check_types(checker, "classes", (size_t)(class - checker->policy->classes), class->origin,
                    NULL, &class->types);
}

/* Warns of functions whose driver is not the one that their pool wants, and of pools without
 * functions. */
static void
check_pool(struct checker *checker, const struct policy_pool *pool)
{
    const struct inventory *inventory = checker->inventory;
    const struct inventory_type *type = NULL;
    size_t members = 0;

    while ((type = inventory_next_type(inventory, type)))
        members += !strcmp(type->id.text, pool->name);
    for (size_t i = 0; i < inventory->ineligible_count; i++) {
        const struct inventory_ineligible *function = &inventory->ineligible[i];

        if (policy_pool_of(checker->policy, &function->device) != pool)
            continue;
        findings_at(checker->found, FINDING_WARNING, "ineligible", pool->origin, 0,
                    "nobody can be given %s, %s", function->device.text, function->why);
        members++;
    }
    if (members == 0)
        findings_at(
            checker->found, FINDING_WARNING, "empty-pool", pool->origin, 0,
            "the pool \"%s\" has no function here: no PCI device of this host has such an address, "
            "or an earlier pool has it; 'lspci -D' lists addresses",
            pool->name);
}

/* Checks a time of the n-th profile, and names the key that sets it. */
static void
check_time(const struct setting_trace *trace, size_t n, const struct policy_profile *profile,
           const char *key, unsigned milliseconds, struct findings *found)
{
    char path[64];
    const char *own;

    if (milliseconds <= PROFILE_LONGEST)
        return;
    snprintf(path, sizeof(path), "profiles.%zu.%s", n, key);
    own = setting_trace_origin(trace, path);
    findings_at(found, FINDING_ERROR, "scheduling", own ? own : profile->origin, 0,
                "%s of the profile \"%s\" must be at most %us: Intel's driver takes no more", key,
                profile->name, PROFILE_LONGEST / 1000);
}

void
policy_check_profiles(const struct policy *policy, const struct setting_trace *trace,
                      struct findings *found)
{
    for (size_t i = 0; i < policy->profile_count; i++) {
        const struct policy_profile *profile = &policy->profiles[i];

        check_time(trace, i, profile, "exec_quantum", profile->exec_quantum, found);
        check_time(trace, i, profile, "preempt_timeout", profile->preempt_timeout, found);
    }
}

/* Warns if the administrator's limit for a type is higher than what follows from the driver. */
static void
check_maximum(struct checker *checker, const struct policy_limit *limit, const char *word)
{
    const struct inventory_type *type = NULL;

    while ((type = inventory_next_type(checker->inventory, type))) {
        if (!type_name_matches(type, word) || type->max_source != LIMIT_CALCULATED ||
            limit->max <= type->max)
            continue;
        findings_at(checker->found, FINDING_WARNING, "max-instances", limit->origin, 0,
                    "max_instances gives a GPU %u of %s, but its driver makes %u vGPUs at most",
                    limit->max, word, type->max);
        return;
    }
}

static void
check_limit(struct checker *checker, size_t n)
{
    const struct policy_limit *limit = &checker->policy->limits[n];

    check_types(checker, "max_instances", n, limit->origin, NULL, &limit->types);
    for (size_t i = 0; i < limit->types.count; i++)
        check_maximum(checker, limit, limit->types.items[i]);
}

/* A card takes profiles if one of its types is a profile. */
static bool
takes_profiles(const struct checker *checker, const struct inventory_gpu *gpu)
{
    return ARRAY_HAS(gpu->types, gpu->type_count, type,
                     policy_find_profile(checker->policy, type->id.text) != NULL);
}

/* Warns of profiles that are larger than their card, and of profiles without a card. */
static void
check_profile(struct checker *checker, const struct policy_profile *profile)
{
    const struct inventory *inventory = checker->inventory;
    size_t cards = 0;

    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct inventory_gpu *gpu = inventory->gpus[i];

        if (!takes_profiles(checker, gpu))
            continue;
        cards++;
        if (inventory_memory(gpu) && profile->vram > gpu->framebuffer)
            findings_at(checker->found, FINDING_WARNING, "profile-memory", profile->origin, 0,
                        "the profile \"%s\" has more memory (%u MiB) than the functions of the "
                        "GPU %s may have (%u MiB)",
                        profile->name, profile->vram, gpu->name.text, gpu->framebuffer);
    }
    if (cards == 0)
        findings_at(checker->found, FINDING_WARNING, "profile-unused", profile->origin, 0,
                    "no virtual function of this host takes the profile \"%s\": that needs a "
                    "card of Intel's under xe that has sriov_admin in /sys/bus/pci/devices, and "
                    "functions that are enabled",
                    profile->name);
}

static bool
is_served(const struct checker *checker, const char *name)
{
    const struct policy_class *class = policy_find_class(checker->policy, name);

    return !class || checker->served[class - checker->policy->classes];
}

static void
check_uses(struct checker *checker)
{
    const struct policy *policy = checker->policy;

    if (*policy->default_class && !is_served(checker, policy->default_class))
        findings_at(checker->found, FINDING_WARNING, "class", policy->default_origin, 0,
                    "default_class is \"%s\", which no guest can be given here",
                    policy->default_class);
    for (size_t i = 0; i < policy->quota_count; i++) {
        if (!is_served(checker, policy->quotas[i].class))
            findings_at(checker->found, FINDING_WARNING, "class", policy->quotas[i].origin, 0,
                        "a quota of the class \"%s\", which no guest can be given here",
                        policy->quotas[i].class);
    }
    for (size_t i = 0; i < policy->domain_count; i++) {
        const struct policy_domain *domain = &policy->domains[i];

        for (size_t k = 0; k < domain->device_count; k++) {
            const struct policy_domain_device *device = &domain->devices[k];

            if (!request_keeps_alias(device->alias))
                findings_at(checker->found, FINDING_WARNING, "alias", device->origin, 0,
                            "no <hostdev> can have the alias \"%s\": libvirt drops aliases that "
                            "do not begin with ua-; call it ua-%s in both",
                            device->alias, device->alias);
            if (device->type)
                check_word(checker, device->origin, NULL, device->type);
            else if (!is_served(checker, device->class))
                findings_at(checker->found, FINDING_WARNING, "class", device->origin, 0,
                            "%s is to be of the class \"%s\", which no guest can be given here",
                            device->alias, device->class);
        }
    }
}

void
policy_check(const struct policy *policy, const struct setting_trace *trace,
             const struct inventory *inventory, struct findings *found)
{
    AUTO_FREE bool *served = memory_zeroed(policy->class_count, sizeof(*served));
    struct checker checker = {policy, trace, inventory, found, served};

    for (size_t i = 0; i < policy->gpu_count; i++)
        check_gpu(&checker, &policy->gpus[i]);
    for (size_t i = 0; i < policy->limit_count; i++)
        check_limit(&checker, i);
    for (size_t i = 0; i < policy->pool_count; i++)
        check_pool(&checker, &policy->pools[i]);
    for (size_t i = 0; i < policy->profile_count; i++)
        if (profile_is_taken(&policy->profiles[i]))
            check_profile(&checker, &policy->profiles[i]);
    for (size_t i = 0; i < policy->class_count; i++)
        check_class(&checker, &policy->classes[i], &served[i]);
    check_uses(&checker);
}

/* --- NVIDIA's table --------------------------------------------------------------------------- */

/* Whether a GPU's driver leaves the maximum of a type to the administrator. The inventory has the
 * driver's maximum, if there is one. */
static bool
is_left(const struct inventory_gpu *gpu, const struct name *id, const struct policy_limit *limit)
{
    const struct inventory_type *type = inventory_find_type(gpu, id);

    return type && type->max_source == LIMIT_CONFIGURED && type->max == limit->max;
}

static void
compare(const struct policy *policy, const struct inventory_gpu *gpu,
        const struct nvidia_table_card *card, struct findings *found)
{
    for (size_t i = 0; i < card->type_count; i++) {
        const struct nvidia_table_type *said = &card->types[i];
        const struct policy_limit *limit = maxima_find_limit(policy, &said->type);

        if (!limit || !said->max || said->max == limit->max || !is_left(gpu, &said->type.id, limit))
            continue;
        findings_at(found, FINDING_WARNING, "max-instances", limit->origin, 0,
                    "max_instances gives the GPU %s %u of %s, and NVIDIA's table "
                    "(/" NVIDIA_TABLE_PATH ") %u",
                    gpu->name.text, limit->max, said->type.name, said->max);
    }
}

void
policy_check_table(const struct host *host, const struct policy *policy,
                   const struct inventory *inventory, struct findings *found)
{
    AUTO(nvidia_table_clear) struct nvidia_table table = {0};
    AUTO_FREE struct nvidia_table_ids *ids = memory_zeroed(inventory->gpu_count + 1, sizeof(*ids));
    struct error error = {0};
    bool has_nvidias = false;
    int rc;

    for (size_t i = 0; i < inventory->gpu_count; i++) {
        ids[i] = nvidia_table_ids_of(inventory->gpus[i]);
        has_nvidias |= !strcmp(ids[i].vendor, NVIDIA_VENDOR);
    }
    if (!has_nvidias)
        return;
    rc = nvidia_table_read(host, NVIDIA_TABLE_PATH, ids, inventory->gpu_count, &table, &error);
    if (rc < 0 && rc != -ENOENT)
        findings_at(found, FINDING_WARNING, "unreadable", "/" NVIDIA_TABLE_PATH, 0, "%s",
                    error.text);
    for (size_t i = 0; i < table.count; i++) {
        const struct inventory_gpu *gpu = inventory->gpus[i];

        /* Equal cards have equal figures. */
        if (!ARRAY_HAS(inventory->gpus, i, other, inventory_is_same_model(*other, gpu)))
            compare(policy, gpu, &table.cards[i], found);
    }
}
