/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/fate.h"
#include "base/array.h"
#include "lease/marks.h"

#include <string.h>

#define ON(occasion) (1u << (occasion))
#define IN(state)    (1u << (state))

#define ITS_OWN  (ON(OCCASION_START) | ON(OCCASION_RELEASE))
#define OTHERS   (ON(OCCASION_RECONCILE) | ON(OCCASION_ROOM) | ON(OCCASION_REAP))
#define WANTS_IT (ON(OCCASION_ROOM) | ON(OCCASION_REAP))
#define EVERY    (ITS_OWN | OTHERS)
#define ANY      (~0u)
#define GOING    (IN(LEASE_LEAVING) | IN(LEASE_REMOVING))
#define IN_USE   (IN(LEASE_HELD) | IN(LEASE_PENDING))

/* The first row that fits decides. `has`: all of these bits are set; `lacks`: none of these is. */
static const struct row {
    unsigned occasions, states, has, lacks;
    enum fate fate;
    const char *why; /* NULL: why the guest's status file could not be read */
} rows[] = {
    /* A removal was tried. If the kernel did not take it, an asker that only wanted the place puts
     * the lease back as it was. The claim has given the lease a new number, so no mark of a release
     * covers it any more. A lease in use is therefore put back only if its daemon is gone and owes
     * nothing. */
    {EVERY, ANY, FACT_TRIED | FACT_LOST, 0, FATE_LEAVE, "it is somebody else's now"},
    {EVERY, ANY, FACT_TRIED | FACT_SILENT, 0, FATE_LEAVE, "its driver takes too long"},
    {EVERY, ANY, FACT_TRIED | FACT_ABSENT, 0, FATE_REMOVED, "removed"},
    {WANTS_IT, IN(LEASE_KEPT) | GOING, FACT_TRIED | FACT_RIGHT, FACT_WRITTEN, FATE_RESTORE,
     "it is as it was"},
    {WANTS_IT, IN_USE, FACT_TRIED | FACT_RIGHT, FACT_WRITTEN | FACT_DAEMON, FATE_RESTORE,
     "it is as it was"},
    {EVERY, ANY, FACT_TRIED, 0, FATE_LATER, "its removal was not finished"},

    {ITS_OWN, ANY, FACT_CLAIMED, 0, FATE_WAIT, "a process is at work on it"},
    {OTHERS, ANY, FACT_CLAIMED, 0, FATE_LEAVE, "a process is at work on it"},

    {ITS_OWN, ANY, FACT_UNSEEN, 0, FATE_WAIT, "somebody has just changed it"},
    {OTHERS, ANY, FACT_UNSEEN, 0, FATE_LEAVE, "somebody has just changed it"},

    {ON(OCCASION_START), ANY, FACT_UNKNOWN | FACT_NAMED, 0, FATE_WAIT,
     "its card's driver does not answer"},
    {ON(OCCASION_START) | OTHERS, ANY, FACT_UNKNOWN, 0, FATE_LEAVE,
     "its card's driver does not answer"},

    /* A start judges its own leases. If a device went while the inventory was read, the inventory
     * still shows it, as if it were nobody's. A reservation is a promise that this start keeps.
     * Nothing was made for it. */
    {ON(OCCASION_START), ANY, FACT_ABSENT | FACT_LISTED, 0, FATE_WAIT, "it is just going"},
    {ON(OCCASION_START), ANY, FACT_ABSENT, 0, FATE_FORGET, "it is gone"},
    {ON(OCCASION_START), IN(LEASE_RESERVED), 0, 0, FATE_FORGET, "its guest has arrived"},
    {ON(OCCASION_START), ANY, FACT_WANTED, FACT_TRANSIENT, FATE_REUSE,
     "it is as its guest wants it"},
    {ON(OCCASION_START), ANY, 0, FACT_MADE, FATE_FORGET, "it was not made by us"},
    {ON(OCCASION_START), ANY, FACT_TRANSIENT | FACT_NAMED, 0, FATE_WAIT,
     "the kernel is removing it"},
    {ON(OCCASION_START), ANY, 0, 0, FATE_REMOVE, "its guest does not want it as it is"},

    /* A release judges its own leases. */
    {ON(OCCASION_RELEASE), IN(LEASE_KEPT), 0, 0, FATE_LEAVE,
     "it is kept for its guest's next start"},
    {ON(OCCASION_RELEASE), IN(LEASE_HELD), FACT_TO_KEEP | FACT_MADE | FACT_RIGHT, 0, FATE_KEEP,
     "it is kept for its guest's next start"},
    {ON(OCCASION_RELEASE), IN(LEASE_HELD), FACT_TO_KEEP | FACT_MADE | FACT_UNKNOWN, 0, FATE_KEEP,
     "it is kept for its guest's next start"},
    {ON(OCCASION_RELEASE), IN(LEASE_RESERVED), 0, 0, FATE_FORGET, "nothing was made for it"},
    {ON(OCCASION_RELEASE), ANY, 0, FACT_MADE, FATE_FORGET, "it was not made by us"},
    {ON(OCCASION_RELEASE), ANY, 0, 0, FATE_REMOVE, "its guest has ended"},

    /* A domain that needs the place may remove its own device. The rules may forbid that device by
     * now. */
    {ON(OCCASION_ROOM), ANY, FACT_OWN | FACT_MADE, 0, FATE_REMOVE, "it is this guest's own"},
    {ON(OCCASION_ROOM), ANY, FACT_OWN, 0, FATE_LEAVE, "it was not made by us"},

    {OTHERS, IN(LEASE_HELD) | IN(LEASE_KEPT), FACT_GUEST, 0, FATE_LEAVE, "its guest runs"},
    {OTHERS, IN(LEASE_HELD) | IN(LEASE_KEPT), FACT_OTHER_GUEST, 0, FATE_LEAVE,
     "another guest has it"},
    {OTHERS, IN(LEASE_HELD), FACT_GUEST_WITHOUT | FACT_MADE, FACT_ABSENT, FATE_REMOVE,
     "its guest runs, and has it no more"},
    {OTHERS, IN(LEASE_HELD), FACT_GUEST_WITHOUT, 0, FATE_FORGET,
     "its guest runs, and has it no more"},
    /* A pending device may be in a running guest, if the process that added it could not record
     * that. */
    {OTHERS, IN(LEASE_PENDING), FACT_GUEST, 0, FATE_LEAVE, "a guest has it"},
    {OTHERS, IN(LEASE_PENDING), FACT_OTHER_GUEST, 0, FATE_LEAVE, "a guest has it"},
    /* A release that did not come to its end. libvirt will not call it again. */
    {OTHERS, IN_USE, FACT_ENDED | FACT_UNASKED, 0, FATE_LEAVE, "it has just been given back"},
    {ON(OCCASION_RECONCILE), IN(LEASE_HELD), FACT_ENDED | FACT_TO_KEEP | FACT_MADE | FACT_RIGHT, 0,
     FATE_KEEP, "its guest has ended"},
    {OTHERS, IN_USE, FACT_ENDED | FACT_MADE, FACT_ABSENT, FATE_REMOVE, "its guest has ended"},
    {OTHERS, IN_USE, FACT_ENDED, 0, FATE_FORGET, "its guest has ended"},
    {OTHERS, IN_USE, FACT_DAEMON, 0, FATE_LEAVE, "libvirt's daemon runs, and will give it back"},
    {OTHERS, IN_USE, FACT_UNASKED, 0, FATE_LEAVE, "its daemon has just ended"},
    {OTHERS, IN_USE, FACT_UNREADABLE, 0, FATE_LEAVE, NULL},
    {OTHERS, IN(LEASE_PENDING), FACT_MADE, FACT_ABSENT, FATE_REMOVE, "what made it was broken off"},
    {OTHERS, IN(LEASE_PENDING), 0, 0, FATE_FORGET, "what made it was broken off"},
    {ON(OCCASION_RECONCILE), IN(LEASE_HELD), FACT_TO_KEEP | FACT_MADE | FACT_RIGHT, 0, FATE_KEEP,
     "its guest is gone, and the daemon that ran it"},
    {OTHERS, IN(LEASE_HELD), FACT_MADE, FACT_ABSENT, FATE_REMOVE,
     "its guest is gone, and the daemon that ran it"},
    {OTHERS, IN(LEASE_HELD), 0, 0, FATE_FORGET, "its guest is gone, and the daemon that ran it"},

    {OTHERS, IN(LEASE_KEPT), FACT_ABSENT, 0, FATE_FORGET,
     "it was kept for its guest's next start, and is gone"},
    {WANTS_IT, IN(LEASE_KEPT), FACT_MADE, 0, FATE_REMOVE, "it is kept, and its guest does not run"},
    {OTHERS, IN(LEASE_KEPT), 0, 0, FATE_LEAVE, "it is kept for its guest's next start"},

    {OTHERS, IN(LEASE_RESERVED), FACT_LATE, 0, FATE_FORGET,
     "it was reserved for a guest that has not come"},
    {OTHERS, IN(LEASE_RESERVED), 0, 0, FATE_LEAVE, "it is reserved for a guest that is to come"},

    {OTHERS, GOING, FACT_MADE, FACT_ABSENT, FATE_REMOVE, "its removal was not finished"},
    {OTHERS, GOING, 0, 0, FATE_FORGET, "its removal was not finished"},
};

enum fate
fate_judge(enum fate_occasion occasion, const struct fate_facts *facts, const char **why)
{
    const struct row *row = rows;

    while (!(row->occasions & ON(occasion)) || !(row->states & IN(facts->state)) ||
           (facts->bits & row->has) != row->has || (facts->bits & row->lacks))
        row++;
    *why = row->why ? row->why : facts->unreadable;
    return row->fate;
}

/* --- the facts -------------------------------------------------------------------------------- */

static void
add_guests(struct fate_facts *facts, const struct status_files *guests, const struct lease *lease)
{
    const struct request *guest = status_files_find(guests, &lease->domain);
    const struct request *holder = status_files_holder(guests, &lease->vgpu.device);
    const char *doubt = status_files_doubt(guests, &lease->domain, lease->domain_name);

    if (doubt) {
        facts->bits |= FACT_UNREADABLE;
        facts->unreadable = doubt;
    }
    if (guest && status_files_has(guest, &lease->vgpu.device))
        facts->bits |= FACT_GUEST;
    else if (holder)
        facts->bits |= name_equal(&holder->domain, &lease->domain) ? FACT_GUEST : FACT_OTHER_GUEST;
    if (guest && !(facts->bits & FACT_GUEST))
        facts->bits |= FACT_GUEST_WITHOUT;
}

unsigned
fate_of_device(const struct look_device *device, const struct lease *lease)
{
    switch (device->state) {
    case VGPU_ABSENT:
        return FACT_ABSENT;
    case VGPU_TRANSIENT:
        return FACT_TRANSIENT;
    case VGPU_UNKNOWN:
        return FACT_UNKNOWN;
    case VGPU_PRESENT:
        break;
    }
    return name_equal(&device->type, &lease->vgpu.type) ? FACT_RIGHT : 0;
}

struct fate_facts
fate_gather(const struct statedir *statedir, const struct look *look, const struct ledger *ledger,
            const struct lease *lease)
{
    const struct look_device *device = look_device(look, lease);
    const struct host *host = statedir->host;
    struct fate_facts facts = {
        .state = lease->state,
        .unreadable = "",
    };

    if (statedir_is_claimed(statedir, lease))
        facts.bits |= FACT_CLAIMED;
    if (process_alive(host, lease->daemon))
        facts.bits |= FACT_DAEMON;
    if (lease_is_in_use(lease) && marks_say_ended(ledger, host, lease))
        facts.bits |= FACT_ENDED;
    if (look_knows_guest(look, lease))
        add_guests(&facts, &look->guests, lease);
    if (lease_is_in_use(lease) && !look_knows_end(look, lease))
        facts.bits |= FACT_UNASKED;
    if (lease->origin == LEASE_MADE)
        facts.bits |= FACT_MADE;
    if (lease->release == LEASE_KEEP)
        facts.bits |= FACT_TO_KEEP;
    if (lease_is_late(lease, host_seconds(host)))
        facts.bits |= FACT_LATE;
    facts.bits |= device ? fate_of_device(device, lease) : FACT_UNSEEN;
    return facts;
}

/* --- whole cards ------------------------------------------------------------------------------ */

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
fate_sweep_cards(const struct statedir *statedir, const struct look *look, struct ledger *ledger)
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
