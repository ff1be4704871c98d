/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/managed-save.h"
#include "base/durable.h"
#include "base/safe-open.h"
#include "base/shell-word.h"
#include "migrate/departure.h"
#include "xml/xml-tree.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#define SAVES "var/lib/libvirt/qemu/save" /* where libvirt's QEMU driver saves (qemu_conf.c) */

/* A device of the host that is no vGPU of ours stays with the guest's QEMU, which cannot save it.
 */
static int
check_devices(const struct request *request, const struct demands *demands, struct error *error)
{
    if (request->others.count)
        return error_refuse(error, ERROR_NEVER,
                            "%s cannot be saved: it has the host's device %s, which is no vGPU",
                            request->name, request->others.items[0].text);
    for (size_t i = 0; i < request->hostdev_count; i++) {
        const struct name *source = &request->hostdevs[i].source;

        if (!demands_name(demands, source))
            return error_refuse(error, ERROR_NEVER,
                                "%s cannot be saved: it has the host's device %s, which is no vGPU "
                                "of ours",
                                request->name, source->text);
    }
    return 0;
}

/* What the drivers tell of their vGPUs. Where they tell nothing, QEMU finds out. */
static int
check_drivers(const struct host *host, const struct request *request, const struct demands *demands,
              struct error *error)
{
    const struct domain domain = {.is_running = true};
    const struct migrating_guest guest = {
        .label = request->name,
        .domain = &domain,
        .request = request,
        .demands = *demands,
    };
    AUTO(departure_clear) struct departure departure = {0};

    departure_take(&departure, host, &guest);
    for (size_t i = 0; i < departure.count; i++) {
        const struct departing_device *device = &departure.devices[i];
        char text[256];

        if (departing_device_judge_features(device, text, sizeof(text)) == MIGRATE_NO ||
            departing_device_judge_params(device, text, sizeof(text)) == MIGRATE_NO)
            return error_refuse(error, ERROR_NEVER, "%s cannot be saved: %s: %s", guest.label,
                                guest.demands.items[i].label, text);
    }
    return 0;
}

/* Whether all that the guest has in memory would fit where libvirt saves. */
static int
check_space(const struct host *host, const struct request *request, uint64_t need,
            struct error *error)
{
    AUTO_CLOSE int fd = host_open(host, SAVES, O_PATH | O_DIRECTORY, 0);
    struct statvfs space;
    uint64_t free_mib;

    if (fd < 0 || fstatvfs(fd, &space) < 0)
        return 0;
    free_mib = space.f_bavail * (space.f_frsize >> 10) >> 10;
    if (free_mib >= need)
        return 0;
    return error_refuse(error, ERROR_NO_ROOM,
                        "%s cannot be saved: its memory and its vGPUs have %llu MiB, and /" SAVES
                        " has %llu MiB left",
                        request->name, (unsigned long long)need, (unsigned long long)free_mib);
}

int
managed_save_check_domain(const struct connection_domain *domain, struct error *error)
{
    if (!domain->is_running)
        return error_refuse(error, ERROR_FAILED,
                            "%s does not run: its next start finds a place by itself",
                            domain->name);
    if (!domain->is_persistent)
        return error_refuse(
            error, ERROR_NEVER,
            "%s cannot be saved: libvirt keeps no saved state of a transient domain", domain->name);
    if (!domain->is_saved)
        return 0;
    error_refuse(error, ERROR_TAKEN, "%s has an older saved state, which the new one would replace",
                 domain->name);
    error_advise_command(error, "drop it with", "virsh managedsave-remove %s",
                         shell_word(domain->name).text);
    return REFUSED;
}

int
managed_save_check_guest(const struct host *host, const struct request *request,
                         const struct demands *demands, unsigned framebuffer,
                         const struct document *xml, struct error *error)
{
    int rc = check_devices(request, demands, error);

    if (rc == 0)
        rc = check_drivers(host, request, demands, error);
    return rc < 0 ? rc : check_space(host, request, managed_save_memory(xml) + framebuffer, error);
}

/* The name of the file is that of qemuDomainManagedSavePath (libvirt's qemu_domain.c). */
bool
managed_save_exists(const struct host *host, const char *domain)
{
    return !strchr(domain, '/') && host_exists(host, SAVES "/%s.save", domain);
}

/* --- how long it takes ------------------------------------------------------------------------ */

#define DIRECTORY "var/lib/libvirt-vgpu"
#define NAME      "last-pause"
#define MOST      (UINT64_C(1) << 40) /* of both figures, so that their product can be computed */

uint64_t
managed_save_memory(const struct document *xml)
{
    xmlDocPtr tree = xml_tree_read(xml);
    xmlNodePtr memory =
        tree ? xml_tree_next(xmlDocGetRootElement(tree), NULL, "memory", NULL) : NULL;
    xmlChar *text = memory ? xmlNodeGetContent(memory) : NULL;
    uint64_t kibibytes = text ? strtoull((const char *)text, NULL, 10) : 0;

    xmlFree(text);
    xmlFreeDoc(tree);
    return kibibytes >> 10;
}

/* Without the figure only an estimate is missing, so a failure is not told. */
void
managed_save_note_pause(const struct host *host, uint64_t mebibytes, uint64_t milliseconds)
{
    char text[64];

    snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 "\n", mebibytes, milliseconds);
    (void)!durable_write(host, DIRECTORY, NAME, text);
}

unsigned
managed_save_estimate_pause(const struct host *host, uint64_t mebibytes)
{
    uint64_t size, time;
    char text[64];

    if (host_read(host, text, sizeof(text), "%s", DIRECTORY "/" NAME) < 0 ||
        sscanf(text, "%" SCNu64 " %" SCNu64, &size, &time) != 2 || size == 0 || size > MOST ||
        time > MOST || mebibytes > MOST)
        return 0;
    return (unsigned)((double)mebibytes * (double)time / (double)size / 1000) + 1;
}
