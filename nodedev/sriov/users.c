/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "sriov/users.h"
#include "base/array.h"
#include "base/process.h"
#include "base/text.h"
#include "device/nvidia.h"
#include "device/pci.h"
#include "device/vfio.h"
#include "device/vgpu.h"
#include "domain/status-files.h"
#include "vendor/nvidia-daemon.h"

#include <stdio.h>
#include <string.h>

#define MOST_NAMED 8

/* Programs of root's that have DRM nodes open for others or for a moment: seat managers, systemd
 * with what its seat manager has stored there, and the boot splash. */
static const char *const bystanders[] = {"systemd-logind", "elogind", "seatd", "systemd",
                                         "plymouthd"};

struct users {
    const struct host *host;
    const struct ledger *ledger;
    const struct status_files *guests;
    struct open_files files; /* one look for the card and all that is on it */
    struct text list;        /* such as "0000:3d:00.4 by web01 (held), 0000:3d:00.5 by ..." */
    size_t count;
};

/* Lists the card, its functions, and the mediated devices on them. */
static void
list_devices(const struct snapshot *snapshot, const struct sriov_gpu *card, struct names *ret)
{
    const struct inventory_gpu *gpu = inventory_find_gpu(&snapshot->inventory, &card->address);
    const struct ledger *ledger = &snapshot->ledger;

    names_append(ret, &card->address);
    for (size_t i = 0; i < card->functions.count; i++)
        names_append(ret, &card->functions.items[i]);
    for (size_t i = 0; gpu && i < gpu->vgpu_count; i++)
        names_append_new(ret, &gpu->vgpus[i]->device);
    for (size_t i = 0; i < ledger->count; i++) {
        if (name_equal(&ledger->leases[i].gpu, &card->address))
            names_append_new(ret, &ledger->leases[i].vgpu.device);
    }
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

static void
look_at(struct users *users, const struct name *device)
{
    const struct lease *lease = ledger_find(users->ledger, device);
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
    AUTO(names_clear) struct names devices = {0};
    struct users users = {.host = host,
                          .ledger = &snapshot->ledger,
                          .guests = &guests,
                          .list = text_on(list, sizeof(list))};
    int rc = status_files_read(host, &guests, error);

    if (rc < 0)
        return error_set(error, rc, "cannot tell who uses %s: %s", card->address.text,
                         strerror(-rc));
    list_devices(snapshot, card, &devices);
    for (size_t i = 0; i < devices.count; i++) {
        look_at(&users, &devices.items[i]);
        look_at_drm(&users, &devices.items[i]);
    }
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
