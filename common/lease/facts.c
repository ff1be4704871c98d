/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/facts.h"
#include "lease/marks.h"

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
facts_of_device(const struct look_device *device, const struct lease *lease)
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
facts_gather(const struct statedir *statedir, const struct look *look, const struct ledger *ledger,
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
    facts.bits |= device ? facts_of_device(device, lease) : FACT_UNSEEN;
    return facts;
}
