/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpu: one vGPU, and the kernel interfaces by which vGPUs are made and removed.
 *
 * There is one row per interface in vgpu_interfaces. Whoever works on a vGPU goes through its row
 * and knows no path. What writes is called by the writer process only (apply/writer.h), because a
 * write may block for as long as a guest runs.
 */

#pragma once

#include "device/inventory.h"
#include "domain/request.h"
#include "policy/policy.h"

/* How much there is of a vGPU. It is absent only if neither its link on the bus nor its directory
 * is there: a removal takes away the link first, and the vGPU still takes its place on the GPU. A
 * device of its UUID on another parent is another vGPU. */
enum vgpu_state {
    VGPU_ABSENT,
    VGPU_TRANSIENT, /* being made, or being removed */
    VGPU_PRESENT,
    VGPU_UNKNOWN, /* its driver does not answer, or could not be asked */
};

/* Bytes of all parameters of a vGPU, with the final NUL. */
#define VGPU_PARAMS 512

struct vgpu {
    const struct vgpu_interface *interface;
    struct name device;
    struct name type;
    struct name parent;
    struct name recipe; /* its type's, to make it by; of no meaning for one that is there */
};

struct vgpu_interface {
    const char *kind;          /* the ledger's word for it */
    enum request_kind hostdev; /* how a domain has it; a PCI device is its own parent */

    bool is_lent; /* the device is the host's own: libvirt may bind it to VFIO (managed='yes'), and
                     while it is bound to another driver nobody can have it open */

    /* Adds what it finds to an inventory: 0, or -errno of a list that cannot be read. policy has
     * the pools and profiles; NULL: only those of their functions are found that somebody has. */
    int (*scan)(const struct host *host, const struct policy *policy,
                const struct inventory_filter *filter, struct inventory *inventory);

    /* Finds a device that is present: ret is it, gpu its GPU. -ENOENT if there is none. */
    int (*find)(const struct host *host, const struct name *device, struct vgpu *ret,
                struct name *gpu);

    /* Reads its state. If it is present, type is its type, "" if it is half made and whoever has
     * the lease may remove it. A vgpu whose own type is "" may have any
     * type; otherwise one of another type is absent. It is quick: it reads links, or an attribute
     * that the driver does not have to work for. */
    enum vgpu_state (*state)(const struct host *host, const struct vgpu *vgpu, struct name *type);

    /* Takes back the memory that the driver gave a function when it was enabled. 1: the function
     * had some; 0: it had none, or somebody has the function already; -errno. NULL: the driver
     * gives no memory. */
    int (*settle)(const struct host *host, const struct name *function);

    /* Makes it: 0, or the -errno of the kernel; -ENOTRECOVERABLE: a part of it is made, which could
     * not be taken back. */
    int (*make)(const struct host *host, const struct vgpu *vgpu);

    /* Sets driver parameters; see vgpu_configure. NULL: its driver knows none. */
    int (*configure)(const struct host *host, const struct vgpu *vgpu, const char *params);

    /* The device's own directory below root: 0 or -errno. */
    int (*directory)(const struct vgpu *vgpu, struct path *ret);

    /* Removes it, while the caller holds the proof of vgpu_prove: 0, or the -errno of the kernel.
     */
    int (*remove)(const struct host *host, const struct vgpu *vgpu);
};

extern const struct vgpu_interface vgpu_mdev; /* mdev.c */
extern const struct vgpu_interface vgpu_vf;   /* vf.c */
extern const struct vgpu_interface vgpu_xe;   /* xe.c */
extern const struct vgpu_interface vgpu_pool; /* pool.c */

extern const struct vgpu_interface *const vgpu_interfaces[];
extern const size_t vgpu_interface_count;

/* The directory of a vGPU that is a PCI device, for the rows of such. */
int vgpu_pci_directory(const struct vgpu *vgpu, struct path *ret) CHECKED NONNULL;

/* Whether a device is a parent that makes vGPUs of itself, which guests get as PCI devices. Not for
 * a remote host's inventory, which does not tell interfaces. */
bool
vgpu_has_function(const struct inventory *inventory, const struct name *device) CHECKED NONNULL;

/* NULL if there is none of that kind. */
const struct vgpu_interface *vgpu_interface_find(const char *kind) NONNULL;

/* Finds a device of any interface; see find above. */
int vgpu_find(const struct host *host, const struct name *device, struct vgpu *ret,
              struct name *gpu) CHECKED NONNULL;

/* The state of a vGPU; see the member `state` above. */
enum vgpu_state
vgpu_state(const struct host *host, const struct vgpu *vgpu, struct name *type) NONNULL;

/* Sets driver parameters, "name=value, name=value", on a vGPU that nobody has open, instead of
 * those it has ("": none): 0 or -errno; -ENOENT if its driver knows none. */
int vgpu_configure(const struct host *host, const struct vgpu *vgpu,
                   const char *params) CHECKED NONNULL;

/*
 * Proves that nobody has it open, so that removing it will not block. 0 and in *proof a descriptor
 * that keeps everybody else out for as long as it is open (-1 if nothing is needed); -EBUSY if it
 * is in use or that cannot be told; -ENODEV if it is gone. Never to be called for a vGPU that a
 * guest may be starting on: that guest's QEMU would fail.
 */
int vgpu_prove(const struct host *host, const struct vgpu *vgpu, int *proof) CHECKED NONNULL;

/*
 * Finds a process that has it open, for messages: 1, and its text is "12 (qemu-system-x86)"; 0 and
 * "" if none is seen, which is no proof; -EACCES and "" if not all processes could be looked at. It
 * only reads /proc.
 */
int vgpu_holder(const struct host *host, const struct vgpu *vgpu, char *text,
                size_t size) CHECKED NONNULL;

/* Whether it is present and of its type. Of one whose driver does not answer vgpu_is_wrong is false
 * as well. */
bool vgpu_is_right(const struct host *host, const struct vgpu *vgpu) CHECKED NONNULL;
bool vgpu_is_wrong(const struct host *host, const struct vgpu *vgpu) CHECKED NONNULL;
