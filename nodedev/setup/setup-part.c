/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-part.h"

const struct setup_part_row *const setup_parts[SETUP_PARTS] = {
    [SETUP_MIG_MODE] = &setup_mig_mode,
    [SETUP_DAEMONS] = &setup_daemons,
    [SETUP_FUNCTIONS] = &setup_functions,
    [SETUP_SHARES] = &setup_shares,
    [SETUP_SLICING] = &setup_slicing,
    [SETUP_INSTANCES] = &setup_instances,
    [SETUP_TYPES] = &setup_types,
    [SETUP_SIZES] = &setup_sizes,
    [SETUP_INSTANCE_SIZES] = &setup_instance_sizes,
    [SETUP_SCHEDULER] = &setup_scheduler,
    [SETUP_INSTANCE_SCHEDULERS] = &setup_instance_schedulers,
};

bool
setup_part_can(const struct setup_card *card, enum setup_part part)
{
    const struct setup_part_row *row = setup_parts[part];

    return !(card->lacks & SETUP_BIT(part)) && (!row->can || row->can(card));
}
