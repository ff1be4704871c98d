/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/released.h"
#include "base/words.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME      "released"
#define DIRECTORY "run/libvirt-vgpu/" NAME

int
released_mark(const struct host *host, const struct name *domain, uint64_t number)
{
    const uint64_t now = statedir_number_now(host);
    struct path path;
    int rc =
        path_format(&path, DIRECTORY "/%s.%" PRIu64, domain->text, number > now ? number : now);

    if (rc < 0)
        return rc;
    rc = host_make_link(host, path.text, "none");
    if (rc == 0 || errno == EEXIST)
        return 0;
    if (errno != ENOENT || (host_make_directory(host, DIRECTORY) < 0 && errno != EEXIST))
        return -errno;
    return host_make_link(host, path.text, "none") < 0 ? -errno : 0;
}

static int
list(const struct statedir *statedir, struct words *ret)
{
    return words_read_directory(
        openat(statedir->dir, NAME, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), "", ret);
}

/* Whether the mark of this name covers a lease. */
static bool
covers(const char *mark, const struct lease *lease)
{
    const size_t length = strlen(lease->domain.text);
    char *end;
    uint64_t number;

    if (strncmp(mark, lease->domain.text, length) || mark[length] != '.')
        return false;
    errno = 0;
    number = strtoull(mark + length + 1, &end, 10);
    return !*end && errno == 0 && lease_is_in_use(lease) && lease->claim < number;
}

bool
released_covers(const struct statedir *statedir, const struct lease *lease)
{
    AUTO(words_clear) struct words marks = {0};
    bool covered = false;

    if (list(statedir, &marks) < 0)
        return false;
    for (size_t i = 0; i < marks.count && !covered; i++)
        covered = covers(marks.items[i], lease);
    return covered;
}

static bool
covers_any(const char *mark, const struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->count; i++) {
        if (covers(mark, &ledger->leases[i]))
            return true;
    }
    return false;
}

void
released_sweep(const struct statedir *statedir, const struct ledger *ledger)
{
    AUTO(words_clear) struct words marks = {0};

    if (list(statedir, &marks) < 0)
        return;
    for (size_t i = 0; i < marks.count; i++) {
        struct path path;

        if (!covers_any(marks.items[i], ledger) &&
            path_format(&path, NAME "/%s", marks.items[i]) == 0)
            (void)!unlinkat(statedir->dir, path.text, 0);
    }
}
