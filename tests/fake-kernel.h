/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fake-kernel: a /sys that reacts, for the tests.
 *
 * It is a tree in a temporary directory, and a struct host whose operations follow the rules of the
 * kernel's mdev core and of the drivers (shared/reference/vgpu-sysfs.md): a write to `create` makes
 * a device or is refused, `available_instances` is what is left, a `remove` of a device that is
 * open does not come back. Several processes may share one: all that changes is in the tree, under
 * a lock of its own, or in shared memory.
 *
 * The machine is a text, a line a thing:
 *
 *     gpu 0000:18:00.0 rule size numa 0 vfs 4         (vfs: the types are on virtual functions)
 *     type nvidia-222 "GRID T4-1B" framebuffer 1024 max 16 heads 4
 *     gpu mtty rule pool 24
 *     type mtty-2 "Dual port serial" uses 2
 *
 * Rules: `size`, all vGPUs of a GPU have one frame-buffer size, and together fewer than the type's
 * max; `type`, the same with one type; `pool N`, N units of which a type uses some. Words of a
 * type: framebuffer, max, heads, uses N; api NAME; nameless. Comments begin with '#'.
 */

#pragma once

#include "host.h"

#include <sys/types.h>

/* What goes wrong; in memory that all processes share, so set it at any time. */
struct fake_faults {
    unsigned writes;       /* counts them */
    unsigned fail_at;      /* the n-th write, counted by writes, fails; 0: none */
    int fail_with;         /* errno */
    unsigned create_delay; /* ms that a create takes */
    unsigned remove_delay; /* ms that a removed device's directory still stands */
    bool stuck;            /* creates do not come back until this is cleared */
    bool unseen;           /* nor do those that are not in the tree yet */
    unsigned refuse;       /* the next N creates are refused although shown as available */
    unsigned unreadable;   /* every N-th read of available_instances fails with EIO; 0: none */
    unsigned opens;        /* counts reads, listings and probes */
};

struct fake_kernel {
    struct host host; /* first: the operations find the rest by it */
    int real_root;    /* of /proc: processes are real */
    char path[256];
    struct fake_machine *machine;
    struct fake_faults *faults;
    struct fake_usage *usage;
};

/* Builds the machine; aborts the test on a wrong description. */
void fake_start(struct fake_kernel *fake, const char *machine);

/* Removes the tree. Devices left in it are no fault here: the tests say what they expect. */
void fake_stop(struct fake_kernel *fake);

/* Somebody else's hand: makes or removes a device directly. 0 or -errno. */
int
fake_make(const struct fake_kernel *fake, const char *parent, const char *type, const char *uuid);
int fake_remove(const struct fake_kernel *fake, const char *uuid);

/* A guest's QEMU: has the group and the device open, until it is closed. */
struct fake_guest {
    int group, device;
};
struct fake_guest fake_open(const struct fake_kernel *fake, const char *uuid);
void fake_close(struct fake_guest *guest);

/* The type of a device, or "" if there is none; static memory. */
const char *fake_type_of(const struct fake_kernel *fake, const char *uuid);

/* How many devices there are. */
size_t fake_count(const struct fake_kernel *fake);

/* Writes what is available into the files, for programs that read the tree themselves. */
void fake_settle(const struct fake_kernel *fake);

/* The driver is unloaded from a parent: it is not on the bus any more. */
void fake_vanish(const struct fake_kernel *fake, const char *parent);

/* Writes a file below the tree (config, proc), with its directories. */
void fake_write(const struct fake_kernel *fake, const char *path, const char *text);
