/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "prove/function-facts.h"
#include "base/array.h"
#include "device/pci.h"
#include "device/vgpu.h"

#include <string.h>

static struct function_fact
read_one(const struct host *host, const struct name *function)
{
    struct function_fact fact = {
        .function = *function,
        .driver = pci_driver(host, function),
        .can_reset = host_exists(host, PCI_DEVICES "/%s/reset", function->text),
    };

    if (host_link(host, &fact.group, PCI_DEVICES "/%s/iommu_group", function->text) < 0)
        fact.group = (struct name){0};
    return fact;
}

void
function_facts_read(const struct host *host, const struct inventory_gpu *gpu,
                    struct function_facts *ret)
{
    *ret = (struct function_facts){0};
    for (size_t i = 0; i < gpu->parent_count; i++) {
        const struct inventory_parent *parent = gpu->parents[i];

        if (parent->interface->hostdev == REQUEST_PCI)
            ARRAY_ADD(ret->items, ret->count, read_one(host, &parent->name));
    }
}

static void
compare_word(const struct function_fact *fact, const char *what, const char *before,
             const char *now, const char *situation, struct discrepancies *ret)
{
    before = *before ? before : "none";
    now = *now ? now : "none";
    if (strcmp(before, now) != 0)
        discrepancies_add(ret, DISCREPANCY_FUNCTIONS, fact->function.text, before, now,
                          "%s: the %s of %s was %s before, and is %s now", situation, what,
                          fact->function.text, before, now);
}

void
function_facts_compare(const struct function_facts *before, const struct function_facts *now,
                       const char *situation, struct discrepancies *ret)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct function_fact *old = &before->items[i];
        const struct function_fact *fact =
            ARRAY_FIND(now->items, now->count, item, name_equal(&item->function, &old->function));

        if (!fact)
            continue;
        compare_word(old, "driver", old->driver.text, fact->driver.text, situation, ret);
        compare_word(old, "IOMMU group", old->group.text, fact->group.text, situation, ret);
        compare_word(old, "way to be reset", old->can_reset ? "there" : "",
                     fact->can_reset ? "there" : "", situation, ret);
    }
}

void
function_facts_clear(struct function_facts *facts)
{
    free(facts->items);
    *facts = (struct function_facts){0};
}
