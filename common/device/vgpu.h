/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpu: one vGPU, and the kernel interfaces that make and remove vGPUs.
 *
 * There is one row per interface. Code that works on a vGPU uses its row, and knows no path. Only
 * files of one vendor's cards ask which row it is. A host may have other rows than vgpu_built_in
 * (host.h): tests/fake has an imaginary one, which no file of the product knows. Only the writer
 * process calls the functions that write (apply/writer.h), because a write may block for as long as
 * a guest runs.
 */

#pragma once

#include "device/inventory.h"
#include "device/open-files.h"
#include "domain/request.h"
#include "policy/policy.h"

/* How much of a vGPU exists. A vGPU is absent only if it has neither a link on the bus nor a
 * directory. A removal first removes the link, and the vGPU still takes its place on the GPU. A
 * device of the same UUID on another parent is another vGPU. */
enum vgpu_state {
    VGPU_ABSENT,
    VGPU_TRANSIENT, /* it is being made or removed */
    VGPU_PRESENT,
    VGPU_UNKNOWN, /* its driver does not answer, or could not be asked */
};

/* Size of all parameters of a vGPU in bytes, with the final NUL. */
#define VGPU_PARAMS 512

struct vgpu {
    const struct vgpu_interface *interface;
    struct name device;
    struct name type;
    struct name parent;
    struct name recipe; /* its type's, to make the vGPU; without meaning for a vGPU that exists */
};

struct vgpu_interface {
    const char *kind;          /* the ledger's word for it */
    enum request_kind hostdev; /* the kind of hostdev; a PCI device is its own parent */

    bool is_managed; /* the device is the host's own: libvirt may bind it to VFIO (managed='yes').
                        While another driver has it, nobody can have it open */

    /* Adds what there is to an inventory. A row has `scan` or `scan_device`. scan_device is called
     * for each PCI device of the host, unless `may_be` says that there is nothing. Both return 0,
     * or -errno of something that cannot be read. policy has the pools and profiles. If policy is
     * NULL, of their functions only those are found that somebody has. */
    int (*scan)(const struct host *host, const struct inventory_filter *filter,
                struct inventory *inventory);
    int (*scan_device)(const struct host *host, const struct policy *policy,
                       const struct name *device, struct inventory *inventory);
    bool (*may_be)(const struct host *host, const struct policy *policy);

    /* Finds a device that is present, and its GPU. Returns -ENOENT if there is none. */
    int (*find)(const struct host *host, const struct name *device, struct vgpu *ret,
                struct name *gpu);

    /* Reads the state of a vGPU. If it is present, type is its type; "" if it is half made, and the
     * owner of the lease may remove it. A vgpu whose own type is "" may have any type. Otherwise a
     * vGPU of another type is absent. The function is quick: it reads links, or an attribute for
     * which the driver does no work. */
    enum vgpu_state (*state)(const struct host *host, const struct vgpu *vgpu, struct name *type);

    /* The memory that the driver gave a function when it was enabled: whether the function has it
     * still, and how it is taken back. Both return 1 if the function had memory; 0 if it had none,
     * or if somebody has the function; or -errno. NULL: the driver gives no memory. */
    int (*has_share)(const struct host *host, const struct name *function);
    int (*take_back_share)(const struct host *host, const struct name *function);

    /* Makes a vGPU. Returns 0, or the kernel's -errno. -ENOTRECOVERABLE: a part of it was made and
     * could not be removed. */
    int (*make)(const struct host *host, const struct vgpu *vgpu);

    /* Sets driver parameters; see vgpu_configure. NULL: its driver knows none. */
    int (*configure)(const struct host *host, const struct vgpu *vgpu, const char *params);

    /* Returns the device's own directory below root: 0 or -errno. */
    int (*directory)(const struct vgpu *vgpu, struct path *ret);

    /* Removes a vGPU, while the caller holds the proof of vgpu_prove. Returns 0, or the kernel's
     * -errno. */
    int (*remove)(const struct host *host, const struct vgpu *vgpu);
};

extern const struct vgpu_interface vgpu_mdev; /* mdev.c */
extern const struct vgpu_interface vgpu_vf;   /* vf.c */
extern const struct vgpu_interface vgpu_xe;   /* xe.c */
extern const struct vgpu_interface vgpu_pool; /* pool.c */

/* All of these, up to NULL. */
extern const struct vgpu_interface *const vgpu_built_in[];

/* The row of a lease that another version of this program has made, by a row that this version does
 * not know. The state of such a vGPU is never known, and nothing is made or removed. */
extern const struct vgpu_interface vgpu_unknown;

/* The rows of a host, up to NULL. */
const struct vgpu_interface *const *
vgpu_interfaces(const struct host *host) __attribute__((nonnull, returns_nonnull));

/* Returns the directory of a vGPU that is a PCI device, for the rows of such vGPUs. */
int vgpu_pci_directory(const struct vgpu *vgpu, struct path *ret) CHECKED NONNULL;

/* Whether a device is a parent on which the vGPU is the device itself, so that guests get it as a
 * PCI device. */
bool
vgpu_has_function(const struct inventory *inventory, const struct name *device) CHECKED NONNULL;

/* Finds the row of a kind. Returns NULL if there is none. */
const struct vgpu_interface *
vgpu_interface_find(const struct vgpu_interface *const *rows, const char *kind) NONNULL;

/* A vGPU that could be made at a place. */
struct vgpu vgpu_at(const struct place *place, const struct name *device) CHECKED NONNULL;

/* Adds what one interface has to an inventory; see `scan` above. `devices`: all PCI devices. */
int vgpu_scan(const struct vgpu_interface *interface, const struct host *host,
              const struct policy *policy, const struct inventory_filter *filter,
              const struct names *devices, struct inventory *inventory) CHECKED
    __attribute__((nonnull(1, 2, 4, 5, 6)));

/* Finds a device of any interface; see `find` above. */
int vgpu_find(const struct host *host, const struct name *device, struct vgpu *ret,
              struct name *gpu) CHECKED NONNULL;

/* Reads the state of a vGPU; see `state` above. */
enum vgpu_state
vgpu_state(const struct host *host, const struct vgpu *vgpu, struct name *type) NONNULL;

/* Sets the driver parameters of a vGPU that nobody has open: "name=value, name=value". They replace
 * the present ones; "" removes them. Returns 0 or -errno; -ENOENT if the driver knows none. */
int vgpu_configure(const struct host *host, const struct vgpu *vgpu,
                   const char *params) CHECKED NONNULL;

/*
 * Proves that nobody has a vGPU open, so that removing it does not block. Returns 0, and in *proof
 * a descriptor. While it is open, nobody else can open the vGPU (-1: nothing is needed). Returns
 * -EBUSY if the vGPU is in use or this cannot be told; -ENODEV if it is gone. Never call it for a
 * vGPU with which a guest may be starting: that guest's QEMU would fail.
 */
int vgpu_prove(const struct host *host, const struct vgpu *vgpu, int *proof) CHECKED NONNULL;

/*
 * Finds a process that has a vGPU open, for messages, by a look at all processes (open-files.h).
 * Returns 1 and a text such as "12 (qemu-system-x86)". Returns 0 and "" if none is seen, which is
 * no proof. Returns -EACCES and "" if not all processes could be looked at.
 */
int vgpu_holder(const struct host *host, struct open_files *files, const struct vgpu *vgpu,
                char *text, size_t size) CHECKED NONNULL;

/* Whether this program knows the interface of a vGPU. If not, it can do nothing with it. */
bool vgpu_is_known(const struct vgpu *vgpu) CHECKED NONNULL;

/* Whether a vGPU is not there, or is of another type. Returns false if its driver does not
 * answer. */
bool vgpu_is_wrong(const struct host *host, const struct vgpu *vgpu) CHECKED NONNULL;
