/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/card-end.h"
#include "base/array.h"
#include "lease/marks.h"

#include <string.h>

/* Whether the status files, as they were read, end the link. If the guest has no file, its mark
 * alone proves nothing, because libvirt's directory may be missing. The caller asks
 * marks_say_card_ended, which looks for that directory. */
static bool
guests_end_it(const struct look *look, const struct whole_card *card)
{
    const unsigned known = look_card(look, card);
    const struct request *guest = status_files_find(&look->guests, &card->domain);

    if (status_files_doubt(&look->guests, &card->domain, card->domain_name) ||
        (guest && status_files_has(guest, &card->card)))
        return false;
    return (known & LOOK_CARD_RAN && guest) ||
           (known & LOOK_CARD_ORPHANED && !status_files_holder(&look->guests, &card->card));
}

void
card_end_sweep(const struct statedir *statedir, const struct look *look, struct ledger *ledger)
{
    struct whole_cards *cards = &ledger->cards;

    for (size_t i = 0; i < cards->count;) {
        const struct whole_card *card = &cards->items[i];

        if (!marks_say_card_ended(ledger, statedir->host, card) && !guests_end_it(look, card)) {
            i++;
            continue;
        }
        if (statedir->lock >= 0)
            whole_card_remove(statedir->host, card);
        ARRAY_REMOVE(cards->items, cards->count, i);
    }
}
