/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sriov/sriov.h"
#include "base/array.h"
#include "base/process.h"
#include "base/text.h"
#include "device/nvidia.h"
#include "device/pci.h"
#include "device/vfio.h"
#include "device/vgpu.h"
#include "domain/status-files.h"
#include "lease/statedir.h"
#include "placement/constraints.h"
#include "vendor/card-vendor.h"
#include "vendor/nvidia-daemon.h"

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

/* --- who uses a card or its functions --------------------------------------------------------- */

#define MOST_NAMED 8

/* Programs of root's that have DRM nodes open for others or for a moment: seat managers, systemd
 * with what its seat manager has stored there, and the boot splash. */
static const char *const bystanders[] = {"systemd-logind", "elogind", "seatd", "systemd",
                                         "plymouthd"};

struct users {
    const struct host *host;
    const struct status_files *guests;
    struct open_files files; /* one look for the card and all that is on it */
    struct text list;        /* such as "0000:3d:00.4 by web01 (held), 0000:3d:00.5 by ..." */
    size_t count;
};

/* Lists the card, its functions, and the mediated devices on them. */
static void
list_devices(const struct inventory *inventory, const struct sriov_gpu *card, struct names *ret)
{
    const struct inventory_gpu *gpu = inventory_find_gpu(inventory, &card->address);

    names_append(ret, &card->address);
    for (size_t i = 0; i < card->functions.count; i++)
        names_append(ret, &card->functions.items[i]);
    for (size_t i = 0; gpu && i < gpu->vgpu_count; i++)
        names_append_new(ret, &gpu->vgpus[i]->device);
}

static void
add(struct users *users, const struct name *device, const char *user)
{
    if (users->count++ < MOST_NAMED)
        text_join(&users->list, ", ", "%s by %.80s", device->text, user);
}

/* Finds a process that has the device open by VFIO, or may have. A device that is no vGPU is a PCI
 * device: the card, or one of its functions. */
static bool
find_process(struct users *users, const struct name *device, char *text, size_t size)
{
    struct vgpu vgpu;
    struct name gpu;
    struct path directory;
    bool is_vgpu = vgpu_find(users->host, device, &vgpu, &gpu) == 0;
    int rc = is_vgpu ? vgpu.interface->directory(&vgpu, &directory)
                     : path_format(&directory, PCI_DEVICES "/%s", device->text);
    int pid = rc < 0 ? 0 : vfio_holder(users->host, &users->files, &directory);
    char holder[80];

    if (pid > 0) {
        open_files_name(users->host, pid, holder, sizeof(holder));
        snprintf(text, size, "process %s", holder);
    } else if (pid < 0) {
        snprintf(text, size, "a process, perhaps, as not all can be looked at");
    }
    return pid != 0;
}

static bool
is_bystander(const struct host *host, int pid)
{
    char program[64];
    uid_t user;

    return nvidia_daemon_is(host, pid) ||
           (process_program(host, pid, program, sizeof(program), &user) == 0 && user == 0 &&
            ARRAY_HAS(bystanders, COUNT(bystanders), each, !strcmp(*each, program)));
}

/* Adds each process that has a node of the device open, and is a user. */
static void
look_at_node(struct users *users, const struct name *device, const struct node *node)
{
    char name[80], text[128];
    size_t at = 0;
    int pid;

    while ((pid = open_files_next(users->host, &users->files, node, &at)) > 0) {
        if (is_bystander(users->host, pid))
            continue;
        open_files_name(users->host, pid, name, sizeof(name));
        snprintf(text, sizeof(text), "process %s", name);
        add(users, device, text);
    }
}

/* The nodes of a driver of the kernel's graphics (DRM): "card0" and "renderD128". */
static void
look_at_drm(struct users *users, const struct name *device)
{
    AUTO(names_clear) struct names nodes = {0};
    struct node node;

    if (host_list(users->host, &nodes, PCI_DEVICES "/%s/drm", device->text) < 0)
        return;
    for (size_t i = 0; i < nodes.count; i++) {
        if (node_read(users->host, &node, PCI_DEVICES "/%s/drm/%s", device->text,
                      nodes.items[i].text) == 0)
            look_at_node(users, device, &node);
    }
}

/* lease: of the device; NULL: there is none. */
static void
look_at(struct users *users, const struct name *device, const struct lease *lease)
{
    const struct request *guest = status_files_holder(users->guests, device);
    char text[128];

    if (lease && lease->state != LEASE_KEPT) {
        snprintf(text, sizeof(text), "%.64s (%s)", lease->domain_name,
                 lease_state_name(lease->state));
        add(users, device, text);
    } else if (guest) {
        add(users, device, guest->name);
    } else if (find_process(users, device, text, sizeof(text))) {
        add(users, device, text);
    }
    look_at_drm(users, device);
}

/* Looks at the devices that are there, and then at those of which only a lease is there. */
static void
look_at_all(struct users *users, const struct snapshot *snapshot, const struct sriov_gpu *card)
{
    const struct ledger *ledger = &snapshot->ledger;
    AUTO(names_clear) struct names devices = {0};

    list_devices(&snapshot->inventory, card, &devices);
    for (size_t i = 0; i < devices.count; i++)
        look_at(users, &devices.items[i], ledger_find(ledger, &devices.items[i]));
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        if (name_equal(&lease->gpu, &card->address) && !names_has(&devices, &lease->vgpu.device))
            look_at(users, &lease->vgpu.device, lease);
    }
}

static void
look_at_nvidias(struct users *users, const struct name *card)
{
    struct node node;

    if (nvidia_node(users->host, card, &node) == 0)
        look_at_node(users, card, &node);
}

int
users_check(const struct host *host, const struct snapshot *snapshot, const struct sriov_gpu *card,
            struct error *error)
{
    char list[1024];
    AUTO(status_files_clear) struct status_files guests = {0};
    struct users users = {.host = host, .guests = &guests, .list = text_on(list, sizeof(list))};
    int rc = status_files_read(host, &guests, error);

    if (rc < 0)
        return error_set(error, rc, "cannot tell who uses %s: %s", card->address.text,
                         strerror(-rc));
    look_at_all(&users, snapshot, card);
    look_at_nvidias(&users, &card->address);
    open_files_clear(&users.files);
    if (users.count == 0)
        return 0;
    error_set(error, -EBUSY, "%s is in use: %s", card->address.text, list);
    if (users.count > MOST_NAMED)
        error_add(error, "%zu more are", users.count - MOST_NAMED);
    error_advise(error,
                 "shut these guests down or migrate them; 'vgpuctl drain %s' keeps others away",
                 card->address.text);
    return -EBUSY;
}

int
users_check_vgpus(const struct snapshot *snapshot, const struct sriov_gpu *card,
                  struct error *error)
{
    const struct inventory_gpu *gpu = inventory_find_gpu(&snapshot->inventory, &card->address);
    const char *device;

    if (!gpu || gpu->vgpu_count == 0)
        return 0;
    device = gpu->vgpus[0]->device.text;
    error_set(error, -EBUSY, "%s is in use: it has the vGPU %s, which nobody has open",
              card->address.text, device);
    error_advise_command(error, "if no guest refers to it, remove it with", "vgpuctl reap %s",
                         device);
    return -EBUSY;
}
