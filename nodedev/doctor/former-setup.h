/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * former-setup: how a GPU was set up before the last boot, or before its driver was loaded again.
 * Both remove most of that setup.
 *
 * Parts of the setup are recorded in:
 *
 * - the unit that enables the GPU's virtual functions at boot;
 * - vgpu.conf, which has the types that the GPU may have;
 * - the ledger, after a reload of the driver: it has the types of the vGPUs that were kept for a
 *   guest's next start.
 */

#pragma once

#include "doctor/diagnosis.h"
#include "view/sriov-gpu.h"

struct former_setup {
    bool is_for_boot;  /* its virtual functions are to be enabled at boot */
    char instance[64]; /* a type of GPU instances (MIG), if the GPU is to have no other; "": it is
                          not known to be partitioned */
    char says_instance[320];      /* the source of that, as "/etc/libvirt-vgpu/vgpu.conf:3" */
    const struct lease *sizes[2]; /* two leases kept at the same time, with different sizes of frame
                                     buffer; NULL: none are known */
};

void former_setup_read(const struct diagnosis *diagnosis, const struct sriov_gpu *card,
                       struct former_setup *ret) NONNULL;

/* Whether anything shows that the GPU is to have its virtual functions. */
bool former_setup_has_functions(const struct former_setup *setup) CHECKED NONNULL;
