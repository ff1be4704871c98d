/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Faults in libvirt's domains as far as they use vGPUs; and mdevctl, which may make the same
 * vGPUs. */

#include "check/definitions-check.h"
#include "base/shell-word.h"
#include "doctor/diagnosis.h"
#include "doctor/entry.h"
#include "placement/demand.h"
#include "device/ineligible.h"
#include "device/vgpu.h"
#include "view/vgpu-walk.h"

#include <string.h>

static void
check_libvirt(struct diagnosis *diagnosis)
{
    if (!*diagnosis->libvirt_fault.text)
        return;
    diagnosis_add(diagnosis, "%s: not all domains could be looked at",
                  diagnosis->libvirt_fault.text);
    diagnosis_advise(diagnosis, "start libvirtd or virtqemud, or run it as root");
}

/* Reports what 'vgpuctl check --all' calls a fault. */
static void
check_definitions(struct diagnosis *diagnosis)
{
    AUTO(findings_clear) struct findings found = {0};
    const struct domain_check check = {
        .policy = *diagnosis->policy_fault.text ? NULL : &diagnosis->policy,
        .host = diagnosis->host,
        .domains = &diagnosis->references.domains,
        .uri = diagnosis->uri,
        .found = &found,
        .without_functions = true,
    };
    struct definitions_check sum;
    struct error failure;
    int rc;

    /* Another check reports why libvirt cannot be asked. */
    if (!diagnosis->uri || *diagnosis->libvirt_fault.text)
        return;
    rc = definitions_check_all(&check, &sum, &failure);
    for (size_t i = 0; i < found.count; i++) {
        const struct finding *finding = &found.items[i];

        if (finding->severity != FINDING_ERROR)
            continue;
        diagnosis_add(diagnosis, "a start of the domain %s would be refused: %s", finding->where,
                      finding->text);
        diagnosis_command(diagnosis, "virsh edit %s", shell_word(finding->where).text);
        diagnosis_advise(diagnosis, "'vgpuctl check --all' names the line");
    }
    if (rc < 0)
        diagnosis_add(diagnosis, "the definitions could not be checked: %s", failure.text);
}

/* Whether the device is a GPU's function. A guest may have other PCI devices. */
static bool
is_gpu_function(const struct diagnosis *diagnosis, const struct request_hostdev *hostdev)
{
    return hostdev->kind == REQUEST_PCI && *hostdev->source.text &&
           (demand_is_explicit(hostdev) ||
            vgpu_has_function(&diagnosis->inventory, &hostdev->source));
}

/* Adds the command that gives a domain another device for this one. */
static void
command_renewal(struct diagnosis *diagnosis, const struct domain *domain, const struct name *device)
{
    const struct request_hostdev *hostdev = request_find_hostdev(&domain->config, device);
    const bool is_explicit = hostdev && demand_is_explicit(hostdev);

    diagnosis_command(diagnosis, "%s %s", is_explicit ? "vgpuctl attach --renew" : "virsh edit",
                      shell_word(domain->name).text);
}

/* Reports a device once, for the first domain that names it. */
static void
add_shared(struct diagnosis *diagnosis, const struct domain *domain,
           const struct request_hostdev *hostdev, const char *what)
{
    const struct domain *first =
        domains_next_user(&diagnosis->references.domains, &hostdev->source, NULL);
    const struct domain *next;

    if (first != domain)
        return;
    for (next = first;
         (next = domains_next_user(&diagnosis->references.domains, &hostdev->source, next));) {
        diagnosis_add(diagnosis, "the domains %s and %s both name the %s %s: only one can run",
                      first->name, next->name, what, hostdev->source.text);
        diagnosis_advise(diagnosis, "give %s vGPUs of its own:", next->name);
        command_renewal(diagnosis, next, &hostdev->source);
    }
}

static void
check_shared(struct diagnosis *diagnosis, const struct domain *domain,
             const struct request_hostdev *hostdev)
{
    if (hostdev->kind == REQUEST_MDEV)
        add_shared(diagnosis, domain, hostdev, "vGPU");
}

static void
check_shared_function(struct diagnosis *diagnosis, const struct domain *domain,
                      const struct request_hostdev *hostdev)
{
    if (is_gpu_function(diagnosis, hostdev))
        add_shared(diagnosis, domain, hostdev, "virtual function");
}

/* Whether libvirt itself may bind the function to VFIO. */
static bool
is_managed(const struct diagnosis *diagnosis, const struct name *function)
{
    const struct inventory_parent *parent = inventory_find_parent(&diagnosis->inventory, function);

    return parent && parent->interface->is_managed;
}

/* With managed='yes', the hook refuses a start if the function asks for a vGPU. Otherwise libvirt
 * takes the function from its GPU's driver. */
static void
check_managed(struct diagnosis *diagnosis, const struct domain *domain,
              const struct request_hostdev *hostdev)
{
    if (!hostdev->is_managed || !is_gpu_function(diagnosis, hostdev) ||
        is_managed(diagnosis, &hostdev->source))
        return;
    diagnosis_add(
        diagnosis,
        "the domain %s says managed='yes' for the virtual function %s: that takes it from "
        "its GPU's driver, and with that its vGPU",
        domain->name, hostdev->source.text);
    diagnosis_command(diagnosis, "virsh edit %s", shell_word(domain->name).text);
    diagnosis_advise(diagnosis, "say managed='no' there");
}

static void
check_missing(struct diagnosis *diagnosis, const struct domain *domain,
              const struct request_hostdev *hostdev)
{
    char why[256];

    if (!is_gpu_function(diagnosis, hostdev) ||
        vgpu_has_function(&diagnosis->inventory, &hostdev->source))
        return;
    ineligible_explain(diagnosis->host, &hostdev->source, why, sizeof(why));
    diagnosis_add(diagnosis, "the domain %s asks for a vGPU on %s, %s", domain->name,
                  hostdev->source.text, why);
    diagnosis_advise(diagnosis, "'vgpuctl explain %s' names those that would do; then:",
                     shell_word(domain->name).text);
    diagnosis_command(diagnosis, "virsh edit %s", shell_word(domain->name).text);
}

static void
check_own(struct diagnosis *diagnosis, const struct domain *domain,
          const struct request_hostdev *hostdev)
{
    if (!name_equal(&hostdev->source, &domain->uuid))
        return;
    diagnosis_add(diagnosis, "the domain %s and its vGPU have the same UUID, %s", domain->name,
                  domain->uuid.text);
    diagnosis_advise(diagnosis, "to tell them apart in logs:");
    command_renewal(diagnosis, domain, &hostdev->source);
}

/* Reports only vGPUs that libvirt-vgpu made. Other vGPUs may be there for a reason that others
 * know. */
static void
check_orphans(struct diagnosis *diagnosis)
{
    struct vgpu_walk walk = {.ledger = &diagnosis->ledger, .inventory = &diagnosis->inventory};

    while (vgpu_walk_next(&walk)) {
        if (!walk.vgpu || !walk.lease || walk.lease->origin != LEASE_MADE ||
            !references_is_orphan(&diagnosis->references, walk.vgpu, walk.lease))
            continue;
        diagnosis_add(diagnosis, "no domain refers to the vGPU %s, which was %s's",
                      walk.device->text, walk.lease->domain_name);
        diagnosis_command(diagnosis, "vgpuctl reap %s", walk.device->text);
    }
}

/* Whether mdevctl defines a device, of any parent. */
static bool
has_definitions(const struct host *host)
{
    AUTO(names_clear) struct names parents = {0};
    bool found = false;

    if (host_list(host, &parents, "etc/mdevctl.d") < 0)
        return false;
    for (size_t i = 0; !found && i < parents.count; i++) {
        AUTO(names_clear) struct names devices = {0};

        found = strcmp(parents.items[i].text, "scripts.d") != 0 &&
                host_list(host, &devices, "etc/mdevctl.d/%s", parents.items[i].text) == 0 &&
                devices.count;
    }
    return found;
}

/* The rule names the program by its whole path: "/usr/sbin/mdevctl start-parent-mdevs". */
static void
check_mdevctl_rule(struct diagnosis *diagnosis)
{
    /* udev uses only the first of these files that exists. */
    static const char *const rules[] = {
        "etc/udev/rules.d/60-mdevctl.rules", "run/udev/rules.d/60-mdevctl.rules",
        "usr/lib/udev/rules.d/60-mdevctl.rules", "lib/udev/rules.d/60-mdevctl.rules"};
    const struct host *host = diagnosis->host;
    char text[8192];
    size_t i = 0;

    while (i < COUNT(rules) && host_read(host, text, sizeof(text), "%s", rules[i]) < 0)
        i++;
    for (char *at = i < COUNT(rules) ? strstr(text, "/mdevctl ") : NULL; at;
         at = strstr(at, "/mdevctl ")) {
        struct entry program;
        char *begin = at, *end = at + strlen("/mdevctl");

        while (begin > text && !strchr("\"' \t\n=", begin[-1]))
            begin--;
        *end = '\0';
        at = end + 1;
        if (*begin != '/' || entry_follow(host, &program, "%s", begin + 1) == 0)
            continue;
        diagnosis_add(diagnosis,
                      "/%s runs %s, which is not there: mdevctl starts no device at boot", rules[i],
                      begin);
        diagnosis_command(diagnosis, "ln -s /usr/bin/mdevctl %s", begin);
        if (!has_definitions(host))
            diagnosis_make_note(diagnosis);
        return;
    }
}

/* mdevctl makes a vGPU before the hook is asked for it, perhaps with another type. The hook then
 * finds the vGPU, and never removes it. */
static void
check_mdevctl_start(struct diagnosis *diagnosis, const struct domain *domain,
                    const struct request_hostdev *hostdev)
{
    const struct host *host = diagnosis->host;
    AUTO(names_clear) struct names parents = {0};

    if (hostdev->kind != REQUEST_MDEV || !demand_is_explicit(hostdev) ||
        host_list(host, &parents, "etc/mdevctl.d") < 0)
        return;
    for (size_t i = 0; i < parents.count; i++) {
        const char *auto_start;
        char text[8192];

        if (host_read(host, text, sizeof(text), "etc/mdevctl.d/%s/%s", parents.items[i].text,
                      hostdev->source.text) < 0)
            continue;
        auto_start = strstr(text, "\"start\"");
        if (!auto_start ||
            strncmp(auto_start + 7 + strspn(auto_start + 7, " \t\n:"), "\"auto\"", 6))
            continue;
        diagnosis_add(
            diagnosis,
            "mdevctl starts the vGPU %s automatically, and the domain %s asks us for this vGPU",
            hostdev->source.text, domain->name);
        diagnosis_command(diagnosis, "mdevctl undefine -u %s -p %s", hostdev->source.text,
                          parents.items[i].text);
    }
}

const struct diagnosis_check domain_checks[] = {
    {"libvirt", FINDING_WARNING, .look = check_libvirt},
    {"definition", FINDING_WARNING, .look = check_definitions},
    {"duplicate-uuid", FINDING_WARNING, .look_at_hostdev = check_shared},
    {"duplicate-function", FINDING_WARNING, .look_at_hostdev = check_shared_function},
    {"function-managed", FINDING_WARNING, .look_at_hostdev = check_managed},
    {"function-missing", FINDING_WARNING, .look_at_hostdev = check_missing},
    {"domain-uuid", FINDING_NOTE, .look_at_hostdev = check_own},
    {"orphan", FINDING_WARNING, .look = check_orphans},
    {"mdevctl-rule", FINDING_WARNING, .look = check_mdevctl_rule},
    {"mdevctl-start", FINDING_WARNING, .look_at_hostdev = check_mdevctl_start},
    {0},
};
