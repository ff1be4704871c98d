/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * fake-parts: functions that the files of the fake kernel share. No other file includes it.
 *
 * fake-parse.c reads the description. fake-machine.c has the driver's rule, and fake-lie.c the
 * answers of a driver that lies. fake-snapshot.c makes values of a machine. fake-tree.c puts files,
 * links and PCI devices into the tree. fake-mdev.c, fake-vf.c and fake-xe.c have one interface
 * each. fake-sriov.c adds and removes virtual functions. fake-kernel.c has the operations of struct
 * host, which call all of these.
 *
 * Each function aborts the test if the test asks for something wrong.
 */

#pragma once

#include "base/array.h"
#include "fake/fake-kernel.h"

#include <stdint.h>

#undef NDEBUG
#include <assert.h>

#define MOST_GPUS    64
#define MOST_PARENTS 2048
#define MOST_TYPES   64
#define FAKE_NUMBERS 3 /* of a function of `xe` */

enum fake_rule { RULE_SIZE, RULE_TYPE, RULE_POOL, RULE_MIXED, RULE_APART };
enum fake_list { LIST_HEADER, LIST_PLAIN, LIST_NAME_FIRST, LIST_GARBAGE, LIST_PROPOSAL };

struct fake_type {
    char id[64], name[64], api[32];
    unsigned framebuffer, max, heads, uses, slices, alone;
    bool nameless;
    long number;   /* the name of the type in the interface of `vf` */
    int instances; /* free GPU instances at the beginning; -1: a time-sliced type */
};

/* A device on the PCI bus. A GPU and its functions are on the bus, too. */
struct fake_pci {
    char address[64], physfn[64];
    char vendor[8], device[8], subsystem[8], driver[32];
    char class[16]; /* "0x030200" */
    int numa;
};

struct fake_gpu {
    char name[64], vendor[8], device[8], subsystem[8], driver[32];
    enum fake_rule rule;
    enum fake_list list;
    unsigned pool, vfs, memory, bound;
    unsigned ceiling,
        each;        /* the most vGPUs on it, and on each of its GPU instances; 0: no limit */
    unsigned parts;  /* the number of GPU instances that it shows */
    unsigned taken;  /* MiB that a process of the host has */
    unsigned shares; /* how Intel's driver shares the memory out: 1, 2 or 3; 0: 3 */
    bool gvt, vf, mig, xe, lent;
    bool admin, fixed, timeless; /* of `xe` */
    int numa;
    struct fake_type *types;
    size_t type_count;
};

struct fake_parent {
    char name[64];
    size_t gpu;
    bool bound; /* it was bound to vfio-pci when it became a parent */
};

/* A vGPU of the description. */
struct fake_vgpu {
    char state[16], type[64], parent[64], owner[64];
    unsigned number, at;
    bool hidden, shown, busy;
};

enum fake_noted {
    NOTED_DRAINED,
    NOTED_REFUSED,
    NOTED_UNREADABLE,
    NOTED_FORGETFUL,
    NOTED_STRANGER,
    NOTED_MEMBER,
};
struct fake_note {
    enum fake_noted kind;
    char name[64], rest[200];
};

struct fake_machine {
    struct fake_gpu *gpus;
    size_t gpu_count;
    struct fake_parent *parents;
    size_t parent_count;
    struct fake_pci *pcis; /* PCI devices beside the GPUs */
    size_t pci_count;
    struct fake_vgpu *vgpus;
    size_t vgpu_count;
    struct fake_note *notes;
    size_t note_count;
};

/* A virtual function of `vf`. */
struct fake_function {
    const struct fake_type *making, *type;
    unsigned placement, instance;
    bool rebound; /* it was taken from its driver and given back */
    bool opened;
    uint64_t left; /* ms: the time when it was closed; 0: it was never open */
};

/* These counts are kept beside the tree, in memory that all processes share. If each read counted
 * directories, a large host would be slow for reasons that no real host has. Access needs the
 * tree's lock. */
struct fake_usage {
    unsigned made[MOST_GPUS], units[MOST_GPUS], memory[MOST_GPUS];
    unsigned first[MOST_GPUS]; /* the type's index + 1 */
    unsigned of_type[MOST_GPUS][MOST_TYPES];
    unsigned free_instances[MOST_GPUS][MOST_TYPES];
    unsigned here[MOST_PARENTS];
    struct fake_function functions[MOST_PARENTS];
    uint64_t profiles[MOST_PARENTS][FAKE_NUMBERS];

    /* For fake-lie.c: the removed types of each GPU, and the last change of its vGPUs. */
    bool removed[MOST_GPUS][MOST_TYPES];
    struct fake_change {
        uint64_t at; /* ms */
        int by;      /* 1: a vGPU was made; -1: removed; 0: nothing has changed yet */
        size_t parent, type;
    } last[MOST_GPUS];
};

/* --- fake-parse.c --- */

struct fake_machine *fake_parse(const char *text);
void fake_free(struct fake_machine *machine);

/* --- fake-machine.c --- */

/* NULL if no type has this name. */
const struct fake_parent *fake_find_parent(const struct fake_kernel *fake, const char *name);
const struct fake_type *fake_find_type(const struct fake_gpu *gpu, const char *id);

/* Finds the type by its id, or by the last word of its name, "T4-1B". */
const struct fake_type *fake_find_type_word(const struct fake_gpu *gpu, const char *word);

/* As many GPU instances are free afterwards as the description says. */
void fake_free_instances(const struct fake_kernel *fake);
const struct fake_gpu *
fake_gpu_of(const struct fake_kernel *fake, const struct fake_parent *parent);

/* How many more vGPUs of a type the driver would make on a parent. */
unsigned fake_room(const struct fake_kernel *fake, const struct fake_parent *parent,
                   const struct fake_type *type);

/* Returns 0, or the error with which the driver would refuse a vGPU now. Call it, and
 * fake_count_one, with the lock held. */
int fake_refusal(const struct fake_kernel *fake, const struct fake_parent *parent,
                 const struct fake_type *type);
void fake_count_one(const struct fake_kernel *fake, const struct fake_parent *parent,
                    const struct fake_type *type, int by);

/* --- fake-lie.c --- */

/* The number that the driver shows. It is the truth, unless faults->lie is set. */
unsigned fake_told(const struct fake_kernel *fake, const struct fake_parent *parent,
                   const struct fake_type *type);

/* Does the driver refuse one more vGPU, although it said that there is room? */
bool fake_lied(const struct fake_kernel *fake, const struct fake_parent *parent,
               const struct fake_type *type);

/* Records that a vGPU was made or removed. */
void fake_note_change(const struct fake_kernel *fake, const struct fake_parent *parent,
                      const struct fake_type *type, int by);

/* --- fake-machine.c --- */

/* A driver makes the vGPUs of one GPU one after the other. It works on several GPUs at once. */
void fake_pause_create(const struct fake_kernel *fake, const struct fake_parent *parent);

/* --- fake-tree.c --- */

/* Holds the tree's lock until the end of the scope. */
#define LOCKED __attribute__((unused))
int fake_lock(const struct fake_kernel *fake);

/* The tree itself, without the reactions of the fake kernel. */
struct host fake_plain(const struct fake_kernel *fake);

/* Makes a file and its directories. If text is NULL and the path ends in a slash, makes a
 * directory. */
void fake_put(int root, const char *text, const char *format, ...) FORMAT(3, 4);
void fake_put_link(int root, const char *target, const char *format, ...) FORMAT(3, 4);
void fake_drop(int root, int flags, const char *format, ...) FORMAT(3, 4);

/* The name of a device's group. It contains the name of the tree, because tests that run at the
 * same time have groups of the same devices open. */
struct name fake_group(const struct fake_kernel *fake, const char *device);

/* Makes the group's link and node. The second function removes the node. */
void fake_put_group(const struct fake_kernel *fake, const char *directory, const char *device);
void fake_drop_group(const struct fake_kernel *fake, const char *device);

/* Adds a device to the PCI bus, and to the functions of its physical function. */
void fake_put_pci(const struct fake_kernel *fake, const struct fake_pci *pci);
void fake_put_driver(const struct fake_kernel *fake, const char *address, const char *driver);

/* Makes the files in /proc of NVIDIA's host driver for a card. There the card has its own number,
 * and this many GPU instances. */
void fake_put_proc(const struct fake_kernel *fake, const struct fake_pci *pci, size_t minor,
                   unsigned parts);

/* Makes what VFIO adds to a device: the group, and a device node with its own number. */
void fake_put_vfio(const struct fake_kernel *fake, const char *address, size_t index);
void fake_put_node(const struct fake_kernel *fake, const char *address, size_t index, bool bound);
struct name fake_vfio_node(const struct fake_kernel *fake, size_t index);

/* --- fake-mdev.c, fake-vf.c, fake-xe.c: one interface each --- */

struct fake_family {
    void (*put_parent)(const struct fake_kernel *fake, const struct fake_parent *parent);
    /* False: the attribute belongs to none of them. */
    bool (*read)(const struct fake_kernel *fake, const char *path, char *buffer, size_t size,
                 ssize_t *ret);
    bool (*write)(const struct fake_kernel *fake, const char *path, const char *text, int *ret);
    /* The functions of fake-kernel.h, for each interface. */
    int (*make)(const struct fake_kernel *fake, const char *parent, const char *type,
                const char *device);
    int (*remove)(const struct fake_kernel *fake, const char *device);
    struct fake_guest (*open)(const struct fake_kernel *fake, const char *device);
    void (*type_of)(const struct fake_kernel *fake, const char *device, char *type, size_t size);
    size_t (*count)(const struct fake_kernel *fake, const struct fake_parent *parent);
    void (*settle)(const struct fake_kernel *fake, const struct fake_parent *parent);
    void (*vanish)(const struct fake_kernel *fake, const struct fake_parent *parent);
};
extern const struct fake_family fake_mdev, fake_vf, fake_xe;
extern const struct fake_family
    fake_sriov; /* of all cards that have functions: only read and write */

/* A guest's QEMU opens a PCI device that is bound to vfio-pci, as the functions of pools are.
 * False: it is no such device. */
bool fake_open_bare(const struct fake_kernel *fake, const char *device, struct fake_guest *ret);

/* The work of xe when this many functions of its card are enabled now. 0: they are disabled. */
/* The bytes that Intel's driver gives each of so many functions. */
uint64_t fake_xe_share(const struct fake_gpu *gpu, unsigned count);

void fake_xe_enable(const struct fake_kernel *fake, const struct fake_gpu *gpu, unsigned count);

/* Records a write to a vgpu_params. The driver drops the last byte, and shows the rest as a
 * line. */
void fake_put_params(const struct fake_kernel *fake, const char *directory, const char *text);

/* --- shared by fake-vf.c and fake-vf-type.c --- */

struct fake_function *
fake_function_of(const struct fake_kernel *fake, const struct fake_parent *parent);

/* The first function writes the files with a function's settings. The second makes or removes all
 * files of a function. */
void fake_put_current(const struct fake_kernel *fake, const struct fake_parent *parent);
void
fake_put_attributes(const struct fake_kernel *fake, const struct fake_parent *parent, bool there);

/* Handle writes to current_vgpu_type and vgpu_params. */
int fake_turn(const struct fake_kernel *fake, const struct fake_parent *parent, const char *text);
int
fake_configure(const struct fake_kernel *fake, const struct fake_parent *parent, const char *text);

int fake_vf_make(const struct fake_kernel *fake, const char *name, const char *type,
                 const char *device);
int fake_vf_remove(const struct fake_kernel *fake, const char *device);
struct fake_guest fake_vf_open(const struct fake_kernel *fake, const char *device);
void fake_vf_type(const struct fake_kernel *fake, const char *device, char *type, size_t size);
size_t fake_vf_count(const struct fake_kernel *fake, const struct fake_parent *parent);
void fake_vf_vanish(const struct fake_kernel *fake, const struct fake_parent *parent);
