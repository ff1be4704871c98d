/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "domain/hostdev.h"
#include "base/array.h"
#include "base/shell-word.h"
#include "base/suggest.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdio.h>
#include <string.h>

/* --- where the parser's values stand in the document ------------------------------------------ */

static const struct document_span unknown;

/* How many bytes of the document the parser has read; 0: not known. */
static size_t
find_end(const struct annotation_attributes *attributes)
{
    long end = xmlByteConsumed(attributes->xml);

    if (end < 0)
        return 0;
    return (size_t)end < attributes->document->length ? (size_t)end : 0;
}

/*
 * The value points into the parser's copy of the document. Its distance from the parser's position
 * is the same in the document. A value that the parser had to put together lies outside of the
 * copy.
 */
struct document_span
span_of_value(const struct annotation_attributes *attributes, const char *name)
{
    const struct document *document = attributes->document;
    const xmlParserInput *input = attributes->xml->input;
    struct document_span span = {0};
    const char *value = annotation_find_value(attributes, name, &span.length);
    size_t end = find_end(attributes), back;

    if (!value || value < (const char *)input->base || value >= (const char *)input->cur)
        return unknown;
    back = (size_t)((const char *)input->cur - value);
    if (back >= end)
        return unknown;
    span.offset = end - back;
    if (memcmp(document->text + span.offset, value, span.length) ||
        document->text[span.offset - 1] != document->text[span.offset + span.length] ||
        !strchr("'\"", document->text[span.offset - 1]))
        return unknown;
    return span;
}

/* All attributes of the element, from the end of its name to the end of the last attribute. The tag
 * begins at the last "<" before its end, because a tag of well-formed XML has no other. */
static struct document_span
span_of_attributes(const struct annotation_attributes *attributes, const char *element)
{
    const struct document *document = attributes->document;
    size_t end = find_end(attributes), start = end, length = strlen(element);

    if (end == 0 || !strchr("/>", document->text[end]))
        return unknown;
    while (start > 0 && document->text[start - 1] != '<')
        start--;
    if (start == 0 || end - start < length || memcmp(document->text + start, element, length))
        return unknown;
    start += length;
    while (end > start && strchr(" \t\r\n", document->text[end - 1]))
        end--;
    return (struct document_span){start, end - start};
}

/* --- the element ------------------------------------------------------------------------------ */

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

/* Whether it may be a vGPU. A document has few of these, and any number of others. */
static bool
may_be_ours(const struct request_hostdev *hostdev)
{
    return hostdev->kind == REQUEST_MDEV || hostdev->is_gpu;
}

int
hostdev_close(const struct request_hostdev *hostdev, size_t *ours)
{
    if (hostdev->kind == REQUEST_MDEV && !*hostdev->source.text)
        return -EINVAL;
    *ours += may_be_ours(hostdev);
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

/* --- links ------------------------------------------------------------------------------------ */

static void FORMAT(3, 4) fault(struct request *request, unsigned line, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    request_add_fault(request, (struct request_fault){.line = line, .is_of_links = true}, format,
                      args);
    va_end(args);
}

static bool
names_hostdev(const struct request_device *device, const struct request_hostdev *hostdev)
{
    struct name uuid;

    if (device->alias)
        return hostdev->alias && !strcmp(device->alias, hostdev->alias);
    return device->uuid && name_parse_uuid(&uuid, device->uuid) == 0 &&
           name_equal(&uuid, &hostdev->source);
}

static size_t
count_mdevs(const struct request *request)
{
    size_t count = 0;

    for (size_t i = 0; i < request->hostdev_count; i++)
        count += request->hostdevs[i].kind == REQUEST_MDEV;
    return count;
}

static void
link_hostdev(struct request *request, size_t index, struct request_hostdev *hostdev)
{
    const char *label = hostdev->alias ? hostdev->alias : hostdev->source.text;

    if (hostdev->device != SIZE_MAX)
        fault(request, request->devices[index].line,
              "two <vgpu:device> name the hostdev %s: take one out", label);
    if (hostdev->kind == REQUEST_PCI && *hostdev->source.text)
        hostdev->is_gpu = true;
    else if (hostdev->kind == REQUEST_PCI)
        fault(request, hostdev->line,
              "a <vgpu:device> names the hostdev %s, and the <address> in its <source> is no "
              "PCI address: write it as <address domain='0x0000' bus='0x3d' slot='0x00' "
              "function='0x4'/>",
              label);
    else if (!hostdev->is_gpu)
        fault(request, hostdev->line,
              "a <vgpu:device> names the hostdev %s, which is no GPU's: write "
              "model='vfio-pci', or take the <vgpu:device> out",
              label);
    hostdev->device = index;
}

/* Records that the alias or uuid of a <vgpu:device> names no hostdev. */
static void
miss_hostdev(struct request *request, const struct request_device *device)
{
    const char *key = device->alias ? device->alias : device->uuid;
    struct suggest suggest = SUGGEST(key);

    for (size_t i = 0; i < request->hostdev_count && request->fault_count < REQUEST_MOST_FAULTS;
         i++) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];

        if (device->alias && hostdev->alias && may_be_ours(hostdev) &&
            !ARRAY_HAS(request->devices, request->device_count, other,
                       names_hostdev(other, hostdev)))
            suggest_offer(&suggest, hostdev->alias);
    }
    if (!device->alias)
        fault(request, device->line,
              "<vgpu:device uuid=\"%s\"> names no <hostdev> of type mdev: add that, or take "
              "the <vgpu:device> out",
              key);
    else if (!request_keeps_alias(key))
        fault(request, device->line,
              "<vgpu:device alias=\"%s\"> names no <hostdev> of type mdev or pci: libvirt "
              "drops aliases that do not begin with ua-; call it ua-%s in both",
              key, key);
    else
        fault(request, device->line,
              "<vgpu:device alias=\"%s\"> names no <hostdev> of type mdev or pci%s: give one "
              "the <alias name='%s'/>, or take the <vgpu:device> out with 'vgpuctl detach %s %s'",
              key, suggest_text(&suggest).text, key, shell_word(request->name).text,
              shell_word(key).text);
}

static void
link_device(struct request *request, size_t index)
{
    const struct request_device *device = &request->devices[index];
    const char *key = device->alias ? device->alias : device->uuid;
    size_t mdevs = count_mdevs(request);
    /* A <vgpu:device> without alias and uuid means the only mediated hostdev. A virtual function
     * needs an alias. */
    bool is_alone = request->device_count == 1 && mdevs == 1;

    for (size_t i = 0; i < request->hostdev_count; i++) {
        struct request_hostdev *hostdev = &request->hostdevs[i];

        if (key ? names_hostdev(device, hostdev) : is_alone && hostdev->kind == REQUEST_MDEV)
            return link_hostdev(request, index, hostdev);
    }
    if (key)
        return miss_hostdev(request, device);
    fault(request, device->line,
          "<vgpu:device> has neither alias nor uuid, and the domain has %zu <vgpu:device> and "
          "%zu <hostdev type='mdev'>: name the one that is meant by alias=",
          request->device_count, mdevs);
}

void
hostdevs_link(struct request *request)
{
    for (size_t i = 0; i < request->device_count; i++)
        link_device(request, i);
    for (size_t i = 0; i < request->hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];

        /* Compare only hostdevs that can be vGPUs. There may be any number of others. */
        for (size_t k = 0; hostdev->is_gpu && *hostdev->source.text && k < i; k++) {
            if (name_equal(&hostdev->source, &request->hostdevs[k].source))
                fault(request, hostdev->line,
                      "two <hostdev> have the %s %s: give one of them another",
                      hostdev->kind == REQUEST_MDEV ? "uuid" : "address", hostdev->source.text);
        }
    }
}
