// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "faults.h"
#include "xe-files.h"

static bool xe_admin = true;
module_param(xe_admin, bool, 0444);
MODULE_PARM_DESC(xe_admin, "xe cards have sriov_admin; older drivers lack it");

static bool xe_quota = true;
module_param(xe_quota, bool, 0444);
MODULE_PARM_DESC(xe_quota, "VFs have vram_quota; older drivers and integrated GPUs lack it");

static bool xe_fixed;
module_param(xe_fixed, bool, 0444);
MODULE_PARM_DESC(xe_fixed, "vram_quota can only be read, as on cards without LMTT");

static bool xe_times = true;
module_param(xe_times, bool, 0444);
MODULE_PARM_DESC(xe_times,
                 "functions have times and a priority; cards not shared in time lack them");

bool
xe_is_fixed(void)
{
    return xe_fixed;
}

static const char *const priorities[] = {
    [XE_LOW] = "low", [XE_NORMAL] = "normal", [XE_HIGH] = "high"};

/* sriov_admin is in the device's directory. */
static struct xe *
xe_of_admin(struct kobject *admin)
{
    return card_of(to_pci_dev(kobj_to_dev(admin->parent)))->xe;
}

/* The number of the function that has this directory. */
static unsigned int
number_of(const struct xe *xe, const struct kobject *directory)
{
    unsigned int number;

    for (number = 0; xe->functions[number].directory != directory; number++)
        ;
    return number;
}

/* Counts the write, and refuses it if a test asked for that. Call it with the lock held. */
static int
begin_write(struct xe *xe, bool of_pf)
{
    xe->writes++;
    if (of_pf)
        xe->pf_writes++;
    return fault_refuses_write();
}

/* A value of a profile: one row has all its operations. */

struct value {
    /* Parses the written text. "of_pf": the value is for the PF alone. */
    int (*parse)(const char *text, bool of_pf, u64 *ret);
    int (*set)(struct xe *xe, unsigned int number, u64 value);
    ssize_t (*show)(const struct xe_function *function, bool of_pf, char *text);
};

struct value_attribute {
    struct kobj_attribute base;
    const struct value *value;
};

static const struct value *
value_of(const struct kobj_attribute *attr)
{
    return container_of_const(attr, struct value_attribute, base)->value;
}

static int
parse_u32(const char *text, bool of_pf, u64 *ret)
{
    u32 value;
    int error = kstrtou32(text, 0, &value);

    *ret = value;
    return error;
}

static int
parse_u64(const char *text, bool of_pf, u64 *ret)
{
    return kstrtou64(text, 0, ret);
}

/* A VF's priority cannot be "high". */
static int
parse_priority(const char *text, bool of_pf, u64 *ret)
{
    int found = __sysfs_match_string(priorities, of_pf ? XE_PRIORITIES : XE_HIGH, text);

    *ret = found;
    return found < 0 ? found : 0;
}

/* The driver reduces a greater number, and the firmware does the same (abi/guc_klvs_abi.h). */
#define MOST_QUANTUM_MS 100000
#define MOST_TIMEOUT_US 100000000

static int
set_quantum(struct xe *xe, unsigned int number, u64 value)
{
    xe->functions[number].exec_quantum_ms = min_t(u64, value, MOST_QUANTUM_MS);
    return 0;
}

static int
set_timeout(struct xe *xe, unsigned int number, u64 value)
{
    xe->functions[number].preempt_timeout_us = min_t(u64, value, MOST_TIMEOUT_US);
    return 0;
}

static int
set_priority(struct xe *xe, unsigned int number, u64 value)
{
    xe->functions[number].priority = value;
    return 0;
}

static ssize_t
show_quantum(const struct xe_function *function, bool of_pf, char *text)
{
    return sysfs_emit(text, "%u\n", function->exec_quantum_ms);
}

static ssize_t
show_timeout(const struct xe_function *function, bool of_pf, char *text)
{
    return sysfs_emit(text, "%u\n", function->preempt_timeout_us);
}

static ssize_t
show_priority(const struct xe_function *function, bool of_pf, char *text)
{
    unsigned int i;
    int size = 0;

    for (i = 0; i < (of_pf ? XE_PRIORITIES : XE_HIGH); i++)
        size += sysfs_emit_at(text, size, i == function->priority ? "%s[%s]" : "%s%s", i ? " " : "",
                              priorities[i]);
    return size + sysfs_emit_at(text, size, "\n");
}

static ssize_t
show_vram(const struct xe_function *function, bool of_pf, char *text)
{
    return sysfs_emit(text, "%llu\n", function->vram);
}

static const struct value quantum = {parse_u32, set_quantum, show_quantum};
static const struct value timeout = {parse_u32, set_timeout, show_timeout};
static const struct value priority = {parse_priority, set_priority, show_priority};
static const struct value vram = {parse_u64, xe_set_vram, show_vram};

/* The profile of one function: vfN/profile, pf/profile */

static ssize_t
profile_show(struct kobject *directory, struct kobj_attribute *attr, char *text)
{
    struct xe *xe = xe_of_admin(directory->parent);
    unsigned int number = number_of(xe, directory);
    ssize_t size;

    /* The VRAM is the sum of the tiles' shares, so it can always be read. */
    if (value_of(attr) != &vram && fault_unclean())
        return -EUCLEAN;
    mutex_lock(&xe->card->lock);
    size = value_of(attr)->show(&xe->functions[number], !number, text);
    mutex_unlock(&xe->card->lock);
    return size;
}

static ssize_t
profile_store(struct kobject *directory, struct kobj_attribute *attr, const char *text, size_t size)
{
    struct xe *xe = xe_of_admin(directory->parent);
    unsigned int number = number_of(xe, directory);
    u64 value;
    int ret = value_of(attr)->parse(text, !number, &value);

    if (ret)
        return ret;
    mutex_lock(&xe->card->lock);
    ret = begin_write(xe, !number);
    if (!ret)
        ret = value_of(attr)->set(xe, number, value);
    mutex_unlock(&xe->card->lock);
    return ret ? ret : size;
}

#define PROFILE(name, value)                                                                       \
    static struct value_attribute profile_##name = {                                               \
        __ATTR(name, 0644, profile_show, profile_store), &(value)}

PROFILE(exec_quantum_ms, quantum);
PROFILE(preempt_timeout_us, timeout);
PROFILE(sched_priority, priority);
PROFILE(vram_quota, vram);

static struct attribute *profile_attrs[] = {
    &profile_exec_quantum_ms.base.attr, &profile_preempt_timeout_us.base.attr,
    &profile_sched_priority.base.attr, &profile_vram_quota.base.attr, NULL};

static umode_t
profile_mode(struct kobject *directory, struct attribute *attr, int index)
{
    bool of_pf = !number_of(xe_of_admin(directory->parent), directory);

    if (attr == &profile_vram_quota.base.attr)
        return of_pf || !xe_quota ? 0 : xe_fixed ? 0444 : attr->mode;
    if (!xe_times)
        return 0;
    return attr == &profile_sched_priority.base.attr && !of_pf ? 0444 : attr->mode;
}

static const struct attribute_group profile_group = {
    .name = "profile", .attrs = profile_attrs, .is_visible = profile_mode};

/* In a real card this stops the guest's work. The module only accepts the write. */
static ssize_t
stop_store(struct kobject *directory, struct kobj_attribute *attr, const char *text, size_t size)
{
    bool stop;
    int ret = kstrtobool(text, &stop);

    return ret ? ret : size;
}

static struct kobj_attribute stop_attr = __ATTR(stop, 0200, NULL, stop_store);
static struct attribute *stop_attrs[] = {&stop_attr.attr, NULL};

static umode_t
stop_mode(struct kobject *directory, struct attribute *attr, int index)
{
    return number_of(xe_of_admin(directory->parent), directory) ? attr->mode : 0;
}

static const struct attribute_group stop_group = {.attrs = stop_attrs, .is_visible = stop_mode};
static const struct attribute_group *function_groups[] = {&profile_group, &stop_group, NULL};

/* The profiles of all functions: .bulk_profile. The PF has no quota. The write ends at the first
 * function that fails. */
static ssize_t
bulk_store(struct kobject *admin, struct kobj_attribute *attr, const char *text, size_t size)
{
    const struct value *value = value_of(attr);
    struct xe *xe = xe_of_admin(admin);
    unsigned int number = value == &vram;
    u64 wanted;
    int ret = value->parse(text, false, &wanted);

    if (ret)
        return ret;
    mutex_lock(&xe->card->lock);
    ret = begin_write(xe, !number);
    for (; !ret && number < xe->count; number++)
        ret = value->set(xe, number, wanted);
    mutex_unlock(&xe->card->lock);
    return ret ? ret : size;
}

#define BULK(name, value)                                                                          \
    static struct value_attribute bulk_##name = {__ATTR(name, 0200, NULL, bulk_store), &(value)}

BULK(exec_quantum_ms, quantum);
BULK(preempt_timeout_us, timeout);
BULK(sched_priority, priority);
BULK(vram_quota, vram);

static struct attribute *bulk_attrs[] = {
    &bulk_exec_quantum_ms.base.attr, &bulk_preempt_timeout_us.base.attr,
    &bulk_sched_priority.base.attr, &bulk_vram_quota.base.attr, NULL};

static umode_t
bulk_mode(struct kobject *admin, struct attribute *attr, int index)
{
    bool is_there = attr == &bulk_vram_quota.base.attr ? xe_quota && !xe_fixed : xe_times;

    return is_there ? attr->mode : 0;
}

static const struct attribute_group bulk_group = {
    .name = ".bulk_profile", .attrs = bulk_attrs, .is_visible = bulk_mode};

/* The number of writes so far, for tests */

#define COUNTER(name)                                                                              \
    static ssize_t name##_show(struct device *dev, struct device_attribute *attr, char *text)      \
    {                                                                                              \
        return sysfs_emit(text, "%u\n", READ_ONCE(card_of(to_pci_dev(dev))->xe->name));            \
    }                                                                                              \
    static DEVICE_ATTR_RO(name)

COUNTER(writes);
COUNTER(pf_writes);

static struct attribute *counters[] = {&dev_attr_writes.attr, &dev_attr_pf_writes.attr, NULL};
static const struct attribute_group counter_group = {.name = "emulated", .attrs = counters};

/* The tree */

static int
show_function(struct xe *xe, unsigned int number)
{
    struct xe_function *function = &xe->functions[number];
    char name[16] = "pf";

    if (number)
        snprintf(name, sizeof(name), "vf%u", number);
    function->directory = kobject_create_and_add(name, xe->admin);
    return function->directory ? sysfs_create_groups(function->directory, function_groups)
                               : -ENOMEM;
}

static int
show_admin(struct xe *xe)
{
    struct kobject *device = &xe->card->pdev->dev.kobj;
    unsigned int number;
    int ret;

    if (!xe_admin)
        return 0;
    xe->admin = kobject_create_and_add("sriov_admin", device);
    if (!xe->admin)
        return -ENOMEM;
    ret = sysfs_create_group(xe->admin, &bulk_group);
    for (number = 0; !ret && number < xe->count; number++)
        ret = show_function(xe, number);
    return ret ? ret : sysfs_create_link(xe->functions[0].directory, device, "device");
}

int
xe_show(struct xe *xe)
{
    int ret = sysfs_create_group(&xe->card->pdev->dev.kobj, &counter_group);

    if (ret)
        return ret;
    ret = show_admin(xe);
    if (ret)
        xe_hide(xe);
    return ret;
}

/* Removes a directory with all its files. It waits until nobody reads or writes there. */
void
xe_hide(struct xe *xe)
{
    unsigned int number;

    for (number = 0; number < xe->count; number++)
        kobject_put(xe->functions[number].directory);
    kobject_put(xe->admin);
    sysfs_remove_group(&xe->card->pdev->dev.kobj, &counter_group);
}

void
xe_link_vfs(struct xe *xe)
{
    unsigned int number;

    for (number = 1; xe->admin && number < xe->count; number++) {
        struct pci_dev *pdev = xe_vf_device(xe, number);

        if (pdev && sysfs_create_link(xe->functions[number].directory, &pdev->dev.kobj, "device"))
            pci_warn(pdev, "no link in sriov_admin\n");
        pci_dev_put(pdev);
    }
}

void
xe_unlink_vfs(struct xe *xe)
{
    unsigned int number;

    for (number = 1; xe->admin && number < xe->count; number++)
        sysfs_remove_link(xe->functions[number].directory, "device");
}
