/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/vgpu-users.h"
#include "libvirt/connection.h"
#include "view/vgpu-walk.h"

/* Whether no user of the vGPU is known yet, so that libvirt has to be asked. */
static bool
is_open(const struct references *references, const struct vgpu_walk *walk)
{
    if (!walk->vgpu)
        return false;
    return walk->lease ? references_is_orphan(references, walk->vgpu, walk->lease)
                       : !domains_next_user(&references->domains, walk->device, NULL);
}

/* Whether libvirt has to be asked about any vGPU. With a connection, this first reads the domain
 * that each lease names. */
static bool
any_is_open(const struct snapshot *snapshot, struct references *references,
            struct connection *connection)
{
    struct vgpu_walk walk = {.ledger = &snapshot->ledger, .inventory = &snapshot->inventory};
    bool any = false;

    while (vgpu_walk_next(&walk)) {
        if (connection && walk.lease && !lease_is_nobodys(walk.lease) && is_open(references, &walk))
            connection_add_domain(connection, &walk.lease->domain, &references->domains);
        any |= is_open(references, &walk);
    }
    return any;
}

int
vgpu_users_find(const struct host *host, const char *uri, const struct snapshot *snapshot,
                struct references *ret, struct error *error)
{
    AUTO(connection_close) struct connection *connection = NULL;
    int rc = references_look(host, ret, error);

    ret->known = rc == 0;
    if (rc < 0 || !any_is_open(snapshot, ret, NULL))
        return rc;
    rc = connection_open(host, uri, CONNECTION_READ, &connection, error);
    if (rc == 0 && any_is_open(snapshot, ret, connection)) {
        domains_clear(&ret->domains);
        rc = connection_domains(connection, &ret->domains, error);
    }
    ret->known = rc == 0;
    return rc;
}
