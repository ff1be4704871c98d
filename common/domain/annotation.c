/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "domain/annotation.h"
#include "base/array.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/words.h"

#include <string.h>

#define NAMESPACE_STEM "urn:libvirt-vgpu:"
#define MOST_DEVICES   64
#define MOST_PARAMS    16
#define MOST_TEXT      256                 /* bytes of an attribute */
#define PLACEMENT_ID   "vgpu-placement-id" /* NVIDIA's name of the parameter */
#define MOST_DIGITS    5

enum annotation_namespace
annotation_namespace(const char *uri)
{
    if (!uri)
        return ANNOTATION_NONE;
    if (!strcmp(uri, REQUEST_NAMESPACE))
        return ANNOTATION_OURS;
    return strncmp(uri, NAMESPACE_STEM, strlen(NAMESPACE_STEM)) ? ANNOTATION_FOREIGN
                                                                : ANNOTATION_NEWER;
}

void
annotation_fault(struct request *request, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    request_add_fault(request, (struct request_fault){.line = request->line}, format, args);
    va_end(args);
}

static void
misplaced_of_ours(struct request *request, const char *name, bool is_in_request)
{
    static const struct {
        const char *name, *home;
    } known[] = {
        {"request", "the <metadata> of the <domain>"},
        {"device", "a <vgpu:request>"},
        {"param", "a <vgpu:device>"},
    };
    struct suggest suggest = SUGGEST(name);

    if (!is_in_request && !strcmp(name, known[0].name))
        return annotation_fault(request,
                                "<vgpu:request> stands outside of <metadata>, where libvirt "
                                "drops it: put it into %s",
                                known[0].home);
    for (size_t i = 0; i < COUNT(known); i++) {
        if (!strcmp(known[i].name, name))
            return annotation_fault(request, "<vgpu:%s> does not belong there: put it into %s",
                                    name, known[i].home);
        suggest_offer(&suggest, known[i].name);
    }
    annotation_fault(request, "<vgpu:%s> is unknown%s", name,
                     suggest.best ? suggest_text(&suggest).text
                                  : ": there are <vgpu:request>, <vgpu:device> and <vgpu:param>");
}

/* A URI that differs from ours only in its number is another version of our namespace. */
static void
misplaced_of_version(struct request *request, const char *name, const char *uri)
{
    size_t stem = strlen(REQUEST_NAMESPACE) - strlen("1");

    if (!strncmp(uri, REQUEST_NAMESPACE, stem) && strspn(uri + stem, "0123456789"))
        annotation_fault(request,
                         "<vgpu:%.64s> is of the namespace %.64s, and this program knows only %s: "
                         "upgrade libvirt-vgpu on this host",
                         name, uri, REQUEST_NAMESPACE);
    else
        annotation_fault(request,
                         "<vgpu:%.64s> is of the namespace %.64s, which does not exist: write %s",
                         name, uri, REQUEST_NAMESPACE);
}

void
annotation_misplaced(struct request *request, const char *name, const char *uri, bool is_in_request)
{
    switch (annotation_namespace(uri)) {
    case ANNOTATION_OURS:
        misplaced_of_ours(request, name, is_in_request);
        break;
    case ANNOTATION_NEWER:
        misplaced_of_version(request, name, uri);
        break;
    case ANNOTATION_NONE:
    case ANNOTATION_FOREIGN:
        if (is_in_request)
            annotation_fault(request,
                             "<%s> in <vgpu:request> is not of the namespace %s: write <vgpu:%s>, "
                             "or take it out",
                             name, REQUEST_NAMESPACE, name);
        else
            annotation_fault(request,
                             "<%s> in <metadata> has no namespace, so libvirt drops it: write "
                             "<vgpu:%s xmlns:vgpu=\"%s\">",
                             name, name, REQUEST_NAMESPACE);
        break;
    }
}

static const char *
attribute_name(const struct annotation_attributes *attributes, size_t i)
{
    return (const char *)attributes->items[5 * i];
}

/* An attribute whose prefix is not declared counts as one with a namespace. */
static bool
attribute_has_namespace(const struct annotation_attributes *attributes, size_t i)
{
    return attributes->items[5 * i + 1] || attributes->items[5 * i + 2];
}

static const char *
attribute_value(const struct annotation_attributes *attributes, size_t i, size_t *length)
{
    const char *start = (const char *)attributes->items[5 * i + 3];

    *length = (size_t)((const char *)attributes->items[5 * i + 4] - start);
    return start;
}

const char *
annotation_find_value(const struct annotation_attributes *attributes, const char *name,
                      size_t *length)
{
    for (size_t i = 0; i < attributes->count; i++) {
        if (!attribute_has_namespace(attributes, i) && !strcmp(attribute_name(attributes, i), name))
            return attribute_value(attributes, i, length);
    }
    return NULL;
}

bool
annotation_attribute_is(const struct annotation_attributes *attributes, const char *name,
                        const char *value)
{
    size_t length = 0;
    const char *found = annotation_find_value(attributes, name, &length);

    return found && length == strlen(value) && !memcmp(found, value, length);
}

/* Copies a value and turns "&#38;" into an ampersand, because libxml2's SAX2 writes an ampersand so
 * if entities are not substituted. Each byte is moved only once, because a value may have
 * megabytes. NULL: no memory. */
static char *
copy_value(const char *value, size_t length)
{
    static const char ampersand[] = "&#38;";
    const char *from = value, *end = value + length;
    char *copy = malloc(length + 1), *at = copy;

    if (!copy)
        return NULL;
    while (from < end) {
        bool is_ampersand = (size_t)(end - from) >= strlen(ampersand) &&
                            !memcmp(from, ampersand, strlen(ampersand));

        *at++ = *from;
        from += is_ampersand ? strlen(ampersand) : 1;
    }
    *at = '\0';
    return copy;
}

char *
annotation_copy_attribute(const struct annotation_attributes *attributes, const char *name)
{
    size_t length = 0;
    const char *found = annotation_find_value(attributes, name, &length);

    return found ? copy_value(found, length) : NULL;
}

/* An attribute that an element may have, and where its value belongs. */
struct field {
    const char *name;
    char **text;
    const char *const *words; /* NULL: any text */
    unsigned *chosen;         /* of the words */
};

static void
choose(struct request *request, const char *element, const struct field *known, const char *value)
{
    const char *const *words = known->words + 1; /* after "" */
    int index = words_index(words, value);

    if (index >= 0)
        *known->chosen = (unsigned)index + 1;
    else
        annotation_fault(request, "<%s %s=\"%s\"> is none of %s, %s%s%s", element, known->name,
                         value, words[0], words[1], words[2] ? ", " : "", words[2] ? words[2] : "");
}

/* Reads one attribute of an element of ours into its field; -ENOMEM. */
static int
take_attribute(struct request *request, const char *element, const struct field *known,
               size_t known_count, const struct annotation_attributes *attributes, size_t i)
{
    const char *name = attribute_name(attributes, i);
    size_t length;
    const char *value = attribute_value(attributes, i, &length);
    struct suggest suggest = SUGGEST(name);
    char all[128];
    struct text list = text_on(all, sizeof(all));

    for (size_t k = 0; k < known_count && !attribute_has_namespace(attributes, i); k++) {
        AUTO_FREE char *copy = NULL;

        if (strcmp(known[k].name, name))
            continue;
        copy = copy_value(value, length);
        if (!copy)
            return -ENOMEM;
        if (length == 0 || length > MOST_TEXT || strpbrk(copy, "\t\n\r"))
            annotation_fault(request,
                             "<%s %s=\"%.40s\">: write 1 to %d characters, without tabs and line "
                             "feeds, or leave %s out",
                             element, name, copy, MOST_TEXT, name);
        else if (known[k].words)
            choose(request, element, &known[k], copy);
        if (!known[k].words)
            *known[k].text = TAKE(copy);
        return 0;
    }
    /* The request keeps no more faults than that, so further faults need no suggestion. */
    for (size_t k = 0; k < known_count && request->fault_count < REQUEST_MOST_FAULTS; k++) {
        suggest_offer(&suggest, known[k].name);
        text_join(&list, ", ", "%s", known[k].name);
    }
    annotation_fault(request, "<%s> has an unknown attribute \"%s%s\"%s%s", element,
                     attribute_has_namespace(attributes, i) ? "vgpu:" : "", name,
                     suggest.best ? suggest_text(&suggest).text : ": there are ",
                     suggest.best ? "" : all);
    return 0;
}

static int
take_attributes(struct request *request, const char *element, const struct field *known,
                size_t known_count, const struct annotation_attributes *attributes)
{
    int rc = 0;

    for (size_t i = 0; i < attributes->count && rc == 0; i++)
        rc = take_attribute(request, element, known, known_count, attributes, i);
    return rc;
}

void
annotation_open_request(struct request *request, const struct annotation_attributes *attributes)
{
    if (attributes->count)
        annotation_fault(request,
                         "<vgpu:request> has an unknown attribute \"%s\": it takes none; write "
                         "what is wanted into a <vgpu:device>",
                         attribute_name(attributes, 0));
}

/* Rewrites a PCI address in place as the kernel writes it. The kernel's form is never longer. */
static int
normalise_parent(char *text)
{
    size_t length = strlen(text);
    struct name name;
    int rc = name_parse_address(&name, text);

    if (rc == 0 && strlen(name.text) <= length)
        memcpy(text, name.text, strlen(name.text) + 1);
    return rc;
}

static void
check_placement_id(struct request *request, const struct request_device *device)
{
    const char *id = device->placement_id;

    if (id && (strlen(id) > MOST_DIGITS || strspn(id, "0123456789") != strlen(id)))
        annotation_fault(request,
                         "<vgpu:device placement-id=\"%s\">: that is no number, as \"4\"; "
                         "'vgpuctl list -o DEVICE,PLACEMENT' shows those that vGPUs have",
                         id);
}

/* Finds the faults of a device that need no knowledge of the hostdevs. */
static void
check_device(struct request *request, struct request_device *device)
{
    const char *type = device->attributes.said[ATTRIBUTE_TYPE];
    const char *class = device->attributes.said[ATTRIBUTE_CLASS];
    char *parent = device->attributes.said[ATTRIBUTE_PARENT];
    struct name ignored;

    if (type && class)
        annotation_fault(request,
                         "<vgpu:device> has both type=\"%s\" and class=\"%s\": leave one out", type,
                         class);
    if (!type && !class)
        annotation_fault(request,
                         "<vgpu:device%s%s%s> has neither type nor class: add one; 'vgpuctl types' "
                         "lists types",
                         device->alias ? " alias=\"" : "", device->alias ? device->alias : "",
                         device->alias ? "\"" : "");
    if (type && strchr(type, '/'))
        annotation_fault(request,
                         "<vgpu:device type=\"%s\">: no type has a slash in it; 'vgpuctl types' "
                         "lists types",
                         type);
    if (device->alias && device->uuid)
        annotation_fault(request,
                         "<vgpu:device alias=\"%s\"> has a uuid as well: leave one of them out",
                         device->alias);
    if (device->uuid && name_parse_uuid(&ignored, device->uuid) < 0)
        annotation_fault(request,
                         "<vgpu:device uuid=\"%s\">: that is no UUID; write the one of the "
                         "<hostdev>, or its alias as alias=",
                         device->uuid);
    if (parent && normalise_parent(parent) < 0)
        annotation_fault(
            request,
            "<vgpu:device parent=\"%s\">: that is no PCI address, as \"0000:18:00.0\"; "
            "'vgpuctl gpus' lists them",
            parent);
    check_placement_id(request, device);
}

/* The driver takes a placement id as a parameter. */
static int
add_placement_id(struct request_device *device)
{
    struct request_param param = {0};
    int rc = -ENOMEM;

    if (!device->placement_id)
        return 0;
    param.name = strdup(PLACEMENT_ID);
    param.value = strdup(device->placement_id);
    if (param.name && param.value)
        rc = ARRAY_TRY_ADD(device->params, device->param_count, param);
    if (rc < 0) {
        free(param.name);
        free(param.value);
    }
    return rc;
}

static int
take_device(struct request *request, const struct annotation_attributes *attributes,
            struct request_device *device)
{
    struct field fields[ATTRIBUTES + 3];

    for (enum attribute i = 0; i < ATTRIBUTES; i++)
        fields[i] = (struct field){attribute_names[i], &device->attributes.said[i],
                                   attribute_words[i], &device->attributes.chosen[i]};
    fields[ATTRIBUTES] = (struct field){.name = "alias", .text = &device->alias};
    fields[ATTRIBUTES + 1] = (struct field){.name = "uuid", .text = &device->uuid};
    fields[ATTRIBUTES + 2] = (struct field){.name = "placement-id", .text = &device->placement_id};
    return take_attributes(request, "vgpu:device", fields, COUNT(fields), attributes);
}

int
annotation_open_device(struct request *request, const struct annotation_attributes *attributes)
{
    struct request_device *device;
    size_t faults = request->fault_count;
    int rc;

    if (request->device_count == MOST_DEVICES) {
        annotation_fault(request, "more than %d <vgpu:device>: take the others out", MOST_DEVICES);
        return 0;
    }
    rc = ARRAY_TRY_ADD(request->devices, request->device_count,
                       (struct request_device){.line = request->line});
    if (rc < 0)
        return rc;
    device = &request->devices[request->device_count - 1];
    rc = take_device(request, attributes, device);
    /* A missing attribute may be a misspelt one, so a device with a fault is not checked. */
    if (rc == 0 && request->fault_count == faults)
        check_device(request, device);
    return rc < 0 ? rc : add_placement_id(device);
}

int
annotation_open_param(struct request *request, const struct annotation_attributes *attributes)
{
    struct request_device *device = &request->devices[request->device_count - 1];
    struct request_param *param;
    struct field fields[2];
    size_t faults = request->fault_count;
    int rc;

    if (device->param_count == MOST_PARAMS + (device->placement_id ? 1 : 0)) {
        annotation_fault(request, "more than %d <vgpu:param> in one device: take the others out",
                         MOST_PARAMS);
        return 0;
    }
    rc = ARRAY_TRY_ADD(device->params, device->param_count, (struct request_param){0});
    if (rc < 0)
        return rc;
    param = &device->params[device->param_count - 1];
    fields[0] = (struct field){.name = "name", .text = &param->name};
    fields[1] = (struct field){.name = "value", .text = &param->value};
    rc = take_attributes(request, "vgpu:param", fields, COUNT(fields), attributes);
    if (rc == 0 && request->fault_count == faults && (!param->name || !param->value))
        annotation_fault(request, "<vgpu:param> needs both name and value");
    else if (rc == 0 && param->name && device->placement_id && !strcmp(param->name, PLACEMENT_ID))
        annotation_fault(request,
                         "<vgpu:param name=\"" PLACEMENT_ID
                         "\"> is what placement-id=\"%s\" of its "
                         "<vgpu:device> says: leave one out",
                         device->placement_id);
    return rc;
}
