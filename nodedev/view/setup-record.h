/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * setup-record: remembers that a card was seen to have the GPU instances, sizes and schedulers that
 * vgpu.conf declares. Only a vendor's tool tells these, and only 'vgpuctl setup' asks it. The
 * record is a link in the state directory, which a boot empties:
 *
 *     /run/libvirt-vgpu/setup/0000:18:00.0 -> 13846245702389561427-95
 *
 * The second number says when, in seconds since the boot. The first is a hash of the declaration,
 * of the card's virtual functions, and of the scheduler in its driver's parameters. Enabling
 * functions takes all of this away, and the kernel gives functions that are enabled anew another
 * number. So the record counts only for the declaration, the functions and the parameters of that
 * time. A change that NVIDIA's tools make to the rest alone is not seen. So people are told the
 * time, too. A capture does not have the kernel's number, so there no record counts.
 */

#pragma once

#include "policy/policy.h"

#include <time.h>

/* What cannot be recorded is not remembered. */
void setup_record_set(const struct host *host, const struct policy_gpu *said) NONNULL;
void setup_record_forget(const struct host *host, const struct policy_gpu *said) NONNULL;

/* Whether the card was seen to be as it is declared now, and when: in seconds since 1970. */
bool setup_record_find(const struct host *host, const struct policy_gpu *said,
                       time_t *when) CHECKED NONNULL;
