/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/clone.h"
#include "attach/vf-selection.h"
#include "base/memory.h"
#include "domain/request-parser.h"
#include "xml/domain-edit.h"

#include <stdio.h>

/* Finds the virtual functions that other domains name as well. */
static void
find_shared(const struct request *request, const struct names *named, struct names *ret)
{
    for (size_t i = 0; i < request->hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];

        if (hostdev->kind == REQUEST_PCI && demand_is_explicit(hostdev) &&
            names_has(named, &hostdev->source))
            names_append(ret, &hostdev->source);
    }
}

/* Finds another virtual function for each of those, in their order. */
static int
find_others(const struct host *host, const struct request *request, const struct names *shared,
            const struct names *named, struct rewrite_source *ret, struct error *error)
{
    AUTO(names_clear) struct names taken = {0};
    static const struct names none;
    struct error ignored;
    const struct vf_selection_search search = {
        .host = host,
        .request = request,
        .sources = shared,
        .freedom = DEMAND_ANY_PLACE,
        .named = &none,
        .taken = &taken,
        .added = &none,
        .doubt = &ignored,
        .others = &ignored,
        .single = &ignored,
    };
    int rc;

    vf_selection_add_own(request, &taken);
    for (size_t i = 0; i < named->count; i++)
        names_append(&taken, &named->items[i]);
    rc = vf_selection_find(&search, ret, error);
    if (rc < 0)
        error_wrap(error,
                   "another domain has the virtual function %s as well, and there is no "
                   "other for this one",
                   shared->items[0].text);
    return rc;
}

/* Sets the new source of a hostdev. */
static void
renew(const struct request *request, size_t index, const struct names *shared,
      const struct rewrite_source *others, struct rewrite_source *ret)
{
    const struct request_hostdev *hostdev = &request->hostdevs[index];
    char label[32];

    snprintf(label, sizeof(label), "hostdev%zu", index);
    if (hostdev->kind == REQUEST_MDEV && demand_is_explicit(hostdev))
        domain_edit_uuid(&request->domain, hostdev->alias ? hostdev->alias : label, &ret->source);
    for (size_t i = 0; i < shared->count; i++) {
        if (name_equal(&hostdev->source, &shared->items[i]))
            *ret = others[i];
    }
}

int
clone_renew(const struct host *host, const struct document *document, const struct names *named,
            struct document *ret, struct error *error)
{
    AUTO(request_clear) struct request request = {0};
    AUTO(names_clear) struct names shared = {0};
    AUTO_FREE struct rewrite_source *sources = NULL;
    AUTO_FREE struct rewrite_source *others = NULL;
    int rc = request_parse(document, &request, error);

    *ret = (struct document){0};
    if (rc == 0)
        rc = request_check(&request, error);
    if (rc < 0)
        return rc;
    sources = rewrite_own(&request);
    others = memory_zeroed(request.hostdev_count, sizeof(*others));
    find_shared(&request, named, &shared);
    if (shared.count)
        rc = find_others(host, &request, &shared, named, others, error);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < request.hostdev_count; i++)
        renew(&request, i, &shared, others, &sources[i]);
    return rewrite_sources(document, &request, sources, ret, error);
}
