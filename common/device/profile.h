/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * profile: the numbers by which Intel's xe driver shares a card among its virtual functions, and
 * the files that they are in (Linux, Documentation/ABI/testing/sysfs-driver-intel-xe-sriov).
 *
 * Function N of a card has the directory CARD/sriov_admin/vfN/profile, from 1 on, whether it is
 * enabled or not. What is written to vram_quota is rounded up, and the card's functions together
 * may not have more than there is. Integrated GPUs have no vram_quota, and older drivers have none
 * of these files. The files tell, and no kernel version: Intel gives its driver out for older
 * kernels.
 */

#pragma once

#include "base/host.h"
#include "policy/policy.h"

enum profile_number {
    PROFILE_VRAM,            /* bytes */
    PROFILE_EXEC_QUANTUM,    /* ms; 0: unlimited */
    PROFILE_PREEMPT_TIMEOUT, /* microseconds; 0: unlimited */
    PROFILE_NUMBERS,
};

/* The ms that a function may run, or be waited for, at most. Of what is more the driver writes
 * this, and does not say so (GUC_KLV_VF_CFG_EXEC_QUANTUM_MAX_VALUE,
 * GUC_KLV_VF_CFG_PREEMPT_TIMEOUT_MAX_VALUE in drivers/gpu/drm/xe/abi/guc_klvs_abi.h). */
#define PROFILE_LONGEST 100000

/* Numbers that are not set are left as they are. */
struct profile {
    uint64_t numbers[PROFILE_NUMBERS];
    bool set[PROFILE_NUMBERS];
};

/* A virtual function of a card; its number is from 1 on. */
struct profile_function {
    struct name card;
    unsigned number;
};

/* Whether the driver takes a profile of vgpu.conf as it is; else no card offers it as a type. */
bool profile_is_taken(const struct policy_profile *profile) CHECKED NONNULL;

/* Finds out which one an address is: 0; -ENOENT if it is none of such a card; -errno. */
int profile_find(const struct host *host, const struct name *address,
                 struct profile_function *ret) CHECKED NONNULL;

/* Whether a card has the file of a number for its functions. */
bool profile_has(const struct host *host, const struct name *card,
                 enum profile_number number) CHECKED NONNULL;

/* The MiB that a function has of the card's memory, rounded up: 0, or -errno as reader_read_number.
 */
int profile_read_vram(const struct host *host, const struct profile_function *function,
                      unsigned *ret) CHECKED NONNULL;

/* Reads the numbers that are set in `which`; what the card does not have is not set in ret. */
int profile_read(const struct host *host, const struct profile_function *function,
                 const struct profile *which, struct profile *ret) CHECKED NONNULL;

/* Writes the numbers that are set, and not there already: 0, or the -errno of the kernel; -EIO if
 * it took less. Some may be written then. */
int profile_write(const struct host *host, const struct profile_function *function,
                  const struct profile *profile) CHECKED NONNULL;

/* Writes back what there was. A number that the kernel refuses and that is smaller now than it was
 * stays: somebody else has the rest by now, and that function is the only one that lacks it. */
int profile_restore(const struct host *host, const struct profile_function *function,
                    const struct profile *former) CHECKED NONNULL;

/* A profile as one word, "4294967296:20:-" in the order above, and back: 0 or -EINVAL. */
void profile_print(const struct profile *profile, struct name *ret) NONNULL;
int profile_parse(const struct name *word, struct profile *ret) CHECKED NONNULL;
