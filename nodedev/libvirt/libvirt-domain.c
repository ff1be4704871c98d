/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/suggest.h"
#include "libvirt/libvirt-library.h"

#include <stdio.h>
#include <string.h>

static int
fail_to_find(virConnectPtr libvirt, const char *word, struct error *error)
{
    AUTO(domain_list_clear) struct domain_list list = {0};
    struct suggest suggest = SUGGEST(word);
    int rc = domain_list_get(libvirt, 0, &list, error);

    if (rc < 0)
        return rc;
    for (int i = 0; i < list.count; i++)
        suggest_offer(&suggest, virDomainGetName(list.items[i]));
    error_refuse(error, ERROR_NO_DOMAIN, "there is no domain \"%s\"%s", word,
                 suggest_text(&suggest).text);
    if (!suggest.best)
        error_advise_command(error, "see", "virsh list --all");
    return -ENOENT;
}

int
libvirt_domain_find(virConnectPtr libvirt, const char *word, struct connection_domain *ret,
                    struct error *error)
{
    AUTO(libvirt_free_domain) virDomainPtr domain = virDomainLookupByName(libvirt, word);
    char uuid[VIR_UUID_STRING_BUFLEN];
    int rc;

    *ret = (struct connection_domain){0};
    if (!domain && name_parse_uuid(&ret->uuid, word) == 0)
        domain = virDomainLookupByUUIDString(libvirt, ret->uuid.text);
    if (!domain)
        return fail_to_find(libvirt, word, error);
    if (virDomainGetUUIDString(domain, uuid) < 0 || name_parse_uuid(&ret->uuid, uuid) < 0)
        return libvirt_fail(error, -EIO, "the UUID of %s", word);
    snprintf(ret->name, sizeof(ret->name), "%s", virDomainGetName(domain));
    rc = virDomainIsActive(domain);
    if (rc < 0)
        return libvirt_fail(error, -EIO, "cannot tell whether %s runs", word);
    ret->is_running = rc == 1;
    ret->is_persistent = virDomainIsPersistent(domain) == 1;
    ret->is_saved = virDomainHasManagedSaveImage(domain, 0) == 1;
    return 0;
}

int
libvirt_domain_xml(virConnectPtr libvirt, const char *uuid, enum connection_side side, bool secrets,
                   char **ret, struct error *error)
{
    AUTO(libvirt_free_domain) virDomainPtr domain = libvirt_domain_by_uuid(libvirt, uuid, error);
    const char *name;
    unsigned flags = side == CONNECTION_CONFIG ? VIR_DOMAIN_XML_INACTIVE : 0;

    if (!domain)
        return -EIO;
    /* Whoever wants the secrets of a running domain sends it to another host. */
    if (secrets)
        flags |= VIR_DOMAIN_XML_SECURE | (side == CONNECTION_LIVE ? VIR_DOMAIN_XML_MIGRATABLE : 0);
    name = virDomainGetName(domain);
    /* If the domain does not run, libvirt would give the other definition. */
    if (side == CONNECTION_LIVE && virDomainIsActive(domain) != 1)
        return error_set(error, -ESRCH, "%s does not run any more", name);
    *ret = virDomainGetXMLDesc(domain, flags);
    return *ret ? 0 : libvirt_fail(error, -EIO, "cannot read the XML of %s", name);
}

int
libvirt_domain_define(virConnectPtr libvirt, const char *text, struct error *error)
{
    AUTO(libvirt_free_domain) virDomainPtr domain = virDomainDefineXML(libvirt, text);

    return domain ? 0 : libvirt_fail(error, -EIO, "libvirt does not take the new definition");
}

int
libvirt_domain_start(virConnectPtr libvirt, const char *uuid, struct error *error)
{
    AUTO(libvirt_free_domain) virDomainPtr domain = libvirt_domain_by_uuid(libvirt, uuid, error);
    const char *name;

    if (!domain)
        return -EIO;
    name = virDomainGetName(domain);
    return virDomainCreate(domain) < 0 ? libvirt_fail(error, -EIO, "%s does not start", name) : 0;
}

int
libvirt_domain_shut_down(virConnectPtr libvirt, const char *uuid, struct error *error)
{
    AUTO(libvirt_free_domain) virDomainPtr domain = libvirt_domain_by_uuid(libvirt, uuid, error);

    if (!domain)
        return -EIO;
    return virDomainShutdown(domain) < 0
               ? libvirt_fail(error, -EIO, "libvirt does not ask it to shut down")
               : 0;
}

int
libvirt_domain_attach(virConnectPtr libvirt, const char *uuid, const char *device,
                      struct error *error)
{
    AUTO(libvirt_free_domain) virDomainPtr domain = libvirt_domain_by_uuid(libvirt, uuid, error);

    if (!domain)
        return -EIO;
    if (virDomainAttachDeviceFlags(domain, device, VIR_DOMAIN_AFFECT_LIVE) < 0)
        return libvirt_fail(error, -EIO, "libvirt does not plug it in");
    return 0;
}

/* Whether the guest was asked before. For some seconds after the first time, QEMU answers with
 * these words. */
static bool
was_asked_already(void)
{
    return strstr(virGetLastErrorMessage(), "already in the process of unplug");
}

int
libvirt_domain_detach(virConnectPtr libvirt, const char *uuid, const char *alias,
                      struct error *error)
{
    AUTO(libvirt_free_domain) virDomainPtr domain = libvirt_domain_by_uuid(libvirt, uuid, error);
    const char *name;

    if (!domain)
        return -EIO;
    name = virDomainGetName(domain);
    if (virDomainDetachDeviceAlias(domain, alias, VIR_DOMAIN_AFFECT_LIVE) < 0 &&
        !was_asked_already())
        return libvirt_fail(error, -EIO, "libvirt does not unplug %s from %s", alias, name);
    return 0;
}

int
libvirt_domain_set_annotation(virConnectPtr libvirt, const char *uuid, const char *annotation,
                              struct error *error)
{
    AUTO(libvirt_free_domain) virDomainPtr domain = libvirt_domain_by_uuid(libvirt, uuid, error);
    const char *name;

    if (!domain)
        return -EIO;
    name = virDomainGetName(domain);
    if (virDomainSetMetadata(domain, VIR_DOMAIN_METADATA_ELEMENT, annotation,
                             annotation ? "vgpu" : NULL, REQUEST_NAMESPACE,
                             VIR_DOMAIN_AFFECT_LIVE) < 0)
        return libvirt_fail(error, -EIO, "cannot write what is asked for into the XML of %s", name);
    return 0;
}
