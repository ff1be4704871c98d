/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/resolution.h"
#include "base/array.h"

#include <stdio.h>
#include <string.h>

/* "small-2" is the class of that name, if there is one. Else it is the second device of class
 * "small". *length: bytes of the text that are the class's name. */
static const struct policy_class *
class_of_alias(const struct policy *policy, const char *text, size_t *length)
{
    const struct policy_class *class = policy_find_class(policy, text);
    const char *dash = strrchr(text, '-');

    *length = strlen(text);
    if (class || !dash || !dash[1] || strspn(dash + 1, "0123456789") != strlen(dash + 1))
        return class;
    *length = (size_t)(dash - text);
    for (size_t i = 0; i < policy->class_count; i++) {
        class = &policy->classes[i];
        if (strlen(class->name) == *length && !memcmp(class->name, text, *length))
            return class;
    }
    return NULL;
}

static int
unknown_class(const struct policy *policy, const struct demand *demand, const char *name,
              size_t length, struct error *error)
{
    char said[256];

    snprintf(said, sizeof(said), "%.*s", (int)length, name);
    return error_set(error, -EINVAL,
                     "%s asks for the class \"%s\", and vgpu.conf has none of that name%s",
                     demand->label, said, policy_hint_class(policy, said).text);
}

static void
want_type(struct demand *demand, char *type)
{
    demand->wanted = demand->terms.attributes.said[ATTRIBUTE_TYPE] = type;
}

static void
want_class(struct demand *demand, const struct policy_class *class)
{
    unsigned *order = &demand->terms.attributes.chosen[ATTRIBUTE_PLACEMENT];

    demand->terms.class = class;
    demand->wanted = class->name;
    if (*order == ORDER_UNSAID)
        *order = class->order;
}

/* Bytes of one parameter as the driver takes it, with the separator to the next. */
static size_t
param_size(const struct request_param *param)
{
    return strlen(param->name) + strlen(param->value) + strlen("=, ");
}

/* Checks what the request may say at all. A type in the request must not go round a class, or its
 * quota. */
static int
check_allowed(const struct policy *policy, const struct demand *demand, struct error *error)
{
    const struct request_device *device = demand->device;
    size_t size = 0;

    for (enum attribute i = 0; i < ATTRIBUTES; i++) {
        const char *text = attributes_text(&device->attributes, i), *name = attribute_names[i];

        if (text && !policy_allows(policy, i))
            return error_set(error, -EINVAL,
                             "%s says %s=\"%s\", and vgpu.conf (allow) does not let a request say "
                             "%s; it allows: %s",
                             demand->label, name, text, name, policy_hint_allow(policy).text);
    }
    for (size_t i = 0; i < device->param_count; i++) {
        const struct request_param *param = &device->params[i];

        size += param_size(param);
        if (size >= VGPU_PARAMS)
            return error_set(error, -EINVAL,
                             "%s sets more driver parameters than fit into %d bytes", demand->label,
                             VGPU_PARAMS);
        if (!policy_allows_param(policy, param->name))
            return error_set(error, -EINVAL,
                             "%s sets the driver parameter \"%s\", and vgpu.conf (params) does not "
                             "let a request set it; it allows: %s",
                             demand->label, param->name, policy_hint_params(policy).text);
        if (strspn(param->value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "_.:+-") != strlen(param->value))
            return error_set(error, -EINVAL,
                             "%s sets the driver parameter %s to \"%s\": only letters, digits and "
                             "_.:+- may be in it",
                             demand->label, param->name, param->value);
    }
    return 0;
}

/* The policy's `domains` entry for a hostdev, or NULL. */
static const struct policy_domain_device *
find_domain_device(const struct policy *policy, const struct request *request,
                   const struct request_hostdev *hostdev)
{
    for (size_t i = 0; i < policy->domain_count; i++) {
        const struct policy_domain *domain = &policy->domains[i];

        if (!policy_is_domain(domain->name, request->name, &request->domain))
            continue;
        for (size_t k = 0; k < domain->device_count; k++) {
            if (hostdev->alias && !strcmp(domain->devices[k].alias, hostdev->alias))
                return &domain->devices[k];
        }
    }
    return NULL;
}

/* Resolves a hostdev without an annotation. 1: something asks for it; 0: nothing does; -EINVAL: an
 * unknown class. */
static int
resolve_unannotated(const struct request *request, const struct policy *policy,
                    struct demand *demand, struct error *error)
{
    const struct request_hostdev *hostdev = demand->hostdev;
    const struct policy_domain_device *device = find_domain_device(policy, request, hostdev);
    const struct policy_class *class;
    const char *name;
    size_t length;

    if (!hostdev->is_gpu)
        return 0;
    if (device) {
        demand->source = DEMAND_DOMAINS;
        demand->origin = device->origin;
    }
    if (device && device->type) {
        want_type(demand, device->type);
        return 1;
    }
    if (device) {
        name = device->class;
        class = policy_find_class(policy, name);
        length = strlen(name);
    } else if (demand_is_explicit(hostdev)) {
        if (!policy_allows(policy, ATTRIBUTE_CLASS))
            return error_set(error, -EINVAL,
                             "the alias %s asks for a class, and vgpu.conf (allow) does not let a "
                             "request say class; it allows: %s",
                             demand->label, policy_hint_allow(policy).text);
        demand->source = DEMAND_ALIAS;
        name = hostdev->alias + strlen(DEMAND_ALIAS_STEM);
        class = class_of_alias(policy, name, &length);
    } else if (*policy->default_class && hostdev->kind == REQUEST_MDEV) {
        demand->source = DEMAND_DEFAULT;
        demand->origin = policy->default_origin;
        name = policy->default_class;
        class = policy_find_class(policy, name);
        length = strlen(name);
    } else {
        return 0;
    }
    if (!class)
        return unknown_class(policy, demand, name, length, error);
    want_class(demand, class);
    return 1;
}

static int
resolve_annotated(const struct policy *policy, struct demand *demand, struct error *error)
{
    const struct request_device *device = demand->device;
    const char *name = device->attributes.said[ATTRIBUTE_CLASS];
    const struct policy_class *class = name ? policy_find_class(policy, name) : NULL;
    int rc = check_allowed(policy, demand, error);

    if (rc < 0)
        return rc;
    if (name && !class)
        return unknown_class(policy, demand, name, strlen(name), error);
    demand->terms.attributes = device->attributes;
    if (class)
        want_class(demand, class);
    else
        want_type(demand, device->attributes.said[ATTRIBUTE_TYPE]);
    return 1;
}

/* Whether a function that libvirt may bind itself would do, by its name or by its size. */
static bool
may_be_lent(const struct policy *policy, const struct demand *demand)
{
    return demand_words_are_lent(&demand->terms, policy) ||
           (demand_framebuffer(&demand->terms) && policy_lends_any(policy));
}

/* Refuses managed='yes', with which libvirt would bind a virtual function to VFIO, and back. A
 * function of a pool, or with a profile, loses nothing by that. If a class has types of both sorts,
 * the function decides later, in constraints_judge. */
static int
check_managed(const struct policy *policy, const struct demand *demand, struct error *error)
{
    const struct request_hostdev *hostdev = demand->hostdev;

    if (hostdev->kind != REQUEST_PCI || !hostdev->is_managed || may_be_lent(policy, demand))
        return 0;
    error_set(error, -EINVAL,
              "the hostdev %s (%s) says managed='yes': libvirt would take it from its GPU's "
              "driver, and with that its vGPU; say managed='no'",
              demand->label, hostdev->source.text);
    error->line = hostdev->line;
    return -EINVAL;
}

/* 1: the hostdev is ours, and demand says what it is to be; 0: it is not ours; -EINVAL, with the
 * line at fault. */
static int
resolve(const struct request *request, const struct policy *policy,
        const struct request_hostdev *hostdev, struct demand *demand, struct error *error)
{
    unsigned *chosen;
    int rc;

    *demand = (struct demand){
        .hostdev = hostdev,
        .device = hostdev->device == SIZE_MAX ? NULL : &request->devices[hostdev->device],
        .label = hostdev->alias ? hostdev->alias : hostdev->source.text,
    };
    rc = demand->device ? resolve_annotated(policy, demand, error)
                        : resolve_unannotated(request, policy, demand, error);
    if (rc < 0)
        error->line = demand_line(demand);
    chosen = demand->terms.attributes.chosen;
    if (chosen[ATTRIBUTE_PLACEMENT] == ORDER_UNSAID)
        chosen[ATTRIBUTE_PLACEMENT] = policy->order;
    if (chosen[ATTRIBUTE_NUMA] == NUMA_UNSAID)
        chosen[ATTRIBUTE_NUMA] = policy->numa;
    demand_set_free(demand, DEMAND_AS_IT_SAYS);
    return rc > 0 && check_managed(policy, demand, error) < 0 ? -EINVAL : rc;
}

int
resolution_make(const struct request *request, const struct policy *policy, struct demands *ret,
                struct error *error)
{
    AUTO(demands_clear) struct demands demands = {.may_be_unlike = policy->unlike_vgpus};

    for (size_t i = 0; i < request->hostdev_count; i++) {
        struct demand demand;
        int rc = resolve(request, policy, &request->hostdevs[i], &demand, error);

        if (rc < 0)
            return rc;
        if (rc > 0)
            ARRAY_ADD(demands.items, demands.count, demand);
    }
    *ret = demands;
    demands = (struct demands){0};
    return 0;
}

bool
resolution_is_asked(const struct request *request)
{
    bool found = *request->fault.text || request->device_count;

    for (size_t i = 0; i < request->hostdev_count; i++)
        found |= demand_is_explicit(&request->hostdevs[i]);
    return found;
}
