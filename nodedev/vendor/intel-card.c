/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Intel's cards. xe has the functions' times in /sys since Linux 6.19 (sriov_admin), and their
 * memory since 7.1. The parameter force_probe is xe's and i915's. */

#include "vendor/card-vendor.h"

static const char *const drivers[] = {"xe", NULL};

const struct card_vendor card_vendor_intel = {
    .id = "8086",
    .name = "Intel",
    .drivers = drivers,
    .driver_name = "Intel's driver xe",
    .driver_advice = "boot Linux 7.1 or later (6.19 if no profile has memory), and let xe have the "
                     "card, DEVICE being its PCI id ('lspci -nn' shows it), by the kernel's "
                     "parameters",
    .driver_command = "i915.force_probe=!DEVICE xe.force_probe=DEVICE",
    .needs = CARD_NEEDS_PROFILES,
};
