/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/public-capture.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/reader.h"
#include "capture/card-facts.h"
#include "device/nvidia-table.h"
#include "device/pci.h"
#include "device/scan.h"
#include "device/type-cache.h"
#include "device/type-name.h"
#include "policy/policy-keys.h"
#include "policy/policy-load.h"
#include "vendor/nvidia-scheduler.h"

#include <stdio.h>
#include <string.h>

void
public_capture_look(struct public_capture *public, const struct host *host)
{
    struct error ignored;

    public->policy_rc = policy_load_traced(host, &public->policy, &public->trace, &ignored);
    reader_begin(host->reader, READER_PATIENCE);
    (void)!scan_host(host, &public->policy, &inventory_all_types, &public->inventory, &ignored);
}

void
public_capture_clear(struct public_capture *public)
{
    policy_clear(&public->policy);
    setting_trace_clear(&public->trace);
    inventory_clear(&public->inventory);
}

/* --- words of the configuration --------------------------------------------------------------- */

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
public_capture_remark(const struct public_capture *public, const char *text)
{
    static const char marks[] = " \n,:;()\"'";
    char *ret = NULL;
    size_t size, length;
    FILE *out = memory_stream(&ret, &size);

    for (const char *at = text; *at; at += length) {
        AUTO_FREE char *word = NULL, *other = NULL;

        length = strcspn(at, marks);
        word = memory_copy_bytes(at, length);
        other = numbered(&public->policy, word);
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

/* --- its text --------------------------------------------------------------------------------- */

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

/* Returns the text, which the caller frees. It changes policy and trace, which were loaded
 * together. */
static char *
make_text(struct policy *policy, struct setting_trace *trace, const struct host *host,
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
    setting_trace_keep(trace, is_kept);
    policy_keys_text(policy, trace, put_line, out);
    memory_stream_end(out, &ret);
    return ret;
}

/* --- the answers ------------------------------------------------------------------------------ */

/* Of the parameters of NVIDIA's module the schedulers are left, written anew. */
static void
add_schedulers(struct recording *recording, const struct inventory *inventory, struct answers *ret)
{
    const struct answer *asked =
        answers_find(&recording->answers, ANSWER_READ, NVIDIA_SCHEDULER_PATH);
    char *text = NULL;
    size_t length;
    FILE *out;

    if (!asked || asked->error)
        return;
    out = memory_stream(&text, &length);
    fputs("RegistryDwordsPerDevice: \"", out);
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct name *gpu = &inventory->gpus[i]->name;
        unsigned scheduler = nvidia_scheduler_read(&recording->host, gpu);

        if (scheduler != POLICY_SCHEDULER_UNSAID)
            fprintf(out, "pci=%s;RmPVMRL=0x%02x;", gpu->text, nvidia_scheduler_values[scheduler]);
    }
    fputs("\"\n", out);
    memory_stream_end(out, &text);
    answers_add(ret, ANSWER_READ, NVIDIA_SCHEDULER_PATH, text, (ssize_t)length);
    free(text);
}

/* The directory of the configuration is where most hosts have it. */
void
public_capture_take(struct public_capture *public, struct recording *recording, struct answers *ret)
{
    static const char config[] = "etc/libvirt-vgpu";
    const struct inventory *inventory = &public->inventory;
    AUTO_FREE char *types = type_cache_text(inventory);
    AUTO_FREE char *conf = make_text(&public->policy, &public->trace, &recording->host, inventory);

    card_facts_take(&recording->answers, ret);
    add_schedulers(recording, inventory, ret);
    answers_add(ret, ANSWER_READ, TYPE_CACHE_PATH, types, (ssize_t)strlen(types));
    answers_add(ret, ANSWER_HOST, "config", config, (ssize_t)strlen(config));
    answers_add(ret, ANSWER_LIST, "etc/libvirt-vgpu/conf.d", "", -ENOENT);
    if (public->policy_rc == 0)
        card_facts_add_file(ret, "etc/libvirt-vgpu/vgpu.conf", conf);
    if (inventory->extract && !*inventory->table_fault.text)
        card_facts_add_file(ret, NVIDIA_TABLE_PATH, inventory->extract);
    else if (!inventory->extract)
        answers_add(ret, ANSWER_OPEN, NVIDIA_TABLE_PATH, "", -ENOENT);
}
