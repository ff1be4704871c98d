/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/libvirt-library.h"

static void
close_connection(virConnectPtr *libvirt)
{
    if (*libvirt)
        virConnectClose(*libvirt);
}

/* The definition moves with the domain and is removed here, because else two domains would have
 * this UUID. A domain that does not run is moved as a definition only. */
static unsigned
flags_for(virDomainPtr domain)
{
    bool is_running = virDomainIsActive(domain) == 1;
    bool is_persistent = virDomainIsPersistent(domain) == 1;

    return (is_running ? VIR_MIGRATE_LIVE : VIR_MIGRATE_OFFLINE) |
           (is_persistent ? VIR_MIGRATE_PERSIST_DEST | VIR_MIGRATE_UNDEFINE_SOURCE : 0);
}

static virDomainPtr
migrate(virDomainPtr domain, virConnectPtr there, const char *xml)
{
    virTypedParameterPtr params = NULL;
    int count = 0, most = 0;
    virDomainPtr moved = NULL;

    if (!xml ||
        virTypedParamsAddString(&params, &count, &most, VIR_MIGRATE_PARAM_DEST_XML, xml) == 0)
        moved = virDomainMigrate3(domain, there, params, (unsigned)count, flags_for(domain));
    virTypedParamsFree(params, count);
    return moved;
}

int
libvirt_job_migrate(virConnectPtr libvirt, const char *uuid, const char *uri, const char *xml,
                    struct error *error)
{
    AUTO(libvirt_free_domain) virDomainPtr domain = libvirt_domain_by_uuid(libvirt, uuid, error);
    AUTO(libvirt_free_domain) virDomainPtr moved = NULL;
    AUTO(close_connection) virConnectPtr there = NULL;

    if (!domain)
        return -EIO;
    there = virConnectOpen(uri);
    if (!there)
        return libvirt_fail(error, -ENOTCONN, "cannot connect to %s", uri);
    moved = migrate(domain, there, xml);
    return moved ? 0 : libvirt_fail(error, -EIO, "libvirt does not migrate it");
}

int
libvirt_job_save(virConnectPtr libvirt, const char *uuid, struct error *error)
{
    AUTO(libvirt_free_domain) virDomainPtr domain = libvirt_domain_by_uuid(libvirt, uuid, error);

    if (!domain)
        return -EIO;
    return virDomainManagedSave(domain, 0) < 0
               ? libvirt_fail(error, -EIO, "libvirt does not save it")
               : 0;
}

int
libvirt_job_progress(virConnectPtr libvirt, const char *uuid, struct connection_progress *ret,
                     struct error *error)
{
    AUTO(libvirt_free_domain) virDomainPtr domain = libvirt_domain_by_uuid(libvirt, uuid, error);
    virDomainJobInfo job;

    *ret = (struct connection_progress){0};
    if (!domain)
        return -EIO;
    if (virDomainGetJobInfo(domain, &job) < 0)
        return libvirt_fail(error, -EIO, "it is not known how far its job is");
    ret->total = job.dataTotal;
    ret->remaining = job.dataRemaining;
    return 0;
}

int
libvirt_job_abort(virConnectPtr libvirt, const char *uuid, struct error *error)
{
    AUTO(libvirt_free_domain) virDomainPtr domain = libvirt_domain_by_uuid(libvirt, uuid, error);

    if (!domain)
        return -EIO;
    return virDomainAbortJob(domain) < 0 ? libvirt_fail(error, -EIO, "its job cannot be stopped")
                                         : 0;
}
