/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/node-device.h"
#include "base/array.h"
#include "vendor/card-vendor.h"
#include "device/nvidia-number.h"
#include "device/vgpu.h"
#include "domain/stream.h"

#include <libxml/parser.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* How guests there get a vGPU. Nothing is made or removed there, so the rows say nothing else. By
 * which interface functions become vGPUs, libvirt does not tell. */
static const struct vgpu_interface told_mdev = {.kind = "mdev", .hostdev = REQUEST_MDEV};
static const struct vgpu_interface told_function = {.kind = "", .hostdev = REQUEST_PCI};

static bool
is_element(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && !strcmp((const char *)node->name, name);
}

/* Returns the node or the first sibling after it that is an element of this name. Returns NULL if
 * there is none. */
static const xmlNode *
same(const xmlNode *node, const char *name)
{
    while (node && !is_element(node, name))
        node = node->next;
    return node;
}

/* Returns the first child element of this name, or NULL; and the next one. */
static const xmlNode *
child(const xmlNode *node, const char *name)
{
    return node ? same(node->children, name) : NULL;
}

static const xmlNode *
next(const xmlNode *node, const char *name)
{
    return same(node->next, name);
}

/* Reads the text of a node, or of one of its attributes. The text is "" if the node or the
 * attribute is missing. */
static void
get_text(const xmlNode *node, const char *attribute, char *ret, size_t size)
{
    xmlChar *text = !node       ? NULL
                    : attribute ? xmlGetProp((xmlNode *)node, (const xmlChar *)attribute)
                                : xmlNodeGetContent(node);

    snprintf(ret, size, "%s", text ? (const char *)text : "");
    xmlFree(text);
}

/* Returns the first <capability> of this type below a node, at any depth: libvirt nests
 * capabilities. */
static const xmlNode *
find_capability(const xmlNode *node, const char *type)
{
    char text[32];

    for (const xmlNode *at = child(node, "capability"); at; at = next(at, "capability")) {
        const xmlNode *inner;

        get_text(at, "type", text, sizeof(text));
        if (!strcmp(text, type))
            return at;
        inner = find_capability(at, type);
        if (inner)
            return inner;
    }
    return NULL;
}

/* Reads the last word of the path and the word before it. Returns -EBADMSG without a path. */
static int
read_path(const xmlNode *device, struct name *name, struct name *parent)
{
    char path[PATH_MAX];
    char *slash;

    get_text(child(device, "path"), NULL, path, sizeof(path));
    slash = strrchr(path, '/');
    if (!slash || name_parse(name, slash + 1) < 0)
        return -EBADMSG;
    *slash = '\0';
    slash = strrchr(path, '/');
    if (!slash || name_parse(parent, slash + 1) < 0)
        *parent = (struct name){0};
    return 0;
}

/* Reads an address from parts such as "0x0000" and "0x3b". The result is the address as the kernel
 * writes it. */
static int
read_address(const xmlNode *address, struct name *ret)
{
    unsigned parts[NAME_PCI_PARTS];
    char text[32];

    for (size_t i = 0; i < NAME_PCI_PARTS; i++) {
        get_text(address, name_pci_parts[i], text, sizeof(text));
        if (sscanf(text, "%x", &parts[i]) != 1)
            return -EBADMSG;
    }
    return name_join_pci(ret, parts) < 0 ? -EBADMSG : 0;
}

/* Reads a number. Returns -ENODATA if there is none. */
static int
read_count(const xmlNode *node)
{
    char text[32];
    char *end;
    unsigned long number;

    get_text(node, NULL, text, sizeof(text));
    if (*text < '0' || *text > '9')
        return -ENODATA;
    number = strtoul(text, &end, 10);
    return *end ? -ENODATA : number > INT_MAX ? INT_MAX : (int)number;
}

/* Makes the id of a type out of the kernel's word for it (device/nvidia-number.h). The vendor of a
 * vGPU's parent may come later. */
static void
give_id(struct name *type)
{
    unsigned number = nvidia_number_of_word(type->text);

    if (number)
        nvidia_number_id(number, type);
}

/* Channels and adapters of s390 have types as well, but are no GPUs. */
static void
add_type(const xmlNode *node, struct node_device *device)
{
    struct inventory_type type = {0};
    size_t count = device->count;
    char text[64];

    get_text(child(node, "deviceAPI"), NULL, text, sizeof(text));
    if (strcmp(text, "vfio-pci"))
        return;
    get_text(node, "id", text, sizeof(text));
    if (name_parse(&type.id, text) < 0)
        return;
    give_id(&type.id);
    get_text(child(node, "name"), NULL, type.name, sizeof(type.name));
    if (!*type.name)
        snprintf(type.name, sizeof(type.name), "%s", type.id.text);
    vendor_describe(vendor_built_in, &type);
    ARRAY_ADD(device->available, count, read_count(child(node, "availableInstances")));
    ARRAY_ADD(device->types, device->count, type);
}

/* Only functions that can be vGPUs count. Other devices, such as network cards, have functions as
 * well. */
static int
read_functions(const xmlNode *pci, struct node_device *device)
{
    const xmlNode *functions = find_capability(pci, "virt_functions");
    const char *driver = card_vendor_find(card_vendor_built_in, device->vendor)->untold_driver;

    if (!driver || (*device->driver.text && strcmp(device->driver.text, driver)))
        return 0;
    for (const xmlNode *at = child(functions, "address"); at; at = next(at, "address")) {
        struct name function;

        if (read_address(at, &function) < 0)
            return -EBADMSG;
        names_append(&device->functions, &function);
    }
    return 0;
}

/* Reads "0x10de" without its 0x. */
static void
read_id(const xmlNode *node, char ret[8])
{
    char text[64];

    get_text(node, "id", text, sizeof(text));
    snprintf(ret, 8, "%.7s", strncmp(text, "0x", strlen("0x")) ? "" : text + strlen("0x"));
}

static void
add_ids(const struct node_device *device, struct inventory_gpu *gpu)
{
    memcpy(gpu->vendor, device->vendor, sizeof(device->vendor));
    memcpy(gpu->device, device->product, sizeof(device->product));
}

static int
read_parent(const xmlNode *node, struct node_device *device)
{
    const xmlNode *types = find_capability(node, "mdev_types");
    const xmlNode *function = find_capability(node, "phys_function");
    const xmlNode *pci = find_capability(node, "pci");
    char text[64];
    uint64_t numa;

    /* For a parent that is no PCI device, libvirt nests one <mdev_types> in the other. */
    while (types && !child(types, "type"))
        types = find_capability(types, "mdev_types");
    device->gpu = device->name;
    if (function && read_address(child(function, "address"), &device->gpu) < 0)
        return -EBADMSG;
    read_id(child(pci, "vendor"), device->vendor);
    read_id(child(pci, "product"), device->product);
    get_text(child(pci, "numa"), "node", text, sizeof(text));
    device->numa = host_parse_number(text, &numa) == 0 && numa <= INT_MAX ? (int)numa : -1;
    get_text(child(child(node, "driver"), "name"), NULL, text, sizeof(text));
    if (name_parse(&device->driver, text) < 0)
        device->driver = (struct name){0};
    for (const xmlNode *at = child(types, "type"); at; at = next(at, "type"))
        add_type(at, device);
    return read_functions(pci, device);
}

static int
read_vgpu(const xmlNode *capability, struct node_device *device)
{
    char text[64];

    get_text(child(capability, "type"), "id", text, sizeof(text));
    if (!*device->parent.text || name_parse(&device->type, text) < 0)
        return -EBADMSG;
    give_id(&device->type);
    memcpy(text, device->name.text, sizeof(text));
    return name_parse_uuid(&device->name, text) < 0 ? -EBADMSG : 0;
}

static void
free_device(struct node_device *device)
{
    names_clear(&device->functions);
    free(device->types);
    free(device->available);
}

static int
add_device(const xmlNode *root, struct node_devices *devices)
{
    const xmlNode *vgpu = find_capability(root, "mdev");
    struct node_device device = {.numa = -1};
    int rc;

    if (!root || !is_element(root, "device"))
        return -EBADMSG;
    rc = read_path(root, &device.name, &device.parent);
    if (rc == 0)
        rc = vgpu ? read_vgpu(vgpu, &device) : read_parent(root, &device);
    if (rc == 0 && (device.count || device.functions.count || *device.type.text)) {
        ARRAY_ADD(devices->items, devices->count, device);
        return 0;
    }
    free_device(&device);
    return rc;
}

static void
free_document(xmlDoc **document)
{
    xmlFreeDoc(*document);
}

static xmlDoc *
parse(const char *xml)
{
    const struct document text = {(char *)xml, strlen(xml)};
    struct error ignored;
    size_t length;
    xmlDoc *document = NULL;

    stream_silence();
    if (document_check_encoding(&text, &length, &ignored) == 0 && length <= INT_MAX)
        document = xmlReadMemory(xml, (int)length, NULL, NULL,
                                 STREAM_OPTIONS | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (document && xmlGetIntSubset(document)) {
        xmlFreeDoc(document);
        return NULL;
    }
    return document;
}

int
node_devices_add(struct node_devices *devices, const char *xml)
{
    AUTO(free_document) xmlDoc *document = parse(xml);

    return document ? add_device(xmlDocGetRootElement(document), devices) : -EBADMSG;
}

void
node_devices_clear(struct node_devices *devices)
{
    for (size_t i = 0; i < devices->count; i++)
        free_device(&devices->items[i]);
    free(devices->items);
    *devices = (struct node_devices){0};
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const struct node_device *)a)->name.text,
                  ((const struct node_device *)b)->name.text);
}

/* A type of any parent is a type of its GPU. */
static void
add_gpu(struct inventory *inventory, const struct node_device *device)
{
    struct inventory_gpu *gpu;

    if (!device->count)
        return;
    gpu = inventory_add_gpu(inventory, &device->gpu);
    if (gpu->numa < 0)
        gpu->numa = device->numa;
    if (!*gpu->driver.text)
        gpu->driver = device->driver;
    add_ids(device, gpu);
    for (size_t i = 0; i < device->count; i++)
        inventory_add_type(gpu, &device->types[i]);
}

static void
add_parent(struct inventory *inventory, const struct node_device *device)
{
    struct inventory_parent form = {.name = device->name, .interface = &told_mdev};
    const struct inventory_parent *parent;

    if (!device->count)
        return;
    form.gpu = inventory_add_gpu(inventory, &device->gpu);
    form.gpu->one_size = true;
    parent = inventory_add_parent(inventory, &form);
    for (size_t i = 0; i < parent->gpu->type_count; i++)
        parent->available[i] = -ENODATA;
    for (size_t i = 0; i < device->count; i++)
        parent->available[inventory_type_index(
            inventory_find_type(parent->gpu, &device->types[i].id))] = device->available[i];
}

/* Adds a GPU whose functions make no mediated devices. Another GPU was added before. */
static void
add_functions(struct inventory *inventory, const struct node_device *device)
{
    struct inventory_parent parent = {.interface = &told_function};

    if (!device->functions.count || inventory_find_gpu(inventory, &device->name))
        return;
    parent.gpu = inventory_add_gpu(inventory, &device->name);
    parent.gpu->is_partial = true;
    parent.gpu->numa = device->numa;
    add_ids(device, parent.gpu);
    parent.gpu->driver = device->driver;
    for (size_t i = 0; i < device->functions.count; i++) {
        parent.name = device->functions.items[i];
        inventory_add_parent(inventory, &parent);
    }
}

static void
add_vgpu(struct inventory *inventory, const struct node_device *device)
{
    const struct inventory_vgpu vgpu = {.device = device->name,
                                        .type = device->type,
                                        .parent =
                                            inventory_find_parent(inventory, &device->parent)};

    if (*device->type.text && vgpu.parent)
        inventory_add_vgpu(inventory, &vgpu);
}

void
node_devices_survey(struct node_devices *devices, struct inventory *ret)
{
    /* Each step needs the results of the steps before it, and skips devices that it does not
     * concern. */
    static void (*const steps[])(struct inventory * inventory, const struct node_device *device) = {
        add_gpu, add_parent, add_functions, add_vgpu};

    *ret = (struct inventory){0};
    if (devices->count)
        qsort(devices->items, devices->count, sizeof(*devices->items), by_name);
    for (size_t step = 0; step < COUNT(steps); step++) {
        for (size_t i = 0; i < devices->count; i++)
            steps[step](ret, &devices->items[i]);
    }
}

int
node_device_host(const char *xml, struct name *ret)
{
    AUTO(free_document) xmlDoc *document = parse(xml);
    const xmlNode *root = document ? xmlDocGetRootElement(document) : NULL;
    const xmlNode *host = find_capability(root, "system");
    char text[64];

    get_text(child(child(host, "hardware"), "uuid"), NULL, text, sizeof(text));
    /* A board without a UUID has one of zeros. */
    return name_parse_uuid(ret, text) < 0 || strspn(ret->text, "0-") == strlen(ret->text) ? -ENODATA
                                                                                          : 0;
}
