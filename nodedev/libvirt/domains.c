/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/domains.h"

#include <string.h>

void
domains_clear(struct domains *domains)
{
    for (size_t i = 0; i < domains->count; i++) {
        request_clear(&domains->items[i].live);
        request_clear(&domains->items[i].config);
        free(domains->items[i].name);
    }
    free(domains->items);
    *domains = (struct domains){0};
}

const struct domain *
domains_find(const struct domains *domains, const char *word)
{
    struct name uuid;

    for (size_t i = 0; i < domains->count; i++) {
        if (!strcmp(domains->items[i].name, word))
            return &domains->items[i];
    }
    for (size_t i = 0; name_parse_uuid(&uuid, word) == 0 && i < domains->count; i++) {
        if (name_equal(&domains->items[i].uuid, &uuid))
            return &domains->items[i];
    }
    return NULL;
}

static bool
refers_to(const struct request *request, const struct name *device)
{
    for (size_t i = 0; i < request->hostdev_count; i++) {
        if (name_equal(&request->hostdevs[i].source, device))
            return true;
    }
    return false;
}

const struct domain *
domains_next_user(const struct domains *domains, const struct name *device,
                  const struct domain *after)
{
    bool seen = !after;

    /* Once over the running ones, then over the others. */
    for (int running = 1; running >= 0; running--) {
        for (size_t i = 0; i < domains->count; i++) {
            const struct domain *domain = &domains->items[i];

            if (domain->is_running != running ||
                (!refers_to(&domain->live, device) && !refers_to(&domain->config, device)))
                continue;
            if (seen)
                return domain;
            seen = domain == after;
        }
    }
    return NULL;
}

const char *
domain_alias(const struct domain *domain, const struct name *device)
{
    const struct request *const definitions[] = {&domain->live, &domain->config};

    for (size_t i = 0; i < COUNT(definitions); i++) {
        for (size_t k = 0; k < definitions[i]->hostdev_count; k++) {
            const struct request_hostdev *hostdev = &definitions[i]->hostdevs[k];

            if (hostdev->alias && name_equal(&hostdev->source, device))
                return hostdev->alias;
        }
    }
    return NULL;
}
