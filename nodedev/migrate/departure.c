/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/departure.h"
#include "base/memory.h"
#include "base/shell-word.h"
#include "device/nvidia.h"
#include "migrate/migrating-guest.h"
#include "vendor/card-vendor.h"

#include <stdio.h>
#include <string.h>

#define DEBUGFS "sys/kernel/debug/vfio"

static void
read_features(struct departing_device *device, const struct host *host)
{
    const char *name = device->name.text;

    device->has_features = host_read(host, device->features, sizeof(device->features),
                                     DEBUGFS "/%s/migration/features", name) >= 0;
    device->has_state = host_exists(host, DEBUGFS "/%s/migration/state", name);
    device->is_listed = host_exists(host, DEBUGFS "/%s", name);
}

static void
read_params(struct departing_device *device, const struct host *host, const struct demand *demand)
{
    char asked[VGPU_PARAMS];
    ssize_t length = 0;
    struct vgpu vgpu;
    struct name gpu;

    if (device->is_running) {
        length = vgpu_find(host, &device->name, &vgpu, &gpu);
        if (length == 0)
            length = nvidia_read_params(host, &vgpu, device->params, VGPU_PARAMS);
    }
    device->params_error = length < 0 ? (int)length : 0;
    length = length < 0 ? 0 : length;
    demand_params(demand, asked, sizeof(asked));
    snprintf(device->params + length, sizeof(device->params) - (size_t)length, " %s", asked);
}

void
departure_take(struct departure *ret, const struct host *host, const struct migrating_guest *guest)
{
    const struct demands *demands = &guest->demands;

    *ret = (struct departure){.devices = memory_zeroed(demands->count, sizeof(*ret->devices))};
    if (host_read(host, ret->kernel, sizeof(ret->kernel), "proc/sys/kernel/osrelease") < 0)
        *ret->kernel = '\0';
    if (nvidia_read_version(host, ret->manager, sizeof(ret->manager)) < 0)
        *ret->manager = '\0';
    for (; ret->count < demands->count; ret->count++) {
        const struct demand *demand = &demands->items[ret->count];
        struct departing_device *device = &ret->devices[ret->count];

        device->name = demand->hostdev->source;
        device->is_running = guest->domain->is_running;
        device->is_one_of_several = guest->request->hostdev_count > 1;
        if (device->is_running)
            read_features(device, host);
        read_params(device, host, demand);
    }
}

void
departure_clear(struct departure *departure)
{
    free(departure->devices);
    *departure = (struct departure){0};
}

/* Whether the device has a feature. The features have a line each. */
static bool
has_feature(const struct departing_device *device, const char *word)
{
    size_t length = strlen(word);
    const char *line = device->features;

    for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strcspn(line, "\n") == length && !strncmp(line, word, length))
            return true;
    }
    return false;
}

enum migrate_answer
departing_device_judge_features(const struct departing_device *device, char *text, size_t size)
{
    if (!device->is_running || !device->is_listed) {
        snprintf(text, size, "whether its driver here migrates it is not known: %s%s%s",
                 device->is_running ? "there is no /" DEBUGFS "/" : "its guest does not run",
                 device->is_running ? device->name.text : "", device->is_running ? " to read" : "");
        return MIGRATE_UNKNOWN;
    }
    if (device->has_features ? !has_feature(device, "stop-copy") : !device->has_state) {
        snprintf(text, size, "its driver here does not migrate it, says /" DEBUGFS "/%s",
                 device->name.text);
        return MIGRATE_NO;
    }
    if (device->has_features && device->is_one_of_several && !has_feature(device, "p2p")) {
        snprintf(text, size,
                 "its driver here does not have p2p, which QEMU wants of each of several devices");
        return MIGRATE_NO;
    }
    snprintf(text, size, "its driver here migrates it");
    return MIGRATE_YES;
}

enum migrate_answer
departing_device_judge_params(const struct departing_device *device, char *text, size_t size)
{
    const char *name = nvidia_find_immovable(device->params);

    if (name) {
        snprintf(text, size,
                 "it has the parameter %s, and NVIDIA's driver migrates no vGPU with unified "
                 "memory, debuggers or profilers",
                 name);
        return MIGRATE_NO;
    }
    if (device->params_error) {
        snprintf(text, size, "which parameters it has is not known (%s)",
                 strerror(-device->params_error));
        return MIGRATE_UNKNOWN;
    }
    snprintf(text, size, "it has no parameter for unified memory, debuggers or profilers");
    return MIGRATE_YES;
}

/* --- what an administrator has to know that no host can tell ---------------------------------- */

#define USUAL_PAUSE 300 /* ms: QEMU's downtime-limit */

/* What NVIDIA requires to be equal on both hosts, because no libvirt tells it. */
static void
add_drivers(const char *manager, struct findings *found)
{
    findings_add(
        found, FINDING_NOTE, "nvidia-driver",
        "%s%s%s; up to RHEL 9.4 both have to be the same, from 9.6 on NVIDIA's release notes "
        "say which go together",
        *manager ? "NVIDIA's vGPU manager has version " : "", manager,
        *manager ? " here, and which there is not known"
                 : "which version NVIDIA's vGPU manager has here is not known, nor which there");
    findings_add(found, FINDING_NOTE, "ecc",
                 "whether ECC is on, here and there, is not known, and it has to be the same: "
                 "'nvidia-smi --query-gpu=pci.bus_id,ecc.mode.current --format=csv' tells it on "
                 "each");
}

/* A vGPU of such a board may go where libvirt tells no PCI ids. */
static void
add_boards(const struct inventory_gpu *gpu, struct findings *found)
{
    findings_add(
        found, FINDING_NOTE, "boards",
        "%s, nor between boards of one name and two sizes, as H100 PCIe (80 GB) and H100 NVL "
        "(94 GB); 'lspci -nn' tells the boards of each host",
        card_vendor_find(card_vendor_built_in, gpu->vendor)->families);
}

/* The guest's own driver forbids it below version 1.27 of the GuC's interface, which firmware 70.54
 * has (Linux 2e2dab20dd66). */
static void
add_firmware(const struct demand *demand, struct findings *found)
{
    findings_add(
        found, FINDING_NOTE, "guest-firmware",
        "%s: only the guest knows whether its own xe can migrate: it takes firmware of the GuC "
        "70.54 or later ('dmesg' in the guest tells it)",
        demand->label);
}

static void
add_vendors(const struct migrating_guest *guest, const struct inventory *here, const char *manager,
            struct findings *found)
{
    const struct inventory_gpu *board = NULL;
    bool needs_alike_drivers = false;

    for (size_t i = 0; i < guest->demands.count; i++) {
        const struct demand *demand = &guest->demands.items[i];
        const struct migrating_device device = {
            .here = here, .demand = demand, .has = migrating_guest_type(guest, here, demand)};

        needs_alike_drivers |= migrating_device_may_need_alike_drivers(&device);
        if (device.has && card_vendor_family(device.has->gpu))
            board = device.has->gpu;
        if (device.has && *device.has->recipe.text)
            add_firmware(demand, found);
    }
    if (needs_alike_drivers)
        add_drivers(manager, found);
    if (board)
        add_boards(board, found);
}

/* A network of 10 Gbit/s takes 1 ms per MiB, with a reserve. */
static void
add_pause(const struct migrating_guest *guest, const struct inventory *here, struct findings *found)
{
    const char *name = guest->domain->name;
    unsigned size = 0;

    for (size_t i = 0; i < guest->demands.count; i++) {
        const struct inventory_type *has =
            migrating_guest_type(guest, here, &guest->demands.items[i]);

        size += has ? has->framebuffer : 0;
    }
    if (size > USUAL_PAUSE)
        findings_add(found, FINDING_NOTE, "converge",
                     "to converge: 'virsh migrate-setmaxdowntime %s %u' while it migrates, as "
                     "%u MiB of frame buffer may change up to the end; no --postcopy",
                     shell_word(name).text, size, size);
    else
        findings_add(found, FINDING_NOTE, "converge",
                     "to converge: a longer pause if it does not end, as with 'virsh "
                     "migrate-setmaxdowntime %s 1000' while it migrates; no --postcopy",
                     shell_word(name).text);
}

void
departure_add_notes(const struct departure *departure, const struct migrating_guest *guest,
                    const struct inventory *here, struct findings *found)
{
    if (guest->demands.count == 0)
        return;
    findings_add(found, FINDING_NOTE, "hook",
                 "that the hook is installed there, and what vgpu.conf there allows (gpus, "
                 "classes, quotas), no libvirt tells");
    findings_add(found, FINDING_NOTE, "driver",
                 "only QEMU finds out whether the driver there migrates this vGPU");
    add_vendors(guest, here, departure->manager, found);
    if (guest->domain->is_running)
        add_pause(guest, here, found);
    else
        findings_add(found, FINDING_NOTE, "offline",
                     "%s does not run: 'virsh migrate --offline' moves its definition, "
                     "which needs no room and no vGPU",
                     guest->domain->name);
}
