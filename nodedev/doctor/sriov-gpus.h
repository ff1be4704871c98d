/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * sriov-gpus: visits the GPUs of this host that can have virtual functions.
 */

#pragma once

#include "doctor/diagnosis.h"
#include "sriov/sriov-gpu.h"

/* Calls a check for each of these GPUs that it concerns, except for GPUs that the configuration
 * disables. */
void sriov_gpus_visit(struct diagnosis *diagnosis, const struct diagnosis_check *check) NONNULL;
