/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fake-kernel: a /sys that reacts, for the tests.
 *
 * It is a tree in a temporary directory, and a struct host. Its operations follow the rules of the
 * kernel's mdev core and of the drivers (shared/reference/vgpu-sysfs.md). A write to `create` makes
 * a device, or is refused. `available_instances` says how many more devices fit. A `remove` of an
 * open device blocks until the device is closed. A number that is written to a function's
 * `current_vgpu_type` makes the function a vGPU. Several processes may share one fake kernel. All
 * that changes is in the tree, which has its own lock, or in shared memory. Time is the simulated
 * time of fake-clock.h.
 *
 * A text describes the machine. Each line describes one thing:
 *
 *     gpu 0000:18:00.0 rule size numa 0 vfs 4         (vfs: the types are on virtual functions)
 *     type nvidia-222 "GRID T4-1B" framebuffer 1024 max 16 heads 4
 *     gpu 0000:3d:00.0 vf vfs 16 rule size numa 0 board "NVIDIA L40S"
 *     gpu mtty rule pool 24
 *     type mtty-2 "Dual port serial" uses 2
 *     pci 0000:00:1f.2 driver ahci
 *     pci 0000:41:00.4 driver vfio-pci physfn 0000:41:00.0
 *     gpu a vfs 2 X-1:1024:4 X-2:2048:2        (types in short; virtual functions a.0 and a.1)
 *     foreign 1 X-1 a.0                        (a vGPU: its state, number, type and parent)
 *
 * Words of a gpu: `vfs N`: the GPU has N virtual functions, at most 64, from BUS:00.4 on. `vf`: the
 * functions have NVIDIA's vendor-specific VFIO, and no mdev. `board NAME`: the GPU has all types of
 * this board in the table of real types. `xe`: Intel's driver gives the functions numbers, and
 * parts of `memory N`. Without `memory` the GPU is integrated. `shares N`: the driver shares the
 * memory out by its first, second or third rule (the default). `admin`: the card only serves its
 * functions, and takes no share. `fixed`: the memory of a function can only be read. `timeless`:
 * functions have no times. The types of `xe` are only for a snapshot: each names an amount of a
 * function's memory. `lent`, only for a snapshot: the functions are members of pools, and the types
 * are these pools. `numa N`. `vendor`, `device` and `subsystem`: PCI ids. `bound N`: the last N
 * parents were bound to vfio-pci, so the kernel calls their types vfio-pci-222 (mdev only). `gvt`.
 * `mig`: the GPU is partitioned, so only types with `instances` can be made. `parts N`: it shows N
 * GPU instances. `ceiling N` and `each N`: the driver makes at most N vGPUs, whatever their sizes
 * are, on the GPU, or on each GPU instance. For the driver nvidia these are 32 and 12 by default.
 * `list FORM` is the form of creatable_vgpu_types: header (the default), plain, name-first, garbage
 * (among the lines), proposal (a header while no vGPU is made).
 *
 * Rules: `size`: all vGPUs of a GPU have one frame-buffer size. One more fits while there are fewer
 * than the type's max. With `taken N` a process of the host has N MiB of the frame buffer, which no
 * file tells. `type`: the same with one type. `pool N`: there are N units, and each type
 * uses some of them. `mixed` with `memory N` (MiB): any type fits for which there is memory.
 * `apart`: each type is counted by itself: `alone N` vGPUs fit, whatever else is there. Words of a
 * type: `framebuffer`, `max`, `alone N` (else its max), `heads`, `uses N`, `api NAME`, `nameless`.
 * `instances N`: the type needs a GPU instance, and N are free. `slices N`: this instance has N
 * slices (in a tree the type's name says so). Words of a pci: driver, physfn, vendor, device,
 * subsystem, class, numa.
 * Comments begin with '#'.
 *
 * The short form of a type is NAME:FRAMEBUFFER:MAX. NAME:FRAMEBUFFER:MAX@SLICES is a type of GPU
 * instances, of which MAX are free. NAME/USES is a type of a pool. The id is the name in small
 * letters.
 *
 * A `foreign` vGPU has no lease. Device 1 is dddddddd-...-000000000001, or the function. A snapshot
 * (fake-snapshot.h) takes more lines than a tree, because on a tree the hook makes the leases:
 *
 *     held 7 X-1 a.0 web1        the states of leases, and whose; `found` is held, and not made by
 *                                us; the type "-" is not set yet. Then `hidden`: the kernel does
 *                                not show it, as is usual for pending and reserved ones; `shown`:
 *                                it does; `busy`: in use; `at N`: the lease's time
 *     refused a X-1              by the kernel, in this call
 *     unreadable a X-1           how many more there is an error to read
 *     drained a
 *     forgetful a                knows no type but those listed or made now
 *     member a.0 amd-1           the one pool that a function is of; each function of a GPU that is
 *                                `lent` has such a line
 *     stranger x.1 which is no GPU
 */

#pragma once

#include "fake/fake-clock.h"

#include <sys/types.h>

/* The lies of a driver. */
enum fake_lie {
    FAKE_TRUTH,
    FAKE_LIE_FORGOTTEN, /* a type whose vGPU was removed is not offered any more */
    FAKE_LIE_LATE,      /* figures change two seconds after the vGPUs that they count */
    FAKE_LIE_MAXIMUM, /* the driver makes only three quarters of a type's max, and refuses the rest
                       */
    FAKE_LIE_BESIDE,  /* the last type is offered only beside another vGPU */
    FAKE_LIE_KEPT, /* a function of `vf` keeps its type though the driver was told to remove it */
    FAKE_LIE_NOTHING, /* no type is offered, though vGPUs can be made */
};
#define FAKE_LATE 2000 /* ms */

/* Faults of the fake kernel. They are in memory that all processes share, so set them at any
 * time. */
struct fake_faults {
    unsigned writes;  /* counts the writes */
    unsigned fail_at; /* the write with this number, as `writes` counts, fails; 0: none fails */
    bool fail_on;     /* all writes after that one fail, too */
    int fail_with;    /* the error: an errno */
    unsigned create_delay; /* how long a create takes, in ms */
    unsigned remove_delay; /* how long the directory or the type of a removed device still stands,
                              in ms */
    bool stuck;            /* creates do not return until this is cleared */
    bool unseen;         /* creates of devices that are not in the tree yet do not return either */
    unsigned refuse;     /* the next N creates are refused, although the driver shows room */
    unsigned unreadable; /* every N-th read of what is available fails with EIO; 0: none */
    bool uneven;         /* the profiles of xe cannot be read: EUCLEAN */
    unsigned opens;      /* counts reads, listings and probes */
    char slow[16];    /* an address without its function, "0000:18:00": the faults below strike this
                         GPU's driver */
    unsigned slow_by; /* the driver needs this many ms for each answer */
    bool mute;        /* no answer comes back until this is cleared */
    unsigned exiting; /* how long a function is still in use after a close, in ms */
    unsigned patience; /* how long the driver waits for the end of this use, in ms: 20 here, 5000 in
                          the real driver */
    enum fake_lie lie; /* of all drivers */
};

struct fake_kernel {
    struct host host; /* first, because the operations find the rest by it */
    int real_root;    /* in /proc, as processes are real */
    char path[256];
    struct fake_machine *machine;
    struct fake_faults *faults;
    struct fake_usage *usage;
    uint64_t booted; /* nanoseconds from 1970 until the boot; 0: the real ones */
};

/* The module that calls libvirt, from the build directory, in static memory. The module is real,
 * and so is libvirt's test driver. */
const char *fake_module(void);

/* Builds the machine. A wrong description aborts the test. */
void fake_start(struct fake_kernel *fake, const char *machine);

/* Removes the tree. The tree may still have devices: each test says which devices it expects. */
void fake_stop(struct fake_kernel *fake);

/* In the functions below, a device is a UUID, or the address of a function of `vf`. Such a function
 * is its own parent. Its type is "nvidia-1145" here, while the kernel says 1145. */

/* Makes or removes a device directly, as somebody other than the hook would. 0 or -errno. */
int
fake_make(const struct fake_kernel *fake, const char *parent, const char *type, const char *device);
int fake_remove(const struct fake_kernel *fake, const char *device);

/* Opens the group and the device, as a guest's QEMU does, until fake_close. A function can refuse.
 * Then the group is -1, the device is -errno, and there is nothing to close. */
struct fake_guest {
    int group, device;
    struct fake_function *function;
};
struct fake_guest fake_open(const struct fake_kernel *fake, const char *device);
void fake_close(struct fake_guest *guest);

/* Hands an open guest over to a process of its own, like a real QEMU. This is for tests that ask
 * which process has a device open. A child has open all files that its parent has open. fake_end
 * ends the process. */
pid_t fake_hand_over(struct fake_guest *guest);
void fake_end(pid_t qemu);

/* Makes a device: its node in the tree, which is a file with the device's number, and its directory
 * in /sys, which tells the number. The second function removes both. */
void fake_put_device(const struct fake_kernel *fake, const char *node, const char *directory);
void fake_drop_device(const struct fake_kernel *fake, const char *node, const char *directory);

/* Opens the node of a device's group, as any program may. A descriptor, or -1. */
int fake_open_group(const struct fake_kernel *fake, const char *device);

/* The type of a device, or "" if there is none; static memory. */
const char *fake_type_of(const struct fake_kernel *fake, const char *device);

/* The number of devices, or of functions with a type. */
size_t fake_count(const struct fake_kernel *fake);

/* The number of free GPU instances for a type that has `instances`. */
void
fake_instances(const struct fake_kernel *fake, const char *gpu, const char *type, unsigned count);

/* Writes the available figures into the files, for programs that read the tree themselves. */
void fake_settle(const struct fake_kernel *fake);

/* Unloads the driver of a parent. Afterwards the parent is not on the mdev bus any more, or is a
 * plain PCI function. */
void fake_vanish(const struct fake_kernel *fake, const char *parent);

/* Writes sriov_numvfs without our program. Afterwards only the first `count` functions of the GPU
 * exist. The host's own driver takes them unless the GPU's sriov_drivers_autoprobe says no. 0 or
 * -errno. */
int fake_enable(const struct fake_kernel *fake, const char *gpu, unsigned count);

/* How many functions of a GPU exist, by its sriov_numvfs. */
unsigned fake_enabled(const struct fake_kernel *fake, const char *gpu);

/* Binds a function of `vf` to another driver, such as "vfio-pci". The function loses its type. If
 * it comes back to "nvidia", it refuses every type with EINVAL. */
void fake_bind(const struct fake_kernel *fake, const char *address, const char *driver);

/* Sets the numbers of a function of `xe` without our program: bytes, ms and microseconds. */
uint64_t *fake_profile(const struct fake_kernel *fake, const char *address);

/* Writes a file below the tree (config, proc), with its directories. */
void fake_write(const struct fake_kernel *fake, const char *path, const char *text);
