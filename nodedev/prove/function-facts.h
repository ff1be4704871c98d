/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * function-facts: the facts that make a virtual function usable for a guest. They are the driver to
 * which it is bound, its IOMMU group, and whether the kernel can reset it. None of these may change
 * when vGPUs are made and removed.
 */

#pragma once

#include "device/inventory.h"
#include "prove/discrepancy.h"

struct function_fact {
    struct name function;
    struct name driver; /* "": the function is bound to no driver */
    struct name group;  /* "": the function has no group */
    bool can_reset;
};

struct function_facts {
    struct function_fact *items;
    size_t count;
};

/* Reads the facts of a GPU's virtual functions, if guests get the functions as PCI devices. The
 * caller clears ret. */
void function_facts_read(const struct host *host, const struct inventory_gpu *gpu,
                         struct function_facts *ret) NONNULL;

/* Compares two readings. It passes over a function that one of them lacks: expectation.h finds it
 * in the inventory. */
void function_facts_compare(const struct function_facts *before, const struct function_facts *now,
                            const char *situation, struct discrepancies *ret) NONNULL;
void function_facts_clear(struct function_facts *facts) NONNULL;
