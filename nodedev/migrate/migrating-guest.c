/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/migrating-guest.h"
#include "base/array.h"
#include "domain/request-parser.h"
#include "libvirt/domain-source.h"
#include "placement/resolution.h"

static int
resolve(struct migrating_guest *guest, const struct policy *policy, struct error *error)
{
    int rc = request_check(guest->request, error);

    if (rc == 0)
        rc = resolution_make(guest->request, policy, &guest->demands, error);
    if (rc < 0)
        error_wrap(error, "%s", guest->label);
    return rc;
}

int
migrating_guest_find(struct migrating_guest *guest, const struct remote_host *here,
                     const char *word, const struct policy *policy, struct error *error)
{
    const struct domain *domain = domains_find(&here->domains, word);

    if (!domain)
        return error_refuse(error, ERROR_NO_DOMAIN, "%s has no domain \"%s\"", here->uri, word);
    guest->label = domain->name;
    guest->domain = domain;
    guest->request = domain->is_running ? &domain->live : &domain->config;
    if (!*guest->request->domain.text)
        return error_set(error, -EINVAL, "the XML of %s cannot be read", domain->name);
    return resolve(guest, policy, error);
}

/* A new guest has the name and the UUID of its XML. */
static void
make_new(struct migrating_guest *guest, const char *label)
{
    guest->label = label;
    guest->is_new = true;
    guest->own =
        (struct domain){.uuid = guest->own_request.domain, .name = guest->own_request.name};
    guest->domain = &guest->own;
    guest->request = &guest->own_request;
}

int
migrating_guest_read(struct migrating_guest *guest, const struct host *host, const char *file,
                     const struct policy *policy, struct error *error)
{
    AUTO(document_clear) struct document document = {0};
    int rc = domain_source_read(host, file, &document, error);

    if (rc < 0)
        return rc;
    rc = request_parse(&document, &guest->own_request, error);
    if (rc < 0) {
        error_wrap(error, "%s", file);
        return rc;
    }
    make_new(guest, file);
    return resolve(guest, policy, error);
}

void
migrating_guest_of_type(struct migrating_guest *guest, const char *type)
{
    struct demand demand = {0};

    guest->own_request.name = memory_copy("");
    guest->type = memory_copy(type);
    demand.label = demand.wanted = guest->type;
    demand.terms.attributes.said[ATTRIBUTE_TYPE] = guest->type;
    demand_set_free(&demand, DEMAND_AS_IT_SAYS);
    ARRAY_ADD(guest->demands.items, guest->demands.count, demand);
    make_new(guest, type);
}

const struct inventory_type *
migrating_guest_type(const struct migrating_guest *guest, const struct inventory *here,
                     const struct demand *demand)
{
    const struct inventory_vgpu *vgpu =
        guest->domain->is_running ? inventory_find_vgpu(here, &demand->hostdev->source) : NULL;

    return vgpu ? inventory_type_of(vgpu) : NULL;
}

void
migrating_guest_clear(struct migrating_guest *guest)
{
    demands_clear(&guest->demands);
    request_clear(&guest->own_request);
    free(guest->type);
    *guest = (struct migrating_guest){0};
}
