/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AMD's cards (GIM, "vf_num" among the parameters of its module). */

#include "vendor/card-vendor.h"

const struct card_vendor card_vendor_amd = {
    .id = "1002",
    .name = "AMD",
    .functions_come = "AMD's driver makes them when it is loaded, by a parameter of its module",
};
