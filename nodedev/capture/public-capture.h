/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * public-capture: the answers of a capture that everybody may have.
 *
 * They are the facts of cards that were recorded (card-facts.h), and four files that are written
 * anew: vgpu.conf, the part of NVIDIA's table that is about these cards, the schedulers in the
 * parameters of NVIDIA's module, and the types that are remembered.
 *
 * vgpu.conf has only what finds cards and limits them: pools, profiles, max_instances, and the GPUs
 * without their traits. Names of pools and profiles are numbered: "pool-1". A pool has the
 * addresses of those functions that are here. Other words stay if the host knows them: types,
 * drivers, and names of parents.
 */

#pragma once

#include "capture/recording.h"
#include "device/inventory.h"
#include "policy/policy.h"
#include "policy/setting-trace.h"

struct public_capture {
    int policy_rc; /* < 0: the configuration has faults, and is left out */
    struct policy policy;
    struct setting_trace trace;
    struct inventory inventory;
};

/* Reads the configuration and the cards of a host that is recorded. The caller clears it. */
void public_capture_look(struct public_capture *public, const struct host *host) NONNULL;

/* Returns lines for people in which pools and profiles have their numbers. The caller frees it. */
char *public_capture_remark(const struct public_capture *public, const char *text) CHECKED NONNULL;

/* Adds all answers to ret, which the caller clears. The policy is changed. */
void public_capture_take(struct public_capture *public, struct recording *recording,
                         struct answers *ret) NONNULL;
void public_capture_clear(struct public_capture *public) NONNULL;
