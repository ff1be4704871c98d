/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fake-kernel: a /sys that reacts, for the tests.
 *
 * It is a tree in a temporary directory, and a struct host whose operations follow the rules of the
 * kernel's mdev core and of the drivers (shared/reference/vgpu-sysfs.md): a write to `create` makes
 * a device or is refused, `available_instances` is what is left, a `remove` of a device that is
 * open does not come back; a number in a function's `current_vgpu_type` makes a vGPU of it.
 * Several processes may share one: all that changes is in the tree, under a lock of its own, or in
 * shared memory. Time is fake-clock.h's.
 *
 * The machine is a text, a line a thing:
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
 * Words of a gpu: `vfs N`, its virtual functions, at most 64, from BUS:00.4 on; `vf`, they have
 * NVIDIA's vendor-specific VFIO, and no mdev; `board NAME`, all types of the table of real ones;
 * `xe`, Intel's driver gives them numbers, and of `memory N` as much as there is (none: it is
 * integrated); its types are for a snapshot, and say what a function's memory is called; `lent`,
 * its functions are members of pools, which its types are, for a snapshot only;
 * numa N; vendor and device, PCI ids; gvt; `mig`, it is partitioned, so that only types with
 * `instances` can be made; `parts N`, so many GPU instances of it are seen; `ceiling N` and `each
 * N`, so many vGPUs of any sizes are made on it, and on each of these (of driver nvidia: 32, 12);
 * `list FORM`, what creatable_vgpu_types looks like: header (the default),
 * plain, name-first, garbage (among the lines), proposal (a header while nothing is made).
 *
 * Rules: `size`, all vGPUs of a GPU have one frame-buffer size, and together fewer than the type's
 * max; `type`, the same with one type; `pool N`, N units of which a type uses some; `mixed` with
 * `memory N` (MiB), anything that fits. Words of a type: framebuffer, max, heads, uses N; api NAME;
 * nameless; `instances N`, it takes a GPU instance, of which N are free; `slices N`, of so many
 * (what a tree is read for says so by its name). Words of a pci: driver, physfn, vendor, device,
 * class, numa. Comments begin with '#'.
 *
 * A type in short is NAME:FRAMEBUFFER:MAX; NAME:FRAMEBUFFER:MAX@SLICES for one of GPU instances, of
 * which MAX are free; NAME/USES for one of a pool. Its id is the name in small letters.
 *
 * A vGPU is `foreign`: it has no lease, and device 1 is dddddddd-...-000000000001, or the function.
 * A snapshot (fake-snapshot.h) takes more than a tree, which makes its leases by the hook:
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

/* What a driver says that is not true. */
enum fake_lie {
    FAKE_TRUTH,
    FAKE_LIE_FORGOTTEN, /* a type that was made and removed is not offered any more */
    FAKE_LIE_LATE,      /* figures change two seconds after what they tell */
    FAKE_LIE_MAXIMUM,   /* only three quarters of a type's max are made, and the rest refused */
    FAKE_LIE_BESIDE,    /* the last type is offered only beside another vGPU */
    FAKE_LIE_KEPT,      /* a function of `vf` keeps its type though it was told to lose it */
};
#define FAKE_LATE 2000 /* ms */

/* What goes wrong; in memory that all processes share, so set it at any time. */
struct fake_faults {
    unsigned writes;       /* counts them */
    unsigned fail_at;      /* the n-th write, counted by writes, fails; 0: none */
    bool fail_on;          /* and all that follow */
    int fail_with;         /* errno */
    unsigned create_delay; /* ms that a create takes */
    unsigned remove_delay; /* ms that a removed device's directory, or type, still stands */
    bool stuck;            /* creates do not come back until this is cleared */
    bool unseen;           /* nor do those that are not in the tree yet */
    unsigned refuse;       /* the next N creates are refused although shown as available */
    unsigned unreadable;   /* every N-th read of what is available fails with EIO; 0: none */
    bool uneven;           /* profiles of xe cannot be read: EUCLEAN */
    unsigned opens;        /* counts reads, listings and probes */
    char slow[16];         /* a GPU's address without its function, "0000:18:00": its driver */
    unsigned slow_by;      /* takes so many ms for each answer, */
    bool mute;             /* or none comes back until this is cleared */
    unsigned exiting;      /* ms that a function is still being left after a close */
    unsigned patience;     /* ms that the driver waits for that; 20, really 5000 */
    enum fake_lie lie;     /* of all drivers */
};

struct fake_kernel {
    struct host host; /* first: the operations find the rest by it */
    int real_root;    /* of /proc: processes are real */
    char path[256];
    struct fake_machine *machine;
    struct fake_faults *faults;
    struct fake_usage *usage;
};

/* What calls libvirt, as it was built; static memory. It is real, like that libvirt's test driver.
 */
const char *fake_module(void);

/* Builds the machine; aborts the test on a wrong description. */
void fake_start(struct fake_kernel *fake, const char *machine);

/* Removes the tree. Devices left in it are no fault here: the tests say what they expect. */
void fake_stop(struct fake_kernel *fake);

/* In all that follows a device is a UUID, or the address of a function of `vf`: that is its own
 * parent, and its type is "nvidia-1145" here although the kernel says 1145. */

/* Somebody else's hand: makes or removes a device directly. 0 or -errno. */
int
fake_make(const struct fake_kernel *fake, const char *parent, const char *type, const char *device);
int fake_remove(const struct fake_kernel *fake, const char *device);

/* A guest's QEMU: has the group and the device open, until it is closed. A function can refuse:
 * then the group is -1, the device -errno, and there is nothing to close. */
struct fake_guest {
    int group, device;
    struct fake_function *function;
};
struct fake_guest fake_open(const struct fake_kernel *fake, const char *device);
void fake_close(struct fake_guest *guest);

/* The same in a process of its own, as a real QEMU is, for those who ask which process it is: what
 * this process has open, its children have open, too. The guest is handed over; fake_end ends it.
 */
pid_t fake_hand_over(struct fake_guest *guest);
void fake_end(pid_t qemu);

/* Opens the node of a device's group, as any program may: a descriptor, or -1. */
int fake_open_group(const struct fake_kernel *fake, const char *device);

/* The type of a device, or "" if there is none; static memory. */
const char *fake_type_of(const struct fake_kernel *fake, const char *device);

/* How many devices there are, or functions with a type. */
size_t fake_count(const struct fake_kernel *fake);

/* How many free GPU instances there are for a type that has `instances`. */
void
fake_instances(const struct fake_kernel *fake, const char *gpu, const char *type, unsigned count);

/* Writes what is available into the files, for programs that read the tree themselves. */
void fake_settle(const struct fake_kernel *fake);

/* The driver is unloaded from a parent: it is not on the mdev bus any more, or is a plain PCI
 * function. */
void fake_vanish(const struct fake_kernel *fake, const char *parent);

/* Somebody's hand at sriov_numvfs: a GPU's first `count` functions are there now, or none. The
 * host's own driver takes them unless its sriov_drivers_autoprobe says no. 0 or -errno. */
int fake_enable(const struct fake_kernel *fake, const char *gpu, unsigned count);

/* A function of `vf` goes to another driver, as "vfio-pci", and loses its type; what comes back to
 * "nvidia" refuses every type with EINVAL. */
void fake_bind(const struct fake_kernel *fake, const char *address, const char *driver);

/* The numbers of a function of `xe`, for somebody else's hand: bytes, ms and microseconds. */
uint64_t *fake_profile(const struct fake_kernel *fake, const char *address);

/* Writes a file below the tree (config, proc), with its directories. */
void fake_write(const struct fake_kernel *fake, const char *path, const char *text);
