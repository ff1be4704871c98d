/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * card-vendor: what only vgpuctl asks of the vendor of a card. The hook does not carry this table;
 * what the hook asks is in device/vendor.h.
 *
 * A vendor is a row, in the file of the vendor. Each member is optional, but for the id and the
 * name. A card whose vendor has no row gets a row that says nothing. A host may have other rows
 * than card_vendor_built_in (host.h).
 */

#pragma once

#include "device/partition.h"
#include "device/vendor.h"
#include "vendor/nvidia-smi.h"

struct card_vendor {
    const char *id;             /* of its PCI devices, as "10de" */
    const char *name;           /* for people */
    const struct vendor *types; /* the row of its types (device/vendor.h) */

    /* --- virtual functions --- */

    /* The vendor's tool that makes all functions of a card, or removes them. NULL: the kernel makes
     * as many as are wanted (sriov_numvfs). The tool's name is for people. */
    int (*set_functions)(const struct host *host, const struct name *card, bool on,
                         struct error *error);
    const char *function_tool;

    /* Why the setup of a card cannot change the number of its functions: a sentence without its
     * full stop. NULL: it can. */
    const char *functions_fixed;

    /* Its driver lists in /sys which types each function can have. */
    bool lists_types;

    /* Functions of a card with this driver can be vGPUs, and libvirt tells nothing of these. */
    const char *untold_driver;

    /* Reads a mode of a card that limits the number of its functions, and how one changes the mode:
     * a sentence without its full stop. NULL: no card has modes. */
    int (*partition)(const struct host *host, const struct name *card, struct partition *ret);
    const char *partition_advice;

    /* --- a new card --- */

    /* Drivers that make vGPUs of its cards; NULL ends them. NULL: nobody knows, and nothing is said
     * of a card that gives none. */
    const char *const *drivers;

    /* For people: what these drivers are, how one gets them, and the command that loads them. */
    const char *driver_name, *driver_advice, *driver_command;

    /* Whether a card without virtual functions may give vGPUs, too. NULL: it may not. */
    bool (*may_give)(const struct host *host, const struct name *card);

    /* What has to be in vgpu.conf before a function can be a vGPU. */
    enum card_needs {
        CARD_NEEDS_NOTHING, /* the driver has types of its own */
        CARD_NEEDS_PROFILES,
        CARD_NEEDS_POOLS,
    } needs;

    /* --- setup --- */

    /* Asks its tool about GPU instances, sizes and schedulers, which takes seconds. NULL: no card
     * has them. */
    int (*ask)(const struct host *host, const struct name *card, struct nvidia_smi *ret,
               struct error *error);

    /* The scheduler that the driver of a card was told when it was loaded (enum policy_scheduler).
     * NULL: no card has one. */
    unsigned (*scheduler)(const struct host *host, const struct name *card);

    /* --- the rest --- */

    bool needs_iommu; /* a vGPU of its cards may need the IOMMU */

    /* A vGPU moves only between hosts whose driver's version, ECC mode and parameters of the vGPU
     * go together. */
    bool needs_alike_drivers;

    /* The family of a card, by its PCI device id; NULL: none. No vGPU moves between cards of two
     * families. The rule is a sentence without its full stop. NULL: there are no families. */
    const char *(*family)(const char *device);
    const char *families;
};

extern const struct card_vendor card_vendor_nvidia; /* nvidia-card.c */
extern const struct card_vendor card_vendor_intel;  /* intel-card.c */
extern const struct card_vendor card_vendor_amd;    /* amd-card.c */

/* All of these, up to NULL. */
extern const struct card_vendor *const card_vendor_built_in[];

/* The rows of a host, up to NULL. */
const struct card_vendor *const *
card_vendor_rows(const struct host *host) __attribute__((nonnull, returns_nonnull));

/* Finds the row of a PCI id, as "10de". A card of any other vendor has a row, too. */
const struct card_vendor *card_vendor_find(const struct card_vendor *const *rows, const char *id)
    __attribute__((nonnull, returns_nonnull));

/* Finds the row of a PCI device. */
const struct card_vendor *card_vendor_of(const struct host *host, const struct name *card)
    __attribute__((nonnull, returns_nonnull));

/* Whether a PCI device is one of the vendor's cards. */
bool card_vendor_has_card(const struct card_vendor *vendor, const struct host *host,
                          const struct name *card) CHECKED NONNULL;

/* The same, enum policy_scheduler. Unsaid: the card has none, or nobody knows. */
unsigned card_vendor_scheduler(const struct host *host, const struct name *card) CHECKED NONNULL;

/* Whether a vGPU of one GPU never moves to the other, by the families of both. */
bool
card_vendor_parts(const struct inventory_gpu *from, const struct inventory_gpu *to) CHECKED NONNULL;

/* The family of a GPU, for people; NULL: none, or not known. */
const char *card_vendor_family(const struct inventory_gpu *gpu) NONNULL;

/* Whether a type is one of the vendor's. */
bool card_vendor_has_type(const struct card_vendor *vendor,
                          const struct inventory_type *type) CHECKED NONNULL;
