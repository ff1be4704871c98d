/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AMD's cards. The parameter is vf_num (gim_shim/gim_config.c of amd/MxGPU-Virtualization). */

#include "vendor/card-vendor.h"

static const char *const drivers[] = {"gim", NULL};

const struct card_vendor card_vendor_amd = {
    .id = "1002",
    .name = "AMD",
    .drivers = drivers,
    .driver_name = "AMD's driver gim (MxGPU)",
    .driver_advice = "install gim, in place of amdgpu, and load it with the number of functions",
    .driver_command = "modprobe gim vf_num=1",
    .needs = CARD_NEEDS_POOLS,
    .partition = partition_read,
    .partition_advice = "'amd-smi partition' shows the modes, and gim is loaded with as many "
                        "functions (vf_num)",
    .functions_fixed = "AMD's driver makes them when it is loaded, by a parameter of its module",
};
