/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The virtual functions of NVIDIA's GPUs: whether they exist, and whether a guest can get a vGPU on
 * them. With vendor-specific VFIO, libvirt has to leave a function its driver (managed='no').
 * libvirt can do so since 9.7.0, and with the kernel's vfio-dev since 6.1.
 */

#include "base/array.h"
#include "base/text.h"
#include "device/pci.h"
#include "doctor/diagnosis.h"
#include "libvirt/version.h"
#include "sriov/sriov-gpu.h"
#include "vendor/card-vendor.h"

#include <stdio.h>
#include <string.h>

#define MOST_NAMED 8 /* functions named in one finding */

/* Whether the kernel's own driver for NVIDIA's cards drives a card. That driver makes vGPUs by
 * ioctls, and shows none in /sys. */
static bool
is_of_nova(const struct host *host, const struct sriov_gpu *card)
{
    return card_vendor_has_card(&card_vendor_nvidia, host, &card->address) &&
           ARRAY_HAS(card->functions.items, card->functions.count, function,
                     !strcmp(pci_driver(host, function).text, "nvidia-vgpu-vfio-pci"));
}

static bool
is_nvidias(const struct host *host, const struct sriov_gpu *card)
{
    return card_vendor_has_card(&card_vendor_nvidia, host, &card->address) &&
           !is_of_nova(host, card);
}

static bool
has_its_driver(const struct host *host, const struct name *function)
{
    return !strcmp(pci_driver(host, function).text, "nvidia");
}

static bool
has_types(const struct host *host, const struct name *function)
{
    return host_exists(host, PCI_DEVICES "/%s/nvidia/current_vgpu_type", function->text);
}

static bool
has_mdev(const struct host *host, const struct name *function)
{
    return host_exists(host, PCI_DEVICES "/%s/mdev_supported_types", function->text);
}

static bool
has_no_driver(const struct host *host, const struct name *function)
{
    return !has_its_driver(host, function);
}

static bool
is_no_parent(const struct host *host, const struct name *function)
{
    return has_its_driver(host, function) && !has_types(host, function) &&
           !has_mdev(host, function);
}

static bool
has_no_vfio(const struct host *host, const struct name *function)
{
    return has_its_driver(host, function) && has_types(host, function) &&
           !host_exists(host, PCI_DEVICES "/%s/vfio-dev", function->text);
}

/* Names of some functions of a card for people, as in "0000:3d:00.4, 0000:3d:00.5 and 3 others". */
struct listing {
    char text[512];
    size_t count;
    const struct name *first;
};

/* Adds a function. If it has not its GPU's driver, its driver is named, and its type if it still
 * has one. */
static void
list_function(const struct host *host, const struct name *function, struct text *list)
{
    const struct name driver = pci_driver(host, function);
    const char *called = *driver.text ? driver.text : "none";
    struct name gpu;
    struct vgpu vgpu;

    text_join(list, ", ", "%s", function->text);
    if (has_its_driver(host, function))
        return;
    if (vgpu_find(host, function, &vgpu, &gpu) == 0)
        text_add(list, " (%s, with the type %s)", called, vgpu.type.text);
    else
        text_add(list, " (%s)", called);
}

static struct listing
list_functions(const struct host *host, const struct sriov_gpu *card,
               bool (*concerns)(const struct host *host, const struct name *function))
{
    struct listing ret = {0};
    struct text list = text_on(ret.text, sizeof(ret.text));

    for (size_t i = 0; i < card->functions.count; i++) {
        const struct name *function = &card->functions.items[i];

        if (!concerns(host, function))
            continue;
        if (ret.count < MOST_NAMED)
            list_function(host, function, &list);
        ret.first = ret.first ? ret.first : function;
        ret.count++;
    }
    if (ret.count > MOST_NAMED)
        text_add(&list, " and %zu others", ret.count - MOST_NAMED);
    return ret;
}

static void
command_enabling_again(struct diagnosis *diagnosis, const struct sriov_gpu *card)
{
    diagnosis_command(diagnosis, "vgpuctl sriov disable %s", card->address.text);
    diagnosis_command(diagnosis, "vgpuctl sriov enable %s", card->address.text);
}

/* How vgpu.conf declares the card; empty if it does not. */
static struct policy_setup
declared(const struct diagnosis *diagnosis, const struct sriov_gpu *card)
{
    const struct policy_gpu *said = policy_find_gpu(&diagnosis->policy, &card->address);

    return said ? said->setup : (struct policy_setup){0};
}

/* --- they would have no driver --- */

static void
check_probing(struct diagnosis *diagnosis, const struct sriov_gpu *card)
{
    const char *address = card->address.text;
    uint64_t probe;

    if (host_read_number(diagnosis->host, &probe, PCI_DEVICES "/%s/sriov_drivers_autoprobe",
                         address) < 0 ||
        probe != 0)
        return;
    diagnosis_add(diagnosis,
                  "sriov_drivers_autoprobe of the GPU %s is 0: its virtual functions get no driver",
                  address);
    diagnosis_command(diagnosis, "echo 1 >/" PCI_DEVICES "/%s/sriov_drivers_autoprobe", address);
    diagnosis_advise(diagnosis, "then, without guests on it:");
    command_enabling_again(diagnosis, card);
}

/* --- they have another driver --- */

static void
check_drivers(struct diagnosis *diagnosis, const struct sriov_gpu *card)
{
    const struct listing listing = list_functions(diagnosis->host, card, has_no_driver);

    if (listing.count == 0)
        return;
    diagnosis_add(diagnosis,
                  "virtual functions of the GPU %s do not have its driver, so no vGPU can be made "
                  "on them: %s",
                  card->address.text, listing.text);
    diagnosis_advise(
        diagnosis,
        "'virsh nodedev-reattach %s', while no guest has it; if it takes no type then, "
        "and without guests on the GPU:",
        diagnosis_node_name(listing.first).text);
    command_enabling_again(diagnosis, card);
}

/* --- the driver offers nothing on them --- */

static void
check_interface(struct diagnosis *diagnosis, const struct sriov_gpu *card)
{
    const struct listing listing = list_functions(diagnosis->host, card, is_no_parent);

    if (listing.count == 0)
        return;
    diagnosis_add(diagnosis,
                  "virtual functions of the GPU %s are no parents of vGPUs, although they have its "
                  "driver: %s",
                  card->address.text, listing.text);
    diagnosis_advise(diagnosis, "NVIDIA's vGPU manager may not be up:");
    diagnosis_command(diagnosis, "systemctl status nvidia-vgpud nvidia-vgpu-mgr");
    diagnosis_advise(diagnosis, "then, without guests on the GPU:");
    command_enabling_again(diagnosis, card);
}

/* A partitioned GPU without a free instance rightly offers nothing; it then has vGPUs. "setup"
 * reports a GPU that is to have instances. "mig-types" reports a GPU that has some. */
static void
check_types(struct diagnosis *diagnosis, const struct sriov_gpu *card)
{
    const struct inventory_gpu *gpu = inventory_find_gpu(&diagnosis->inventory, &card->address);

    check_interface(diagnosis, card);
    if (declared(diagnosis, card).instances.count || !gpu || !gpu->is_partial ||
        inventory_offers(gpu) || inventory_lacks_types(gpu))
        return;
    diagnosis_add(diagnosis,
                  "the GPU %s has no vGPU, and its driver offers no type on any of its virtual "
                  "functions",
                  card->address.text);
    diagnosis_command(diagnosis, "systemctl status nvidia-vgpud nvidia-vgpu-mgr");
    diagnosis_advise(diagnosis, "if it is partitioned (MIG), make GPU instances first");
}

/* --- libvirt would not give them to a guest --- */

static void
check_vfio(struct diagnosis *diagnosis, const struct sriov_gpu *card)
{
    const struct listing listing = list_functions(diagnosis->host, card, has_no_vfio);

    if (listing.count == 0)
        return;
    diagnosis_add(diagnosis,
                  "virtual functions of the GPU %s have no vfio-dev, so libvirt gives them to no "
                  "guest: %s",
                  card->address.text, listing.text);
    diagnosis_advise(diagnosis, "boot Linux 6.1 or later");
}

static void
check_libvirt(struct diagnosis *diagnosis)
{
    const struct inventory *inventory = &diagnosis->inventory;
    unsigned version = diagnosis->references.libvirt_version;
    const struct version_lack lack = version_lack(version);
    struct inventory_parent *const *function =
        ARRAY_FIND(inventory->parents, inventory->parent_count, parent,
                   version_lacks(version, (*parent)->interface));

    if (!function)
        return;
    diagnosis_add(diagnosis, "%s, as vGPUs of the GPU %s have to", lack.what,
                  (*function)->gpu->name.text);
    diagnosis_advise(diagnosis, "%s", lack.remedy);
}

/* --- they are another driver's --- */

static void
check_nova(struct diagnosis *diagnosis, const struct sriov_gpu *card)
{
    diagnosis_add(diagnosis,
                  "the GPU %s is driven by nova-core (its virtual functions by "
                  "nvidia-vgpu-vfio-pci), whose vGPUs are not supported yet",
                  card->address.text);
    diagnosis_advise(diagnosis, "bind it to NVIDIA's own driver, or wait for a later libvirt-vgpu");
}

const struct diagnosis_check function_checks[] = {
    {"nova-core", FINDING_WARNING, .look_at_card = check_nova, .concerns = is_of_nova},
    {"function-probe", FINDING_WARNING, .look_at_card = check_probing, .concerns = is_nvidias},
    {"function-driver", FINDING_WARNING, .look_at_card = check_drivers, .concerns = is_nvidias},
    {"function-types", FINDING_WARNING, .look_at_card = check_types, .concerns = is_nvidias},
    {"function-vfio", FINDING_ERROR, .look_at_card = check_vfio, .concerns = is_nvidias},
    {"libvirt-version", FINDING_ERROR, .look = check_libvirt},
    {0},
};
