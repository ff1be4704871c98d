/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * sriov-gpu: a GPU that can have SR-IOV virtual functions, and the functions that it has. Whether
 * vGPUs can be made on them does not matter here.
 */

#pragma once

#include "base/host.h"

struct sriov_gpu {
    struct name address;
    uint64_t total;   /* functions that it could have */
    uint64_t enabled; /* that it has, as its driver says */
    struct names functions;
};

/* Reads what a PCI device has of that: 0; -ENOENT: it can have none; -errno. The caller clears ret
 * in every case. */
int sriov_gpu_read(const struct host *host, const struct name *address,
                   struct sriov_gpu *ret) CHECKED NONNULL;
void sriov_gpu_clear(struct sriov_gpu *card) NONNULL;

/* The unit that enables a card's functions at boot, of which its address is an argument; and
 * whether systemd is told to start it then. */
#define SRIOV_GPU_UNIT "libvirt-vgpu-sriov@%s.service"
bool sriov_gpu_is_for_boot(const struct host *host, const struct name *address) CHECKED NONNULL;

/* Whether the card is one of NVIDIA's. */
bool sriov_gpu_is_nvidias(const struct host *host, const struct name *address) CHECKED NONNULL;
