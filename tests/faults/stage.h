/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * stage: the host on which an action meets a fault, and the steps of libvirt before and after the
 * action.
 *
 *     gpu mtty, three places of mtty-2;  gpu 0000:3d:00.0, two virtual functions, of L40S-1B
 *
 * The functions are NVIDIA's, or Intel's with a profile that has the name of the type.
 *
 * The action is about guest 1, which asks for a mediated device and a virtual function (A and V).
 * Guest 3 is a bystander. It runs with a device of its own, and must keep this device in any case.
 * Guest 2 is the next guest that wants A and V. Each hook runs in a process of its own. The process
 * of the test stands for libvirt's daemon.
 */

#pragma once

#include "fake/scene.h"
#include "faults/inject.h"

#define STAGE_MOST_OPEN 4

#define STAGE_SETTINGS                                                                             \
    "placement = \"pack\";\n"                                                                      \
    "profiles = { L40S-1B = { vram = \"1G\"; exec_quantum = \"20ms\"; }; };\n"
#define STAGE_CONFIGURATION STAGE_SETTINGS "gpus = ({ address = \"mtty\"; });\n"

/* The vendor of the functions, "vf" or "xe", and the kernel's name of their type. Set both before
 * the first stage. */
struct stage_shape {
    const char *name, *machine, *type;
};
extern const struct stage_shape stage_shapes[2];
extern const struct stage_shape *stage_shape;

struct stage {
    struct scene scene;        /* first: the teardown finds the rest by it */
    int input, output, faults; /* the output of a hook or of vgpuctl */
    struct inject_record *record;
    pid_t self; /* libvirt's daemon, and the QEMU of every guest */
    int log;    /* a socket for the log */
    int status; /* the action's exit status; -1: it was killed */
    struct fake_guest bystander;
    struct fake_guest open[STAGE_MOST_OPEN]; /* open in the QEMU of guest 1 */
    size_t open_count;
    char complaint[2048]; /* the first complaint */
};

/* The devices. A and V are those of guest 1, V2 is the other function, and B is the bystander's. */
extern const char stage_a[], stage_v[], stage_v2[], stage_b[];

/* The machine has these lines too, unless they are NULL. */
void stage_start(struct stage *stage, struct inject_record *record, const char *more);
void stage_stop(struct stage *stage);

void stage_complain(struct stage *stage, const char *format, ...) FORMAT(2, 3);

/* --- in the process of the action, where the fault may be ------------------------------------- */

/* The first function calls the hook with the XML of a guest that asks for these devices (NULL ends
 * the list). The second calls it with this XML. The third calls vgpuctl with a line of words. Each
 * returns the exit status. The output is in the files. */
int stage_hook(struct stage *stage, unsigned guest, const char *const *devices,
               const char *operation, const char *sub);
int stage_hook_xml(struct stage *stage, const char *xml, const char *operation, const char *sub);
int stage_vgpuctl(struct stage *stage, const char *line);

/* For actions that call no main: does what the mains do at their beginning and end, and empties the
 * files. */
void stage_start_program(struct stage *stage, const char *name);
void stage_end_program(struct stage *stage);

/* The XML of a guest that asks for these devices. The caller frees it. */
char *stage_xml(unsigned guest, const char *const *devices);

/* The output and the complaints of the last program. The caller frees the text. */
char *stage_printed(const struct stage *stage);
char *stage_said(const struct stage *stage);

/* --- steps: each in a child process, without a fault ------------------------------------------ */

/* Returns the exit status of run. */
int stage_step(struct stage *stage, int (*run)(struct stage *stage));

/* The same for a call of the hook with the usual devices of guest 1 or 2: A and V. */
int stage_prepare(struct stage *stage, unsigned guest);
int stage_release(struct stage *stage, unsigned guest);
int stage_prepare_devices(struct stage *stage, unsigned guest, const char *const *devices);
int stage_started(struct stage *stage, unsigned guest, const char *const *devices);
int stage_command(struct stage *stage, const char *line);

/* Guest 1 runs with these devices: QEMU has them open, and libvirt's files say that the guest runs.
 * Only the first function also calls the hook's `started`. */
void stage_run_guest(struct stage *stage, const char *const *devices);
void stage_run_guest_untold(struct stage *stage, const char *const *devices);
void stage_open_device(struct stage *stage, const char *device);
void stage_end_guest(struct stage *stage);
bool stage_guest_has(const struct stage *stage, const char *device);

/* Writes libvirt's status file of a guest. */
void stage_put_status(struct stage *stage, unsigned guest, const char *const *devices);

/* From now on this process stands for libvirt's daemon. */
void stage_be_daemon(const struct stage *stage);

/* Removes the lease of a device from the ledger. */
void stage_lose_lease(const struct stage *stage, const char *device);

/* --- what must be true --- */

/* Checks that a device belongs to this guest: the device exists, and has one lease, which belongs
 * to this guest and is in use. Guest 0: nobody has the device, and nothing of it is left. */
void stage_expect(struct stage *stage, const char *device, unsigned guest);

/* Calls reconcile for the first time since the fault. */
void stage_reconcile(struct stage *stage);

/* The first function checks that no other guest can get A and V, because guest 1 has them. The
 * second checks that the next guest that wants them gets them. */
void stage_expect_taken(struct stage *stage);
void stage_expect_free(struct stage *stage);
