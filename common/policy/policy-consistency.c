/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/policy-consistency.h"
#include "base/memory.h"

#include <string.h>

struct checker {
    const struct policy *policy;
    struct error *error;
    int rc;
};

static void FORMAT(2, 3) fault(struct checker *checker, const char *format, ...)
{
    struct error one;
    va_list args;

    va_start(args, format);
    checker->rc = error_vset(&one, -EINVAL, format, args);
    va_end(args);
    error_add(checker->error, "%s", one.text);
}

/* One for all, or one for each instance. */
static void
check_count(struct checker *checker, const struct policy_gpu *gpu, const char *what,
            const struct setting_each *each)
{
    if (each->count > 1 && each->count != gpu->setup.instances.count)
        fault(checker,
              "%s: the GPU %s has %u %s for %zu instances: say one for all, or one for each",
              gpu->origin, gpu->address.text, each->count, what, gpu->setup.instances.count);
}

/* NVIDIA's fixed shares are for equal sizes (vGPU user guide). */
static void
check_sizes(struct checker *checker, const struct policy_gpu *gpu)
{
    const struct policy_setup *setup = &gpu->setup;
    size_t count = setup->instances.count ? setup->instances.count : 1;
    bool mixed = false, fixed = false;

    for (size_t i = 0; i < count; i++) {
        bool here = setting_each_of(&setup->sizes, i) == POLICY_SIZES_MIXED;

        mixed |= here;
        fixed |= here && setting_each_of(&setup->scheduler, i) == POLICY_SCHEDULER_FIXED_SHARE;
    }
    if (fixed)
        fault(checker,
              "%s: the GPU %s has the scheduler \"fixed-share\" beside mixed sizes: leave one of "
              "them out, as NVIDIA has that scheduler only for equal sizes",
              gpu->origin, gpu->address.text);
    if (mixed && setup->slicing == POLICY_SLICING_OFF)
        fault(checker,
              "%s: the GPU %s has mixed sizes, and time_slicing is \"off\": leave one of them "
              "out, as a GPU instance without time slicing takes one vGPU",
              gpu->origin, gpu->address.text);
}

static void
check_setup(struct checker *checker, const struct policy_gpu *gpu)
{
    const struct policy_setup *setup = &gpu->setup;

    for (size_t i = 0; i < setup->instances.count; i++) {
        if (!policy_is_profile_of_instances(setup->instances.items[i]))
            fault(checker,
                  "%s: \"%s\" is no profile of GPU instances, as \"1g.24gb+gfx\"; "
                  "'nvidia-smi mig -lgip' lists them",
                  gpu->origin, setup->instances.items[i]);
    }
    if (setup->instances.count > POLICY_MOST_INSTANCES)
        fault(checker, "%s: the GPU %s has %zu instances, and no GPU has more than %d", gpu->origin,
              gpu->address.text, setup->instances.count, POLICY_MOST_INSTANCES);
    check_count(checker, gpu, "sizes", &setup->sizes);
    check_count(checker, gpu, "schedulers", &setup->scheduler);
    check_sizes(checker, gpu);
    if (setup->slicing && setup->instances.count == 0)
        fault(checker,
              "%s: the GPU %s has time_slicing without instances: say instances as well, or leave "
              "it out, as only GPU instances (MIG) have it",
              gpu->origin, gpu->address.text);
}

/* By address. Those of one address stay in the order of the files. */
static int
compare_gpus(const void *left, const void *right)
{
    const struct policy_gpu *const *a = left, *const *b = right;
    int order = strcmp((*a)->address.text, (*b)->address.text);

    return order ? order : (*a > *b) - (*a < *b);
}

/* A GPU is listed once. A wrong address is "", and a fault already. */
static void
check_addresses(struct checker *checker)
{
    size_t count = checker->policy->gpu_count;
    AUTO_FREE const struct policy_gpu **sorted = memory_zeroed(count, sizeof(*sorted));

    for (size_t i = 0; i < count; i++)
        sorted[i] = &checker->policy->gpus[i];
    if (count)
        qsort(sorted, count, sizeof(*sorted), compare_gpus);
    for (size_t i = 1; i < count; i++) {
        const struct policy_gpu *gpu = sorted[i], *before = sorted[i - 1];

        if (*gpu->address.text && name_equal(&gpu->address, &before->address))
            fault(checker, "%s: the GPU %s is listed already, at %s: say all of it there",
                  gpu->origin, gpu->address.text, before->origin);
    }
}

static void
check_classes(struct checker *checker)
{
    for (size_t i = 0; i < checker->policy->class_count; i++) {
        const struct policy_class *class = &checker->policy->classes[i];

        if (!class->types.count == !class->framebuffer)
            fault(checker, "%s: the class \"%s\" %s", class->origin, class->name,
                  class->framebuffer ? "has both types and framebuffer: leave one out"
                                     : "has no types and no framebuffer: add one of them");
    }
}

/* The name becomes that of a type. */
static void
check_name(struct checker *checker, const char *origin, const char *what, const char *name)
{
    struct name ignored;

    if (name_parse(&ignored, name) < 0)
        fault(checker, "%s: the name of the %s \"%s\" must be 1 to 63 letters, digits, _ and -",
              origin, what, name);
}

static void
check_profiles(struct checker *checker)
{
    for (size_t i = 0; i < checker->policy->profile_count; i++) {
        const struct policy_profile *profile = &checker->policy->profiles[i];
        const struct policy_pool *pool = policy_find_pool(checker->policy, profile->name);

        check_name(checker, profile->origin, "profile", profile->name);
        if (pool)
            fault(checker,
                  "%s: the profile \"%s\" is called as the pool at %s: give it another name",
                  profile->origin, profile->name, pool->origin);
        if (!profile->vram && !profile->exec_quantum && !profile->preempt_timeout)
            fault(checker,
                  "%s: the profile \"%s\" has no vram, exec_quantum or preempt_timeout; functions "
                  "that are given out as they are belong into pools",
                  profile->origin, profile->name);
    }
}

static void
check_pools(struct checker *checker)
{
    for (size_t i = 0; i < checker->policy->pool_count; i++) {
        const struct policy_pool *pool = &checker->policy->pools[i];

        check_name(checker, pool->origin, "pool", pool->name);
        if (!pool->functions.count)
            fault(checker,
                  "%s: the pool \"%s\" has no functions: add their addresses, as functions = [ "
                  "\"0000:c1:02.*\" ]",
                  pool->origin, pool->name);
    }
}

/* Checks that a class exists, because something refers to it. */
static void
check_reference(struct checker *checker, const char *origin, const char *what, const char *name)
{
    if (name && !policy_find_class(checker->policy, name))
        fault(checker, "%s: %s \"%s\", and there is no such class%s", origin, what, name,
              policy_hint_class(checker->policy, name).text);
}

static void
check_domain(struct checker *checker, const struct policy_domain *domain)
{
    for (size_t i = 0; i < domain->device_count; i++) {
        const struct policy_domain_device *device = &domain->devices[i];

        if (!device->type == !device->class)
            fault(checker, "%s: a device needs either type or class, and has %s", device->origin,
                  device->type ? "both" : "neither");
        for (size_t k = 0; k < i && device->alias; k++) {
            const char *alias = domain->devices[k].alias;

            if (alias && !strcmp(alias, device->alias))
                fault(checker, "%s: the alias \"%s\" is listed already, at %s: take one out",
                      device->origin, alias, domain->devices[k].origin);
        }
        check_reference(checker, device->origin, "a device's class is", device->class);
    }
}

int
policy_consistency_check(const struct policy *policy, struct error *error)
{
    struct checker checker = {policy, error, 0};

    check_addresses(&checker);
    for (size_t i = 0; i < policy->gpu_count; i++)
        check_setup(&checker, &policy->gpus[i]);
    check_classes(&checker);
    check_pools(&checker);
    check_profiles(&checker);
    if (*policy->default_class)
        check_reference(&checker, policy->default_origin, "default_class is",
                        policy->default_class);
    for (size_t i = 0; i < policy->quota_count; i++)
        check_reference(&checker, policy->quotas[i].origin, "a quota's class is",
                        policy->quotas[i].class);
    for (size_t i = 0; i < policy->domain_count; i++)
        check_domain(&checker, &policy->domains[i]);
    return checker.rc;
}
