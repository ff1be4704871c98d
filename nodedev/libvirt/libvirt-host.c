/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/libvirt-library.h"

#include <stdio.h>
#include <string.h>

static int
compare_uuids(const void *left, const void *right)
{
    unsigned char a[VIR_UUID_BUFLEN] = {0}, b[VIR_UUID_BUFLEN] = {0};

    (void)virDomainGetUUID(*(const virDomainPtr *)left, a);
    (void)virDomainGetUUID(*(const virDomainPtr *)right, b);
    return memcmp(a, b, sizeof(a));
}

/* Reads one domain, unless the domain has gone meanwhile. A transient domain that does not run is
 * just being started. */
static int
read_domain(virDomainPtr domain, bool is_persistent, connection_reader *read, void *data)
{
    AUTO_FREE char *live = NULL;
    AUTO_FREE char *config = NULL;
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

/* One list tells which domains run, and another list which are persistent. To ask for each domain
 * would take two more calls for each, and another host may be far away. */
int
libvirt_host_each_domain(virConnectPtr libvirt, connection_reader *read, void *data,
                         struct error *error)
{
    AUTO(domain_list_clear) struct domain_list persistent = {0};
    AUTO(domain_list_clear) struct domain_list list = {0};
    int rc = domain_list_get(libvirt, VIR_CONNECT_LIST_DOMAINS_PERSISTENT, &persistent, error);

    if (rc == 0)
        rc = domain_list_get(libvirt, 0, &list, error);
    if (rc == 0)
        qsort(persistent.items, (size_t)persistent.count, sizeof(virDomainPtr), compare_uuids);
    for (int i = 0; rc == 0 && i < list.count; i++) {
        bool is_persistent = bsearch(&list.items[i], persistent.items, (size_t)persistent.count,
                                     sizeof(virDomainPtr), compare_uuids);

        rc = read_domain(list.items[i], is_persistent, read, data);
        if (rc < 0)
            error_set(error, rc, "cannot read the domains: %s", strerror(-rc));
    }
    return rc;
}

struct teller {
    connection_listener *listen;
    void *data;
    int rc; /* of the first word that `listen` refused */
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

/* Values that libvirt does not tell are 0 or empty. The capabilities are not asked for: libvirt
 * might start every QEMU on that host to find out what it can do. */
static void
tell_host(virConnectPtr libvirt, struct teller *teller)
{
    virNodeDevicePtr computer = virNodeDeviceLookupByName(libvirt, "computer");
    AUTO_FREE char *xml = computer ? virNodeDeviceGetXMLDesc(computer, 0) : NULL;
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
    virNodeDevicePtr *items; /* the last item is NULL */
};

static void
free_devices(struct devices *devices)
{
    for (size_t i = 0; devices->items && devices->items[i]; i++)
        virNodeDeviceFree(devices->items[i]);
    free(devices->items);
}

/* Since 7.3 libvirt also lists devices that are only defined. An older libvirt refuses the flag
 * that leaves those out. */
static int
list_devices(virConnectPtr libvirt, unsigned flags, struct devices *ret)
{
    int count = virConnectListAllNodeDevices(libvirt, &ret->items,
                                             flags | VIR_CONNECT_LIST_NODE_DEVICES_ACTIVE);

    return count < 0 && virGetLastErrorCode() == VIR_ERR_INVALID_ARG
               ? virConnectListAllNodeDevices(libvirt, &ret->items, flags)
               : count;
}

/* Tells one device. A device that has gone meanwhile is left out, and so is one whose XML does not
 * contain `only_with`. */
static void
tell_device(virNodeDevicePtr device, const char *only_with, struct teller *teller)
{
    AUTO_FREE char *xml = virNodeDeviceGetXMLDesc(device, 0);

    if (!xml || !strstr(xml, only_with))
        return;
    tell(teller, "device");
    tell(teller, xml);
}

/* A GPU that has virtual functions is function 0 of its slot ("pci_0000_3d_00_0"). Only such
 * devices are read. Each one is a question to another host, and a server has hundreds of
 * devices. */
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

int
libvirt_host_tell(virConnectPtr libvirt, enum connection_scope scope, connection_listener *listen,
                  void *data, struct error *error)
{
    struct teller teller = {.listen = listen, .data = data};
    int rc = 0;

    tell_host(libvirt, &teller);
    /* Domains come last. Then each vGPU that a domain has was listed before. */
    if (tell_devices(libvirt, &teller) < 0)
        return libvirt_fail(error, -EIO, "cannot list the node devices");
    if (scope == CONNECTION_ALL)
        rc = libvirt_host_each_domain(libvirt, tell_domain, &teller, error);
    if (rc < 0)
        return rc;
    return teller.rc < 0 ? error_set(error, teller.rc, "%s", strerror(-teller.rc)) : 0;
}
