/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "check/domain-check.h"
#include "device/ineligible.h"
#include "device/scan.h"
#include "domain/request-parser.h"
#include "libvirt/connection.h"
#include "placement/demand.h"
#include "placement/resolution.h"
#include "xml/schema.h"
#include "xml/xml-tree.h"

/* The next of <devices> after `after` (NULL: the first), or NULL. */
static xmlNodePtr
next_device(xmlDocPtr tree, xmlNodePtr after, const char *name)
{
    xmlNodePtr devices = xml_tree_next(xmlDocGetRootElement(tree), NULL, "devices", NULL);

    return devices ? xml_tree_next(devices, after, name, NULL) : NULL;
}

/* QEMU's display of a vGPU is drawn with OpenGL. */
static bool
has_gl(xmlDocPtr tree)
{
    xmlNodePtr node = NULL;

    while ((node = next_device(tree, node, "graphics"))) {
        xmlNodePtr gl = xml_tree_next(node, NULL, "gl", NULL);

        if (tree_attribute_is(node, "type", "egl-headless") ||
            (gl && tree_attribute_is(gl, "enable", "yes")))
            return true;
    }
    return false;
}

/* --- its world -------------------------------------------------------------------------------- */

/* What a domain's XML is judged by. */
struct matter {
    const struct domain_check *check;
    struct request request;
    struct demands demands;
    bool known; /* what it asks for */
    xmlDocPtr tree;
    struct inventory inventory; /* only if it asks for virtual functions, as all that follows */
    struct domains domains;
    struct error unasked; /* why libvirt did not tell them all; "": it did */
};

static void
matter_clear(struct matter *matter)
{
    xml_tree_free(matter->tree);
    request_clear(&matter->request);
    demands_clear(&matter->demands);
    inventory_clear(&matter->inventory);
    domains_clear(&matter->domains);
}

/* 1: the demands are known; 0: not, and why is reported. */
static int
find_demands(struct matter *matter)
{
    const struct domain_check *check = matter->check;
    struct error fault;
    int rc = request_check(&matter->request, &fault);

    if (rc == 0 && !check->policy)
        return 0;
    if (rc == 0)
        rc = resolution_make(&matter->request, check->policy, &matter->demands, &fault);
    if (rc == 0)
        return 1;
    report_fault(check->report, check->file, 0, "%s", fault.text);
    return 0;
}

static bool
has_functions(const struct matter *matter)
{
    bool found = false;

    for (size_t i = 0; i < matter->demands.count; i++)
        found |= demand_vf(&matter->demands.items[i]) != NULL;
    return found;
}

/* The virtual functions of this host, and who names them. */
static int
look_around(struct matter *matter, struct error *error)
{
    const struct domain_check *check = matter->check;
    AUTO(connection_close) struct connection *connection = NULL;
    int rc = scan_host(check->host, &inventory_no_types, &matter->inventory, error);

    if (rc < 0)
        return rc;
    for (size_t i = 0; rc == 0 && i < matter->demands.count; i++) {
        const struct name *vf = demand_vf(&matter->demands.items[i]);

        if (vf)
            rc = ineligible_add(check->host, vf, &matter->inventory);
    }
    if (rc < 0)
        return error_set(error, rc, "no memory for the GPUs");
    if (!check->uri)
        return 0;
    rc = connection_open(check->uri, CONNECTION_READ, &connection, &matter->unasked);
    if (rc == 0)
        rc = connection_domains(connection, &matter->domains, &matter->unasked);
    if (rc == 0 && !matter->domains.complete)
        matter->unasked = matter->domains.failure;
    return 0;
}

/* --- hostdevs --------------------------------------------------------------------------------- */

static bool
is_demanded(const struct demands *demands, const struct request_hostdev *hostdev)
{
    for (size_t i = 0; i < demands->count; i++) {
        if (demands->items[i].hostdev == hostdev)
            return true;
    }
    return false;
}

static void
check_mediated(const struct matter *matter, const struct request_hostdev *hostdev, xmlNodePtr node)
{
    struct report *report = matter->check->report;
    const char *file = matter->check->file;
    unsigned line = (unsigned)xmlGetLineNo(node);

    /* Somebody else must make its device. */
    if (matter->known && hostdev->is_gpu && !is_demanded(&matter->demands, hostdev))
        report_warning(report, file, line,
                       "nothing says what the <hostdev> %s is to be: no <vgpu:device> names it, "
                       "and it is left alone",
                       hostdev->alias ? hostdev->alias : hostdev->source.text);
    if (name_equal(&hostdev->source, &matter->request.domain))
        report_warning(report, file, line,
                       "the <hostdev> has the domain's own uuid; give it another");
    if (hostdev->is_managed)
        report_warning(report, file, line,
                       "managed='yes' does nothing for a <hostdev type='mdev'>");
    if (tree_attribute_is(node, "display", "on") && !has_gl(matter->tree))
        report_warning(report, file, line,
                       "display='on' needs OpenGL: <graphics type='egl-headless'/>, or <gl "
                       "enable='yes'/> in the <graphics>");
}

/* The first other domain that has it, or NULL. */
static const struct domain *
find_other(const struct matter *matter, const struct name *function)
{
    const struct domain *domain = NULL;

    do
        domain = domains_next_user(&matter->domains, function, domain);
    while (domain && name_equal(&domain->uuid, &matter->request.domain));
    return domain;
}

/* What no start of it could use, or only one at a time. */
static void
check_function(const struct matter *matter, const struct request_hostdev *hostdev, xmlNodePtr node)
{
    const struct inventory *inventory = &matter->inventory;
    struct report *report = matter->check->report;
    const char *file = matter->check->file;
    unsigned line = (unsigned)xmlGetLineNo(node);
    const struct domain *other;

    if (!is_demanded(&matter->demands, hostdev))
        return;
    for (size_t i = 0; i < inventory->ineligible_count; i++) {
        if (name_equal(&inventory->ineligible[i].device, &hostdev->source))
            report_warning(report, file, line, "%s is to be on %s, %s", hostdev->alias,
                           hostdev->source.text, inventory->ineligible[i].why);
    }
    for (size_t i = 0; i < inventory->parent_count; i++) {
        if (name_equal(&inventory->parents[i].name, &hostdev->source) &&
            inventory->parents[i].interface->hostdev != REQUEST_PCI)
            report_warning(report, file, line,
                           "%s is to be on %s, which takes mediated devices (<hostdev "
                           "type='mdev'>)",
                           hostdev->alias, hostdev->source.text);
    }
    other = find_other(matter, &hostdev->source);
    if (other)
        report_warning(report, file, line,
                       "%s is in the XML of %s as well: only one of them can run with it",
                       hostdev->source.text, other->name);
}

/* As the parser keeps them, in the same order. */
static bool
is_kept(xmlNodePtr node)
{
    return tree_attribute_is(node, "mode", "subsystem") &&
           (tree_attribute_is(node, "type", "mdev") || tree_attribute_is(node, "type", "pci"));
}

static void
check_hostdevs(const struct matter *matter)
{
    const struct request *request = &matter->request;
    xmlNodePtr node = NULL;
    size_t i = 0, ramfb = 0;

    while (i < request->hostdev_count && (node = next_device(matter->tree, node, "hostdev"))) {
        if (!is_kept(node))
            continue;
        if (request->hostdevs[i].kind == REQUEST_PCI)
            check_function(matter, &request->hostdevs[i], node);
        else
            check_mediated(matter, &request->hostdevs[i], node);
        i++;
        if (tree_attribute_is(node, "ramfb", "on") && ++ramfb > 1)
            report_warning(matter->check->report, matter->check->file, (unsigned)xmlGetLineNo(node),
                           "ramfb='on' on more than one <hostdev>: QEMU takes one");
    }
    if (*matter->unasked.text)
        report_warning(matter->check->report, matter->check->file, 0,
                       "whether other domains have its virtual functions is not known: %s",
                       matter->unasked.text);
}

/* A start would be refused for it, with the domain's name and no line. */
static void
check_managed(const struct matter *matter)
{
    const struct request *request = &matter->request;
    xmlNodePtr node = NULL;
    size_t i = 0;

    while (i < request->hostdev_count && (node = next_device(matter->tree, node, "hostdev"))) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];

        if (!is_kept(node))
            continue;
        i++;
        if (hostdev->kind == REQUEST_PCI && hostdev->is_managed && demand_is_explicit(hostdev))
            report_fault(matter->check->report, matter->check->file, (unsigned)xmlGetLineNo(node),
                         "the <hostdev> %s is to be a vGPU and says managed='yes': libvirt would "
                         "take it from its GPU's driver; say managed='no'",
                         hostdev->alias);
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

int
domain_check(const struct domain_check *check, const struct document *document, struct error *error)
{
    AUTO(matter_clear) struct matter matter = {.check = check};
    AUTO(schema_close) struct schema schema = {0};
    size_t faults = check->report->faults;
    int rc = request_parse(document, &matter.request, error);

    if (rc == 0)
        rc = schema_open(check->host, &schema, error);
    if (rc < 0)
        return rc;
    /* Document types and their entities have been refused by now. */
    matter.tree = xml_tree_read(document);
    rc = matter.tree ? schema_check(&schema, matter.tree, check->file, check->report) : -ENOMEM;
    if (rc < 0)
        return error_set(error, rc, "no memory for the XML");
    check_managed(&matter);
    /* How they go together is judged once each by itself is right. */
    if (check->report->faults == faults)
        matter.known = find_demands(&matter) > 0;
    if (has_functions(&matter))
        rc = look_around(&matter, error);
    if (rc < 0)
        return rc;
    check_hostdevs(&matter);
    return (int)matter.demands.count;
}
