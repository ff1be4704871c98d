/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-part.h"

int
setup_part_check_nvidias(const struct setup_card *card, const char *part, struct error *error)
{
    if (!card->vendor->ask)
        return error_set(error, -EOPNOTSUPP,
                         "only cards of NVIDIA's have %s, and %s is none: take it out of %s", part,
                         card->address, card->said->origin);
    if (card->nvidia_rc < 0)
        *error = card->nvidia_unknown;
    return card->nvidia_rc;
}
