/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/saved-type.h"
#include "base/durable.h"
#include "base/run-links.h"
#include "lease/marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SAVED     "var/lib/libvirt-vgpu/saved"
#define RESTORING "restoring"
#define SEVERAL   "several"
#define MOST      64    /* devices of a domain; each restore may give them new UUIDs */
#define LONGEST   60000 /* ms from a restore to its prepare */

/* --- what was saved --------------------------------------------------------------------------- */

/* The name of a vGPU's link. */
static struct name
key_of(const char *alias, const struct name *device)
{
    struct name key;

    return alias && !strncmp(alias, "ua-", strlen("ua-")) && name_parse(&key, alias) == 0 ? key
                                                                                          : *device;
}

/* Whether the domain has as many links as it may. */
static bool
is_full(const struct host *host, const struct path *directory)
{
    AUTO(names_clear) struct names devices = {0};

    return host_list(host, &devices, "%s", directory->text) == 0 && devices.count >= MOST;
}

/* 1: the directory has changed; 0: all was there already; -errno. */
static int
note(const struct host *host, const struct path *directory, const struct name *key,
     const struct name *type)
{
    struct name before;
    struct path link;
    int rc = path_format(&link, "%s/%s", directory->text, key->text);

    if (rc == 0)
        rc = host_link(host, &before, "%s", link.text);
    if (rc == 0 && (name_equal(&before, type) || !strcmp(before.text, SEVERAL)))
        return 0;
    if (rc == 0) {
        rc = host_replace_link(host, link.text, SEVERAL);
    } else if (rc == -ENOENT) {
        rc = is_full(host, directory) ? -EDQUOT : durable_make_directory(host, directory->text);
        if (rc == 0)
            rc = host_make_link(host, link.text, type->text);
    }
    return rc < 0 ? rc : 1;
}

int
saved_type_note(const struct host *host, const struct ledger *ledger, const struct name *domain,
                uint64_t below, bool all, struct error *error)
{
    struct path directory;
    int rc = path_format(&directory, SAVED "/%s", domain->text), changed = 0;

    for (size_t i = 0; rc >= 0 && i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];
        const struct name key = key_of(lease->alias, &lease->vgpu.device);

        if (!name_equal(&lease->domain, domain) || lease->state != LEASE_HELD ||
            lease->claim >= below || (!all && !marks_say_ran(ledger, lease)))
            continue;
        rc = note(host, &directory, &key, &lease->vgpu.type);
        changed |= rc > 0;
    }
    if (rc >= 0)
        rc = changed ? durable_sync(host, directory.text) : 0;
    return rc < 0 ? error_set(error, rc,
                              "cannot note in /" SAVED "/%s of which types its vGPUs are, so its "
                              "saved state may be restored into others: %s",
                              domain->text, strerror(-rc))
                  : 0;
}

int
saved_type_find(const struct host *host, const struct name *domain,
                const struct request_hostdev *hostdev, struct name *ret)
{
    const struct name key = key_of(hostdev->alias, &hostdev->source);
    int rc = host_link(host, ret, SAVED "/%s/%s", domain->text, key.text);

    if (rc == -ENOENT || (rc == 0 && !strcmp(ret->text, SEVERAL)))
        return 0;
    return rc < 0 ? rc : 1;
}

int
saved_type_follow(const struct host *host, const struct name *domain,
                  const struct request_hostdev *hostdev, const struct name *source,
                  const struct name *type)
{
    const struct name key = key_of(hostdev->alias, source);
    struct path directory;
    int rc = path_format(&directory, SAVED "/%s", domain->text);

    if (rc == 0)
        rc = note(host, &directory, &key, type);
    return rc < 0 ? rc : 0;
}

/* --- what is restored ------------------------------------------------------------------------- */

int
saved_type_begin_restore(const struct host *host, const struct name *domain, struct error *error)
{
    int rc = run_links_replace(host, RESTORING, domain->text, "%" PRIu64, host_uptime(host));

    return run_links_check(rc, RESTORING, domain->text, error);
}

bool
saved_type_end_restore(const struct host *host, const struct name *domain)
{
    bool is_recent = run_links_is_recent(host, RESTORING, domain->text, LONGEST);

    return run_links_remove(host, RESTORING, domain->text) == 0 && is_recent;
}
