/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "check/domain-check.h"
#include "actions/passthrough.h"
#include "base/array.h"
#include "device/ineligible.h"
#include "device/vgpu.h"
#include "domain/request-parser.h"
#include "lease/ledger.h"
#include "lease/statedir.h"
#include "libvirt/connection.h"
#include "libvirt/version.h"
#include "placement/demand.h"
#include "placement/boot-wait.h"
#include "placement/feasibility.h"
#include "placement/problem.h"
#include "xml/xml-tree.h"

#include <string.h>

/* Returns the next element of this name in <devices> after `after` (NULL: the first one), or
 * NULL. */
static xmlNodePtr
next_device(xmlDocPtr tree, xmlNodePtr after, const char *name)
{
    xmlNodePtr devices = xml_tree_next(xmlDocGetRootElement(tree), NULL, "devices", NULL);

    return devices ? xml_tree_next(devices, after, name, NULL) : NULL;
}

/* QEMU needs OpenGL to show the display of a vGPU. */
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

/* --- one inspection --------------------------------------------------------------------------- */

/* A domain's XML, and what the XML is compared with. */
struct inspection {
    const struct domain_check *check;
    struct request request;
    struct snapshot snapshot; /* its policy is the caller's */
    bool known;               /* the demands are known */
    bool disabled;            /* the configuration says enabled = false */
    xmlDocPtr tree;
    struct domains asked;          /* the domains, if they were asked for here */
    const struct domains *domains; /* the domains that are known */
    unsigned libvirt;              /* version of the libvirt that knows them */
    struct error unasked;          /* why libvirt did not tell all domains; "": it told them all */
    size_t first;                  /* the first finding that is of this domain */
    struct findings aside;         /* what the caller says in other words */
    struct findings *functions;    /* where faults of virtual functions are added */
};

static void
inspection_clear(struct inspection *inspection)
{
    xmlFreeDoc(inspection->tree);
    inspection->snapshot.policy = (struct policy){0};
    if (inspection->check->sight) {
        inspection->snapshot.ledger = (struct ledger){0};
        inspection->snapshot.inventory = (struct inventory){0};
    }
    snapshot_clear(&inspection->snapshot);
    request_clear(&inspection->request);
    domains_clear(&inspection->asked);
    findings_clear(&inspection->aside);
}

static bool
is_faulty(const struct inspection *inspection)
{
    return findings_count(inspection->check->found, inspection->first, FINDING_ERROR) ||
           findings_count(&inspection->aside, 0, FINDING_ERROR);
}

/* Each element is judged alone first. The links between elements are judged if each element is
 * right. */
static void
tell_faults(const struct inspection *inspection, bool of_links)
{
    const struct domain_check *check = inspection->check;

    for (size_t i = 0; i < inspection->request.fault_count; i++) {
        const struct request_fault *fault = &inspection->request.faults[i];

        if (fault->is_of_links == of_links)
            findings_at(check->found, FINDING_ERROR, "bad-request", check->file, fault->line, "%s",
                        fault->text);
    }
}

/* Finds the demands by the configuration, and reports what is wrong with them. The configuration
 * itself is checked elsewhere. Returns whether the demands are known. */
static bool
find_demands(struct inspection *inspection)
{
    const struct domain_check *check = inspection->check;
    struct error fault;
    int rc;

    tell_faults(inspection, true);
    if (inspection->request.fault_count || !check->policy)
        return false;
    inspection->snapshot.policy = *check->policy;
    /* An administrator who has disabled us may be about to enable us again. */
    inspection->disabled = !inspection->snapshot.policy.enabled;
    inspection->snapshot.policy.enabled = true;
    rc = snapshot_resolve(&inspection->snapshot, check->host, &inspection->request, &fault);
    if (rc < 0)
        findings_at(check->found, FINDING_ERROR, "bad-request", check->file, fault.line, "%s",
                    fault.text);
    return rc >= 0;
}

static bool
wants_functions(const struct inspection *inspection)
{
    const struct demands *demands = &inspection->snapshot.demands;

    return ARRAY_HAS(demands->items, demands->count, demand, demand_vf(demand));
}

/* Any PCI device may be a virtual function. */
static bool
has_functions(const struct request *request)
{
    return ARRAY_HAS(request->hostdevs, request->hostdev_count, hostdev,
                     hostdev->kind == REQUEST_PCI);
}

/* Finds the other domains that name this domain's virtual functions. */
static void
ask_domains(struct inspection *inspection)
{
    const struct domain_check *check = inspection->check;

    inspection->domains = check->domains ? check->domains : &inspection->asked;
    inspection->libvirt = check->libvirt;
    /* The domains that libvirt has told are looked at even after a failure. */
    if (!check->domains && check->uri && inspection->snapshot.demands.count)
        (void)!connection_ask_domains(check->host, check->uri, &inspection->asked,
                                      &inspection->libvirt, &inspection->unasked);
}

/* Reads what this host has. Other commands report a broken ledger. */
static int
look(struct snapshot *snapshot, const struct host *host, struct error *error)
{
    ledger_clear(&snapshot->ledger);
    if (statedir_peek(host, &snapshot->ledger, error) < 0)
        ledger_clear(&snapshot->ledger);
    return snapshot_scan(snapshot, host, error);
}

static int
take_sight(const struct inspection *inspection, struct domain_check_sight *sight,
           struct error *error)
{
    int rc;

    sight->snapshot.policy = inspection->snapshot.policy;
    sight->snapshot.filter = inventory_all_types;
    sight->snapshot.filter.wants_singles = true;
    rc = look(&sight->snapshot, inspection->check->host, error);
    sight->is_taken = rc == 0;
    return rc;
}

void
domain_check_sight_clear(struct domain_check_sight *sight)
{
    sight->snapshot.policy = (struct policy){0};
    snapshot_clear(&sight->snapshot);
}

/* The sight lends its ledger and its inventory to each inspection. */
static int
look_at_host(struct inspection *inspection, struct error *error)
{
    const struct demands *demands = &inspection->snapshot.demands;
    const struct domain_check *check = inspection->check;
    struct domain_check_sight *sight = check->sight;
    int rc;

    if (!sight)
        return look(&inspection->snapshot, check->host, error);
    rc = sight->is_taken ? 0 : take_sight(inspection, sight, error);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < demands->count; i++) {
        const struct name *vf = demand_vf(&demands->items[i]);

        if (vf)
            ineligible_add(check->host, vf, &sight->snapshot.inventory);
    }
    inspection->snapshot.ledger = sight->snapshot.ledger;
    inspection->snapshot.inventory = sight->snapshot.inventory;
    return 0;
}

/* Checks whether this host could ever give the domain everything that it asks for. */
static void
check_feasibility(struct inspection *inspection)
{
    const struct domain_check *check = inspection->check;
    struct snapshot *snapshot = &inspection->snapshot;
    const struct placement_problem problem = snapshot_problem(snapshot, &inspection->request);
    bool waiting = boot_wait_left(&snapshot->policy, &snapshot->ledger.drained,
                                  &snapshot->inventory, host_uptime(check->host)) > 0;
    struct error why;

    switch (feasibility_of(&problem, waiting, &why)) {
    case FEASIBILITY_YES:
        break;
    case FEASIBILITY_NO:
        findings_at(check->found,
                    feasibility_is_disabled(&problem, waiting) ? FINDING_WARNING : FINDING_ERROR,
                    "feasibility", check->file, why.line, "%s", why.text);
        break;
    case FEASIBILITY_UNKNOWN:
        findings_at(check->found, FINDING_WARNING, "feasibility", check->file, why.line,
                    "whether this host could ever give it all is not known: %s", why.text);
        break;
    }
}

static void
check_singles(const struct inspection *inspection)
{
    const struct domain_check *check = inspection->check;
    struct error why;

    if (demands_say_single(&inspection->snapshot.demands, &inspection->snapshot.inventory, &why))
        findings_at(check->found, FINDING_WARNING, "alone", check->file, why.line, "%s", why.text);
}

/* Warns of the refusal of a guest that takes a card from under others. They may end before the
 * start. */
static void
foresee_cards(const struct inspection *inspection)
{
    const struct domain_check *check = inspection->check;
    struct error why;

    if (passthrough_foresee(check->host, &inspection->request, &why) < 0)
        findings_at(check->found, FINDING_WARNING, "in-use", check->file, 0,
                    "a start now would be refused: %s", why.text);
}

/* --- hostdevs --------------------------------------------------------------------------------- */

static bool
is_demanded(const struct demands *demands, const struct request_hostdev *hostdev)
{
    return ARRAY_HAS(demands->items, demands->count, demand, demand->hostdev == hostdev);
}

/* Whether the domain is the one that is checked. */
static bool
is_itself(const struct request *request, const struct domain *domain)
{
    return *request->domain.text ? name_equal(&domain->uuid, &request->domain)
                                 : !strcmp(domain->name, request->name);
}

/* If two domains have the same device, the second to start is refused. */
static void
warn_of_other(const struct inspection *inspection, const struct request_hostdev *hostdev,
              xmlNodePtr node)
{
    const struct domain *domain = NULL;

    do
        domain = domains_next_user(inspection->domains, &hostdev->source, domain);
    while (domain && is_itself(&inspection->request, domain));
    if (domain)
        findings_at(inspection->check->found, FINDING_WARNING, "shared-device",
                    inspection->check->file, (unsigned)xmlGetLineNo(node),
                    "%s is in the XML of %s as well: only one of them can run with it; "
                    "'%s' gives a domain its own",
                    hostdev->source.text, domain->name,
                    demand_is_explicit(hostdev) ? "vgpuctl attach --renew" : "virsh edit");
}

/* Warns that somebody else must make the device. */
static void
warn_of_nothing(const struct inspection *inspection, const struct request_hostdev *hostdev,
                xmlNodePtr node)
{
    if (inspection->known && !is_demanded(&inspection->snapshot.demands, hostdev))
        findings_at(inspection->check->found, FINDING_WARNING, "not-asked-for",
                    inspection->check->file, (unsigned)xmlGetLineNo(node),
                    "nothing says what the <hostdev> %s is to be, so it is left alone: add a "
                    "<vgpu:device> that names it, unless somebody else makes it",
                    hostdev->alias ? hostdev->alias : hostdev->source.text);
}

static void
check_mediated(const struct inspection *inspection, const struct request_hostdev *hostdev,
               xmlNodePtr node)
{
    struct findings *found = inspection->check->found;
    const char *file = inspection->check->file;
    unsigned line = (unsigned)xmlGetLineNo(node);

    if (hostdev->is_gpu)
        warn_of_nothing(inspection, hostdev, node);
    if (name_equal(&hostdev->source, &inspection->request.domain))
        findings_at(found, FINDING_WARNING, "own-uuid", file, line,
                    "the <hostdev> has the domain's own uuid; give it another, as uuidgen "
                    "prints one");
    if (hostdev->is_managed)
        findings_at(found, FINDING_WARNING, "managed", file, line,
                    "managed='yes' does nothing for a <hostdev type='mdev'>: leave it out");
    if (tree_attribute_is(node, "display", "on") && !has_gl(inspection->tree))
        findings_at(found, FINDING_WARNING, "no-opengl", file, line,
                    "display='on' needs OpenGL: add <graphics type='egl-headless'/>, or <gl "
                    "enable='yes'/> to the <graphics>");
    if (is_demanded(&inspection->snapshot.demands, hostdev))
        warn_of_other(inspection, hostdev, node);
}

/* Reports a function that keeps its driver, if this host's libvirt gives no guest such a one. */
static void
report_old_libvirt(const struct inspection *inspection, const struct request_hostdev *hostdev,
                   unsigned line)
{
    const struct demands *demands = &inspection->snapshot.demands;
    const struct demand *demand =
        ARRAY_FIND(demands->items, demands->count, each, each->hostdev == hostdev);
    const struct inventory_parent *parent =
        inventory_find_parent(&inspection->snapshot.inventory, &hostdev->source);
    struct error why;

    if (demand && parent && version_lacks(inspection->libvirt, parent->interface) &&
        version_refuse(inspection->libvirt, demand, &parent->name, &why) < 0)
        findings_at(inspection->functions, FINDING_ERROR, "old-libvirt", inspection->check->file,
                    line, "%s", why.text);
}

/* Reports a function that no start of the domain could use, or that another domain names as
 * well. */
static void
check_function(const struct inspection *inspection, const struct request_hostdev *hostdev,
               xmlNodePtr node)
{
    const struct inventory *inventory = &inspection->snapshot.inventory;
    struct findings *found = inspection->functions;
    const char *file = inspection->check->file;
    unsigned line = (unsigned)xmlGetLineNo(node);

    if (vgpu_has_function(inventory, &hostdev->source))
        warn_of_nothing(inspection, hostdev, node);
    if (!is_demanded(&inspection->snapshot.demands, hostdev))
        return;
    for (size_t i = 0; i < inventory->ineligible_count; i++) {
        if (name_equal(&inventory->ineligible[i].device, &hostdev->source))
            findings_at(found, FINDING_ERROR, "ineligible", file, line,
                        "%s is to be on %s, %s; 'vgpuctl explain' tells where it could be",
                        hostdev->alias, hostdev->source.text, inventory->ineligible[i].why);
    }
    for (size_t i = 0; i < inventory->parent_count; i++) {
        if (name_equal(&inventory->parents[i]->name, &hostdev->source) &&
            inventory->parents[i]->interface->hostdev != REQUEST_PCI)
            findings_at(found, FINDING_ERROR, "other-kind", file, line,
                        "%s is to be on %s, which takes mediated devices (<hostdev "
                        "type='mdev'>); 'vgpuctl explain' tells where it could be",
                        hostdev->alias, hostdev->source.text);
    }
    report_old_libvirt(inspection, hostdev, line);
    warn_of_other(inspection, hostdev, node);
}

static void
check_hostdevs(const struct inspection *inspection)
{
    const struct request *request = &inspection->request;
    xmlNodePtr node = NULL;
    size_t i = 0, ordinal = 0, ramfb = 0;

    while (i < request->hostdev_count && (node = next_device(inspection->tree, node, "hostdev"))) {
        if (request->hostdevs[i].ordinal != ordinal++)
            continue;
        if (request->hostdevs[i].kind == REQUEST_PCI)
            check_function(inspection, &request->hostdevs[i], node);
        else
            check_mediated(inspection, &request->hostdevs[i], node);
        i++;
        if (tree_attribute_is(node, "ramfb", "on") && ++ramfb > 1)
            findings_at(inspection->check->found, FINDING_WARNING, "ramfb", inspection->check->file,
                        (unsigned)xmlGetLineNo(node),
                        "ramfb='on' on more than one <hostdev>: QEMU takes one; take it out of "
                        "the others");
    }
    if (*inspection->unasked.text && wants_functions(inspection))
        findings_at(inspection->check->found, FINDING_WARNING, "shared-device",
                    inspection->check->file, 0,
                    "whether other domains have its virtual functions is not known: %s",
                    inspection->unasked.text);
}

/* libvirt would drop the alias, so the hook would not see it and would refuse the start. */
static void
check_alias(const struct inspection *inspection, const struct request_hostdev *hostdev,
            xmlNodePtr node)
{
    if (hostdev->alias && hostdev->device != SIZE_MAX && !request_keeps_alias(hostdev->alias))
        findings_at(inspection->check->found, FINDING_ERROR, "alias", inspection->check->file,
                    (unsigned)xmlGetLineNo(node),
                    "libvirt drops the alias %s of the <hostdev>, as it does not begin with ua-: "
                    "no <vgpu:device> would find it; call it ua-%s in both",
                    hostdev->alias, hostdev->alias);
}

/* Reports what makes a start fail. */
static void
check_each(const struct inspection *inspection)
{
    const struct request *request = &inspection->request;
    xmlNodePtr node = NULL;
    size_t i = 0, ordinal = 0;

    while (i < request->hostdev_count && (node = next_device(inspection->tree, node, "hostdev"))) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];

        if (hostdev->ordinal != ordinal++)
            continue;
        i++;
        check_alias(inspection, hostdev, node);
        /* With pools or profiles, managed='yes' may be right. This is judged later, with the
         * demand. */
        if (hostdev->kind == REQUEST_PCI && hostdev->is_managed && demand_is_explicit(hostdev) &&
            !(inspection->check->policy && policy_lends_any(inspection->check->policy)))
            findings_at(inspection->functions, FINDING_ERROR, "managed", inspection->check->file,
                        (unsigned)xmlGetLineNo(node),
                        "the <hostdev> %s is to be a vGPU and says managed='yes': libvirt would "
                        "take it from its GPU's driver; say managed='no'",
                        hostdev->alias);
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

int
domain_check(const struct domain_check *check, const struct document *document, struct error *error)
{
    AUTO(inspection_clear)
    struct inspection inspection = {.check = check, .first = check->found->count};
    int rc = request_parse_draft(document, &inspection.request, error);

    if (rc < 0)
        return rc;
    inspection.functions = check->without_functions ? &inspection.aside : check->found;
    /* The parser has refused document types and their entities before. */
    inspection.tree = xml_tree_read(document);
    if (!inspection.tree)
        return error_set(error, -ENOMEM, "no memory for the XML");
    tell_faults(&inspection, false);
    check_each(&inspection);
    /* The links between elements are judged only if each element is right. */
    if (!is_faulty(&inspection))
        inspection.known = find_demands(&inspection);
    ask_domains(&inspection);
    if (inspection.snapshot.demands.count ||
        (inspection.known && has_functions(&inspection.request)))
        rc = look_at_host(&inspection, error);
    if (rc < 0)
        return rc;
    check_hostdevs(&inspection);
    check_singles(&inspection);
    if (!check->without_feasibility)
        foresee_cards(&inspection);
    if (inspection.disabled && inspection.snapshot.demands.count)
        findings_at(check->found, FINDING_WARNING, "disabled", check->file, 0,
                    "%s says enabled = false: until it says true, no guest is given a vGPU",
                    inspection.snapshot.policy.enabled_origin);
    if (inspection.snapshot.demands.count == 0 || is_faulty(&inspection) ||
        check->without_feasibility)
        return (int)inspection.snapshot.demands.count;
    if (inspection.snapshot.inventory.gpu_count)
        check_feasibility(&inspection);
    else
        findings_at(check->found, FINDING_WARNING, "no-gpus", check->file, 0,
                    "no GPU on this host offers vGPUs: whether it could have its own is not "
                    "known");
    return (int)inspection.snapshot.demands.count;
}
