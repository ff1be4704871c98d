/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/marks.h"
#include "base/array.h"
#include "domain/status-files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PARENT "run/libvirt-vgpu"

static const char *const names[] = {[MARK_RELEASED] = "released", [MARK_RAN] = "ran"};

static int
leave(const struct host *host, const char *name, const struct name *domain, uint64_t number)
{
    struct path directory, path;
    int rc = path_format(&directory, PARENT "/%s", name);

    if (rc == 0)
        rc = path_format(&path, "%s/%s.%" PRIu64, directory.text, domain->text, number);
    if (rc < 0)
        return rc;
    rc = host_make_link(host, path.text, "none");
    if (rc == 0 || errno == EEXIST)
        return 0;
    if (errno != ENOENT || (host_make_directory(host, directory.text) < 0 && errno != EEXIST))
        return -errno;
    return host_make_link(host, path.text, "none") < 0 ? -errno : 0;
}

int
marks_leave(const struct host *host, enum mark mark, const struct name *domain, uint64_t number,
            struct error *error)
{
    int rc = leave(host, names[mark], domain, number);

    return rc == 0 ? 0
                   : error_set(error, rc, "cannot leave a mark in /" PARENT "/%s: %s", names[mark],
                               strerror(-rc));
}

/* A link in the directory's place is refused: nobody knows who wrote the marks behind it. */
static void
list(const struct host *host, enum mark mark, struct words *ret)
{
    struct path directory;
    struct stat status;

    if (path_format(&directory, PARENT "/%s", names[mark]) == 0 &&
        host_status(host, directory.text, &status) == 0 && S_ISDIR(status.st_mode))
        (void)!host_list_all(host, ret, "%s", directory.text);
}

void
marks_read(const struct host *host, struct ledger *ret)
{
    list(host, MARK_RELEASED, &ret->released);
    list(host, MARK_RAN, &ret->ran);
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
sweep(int directory, enum mark mark, const struct words *marks, const struct ledger *ledger)
{
    for (size_t i = 0; i < marks->count; i++) {
        struct path path;

        if (!covers_any(marks->items[i], ledger) &&
            path_format(&path, "%s/%s", names[mark], marks->items[i]) == 0)
            (void)!unlinkat(directory, path.text, 0);
    }
}

void
marks_sweep(int directory, const struct ledger *ledger)
{
    sweep(directory, MARK_RELEASED, &ledger->released, ledger);
    sweep(directory, MARK_RAN, &ledger->ran, ledger);
}
