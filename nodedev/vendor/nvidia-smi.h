/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * nvidia-smi: what NVIDIA's tool tells of a card and changes on it: MIG mode, GPU instances,
 * whether vGPUs share these in time, and for a card and for each instance whether vGPUs of several
 * frame buffer sizes may be there, and the scheduler of their time.
 *
 * The options are those of NVIDIA's MIG user guide, of its vGPU user guide ("Changing Scheduling
 * Behavior for Time-Sliced vGPUs by Using the nvidia-smi Command"), and of the changelog in
 * nvidia-smi(1). A card that is asked is named by its PCI address. The tool's text is read by the
 * words in it, because only some of it can be had as CSV.
 *
 * How much a tool knows hangs on its driver:
 *
 *     525 and later     the scheduler of a card can be read
 *     535 and later     and set
 *     575 and later     the same of a GPU instance, and its sizes; whether vGPUs share instances in
 *                       time
 *
 * Only what a tool knows is asked of it. A word of its answers that this file does not know means
 * that nothing is known.
 */

#pragma once

#include "base/error.h"
#include "policy/policy.h"

#include <limits.h>

#define NVIDIA_SMI_NO_ID UINT_MAX

/* A GPU instance. The driver chooses the id, which the instance keeps until it is removed. */
struct nvidia_smi_instance {
    char profile[24];   /* "1g.24gb+gfx" */
    unsigned id;        /* NVIDIA_SMI_NO_ID: the tool does not tell one that is known */
    bool is_shared;     /* it may have several vGPUs: the tool tells its sizes and its scheduler */
    unsigned sizes;     /* enum policy_sizes; unsaid: not known, or not shared */
    unsigned scheduler; /* enum policy_scheduler; unsaid: the same */
};

struct nvidia_smi {
    bool has_mig;       /* the card can have MIG mode */
    bool is_mig;        /* it is in that mode */
    bool is_mig_to_be;  /* it will be after a reset of the card */
    bool has_slicing;   /* vGPUs of this card can share an instance in time */
    unsigned slicing;   /* enum policy_slicing: whether they may; unsaid: not known */
    unsigned sizes;     /* enum policy_sizes; unsaid: the card cannot tell */
    unsigned scheduler; /* of the card, enum policy_scheduler; unsaid: the tool does not tell */

    struct nvidia_smi_instance *instances; /* sorted by profile, then by id */
    size_t instance_count;
};

/* Asks about a card. Returns -errno with a line in error; -EBADMSG: the tool's answer is no such
 * text. The caller clears ret in every case. */
int nvidia_smi_read(const struct host *host, const struct name *card, struct nvidia_smi *ret,
                    struct error *error) CHECKED NONNULL;
void nvidia_smi_clear(struct nvidia_smi *answer) NONNULL;

/* These change a card. They return the errors of vendor_tool_run. A card that is in use refuses. */
int nvidia_smi_set_mig(const struct host *host, const struct name *card, bool on,
                       struct error *error) CHECKED NONNULL;
int nvidia_smi_set_mixed(const struct host *host, const struct name *card, bool on,
                         struct error *error) CHECKED NONNULL;

/* The same with the errors of vendor_tool_try. No driver changes sizes or a scheduler while there
 * is a vGPU. instance: its id; NVIDIA_SMI_NO_ID: the card itself. */
int nvidia_smi_set_slicing(const struct host *host, const struct name *card, bool on,
                           struct error *error) CHECKED NONNULL;
int nvidia_smi_set_instance_mixed(const struct host *host, const struct name *card,
                                  unsigned instance, bool on, struct error *error) CHECKED NONNULL;
int nvidia_smi_set_scheduler(const struct host *host, const struct name *card, unsigned instance,
                             unsigned scheduler, struct error *error) CHECKED NONNULL;

/* Resets the card, which changes its MIG mode if a change waits for that. */
int nvidia_smi_reset(const struct host *host, const struct name *card,
                     struct error *error) CHECKED NONNULL;

/* Makes a GPU instance of each profile, with its default compute instance; removes all of them. */
int nvidia_smi_make_instances(const struct host *host, const struct name *card,
                              const struct words *profiles, struct error *error) CHECKED NONNULL;
int nvidia_smi_remove_instances(const struct host *host, const struct name *card,
                                struct error *error) CHECKED NONNULL;
