/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-part: a part of a card's setup: how it is told, checked and made, and what it takes from
 * the others. Each part is a row in the file of its subject.
 *
 * The order of NVIDIA's cards is that of NVIDIA's vGPU user guide and MIG user guide: MIG mode,
 * virtual functions, GPU instances; or virtual functions, then mixed sizes. Enabling functions
 * brings back the scheduler of the module's parameters (vGPU user guide, "Tools for Changing
 * Scheduling Behavior"), and time slicing as the driver begins with it. An instance can have
 * several vGPUs only if time slicing was on when the instance was made (kernel_mig_manager.c of
 * NVIDIA's open kernel modules, 595). Its sizes and its scheduler go with the instance (NVML,
 * nvmlGpuInstanceSetVgpuSchedulerState).
 */

#pragma once

#include "base/text.h"
#include "sriov/sriov-gpu.h"
#include "vendor/card-vendor.h"
#include "vendor/nvidia-daemon.h"

/* --- the card --------------------------------------------------------------------------------- */

/* A card that vgpu.conf declares a setup for, and how the card is now. */
struct setup_card {
    const struct host *host;
    const struct policy_gpu *said;
    const char *address; /* of `said` */
    struct sriov_gpu sriov;
    bool has_functions; /* it can have virtual functions */
    const struct card_vendor *vendor;
    unsigned loaded; /* the scheduler that its driver was told when it was loaded, enum
                        policy_scheduler; unsaid: not known */
    unsigned lacks;  /* bits of the parts that the tool turned out not to know */
    struct nvidia_smi nvidia;
    int nvidia_rc;               /* 0: `nvidia` was read; else -errno... */
    struct error nvidia_unknown; /* ...with the reason; not set if nobody needed it */
    unsigned kernel_instances;   /* GPU instances that the driver shows; read only then */

    struct nvidia_daemons daemons; /* read only if instances are said */

    /* Read only if functions or instances are said, and are there: */
    unsigned shares;  /* functions with memory that profiles of vgpu.conf need (sriov.h) */
    bool lacks_types; /* the driver lists no type for the instances */
};

/*
 * Reads a card. Returns -ENODEV with a line in error if there is no such PCI device, or -errno. The
 * card keeps `said`. The caller clears ret in every case.
 */
int setup_card_read(const struct host *host, const struct policy_gpu *said, struct setup_card *ret,
                    struct error *error) CHECKED NONNULL;

/* The same without the parts that vendors' tools tell. */
int setup_card_look(const struct host *host, const struct policy_gpu *said, struct setup_card *ret,
                    struct error *error) CHECKED NONNULL;

/* Reads again how the card is. */
int setup_card_renew(struct setup_card *card, struct error *error) CHECKED NONNULL;
void setup_card_clear(struct setup_card *card) NONNULL;

struct setup_pairing {
    /* For each of the card's instances, in the order of nvidia_smi: which declared one it is. */
    size_t said[POLICY_MOST_INSTANCES];
};

/*
 * Finds which of the declared GPU instances is which of the card's. Returns false if the card does
 * not have the declared instances.
 *
 * The driver chooses where the instances are on the card, so their order says nothing. Instances of
 * one profile are alike when they are made. So the first declared one of a profile is the card's
 * one with the lowest id, and so on. An instance keeps its id.
 */
bool setup_card_pair(const struct setup_card *card, struct setup_pairing *ret) CHECKED NONNULL;

/* Refuses a card on which NVIDIA's tool cannot tell the part, which has this name in vgpu.conf:
 * -errno with a line in error. */
int setup_card_check_nvidias(const struct setup_card *card, const char *part,
                             struct error *error) CHECKED NONNULL;

/* --- its parts -------------------------------------------------------------------------------- */

enum setup_part {
    SETUP_MIG_MODE,
    SETUP_DAEMONS, /* of NVIDIA's, which a reset for the mode stops */
    SETUP_FUNCTIONS,
    SETUP_SHARES,  /* of the card's memory, which a driver gives its functions: to be taken back */
    SETUP_SLICING, /* of the time of GPU instances among vGPUs */
    SETUP_INSTANCES,
    SETUP_TYPES, /* of the instances, which the driver may not list */
    SETUP_SIZES, /* of a card without instances, and of each instance */
    SETUP_INSTANCE_SIZES,
    SETUP_SCHEDULER, /* the same */
    SETUP_INSTANCE_SCHEDULERS,
    SETUP_PARTS,
};

struct setup_part_row {
    const char *name;
    const char *make_word, *remove_word; /* for people: "enable", "disable" */

    /* The part follows from another one that is said, so people are told of it only if there is
     * something to do. Whether it is as said is known only once that other part is there. */
    bool follows;

    /* Whether vgpu.conf says the part, and whether the part is to be there then. */
    bool (*is_said)(const struct policy_setup *said);
    bool (*is_wanted)(const struct policy_setup *said);

    /* Whether the card has the part, in any form, and whether in the form that is said. The first
     * is NULL for a part that no other part takes away. */
    bool (*is_there)(const struct setup_card *card);
    bool (*is_as_said)(const struct setup_card *card);

    /* Whether the card may have the part, which could not be read. NULL: is_there always knows. */
    bool (*may_be_there)(const struct setup_card *card);

    /* Refuses what the card or its vendor's tools cannot do: -errno with a line in error. NULL: it
     * can always be done. */
    int (*check)(const struct setup_card *card, struct error *error);

    /* Whether the tool of this driver can make the part on this card. If not, the part is only
     * compared, and the other parts are made. NULL: it can. */
    bool (*can)(const struct setup_card *card);

    /* Makes the part (on), or removes it, and reads nothing back. A part without a remove_word is
     * only made. -errno with a line in error; of a part that has `can`, -EOPNOTSUPP if the tool
     * turns out not to know it. */
    int (*set)(struct setup_card *card, bool on, struct error *error);

    /* Of a part that cannot be made, and differs: error says what a person has to do. Returns
     * -errno, or 0 if nothing else than another driver would help: then the card has not failed. */
    int (*refuse)(const struct setup_card *card, struct error *error);

    /* What is said, and what is there, in words. A part that is always said alike has said_word,
     * and no tell_said. */
    const char *said_word;
    void (*tell_said)(const struct setup_card *card, struct text *text);
    void (*tell_now)(const struct setup_card *card, struct text *text);

    const char *advice; /* what to look at where a step ended well and the card does not show it */

    unsigned needs_off; /* bits of the parts that must be away before this one changes */
    unsigned loses;     /* bits of the parts that go when this one is made */
};

#define SETUP_BIT(part)   (1u << (part))
#define SETUP_SEE_JOURNAL "see journalctl -k"

extern const struct setup_part_row setup_mig_mode;
extern const struct setup_part_row setup_daemons;
extern const struct setup_part_row setup_functions;
extern const struct setup_part_row setup_shares;
extern const struct setup_part_row setup_slicing;
extern const struct setup_part_row setup_instances;
extern const struct setup_part_row setup_types;
extern const struct setup_part_row setup_sizes;
extern const struct setup_part_row setup_instance_sizes;
extern const struct setup_part_row setup_scheduler;
extern const struct setup_part_row setup_instance_schedulers;

/* All of these, in the order in which they are made. They are taken away in the opposite order. */
extern const struct setup_part_row *const setup_parts[SETUP_PARTS];

/* Whether a part that is said can be made now. */
bool setup_part_can(const struct setup_card *card, enum setup_part part) CHECKED NONNULL;

struct setup_step {
    enum setup_part part;
    bool removes; /* else it makes */
};

struct setup_plan {
    struct setup_step steps[2 * SETUP_PARTS];
    size_t count;
};

/*
 * Plans the steps that make a card as vgpu.conf declares it, and changes nothing. First comes what
 * must be away, and then what is to be made. A part that is not said is left as it is: a plan that
 * would take it away is refused. What follows from other parts is planned once these are as
 * declared: so plan again after the steps. Returns -errno with a line in error if the card cannot
 * be made so.
 */
int setup_parts_plan(const struct setup_card *card, struct setup_plan *ret,
                     struct error *error) CHECKED NONNULL;
