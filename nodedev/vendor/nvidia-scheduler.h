/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * nvidia-scheduler: how NVIDIA's driver shares the time of a card among its vGPUs.
 *
 * The driver is told when it is loaded, by the key RmPVMRL of its module's parameters (virtual GPU
 * software user guide, "Changing scheduling behavior for time-sliced vGPUs"). For one card the key
 * is in RegistryDwordsPerDevice, behind the card's address, and that beats RegistryDwords, which is
 * for all cards (nv-reg.h of NVIDIA's open kernel modules). Its lowest byte says which scheduler it
 * is. Newer drivers are also told by a tool (nvidia-smi.h), which beats the parameters until
 * functions are enabled or the driver is loaded again. No file tells that.
 */

#pragma once

#include "base/host.h"
#include "base/names.h"
#include "policy/policy.h"

#define NVIDIA_SCHEDULER_PATH "proc/driver/nvidia/params"

/* The values of that byte, by enum policy_scheduler; not of "unsaid". */
#define NVIDIA_SCHEDULERS (POLICY_SCHEDULER_FIXED_SHARE + 1)
extern const unsigned nvidia_scheduler_values[NVIDIA_SCHEDULERS];

/* Returns the scheduler of a card (enum policy_scheduler), which is best effort where nobody says
 * another. POLICY_SCHEDULER_UNSAID: it is not known. */
unsigned nvidia_scheduler_read(const struct host *host, const struct name *gpu) CHECKED NONNULL;
