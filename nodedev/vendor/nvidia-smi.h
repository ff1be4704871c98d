/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * nvidia-smi: what NVIDIA's tool tells of a card and changes on it: MIG mode, GPU instances, and
 * whether vGPUs of several frame buffer sizes may share the card.
 *
 * The options are those of NVIDIA's MIG user guide and vGPU user guide. A card that is asked is
 * named by its PCI address. The tool's text is read by the words in it, because only some of it can
 * be had as CSV.
 */

#pragma once

#include "base/error.h"
#include "policy/policy.h"

struct nvidia_smi {
    bool has_mig;           /* the card can have MIG mode */
    bool is_mig;            /* it is in that mode */
    bool is_mig_to_be;      /* it will be after a reset of the card */
    struct words instances; /* the profile of each GPU instance, sorted */
    unsigned sizes;         /* enum policy_sizes; unsaid: the card cannot tell */
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

/* Resets the card, which changes its MIG mode if a change waits for that. */
int nvidia_smi_reset(const struct host *host, const struct name *card,
                     struct error *error) CHECKED NONNULL;

/* Makes a GPU instance of each profile, with its default compute instance; removes all of them. */
int nvidia_smi_make_instances(const struct host *host, const struct name *card,
                              const struct words *profiles, struct error *error) CHECKED NONNULL;
int nvidia_smi_remove_instances(const struct host *host, const struct name *card,
                                struct error *error) CHECKED NONNULL;
