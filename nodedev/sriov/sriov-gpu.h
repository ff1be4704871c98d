/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * sriov-gpu: a GPU that can have SR-IOV virtual functions, and the functions that it has. Whether
 * vGPUs can be made on them does not matter here.
 */

#pragma once

#include "actions/snapshot.h"

struct sriov_gpu {
    struct name address;
    uint64_t total;   /* the number of functions that the GPU could have */
    uint64_t enabled; /* the number of functions that the GPU has, as its driver says */
    struct names functions;
};

/* Reads the virtual functions of a PCI device. Returns 0; -ENOENT if the device can have none; or
 * -errno. The caller clears ret in every case. */
int sriov_gpu_read(const struct host *host, const struct name *address,
                   struct sriov_gpu *ret) CHECKED NONNULL;
void sriov_gpu_clear(struct sriov_gpu *card) NONNULL;

/* How many functions a card is to have by its setup in vgpu.conf; 0: that is not said. */
uint64_t
sriov_gpu_wanted(const struct policy_setup *said, const struct sriov_gpu *card) CHECKED NONNULL;

/* Whether a GPU that can have virtual functions has none. */
bool sriov_gpu_is_off(const struct host *host, const struct name *address) CHECKED NONNULL;

/* Lists the PCI devices that can have virtual functions: the GPUs, or the devices that are no GPUs.
 * A GPU is a display controller or a processing accelerator (PCI classes 03 and 12), or a device
 * that vgpu.conf calls a GPU. Other devices, such as network cards, may have virtual functions as
 * well. Returns 0 or -errno. */
int sriov_gpu_list(const struct host *host, const struct snapshot *snapshot, bool gpus,
                   struct names *ret) CHECKED NONNULL;

/* Has a link to each unit that systemd starts at boot. */
#define BOOT_UNITS "etc/systemd/system/multi-user.target.wants/"

/* The name of the systemd unit that enables a card's functions at boot; %s is the card's address.
 * The function tells whether systemd starts this unit at boot. */
#define SRIOV_GPU_UNIT "libvirt-vgpu-sriov@%s.service"
bool sriov_gpu_is_for_boot(const struct host *host, const struct name *address) CHECKED NONNULL;
