/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/references.h"
#include "actions/reap.h"
#include "domain/status-files.h"
#include "libvirt/connection.h"

int
references_look(const struct host *host, struct references *ret, struct error *error)
{
    AUTO(status_files_clear) struct status_files guests = {0};
    struct error ignored;
    int rc;

    *ret = (struct references){.statedir = STATEDIR_CLOSED, .domains = {.complete = true}};
    rc = statedir_look(host, &ret->statedir, error);
    if (rc == 0 && status_files_read(host, &guests, &ignored) == 0) {
        for (size_t i = 0; i < guests.count; i++)
            domains_add_running(&ret->domains, &guests.items[i]);
    }
    return rc;
}

int
references_ask(const struct host *host, const char *uri, struct references *ret,
               struct error *error)
{
    int rc;

    *ret = (struct references){.statedir = STATEDIR_CLOSED};
    rc = statedir_look(host, &ret->statedir, error);
    if (rc == 0)
        rc = connection_ask_domains(host, uri, &ret->domains, &ret->libvirt_version, error);
    ret->known = rc == 0;
    return rc;
}

void
references_clear(struct references *references)
{
    domains_clear(&references->domains);
    statedir_close(&references->statedir);
}

/* A vGPU without a type is just being made or removed, so it is no orphan. */
bool
references_is_orphan(const struct references *references, const struct inventory_vgpu *vgpu,
                     const struct lease *lease)
{
    return references->known && *vgpu->type.text &&
           !domains_next_user(&references->domains, &vgpu->device, NULL) &&
           reap_is_orphan(&references->statedir, lease);
}
