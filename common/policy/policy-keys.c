/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/policy-keys.h"
#include "base/array.h"
#include "policy/policy.h"

#include <string.h>

static const char *const release_words[] = {"reap", "keep", NULL};
static const char *const uuid_words[] = {"keep", "new", NULL};
static const char *const allow_words[] = {"class", "type",   "parent", "placement",
                                          "numa",  "traits", NULL};

/* A PCI address, or the name of something that has none, like the kernel's mtty. */
static void
read_address(struct setting_reader *reader, const config_setting_t *setting,
             const struct setting_key *key, void *object)
{
    struct name *field = (struct name *)((char *)object + key->offset);
    const char *text = config_setting_type(setting) == CONFIG_TYPE_STRING
                           ? config_setting_get_string(setting)
                           : "";
    int rc = strchr(text, ':') ? name_parse_pci(field, text) : name_parse(field, text);

    if (rc < 0)
        setting_fault(reader, setting,
                      "address must be a PCI address, as \"0000:18:00.0\", not \"%s\"", text);
}

/* An empty list would mean "none" to a reader, and "all" to us. */
static void
read_types(struct setting_reader *reader, const config_setting_t *setting,
           const struct setting_key *key, void *object)
{
    setting_words_list(reader, setting, key, object);
    if (config_setting_is_aggregate(setting) && config_setting_length(setting) == 0)
        setting_fault(reader, setting, "%s is an empty list", key->name);
}

static const struct setting_key gpu_keys[] = {
    {"address", read_address, offsetof(struct policy_gpu, address), NULL},
    {"types", read_types, offsetof(struct policy_gpu, types), NULL},
    {"traits", setting_words_list, offsetof(struct policy_gpu, traits), NULL},
    {"reserve", setting_count, offsetof(struct policy_gpu, reserve), NULL},
    {"enabled", setting_bool, offsetof(struct policy_gpu, enabled), NULL},
};

static const struct setting_key class_keys[] = {
    {"types", read_types, offsetof(struct policy_class, types), NULL},
    {"framebuffer", setting_framebuffer, offsetof(struct policy_class, framebuffer), NULL},
    {"traits", setting_words_list, offsetof(struct policy_class, traits), NULL},
    {"placement", setting_choice, offsetof(struct policy_class, order), policy_order_words},
};

static void
read_max(struct setting_reader *reader, const config_setting_t *setting,
         const struct setting_key *key, void *object)
{
    setting_count(reader, setting, key, object);
    ((struct policy_quota *)object)->has_max = true;
}

static const struct setting_key quota_keys[] = {
    {"domains", read_types, offsetof(struct policy_quota, domains), NULL},
    {"class", setting_string, offsetof(struct policy_quota, class), NULL},
    {"max", read_max, offsetof(struct policy_quota, max), NULL},
};

static const struct setting_key limit_keys[] = {
    {"types", read_types, offsetof(struct policy_limit, types), NULL},
    {"max", setting_count, offsetof(struct policy_limit, max), NULL},
};

static const struct setting_key device_keys[] = {
    {"alias", setting_string, offsetof(struct policy_domain_device, alias), NULL},
    {"type", setting_string, offsetof(struct policy_domain_device, type), NULL},
    {"class", setting_string, offsetof(struct policy_domain_device, class), NULL},
};

/* The groups of a list, each handed over with its place; a fault for what is no group. */
static void
each_group(struct setting_reader *reader, const config_setting_t *setting, const char *name,
           void *object,
           void (*take)(struct setting_reader *reader, const config_setting_t *item, void *object))
{
    if (!config_setting_is_list(setting))
        return setting_fault(reader, setting, "%s must be a list of groups, as ( { ... } )", name);
    for (int i = 0; i < config_setting_length(setting); i++) {
        const config_setting_t *item = config_setting_get_elem(setting, (unsigned)i);

        if (config_setting_is_group(item))
            take(reader, item, object);
        else
            setting_fault(reader, item, "%s may hold only groups, as { ... }", name);
    }
}

/* Adds an item with its origin to a policy's array, and reads a group into it. */
#define ADD_AND_READ(reader, group, items, count, keys, ...)                                       \
    do {                                                                                           \
        __typeof__(*(items)) fresh = __VA_ARGS__;                                                  \
        fresh.origin = setting_origin(reader, group);                                              \
        if (!fresh.origin || ARRAY_ADD(items, count, fresh) < 0) {                                 \
            free(fresh.origin);                                                                    \
            return setting_no_memory(reader);                                                      \
        }                                                                                          \
        setting_read_group(reader, group, keys, COUNT(keys), &(items)[(count)-1]);                 \
    } while (0)

/* A fault for each of the keys that is missing. */
static void
need_keys(struct setting_reader *reader, const config_setting_t *group, const char *what,
          const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!config_setting_get_member(group, names[i]))
            setting_fault(reader, group, "%s without %s", what, names[i]);
    }
}

static void
read_gpu(struct setting_reader *reader, const config_setting_t *group, void *object)
{
    static const char *const needed[] = {"address"};
    struct policy *policy = object;

    need_keys(reader, group, "a GPU", needed, COUNT(needed));
    ADD_AND_READ(reader, group, policy->gpus, policy->gpu_count, gpu_keys, {.enabled = true});
}

static void
read_gpus(struct setting_reader *reader, const config_setting_t *setting,
          const struct setting_key *key, void *object)
{
    each_group(reader, setting, key->name, object, read_gpu);
}

static void
read_quota(struct setting_reader *reader, const config_setting_t *group, void *object)
{
    static const char *const needed[] = {"domains", "class", "max"};
    struct policy *policy = object;

    need_keys(reader, group, "a quota", needed, COUNT(needed));
    ADD_AND_READ(reader, group, policy->quotas, policy->quota_count, quota_keys, {0});
}

static void
read_quotas(struct setting_reader *reader, const config_setting_t *setting,
            const struct setting_key *key, void *object)
{
    each_group(reader, setting, key->name, object, read_quota);
}

static void
read_limit(struct setting_reader *reader, const config_setting_t *group, void *object)
{
    static const char *const needed[] = {"types", "max"};
    struct policy *policy = object;

    need_keys(reader, group, "a limit", needed, COUNT(needed));
    ADD_AND_READ(reader, group, policy->limits, policy->limit_count, limit_keys, {0});
}

static void
read_limits(struct setting_reader *reader, const config_setting_t *setting,
            const struct setting_key *key, void *object)
{
    each_group(reader, setting, key->name, object, read_limit);
}

static void
read_device(struct setting_reader *reader, const config_setting_t *group, void *object)
{
    static const char *const needed[] = {"alias"};
    struct policy_domain *domain = object;

    need_keys(reader, group, "a device", needed, COUNT(needed));
    ADD_AND_READ(reader, group, domain->devices, domain->device_count, device_keys, {0});
}

static void
read_devices(struct setting_reader *reader, const config_setting_t *setting,
             const struct setting_key *key, void *object)
{
    each_group(reader, setting, key->name, object, read_device);
}

static const struct setting_key domain_keys[] = {
    {"name", setting_string, offsetof(struct policy_domain, name), NULL},
    {"devices", read_devices, 0, NULL},
};

static void
read_domain(struct setting_reader *reader, const config_setting_t *group, void *object)
{
    static const char *const needed[] = {"name", "devices"};
    struct policy *policy = object;

    need_keys(reader, group, "a domain", needed, COUNT(needed));
    ADD_AND_READ(reader, group, policy->domains, policy->domain_count, domain_keys, {0});
}

static void
read_domains(struct setting_reader *reader, const config_setting_t *setting,
             const struct setting_key *key, void *object)
{
    each_group(reader, setting, key->name, object, read_domain);
}

/* Groups merge by key: a class that is there already is read into. */
static void
read_class(struct setting_reader *reader, const config_setting_t *group, struct policy *policy)
{
    struct policy_class *known =
        (struct policy_class *)policy_find_class(policy, config_setting_name(group));
    char *name;

    if (known)
        return setting_read_group(reader, group, class_keys, COUNT(class_keys), known);
    name = strdup(config_setting_name(group));
    if (!name)
        return setting_no_memory(reader);
    ADD_AND_READ(reader, group, policy->classes, policy->class_count, class_keys, {.name = name});
}

static void
read_classes(struct setting_reader *reader, const config_setting_t *setting,
             const struct setting_key *key, void *object)
{
    if (!config_setting_is_group(setting))
        return setting_fault(reader, setting, "%s must be a group, as { small = { ... }; }",
                             key->name);
    for (int i = 0; i < config_setting_length(setting); i++) {
        const config_setting_t *item = config_setting_get_elem(setting, (unsigned)i);

        if (config_setting_is_group(item))
            read_class(reader, item, object);
        else
            setting_fault(reader, item, "a class must be a group, as { types = [ ... ]; }");
    }
}

static void
read_default_class(struct setting_reader *reader, const config_setting_t *setting,
                   const struct setting_key *key, void *object)
{
    struct policy *policy = object;

    setting_string(reader, setting, key, object);
    free(policy->default_origin);
    policy->default_origin = setting_origin(reader, setting);
}

static void
read_params(struct setting_reader *reader, const config_setting_t *setting,
            const struct setting_key *key, void *object)
{
    setting_words_list(reader, setting, key, object);
    ((struct policy *)object)->has_params = true;
}

static const struct setting_key keys[] = {
    {"enabled", setting_bool, offsetof(struct policy, enabled), NULL},
    {"default_class", read_default_class, offsetof(struct policy, default_class), NULL},
    {"placement", setting_choice, offsetof(struct policy, order), policy_order_words},
    {"numa", setting_choice, offsetof(struct policy, numa), policy_numa_words},
    {"release", setting_choice, offsetof(struct policy, release), release_words},
    {"migrate_uuid", setting_choice, offsetof(struct policy, migrate_uuid), uuid_words},
    {"allow", setting_choices, offsetof(struct policy, allow), allow_words},
    {"params", read_params, offsetof(struct policy, params), NULL},
    {"prepare_timeout", setting_duration, offsetof(struct policy, prepare_timeout), NULL},
    {"release_timeout", setting_duration, offsetof(struct policy, release_timeout), NULL},
    {"lock_timeout", setting_duration, offsetof(struct policy, lock_timeout), NULL},
    {"boot_wait", setting_duration, offsetof(struct policy, boot_wait), NULL},
    {"gpus", read_gpus, 0, NULL},
    {"classes", read_classes, 0, NULL},
    {"quotas", read_quotas, 0, NULL},
    {"domains", read_domains, 0, NULL},
    {"max_instances", read_limits, 0, NULL},
};

void
policy_read_keys(struct setting_reader *reader, const config_setting_t *root, struct policy *policy)
{
    setting_read_group(reader, root, keys, COUNT(keys), policy);
}
