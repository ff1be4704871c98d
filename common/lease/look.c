/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/look.h"
#include "base/array.h"
#include "lease/marks.h"

static void
forget_devices(struct look *look)
{
    ledger_clear(&look->before);
    ledger_order_clear(&look->order);
    free(look->devices);
    look->devices = NULL;
}

static void
forget_guests(struct look *look)
{
    status_files_clear(&look->guests);
    ledger_clear(&look->asked);
    ledger_order_clear(&look->asked_order);
    free(look->ended);
    look->ended = NULL;
    free(look->cards);
    look->cards = NULL;
}

void
look_clear(struct look *look)
{
    forget_devices(look);
    forget_guests(look);
}

static void
look_at_devices(struct look *look, const struct statedir *statedir, const struct name *domain)
{
    ledger_order_make(&look->before, &look->order);
    look->devices = memory_zeroed(look->before.count, sizeof(*look->devices));
    for (size_t i = 0; i < look->before.count; i++) {
        const struct lease *lease = &look->before.leases[i];
        struct look_device *device = &look->devices[i];

        if (domain && !name_equal(&lease->domain, domain))
            continue;
        device->is_known = !statedir_is_claimed(statedir, lease);
        if (device->is_known)
            device->state = vgpu_state(statedir->host, &lease->vgpu, &device->type);
    }
}

int
look_take(struct look *look, const struct statedir *statedir, const struct name *domain,
          struct error *error)
{
    int rc;

    forget_devices(look);
    rc = statedir_load(statedir, &look->before, error);
    if (rc < 0)
        return rc;
    marks_read(statedir->host, &look->before);
    look_at_devices(look, statedir, domain);
    return rc;
}

void
look_take_with(struct look *look, const struct statedir *statedir, const struct ledger *ledger,
               const struct name *domain)
{
    forget_devices(look);
    ledger_copy(ledger, &look->before);
    marks_read(statedir->host, &look->before);
    look_at_devices(look, statedir, domain);
}

/* Whether libvirt owes no release for a lease any more, as far as its daemon and the marks tell. */
static bool
has_ended(const struct look *look, const struct host *host, const struct lease *lease)
{
    return lease_is_in_use(lease) &&
           (!process_alive(host, lease->daemon) || marks_say_ended(&look->before, host, lease));
}

static unsigned char
ask_card(const struct look *look, const struct host *host, const struct whole_card *card)
{
    unsigned char bits = 0;

    if (marks_say_card_ran(&look->before, card))
        bits |= LOOK_CARD_RAN;
    if (!process_alive(host, card->daemon))
        bits |= LOOK_CARD_ORPHANED;
    return bits;
}

int
look_at_guests(struct look *look, const struct host *host, struct error *error)
{
    forget_guests(look);
    look->ended = memory_zeroed(look->before.count, sizeof(*look->ended));
    ledger_copy(&look->before, &look->asked);
    ledger_order_make(&look->asked, &look->asked_order);
    for (size_t i = 0; i < look->asked.count; i++)
        look->ended[i] = has_ended(look, host, &look->asked.leases[i]);
    look->cards = memory_zeroed(look->before.cards.count, sizeof(*look->cards));
    for (size_t i = 0; i < look->asked.cards.count; i++)
        look->cards[i] = ask_card(look, host, &look->asked.cards.items[i]);
    return status_files_read(host, &look->guests, error);
}

bool
look_knows_guest(const struct look *look, const struct lease *lease)
{
    return !lease_has_changed(ledger_order_find(&look->asked_order, &lease->vgpu.device), lease);
}

bool
look_knows_end(const struct look *look, const struct lease *lease)
{
    const struct lease *asked = ledger_order_find(&look->asked_order, &lease->vgpu.device);

    return !lease_has_changed(asked, lease) && look->ended[asked - look->asked.leases];
}

void
look_at_guests_if_needed(struct look *look, const struct statedir *statedir)
{
    struct error ignored;
    bool needed = false;

    for (size_t i = 0; i < look->before.count && !needed; i++)
        needed = !look_knows_end(look, &look->before.leases[i]) &&
                 has_ended(look, statedir->host, &look->before.leases[i]);
    for (size_t i = 0; i < look->before.cards.count && !needed; i++)
        needed = look_card(look, &look->before.cards.items[i]) !=
                 ask_card(look, statedir->host, &look->before.cards.items[i]);
    /* If reading the guests fails, look->guests says so. */
    if (needed)
        (void)!look_at_guests(look, statedir->host, &ignored);
}

unsigned
look_card(const struct look *look, const struct whole_card *card)
{
    const struct whole_cards *asked = &look->asked.cards;
    const struct whole_card *old =
        ARRAY_FIND(asked->items, asked->count, each, whole_card_equal(each, card));

    return old ? look->cards[old - asked->items] : 0;
}

const struct look_device *
look_device(const struct look *look, const struct lease *lease)
{
    const struct lease *old = ledger_order_find(&look->order, &lease->vgpu.device);
    const struct look_device *device = old ? &look->devices[old - look->before.leases] : NULL;

    return device && device->is_known && !lease_has_changed(old, lease) ? device : NULL;
}

void
look_compare(const struct look *look, const struct ledger *ledger, struct ledger *ret)
{
    AUTO(ledger_order_clear) struct ledger_order now = {0};

    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        if (lease_has_changed(ledger_order_find(&look->order, &lease->vgpu.device), lease))
            ledger_add(ret, lease);
    }
    ledger_order_make(ledger, &now);
    for (size_t i = 0; i < look->before.count; i++) {
        if (!ledger_order_find(&now, &look->before.leases[i].vgpu.device))
            ledger_add(ret, &look->before.leases[i]);
    }
}

bool
look_had_place(const struct look *look, const struct ledger *ledger, const struct lease *lease)
{
    const struct lease *old = ledger_order_find(&look->order, &lease->vgpu.device);
    const struct lease *now = ledger_find(ledger, &lease->vgpu.device);

    return old && now && old->claim == now->claim;
}
