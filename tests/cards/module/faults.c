// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "faults.h"

/* A parameter that takes one of several words. */
struct choice {
    const char *const *words;
    unsigned int count;
    int value;
};

static int
choice_set(const char *text, const struct kernel_param *param)
{
    struct choice *choice = param->arg;
    int value = __sysfs_match_string(choice->words, choice->count, text);

    if (value < 0)
        return value;
    WRITE_ONCE(choice->value, value);
    return 0;
}

static int
choice_get(char *text, const struct kernel_param *param)
{
    const struct choice *choice = param->arg;

    return sprintf(text, "%s\n", choice->words[READ_ONCE(choice->value)]);
}

static const struct kernel_param_ops choice_ops = {.set = choice_set, .get = choice_get};

static const char *const rules[] = {
    [RULE_SAME_SIZE] = "same-size", [RULE_SAME_TYPE] = "same-type", [RULE_MIXED] = "mixed"};
static struct choice rule = {rules, ARRAY_SIZE(rules)};
module_param_cb(rule, &choice_ops, &rule, 0644);
MODULE_PARM_DESC(rule, "what may share a card: same-size, same-type or mixed");

static const char *const formats[] = {[LIST_HEADER] = "header",
                                      [LIST_PLAIN] = "plain",
                                      [LIST_NAME_FIRST] = "name-first",
                                      [LIST_HEADER_ALWAYS] = "header-always",
                                      [LIST_PROPOSAL] = "proposal"};
static struct choice list = {formats, ARRAY_SIZE(formats)};
module_param_cb(list, &choice_ops, &list, 0644);
MODULE_PARM_DESC(list,
                 "creatable_vgpu_types: header, plain, name-first, header-always or proposal");

static bool garbage;
module_param(garbage, bool, 0644);
MODULE_PARM_DESC(garbage, "creatable_vgpu_types has lines that mean nothing, too");

static unsigned int refuse_creates;
module_param(refuse_creates, uint, 0644);
MODULE_PARM_DESC(refuse_creates, "the next so many creates fail, whatever is shown as available");

static unsigned int refuse_deletes;
module_param(refuse_deletes, uint, 0644);
MODULE_PARM_DESC(refuse_deletes, "the next so many deletes (writes of 0) fail");

static unsigned int bound;
module_param(bound, uint, 0644);
MODULE_PARM_DESC(bound, "mdev: the types of the next so many VFs are called vfio-pci-N");

static unsigned int pass_writes;
module_param(pass_writes, uint, 0644);
MODULE_PARM_DESC(pass_writes, "xe: so many writes to profiles succeed before one is refused");

static unsigned int refuse_writes;
module_param(refuse_writes, uint, 0644);
MODULE_PARM_DESC(refuse_writes, "xe: then so many writes to profiles fail");

enum { ERROR_EIO, ERROR_EPERM, ERROR_EBUSY, ERROR_ENOMEM, ERROR_ENOSPC };

static const char *const error_words[] = {[ERROR_EIO] = "EIO",
                                          [ERROR_EPERM] = "EPERM",
                                          [ERROR_EBUSY] = "EBUSY",
                                          [ERROR_ENOMEM] = "ENOMEM",
                                          [ERROR_ENOSPC] = "ENOSPC"};
static const int errors[] = {[ERROR_EIO] = -EIO,
                             [ERROR_EPERM] = -EPERM,
                             [ERROR_EBUSY] = -EBUSY,
                             [ERROR_ENOMEM] = -ENOMEM,
                             [ERROR_ENOSPC] = -ENOSPC};
static struct choice refuse_with = {error_words, ARRAY_SIZE(error_words), ERROR_EIO};
module_param_cb(refuse_with, &choice_ops, &refuse_with, 0644);
MODULE_PARM_DESC(refuse_with, "xe: the error of these writes: EIO, EPERM, EBUSY, ENOMEM or ENOSPC");

static struct choice full = {error_words, ARRAY_SIZE(error_words), ERROR_ENOMEM};
module_param_cb(full, &choice_ops, &full, 0644);
MODULE_PARM_DESC(full, "xe: the error of a write that asks for too much VRAM; the same words");

static bool unclean;
module_param(unclean, bool, 0644);
MODULE_PARM_DESC(unclean, "xe: scheduling values cannot be read: they differ between tiles");

static unsigned int create_ms;
module_param(create_ms, uint, 0644);
MODULE_PARM_DESC(create_ms, "how long a create takes");

static unsigned int exiting_ms;
module_param(exiting_ms, uint, 0644);
MODULE_PARM_DESC(exiting_ms, "how long a vGPU is still exiting after its guest has closed it");

static unsigned int silent;
module_param(silent, uint, 0644);
MODULE_PARM_DESC(silent, "the card of this number, from 1 on, does not answer: its readers wait");

static char instances_text[128];
static struct kparam_string instances_string = {sizeof(instances_text), instances_text};
module_param_cb(instances, &param_ops_string, &instances_string, 0644);
__MODULE_PARM_TYPE(instances, "string");
MODULE_PARM_DESC(instances, "GPU instances of each card with MIG, as in 1-6C:2,2-12C:1");

enum rule
fault_rule(void)
{
    return READ_ONCE(rule.value);
}

enum list_format
fault_list_format(void)
{
    return READ_ONCE(list.value);
}

bool
fault_garbage(void)
{
    return READ_ONCE(garbage);
}

static bool
use_up(unsigned int *left)
{
    bool any;

    kernel_param_lock(THIS_MODULE);
    any = *left > 0;
    if (any)
        (*left)--;
    kernel_param_unlock(THIS_MODULE);
    return any;
}

bool
fault_refuses_create(void)
{
    return use_up(&refuse_creates);
}

bool
fault_is_bound(void)
{
    return use_up(&bound);
}

bool
fault_refuses_delete(void)
{
    return use_up(&refuse_deletes);
}

int
fault_refuses_write(void)
{
    if (use_up(&pass_writes) || !use_up(&refuse_writes))
        return 0;
    return errors[READ_ONCE(refuse_with.value)];
}

int
fault_full(void)
{
    return errors[READ_ONCE(full.value)];
}

bool
fault_unclean(void)
{
    return READ_ONCE(unclean);
}

unsigned int
fault_create_ms(void)
{
    return READ_ONCE(create_ms);
}

unsigned int
fault_exiting_ms(void)
{
    return READ_ONCE(exiting_ms);
}

unsigned int
fault_silent(void)
{
    return READ_ONCE(silent);
}

unsigned int
fault_instances(const char *profile)
{
    size_t length = strlen(profile);
    unsigned int count = 0;
    const char *at;

    kernel_param_lock(THIS_MODULE);
    for (at = instances_text; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, profile, length) && at[length] == ':')
            sscanf(at + length + 1, "%u", &count);
    }
    kernel_param_unlock(THIS_MODULE);
    return count;
}
