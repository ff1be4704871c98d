/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * stage: the host on which an action meets a fault, and what libvirt does there before and after.
 *
 *     gpu mtty, three places of mtty-2;  gpu 0000:3d:00.0, two virtual functions, of L40S-1B
 *
 * The functions are NVIDIA's, or Intel's with a profile that is called as the type.
 *
 * Guest 1 is whom the action is about: it asks for a mediated device and a virtual function (A and
 * V). A bystander, guest 3, runs with a device of its own, and must have it whatever happens. Guest
 * 2 is the next that wants A and V. Each hook runs
 * in a process of its own, of which this process is libvirt's daemon.
 */

#pragma once

#include "fake/scene.h"
#include "faults/inject.h"

#define STAGE_MOST_OPEN 4

#define STAGE_CONFIGURATION                                                                        \
    "placement = \"pack\"; gpus = ({ address = \"mtty\"; });\n"                                    \
    "profiles = { L40S-1B = { vram = \"1G\"; exec_quantum = \"20ms\"; }; };\n"

/* Whose functions: "vf" or "xe", and what the kernel calls their type. Set before the first stage.
 */
struct stage_shape {
    const char *name, *machine, *type;
};
extern const struct stage_shape stage_shapes[2];
extern const struct stage_shape *stage_shape;

struct stage {
    struct scene scene;        /* first */
    int input, output, faults; /* a hook's, or vgpuctl's */
    struct inject_record *record;
    pid_t self; /* libvirt's daemon, and all guests' QEMU */
    int log;    /* a socket for what the log is told */
    int status; /* the action's exit status; -1: it was killed */
    struct fake_guest bystander;
    struct fake_guest open[STAGE_MOST_OPEN]; /* by the QEMU of guest 1 */
    size_t open_count;
    char complaint[2048]; /* the first */
};

/* The devices: of guest 1, A and V; V2 is the other function, B the bystander's. */
extern const char stage_a[], stage_v[], stage_v2[], stage_b[];

void stage_start(struct stage *stage, struct inject_record *record);
void stage_stop(struct stage *stage);

void stage_complain(struct stage *stage, const char *format, ...) FORMAT(2, 3);

/* --- in a process of its own, which the fault may be in --- */

/* A hook's call with the XML of a guest that asks for these devices (NULL ends the list), or with
 * an XML; vgpuctl's with a line of words. Their exit status; what they say is in the files. */
int stage_hook(struct stage *stage, unsigned guest, const char *const *devices,
               const char *operation, const char *sub);
int stage_hook_xml(struct stage *stage, const char *xml, const char *operation, const char *sub);
int stage_vgpuctl(struct stage *stage, const char *line);

/* For what is called otherwise: what the mains do at their beginning and end, and the files anew.
 */
void stage_start_program(struct stage *stage, const char *name);
void stage_end_program(struct stage *stage);

/* The XML of such a guest; the caller frees it. */
char *stage_xml(unsigned guest, const char *const *devices);

/* What the last one printed, and what it complained of; the caller frees it. */
char *stage_printed(const struct stage *stage);
char *stage_said(const struct stage *stage);

/* --- steps: each in a process of its own, without a fault --- */

/* The exit status of run. */
int stage_step(struct stage *stage, int (*run)(struct stage *stage));

/* The same for a hook's call with guest 1's or 2's usual devices, A and V. */
int stage_prepare(struct stage *stage, unsigned guest);
int stage_release(struct stage *stage, unsigned guest);
int stage_prepare_devices(struct stage *stage, unsigned guest, const char *const *devices);
int stage_started(struct stage *stage, unsigned guest, const char *const *devices);
int stage_command(struct stage *stage, const char *line);

/* Guest 1 runs with these devices: QEMU has them open, and libvirt says so to whoever looks; and,
 * but for the second, to the hook. */
void stage_run_guest(struct stage *stage, const char *const *devices);
void stage_run_guest_untold(struct stage *stage, const char *const *devices);
void stage_open_device(struct stage *stage, const char *device);
void stage_end_guest(struct stage *stage);
bool stage_guest_has(const struct stage *stage, const char *device);

/* libvirt's status file of a guest. */
void stage_put_status(struct stage *stage, unsigned guest, const char *const *devices);

/* This process is libvirt's daemon from now on. */
void stage_be_daemon(const struct stage *stage);

/* The ledger has no lease of a device any more. */
void stage_lose_lease(const struct stage *stage, const char *device);

/* --- what must be true --- */

/* A device is this guest's: it is there, as it should be, and has one lease, of that guest, in use.
 * 0: it is nobody's, and there is nothing of it. */
void stage_expect(struct stage *stage, const char *device, unsigned guest);

/* Reconciles once, for the first time since the fault. */
void stage_reconcile(struct stage *stage);

/* Nobody else can have A and V, as guest 1 has them; or the next who wants them gets them. */
void stage_expect_taken(struct stage *stage);
void stage_expect_free(struct stage *stage);
