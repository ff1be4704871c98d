/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/marks.h"
#include "base/array.h"
#include "base/run-links.h"
#include "domain/status-files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {[MARK_RELEASED] = "released", [MARK_RAN] = "ran"};

int
marks_leave(const struct host *host, enum mark mark, const struct name *domain, uint64_t number,
            struct error *error)
{
    char name[sizeof(domain->text) + 24];
    int rc;

    snprintf(name, sizeof(name), "%s.%" PRIu64, domain->text, number);
    rc = run_links_put(host, kinds[mark], name, "none");
    return rc == -EEXIST ? 0 : run_links_check(rc, kinds[mark], name, error);
}

void
marks_read(const struct host *host, struct ledger *ret)
{
    words_clear(&ret->released);
    words_clear(&ret->ran);
    run_links_list(host, kinds[MARK_RELEASED], &ret->released);
    run_links_list(host, kinds[MARK_RAN], &ret->ran);
}

/* Whether the mark of this name covers what a domain has under a number. */
static bool
covers(const char *name, const struct name *domain, uint64_t number)
{
    const size_t length = strlen(domain->text);
    char *end;
    uint64_t limit;

    if (strncmp(name, domain->text, length) || name[length] != '.')
        return false;
    errno = 0;
    limit = strtoull(name + length + 1, &end, 10);
    return !*end && errno == 0 && number < limit;
}

static bool
is_covered(const struct words *marks, const struct lease *lease)
{
    return lease_is_in_use(lease) &&
           ARRAY_HAS(marks->items, marks->count, mark, covers(*mark, &lease->domain, lease->claim));
}

static bool
is_card_covered(const struct words *marks, const struct whole_card *card)
{
    return ARRAY_HAS(marks->items, marks->count, mark, covers(*mark, &card->domain, card->number));
}

bool
marks_say_ran(const struct ledger *ledger, const struct lease *lease)
{
    return is_covered(&ledger->ran, lease);
}

bool
marks_say_ended(const struct ledger *ledger, const struct host *host, const struct lease *lease)
{
    return is_covered(&ledger->released, lease) ||
           (is_covered(&ledger->ran, lease) && status_files_lack(host, lease->domain_name));
}

bool
marks_say_card_ended(const struct ledger *ledger, const struct host *host,
                     const struct whole_card *card)
{
    return is_card_covered(&ledger->released, card) ||
           (is_card_covered(&ledger->ran, card) && status_files_lack(host, card->domain_name));
}

bool
marks_say_card_ran(const struct ledger *ledger, const struct whole_card *card)
{
    return is_card_covered(&ledger->ran, card);
}

static bool
covers_any(const char *name, const struct ledger *ledger)
{
    return ARRAY_HAS(ledger->leases, ledger->count, lease,
                     lease_is_in_use(lease) && covers(name, &lease->domain, lease->claim)) ||
           ARRAY_HAS(ledger->cards.items, ledger->cards.count, card,
                     covers(name, &card->domain, card->number));
}

static void
sweep(const struct host *host, enum mark mark, const struct words *marks,
      const struct ledger *ledger)
{
    for (size_t i = 0; i < marks->count; i++) {
        if (!covers_any(marks->items[i], ledger))
            run_links_remove(host, kinds[mark], marks->items[i]);
    }
}

void
marks_sweep(const struct host *host, const struct ledger *ledger)
{
    sweep(host, MARK_RELEASED, &ledger->released, ledger);
    sweep(host, MARK_RAN, &ledger->ran, ledger);
}
