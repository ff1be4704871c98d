/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * nvidia-tools: NVIDIA's sriov-manage and nvidia-smi for one card of a fake kernel, as the function
 * that runs programs.
 *
 * They keep the order of the real ones. Enabling virtual functions removes GPU instances and mixed
 * sizes, and brings the scheduler of the module's parameters and the time slicing of instances
 * back. MIG mode does not change while there are functions or instances, and changes only with a
 * reset if the card says so. There is no reset while a daemon has the card open. Sizes and
 * schedulers do not change while the card has a vGPU. Instances need MIG mode. An instance has
 * sizes and a scheduler of its own if it has graphics and was made while time slicing was on. In
 * MIG mode the card has neither. One fault can be switched on: the n-th call that would change the
 * card fails, does not end, changes nothing and says that it did, or its caller is killed before or
 * after the change. The state is shared with the processes that a test forks.
 */

#pragma once

#include "fake/fake-kernel.h"

enum nvidia_fault {
    NVIDIA_FAILS,
    NVIDIA_HANGS,
    NVIDIA_LIES,
    NVIDIA_KILLED_BEFORE,
    NVIDIA_KILLED_AFTER,
};

/* How much a tool knows, by the age of its driver. */
enum nvidia_age {
    NVIDIA_OLD,     /* no schedulers */
    NVIDIA_TELLS,   /* it tells the scheduler of a card (R525) */
    NVIDIA_SETS,    /* it sets the scheduler, too (R535) */
    NVIDIA_PRESENT, /* the same of GPU instances, and their sizes and time slicing (R575) */
};

/* A GPU instance. Its number is that of its place, from 1 on. */
struct nvidia_tools_instance {
    char profile[24];
    bool is_shared; /* it may have several vGPUs */
    bool is_mixed;
    unsigned scheduler; /* 1, 2 or 3, as the tool takes them */
};

struct nvidia_tools {
    const char *card;
    unsigned functions;      /* that the card can have */
    bool tells_sizes_in_mig; /* else the mode of sizes is "N/A" there */
    bool has_mig, is_mig, is_mig_to_be, needs_reset, is_mixed;
    struct nvidia_tools_instance instances[16];
    unsigned instance_count;
    enum nvidia_age age;
    bool can_slice, is_sliced;  /* time slicing of instances */
    unsigned scheduler, loaded; /* of the card: now, and by the module's parameters; 1, 2 or 3 */
    const char *odd_word;       /* is told of each instance and scheduler; NULL: the right word */
    bool has_vgpu;
    bool has_daemon, daemon_runs; /* nvidia-vgpu-mgr, whose unit is enabled */
    const char *listed; /* a type that the driver lists once nvidia-vgpud was restarted; or NULL */
    int modes_status, instances_status; /* other than 0: the exit status of a question that fails */
    unsigned changes;                   /* counts the calls that would change the card */
    unsigned fault_at;                  /* the call with this number is struck; 0: none is */
    enum nvidia_fault fault;
    void (*hanging)(void); /* is called while a tool hangs; NULL: nothing is */
    char asked[4096];      /* the command lines of those calls, with "; " between them */
};
extern struct nvidia_tools *nvidia_tools;

/* Puts the tools on a machine, for a card that has all but instances and a reset to wait for. */
void nvidia_tools_install(struct fake_kernel *fake, const char *card, unsigned functions);

/* As a boot leaves the card. */
void nvidia_tools_boot(struct fake_kernel *fake);

/* Makes a GPU instance on the card, as the driver does. */
void nvidia_tools_add_instance(const char *profile);

/* Whether a command line only asks. */
bool nvidia_tools_is_question(char *const argv[]);

/* host.run */
int nvidia_tools_run(const struct host *host, char *const argv[], int out, unsigned milliseconds);
