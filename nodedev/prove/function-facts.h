/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * function-facts: what makes a virtual function usable for a guest, beside its vGPU: the driver
 * that it is bound to, its IOMMU group, and whether the kernel can reset it. None of these may
 * change when vGPUs are made and removed.
 */

#pragma once

#include "device/inventory.h"
#include "prove/discrepancy.h"

struct function_fact {
    struct name function;
    struct name driver; /* "": it is bound to none */
    struct name group;  /* "": it has none */
    bool can_reset;
};

struct function_facts {
    struct function_fact *items;
    size_t count;
};

/* Reads those of a GPU's virtual functions that guests get as PCI devices. The caller clears
 * ret. */
void function_facts_read(const struct host *host, const struct inventory *inventory, size_t gpu,
                         struct function_facts *ret) NONNULL;

/* Compares two readings. A function that one of them lacks is the inventory's matter. */
void function_facts_compare(const struct function_facts *before, const struct function_facts *now,
                            const char *situation, struct discrepancies *ret) NONNULL;
void function_facts_clear(struct function_facts *facts) NONNULL;
