/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/marks.h"
#include "base/array.h"
#include "base/words.h"
#include "domain/status-files.h"
#include "lease/log.h"

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

uint64_t
marks_number(const struct host *host, const struct ledger *ledger)
{
    const uint64_t now = statedir_number_now(host);

    return ledger->next_claim > now ? ledger->next_claim : now;
}

void
marks_leave(const struct host *host, enum mark mark, const struct name *domain, uint64_t number,
            const char *event)
{
    int rc = leave(host, names[mark], domain, number);
    struct error error;

    if (rc == 0)
        return;
    error_set(&error, rc, "cannot leave a mark in /" PARENT "/%s: %s", names[mark], strerror(-rc));
    log_failure(host, event, domain->text, &error);
}

/* A link in the directory's place is refused: nobody knows who wrote the marks behind it. */
static int
list(const struct statedir *statedir, enum mark mark, struct words *ret)
{
    struct path directory;
    struct stat status;
    int rc = path_format(&directory, PARENT "/%s", names[mark]);

    if (rc < 0)
        return rc;
    if (host_status(statedir->host, directory.text, &status) < 0)
        return -errno;
    return S_ISDIR(status.st_mode) ? host_list_all(statedir->host, ret, "%s", directory.text)
                                   : -ENOTDIR;
}

/* Whether the mark of this name covers a lease. */
static bool
covers(const char *name, const struct lease *lease)
{
    const size_t length = strlen(lease->domain.text);
    char *end;
    uint64_t number;

    if (strncmp(name, lease->domain.text, length) || name[length] != '.')
        return false;
    errno = 0;
    number = strtoull(name + length + 1, &end, 10);
    return !*end && errno == 0 && lease_is_in_use(lease) && lease->claim < number;
}

static bool
is_covered(const struct statedir *statedir, enum mark mark, const struct lease *lease)
{
    AUTO(words_clear) struct words marks = {0};
    bool covered = false;

    if (list(statedir, mark, &marks) < 0)
        return false;
    for (size_t i = 0; i < marks.count && !covered; i++)
        covered = covers(marks.items[i], lease);
    return covered;
}

bool
marks_say_ended(const struct statedir *statedir, const struct lease *lease)
{
    return is_covered(statedir, MARK_RELEASED, lease) ||
           (is_covered(statedir, MARK_RAN, lease) &&
            status_files_lack(statedir->host, lease->domain_name));
}

static bool
covers_any(const char *name, const struct ledger *ledger)
{
    return ARRAY_HAS(ledger->leases, ledger->count, lease, covers(name, lease));
}

static void
sweep(const struct statedir *statedir, enum mark mark, const struct ledger *ledger)
{
    AUTO(words_clear) struct words marks = {0};

    if (list(statedir, mark, &marks) < 0)
        return;
    for (size_t i = 0; i < marks.count; i++) {
        struct path path;

        if (!covers_any(marks.items[i], ledger) &&
            path_format(&path, "%s/%s", names[mark], marks.items[i]) == 0)
            (void)!unlinkat(statedir->dir, path.text, 0);
    }
}

void
marks_sweep(const struct statedir *statedir, const struct ledger *ledger)
{
    sweep(statedir, MARK_RELEASED, ledger);
    sweep(statedir, MARK_RAN, ledger);
}
