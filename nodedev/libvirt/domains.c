/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/domains.h"
#include "base/array.h"
#include "domain/request-parser.h"

#include <search.h>
#include <string.h>

/* --- who refers to a device ------------------------------------------------------------------- */

struct device {
    struct name name; /* first, because it is looked for */
    size_t *users;    /* indices of domains, in ascending order */
    size_t count;
};

static int
compare_devices(const void *left, const void *right)
{
    const struct name *a = left, *b = right;

    return strcmp(a->text, b->text);
}

static void
free_device(void *data)
{
    struct device *device = data;

    free(device->users);
    free(device);
}

static struct device *
find_device(const struct domains *domains, const struct name *name)
{
    void *const *found = tfind(name, &domains->devices, compare_devices);

    return found ? *found : NULL;
}

static struct device *
make_device(struct domains *domains, const struct name *name)
{
    struct device *device = memory_zeroed(1, sizeof(*device));

    device->name = *name;
    if (!tsearch(device, &domains->devices, compare_devices))
        memory_fail();
    return device;
}

static void
note_devices(struct domains *domains, size_t user, const struct request *request)
{
    for (size_t i = 0; i < request->hostdev_count; i++) {
        const struct name *name = &request->hostdevs[i].source;
        struct device *device = find_device(domains, name);

        device = device ? device : make_device(domains, name);
        if (device->count == 0 || device->users[device->count - 1] != user)
            ARRAY_ADD(device->users, device->count, user);
    }
}

static void
note_user(struct domains *domains, size_t user)
{
    note_devices(domains, user, &domains->items[user].live);
    note_devices(domains, user, &domains->items[user].config);
}

static void
forget_users(struct domains *domains)
{
    tdestroy(domains->devices, free_device);
    domains->devices = NULL;
}

/* --- the domains ------------------------------------------------------------------------------ */

/* A definition that exists and cannot be read may refer to any device. */
static void
read_definition(struct domains *domains, const struct domain_text *text, const char *xml,
                struct domain *domain, struct request *ret)
{
    const struct document document = {.text = (char *)xml, .length = xml ? strlen(xml) : 0};
    struct error error;

    if (!document.length)
        error_set(&error, -EIO, "%s", text->failure ? text->failure : "libvirt gave no XML");
    else if (request_parse(&document, ret, &error) == 0)
        return;
    error_wrap(&error, "the domain %s", text->name);
    if (domains->complete)
        domains->failure = error;
    domains->complete = false;
    domain->is_unread = true;
}

int
domains_add(struct domains *domains, const struct domain_text *text)
{
    struct domain domain = {.is_running = text->is_running, .is_persistent = text->is_persistent};

    if (name_parse_uuid(&domain.uuid, text->uuid) < 0)
        return -EBADMSG;
    domain.name = memory_copy(text->name);
    /* A transient domain that does not run is just being started. */
    if (text->is_running || !text->is_persistent)
        read_definition(domains, text, text->live, &domain, &domain.live);
    if (text->is_persistent)
        read_definition(domains, text, text->config, &domain, &domain.config);
    ARRAY_ADD(domains->items, domains->count, domain);
    note_user(domains, domains->count - 1);
    return 0;
}

void
domains_add_running(struct domains *domains, struct request *guest)
{
    struct domain domain = {.uuid = guest->domain,
                            .name = memory_copy(guest->name),
                            .is_running = true,
                            .live = *guest};

    *guest = (struct request){0};
    ARRAY_ADD(domains->items, domains->count, domain);
    note_user(domains, domains->count - 1);
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const struct domain *)a)->name, ((const struct domain *)b)->name);
}

void
domains_sort(struct domains *domains)
{
    if (domains->count)
        qsort(domains->items, domains->count, sizeof(*domains->items), by_name);
    forget_users(domains);
    for (size_t i = 0; i < domains->count; i++)
        note_user(domains, i);
}

void
domains_clear(struct domains *domains)
{
    for (size_t i = 0; i < domains->count; i++) {
        request_clear(&domains->items[i].live);
        request_clear(&domains->items[i].config);
        free(domains->items[i].name);
    }
    free(domains->items);
    forget_users(domains);
    *domains = (struct domains){0};
}

const struct domain *
domains_find(const struct domains *domains, const char *word)
{
    const struct domain *found =
        ARRAY_FIND(domains->items, domains->count, domain, !strcmp(domain->name, word));
    struct name uuid;

    if (found || name_parse_uuid(&uuid, word) < 0)
        return found;
    return ARRAY_FIND(domains->items, domains->count, domain, name_equal(&domain->uuid, &uuid));
}

/* Walks over the devices of the definition first. Then it walks over other devices with which the
 * domain runs. */
bool
domains_next_hostdev(const struct domains *domains, struct domains_walk *walk)
{
    for (; walk->next_domain < domains->count; walk->next_domain++, walk->next_hostdev = 0) {
        const struct domain *domain = &domains->items[walk->next_domain];
        size_t defined = domain->config.hostdev_count;

        while (walk->next_hostdev < defined + domain->live.hostdev_count) {
            size_t at = walk->next_hostdev++;

            walk->domain = domain;
            walk->hostdev =
                at < defined ? &domain->config.hostdevs[at] : &domain->live.hostdevs[at - defined];
            if (at < defined || !request_find_hostdev(&domain->config, &walk->hostdev->source))
                return true;
        }
    }
    return false;
}

const struct domain *
domains_next_user(const struct domains *domains, const struct name *device,
                  const struct domain *after)
{
    const struct device *found = find_device(domains, device);
    bool seen = !after;

    /* Looks at the running domains first, then at the others. */
    for (int running = 1; found && running >= 0; running--) {
        for (size_t i = 0; i < found->count; i++) {
            const struct domain *domain = &domains->items[found->users[i]];

            if (domain->is_running != running)
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
    const struct request_hostdev *live = request_find_hostdev(&domain->live, device);
    const struct request_hostdev *config = request_find_hostdev(&domain->config, device);

    return live && live->alias ? live->alias : config ? config->alias : NULL;
}
