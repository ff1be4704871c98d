/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-part: a part of a card's setup: how it is told, checked and made, and what it takes from
 * the others. setup-parts.h has them all.
 */

#pragma once

#include "base/text.h"
#include "setup/setup-card.h"

enum setup_part {
    SETUP_MIG_MODE,
    SETUP_DAEMONS, /* of NVIDIA's, which a reset for the mode stops */
    SETUP_FUNCTIONS,
    SETUP_SHARES, /* of the card's memory, which a driver gives its functions: to be taken back */
    SETUP_INSTANCES,
    SETUP_TYPES, /* of the instances, which the driver may not list */
    SETUP_SIZES,
    SETUP_SCHEDULER,
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

    /* Refuses what the card or its vendor's tools cannot do: -errno with a line in error. NULL: it
     * can always be done. */
    int (*check)(const struct setup_card *card, struct error *error);

    /* Both read nothing back. -errno with a line in error. NULL: the part is never made, or never
     * removed. */
    int (*make)(struct setup_card *card, struct error *error);
    int (*remove)(struct setup_card *card, struct error *error);

    /* Of a part that vgpuctl only compares, and that differs: -errno, and error says what a person
     * has to do. NULL: vgpuctl makes the part. */
    int (*refuse)(const struct setup_card *card, struct error *error);

    /* What is said, and what is there, in words. */
    void (*tell_said)(const struct setup_card *card, struct text *text);
    void (*tell_now)(const struct setup_card *card, struct text *text);

    const char *advice; /* what to look at where a step ended well and the card does not show it */

    unsigned needs_off; /* bits of the parts that must be away before this one changes */
    unsigned loses;     /* bits of the parts that go when this one is made */
};

#define SETUP_BIT(part)   (1u << (part))
#define SETUP_SEE_JOURNAL "see journalctl -k"

/* Refuses a card on which NVIDIA's tool cannot tell the part, which has this name in vgpu.conf:
 * -errno with a line in error. */
int setup_part_check_nvidias(const struct setup_card *card, const char *part,
                             struct error *error) CHECKED NONNULL;
