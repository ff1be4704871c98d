/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/migrate-check.h"
#include "base/array.h"
#include "device/vgpu.h"
#include "libvirt/version.h"
#include "migrate/departure.h"
#include "migrate/migrating-guest.h"
#include "migrate/remote-placement.h"

#include <string.h>

#define LEAST_LIBVIRT_START 6005000 /* for a guest that is started there */
#define LEAST_LIBVIRT       8006000
#define LEAST_QEMU          8001000
#define LEAST_LIBVIRT_PCI   10000000 /* for virtual functions */
#define LEAST_QEMU_PCI      8002002
#define LEAST_LIBVIRT_KIND                                                                         \
    11000000 /* for a mediated device that becomes a virtual function, and the reverse */
#define LEAST_KERNEL_MAJOR 5
#define LEAST_KERNEL_MINOR 18

struct check {
    const struct migrate_check *migration;
    struct migrate_verdict *verdict;
    struct remote_placement all;  /* the vGPUs that have a type there */
    struct remote_placement told; /* the same, without those that may go where nothing is told */
};

/* --- The hosts --- */

static void
check_other_host(struct check *check)
{
    const struct remote_host *from = check->migration->from, *to = check->migration->to;

    if (!strcmp(from->uri, to->uri) || (*from->uuid.text && name_equal(&from->uuid, &to->uuid)))
        migrate_verdict_add(check->verdict, "same-host", MIGRATE_NO, "%s is this host", to->uri);
    else if (!*from->uuid.text || !*to->uuid.text)
        migrate_verdict_add(check->verdict, "same-host", MIGRATE_UNKNOWN,
                            "whether %s is another host: one of them has no UUID", to->uri);
    else
        migrate_verdict_add(check->verdict, "same-host", MIGRATE_YES, "%s is another host, %s",
                            to->uri, to->uuid.text);
}

/* libvirt refuses a guest whose name or UUID another guest there has. */
static void
check_name(struct check *check)
{
    const struct domain *domain = check->migration->guest->domain;
    const struct domains *there = &check->migration->to->domains;

    for (size_t i = 0; i < there->count; i++) {
        const struct domain *other = &there->items[i];
        bool same_uuid = name_equal(&other->uuid, &domain->uuid);
        bool same_name = !strcmp(other->name, domain->name);

        if ((same_uuid || same_name) && (other->is_running || same_uuid != same_name)) {
            migrate_verdict_add(check->verdict, "domain-there", MIGRATE_NO,
                                "%s (%s) %s there already", other->name, other->uuid.text,
                                other->is_running ? "runs" : "is defined");
            return;
        }
    }
    migrate_verdict_add(check->verdict, "domain-there", MIGRATE_YES,
                        "no other domain there has its name or UUID");
}

/* Whether a version is at least the other one. */
static enum migrate_answer
judge_version(unsigned number, unsigned least)
{
    return number >= least ? MIGRATE_YES : number ? MIGRATE_NO : MIGRATE_UNKNOWN;
}

/* Whether the versions of both hosts are. */
static enum migrate_answer
judge_versions(unsigned here, unsigned there, unsigned least)
{
    enum migrate_answer answer = judge_version(here, least), other = judge_version(there, least);

    return other > answer ? other : answer;
}

static bool
has_function(const struct migrate_check *migration)
{
    const struct demands *demands = &migration->guest->demands;

    return ARRAY_HAS(demands->items, demands->count, demand, demand_vf(demand));
}

static void
check_software(struct check *check)
{
    const struct remote_host *from = check->migration->from, *to = check->migration->to;
    bool is_pci = has_function(check->migration);
    const char *what = is_pci ? "vGPUs that are virtual functions" : "vGPUs";
    const struct {
        const char *name;
        unsigned here, there, least;
    } rows[] = {
        {"libvirt", from->libvirt_version, to->libvirt_version,
         is_pci ? LEAST_LIBVIRT_PCI : LEAST_LIBVIRT},
        {"QEMU", from->hypervisor_version, to->hypervisor_version,
         is_pci ? LEAST_QEMU_PCI : LEAST_QEMU},
    };
    bool is_qemu = !strcmp(from->hypervisor, "QEMU") && !strcmp(to->hypervisor, "QEMU");

    for (size_t i = 0; i < (is_qemu ? COUNT(rows) : 1); i++)
        migrate_verdict_add(check->verdict, "version",
                            judge_versions(rows[i].here, rows[i].there, rows[i].least),
                            "%s %s here and %s there; %s migrate since %s", rows[i].name,
                            version_text(rows[i].here).text, version_text(rows[i].there).text, what,
                            version_text(rows[i].least).text);
    if (!is_qemu)
        migrate_verdict_add(check->verdict, "hypervisor", MIGRATE_NO,
                            "%s here and %s there; vGPUs move from QEMU to QEMU", from->hypervisor,
                            to->hypervisor);
}

/* Checks what a start of the guest needs there. */
static void
check_start(struct check *check)
{
    /* Guests of these get no vGPU. Their libvirt may list GPUs all the same. */
    static const char *const without[] = {"LXC", "Xen"};
    const struct remote_host *to = check->migration->to;
    bool is_pci = has_function(check->migration);
    unsigned least = is_pci ? VERSION_GIVES_FUNCTIONS : LEAST_LIBVIRT_START;

    migrate_verdict_add(
        check->verdict, "version", judge_version(to->libvirt_version, least),
        "libvirt %s there; guests get %s since %s", version_text(to->libvirt_version).text,
        is_pci ? "vGPUs that are virtual functions" : "vGPUs", version_text(least).text);
    if (ARRAY_HAS(without, COUNT(without), name, !strcmp(to->hypervisor, *name)))
        migrate_verdict_add(check->verdict, "hypervisor", MIGRATE_NO,
                            "%s there; vGPUs are for guests of QEMU", to->hypervisor);
}

/* Distributions also backport what is needed to older kernels. */
static void
check_kernel(struct check *check)
{
    const char *kernel = check->migration->departure->kernel;
    unsigned major, minor;

    if (sscanf(kernel, "%u.%u", &major, &minor) != 2)
        findings_add(&check->verdict->found, FINDING_NOTE, "kernel",
                     "which kernel runs here is not known, nor which there; vGPUs migrate "
                     "since 5.18");
    else if (major > LEAST_KERNEL_MAJOR ||
             (major == LEAST_KERNEL_MAJOR && minor >= LEAST_KERNEL_MINOR))
        migrate_verdict_add(check->verdict, "kernel", MIGRATE_YES,
                            "Linux %s here; vGPUs migrate since 5.18", kernel);
    else
        migrate_verdict_add(
            check->verdict, "kernel", MIGRATE_UNKNOWN,
            "Linux %s here; vGPUs migrate since 5.18, or if its distributor has put that in",
            kernel);
}

/* --- The vGPUs --- */

/* Checks whether a device can become one of the other kind, if it must. libvirt tells types of
 * mediated devices only. */
static void
check_kind(struct check *check, const struct migrating_device *device, bool is_type_known)
{
    const struct remote_host *from = check->migration->from, *to = check->migration->to;
    const struct version here = version_text(from->libvirt_version);
    const struct version there = version_text(to->libvirt_version);
    const struct request_hostdev *hostdev = device->demand->hostdev;
    const char *label = device->demand->label;
    enum migrate_answer answer =
        judge_versions(from->libvirt_version, to->libvirt_version, LEAST_LIBVIRT_KIND);
    char why[256];

    if (hostdev->kind == REQUEST_PCI && is_type_known) {
        snprintf(why, sizeof(why),
                 "it is a virtual function, and would be a mediated device there: that is since "
                 "libvirt 11.0.0, %s here and %s there",
                 here.text, there.text);
        answer = migrating_device_weigh(device, answer, why, sizeof(why));
        migrate_verdict_add(check->verdict, "device", answer, "%s: %s", label, why);
    } else if (hostdev->kind == REQUEST_MDEV && migrating_device_untold(device)) {
        findings_add(
            &check->verdict->found, FINDING_NOTE, "new-kind",
            "%s: to become a virtual function there it takes libvirt 11.0.0, %s here and %s "
            "there%s",
            label, here.text, there.text,
            hostdev->has_display ? ", and no display='on' or ramfb='on'" : "");
    }
}

/* The file names the kind of a new device, and libvirt does not let a hook change the kind at a
 * start. */
static void
check_new_kind(struct check *check, const struct migrating_device *device, bool is_type_known)
{
    enum migrate_answer answer;
    char why[256];

    if (!is_type_known || !demand_vf(device->demand))
        return;
    snprintf(why, sizeof(why),
             "it names the virtual function %s, and there it would be a mediated device",
             demand_vf(device->demand)->text);
    answer = migrating_device_weigh(device, MIGRATE_NO, why, sizeof(why));
    migrate_verdict_add(check->verdict, "device", answer, "%s: %s", device->demand->label, why);
}

static struct migrating_device
device_of(const struct migrate_check *migration, const struct demand *demand)
{
    return (struct migrating_device){
        .from = migration->from ? &migration->from->inventory : NULL,
        .to = &migration->to->inventory,
        .here = migration->here,
        .demand = demand,
        .has = migrating_guest_type(migration->guest, migration->here, demand),
        .is_new = migration->guest->is_new,
    };
}

/* A profile is a set of numbers, and each host's vgpu.conf has its own. */
static void
check_profile(struct check *check, const struct migrating_device *device)
{
    if (device->has && *device->has->recipe.text)
        findings_add(
            &check->verdict->found, FINDING_NOTE, "profile",
            "%s: the profile %s has to have the same numbers there, as the driver takes the "
            "state of no other; 'vgpuctl check --print' shows them on each host",
            device->demand->label, device->has->name);
}

/* If a class has several types, the other host chooses among them. */
static void
check_class(struct check *check, const struct migrating_device *device)
{
    const struct inventory_type *other = migrating_device_other(device);

    if (other)
        findings_add(
            &check->verdict->found, FINDING_NOTE, "type",
            "%s: the class %s means %s as well, and its state loads only into %s; 'vgpuctl move' "
            "asks for that type, 'virsh migrate' leaves the choice to the other host",
            device->demand->label, device->demand->wanted, other->name, device->has->name);
}

/* What this host's files do not tell becomes a note, because the drivers decide in the end. */
static void
tell_departure(struct check *check, const char *label, enum migrate_answer answer, const char *why)
{
    if (answer == MIGRATE_UNKNOWN)
        findings_add(&check->verdict->found, FINDING_NOTE, "device", "%s: %s", label, why);
    else
        migrate_verdict_add(check->verdict, "device", answer, "%s: %s", label, why);
}

/* Checks what only this host's files tell of a vGPU that would leave. */
static void
check_departure(struct check *check, const struct migrating_device *device,
                const struct departing_device *departing)
{
    const char *label = device->demand->label;
    enum migrate_answer answer;
    char why[256];

    answer = departing_device_judge_features(departing, why, sizeof(why));
    tell_departure(check, label, answer, why);
    if (!migrating_device_may_need_alike_drivers(device))
        return;
    answer = departing_device_judge_params(departing, why, sizeof(why));
    tell_departure(check, label, answer, why);
}

/* Checks whether a request depends on something that only the other host knows. */
static void
check_wishes(struct check *check, const struct demand *demand)
{
    const struct request *request = check->migration->guest->request;

    if (demand->terms.attributes.said[ATTRIBUTE_TRAITS])
        migrate_verdict_add(check->verdict, "traits", MIGRATE_UNKNOWN,
                            "%s: which GPUs there have the traits \"%s\" is not told",
                            demand->label, demand->terms.attributes.said[ATTRIBUTE_TRAITS]);
    if (demand->terms.attributes.chosen[ATTRIBUTE_NUMA] == NUMA_REQUIRE &&
        nodeset_is_empty(&request->nodes) && !nodeset_is_empty(&request->processors))
        migrate_verdict_add(check->verdict, "numa", MIGRATE_UNKNOWN,
                            "%s: which NUMA nodes its processors have there is not told",
                            demand->label);
}

static void
check_device(struct check *check, const struct demand *demand)
{
    const struct migrate_check *migration = check->migration;
    const struct migrating_device device = device_of(migration, demand);
    const struct inventory_filter filter = {.wants = migrating_device_suits, .data = &device};
    const char *wanted = device.has ? device.has->name : demand->wanted;
    size_t index = (size_t)(demand - migration->guest->demands.items);
    enum migrate_answer answer;
    bool is_type_known;
    char why[512];

    answer = migrating_device_judge(&device, &is_type_known, why, sizeof(why));
    answer = migrating_device_weigh(&device, answer, why, sizeof(why));
    migrate_verdict_add(check->verdict, "place", answer, "%s: %s", demand->label, why);
    if (device.is_new)
        check_new_kind(check, &device, is_type_known);
    else
        check_kind(check, &device, is_type_known);
    check_profile(check, &device);
    check_class(check, &device);
    if (!device.is_new)
        check_departure(check, &device, &migration->departure->devices[index]);
    check_wishes(check, demand);
    if (is_type_known)
        remote_placement_add(&check->all, demand, &filter, wanted);
    if (is_type_known && !migrating_device_untold(&device))
        remote_placement_add(&check->told, demand, &filter, wanted);
}

/* Checks whether there is a place for each vGPU that has a type there. If some may have a place on
 * functions of which libvirt tells nothing, there still is no place if the others have none. */
static void
check_room(struct check *check)
{
    const struct demands *demands = &check->migration->guest->demands;
    size_t all = check->all.demands.count, told = check->told.demands.count;
    enum migrate_answer answer = MIGRATE_UNKNOWN;
    char why[1024];

    if (all == 0)
        return;
    if (told > 0)
        answer = remote_placement_judge(&check->told, why, sizeof(why));
    if (told < all && answer != MIGRATE_NO) {
        answer = remote_placement_judge(&check->all, why, sizeof(why));
        for (size_t i = 0; i < demands->count; i++) {
            const struct migrating_device device = device_of(check->migration, &demands->items[i]);

            answer = migrating_device_weigh(&device, answer, why, sizeof(why));
        }
    }
    migrate_verdict_add(check->verdict, "place", answer, "%s", why);
}

/* A device that libvirt-vgpu does not manage must exist there with the same UUID or address.
 * Nothing makes it there. */
static void
check_others(struct check *check)
{
    const struct migrating_guest *guest = check->migration->guest;

    for (size_t i = 0; i < guest->request->hostdev_count; i++) {
        const struct request_hostdev *hostdev = &guest->request->hostdevs[i];
        bool is_ours = ARRAY_HAS(guest->demands.items, guest->demands.count, demand,
                                 demand->hostdev == hostdev);

        if (!is_ours && hostdev->kind == REQUEST_PCI &&
            !vgpu_has_function(check->migration->here, &hostdev->source))
            findings_add(&check->verdict->found, FINDING_NOTE, "other-device",
                         "whether %s, a PCI device and no vGPU, can go along is not looked at",
                         hostdev->source.text);
        else if (!is_ours)
            migrate_verdict_add(check->verdict, "foreign-device", MIGRATE_UNKNOWN,
                                "%s is none of ours: somebody has to make it there",
                                hostdev->source.text);
    }
}

/* --- All --- */

static void
check_hosts(struct check *check)
{
    bool is_new = check->migration->guest->is_new;

    if (!is_new)
        check_other_host(check);
    check_name(check);
    if (is_new) {
        check_start(check);
        return;
    }
    check_software(check);
    check_kernel(check);
}

void
migrate_check_run(const struct migrate_check *migration, struct migrate_verdict *ret)
{
    const struct demands *demands = &migration->guest->demands;
    struct check check = {
        .migration = migration,
        .verdict = ret,
    };
    enum demand_freedom freedom = migration->guest->is_new ? DEMAND_AS_IT_SAYS : DEMAND_ANY_KIND;

    *ret = (struct migrate_verdict){.answer = MIGRATE_YES, .why = ""};
    remote_placement_init(&check.all, migration->to, migration->guest->request, freedom);
    remote_placement_init(&check.told, migration->to, migration->guest->request, freedom);
    check_hosts(&check);
    for (size_t i = 0; i < demands->count; i++)
        check_device(&check, &demands->items[i]);
    check_room(&check);
    check_others(&check);
    if (!migration->guest->is_new)
        departure_add_notes(migration->departure, migration->guest, migration->here, &ret->found);
    if (ret->answer == MIGRATE_YES && demands->count > 0)
        ret->room = remote_placement_count(&check.all, MIGRATE_CHECK_MOST_ROOM);
    remote_placement_clear(&check.all);
    remote_placement_clear(&check.told);
}
