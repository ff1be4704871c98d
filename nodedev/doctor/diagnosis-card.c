/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Cards that could give vGPUs and give none, and the next step of each, in the order of a first
 * day. The card needs another driver, then virtual functions, then profiles or a pool in vgpu.conf.
 *
 * On a host where another GPU gives vGPUs the step is mostly a note. A card is passed over if it
 * can give none, if vgpu.conf disables it, or if a domain has the card itself.
 */

#include "doctor/diagnosis.h"
#include "base/array.h"
#include "base/text.h"
#include "device/pci.h"
#include "libvirt/version.h"
#include "sriov/sriov-gpu.h"
#include "vendor/card-vendor.h"

#include <string.h>

enum step {
    STEP_NONE,
    STEP_DRIVER,
    STEP_FUNCTIONS,
    STEP_SETUP, /* functions are declared, and "setup" or "setup-old-unit" reports it */
    STEP_PROFILES,
    STEP_POOLS,
};

struct new_card {
    struct name address;
    const struct card_vendor *row; /* of its vendor */
    struct name driver;            /* "": none */
    struct sriov_gpu sriov;        /* all 0: it can have no functions */
};

static void
new_card_clear(struct new_card *card)
{
    sriov_gpu_clear(&card->sriov);
}

static bool
gives(const struct diagnosis *diagnosis, const struct name *address)
{
    const struct inventory_gpu *gpu = inventory_find_gpu(&diagnosis->inventory, address);

    return gpu && (inventory_offers(gpu) || inventory_lacks_types(gpu) || gpu->is_partial);
}

static bool
is_a_domains(const struct diagnosis *diagnosis, const struct name *address)
{
    struct domains_walk walk = {0};

    while (domains_next_hostdev(&diagnosis->references.domains, &walk)) {
        if (name_equal(&walk.hostdev->source, address))
            return true;
    }
    return false;
}

/* Reads a PCI device. False: it is no card to speak of. */
static bool
read_card(const struct diagnosis *diagnosis, const struct name *address, struct new_card *ret)
{
    const struct host *host = diagnosis->host;
    const struct policy_gpu *said = policy_find_gpu(&diagnosis->policy, address);
    bool has_functions;

    *ret = (struct new_card){.address = *address, .row = card_vendor_of(host, address)};
    if (!ret->row->drivers || host_exists(host, PCI_DEVICES "/%s/physfn", address->text) ||
        (said && !said->enabled) || gives(diagnosis, address) || is_a_domains(diagnosis, address) ||
        !pci_is_gpu(host, address))
        return false;
    ret->driver = pci_driver(host, address);
    has_functions = sriov_gpu_read(host, address, &ret->sriov) == 0;
    return has_functions || (ret->row->may_give && ret->row->may_give(host, address));
}

/* Whether the card's driver makes vGPUs. If it has functions, it does. An emulated card
 * (tests/cards) has a driver of its own. */
static bool
has_right_driver(const struct host *host, const struct new_card *card)
{
    const char *const *driver = card->row->drivers;

    while (*driver && strcmp(*driver, card->driver.text))
        driver++;
    return *driver || card->sriov.enabled ||
           host_exists(host, PCI_DEVICES "/%s/emulated", card->address.text);
}

static bool
has_pool(const struct diagnosis *diagnosis, const struct new_card *card)
{
    return ARRAY_HAS(card->sriov.functions.items, card->sriov.functions.count, function,
                     policy_pool_of(&diagnosis->policy, function));
}

static enum step
next_step(const struct diagnosis *diagnosis, const struct new_card *card)
{
    const struct policy_gpu *said = policy_find_gpu(&diagnosis->policy, &card->address);
    bool is_declared =
        (said && said->setup.functions) || sriov_gpu_is_for_boot(diagnosis->host, &card->address);

    if (!has_right_driver(diagnosis->host, card))
        return STEP_DRIVER;
    if (card->sriov.enabled == 0 && card->sriov.total)
        return is_declared ? STEP_SETUP : STEP_FUNCTIONS;
    if (card->row->needs == CARD_NEEDS_PROFILES && !diagnosis->policy.profile_count)
        return STEP_PROFILES;
    if (card->row->needs == CARD_NEEDS_POOLS && !has_pool(diagnosis, card))
        return STEP_POOLS;
    return STEP_NONE;
}

/* --- the steps -------------------------------------------------------------------------------- */

static void
advise_driver(struct diagnosis *diagnosis, const struct new_card *card)
{
    const struct card_vendor *vendor = card->row;
    const char *driver = *card->driver.text ? card->driver.text : NULL;

    diagnosis_add(diagnosis, "the %s GPU %s could give vGPUs, and has %s%s: it needs %s",
                  vendor->name, card->address.text, driver ? "the driver " : "no driver",
                  driver ? driver : "", vendor->driver_name);
    if (driver && !strcmp(driver, "vfio-pci")) {
        struct name node = diagnosis_node_name(&card->address);

        diagnosis_advise(diagnosis, "if no guest is to have the whole card:");
        diagnosis_command(diagnosis, "virsh nodedev-reattach %s", node.text);
        diagnosis_advise(diagnosis, "and");
    }
    diagnosis_advise(diagnosis, "%s:", vendor->driver_advice);
    diagnosis_command(diagnosis, "%s", vendor->driver_command);
}

static void
advise_profiles(struct diagnosis *diagnosis)
{
    diagnosis_advise(diagnosis, "name what a function may have, for example:");
    diagnosis_command(diagnosis, "echo 'profiles = { small = { vram = \"4G\"; }; };' "
                                 ">/etc/libvirt-vgpu/conf.d/50-profiles.conf");
}

static void
advise_functions(struct diagnosis *diagnosis, const struct new_card *card)
{
    const struct card_vendor *vendor = card->row;
    const char *address = card->address.text;

    diagnosis_add(diagnosis,
                  "the GPU %s has %u virtual functions, which its vGPUs are made on, and none is "
                  "enabled",
                  address, (unsigned)card->sriov.total);
    if (vendor->needs == CARD_NEEDS_PROFILES && !diagnosis->policy.profile_count)
        advise_profiles(diagnosis);
    if (vendor->functions_fixed) {
        diagnosis_advise(diagnosis, "%s; load it again:", vendor->functions_fixed);
        diagnosis_command(diagnosis, "%s", vendor->driver_command);
        return;
    }
    if (vendor->needs == CARD_NEEDS_PROFILES && !diagnosis->policy.profile_count)
        diagnosis_advise(diagnosis, "then:");
    diagnosis_command(diagnosis, "vgpuctl sriov enable %s", address);
    diagnosis_advise(diagnosis, "a boot takes them away; to have them again after each:");
    diagnosis_command(diagnosis, "vgpuctl setup --declare %s", address);
}

static void
advise_missing_profiles(struct diagnosis *diagnosis, const struct new_card *card)
{
    diagnosis_add(diagnosis,
                  "the GPU %s has %u virtual functions, and vgpu.conf has no profile for them",
                  card->address.text, (unsigned)card->sriov.enabled);
    advise_profiles(diagnosis);
}

/* A pattern for each PCI device that functions are in: "0000:c1:02.*". */
static void
list_patterns(const struct names *functions, struct text *list)
{
    struct name before = {0};

    for (size_t i = 0; i < functions->count; i++) {
        struct name pattern = functions->items[i];
        char *dot = strrchr(pattern.text, '.');

        if (dot)
            dot[1] = '\0';
        if (!dot || name_equal(&pattern, &before))
            continue;
        text_join(list, ", ", "\"%s*\"", pattern.text);
        before = pattern;
    }
}

static void
advise_pools(struct diagnosis *diagnosis, const struct new_card *card)
{
    char patterns[256];
    struct text list = text_on(patterns, sizeof(patterns));

    list_patterns(&card->sriov.functions, &list);
    diagnosis_add(diagnosis,
                  "the GPU %s has %u virtual functions, and no pool of vgpu.conf has them",
                  card->address.text, (unsigned)card->sriov.enabled);
    diagnosis_advise(diagnosis, "name the functions that guests may have, for example:");
    diagnosis_command(diagnosis,
                      "echo 'pools = { amd = { functions = [ %s ]; }; };' "
                      ">/etc/libvirt-vgpu/conf.d/50-pools.conf",
                      patterns);
}

/* What is said of a card whose next step this is. */
static void (*const advice[])(struct diagnosis *diagnosis, const struct new_card *card) = {
    [STEP_DRIVER] = advise_driver,
    [STEP_FUNCTIONS] = advise_functions,
    [STEP_PROFILES] = advise_missing_profiles,
    [STEP_POOLS] = advise_pools,
};

/* --- the checks ------------------------------------------------------------------------------- */

/* Calls for each card of the host. */
static void
each_card(struct diagnosis *diagnosis,
          void (*call)(struct diagnosis *diagnosis, const struct new_card *card, void *data),
          void *data)
{
    AUTO(names_clear) struct names devices = {0};

    if (host_list(diagnosis->host, &devices, PCI_DEVICES) < 0)
        return;
    for (size_t i = 0; i < devices.count; i++) {
        AUTO(new_card_clear) struct new_card card = {0};

        if (read_card(diagnosis, &devices.items[i], &card))
            call(diagnosis, &card, data);
    }
}

/* Whether any GPU of the host gives vGPUs. */
static bool
some_give(const struct diagnosis *diagnosis)
{
    return ARRAY_HAS(diagnosis->inventory.gpus, diagnosis->inventory.gpu_count, gpu,
                     gives(diagnosis, &(*gpu)->name));
}

/* Whether the card is surely there for vGPUs: a driver of its vendor's for vGPUs has it. Intel's xe
 * is also the driver of plain cards. */
static bool
is_wanted(const struct new_card *card, enum step step)
{
    return step != STEP_DRIVER && card->row->needs == CARD_NEEDS_NOTHING;
}

static void
tell(struct diagnosis *diagnosis, const struct new_card *card, void *data)
{
    const enum step *step = data;

    if (next_step(diagnosis, card) != *step)
        return;
    advice[*step](diagnosis, card);
    if (some_give(diagnosis) && !is_wanted(card, *step))
        diagnosis_make_note(diagnosis);
}

static void
check_drivers(struct diagnosis *diagnosis)
{
    each_card(diagnosis, tell, &(enum step){STEP_DRIVER});
}

static void
check_functions(struct diagnosis *diagnosis)
{
    each_card(diagnosis, tell, &(enum step){STEP_FUNCTIONS});
}

static void
check_profiles(struct diagnosis *diagnosis)
{
    each_card(diagnosis, tell, &(enum step){STEP_PROFILES});
}

static void
check_pools(struct diagnosis *diagnosis)
{
    each_card(diagnosis, tell, &(enum step){STEP_POOLS});
}

/* An NVIDIA card's functions may keep their driver (vendor-specific VFIO), or take mediated
 * devices: that depends on the driver and the kernel, and nobody knows before they are there. */
static void
tell_libvirt(struct diagnosis *diagnosis, const struct new_card *card, void *data)
{
    const struct version_lack lack = version_lack(diagnosis->references.libvirt_version);

    (void)data;
    if (!card->row->untold_driver || !card->sriov.total || card->sriov.enabled)
        return;
    diagnosis_add(diagnosis, "%s, as vGPUs of the GPU %s may have to", lack.what,
                  card->address.text);
    diagnosis_advise(diagnosis, "%s", lack.remedy);
}

/* Functions that are there are judged by "libvirt-version". */
static void
check_libvirt(struct diagnosis *diagnosis)
{
    if (version_lacks_functions(diagnosis->references.libvirt_version))
        each_card(diagnosis, tell_libvirt, NULL);
}

static void
ask(struct diagnosis *diagnosis, const struct new_card *card, void *data)
{
    *(bool *)data |= next_step(diagnosis, card) != STEP_NONE;
}

bool
diagnosis_card_has_step(struct diagnosis *diagnosis, const struct name *address)
{
    AUTO(new_card_clear) struct new_card card = {0};
    bool has_step = false;

    if (address)
        return read_card(diagnosis, address, &card) && next_step(diagnosis, &card) != STEP_NONE;
    each_card(diagnosis, ask, &has_step);
    return has_step;
}

/* --- the IOMMU -------------------------------------------------------------------------------- */

static bool
lacks_iommu(const struct host *host, const struct card_vendor *vendor, const struct name *address)
{
    return vendor->needs_iommu && !host_exists(host, PCI_DEVICES "/%s/iommu_group", address->text);
}

static void
find_first(struct diagnosis *diagnosis, const struct new_card *card, void *data)
{
    struct name *first = data;

    if (!*first->text && lacks_iommu(diagnosis->host, card->row, &card->address))
        *first = card->address;
}

/* vGPUs have IOMMU groups of their own, so the check looks at the hardware. vGPUs of the kernel's
 * samples and of Intel need no IOMMU. One card is enough to name. */
static void
check_iommu(struct diagnosis *diagnosis)
{
    const struct inventory *inventory = &diagnosis->inventory;
    AUTO(names_clear) struct names units = {0};
    struct name first = {0};

    if (host_list(diagnosis->host, &units, "sys/class/iommu") == 0 && units.count)
        return;
    for (size_t i = 0; !*first.text && i < inventory->gpu_count; i++) {
        const struct inventory_gpu *gpu = inventory->gpus[i];
        const struct card_vendor *vendor =
            card_vendor_find(card_vendor_rows(diagnosis->host), gpu->vendor);

        if (lacks_iommu(diagnosis->host, vendor, &gpu->name))
            first = gpu->name;
    }
    each_card(diagnosis, find_first, &first);
    if (!*first.text)
        return;
    diagnosis_add(diagnosis, "the IOMMU is off, and the GPU %s may need it", first.text);
    diagnosis_advise(diagnosis, "enable VT-d or AMD-Vi in the firmware, and boot the kernel with "
                                "intel_iommu=on");
}

const struct diagnosis_check card_checks[] = {
    {"card-driver", FINDING_ERROR, .look = check_drivers},
    {"iommu", FINDING_WARNING, .look = check_iommu},
    {"virtual-functions", FINDING_ERROR, .look = check_functions},
    {"libvirt-for-functions", FINDING_WARNING, .look = check_libvirt},
    {"profiles", FINDING_ERROR, .look = check_profiles},
    {"pools", FINDING_ERROR, .look = check_pools},
    {0},
};
