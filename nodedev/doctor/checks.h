/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * checks: what vgpuctl doctor looks for, in a table per subject, and the function that runs all
 * checks.
 */

#pragma once

#include "doctor/diagnosis.h"

/* The tables. A row without a name ends each table. */
extern const struct diagnosis_check hook_checks[];
extern const struct diagnosis_check security_checks[];
extern const struct diagnosis_check card_checks[];
extern const struct diagnosis_check kernel_checks[];
extern const struct diagnosis_check setup_checks[];
extern const struct diagnosis_check function_checks[];
extern const struct diagnosis_check nvidia_checks[];
extern const struct diagnosis_check xe_checks[];
extern const struct diagnosis_check pool_checks[];
extern const struct diagnosis_check emulated_checks[];
extern const struct diagnosis_check state_checks[];
extern const struct diagnosis_check domain_checks[];

/* Reads everything, and runs all checks. A part that cannot be read is itself a finding. `uri` is
 * this host's libvirt, or NULL. Returns the errors of scan_host. The caller clears ret in every
 * case. */
int checks_run(const struct host *host, const char *uri, struct diagnosis *ret, struct error *error)
    __attribute__((nonnull(1, 3, 4))) CHECKED;
