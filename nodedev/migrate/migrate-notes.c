/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/migrate-notes.h"
#include "base/printable.h"
#include "migrate/migrating-device.h"
#include "vendor/card-vendor.h"

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
                     name);
}

void
migrate_notes_add(const struct migrating_guest *guest, const struct inventory *here,
                  const char *manager, struct findings *found)
{
    if (guest->demands.count == 0)
        return;
    findings_add(found, FINDING_NOTE, "hook",
                 "that the hook is installed there, and what vgpu.conf there allows (gpus, "
                 "classes, quotas), no libvirt tells");
    findings_add(found, FINDING_NOTE, "driver",
                 "only QEMU finds out whether the driver there migrates this vGPU");
    add_vendors(guest, here, manager, found);
    if (guest->domain->is_running)
        add_pause(guest, here, found);
    else
        findings_add(found, FINDING_NOTE, "offline",
                     "%s does not run: 'virsh migrate --offline' moves its definition, "
                     "which needs no room and no vGPU",
                     guest->domain->name);
}
