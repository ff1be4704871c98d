/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "domain/hostdev.h"
#include "base/array.h"

#include <stdio.h>
#include <string.h>

#define MOST_HOSTDEVS 256

int
hostdev_open(struct request *request, const struct annotation_attributes *attributes)
{
    struct request_hostdev hostdev = {
        .line = request->line,
        .is_managed = annotation_attribute_is(attributes, "managed", "yes"),
        .has_display = annotation_attribute_is(attributes, "display", "on") ||
                       annotation_attribute_is(attributes, "ramfb", "on"),
        .tag_span = span_of_attributes(attributes, "hostdev"),
        .device = SIZE_MAX,
    };

    if (!annotation_attribute_is(attributes, "mode", "subsystem"))
        return 0;
    if (annotation_attribute_is(attributes, "type", "mdev")) {
        hostdev.kind = REQUEST_MDEV;
        hostdev.is_gpu = annotation_attribute_is(attributes, "model", "vfio-pci");
    } else if (annotation_attribute_is(attributes, "type", "pci")) {
        hostdev.kind = REQUEST_PCI;
    } else {
        return 0;
    }
    return ARRAY_TRY_ADD(request->hostdevs, request->hostdev_count, hostdev) < 0 ? -ENOMEM : 1;
}

int
hostdev_close(const struct request_hostdev *hostdev, size_t *ours)
{
    if (hostdev->kind == REQUEST_MDEV && !*hostdev->source.text)
        return -EINVAL;
    *ours += hostdev->kind == REQUEST_MDEV || hostdev->is_gpu;
    return *ours > MOST_HOSTDEVS ? -E2BIG : 0;
}

/* Reads a number as virStrToLong_uip does with base 0; 0 if the attribute is not there. */
static int
read_part(const struct annotation_attributes *attributes, const char *name, unsigned *ret)
{
    AUTO_FREE char *text = annotation_copy_attribute(attributes, name);
    unsigned long number;
    char *end;

    *ret = 0;
    if (!text)
        return 0;
    if (*text < '0' || *text > '9')
        return -EINVAL;
    number = strtoul(text, &end, 0);
    *ret = (unsigned)number;
    return *end || number > UINT32_MAX ? -EINVAL : 0;
}

int
hostdev_read_pci(const struct annotation_attributes *attributes, struct name *ret)
{
    unsigned parts[NAME_PCI_PARTS];
    int rc = 0;

    for (size_t i = 0; i < NAME_PCI_PARTS && rc == 0; i++)
        rc = read_part(attributes, name_pci_parts[i], &parts[i]);
    return rc < 0 ? rc : name_join_pci(ret, parts);
}

int
hostdev_open_address(struct request_hostdev *hostdev,
                     const struct annotation_attributes *attributes)
{
    AUTO_FREE char *uuid = NULL;

    if (hostdev->has_address)
        return 0;
    hostdev->has_address = true;
    hostdev->address_span = span_of_attributes(attributes, "address");
    if (hostdev->kind == REQUEST_PCI) {
        if (hostdev_read_pci(attributes, &hostdev->source) < 0)
            hostdev->source = (struct name){0};
        return 0;
    }
    uuid = annotation_copy_attribute(attributes, "uuid");
    if (!uuid || name_parse_uuid(&hostdev->source, uuid) < 0)
        return -EINVAL;
    hostdev->uuid_span = span_of_value(attributes, "uuid");
    return 0;
}

void
hostdev_open_alias(struct request_hostdev *hostdev, const struct annotation_attributes *attributes)
{
    static const char users[] = "ua-"; /* libvirt makes up all other aliases */

    if (hostdev->alias)
        return;
    hostdev->alias = annotation_copy_attribute(attributes, "name");
    if (hostdev->kind == REQUEST_PCI && hostdev->alias)
        hostdev->is_gpu = !strncmp(hostdev->alias, users, strlen(users));
}

void
hostdev_format(enum request_kind kind, const struct name *source, bool is_managed,
               struct hostdev_text *ret)
{
    unsigned parts[NAME_PCI_PARTS];

    if (kind == REQUEST_MDEV) {
        snprintf(ret->hostdev, sizeof(ret->hostdev),
                 " mode='subsystem' type='mdev' managed='no' model='vfio-pci'");
        snprintf(ret->address, sizeof(ret->address), " uuid='%s'", source->text);
        return;
    }
    snprintf(ret->hostdev, sizeof(ret->hostdev), " mode='subsystem' type='pci' managed='%s'",
             is_managed ? "yes" : "no");
    if (name_split_pci(source, parts) == 0)
        snprintf(ret->address, sizeof(ret->address),
                 " domain='0x%04x' bus='0x%02x' slot='0x%02x' function='0x%x'", parts[0], parts[1],
                 parts[2], parts[3]);
}
