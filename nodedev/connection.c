/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "connection.h"
#include "array.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <stdio.h>
#include <string.h>

struct connection {
    virConnectPtr libvirt;
};

/* libvirt's habit is to print its errors. */
static void
say_nothing(void *data, virErrorPtr error)
{
    (void)data;
    (void)error;
}

static int FORMAT(3, 4) fail(struct error *error, int code, const char *format, ...)
{
    const char *why = virGetLastErrorMessage();
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return error_set(error, code, "%s: %s", text, why);
}

int
connection_open(const char *uri, enum connection_mode mode, struct connection **ret,
                struct error *error)
{
    struct connection *connection = calloc(1, sizeof(*connection));

    *ret = connection;
    if (!connection)
        return error_set(error, -ENOMEM, "no memory");
    virSetErrorFunc(NULL, say_nothing);
    if (virInitialize() == 0)
        connection->libvirt =
            mode == CONNECTION_READ ? virConnectOpenReadOnly(uri) : virConnectOpen(uri);
    return connection->libvirt ? 0 : fail(error, -ENOTCONN, "cannot connect to %s", uri);
}

void
connection_close(struct connection **connection)
{
    if (!*connection)
        return;
    if ((*connection)->libvirt)
        virConnectClose((*connection)->libvirt);
    free(*connection);
    *connection = NULL;
}

static void
free_xml(char **xml)
{
    free(*xml);
}

static bool
is_gone(void)
{
    return virGetLastErrorCode() == VIR_ERR_NO_DOMAIN;
}

/* One definition of a domain. One that went meanwhile has none; one that cannot be read may refer
 * to anything. */
static void
read_definition(virDomainPtr libvirt, const char *name, unsigned flags, struct request *request,
                struct domains *ret)
{
    AUTO(free_xml) char *xml = virDomainGetXMLDesc(libvirt, flags);
    struct document document = {.text = xml, .length = xml ? strlen(xml) : 0};
    struct error error;

    if (!xml && is_gone())
        return;
    if (!xml)
        fail(&error, -EIO, "cannot read the domain %s", name);
    else if (request_parse(&document, request, &error) == 0)
        return;
    else
        error_wrap(&error, "cannot read the domain %s", name);
    if (ret->complete)
        ret->problem = error;
    ret->complete = false;
}

static int
read_domain(virDomainPtr libvirt, struct domains *ret)
{
    char uuid[VIR_UUID_STRING_BUFLEN];
    struct domain domain = {
        .is_running = virDomainIsActive(libvirt) == 1,
        .is_persistent = virDomainIsPersistent(libvirt) == 1,
    };
    struct domain *added;

    if (virDomainGetUUIDString(libvirt, uuid) < 0 || name_parse_uuid(&domain.uuid, uuid) < 0)
        return 0;
    domain.name = strdup(virDomainGetName(libvirt));
    if (!domain.name || ARRAY_ADD(ret->items, ret->count, domain) < 0) {
        free(domain.name);
        return -ENOMEM;
    }
    added = &ret->items[ret->count - 1];
    /* A transient one that is neither yet is just being started. */
    if (domain.is_running || !domain.is_persistent)
        read_definition(libvirt, added->name, 0, &added->live, ret);
    if (domain.is_persistent)
        read_definition(libvirt, added->name, VIR_DOMAIN_XML_INACTIVE, &added->config, ret);
    return 0;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const struct domain *)a)->name, ((const struct domain *)b)->name);
}

int
connection_domains(struct connection *connection, struct domains *ret, struct error *error)
{
    virDomainPtr *all = NULL;
    int count = virConnectListAllDomains(connection->libvirt, &all, 0);
    int rc = 0;

    *ret = (struct domains){.complete = true};
    if (count < 0)
        return fail(error, -EIO, "cannot list the domains");
    for (int i = 0; i < count; i++) {
        if (rc == 0)
            rc = read_domain(all[i], ret);
        virDomainFree(all[i]);
    }
    free(all);
    if (rc < 0)
        return error_set(error, rc, "no memory");
    if (ret->count)
        qsort(ret->items, ret->count, sizeof(*ret->items), by_name);
    return 0;
}
