/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "domain-check.h"
#include "demand.h"
#include "schema.h"
#include "tree.h"

static void
free_tree(xmlDocPtr *tree)
{
    tree_free(*tree);
}

/* The next of <devices> after `after` (NULL: the first), or NULL. */
static xmlNodePtr
next_device(xmlDocPtr tree, xmlNodePtr after, const char *name)
{
    xmlNodePtr devices = tree_next(xmlDocGetRootElement(tree), NULL, "devices", NULL);

    return devices ? tree_next(devices, after, name, NULL) : NULL;
}

/* QEMU's display of a vGPU is drawn with OpenGL. */
static bool
has_gl(xmlDocPtr tree)
{
    xmlNodePtr node = NULL;

    while ((node = next_device(tree, node, "graphics"))) {
        xmlNodePtr gl = tree_next(node, NULL, "gl", NULL);

        if (tree_attribute_is(node, "type", "egl-headless") ||
            (gl && tree_attribute_is(gl, "enable", "yes")))
            return true;
    }
    return false;
}

/* --- hostdevs of type mdev -------------------------------------------------------------------- */

static bool
is_demanded(const struct demands *demands, const struct request_hostdev *hostdev)
{
    for (size_t i = 0; i < demands->count; i++) {
        if (demands->items[i].hostdev == hostdev)
            return true;
    }
    return false;
}

/* Demands are NULL where they are not known. */
static void
check_hostdev(const struct domain_check *check, const struct request *request,
              const struct request_hostdev *hostdev, const struct demands *demands, xmlDocPtr tree,
              xmlNodePtr node)
{
    unsigned line = (unsigned)xmlGetLineNo(node);

    /* Somebody else must make its device. */
    if (demands && hostdev->is_gpu && !is_demanded(demands, hostdev))
        report_warning(check->report, check->file, line,
                       "nothing says what the <hostdev> %s is to be: no <vgpu:device> names it, "
                       "and it is left alone",
                       hostdev->alias ? hostdev->alias : hostdev->source.text);
    if (name_equal(&hostdev->source, &request->domain))
        report_warning(check->report, check->file, line,
                       "the <hostdev> has the domain's own uuid; give it another");
    if (tree_attribute_is(node, "managed", "yes"))
        report_warning(check->report, check->file, line,
                       "managed='yes' does nothing for a <hostdev type='mdev'>");
    if (tree_attribute_is(node, "display", "on") && !has_gl(tree))
        report_warning(check->report, check->file, line,
                       "display='on' needs OpenGL: <graphics type='egl-headless'/>, or <gl "
                       "enable='yes'/> in the <graphics>");
}

static void
check_hostdevs(const struct domain_check *check, const struct request *request,
               const struct demands *demands, xmlDocPtr tree)
{
    xmlNodePtr node = NULL;
    size_t i = 0, ramfb = 0;

    while (i < request->hostdev_count && (node = next_device(tree, node, "hostdev"))) {
        if (!tree_attribute_is(node, "mode", "subsystem") ||
            !tree_attribute_is(node, "type", "mdev"))
            continue;
        /* The parser has them in the same order. */
        check_hostdev(check, request, &request->hostdevs[i++], demands, tree, node);
        if (tree_attribute_is(node, "ramfb", "on") && ++ramfb > 1)
            report_warning(check->report, check->file, (unsigned)xmlGetLineNo(node),
                           "ramfb='on' on more than one <hostdev>: QEMU takes one");
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

/* 1: the demands are known; 0: not, and why is reported. */
static int
find_demands(const struct domain_check *check, const struct request *request, struct demands *ret)
{
    struct error fault;
    int rc = request_check(request, &fault);

    if (rc == 0 && !check->policy)
        return 0;
    if (rc == 0)
        rc = demands_resolve(request, check->policy, ret, &fault);
    if (rc == 0)
        return 1;
    report_fault(check->report, check->file, 0, "%s", fault.text);
    return 0;
}

int
domain_check(const struct domain_check *check, const struct document *document, struct error *error)
{
    AUTO(request_clear) struct request request = {0};
    AUTO(demands_clear) struct demands demands = {0};
    AUTO(schema_close) struct schema schema = {0};
    AUTO(free_tree) xmlDocPtr tree = NULL;
    size_t faults = check->report->faults;
    int rc = request_parse(document, &request, error), known = 0;

    if (rc == 0)
        rc = schema_open(&schema, check->data, error);
    if (rc < 0)
        return rc;
    /* Document types and their entities have been refused by now. */
    tree = tree_read(document);
    rc = tree ? schema_check(&schema, tree, check->file, check->report) : -ENOMEM;
    if (rc < 0)
        return error_set(error, rc, "no memory for the XML");
    /* How they go together is judged once each by itself is right. */
    if (check->report->faults == faults)
        known = find_demands(check, &request, &demands);
    check_hostdevs(check, &request, known ? &demands : NULL, tree);
    return (int)demands.count;
}
