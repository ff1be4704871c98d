/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AMD's cards. The parameter is vf_num (gim_shim/gim_config.c of amd/MxGPU-Virtualization). */

#include "vendor/card-vendor.h"

const struct card_vendor card_vendor_amd = {
    .id = "1002",
    .name = "AMD",
    .functions_fixed = "AMD's driver makes them when it is loaded, by a parameter of its module",
};
