/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-part.h"

const struct setup_part_row *const setup_parts[SETUP_PARTS] = {
    [SETUP_MIG_MODE] = &setup_mig_mode,   [SETUP_DAEMONS] = &setup_daemons,
    [SETUP_FUNCTIONS] = &setup_functions, [SETUP_SHARES] = &setup_shares,
    [SETUP_INSTANCES] = &setup_instances, [SETUP_TYPES] = &setup_types,
    [SETUP_SIZES] = &setup_sizes,         [SETUP_SCHEDULER] = &setup_scheduler,
};
