/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/card-policy.h"
#include "base/array.h"
#include "base/memory.h"
#include "device/pci.h"
#include "device/type-name.h"
#include "policy/policy-keys.h"

#include <stdio.h>
#include <string.h>

/* --- words ------------------------------------------------------------------------------------ */

/* The numbered name of a pool or a profile, which the caller frees. NULL: it is neither. */
static char *
numbered(const struct policy *policy, const char *name)
{
    const struct policy_pool *pool = policy_find_pool(policy, name);
    const struct policy_profile *profile = policy_find_profile(policy, name);

    if (pool)
        return memory_format("pool-%zu", (size_t)(pool - policy->pools) + 1);
    return profile ? memory_format("profile-%zu", (size_t)(profile - policy->profiles) + 1) : NULL;
}

char *
card_policy_remark(const struct policy *policy, const char *text)
{
    static const char marks[] = " \n,:;()\"'";
    char *ret = NULL;
    size_t size, length;
    FILE *out = memory_stream(&ret, &size);

    for (const char *at = text; *at; at += length) {
        AUTO_FREE char *word = NULL, *other = NULL;

        length = strcspn(at, marks);
        word = memory_copy_bytes(at, length);
        other = numbered(policy, word);
        fputs(other ? other : word, out);
        if (at[length])
            fputc(at[length++], out);
    }
    memory_stream_end(out, &ret);
    return ret;
}

static void
replace(char **text, char *other)
{
    free(*text);
    *text = other;
}

/* A list without a type would mean all types, so a type that is not here stays one. */
static void
hide_types(const struct policy *policy, const struct inventory *inventory, struct words *types)
{
    for (size_t i = 0; i < types->count; i++) {
        const struct inventory_type *type = NULL;
        char *other = numbered(policy, types->items[i]);

        while (!other && (type = inventory_next_type(inventory, type))) {
            if (type_name_matches(type, types->items[i]))
                other = memory_copy(types->items[i]);
        }
        replace(&types->items[i], other ? other : memory_copy("type-not-here"));
    }
}

static void
hide_address(const struct inventory *inventory, size_t index, struct name *address)
{
    struct name ignored;

    if (name_parse_pci(&ignored, address->text) < 0 && !inventory_find_gpu(inventory, address)) {
        *address = (struct name){0};
        snprintf(address->text, sizeof(address->text), "gpu-%zu", index + 1);
    }
}

/* --- pools ------------------------------------------------------------------------------------ */

/* A pool without a function would be a fault, and no device has the address "none". */
static void
list_functions(struct policy *policy, const struct host *host, const struct names *devices)
{
    struct words *found = memory_zeroed(policy->pool_count + 1, sizeof(*found));
    bool *has_driver = memory_zeroed(policy->pool_count + 1, sizeof(*has_driver));

    for (size_t i = 0; i < devices->count; i++) {
        const struct policy_pool *pool = policy_pool_of(policy, &devices->items[i]);
        struct name driver;

        if (!pool)
            continue;
        driver = pci_driver(host, &devices->items[i]);
        words_add(&found[pool - policy->pools], devices->items[i].text);
        has_driver[pool - policy->pools] |= name_equal(&driver, &pool->driver);
    }
    for (size_t i = 0; i < policy->pool_count; i++) {
        struct policy_pool *pool = &policy->pools[i];

        if (!found[i].count)
            words_add(&found[i], "none");
        words_clear(&pool->functions);
        pool->functions = found[i];
        if (*pool->driver.text && !has_driver[i])
            pool->driver = (struct name){"driver-not-here"};
    }
    free(found);
    free(has_driver);
}

/* --- the text --------------------------------------------------------------------------------- */

static bool
is_kept(const char *path)
{
    static const char *const groups[] = {"gpus", "max_instances", "pools", "profiles"};
    const size_t length = strcspn(path, ".");
    const char *key = strrchr(path, '.');

    return ARRAY_HAS(groups, COUNT(groups), group,
                     strlen(*group) == length && !strncmp(path, *group, length)) &&
           (!key || strcmp(key, ".traits") != 0);
}

/* A setting that is not kept, or that nobody has set, has its default. */
static void
put_line(void *data, const char *text, const char *origin)
{
    if (!origin || strcmp(origin, "default") != 0)
        fprintf(data, "%s\n", text);
}

char *
card_policy_text(struct policy *policy, struct setting_trace *trace, const struct host *host,
                 const struct inventory *inventory)
{
    AUTO(names_clear) struct names devices = {0};
    char *ret = NULL;
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    if (policy->pool_count)
        (void)!host_list(host, &devices, PCI_DEVICES);
    list_functions(policy, host, &devices);
    for (size_t i = 0; i < policy->gpu_count; i++) {
        hide_types(policy, inventory, &policy->gpus[i].types);
        hide_address(inventory, i, &policy->gpus[i].address);
    }
    for (size_t i = 0; i < policy->limit_count; i++)
        hide_types(policy, inventory, &policy->limits[i].types);
    for (size_t i = 0; i < policy->pool_count; i++)
        replace(&policy->pools[i].name, memory_format("pool-%zu", i + 1));
    for (size_t i = 0; i < policy->profile_count; i++)
        replace(&policy->profiles[i].name, memory_format("profile-%zu", i + 1));
    for (size_t i = 0; i < trace->count; i++) {
        if (!is_kept(trace->items[i].path))
            *trace->items[i].path = '\0';
    }
    policy_keys_text(policy, trace, put_line, out);
    memory_stream_end(out, &ret);
    return ret;
}
