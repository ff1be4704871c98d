/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/references.h"
#include "actions/reap.h"
#include "libvirt/connection.h"

int
owners_ask(const struct host *host, const char *uri, struct owners *ret, struct error *error)
{
    AUTO(connection_close) struct connection *connection = NULL;
    int rc;

    *ret = (struct owners){.statedir = STATEDIR_CLOSED};
    rc = statedir_look(host, &ret->statedir, error);
    if (rc == 0)
        rc = connection_open(uri, CONNECTION_READ, &connection, error);
    if (rc == 0)
        ret->libvirt_version = connection_version(connection);
    if (rc == 0)
        rc = connection_domains(connection, &ret->domains, error);
    if (rc == 0 && !ret->domains.complete)
        rc = error_set(error, -EIO, "%s", ret->domains.problem.text);
    ret->known = rc == 0;
    return rc;
}

void
owners_clear(struct owners *owners)
{
    domains_clear(&owners->domains);
    statedir_close(&owners->statedir);
}

/* One without a type is just being made or removed. */
bool
owners_is_orphan(const struct owners *owners, const struct inventory_vgpu *vgpu,
                 const struct lease *lease)
{
    return owners->known && *vgpu->type.text &&
           !domains_next_user(&owners->domains, &vgpu->device, NULL) &&
           reap_is_orphan(&owners->statedir, lease);
}
