/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vendor: what a card is, whichever interface makes its vGPUs (vgpu.h). NVIDIA stands behind two
 * interfaces, and mediated devices are made by cards of many vendors. So a vendor is a row of its
 * own. A host may have other rows than vendor_built_in (host.h), as it may have other interfaces.
 *
 * Each member of a row is optional. Without a row nothing special is known of a card.
 */

#pragma once

#include "device/inventory.h"

struct vendor {
    /* Whether a type is one of its driver's. Not optional. */
    bool (*has)(const struct inventory_type *type);

    /* Fills in what the name of such a type tells, if it is not known. */
    void (*describe)(struct inventory_type *type);

    /* Counts the GPU instances (MIG) of a GPU, if it may have some. */
    void (*find_instances)(const struct host *host, struct inventory_gpu *gpu);

    /* Adds what the vendor's own table says of its GPUs. These are types that a GPU does not list
     * now, and what the driver does not tell of its types. The instances are counted. */
    void (*read_table)(const struct host *host, const struct inventory_filter *filter,
                       struct inventory *inventory);

    /* Whether one guest may have vGPUs of two such types, and the rule as a sentence: "NVIDIA ...".
     * A type whose name tells nothing goes with all. */
    bool (*may_combine)(const struct inventory_type *a, const struct inventory_type *b);
    const char *combination;
};

extern const struct vendor vendor_nvidia; /* nvidia.c */

/* All of these, up to NULL. */
extern const struct vendor *const vendor_built_in[];

/* The rows of a host, up to NULL. */
const struct vendor *const *
vendor_rows(const struct host *host) __attribute__((nonnull, returns_nonnull));

/* Finds the vendor of a type by its id, and fills in what its name tells. */
void vendor_describe(const struct vendor *const *rows, struct inventory_type *type) NONNULL;

/* These ask all rows of a host. */
void vendor_find_instances(const struct host *host, struct inventory_gpu *gpu) NONNULL;
void vendor_read_tables(const struct host *host, const struct inventory_filter *filter,
                        struct inventory *inventory) NONNULL;

/* The rule that forbids vGPUs of two types in one guest, as a sentence without a full stop; NULL:
 * they may be together. Types of two vendors always may. Both are described. */
const char *vendor_forbids(const struct inventory_type *a, const struct inventory_type *b) NONNULL;
