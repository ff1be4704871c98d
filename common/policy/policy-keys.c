/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/policy-keys.h"
#include "base/memory.h"
#include "policy/policy.h"

#include <string.h>

static const char *const release_words[] = {"reap", "keep", NULL};
static const char *const uuid_words[] = {"keep", "new", NULL};

static const char *const slicing_words[] = {"", "off", "on", NULL};

static void
read_instances(const struct setting *setting)
{
    setting_words(setting);
    ((struct policy_gpu *)setting->object)->setup.has_instances = true;
}

static const struct setting_key setup_keys[] = {
    {"functions", setting_number, .offset = offsetof(struct policy_gpu, setup.functions)},
    {"instances", read_instances, .offset = offsetof(struct policy_gpu, setup.instances),
     .like = setting_words},
    {"time_slicing", setting_choice, .offset = offsetof(struct policy_gpu, setup.slicing),
     .words = slicing_words},
    {"sizes", setting_each_choice, .offset = offsetof(struct policy_gpu, setup.sizes),
     .words = policy_sizes_words},
    {"scheduler", setting_each_choice, .offset = offsetof(struct policy_gpu, setup.scheduler),
     .words = policy_scheduler_words},
};
static const struct setting_list setup_group = {.keys = setup_keys, .key_count = COUNT(setup_keys)};

static const struct setting_key gpu_keys[] = {
    {"address", setting_address, offsetof(struct policy_gpu, address), .needed = true},
    {"types", setting_some_words, .offset = offsetof(struct policy_gpu, types)},
    {"traits", setting_words, .offset = offsetof(struct policy_gpu, traits)},
    {"reserve", setting_count, .offset = offsetof(struct policy_gpu, reserve)},
    {"vram", setting_framebuffer, .offset = offsetof(struct policy_gpu, vram)},
    {"enabled", setting_bool, .offset = offsetof(struct policy_gpu, enabled)},
    {"setup", setting_group, .list = &setup_group},
};

static const struct setting_key class_keys[] = {
    {"types", setting_some_words, .offset = offsetof(struct policy_class, types)},
    {"framebuffer", setting_framebuffer, .offset = offsetof(struct policy_class, framebuffer)},
    {"traits", setting_words, .offset = offsetof(struct policy_class, traits)},
    {"placement", setting_choice, offsetof(struct policy_class, order), .words = choice_orders},
};

static void
read_driver(const struct setting *setting)
{
    struct policy_pool *pool = setting->object;

    if (name_parse(&pool->driver, setting_text(setting)) < 0)
        setting_wrong(setting, "driver must be the name of a driver, as \"vfio-pci\"");
}

static const struct setting_key pool_keys[] = {
    {"functions", setting_words, .offset = offsetof(struct policy_pool, functions)},
    {"driver", read_driver, .offset = offsetof(struct policy_pool, driver),
     .like = setting_address},
    {"framebuffer", setting_framebuffer, .offset = offsetof(struct policy_pool, framebuffer)},
};

static const struct setting_key profile_keys[] = {
    {"vram", setting_framebuffer, .offset = offsetof(struct policy_profile, vram)},
    {"exec_quantum", setting_duration, .offset = offsetof(struct policy_profile, exec_quantum)},
    {"preempt_timeout", setting_duration,
     .offset = offsetof(struct policy_profile, preempt_timeout)},
};

static const struct setting_key quota_keys[] = {
    {"domains", setting_some_words, offsetof(struct policy_quota, domains), .needed = true},
    {"class", setting_string, offsetof(struct policy_quota, class), .needed = true},
    {"max", setting_count, offsetof(struct policy_quota, max), .needed = true},
};

static const struct setting_key limit_keys[] = {
    {"types", setting_some_words, offsetof(struct policy_limit, types), .needed = true},
    {"max", setting_count, offsetof(struct policy_limit, max), .needed = true},
};

static const struct setting_key device_keys[] = {
    {"alias", setting_string, offsetof(struct policy_domain_device, alias), .needed = true},
    {"type", setting_string, .offset = offsetof(struct policy_domain_device, type)},
    {"class", setting_string, .offset = offsetof(struct policy_domain_device, class)},
};

/* A list of items of a type. The count of their array is a field of the owner. */
#define ITEMS(type, keys, owner, counter)                                                          \
    (keys), COUNT(keys), sizeof(type), offsetof(type, origin), offsetof(owner, counter)

static const struct setting_list device_list = {
    "a device", ITEMS(struct policy_domain_device, device_keys, struct policy_domain, device_count),
    .fresh = NULL};

static void
read_evacuate(const struct setting *setting)
{
    setting_choices(setting);
    ((struct policy_domain *)setting->object)->has_evacuate = true;
}

static const struct setting_key domain_keys[] = {
    {"name", setting_string, offsetof(struct policy_domain, name), .needed = true},
    {"devices", setting_list, offsetof(struct policy_domain, devices), .list = &device_list},
    {"evacuate", read_evacuate, offsetof(struct policy_domain, evacuate),
     .words = policy_evacuate_words, .like = setting_choices},
};

static const struct setting_list gpu_list = {
    "a GPU", ITEMS(struct policy_gpu, gpu_keys, struct policy, gpu_count),
    .fresh = &(const struct policy_gpu){.enabled = true}};
static const struct setting_list quota_list = {
    "a quota", ITEMS(struct policy_quota, quota_keys, struct policy, quota_count), .fresh = NULL};
static const struct setting_list limit_list = {
    "a limit", ITEMS(struct policy_limit, limit_keys, struct policy, limit_count), .fresh = NULL};
static const struct setting_list domain_list = {
    "a domain", ITEMS(struct policy_domain, domain_keys, struct policy, domain_count),
    .fresh = NULL};
static const struct setting_list class_list = {
    "a class", ITEMS(struct policy_class, class_keys, struct policy, class_count),
    .has_names = true, .name = offsetof(struct policy_class, name)};
static const struct setting_list pool_list = {
    "a pool", ITEMS(struct policy_pool, pool_keys, struct policy, pool_count), .has_names = true,
    .name = offsetof(struct policy_pool, name)};

static const struct setting_list profile_list = {
    "a profile", ITEMS(struct policy_profile, profile_keys, struct policy, profile_count),
    .has_names = true, .name = offsetof(struct policy_profile, name)};

/* Items that are named by their key. */
struct named {
    const struct setting_list *list;    /* its items begin with their name, a char * */
    size_t items;                       /* offset of their array in the policy */
    const char *what, *example;         /* for messages */
    bool (*is_wrong)(const void *item); /* the item has two keys of which it may have one; NULL: no
                                           two exclude each other */
};

static void *
item_at(const struct policy *policy, const struct named *named, size_t index)
{
    char *items;

    memcpy(&items, (const char *)policy + named->items, sizeof(items));
    return items + index * named->list->size;
}

/* If this makes the item wrong, the mistake is here, and not where the item begins. */
static void
read_more_of(size_t index, const struct setting *setting, const struct named *named)
{
    void *item = item_at(setting->object, named, index);
    char **origin = (char **)((char *)item + named->list->origin);
    bool was_wrong = !named->is_wrong || named->is_wrong(item);

    setting_read_item(setting, index, named->list, item);
    if (was_wrong || !named->is_wrong(item))
        return;
    free(*origin);
    *origin = setting_origin(setting);
}

/* Groups merge by key: if an earlier file has the item, the setting is read into it. The files
 * before this one had `earlier` items. libconfig lets no file have a name twice. */
static void
read_named(const struct setting *setting, const struct named *named, size_t earlier)
{
    const char *name = config_setting_name(setting->node);
    void *item;

    for (size_t i = 0; i < earlier; i++) {
        if (!strcmp(*(char **)item_at(setting->object, named, i), name))
            return read_more_of(i, setting, named);
    }
    item = setting_add_item(setting, named->items, named->list);
    *(char **)item = memory_copy(name);
}

static void
read_all_named(const struct setting *setting, const struct named *named)
{
    size_t earlier = *(size_t *)((char *)setting->object + named->list->count);
    struct setting item = *setting;

    if (!config_setting_is_group(setting->node))
        return setting_wrong(setting, "%s must be a group, as { small = %s; }", setting->key->name,
                             named->example);
    for (int i = 0; i < config_setting_length(setting->node); i++) {
        item.node = config_setting_get_elem(setting->node, (unsigned)i);
        if (config_setting_is_group(item.node))
            read_named(&item, named, earlier);
        else
            setting_wrong(&item, "%s must be a group, as %s", named->what, named->example);
    }
}

/* A class is defined by its types or by its frame buffer. */
static bool
has_both(const void *item)
{
    const struct policy_class *class = item;

    return class->types.count && class->framebuffer;
}

static void
read_classes(const struct setting *setting)
{
    static const struct named named = {&class_list, offsetof(struct policy, classes), "a class",
                                       "{ types = [ ... ]; }", has_both};

    read_all_named(setting, &named);
}

static void
read_pools(const struct setting *setting)
{
    static const struct named named = {&pool_list, offsetof(struct policy, pools), "a pool",
                                       "{ functions = [ ... ]; }", NULL};

    read_all_named(setting, &named);
}

static void
read_profiles(const struct setting *setting)
{
    static const struct named named = {&profile_list, offsetof(struct policy, profiles),
                                       "a profile", "{ vram = \"4G\"; }", NULL};

    read_all_named(setting, &named);
}

static void
read_enabled(const struct setting *setting)
{
    struct policy *policy = setting->object;

    setting_bool(setting);
    free(policy->enabled_origin);
    policy->enabled_origin = setting_origin(setting);
}

static void
read_default_class(const struct setting *setting)
{
    struct policy *policy = setting->object;

    setting_string(setting);
    free(policy->default_origin);
    policy->default_origin = setting_origin(setting);
}

static void
read_params(const struct setting *setting)
{
    setting_words(setting);
    ((struct policy *)setting->object)->has_params = true;
}

static const struct setting_key keys[] = {
    {"enabled", read_enabled, .offset = offsetof(struct policy, enabled), .like = setting_bool},
    {"default_class", read_default_class, .offset = offsetof(struct policy, default_class),
     .like = setting_string},
    {"placement", setting_choice, offsetof(struct policy, order), .words = choice_orders},
    {"numa", setting_choice, offsetof(struct policy, numa), .words = choice_numas},
    {"release", setting_choice, offsetof(struct policy, release), .words = release_words},
    {"migrate_uuid", setting_choice, offsetof(struct policy, migrate_uuid), .words = uuid_words},
    {"accept", setting_words, .offset = offsetof(struct policy, accepted)},
    {"allow", setting_choices, offsetof(struct policy, allow), .words = attribute_names},
    {"evacuate", setting_choices, offsetof(struct policy, evacuate),
     .words = policy_evacuate_words},
    {"params", read_params, .offset = offsetof(struct policy, params), .like = setting_words},
    {"prepare_timeout", setting_duration, .offset = offsetof(struct policy, prepare_timeout)},
    {"release_timeout", setting_duration, .offset = offsetof(struct policy, release_timeout)},
    {"lock_timeout", setting_duration, .offset = offsetof(struct policy, lock_timeout)},
    {"unlike_vgpus", setting_bool, .offset = offsetof(struct policy, unlike_vgpus)},
    {"boot_wait", setting_duration, .offset = offsetof(struct policy, boot_wait)},
    {"gpus", setting_list, offsetof(struct policy, gpus), .list = &gpu_list},
    {"classes", read_classes, .offset = offsetof(struct policy, classes), .list = &class_list,
     .like = setting_list},
    {"pools", read_pools, .offset = offsetof(struct policy, pools), .list = &pool_list,
     .like = setting_list},
    {"profiles", read_profiles, .offset = offsetof(struct policy, profiles), .list = &profile_list,
     .like = setting_list},
    {"quotas", setting_list, offsetof(struct policy, quotas), .list = &quota_list},
    {"domains", setting_list, offsetof(struct policy, domains), .list = &domain_list},
    {"max_instances", setting_list, offsetof(struct policy, limits), .list = &limit_list},
};

void
policy_keys_read(struct setting_reader *reader, const config_setting_t *root, struct policy *policy)
{
    setting_read_group(reader, root, keys, COUNT(keys), policy);
}

void
policy_keys_text(const struct policy *policy, const struct setting_trace *trace,
                 setting_text_line *take, void *data)
{
    struct setting_text text = {.trace = trace, .take = take, .data = data};
    struct policy shown = *policy;

    if (!policy->has_params)
        shown.params = (struct words){(char **)policy_built_in_params, POLICY_BUILT_IN_PARAMS};
    setting_text_group(&text, keys, COUNT(keys), &shown);
}
