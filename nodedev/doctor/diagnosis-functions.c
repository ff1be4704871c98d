/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The virtual functions of NVIDIA's GPUs: whether they are there, and such that a vGPU can be made
 * on them and given to a guest. On those with vendor-specific VFIO libvirt has to leave the driver
 * where it is (managed='no'), which it can since 9.7.0, and with the kernel's vfio-dev, since 6.1.
 */

#include "device/nvidia.h"
#include "doctor/diagnosis.h"

#include <stdio.h>
#include <string.h>

#define NVIDIA        "0x10de"
#define DEVICES       "sys/bus/pci/devices"
#define MANAGE        "/usr/lib/nvidia/sriov-manage"
#define MOST_NAMED    8       /* functions in one finding */
#define LEAST_LIBVIRT 9007000 /* that gives a guest a function and leaves it its driver */

/* A GPU that can have virtual functions, and those it has. */
struct card {
    struct name address;
    uint64_t total; /* that it could have */
    struct names functions;
};

static void
card_clear(struct card *card)
{
    names_clear(&card->functions);
}

static void
find_functions(const struct host *host, struct card *card)
{
    AUTO(names_clear) struct names names = {0};

    if (host_list(host, &names, DEVICES "/%s", card->address.text) < 0)
        return;
    for (size_t i = 0; i < names.count; i++) {
        struct name function;

        if (!strncmp(names.items[i].text, "virtfn", strlen("virtfn")) &&
            host_link(host, &function, DEVICES "/%s/%s", card->address.text, names.items[i].text) ==
                0 &&
            names_add(&card->functions, function.text) < 0)
            return;
    }
    names_sort(&card->functions);
}

/* Not one that the configuration leaves alone. */
static bool
is_card(const struct diagnosis *diagnosis, const struct name *address, struct card *ret)
{
    const struct host *host = diagnosis->host;
    const struct policy_gpu *said = policy_find_gpu(&diagnosis->policy, address);
    char vendor[16];

    *ret = (struct card){.address = *address};
    return host_read_number(host, &ret->total, DEVICES "/%s/sriov_totalvfs", address->text) == 0 &&
           ret->total > 0 &&
           host_read(host, vendor, sizeof(vendor), DEVICES "/%s/vendor", address->text) > 0 &&
           !strcmp(vendor, NVIDIA) && (!said || said->enabled);
}

static void
visit_cards(struct diagnosis *diagnosis,
            void (*visit)(struct diagnosis *diagnosis, const struct card *card))
{
    AUTO(names_clear) struct names devices = {0};

    if (host_list(diagnosis->host, &devices, DEVICES) < 0)
        return;
    for (size_t i = 0; i < devices.count; i++) {
        AUTO(card_clear) struct card card = {0};

        if (!is_card(diagnosis, &devices.items[i], &card))
            continue;
        find_functions(diagnosis->host, &card);
        visit(diagnosis, &card);
    }
}

/* "": none. */
static struct name
driver_of(const struct host *host, const struct name *device)
{
    struct name driver;

    if (host_link(host, &driver, DEVICES "/%s/driver", device->text) < 0)
        driver = (struct name){0};
    return driver;
}

static bool
has_its_driver(const struct host *host, const struct name *function)
{
    const struct name driver = driver_of(host, function);

    return !strcmp(driver.text, "nvidia");
}

static bool
has_types(const struct host *host, const struct name *function)
{
    return host_exists(host, DEVICES "/%s/nvidia/current_vgpu_type", function->text);
}

static bool
has_mdev(const struct host *host, const struct name *function)
{
    return host_exists(host, DEVICES "/%s/mdev_supported_types", function->text);
}

/* NULL: it offers no vGPUs. */
static const struct inventory_gpu *
find_gpu(const struct diagnosis *diagnosis, const struct card *card, size_t *index)
{
    const struct inventory *inventory = &diagnosis->inventory;

    for (*index = 0; *index < inventory->gpu_count; ++*index) {
        if (name_equal(&inventory->gpus[*index].name, &card->address))
            return &inventory->gpus[*index];
    }
    return NULL;
}

/* Names of functions, for people. */
struct listing {
    char text[512];
    size_t count;
};

static void FORMAT(2, 3) list(struct listing *listing, const char *format, ...)
{
    size_t at = strlen(listing->text);
    va_list args;

    if (listing->count++ >= MOST_NAMED)
        return;
    at += (size_t)snprintf(listing->text + at, sizeof(listing->text) - at, "%s", at ? ", " : "");
    va_start(args, format);
    vsnprintf(listing->text + at, sizeof(listing->text) - at, format, args);
    va_end(args);
}

static void
end_list(struct listing *listing)
{
    size_t at = strlen(listing->text);

    if (listing->count > MOST_NAMED)
        snprintf(listing->text + at, sizeof(listing->text) - at, " and %zu others",
                 listing->count - MOST_NAMED);
}

/* --- none are enabled --- */

/* NVIDIA's GPUs from Ampere on make vGPUs on virtual functions only, and a boot leaves those off.
 */
static void
look_for_any(struct diagnosis *diagnosis, const struct card *card)
{
    const char *address = card->address.text;
    uint64_t enabled;
    size_t index;

    if (!has_its_driver(diagnosis->host, &card->address) ||
        host_read_number(diagnosis->host, &enabled, DEVICES "/%s/sriov_numvfs", address) < 0 ||
        enabled > 0 ||
        (find_gpu(diagnosis, card, &index) && inventory_offers(&diagnosis->inventory, index)))
        return;
    diagnosis_add(diagnosis,
                  "the GPU %s has %u virtual functions, which its vGPUs are made on, and none is "
                  "enabled",
                  address, (unsigned)card->total);
    diagnosis_advise(diagnosis,
                     "systemctl enable --now libvirt-vgpu-sriov@%s, or: " MANAGE " -e %s", address,
                     address);
}

static void
check_enabled(struct diagnosis *diagnosis)
{
    visit_cards(diagnosis, look_for_any);
}

/* --- they would have no driver --- */

static void
look_for_probing(struct diagnosis *diagnosis, const struct card *card)
{
    const char *address = card->address.text;
    uint64_t probe;

    if (host_read_number(diagnosis->host, &probe, DEVICES "/%s/sriov_drivers_autoprobe", address) <
            0 ||
        probe != 0)
        return;
    diagnosis_add(diagnosis,
                  "sriov_drivers_autoprobe of the GPU %s is 0: its virtual functions get no driver",
                  address);
    diagnosis_advise(diagnosis,
                     "echo 1 >/" DEVICES
                     "/%s/sriov_drivers_autoprobe; then, without guests on it: " MANAGE
                     " -d %s; " MANAGE " -e %s",
                     address, address, address);
}

static void
check_probing(struct diagnosis *diagnosis)
{
    visit_cards(diagnosis, look_for_probing);
}

/* --- they have another driver --- */

static void
list_with_driver(const struct host *host, const struct name *function, struct listing *listing)
{
    const struct name driver = driver_of(host, function);
    const char *called = *driver.text ? driver.text : "none";
    uint64_t number;
    struct name type;

    if (host_read_number(host, &number, DEVICES "/%s/nvidia/current_vgpu_type", function->text) <
            0 ||
        number == 0 || number > UINT32_MAX) {
        list(listing, "%s (%s)", function->text, called);
        return;
    }
    nvidia_type_id((unsigned)number, &type);
    list(listing, "%s (%s, with the type %s)", function->text, called, type.text);
}

/* libvirt's name for it: "pci_0000_3d_00_4". */
static struct name
node_name(const struct name *function)
{
    struct name ret = {0};

    snprintf(ret.text, sizeof(ret.text), "pci_%.59s", function->text);
    for (char *at = ret.text; *at; at++) {
        if (*at == ':' || *at == '.')
            *at = '_';
    }
    return ret;
}

static void
look_for_drivers(struct diagnosis *diagnosis, const struct card *card)
{
    const struct host *host = diagnosis->host;
    const struct name *first = NULL;
    struct listing listing = {0};

    for (size_t i = 0; i < card->functions.count; i++) {
        const struct name *function = &card->functions.items[i];

        if (has_its_driver(host, function))
            continue;
        list_with_driver(host, function, &listing);
        first = first ? first : function;
    }
    if (!first)
        return;
    end_list(&listing);
    diagnosis_add(diagnosis,
                  "virtual functions of the GPU %s do not have its driver, so no vGPU can be made "
                  "on them: %s",
                  card->address.text, listing.text);
    diagnosis_advise(
        diagnosis,
        "'virsh nodedev-reattach %s', while no guest has it; if it takes no type then, "
        "and without guests on the GPU: " MANAGE " -d %s; " MANAGE " -e %s",
        node_name(first).text, card->address.text, card->address.text);
}

static void
check_drivers(struct diagnosis *diagnosis)
{
    visit_cards(diagnosis, look_for_drivers);
}

/* --- the driver offers nothing on them --- */

static void
look_for_interface(struct diagnosis *diagnosis, const struct card *card)
{
    const struct host *host = diagnosis->host;
    struct listing listing = {0};

    for (size_t i = 0; i < card->functions.count; i++) {
        const struct name *function = &card->functions.items[i];

        if (has_its_driver(host, function) && !has_types(host, function) &&
            !has_mdev(host, function))
            list(&listing, "%s", function->text);
    }
    if (listing.count == 0)
        return;
    end_list(&listing);
    diagnosis_add(diagnosis,
                  "virtual functions of the GPU %s are no parents of vGPUs, although they have its "
                  "driver: %s",
                  card->address.text, listing.text);
    diagnosis_advise(diagnosis,
                     "NVIDIA's vGPU manager may not be up: systemctl status nvidia-vgpud "
                     "nvidia-vgpu-mgr; then: " MANAGE " -e %s",
                     card->address.text);
}

/* A partitioned GPU without a free instance rightly offers nothing, and has vGPUs then. */
static void
look_for_types(struct diagnosis *diagnosis, const struct card *card)
{
    size_t index;
    const struct inventory_gpu *gpu = find_gpu(diagnosis, card, &index);

    look_for_interface(diagnosis, card);
    if (!gpu || !gpu->is_partial || inventory_offers(&diagnosis->inventory, index))
        return;
    diagnosis_add(diagnosis,
                  "the GPU %s has no vGPU, and its driver offers no type on any of its virtual "
                  "functions",
                  card->address.text);
    diagnosis_advise(diagnosis, "systemctl status nvidia-vgpud nvidia-vgpu-mgr; if it is "
                                "partitioned (MIG), make GPU instances first");
}

static void
check_types(struct diagnosis *diagnosis)
{
    visit_cards(diagnosis, look_for_types);
}

/* --- libvirt would not give them to a guest --- */

static void
look_for_vfio(struct diagnosis *diagnosis, const struct card *card)
{
    const struct host *host = diagnosis->host;
    struct listing listing = {0};

    for (size_t i = 0; i < card->functions.count; i++) {
        const struct name *function = &card->functions.items[i];

        if (has_its_driver(host, function) && has_types(host, function) &&
            !host_exists(host, DEVICES "/%s/vfio-dev", function->text))
            list(&listing, "%s", function->text);
    }
    if (listing.count == 0)
        return;
    end_list(&listing);
    diagnosis_add(diagnosis,
                  "virtual functions of the GPU %s have no vfio-dev, so libvirt gives them to no "
                  "guest: %s",
                  card->address.text, listing.text);
    diagnosis_advise(diagnosis, "boot Linux 6.1 or later");
}

static void
check_vfio(struct diagnosis *diagnosis)
{
    visit_cards(diagnosis, look_for_vfio);
}

static void
check_libvirt(struct diagnosis *diagnosis)
{
    const struct inventory *inventory = &diagnosis->inventory;
    unsigned version = diagnosis->references.libvirt_version;
    size_t i = 0;

    while (i < inventory->parent_count && inventory->parents[i].interface != &vgpu_vf)
        i++;
    if (i == inventory->parent_count || version == 0 || version >= LEAST_LIBVIRT)
        return;
    diagnosis_add(diagnosis,
                  "libvirt %u.%u.%u gives no guest a virtual function that keeps its driver, as "
                  "vGPUs of the GPU %s have to",
                  version / 1000000, version / 1000 % 1000, version % 1000,
                  inventory->gpus[inventory->parents[i].gpu].name.text);
    diagnosis_advise(diagnosis, "install libvirt 9.7.0 or later");
}

const struct diagnosis_check function_checks[] = {
    {"virtual-functions", DIAGNOSIS_WARNING, check_enabled},
    {"function-probe", DIAGNOSIS_WARNING, check_probing},
    {"function-driver", DIAGNOSIS_WARNING, check_drivers},
    {"function-types", DIAGNOSIS_WARNING, check_types},
    {"function-vfio", DIAGNOSIS_ERROR, check_vfio},
    {"libvirt-version", DIAGNOSIS_ERROR, check_libvirt},
};
const size_t function_check_count = COUNT(function_checks);
