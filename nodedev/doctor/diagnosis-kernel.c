/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether the kernel and its drivers offer what vGPUs need. */

#include "base/array.h"
#include "device/pci.h"
#include "doctor/diagnosis.h"
#include "vendor/card-vendor.h"

static bool
has_mdev(const struct diagnosis *diagnosis)
{
    return host_exists(diagnosis->host, "sys/bus/mdev");
}

/* Whether a GPU has virtual functions whose types its driver lists, or does not. */
static bool
has_functions(const struct host *host, bool with_types)
{
    AUTO(names_clear) struct names devices = {0};
    uint64_t enabled;

    if (host_list(host, &devices, PCI_DEVICES) < 0)
        return false;
    for (size_t i = 0; i < devices.count; i++) {
        const struct name *device = &devices.items[i];

        if (host_read_number(host, &enabled, PCI_DEVICES "/%s/sriov_numvfs", device->text) == 0 &&
            enabled && pci_is_gpu(host, device) &&
            card_vendor_of(host, device)->lists_types == with_types)
            return true;
    }
    return false;
}

/* Whether a GPU offers vGPUs. Other checks report functions and GPU instances for which no type is
 * listed. */
static bool
offers(const struct inventory *inventory)
{
    return ARRAY_HAS(inventory->gpus, inventory->gpu_count, gpu,
                     (*gpu)->is_partial || (*gpu)->type_count > 0 || inventory_lacks_types(*gpu));
}

/* vGPUs that are virtual functions need no mediated devices. On a host that has only such GPUs no
 * driver loads the module. If the functions offer nothing, another check reports it. */
static void
check_mdev(struct diagnosis *diagnosis)
{
    if (has_mdev(diagnosis) || offers(&diagnosis->inventory) ||
        has_functions(diagnosis->host, true) || has_functions(diagnosis->host, false) ||
        diagnosis_card_has_step(diagnosis, NULL))
        return;
    diagnosis_add(diagnosis, "the kernel knows no mediated devices: its module mdev is not loaded");
    diagnosis_advise(diagnosis,
                     "load the GPU's vGPU driver: modprobe nvidia_vgpu_vfio, or i915 with "
                     "enable_gvt=1; if the GPU's vGPUs are virtual functions, enable the "
                     "functions instead");
}

/* Whether the kernel was built without VFIO groups (CONFIG_VFIO_GROUP). VFIO makes "vfio-dev" in
 * any case, and "vfio" for its groups. Without groups there is no /dev/vfio/vfio, and no module
 * brings it. */
static bool
lacks_groups(const struct host *host)
{
    return !host_exists(host, "dev/vfio/vfio") && host_exists(host, "sys/class/vfio-dev") &&
           !host_exists(host, "sys/class/vfio");
}

/* libvirt passes a mediated device by its group only. From version 12.1 on it can pass a PCI device
 * without one. */
static void
check_vfio_groups(struct diagnosis *diagnosis)
{
    if (!lacks_groups(diagnosis->host))
        return;
    diagnosis_add(diagnosis, "this kernel has no VFIO groups: libvirt gives no guest a mediated "
                             "device, and a virtual function only as <driver iommufd='yes'/>");
    diagnosis_advise(diagnosis, "boot a kernel that was built with CONFIG_VFIO_GROUP=y");
}

/* Without /dev/vfio/vfio libvirt refuses every mediated device. */
static void
check_vfio(struct diagnosis *diagnosis)
{
    if (host_exists(diagnosis->host, "dev/vfio/vfio") || lacks_groups(diagnosis->host))
        return;
    diagnosis_add(diagnosis, "there is no /dev/vfio/vfio: libvirt gives no guest a vGPU");
    diagnosis_command(diagnosis, "modprobe vfio vfio_iommu_type1");
}

static void
check_offers(struct diagnosis *diagnosis)
{
    if (offers(&diagnosis->inventory) ||
        (!has_mdev(diagnosis) && !has_functions(diagnosis->host, false)) ||
        diagnosis_card_has_step(diagnosis, NULL))
        return;
    diagnosis_add(diagnosis, "no GPU on this host offers vGPUs");
    diagnosis_advise(diagnosis, "load the GPU's vGPU driver, and see its messages in the "
                                "kernel's log; some GPUs need their virtual functions enabled, or "
                                "named in a pool of vgpu.conf");
}

static void
check_configured(struct diagnosis *diagnosis)
{
    const struct inventory *inventory = &diagnosis->inventory;
    const struct policy *policy = &diagnosis->policy;

    for (size_t i = 0; i < policy->gpu_count; i++) {
        const struct policy_gpu *gpu = &policy->gpus[i];
        const struct inventory_gpu *seen = inventory_find_gpu(inventory, &gpu->address);
        bool there = seen || host_exists(diagnosis->host, PCI_DEVICES "/%s", gpu->address.text);

        if (!gpu->enabled || (seen && (inventory_offers(seen) || inventory_lacks_types(seen))) ||
            diagnosis_card_has_step(diagnosis, &gpu->address))
            continue;
        diagnosis_add(diagnosis, "%s names the GPU %s, which %s", gpu->origin, gpu->address.text,
                      there ? "offers no vGPUs" : "is not there");
        diagnosis_advise(diagnosis, "%s",
                         there ? "load its vGPU driver, or say \"enabled = false\" for it"
                               : "correct its address ('vgpuctl gpus' shows those there are), or "
                                 "say \"enabled = false\" for it");
    }
}

const struct diagnosis_check kernel_checks[] = {
    {"module-mdev", FINDING_ERROR, .look = check_mdev},
    {"module-vfio", FINDING_ERROR, .look = check_vfio},
    {"vfio-groups", FINDING_ERROR, .look = check_vfio_groups},
    {"no-types", FINDING_ERROR, .look = check_offers},
    {"gpu-missing", FINDING_WARNING, .look = check_configured},
    {0},
};
