/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/connection-calls.h"
#include "base/array.h"
#include "base/suggest.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <stdio.h>
#include <string.h>

/* libvirt's habit is to print its errors. */
static void
say_nothing(void *data, virErrorPtr error)
{
    (void)data;
    (void)error;
}

/* Whether libvirt, or the kernel in front of its socket, does not let us. */
static bool
was_denied(void)
{
    const virError *last = virGetLastError();

    switch (last ? last->code : VIR_ERR_OK) {
    case VIR_ERR_ACCESS_DENIED:
    case VIR_ERR_AUTH_CANCELLED:
    case VIR_ERR_AUTH_FAILED:
    case VIR_ERR_AUTH_UNAVAILABLE:
        return true;
    case VIR_ERR_SYSTEM_ERROR:
        return last->int1 == EACCES;
    default:
        return false;
    }
}

static int FORMAT(3, 4) fail(struct error *error, int code, const char *format, ...)
{
    const char *why = virGetLastErrorMessage();
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    error_set(error, code, "%s: %s", text, why);
    error->is_denied = was_denied();
    return code;
}

static int
open_libvirt(const char *uri, enum connection_mode mode, virConnectPtr *ret, struct error *error)
{
    virSetErrorFunc(NULL, say_nothing);
    if (virInitialize() == 0)
        *ret = mode == CONNECTION_READ ? virConnectOpenReadOnly(uri) : virConnectOpen(uri);
    return *ret ? 0 : fail(error, -ENOTCONN, "cannot connect to %s", uri);
}

static void
close_libvirt(virConnectPtr libvirt)
{
    virConnectClose(libvirt);
}

/* Of a libvirt that runs QEMU's guests, 1000000 * major + 1000 * minor + release; else, or if it
 * does not say, 0. */
static unsigned
version_of(virConnectPtr libvirt)
{
    const char *type = virConnectGetType(libvirt);
    unsigned long version = 0;

    if (!type || strcmp(type, "QEMU") || virConnectGetLibVersion(libvirt, &version) < 0)
        return 0;
    return (unsigned)version;
}

static void
free_xml(char **xml)
{
    free(*xml);
}

struct domain_list {
    virDomainPtr *items;
    int count;
};

static void
free_domain_list(struct domain_list *list)
{
    for (int i = 0; i < list->count; i++)
        virDomainFree(list->items[i]);
    free(list->items);
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(virDomainGetName(*(const virDomainPtr *)a),
                  virDomainGetName(*(const virDomainPtr *)b));
}

/* By name: libvirt has no order of its own. */
static int
list_domains(virConnectPtr libvirt, unsigned flags, struct domain_list *ret, struct error *error)
{
    ret->count = virConnectListAllDomains(libvirt, &ret->items, flags);
    if (ret->count < 0)
        return fail(error, -EIO, "cannot list the domains");
    if (ret->count > 1)
        qsort(ret->items, (size_t)ret->count, sizeof(ret->items[0]), by_name);
    return 0;
}

static bool
domain_list_has(const struct domain_list *list, virDomainPtr domain)
{
    unsigned char uuid[VIR_UUID_BUFLEN], other[VIR_UUID_BUFLEN];

    if (virDomainGetUUID(domain, uuid) < 0)
        return false;
    for (int i = 0; i < list->count; i++) {
        if (virDomainGetUUID(list->items[i], other) == 0 && !memcmp(uuid, other, sizeof(uuid)))
            return true;
    }
    return false;
}

/* Reads one domain, unless it went meanwhile. A transient one that does not run is just being
 * started. */
static int
read_domain(virDomainPtr domain, bool is_persistent, connection_reader *read, void *data)
{
    AUTO(free_xml) char *live = NULL;
    AUTO(free_xml) char *config = NULL;
    char uuid[VIR_UUID_STRING_BUFLEN];
    struct domain_text text = {
        .uuid = uuid,
        .name = virDomainGetName(domain),
        .is_running = virDomainGetID(domain) != (unsigned)-1,
        .is_persistent = is_persistent,
    };

    virResetLastError();
    if (text.is_running || !text.is_persistent)
        text.live = live = virDomainGetXMLDesc(domain, 0);
    if (text.is_persistent)
        text.config = config = virDomainGetXMLDesc(domain, VIR_DOMAIN_XML_INACTIVE);
    text.failure = virGetLastErrorMessage();
    if (virGetLastErrorCode() == VIR_ERR_NO_DOMAIN || virDomainGetUUIDString(domain, uuid) < 0)
        return 0;
    return read(data, &text);
}

/* Which of them run, the list tells, and another which are persistent: to ask each for it would be
 * two more calls for each, and another host may be far away. */
static int
each_domain(virConnectPtr libvirt, connection_reader *read, void *data, struct error *error)
{
    AUTO(free_domain_list) struct domain_list persistent = {0};
    AUTO(free_domain_list) struct domain_list list = {0};
    int rc = list_domains(libvirt, VIR_CONNECT_LIST_DOMAINS_PERSISTENT, &persistent, error);

    if (rc == 0)
        rc = list_domains(libvirt, 0, &list, error);
    for (int i = 0; rc == 0 && i < list.count; i++) {
        rc = read_domain(list.items[i], domain_list_has(&persistent, list.items[i]), read, data);
        if (rc < 0)
            error_set(error, rc, "cannot read the domains: %s", strerror(-rc));
    }
    return rc;
}

struct teller {
    connection_listener *listen;
    void *data;
    int rc; /* of the first word that was not heard */
};

static void
tell(struct teller *teller, const char *word)
{
    if (teller->rc == 0)
        teller->rc = teller->listen(teller->data, word ? word : "");
}

static void
tell_number(struct teller *teller, unsigned long number)
{
    char text[32];

    snprintf(text, sizeof(text), "%lu", number);
    tell(teller, text);
}

/* What some libvirt does not tell is 0, or empty. Its capabilities are not asked for: it may start
 * every QEMU that it has to find out what that can do. */
static void
tell_host(virConnectPtr libvirt, struct teller *teller)
{
    virNodeDevicePtr computer = virNodeDeviceLookupByName(libvirt, "computer");
    AUTO(free_xml) char *xml = computer ? virNodeDeviceGetXMLDesc(computer, 0) : NULL;
    unsigned long own = 0, hypervisor = 0;

    if (computer)
        virNodeDeviceFree(computer);
    if (virConnectGetLibVersion(libvirt, &own) < 0)
        own = 0;
    if (virConnectGetVersion(libvirt, &hypervisor) < 0)
        hypervisor = 0;
    tell(teller, "host");
    tell(teller, virConnectGetType(libvirt));
    tell_number(teller, own);
    tell_number(teller, hypervisor);
    tell(teller, xml);
}

struct devices {
    virNodeDevicePtr *items; /* ends with NULL */
};

static void
free_devices(struct devices *devices)
{
    for (size_t i = 0; devices->items && devices->items[i]; i++)
        virNodeDeviceFree(devices->items[i]);
    free(devices->items);
}

/* Since 7.3 libvirt also has devices that are only defined; one that knows none of those refuses
 * to be told not to list them. */
static int
list_devices(virConnectPtr libvirt, unsigned flags, struct devices *ret)
{
    int count = virConnectListAllNodeDevices(libvirt, &ret->items,
                                             flags | VIR_CONNECT_LIST_NODE_DEVICES_ACTIVE);

    return count < 0 && virGetLastErrorCode() == VIR_ERR_INVALID_ARG
               ? virConnectListAllNodeDevices(libvirt, &ret->items, flags)
               : count;
}

/* What went away since it was listed is not told, nor what has not this word in it. */
static void
tell_device(virNodeDevicePtr device, const char *only_with, struct teller *teller)
{
    AUTO(free_xml) char *xml = virNodeDeviceGetXMLDesc(device, 0);

    if (!xml || !strstr(xml, only_with))
        return;
    tell(teller, "device");
    tell(teller, xml);
}

/* A GPU that has virtual functions is function 0 of its slot ("pci_0000_3d_00_0"). Each device
 * asked for is a question to another host, and a server has hundreds. */
static bool
may_have_functions(virNodeDevicePtr device, const struct devices *told)
{
    const char *name = virNodeDeviceGetName(device);
    size_t length = name ? strlen(name) : 0;

    for (size_t i = 0; length && told->items && told->items[i]; i++) {
        const char *other = virNodeDeviceGetName(told->items[i]);

        if (other && !strcmp(other, name))
            return false;
    }
    return length > 2 && !strcmp(name + length - 2, "_0");
}

static int
tell_devices(virConnectPtr libvirt, struct teller *teller)
{
    AUTO(free_devices) struct devices vgpus = {0};
    AUTO(free_devices) struct devices others = {0};

    if (list_devices(libvirt,
                     VIR_CONNECT_LIST_NODE_DEVICES_CAP_MDEV_TYPES |
                         VIR_CONNECT_LIST_NODE_DEVICES_CAP_MDEV,
                     &vgpus) < 0 ||
        list_devices(libvirt, VIR_CONNECT_LIST_NODE_DEVICES_CAP_PCI_DEV, &others) < 0)
        return -1;
    for (size_t i = 0; vgpus.items && vgpus.items[i]; i++)
        tell_device(vgpus.items[i], "", teller);
    for (size_t i = 0; others.items && others.items[i]; i++) {
        if (may_have_functions(others.items[i], &vgpus))
            tell_device(others.items[i], "virt_functions", teller);
    }
    return 0;
}

static int
tell_domain(void *data, const struct domain_text *text)
{
    const char *const words[] = {
        "domain",
        text->uuid,
        text->name,
        text->is_running ? "running" : "",
        text->is_persistent ? "defined" : "",
        text->live,
        text->config,
    };

    for (size_t i = 0; i < COUNT(words); i++)
        tell(data, words[i]);
    return 0;
}

static int
tell_all(virConnectPtr libvirt, enum connection_scope scope, connection_listener *listen,
         void *data, struct error *error)
{
    struct teller teller = {.listen = listen, .data = data};
    int rc = 0;

    tell_host(libvirt, &teller);
    /* Domains last: a vGPU that one of them has was there before. */
    if (tell_devices(libvirt, &teller) < 0)
        return fail(error, -EIO, "cannot list the node devices");
    if (scope == CONNECTION_ALL)
        rc = each_domain(libvirt, tell_domain, &teller, error);
    if (rc < 0)
        return rc;
    return teller.rc < 0 ? error_set(error, teller.rc, "%s", strerror(-teller.rc)) : 0;
}

/* --- changing one domain --------------------------------------------------------------------- */

static void
free_domain(virDomainPtr *domain)
{
    if (*domain)
        virDomainFree(*domain);
}

static int
fail_to_find(virConnectPtr libvirt, const char *word, struct error *error)
{
    AUTO(free_domain_list) struct domain_list list = {0};
    struct suggest suggest = SUGGEST(word);
    int rc = list_domains(libvirt, 0, &list, error);

    if (rc < 0)
        return rc;
    for (int i = 0; i < list.count; i++)
        suggest_offer(&suggest, virDomainGetName(list.items[i]));
    return error_set(error, -ENOENT, "there is no domain \"%s\"%s%s", word,
                     suggest_text(&suggest).text, suggest.best ? "" : "; see 'virsh list --all'");
}

static int
find(virConnectPtr libvirt, const char *word, struct connection_domain *ret, struct error *error)
{
    AUTO(free_domain) virDomainPtr domain = virDomainLookupByName(libvirt, word);
    char uuid[VIR_UUID_STRING_BUFLEN];

    *ret = (struct connection_domain){0};
    if (!domain && name_parse_uuid(&ret->uuid, word) == 0)
        domain = virDomainLookupByUUIDString(libvirt, ret->uuid.text);
    if (!domain)
        return fail_to_find(libvirt, word, error);
    if (virDomainGetUUIDString(domain, uuid) < 0 || name_parse_uuid(&ret->uuid, uuid) < 0)
        return fail(error, -EIO, "the UUID of %s", word);
    snprintf(ret->name, sizeof(ret->name), "%s", virDomainGetName(domain));
    ret->is_running = virDomainIsActive(domain) == 1;
    ret->is_persistent = virDomainIsPersistent(domain) == 1;
    ret->is_saved = virDomainHasManagedSaveImage(domain, 0) == 1;
    return 0;
}

static int
find_by_uuid(virConnectPtr libvirt, const char *uuid, virDomainPtr *ret, struct error *error)
{
    *ret = virDomainLookupByUUIDString(libvirt, uuid);
    return *ret ? 0 : fail(error, -EIO, "the domain %s", uuid);
}

static int
xml(virConnectPtr libvirt, const char *uuid, enum connection_side side, bool secrets, char **ret,
    struct error *error)
{
    AUTO(free_domain) virDomainPtr domain = NULL;
    unsigned flags = (side == CONNECTION_CONFIG ? VIR_DOMAIN_XML_INACTIVE : 0) |
                     (secrets ? VIR_DOMAIN_XML_SECURE : 0);
    int rc = find_by_uuid(libvirt, uuid, &domain, error);

    if (rc < 0)
        return rc;
    /* libvirt would give the other one then. */
    if (side == CONNECTION_LIVE && virDomainIsActive(domain) != 1)
        return error_set(error, -ESRCH, "%s does not run any more", virDomainGetName(domain));
    *ret = virDomainGetXMLDesc(domain, flags);
    return *ret ? 0 : fail(error, -EIO, "cannot read the XML of %s", virDomainGetName(domain));
}

static int
define(virConnectPtr libvirt, const char *text, struct error *error)
{
    AUTO(free_domain) virDomainPtr domain = virDomainDefineXML(libvirt, text);

    return domain ? 0 : fail(error, -EIO, "libvirt does not take the new definition");
}

static int
start(virConnectPtr libvirt, const char *uuid, struct error *error)
{
    AUTO(free_domain) virDomainPtr domain = NULL;
    int rc = find_by_uuid(libvirt, uuid, &domain, error);

    if (rc < 0)
        return rc;
    return virDomainCreate(domain) < 0
               ? fail(error, -EIO, "%s does not start", virDomainGetName(domain))
               : 0;
}

static int
attach(virConnectPtr libvirt, const char *uuid, const char *device, struct error *error)
{
    AUTO(free_domain) virDomainPtr domain = NULL;
    int rc = find_by_uuid(libvirt, uuid, &domain, error);

    if (rc < 0)
        return rc;
    if (virDomainAttachDeviceFlags(domain, device, VIR_DOMAIN_AFFECT_LIVE) < 0)
        return fail(error, -EIO, "libvirt does not plug it in");
    return 0;
}

/* QEMU says so for some seconds after a guest was asked for the first time. */
static bool
was_asked_already(void)
{
    return strstr(virGetLastErrorMessage(), "already in the process of unplug");
}

static int
detach(virConnectPtr libvirt, const char *uuid, const char *alias, struct error *error)
{
    AUTO(free_domain) virDomainPtr domain = NULL;
    int rc = find_by_uuid(libvirt, uuid, &domain, error);

    if (rc < 0)
        return rc;
    if (virDomainDetachDeviceAlias(domain, alias, VIR_DOMAIN_AFFECT_LIVE) < 0 &&
        !was_asked_already())
        return fail(error, -EIO, "libvirt does not unplug %s from %s", alias,
                    virDomainGetName(domain));
    return 0;
}

static int
set_annotation(virConnectPtr libvirt, const char *uuid, const char *annotation, struct error *error)
{
    AUTO(free_domain) virDomainPtr domain = NULL;
    int rc = find_by_uuid(libvirt, uuid, &domain, error);

    if (rc < 0)
        return rc;
    if (virDomainSetMetadata(domain, VIR_DOMAIN_METADATA_ELEMENT, annotation,
                             annotation ? "vgpu" : NULL, REQUEST_NAMESPACE,
                             VIR_DOMAIN_AFFECT_LIVE) < 0)
        return fail(error, -EIO, "cannot write what is asked for into the XML of %s",
                    virDomainGetName(domain));
    return 0;
}

const struct connection_calls connection_calls __attribute__((visibility("default"))) = {
    .version = VGPU_VERSION,
    .size = CONNECTION_CALLS_SIZE,
    .open = open_libvirt,
    .close = close_libvirt,
    .version_of = version_of,
    .each_domain = each_domain,
    .tell = tell_all,
    .find = find,
    .define = define,
    .xml = xml,
    .start = start,
    .attach = attach,
    .detach = detach,
    .set_annotation = set_annotation,
};
