/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/migrating-guest.h"
#include "base/array.h"
#include "device/type-name.h"
#include "domain/request-parser.h"
#include "libvirt/domain-source.h"
#include "placement/resolution.h"
#include "vendor/card-vendor.h"

#include <stdio.h>
#include <string.h>

static int
resolve(struct migrating_guest *guest, const struct policy *policy, struct error *error)
{
    int rc = request_check(guest->request, error);

    if (rc == 0)
        rc = resolution_make(guest->request, policy, &guest->demands, error);
    if (rc < 0)
        error_wrap(error, "%s", guest->label);
    return rc;
}

int
migrating_guest_find(struct migrating_guest *guest, const struct remote_host *here,
                     const char *word, const struct policy *policy, struct error *error)
{
    const struct domain *domain = domains_find(&here->domains, word);

    if (!domain)
        return error_refuse(error, ERROR_NO_DOMAIN, "%s has no domain \"%s\"", here->uri, word);
    guest->label = domain->name;
    guest->domain = domain;
    guest->request = domain->is_running ? &domain->live : &domain->config;
    if (!*guest->request->domain.text)
        return error_set(error, -EINVAL, "the XML of %s cannot be read", domain->name);
    return resolve(guest, policy, error);
}

/* A new guest has the name and the UUID of its XML. */
static void
make_new(struct migrating_guest *guest, const char *label)
{
    guest->label = label;
    guest->is_new = true;
    guest->own =
        (struct domain){.uuid = guest->own_request.domain, .name = guest->own_request.name};
    guest->domain = &guest->own;
    guest->request = &guest->own_request;
}

int
migrating_guest_read(struct migrating_guest *guest, const struct host *host, const char *file,
                     const struct policy *policy, struct error *error)
{
    AUTO(document_clear) struct document document = {0};
    int rc = domain_source_read(host, file, &document, error);

    if (rc < 0)
        return rc;
    rc = request_parse(&document, &guest->own_request, error);
    if (rc < 0) {
        error_wrap(error, "%s", file);
        return rc;
    }
    make_new(guest, file);
    return resolve(guest, policy, error);
}

void
migrating_guest_of_type(struct migrating_guest *guest, const char *type)
{
    struct demand demand = {0};

    guest->own_request.name = memory_copy("");
    guest->type = memory_copy(type);
    demand.label = demand.wanted = guest->type;
    demand.terms.attributes.said[ATTRIBUTE_TYPE] = guest->type;
    demand_set_free(&demand, DEMAND_AS_IT_SAYS);
    ARRAY_ADD(guest->demands.items, guest->demands.count, demand);
    make_new(guest, type);
}

const struct inventory_type *
migrating_guest_type(const struct migrating_guest *guest, const struct inventory *here,
                     const struct demand *demand)
{
    const struct inventory_vgpu *vgpu =
        guest->domain->is_running ? inventory_find_vgpu(here, &demand->hostdev->source) : NULL;

    return vgpu ? inventory_type_of(vgpu) : NULL;
}

void
migrating_guest_clear(struct migrating_guest *guest)
{
    demands_clear(&guest->demands);
    request_clear(&guest->own_request);
    free(guest->type);
    *guest = (struct migrating_guest){0};
}

/* --- one vGPU that it takes along, and what that can be there --------------------------------- */

typedef bool wants_function(const struct inventory_type *type, const void *data);

/* A name and an id, such as "GRID T4-1B (nvidia-222)". */
struct title {
    char text[160];
};

/* Drivers differ in the ids of types, and in the words before a profile: "GRID T4-1B" of one driver
 * is "NVIDIA T4-1B" of another. */
static bool
is_same(const struct inventory_type *a, const struct inventory_type *b)
{
    const char *profile = type_name_last_word(a->name);

    return !strcmp(a->name, b->name) ||
           (strchr(profile, '-') && !strcmp(profile, type_name_last_word(b->name)));
}

static bool
is_same_as_has(const struct inventory_type *type, const void *data)
{
    const struct migrating_device *device = data;

    return device->has && is_same(device->has, type);
}

/* Whether a type has a size that the device asks for. Another host's libvirt may not tell sizes, so
 * the same type of this host is judged. */
static bool
has_size(const struct inventory_type *type, const struct migrating_device *device)
{
    const struct inventory_type *each = NULL;
    unsigned rank;

    while ((each = inventory_next_type(device->here, each))) {
        if (is_same(each, type) && demand_ranks(&device->demand->terms, each, &rank))
            return true;
    }
    return false;
}

static bool
is_asked_for(const struct inventory_type *type, const void *data)
{
    const struct migrating_device *device = data;
    unsigned rank;

    return demand_ranks(&device->demand->terms, type, &rank) ||
           (demand_framebuffer(&device->demand->terms) && has_size(type, device));
}

/* Whether a GPU is of another family than the one that the device is on. */
static bool
is_alien(const struct migrating_device *device, const struct inventory_gpu *gpu)
{
    return device->has && card_vendor_parts(device->has->gpu, gpu);
}

bool
migrating_device_suits(const struct inventory_type *type, const void *data)
{
    const struct migrating_device *device = data;

    return is_asked_for(type, data) &&
           (!device->has || (is_same(device->has, type) && !is_alien(device, type->gpu)));
}

/* Returns the first type for which `wants` returns true, or NULL. */
static const struct inventory_type *
find_type(const struct inventory *inventory, wants_function *wants,
          const struct migrating_device *device)
{
    const struct inventory_type *each = NULL;

    while ((each = inventory_next_type(inventory, each))) {
        if (wants(each, device))
            return each;
    }
    return NULL;
}

/* Whether the device may be a vendor's, as far as its types are known here. */
static bool
may_be_of(const struct migrating_device *device, const struct card_vendor *vendor)
{
    const struct inventory_type *each = NULL;
    bool is_known = false;

    if (device->has)
        return card_vendor_has_type(vendor, device->has);
    while ((each = inventory_next_type(device->here, each))) {
        if (!migrating_device_suits(each, device))
            continue;
        if (card_vendor_has_type(vendor, each))
            return true;
        is_known = true;
    }
    return !is_known;
}

bool
migrating_device_may_need_alike_drivers(const struct migrating_device *device)
{
    const struct card_vendor *const *row = card_vendor_built_in;

    while (*row && !((*row)->needs_alike_drivers && may_be_of(device, *row)))
        row++;
    return *row;
}

const struct inventory_gpu *
migrating_device_untold(const struct migrating_device *device)
{
    const struct inventory *to = device->to;

    for (size_t gpu = 0; gpu < to->gpu_count; gpu++) {
        const struct inventory_gpu *each = to->gpus[gpu];

        if (each->is_partial && !is_alien(device, each) &&
            may_be_of(device, card_vendor_find(card_vendor_built_in, each->vendor)))
            return each;
    }
    return NULL;
}

enum migrate_answer
migrating_device_weigh(const struct migrating_device *device, enum migrate_answer answer,
                       char *text, size_t size)
{
    const struct inventory_gpu *untold = migrating_device_untold(device);
    size_t at = strlen(text);

    if (answer != MIGRATE_NO || !untold)
        return answer;
    snprintf(text + at, size - at,
             "; but libvirt does not tell what the virtual functions of %s there can be",
             untold->name.text);
    return MIGRATE_UNKNOWN;
}

/* Whether the device asks for this type, but has another type now. */
static bool
is_another(const struct inventory_type *type, const void *data)
{
    return is_asked_for(type, data) && !migrating_device_suits(type, data);
}

static struct title
title_of(const struct inventory_type *type)
{
    struct title ret;

    if (inventory_type_has_name(type))
        snprintf(ret.text, sizeof(ret.text), "%s (%s)", type->name, type->id.text);
    else
        snprintf(ret.text, sizeof(ret.text), "%s", type->id.text);
    return ret;
}

/* Whether a vendor has such types, but the name of this one is not known, as of a full GPU. */
static bool
is_nameless(const struct inventory_type *type)
{
    const struct card_vendor *const *row = card_vendor_built_in;

    if (!type || inventory_type_has_name(type))
        return false;
    while (*row && !card_vendor_has_type(*row, type))
        row++;
    return *row;
}

/* Whether this host has the type only on GPUs of which its own libvirt tells nothing. Then another
 * host's libvirt would not tell the type either. */
static bool
is_hidden(const struct migrating_device *device)
{
    const struct inventory *from = device->from;
    bool is_told = !from || find_type(from, migrating_device_suits, device), found = false;
    const struct inventory_type *each = NULL;

    while ((each = inventory_next_type(device->here, each))) {
        const struct inventory_gpu *told = from ? inventory_find_gpu(from, &each->gpu->name) : NULL;

        if (!migrating_device_suits(each, device))
            continue;
        /* vgpu.conf gives a pool or a profile its name, and libvirt tells neither. */
        if (each->is_configured)
            return true;
        found = true;
        is_told |= told && told->is_partial;
    }
    return found && !is_told;
}

/* Whether a GPU is of another family, and would do otherwise. */
static bool
would_do(const struct migrating_device *device, const struct inventory_gpu *gpu)
{
    return is_alien(device, gpu) && (gpu->is_partial || ARRAY_HAS(gpu->types, gpu->type_count, type,
                                                                  is_same(device->has, type)));
}

/* Returns the first such GPU there; NULL: there is none. */
static const struct inventory_gpu *
find_alien(const struct migrating_device *device)
{
    const struct inventory *to = device->to;
    struct inventory_gpu *const *alien =
        ARRAY_FIND(to->gpus, to->gpu_count, gpu, would_do(device, *gpu));

    return alien ? *alien : NULL;
}

/* Explains why no type there fits. Returns whether that is sure. */
static enum migrate_answer
explain_absence(const struct migrating_device *device, char *text, size_t size)
{
    const struct inventory_type *same = find_type(device->to, is_same_as_has, device);
    const struct inventory_gpu *alien = find_alien(device);
    const struct inventory_type *another = find_type(device->to, is_another, device);
    const char *wanted = device->demand->wanted;
    bool is_class = device->demand->terms.class;

    if (alien) {
        snprintf(text, size, "it is on %s, and %s there is %s: %s",
                 card_vendor_family(device->has->gpu), alien->name.text, card_vendor_family(alien),
                 card_vendor_find(card_vendor_built_in, alien->vendor)->families);
        return MIGRATE_NO;
    }
    if (is_nameless(device->has)) {
        snprintf(text, size,
                 "its type is %s; types are compared by name, and its name is not known here now",
                 device->has->id.text);
        return MIGRATE_UNKNOWN;
    }
    if (same) {
        snprintf(text, size, "its type is %s there, and \"%s\" does not mean that; %s",
                 title_of(same).text, wanted,
                 is_class ? "the class may mean something else there" : "ask for it by its name");
        return is_class ? MIGRATE_UNKNOWN : MIGRATE_NO;
    }
    if (another && device->has) {
        snprintf(text, size, "it is %s, and \"%s\" means %s there", title_of(device->has).text,
                 wanted, title_of(another).text);
        return MIGRATE_NO;
    }
    if (is_hidden(device)) {
        snprintf(text, size, "no libvirt tells of GPUs like those that have %s", wanted);
        return MIGRATE_UNKNOWN;
    }
    if (is_class && !device->has) {
        snprintf(text, size, "no GPU there has a type that the class %s means here", wanted);
        return MIGRATE_UNKNOWN;
    }
    snprintf(text, size, "no GPU there has %s", device->has ? title_of(device->has).text : wanted);
    return MIGRATE_NO;
}

/* These drivers are known not to migrate vGPUs. */
static bool
cannot_migrate(const struct inventory_type *type)
{
    static const char *const stems[] = {"i915-GVTg", "mdpy-", "mbochs-"};

    return ARRAY_HAS(stems, COUNT(stems), stem, !strncmp(type->id.text, *stem, strlen(*stem)));
}

enum migrate_answer
migrating_device_judge(const struct migrating_device *device, bool *is_type_known, char *text,
                       size_t size)
{
    const struct inventory_type *type = find_type(device->to, migrating_device_suits, device);
    const char *wanted = device->demand->wanted;

    *is_type_known = type;
    if (!type)
        return explain_absence(device, text, size);
    if (!device->is_new && cannot_migrate(type)) {
        snprintf(text, size, "the driver of %s cannot migrate", title_of(type).text);
        return MIGRATE_NO;
    }
    if (device->demand->terms.class) {
        snprintf(text, size, "there is %s there, which the class %s means here",
                 title_of(type).text, wanted);
        return MIGRATE_YES;
    }
    if (device->has && find_type(device->to, is_another, device)) {
        snprintf(text, size, "there is %s there, but \"%s\" means other types as well",
                 title_of(type).text, wanted);
        return MIGRATE_UNKNOWN;
    }
    snprintf(text, size, "there is %s there", title_of(type).text);
    return MIGRATE_YES;
}

static const struct inventory_type *
find_other(const struct inventory *inventory, const struct migrating_device *device)
{
    const struct inventory_type *each = NULL;
    unsigned rank;

    while ((each = inventory_next_type(inventory, each))) {
        if (demand_ranks(&device->demand->terms, each, &rank) &&
            strcmp(each->name, device->has->name) != 0)
            return each;
    }
    return NULL;
}

const struct inventory_type *
migrating_device_other(const struct migrating_device *device)
{
    const struct inventory_type *there;

    if (!device->has || !device->demand->terms.class)
        return NULL;
    there = find_other(device->to, device);
    return there ? there : find_other(device->here, device);
}
