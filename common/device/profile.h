/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * profile: the numbers by which Intel's xe driver shares a card among its virtual functions, and
 * their files (Linux, Documentation/ABI/testing/sysfs-driver-intel-xe-sriov).
 *
 * Function N of a card has the directory CARD/sriov_admin/vfN/profile. N begins at 1, and the
 * function need not be enabled. The driver rounds vram_quota up, and the functions of a card cannot
 * have more than the card's memory together. Integrated GPUs have no vram_quota. On cards that
 * cannot give memory to a function at run time (without LMTT), the file can only be read. Cards
 * that do not share their time have no files of times. Older drivers have none of these files. Only
 * the files decide, not the version of the kernel, because Intel offers its driver for older
 * kernels as well.
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

/* The most ms that a function may run or be waited for. If more is written, the driver silently
 * uses this value (GUC_KLV_VF_CFG_EXEC_QUANTUM_MAX_VALUE, GUC_KLV_VF_CFG_PREEMPT_TIMEOUT_MAX_VALUE
 * in drivers/gpu/drm/xe/abi/guc_klvs_abi.h). */
#define PROFILE_LONGEST 100000

/* A number that is not set is not changed. */
struct profile {
    uint64_t numbers[PROFILE_NUMBERS];
    bool set[PROFILE_NUMBERS];
};

/* A virtual function of a card. The first has number 1. */
struct profile_function {
    struct name card;
    unsigned number;
};

/* Whether the driver accepts a profile of vgpu.conf unchanged. If not, no card offers the profile
 * as a type. */
bool profile_is_taken(const struct policy_profile *profile) CHECKED NONNULL;

/* Finds the function with an address. Returns 0; -ENOENT if the address is no function of such a
 * card; or -errno. */
int profile_find(const struct host *host, const struct name *address,
                 struct profile_function *ret) CHECKED NONNULL;

/* Whether this number of a card's functions can be set: 1, 0, or -errno. The kernel refuses to open
 * a file for writing, even for root, if its mode allows nobody to write it. */
int profile_takes(const struct host *host, const struct name *card,
                  enum profile_number number) CHECKED NONNULL;

/* Reads how much of the card's memory a function has, in MiB, rounded up. Returns 0, or -errno as
 * reader_read_number does. */
int profile_read_vram(const struct host *host, const struct profile_function *function,
                      unsigned *ret) CHECKED NONNULL;

/* Reads the numbers that are set in `which`. A number that the card does not have is not set in
 * ret. */
int profile_read(const struct host *host, const struct profile_function *function,
                 const struct profile *which, struct profile *ret) CHECKED NONNULL;

/* Writes the numbers that are set and differ from the present ones. Returns 0, the kernel's -errno,
 * or -EIO if the kernel took less. On an error some numbers may have been written. */
int profile_write(const struct host *host, const struct profile_function *function,
                  const struct profile *profile) CHECKED NONNULL;

/* Writes the former numbers back. If the kernel refuses a number that was larger before, the
 * present number stays. Then another function has the rest now, and only this function has
 * less. */
int profile_restore(const struct host *host, const struct profile_function *function,
                    const struct profile *former) CHECKED NONNULL;

/* Writes a profile as one word, such as "4294967296:20:-" in the order above; and reads it. Returns
 * 0 or -EINVAL. */
void profile_print(const struct profile *profile, struct name *ret) NONNULL;
int profile_parse(const struct name *word, struct profile *ret) CHECKED NONNULL;
