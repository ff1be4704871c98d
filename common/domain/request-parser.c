/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "domain/request-parser.h"
#include "base/array.h"
#include "base/host.h"
#include "domain/hostdev.h"
#include "domain/stream.h"

#include <libxml/parser.h>
#include <libxml/SAX2.h>
#include <libxml/parserInternals.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The elements that we know. */
enum place {
    OUTSIDE, /* anything else, and all below it */
    DOCUMENT,
    STATUS_DOCUMENT,
    STATUS,
    DOMAIN,
    NAME,
    UUID,
    METADATA,
    REQUEST,
    DEVICE,
    PARAM,
    DEVICES,
    HOSTDEV,
    SOURCE,
    ADDRESS,
    ALIAS,
    OTHER_DEVICE,
    OTHER_SOURCE,
    OTHER_ADDRESS,
    NUMATUNE,
    MEMORY,
    MEMNODE,
    VCPU,
    CPUTUNE,
    VCPUPIN,
};

struct request_reader {
    struct stream stream; /* must be first: the callbacks of stream.h get the same pointer */
    struct request *request;
    unsigned char places[STREAM_MOST_LEVELS + 2];
    size_t depth;
    char text[1024]; /* of <name> or <uuid> */
    size_t text_length;
    bool annotated;  /* a <vgpu:request> has been seen */
    bool in_hostdev; /* the parser is in a <hostdev>, the last one of the request */
    size_t hostdevs; /* number of <hostdev> so far, kept or not */
    size_t our_hostdevs;
};

static void
open_status(struct request_reader *reader, const struct annotation_attributes *attributes)
{
    AUTO_FREE char *pid = annotation_copy_attribute(attributes, "pid");
    uint64_t number;

    if (pid && host_parse_number(pid, &number) == 0 && number <= INT_MAX)
        reader->request->pid = (int)number;
}

static void
open_text(struct request_reader *reader, const struct annotation_attributes *attributes)
{
    (void)attributes;
    reader->text_length = 0;
}

static void
open_request(struct request_reader *reader, const struct annotation_attributes *attributes)
{
    if (reader->annotated)
        annotation_fault(reader->request, "a second <vgpu:request>: put all devices into one");
    reader->annotated = true;
    annotation_open_request(reader->request, attributes);
}

static void
open_device(struct request_reader *reader, const struct annotation_attributes *attributes)
{
    struct request *request = reader->request;
    size_t count = request->device_count;

    if (annotation_open_device(request, attributes) < 0)
        return stream_fail(&reader->stream, "no memory");
    if (request->device_count > count)
        request->devices[count].uuid_span = span_of_value(attributes, "uuid");
}

static void
open_param(struct request_reader *reader, const struct annotation_attributes *attributes)
{
    if (annotation_open_param(reader->request, attributes) < 0)
        stream_fail(&reader->stream, "no memory");
}

static void
open_hostdev(struct request_reader *reader, const struct annotation_attributes *attributes)
{
    int rc = hostdev_open(reader->request, attributes);

    reader->in_hostdev = rc > 0;
    if (rc < 0)
        stream_fail(&reader->stream, "no memory");
    if (rc > 0)
        reader->request->hostdevs[reader->request->hostdev_count - 1].ordinal = reader->hostdevs;
    reader->hostdevs++;
}

static struct request_hostdev *
current_hostdev(const struct request_reader *reader)
{
    const struct request *request = reader->request;

    return reader->in_hostdev && request->hostdev_count
               ? &request->hostdevs[request->hostdev_count - 1]
               : NULL;
}

static void
open_address(struct request_reader *reader, const struct annotation_attributes *attributes)
{
    struct request_hostdev *hostdev = current_hostdev(reader);
    AUTO_FREE char *uuid = NULL;

    if (!hostdev || hostdev_open_address(hostdev, attributes) == 0)
        return;
    uuid = annotation_copy_attribute(attributes, "uuid");
    stream_fail_here(&reader->stream,
                     "the <address> of a <hostdev type='mdev'> has %s%.40s%s: write one as uuidgen "
                     "prints it",
                     uuid ? "the uuid \"" : "no uuid", uuid ? uuid : "",
                     uuid ? "\", which is no UUID" : "");
}

/* libvirt writes bus and slot of each PCI address. Addresses of other kinds lack one of them. */
static void
open_other_address(struct request_reader *reader, const struct annotation_attributes *attributes)
{
    AUTO_FREE char *type = annotation_copy_attribute(attributes, "type");
    AUTO_FREE char *bus = annotation_copy_attribute(attributes, "bus");
    AUTO_FREE char *slot = annotation_copy_attribute(attributes, "slot");
    struct names *others = &reader->request->others;
    struct name device;

    if ((type && strcmp(type, "pci") != 0) || !bus || !slot ||
        hostdev_read_pci(attributes, &device) < 0)
        return;
    if (ARRAY_TRY_ADD(others->items, others->count, device) < 0)
        stream_fail(&reader->stream, "no memory");
}

static void
open_alias(struct request_reader *reader, const struct annotation_attributes *attributes)
{
    struct request_hostdev *hostdev = current_hostdev(reader);

    if (hostdev)
        hostdev_open_alias(hostdev, attributes);
}

/* A set that cannot be parsed is ignored: libvirt starts no guest with a wrong one. */
static void
add_set(struct nodeset *set, const struct annotation_attributes *attributes, const char *name)
{
    AUTO_FREE char *text = annotation_copy_attribute(attributes, name);

    if (text && nodeset_add(set, text) < 0)
        return;
}

static void
open_memory(struct request_reader *reader, const struct annotation_attributes *attributes)
{
    add_set(&reader->request->nodes, attributes, "nodeset");
}

static void
open_processors(struct request_reader *reader, const struct annotation_attributes *attributes)
{
    add_set(&reader->request->processors, attributes, "cpuset");
}

static void
close_name(struct request_reader *reader)
{
    if (!reader->request->name)
        reader->request->name = strndup(reader->text, reader->text_length);
}

static void
close_uuid(struct request_reader *reader)
{
    reader->text[reader->text_length] = '\0';
    if (!*reader->request->domain.text &&
        name_parse_uuid(&reader->request->domain, reader->text) < 0)
        stream_fail_here(
            &reader->stream,
            "the domain's <uuid> \"%.40s\" is not one: write it as uuidgen prints it, or leave "
            "it out",
            reader->text);
}

static void
close_hostdev(struct request_reader *reader)
{
    const struct request_hostdev *hostdev = current_hostdev(reader);

    int rc = hostdev ? hostdev_close(hostdev, &reader->our_hostdevs) : 0;

    if (rc == -E2BIG)
        stream_fail_here(
            &reader->stream,
            "more than 256 host devices in one domain that may be vGPUs: take the others out");
    else if (rc < 0)
        stream_fail_here(&reader->stream,
                         "a <hostdev type='mdev'> has no <source><address uuid='...'/></source>: "
                         "add it, with a uuid as uuidgen prints one");
    reader->in_hostdev = false;
}

static const struct element {
    enum place parent, place;
    const char *name; /* NULL: any that no row above has */
    bool ours;        /* in our namespace; else in none */
    void (*open)(struct request_reader *reader, const struct annotation_attributes *attributes);
    void (*close)(struct request_reader *reader);
} elements[] = {
    {DOCUMENT, DOMAIN, "domain", false, NULL, NULL},
    {STATUS_DOCUMENT, STATUS, "domstatus", false, open_status, NULL},
    {STATUS, DOMAIN, "domain", false, NULL, NULL},
    {DOMAIN, NAME, "name", false, open_text, close_name},
    {DOMAIN, UUID, "uuid", false, open_text, close_uuid},
    {DOMAIN, METADATA, "metadata", false, NULL, NULL},
    {METADATA, REQUEST, "request", true, open_request, NULL},
    {REQUEST, DEVICE, "device", true, open_device, NULL},
    {DEVICE, PARAM, "param", true, open_param, NULL},
    {DOMAIN, DEVICES, "devices", false, NULL, NULL},
    {DEVICES, HOSTDEV, "hostdev", false, open_hostdev, close_hostdev},
    {HOSTDEV, SOURCE, "source", false, NULL, NULL},
    {SOURCE, ADDRESS, "address", false, open_address, NULL},
    {HOSTDEV, ALIAS, "alias", false, open_alias, NULL},
    {DEVICES, OTHER_DEVICE, NULL, false, NULL, NULL},
    {OTHER_DEVICE, OTHER_SOURCE, "source", false, NULL, NULL},
    {OTHER_SOURCE, OTHER_ADDRESS, "address", false, open_other_address, NULL},
    {DOMAIN, NUMATUNE, "numatune", false, NULL, NULL},
    {NUMATUNE, MEMORY, "memory", false, open_memory, NULL},
    {NUMATUNE, MEMNODE, "memnode", false, open_memory, NULL},
    {DOMAIN, VCPU, "vcpu", false, open_processors, NULL},
    {DOMAIN, CPUTUNE, "cputune", false, NULL, NULL},
    {CPUTUNE, VCPUPIN, "vcpupin", false, open_processors, NULL},
};

static const struct element *
element_find(enum place parent, const char *name, bool ours)
{
    return ARRAY_FIND(elements, COUNT(elements), each,
                      each->parent == parent && each->ours == ours &&
                          (!each->name || !strcmp(each->name, name)));
}

static const struct element *
element_at(enum place place)
{
    return ARRAY_FIND(elements, COUNT(elements), each, each->place == place);
}

static bool
is_in_request(enum place parent)
{
    return parent == REQUEST || parent == DEVICE || parent == PARAM;
}

/* Whether an unknown element is a fault. Inside a request it always is. Elsewhere it is a fault if
 * it is in our namespace, of any version. A "request" in <metadata> without a namespace is a fault,
 * too: nothing declares its prefix. Elements below an unknown one are not judged. */
static bool
is_misplaced(enum place parent, enum annotation_namespace ns, const char *name)
{
    if (is_in_request(parent))
        return true;
    if (parent == METADATA && ns == ANNOTATION_NONE)
        return !strcmp(name, element_at(REQUEST)->name);
    return parent != OUTSIDE && (ns == ANNOTATION_OURS || ns == ANNOTATION_NEWER);
}

static void
on_start(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int ns_count,
         const xmlChar **namespaces, int count, int defaulted, const xmlChar **values)
{
    struct request_reader *reader = data;
    enum place parent = reader->places[reader->depth];
    struct annotation_attributes attributes = {values, (size_t)count, reader->stream.document,
                                               reader->stream.xml};
    enum annotation_namespace ns = annotation_namespace((const char *)uri);
    const struct element *element = NULL;

    (void)prefix, (void)namespaces, (void)defaulted;
    if (reader->stream.failed)
        return;
    reader->request->line = reader->stream.line =
        (unsigned)xmlSAX2GetLineNumber(reader->stream.xml);
    if (!stream_open_element(&reader->stream, (size_t)count, (size_t)ns_count))
        return;
    if (ns == ANNOTATION_NONE || ns == ANNOTATION_OURS)
        element = element_find(parent, (const char *)name, ns == ANNOTATION_OURS);
    if (parent == DOCUMENT && !element)
        return stream_fail_here(
            &reader->stream,
            "this is no domain XML: its root is <%.64s>, not <domain>; 'virsh dumpxml' "
            "prints what is wanted",
            (const char *)name);
    if (parent == STATUS_DOCUMENT && !element)
        return stream_fail(&reader->stream,
                           "this is no status file of libvirt's: its root is not <domstatus>");
    if (!element && is_misplaced(parent, ns, (const char *)name))
        annotation_misplaced(reader->request, (const char *)name, (const char *)uri,
                             is_in_request(parent));
    reader->places[++reader->depth] = (unsigned char)(element ? element->place : OUTSIDE);
    if (element && element->open)
        element->open(reader, &attributes);
}

static void
on_end(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    struct request_reader *reader = data;
    const struct element *element = element_at(reader->places[reader->depth]);

    (void)name, (void)prefix, (void)uri;
    if (reader->stream.failed)
        return;
    if (element && element->close)
        element->close(reader);
    reader->depth--;
    stream_close_element(&reader->stream);
}

static void
on_text(void *data, const xmlChar *text, int length)
{
    struct request_reader *reader = data;
    enum place place = reader->places[reader->depth];

    if (place != NAME && place != UUID)
        return;
    if (reader->text_length + (size_t)length >= sizeof(reader->text))
        return stream_fail_here(&reader->stream,
                                "the domain's <name> or <uuid> is too long: shorten it");
    memcpy(reader->text + reader->text_length, text, (size_t)length);
    reader->text_length += (size_t)length;
}

static int
parse(const struct document *document, enum place root, bool is_draft, struct request *ret,
      struct error *error)
{
    xmlSAXHandler handler = {
        .initialized = XML_SAX2_MAGIC,
        .startElementNs = on_start,
        .endElementNs = on_end,
        .characters = on_text,
        .internalSubset = stream_on_document_type,
        .serror = stream_on_fault,
    };
    struct request_reader reader = {
        .stream = {.document = document, .error = error},
        .request = ret,
        .places = {root},
    };
    int rc;

    *ret = (struct request){0};
    stream_silence();
    reader.stream.xml = xmlCreatePushParserCtxt(&handler, &reader, NULL, 0, NULL);
    if (!reader.stream.xml)
        return error_set(error, -ENOMEM, "no memory for the XML parser");
    xmlCtxtUseOptions(reader.stream.xml, STREAM_OPTIONS);
    stream_feed(&reader.stream);
    rc = reader.stream.failed ? -EINVAL : 0;
    ret->is_partial = rc < 0;
    if (rc == 0 && !*ret->domain.text && !is_draft)
        rc = error_set(error, -EINVAL, "it has no <uuid>");
    xmlFreeParserCtxt(reader.stream.xml);
    if ((*ret->domain.text || is_draft) && !ret->name &&
        !(ret->name = strdup(*ret->domain.text ? ret->domain.text : "the domain")))
        rc = error_set(error, -ENOMEM, "no memory");
    if (rc < 0)
        error_wrap(error, "cannot read the domain XML");
    else
        hostdevs_link(ret);
    return rc;
}

int
request_parse(const struct document *document, struct request *ret, struct error *error)
{
    return parse(document, DOCUMENT, false, ret, error);
}

int
request_parse_draft(const struct document *document, struct request *ret, struct error *error)
{
    return parse(document, DOCUMENT, true, ret, error);
}

int
request_parse_status(const struct document *document, struct request *ret, struct error *error)
{
    return parse(document, STATUS_DOCUMENT, false, ret, error);
}
