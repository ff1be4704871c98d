/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-card: a card that vgpu.conf declares a setup for, and how the card is now.
 */

#pragma once

#include "sriov/sriov-gpu.h"
#include "vendor/card-vendor.h"
#include "vendor/nvidia-daemon.h"

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
