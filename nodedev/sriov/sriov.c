/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sriov/sriov.h"
#include "device/pci.h"
#include "lease/statedir.h"
#include "placement/constraints.h"
#include "vendor/card-vendor.h"

#include <stdio.h>
#include <string.h>

/* Reads the number of functions that exist now. */
static int
read_enabled(const struct host *host, struct sriov_gpu *card, struct error *error)
{
    int rc =
        host_read_number(host, &card->enabled, PCI_DEVICES "/%s/sriov_numvfs", card->address.text);

    return rc < 0 ? error_set(error, rc, "/" PCI_DEVICES "/%s/sriov_numvfs: %s", card->address.text,
                              strerror(-rc))
                  : 0;
}

/* --- a vendor's tool -------------------------------------------------------------------------- */

static int
enable_by_tool(const struct host *host, const struct card_vendor *vendor, struct sriov_gpu *card,
               unsigned count, struct error *error)
{
    int rc;

    if (count)
        return error_refuse(error, ERROR_USAGE,
                            "%s's tool enables all functions of %s, and takes no --count",
                            vendor->name, card->address.text);
    rc = vendor->set_functions(host, &card->address, true, error);
    if (rc == 0)
        rc = read_enabled(host, card, error);
    if (rc < 0 || card->enabled)
        return rc;
    return error_set(error, -ENODEV,
                     "%s has no virtual functions, although %s ended well; are SR-IOV, "
                     "the IOMMU and addresses above 4G on in the firmware? See journalctl -k",
                     card->address.text, vendor->function_tool);
}

/* --- the kernel ------------------------------------------------------------------------------- */

static int
write_number(const struct host *host, const struct sriov_gpu *card, const char *attribute,
             unsigned value)
{
    char text[16];
    struct path path;
    int rc = path_format(&path, PCI_DEVICES "/%s/%s", card->address.text, attribute);

    snprintf(text, sizeof(text), "%u", value);
    return rc < 0 ? rc : host->ops->write(host, path.text, text);
}

static const char *
reason(int rc)
{
    return rc == -ENOENT ? "its driver does not do that, or it has none" : strerror(-rc);
}

/* Keeps the host's own drivers from the functions. Returns 1 if they were not kept from them
 * before. */
static int
stop_probing(const struct host *host, const struct sriov_gpu *card)
{
    uint64_t probes;
    int rc = host_read_number(host, &probes, PCI_DEVICES "/%s/sriov_drivers_autoprobe",
                              card->address.text);

    if (rc == -ENOENT || (rc == 0 && probes == 0))
        return 0;
    if (rc == 0)
        rc = write_number(host, card, "sriov_drivers_autoprobe", 0);
    return rc < 0 ? rc : 1;
}

static int
enable_by_kernel(const struct host *host, struct sriov_gpu *card, unsigned count,
                 struct error *error)
{
    unsigned wanted = count ? count : (unsigned)card->total;
    int probed = stop_probing(host, card), rc;

    if (probed < 0)
        return error_set(error, probed, "/" PCI_DEVICES "/%s/sriov_drivers_autoprobe: %s",
                         card->address.text, strerror(-probed));
    rc = write_number(host, card, "sriov_numvfs", wanted);
    if (rc < 0)
        error_set(error, rc, "enabling %u virtual functions of %s: %s; see journalctl -k", wanted,
                  card->address.text, reason(rc));
    else
        rc = read_enabled(host, card, error);
    if (rc == 0 && card->enabled != wanted)
        rc = error_set(error, -EIO, "%s has %u virtual functions now, not %u; see journalctl -k",
                       card->address.text, (unsigned)card->enabled, wanted);
    if (rc < 0 && probed && write_number(host, card, "sriov_drivers_autoprobe", 1) < 0)
        error_add(error, "its sriov_drivers_autoprobe is 0 now");
    return rc;
}

/* --- either ----------------------------------------------------------------------------------- */

int
sriov_enable(const struct host *host, struct sriov_gpu *card, unsigned count, struct error *error)
{
    const struct card_vendor *vendor = card_vendor_of(host, &card->address);
    int rc;

    if (vendor->functions_fixed && (card->enabled == 0 || (count && count != card->enabled)))
        return error_set(error, -EOPNOTSUPP, "%s has %u virtual functions; %s", card->address.text,
                         (unsigned)card->enabled, vendor->functions_fixed);
    if (count > card->total)
        return error_refuse(error, ERROR_USAGE, "%s can have %u virtual functions, not %u",
                            card->address.text, (unsigned)card->total, count);
    if (card->enabled && count && card->enabled != count)
        return error_set(error, -EEXIST,
                         "%s has %u virtual functions, and the kernel changes that only to 0: "
                         "'vgpuctl sriov disable %s' first",
                         card->address.text, (unsigned)card->enabled, card->address.text);
    if (card->enabled)
        return 0;
    rc = vendor->set_functions ? enable_by_tool(host, vendor, card, count, error)
                               : enable_by_kernel(host, card, count, error);
    return rc < 0 ? rc : 1;
}

/* Whether no guest needs the memory that the driver gave the card's functions. */
static bool
needs_no_shares(const struct snapshot *snapshot, const struct inventory_gpu *gpu)
{
    return gpu && constraints_bring_memory(&snapshot->policy, gpu);
}

int
sriov_count_shares(const struct host *host, const struct snapshot *snapshot,
                   const struct sriov_gpu *card, struct error *error)
{
    const struct inventory_gpu *gpu = inventory_find_gpu(&snapshot->inventory, &card->address);
    int count = 0, failed = 0;

    for (size_t i = 0; needs_no_shares(snapshot, gpu) && i < gpu->parent_count; i++) {
        const struct inventory_parent *function = gpu->parents[i];
        int rc = function->interface->has_share
                     ? function->interface->has_share(host, &function->name)
                     : 0;

        if (rc < 0)
            failed = error_set(error, rc, "reading the memory of the virtual function %s: %s",
                               function->name.text, strerror(-rc));
        else
            count += rc;
    }
    return failed < 0 ? failed : count;
}

int
sriov_take_back_shares(const struct host *host, const struct snapshot *snapshot,
                       const struct sriov_gpu *card, struct error *error)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    const struct inventory_gpu *gpu = inventory_find_gpu(&snapshot->inventory, &card->address);
    int count = 0, failed = 0, rc;

    if (!needs_no_shares(snapshot, gpu))
        return 0;
    /* The state directory is needed for tags. At boot it may not exist yet. */
    rc = statedir_open(host, true, &statedir, error);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < gpu->parent_count; i++) {
        const struct inventory_parent *function = gpu->parents[i];

        if (!function->interface->take_back_share)
            continue;
        rc = function->interface->take_back_share(host, &function->name);
        if (rc < 0)
            failed = error_set(error, rc,
                               "the driver does not take back the memory that it gave the virtual "
                               "function %s (%s), so profiles may not fit; see journalctl -k",
                               function->name.text, strerror(-rc));
        else
            count += rc;
    }
    return failed < 0 ? failed : count;
}

int
sriov_disable(const struct host *host, struct sriov_gpu *card, struct error *error)
{
    const struct card_vendor *vendor = card_vendor_of(host, &card->address);
    int rc;

    if (card->enabled == 0)
        return 0;
    if (vendor->set_functions) {
        rc = vendor->set_functions(host, &card->address, false, error);
    } else {
        rc = write_number(host, card, "sriov_numvfs", 0);
        if (rc < 0)
            error_set(error, rc, "disabling the virtual functions of %s: %s; see journalctl -k",
                      card->address.text, reason(rc));
    }
    if (rc == 0)
        rc = read_enabled(host, card, error);
    if (rc < 0 || card->enabled == 0)
        return rc < 0 ? rc : 1;
    return error_set(error, -EIO, "%s still has %u virtual functions; see journalctl -k",
                     card->address.text, (unsigned)card->enabled);
}
