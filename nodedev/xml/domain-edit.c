/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "xml/domain-edit.h"
#include "xml/asked-vgpus.h"
#include "xml/hostdev-source.h"
#include "base/array.h"
#include "base/memory.h"
#include "cli/pick.h"
#include "domain/request-parser.h"
#include "placement/demand.h"
#include "xml/xml-tree.h"

#include <string.h>
#include <uuid/uuid.h>

#define ALIAS_STEM  "ua-"
#define ALIAS_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
#define ALIAS_MOST  127

void
domain_edit_uuid(const struct name *domain, const char *alias, struct name *ret)
{
    uuid_t space, made;

    *ret = (struct name){0};
    /* A domain that libvirt has not seen yet has no UUID. Two such domains must not get the same
     * UUIDs for their vGPUs. */
    if (uuid_parse(domain->text, space) < 0)
        uuid_generate_random(made);
    else
        uuid_generate_sha1(made, space, alias, strlen(alias));
    uuid_unparse_lower(made, ret->text);
}

static int
no_memory(struct error *error)
{
    return error_set(error, -ENOMEM, "no memory for the domain's XML");
}

int
domain_edit_start(const struct document *document, struct domain_edit *ret, struct error *error)
{
    int rc;

    *ret = (struct domain_edit){0};
    /* The parser refuses a document type, and so entities, before any tree is made. */
    rc = request_parse_draft(document, &ret->request, error);
    if (rc < 0)
        return rc;
    ret->before =
        (struct document){memory_resized(NULL, document->length + 1, 1), document->length};
    memcpy(ret->before.text, document->text, document->length);
    ret->declared = document->length > 5 && !memcmp(document->text, "<?xml", 5);
    ret->tree = xml_tree_read(document);
    return ret->tree ? 0 : error_set(error, -EINVAL, "cannot read the domain XML as a tree");
}

void
domain_edit_end(struct domain_edit *edit)
{
    xmlFreeDoc(edit->tree);
    request_clear(&edit->request);
    document_clear(&edit->before);
    *edit = (struct domain_edit){0};
}

int
domain_edit_text(const struct domain_edit *edit, struct document *ret, struct error *error)
{
    *ret = (struct document){.text = xml_tree_text(edit->tree, edit->declared)};
    if (!ret->text)
        return no_memory(error);
    ret->length = strlen(ret->text);
    return 0;
}

/* Parses the request from the edited XML. */
static int
read_anew(struct domain_edit *edit, struct error *error)
{
    AUTO(document_clear) struct document text = {0};
    int rc = domain_edit_text(edit, &text, error);

    request_clear(&edit->request);
    return rc < 0 ? rc : request_parse_draft(&text, &edit->request, error);
}

/* --- where things are ------------------------------------------------------------------------- */

/* Returns the element of a hostdev. `hostdev` may be NULL. */
static xmlNodePtr
find_element(const struct domain_edit *edit, const struct request_hostdev *hostdev)
{
    xmlNodePtr root = xmlDocGetRootElement(edit->tree), devices = NULL, node = NULL;
    size_t ordinal = hostdev ? hostdev->ordinal : 0;

    while (hostdev && (devices = xml_tree_next(root, devices, "devices", NULL))) {
        while ((node = xml_tree_next(devices, node, "hostdev", NULL))) {
            if (ordinal-- == 0)
                return node;
        }
    }
    return NULL;
}

static bool
is_called(const struct request_hostdev *hostdev, const char *word)
{
    struct name source;

    if (hostdev->alias && !strcmp(hostdev->alias, word))
        return true;
    return (hostdev->kind == REQUEST_PCI ? name_parse_pci(&source, word)
                                         : name_parse_uuid(&source, word)) == 0 &&
           name_equal(&source, &hostdev->source);
}

const struct request_hostdev *
domain_edit_find(const struct domain_edit *edit, const char *word)
{
    return ARRAY_FIND(edit->request.hostdevs, edit->request.hostdev_count, hostdev,
                      is_called(hostdev, word));
}

static xmlNodePtr
find_request(const struct domain_edit *edit)
{
    xmlNodePtr root = xmlDocGetRootElement(edit->tree), metadata = NULL, request;

    while ((metadata = xml_tree_next(root, metadata, "metadata", NULL))) {
        request = xml_tree_next(metadata, NULL, "request", REQUEST_NAMESPACE);
        if (request)
            return request;
    }
    return NULL;
}

static xmlNodePtr
find_device(const struct domain_edit *edit, size_t index)
{
    xmlNodePtr request = find_request(edit), device = NULL;

    while (request && (device = xml_tree_next(request, device, "device", REQUEST_NAMESPACE))) {
        if (index-- == 0)
            return device;
    }
    return NULL;
}

bool
domain_edit_has_alias(const struct domain_edit *edit, const char *alias)
{
    xmlNodePtr root = xmlDocGetRootElement(edit->tree), devices = NULL;

    while ((devices = xml_tree_next(root, devices, "devices", NULL))) {
        for (xmlNodePtr device = devices->children; device; device = device->next) {
            xmlNodePtr name = xml_tree_next(device, NULL, "alias", NULL);

            if (name && tree_attribute_is(name, "name", alias))
                return true;
        }
    }
    return false;
}

/* --- one more --------------------------------------------------------------------------------- */

static int
check_addable(const struct domain_edit *edit, const struct domain_edit_device *device,
              struct error *error)
{
    const struct request *request = &edit->request;
    const char *alias = device->alias;

    if (strncmp(alias, ALIAS_STEM, strlen(ALIAS_STEM)) || strlen(alias) > ALIAS_MOST ||
        strlen(alias) == strlen(ALIAS_STEM) || strspn(alias, ALIAS_CHARS) != strlen(alias))
        return error_set(error, -EINVAL,
                         "the alias \"%s\" is none that libvirt takes: " ALIAS_STEM
                         " and then letters, digits, '_' and '-'",
                         alias);
    if (*request->fault.text)
        return error_set(error, -EINVAL,
                         "what %s asks for already has a fault, which must be mended first: %s",
                         request->name, request->fault.text);
    if (domain_edit_has_alias(edit, alias))
        return error_set(error, -EEXIST, "%s has a device with the alias %s already", request->name,
                         alias);
    if (*device->uuid.text && request_find_hostdev(request, &device->uuid))
        return error_set(error, -EEXIST, "%s has a device with the UUID %s already", request->name,
                         device->uuid.text);
    return 0;
}

/* An annotation with one device need not name a hostdev; with a second device it must. So the
 * device gets the uuid of its hostdev. */
static bool
link_lonely(const struct domain_edit *edit)
{
    const struct request *request = &edit->request;
    xmlNodePtr device = request->device_count == 1 ? find_device(edit, 0) : NULL;
    bool good = true;

    if (!device || request->devices[0].alias || request->devices[0].uuid)
        return true;
    for (size_t i = 0; i < request->hostdev_count && good; i++) {
        if (request->hostdevs[i].device == 0)
            good = xml_tree_set(device, "uuid", request->hostdevs[i].source.text);
    }
    return good;
}

static xmlNodePtr
need_metadata(const struct domain_edit *edit)
{
    static const char *const before[] = {"description", "title", "genid", "uuid", "name"};
    xmlNodePtr root = xmlDocGetRootElement(edit->tree);
    xmlNodePtr metadata = xml_tree_next(root, NULL, "metadata", NULL);

    for (size_t i = 0; !metadata && i < COUNT(before); i++) {
        xmlNodePtr sibling = xml_tree_next(root, NULL, before[i], NULL);

        if (sibling)
            metadata = tree_add_after(sibling, "metadata");
    }
    return metadata;
}

static bool
set_attributes(xmlNodePtr element, const struct domain_edit_device *device)
{
    bool good = xml_tree_set(element, "alias", device->alias);

    for (enum attribute i = 0; good && i < ATTRIBUTES; i++) {
        const char *text = attributes_text(&device->attributes, i);

        good = !text || xml_tree_set(element, attribute_names[i], text);
    }
    return good;
}

static bool
add_params(xmlNodePtr element, const struct domain_edit_device *device)
{
    bool good = true;

    for (size_t i = 0; good && i < device->param_count; i++) {
        const char *sign = strchr(device->params[i], '=');
        AUTO_FREE char *name =
            memory_copy_bytes(device->params[i], (size_t)(sign - device->params[i]));
        xmlNodePtr param = xml_tree_add(element, "param");

        good = param && xml_tree_set(param, "name", name) && xml_tree_set(param, "value", sign + 1);
    }
    return good;
}

static bool
add_device(const struct domain_edit *edit, const struct domain_edit_device *device)
{
    xmlNodePtr request = find_request(edit), metadata, added;

    if (!request) {
        metadata = need_metadata(edit);
        request = metadata ? xml_tree_add(metadata, "request") : NULL;
        if (request)
            xmlSetNs(request, xmlNewNs(request, BAD_CAST REQUEST_NAMESPACE, BAD_CAST "vgpu"));
    }
    added = request ? xml_tree_add(request, "device") : NULL;
    return added && set_attributes(added, device) && add_params(added, device);
}

static bool
add_hostdev(const struct domain_edit *edit, const struct domain_edit_device *device)
{
    xmlNodePtr root = xmlDocGetRootElement(edit->tree);
    xmlNodePtr devices = xml_tree_next(root, NULL, "devices", NULL), hostdev, source, address, name;
    struct rewrite_source mediated = {.kind = REQUEST_MDEV};

    if (*device->uuid.text)
        mediated.source = device->uuid;
    else
        domain_edit_uuid(&edit->request.domain, device->alias, &mediated.source);
    if (!devices)
        devices = xml_tree_add(root, "devices");
    hostdev = devices ? xml_tree_add(devices, "hostdev") : NULL;
    source = hostdev ? xml_tree_add(hostdev, "source") : NULL;
    address = source ? xml_tree_add(source, "address") : NULL;
    name = address ? xml_tree_add(hostdev, "alias") : NULL;
    return name && hostdev_source_set(hostdev, &mediated) &&
           xml_tree_set(name, "name", device->alias);
}

/* Whether the new XML asks for the device, under its UUID. */
static bool
asks_for(const struct domain_edit *edit, const struct domain_edit_device *device)
{
    const struct request_hostdev *hostdev = domain_edit_find(edit, device->alias);
    const struct request_device *asked =
        hostdev && hostdev->device != SIZE_MAX ? &edit->request.devices[hostdev->device] : NULL;

    return asked && attributes_equal(&asked->attributes, &device->attributes);
}

int
domain_edit_add(struct domain_edit *edit, const struct domain_edit_device *device,
                struct error *error)
{
    int rc = check_addable(edit, device, error);

    if (rc < 0)
        return rc;
    if (!link_lonely(edit) || !add_device(edit, device) || !add_hostdev(edit, device))
        return no_memory(error);
    rc = read_anew(edit, error);
    if (rc == 0)
        rc = request_check(&edit->request, error);
    if (rc == 0 && !asks_for(edit, device))
        rc = error_set(error, -EINVAL,
                       "the XML with %s in it does not ask for it; this is a fault of "
                       "libvirt-vgpu, please report it",
                       device->alias);
    return rc;
}

int
domain_edit_set_source(struct domain_edit *edit, const char *alias,
                       const struct rewrite_source *source, struct error *error)
{
    xmlNodePtr hostdev = find_element(edit, domain_edit_find(edit, alias));
    int rc;

    if (!hostdev || !hostdev_source_set(hostdev, source))
        return no_memory(error);
    rc = read_anew(edit, error);
    return rc < 0 ? rc : request_check(&edit->request, error);
}

int
domain_edit_set_type(struct domain_edit *edit, const char *word, const char *type,
                     struct error *error)
{
    const struct request_hostdev *hostdev = domain_edit_find(edit, word);
    xmlNodePtr device =
        hostdev && hostdev->device != SIZE_MAX ? find_device(edit, hostdev->device) : NULL;
    int rc;

    if (!device)
        return error_set(error, -ENOENT, "%s has no <vgpu:device> for %s", edit->request.name,
                         word);
    xmlUnsetProp(device, BAD_CAST "class");
    if (!xml_tree_set(device, "type", type))
        return no_memory(error);
    rc = read_anew(edit, error);
    return rc < 0 ? rc : request_check(&edit->request, error);
}

int
domain_edit_set_display(struct domain_edit *edit, const char *alias, struct error *error)
{
    xmlNodePtr hostdev = find_element(edit, domain_edit_find(edit, alias));
    const struct request_hostdev *other =
        ARRAY_FIND(edit->request.hostdevs, edit->request.hostdev_count, each, each->has_display);

    if (other)
        return error_set(error, -EEXIST,
                         "%s has a vGPU with a display already, %s, and QEMU takes one",
                         edit->request.name, other->alias ? other->alias : other->source.text);
    if (!hostdev || !xml_tree_set(hostdev, "display", "on") ||
        !xml_tree_set(hostdev, "ramfb", "on"))
        return no_memory(error);
    return read_anew(edit, error);
}

/* --- one less --------------------------------------------------------------------------------- */

static int
no_such(const struct request *request, const char *word, struct error *error)
{
    error_set(error, -ENOENT, "%s has no vGPU \"%s\"", request->name, word);
    asked_vgpus_add(request, error);
    return -ENOENT;
}

/* Finds the hostdev that a word means (cli/pick.h). *ret is NULL if there is none. */
static int
find_meant(const struct domain_edit *edit, const char *word, const struct request_hostdev **ret,
           struct error *error)
{
    const struct request *request = &edit->request;
    AUTO(names_clear) struct names functions = {0};
    struct name name;
    int rc;

    *ret = domain_edit_find(edit, word);
    if (*ret)
        return 0;
    for (size_t i = 0; i < request->hostdev_count; i++) {
        if (request->hostdevs[i].kind == REQUEST_PCI && demand_is_explicit(&request->hostdevs[i]))
            names_append(&functions, &request->hostdevs[i].source);
    }
    rc = pick_name(&functions, word, &name, error);
    if (rc == 0)
        *ret = domain_edit_find(edit, name.text);
    return rc == -ENOENT ? 0 : rc;
}

/* Finds the <vgpu:device> whose alias no hostdev has. There is one if somebody removed only the
 * hostdev. */
static size_t
find_dangling(const struct request *request, const char *word)
{
    for (size_t i = 0; i < request->device_count; i++) {
        if (request->devices[i].alias && !strcmp(request->devices[i].alias, word))
            return i;
    }
    return SIZE_MAX;
}

static void
remove_device(const struct domain_edit *edit, size_t index)
{
    xmlNodePtr device = find_device(edit, index), request, metadata;

    if (!device)
        return;
    request = device->parent;
    metadata = request->parent;
    xml_tree_remove(device);
    if (xml_tree_next(request, NULL, "device", REQUEST_NAMESPACE))
        return;
    xml_tree_remove(request);
    if (tree_is_bare(metadata))
        xml_tree_remove(metadata);
}

int
domain_edit_remove(struct domain_edit *edit, const char *word, struct name *device, char **alias,
                   struct error *error)
{
    const struct request *request = &edit->request;
    const struct request_hostdev *hostdev;
    size_t asked;
    xmlNodePtr element;
    int rc = find_meant(edit, word, &hostdev, error);

    *device = (struct name){0};
    *alias = NULL;
    if (rc < 0)
        return rc;
    asked = hostdev ? hostdev->device : find_dangling(request, word);
    if (hostdev ? !demand_is_explicit(hostdev) : asked == SIZE_MAX)
        return no_such(request, word, error);
    if (hostdev) {
        *device = hostdev->source;
        *alias = memory_copy(hostdev->alias ? hostdev->alias : "");
    }
    element = find_element(edit, hostdev);
    if (element)
        xml_tree_remove(element);
    if (asked != SIZE_MAX)
        remove_device(edit, asked);
    return read_anew(edit, error);
}

/* --- parts of it, for libvirt's API ---------------------------------------------------------- */

int
domain_edit_annotation(const struct domain_edit *edit, char **ret, struct error *error)
{
    xmlNodePtr request = find_request(edit);

    *ret = request ? tree_text_bare(request) : NULL;
    return request && !*ret ? no_memory(error) : 0;
}

int
domain_edit_hostdev(const struct domain_edit *edit, const char *alias, char **ret,
                    struct error *error)
{
    xmlNodePtr hostdev = find_element(edit, domain_edit_find(edit, alias));

    *ret = hostdev ? tree_text_bare(hostdev) : NULL;
    return *ret ? 0 : no_memory(error);
}
