/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * departure: what this host's files say of itself and of the vGPUs that would leave it, as far as a
 * migration depends on it.
 *
 * The features of a vGPU are in debugfs: of kernels with CONFIG_VFIO_DEBUGFS since Linux 6.8
 * `migration/state`, since 6.18 `migration/features` too (Documentation/ABI/testing/debugfs-vfio).
 * NVIDIA's conditions are those of its vGPU release notes for RHEL with KVM.
 */

#pragma once

#include "device/vgpu.h"
#include "migrate/migrating-guest.h"
#include "migrate/remote-capacity.h"

struct departing_device {
    struct name name;
    bool is_running; /* its guest is */
    bool is_one_of_several;
    int features_error; /* -errno of what follows */
    char features[128]; /* a line each: "stop-copy", "p2p", "pre-copy", "dirty-tracking" */
    bool has_state;     /* its driver can at least say in which state of a migration it is */
    bool is_listed;     /* debugfs has a directory of it */
    int params_error;   /* -errno of those that it has now */
    char params[2 * VGPU_PARAMS]; /* that it has now, and those that its request asks for */
};

struct departure {
    char kernel[256]; /* "": not known */
    char manager[64]; /* version of NVIDIA's vGPU manager; "": not known */
    struct departing_device *devices;
    size_t count; /* as many as the guest has demands, in the same order */
};

/* Looks at this host for a guest that would leave it. The caller clears ret in every case. */
void departure_take(struct departure *ret, const struct host *host,
                    const struct migrating_guest *guest) NONNULL;
void departure_clear(struct departure *departure) NONNULL;

/* Whether its driver here migrates it; whether its parameters let it. Each writes why into text. */
enum remote_capacity_answer
departing_device_judge_features(const struct departing_device *device, char *text,
                                size_t size) CHECKED NONNULL;
enum remote_capacity_answer departing_device_judge_params(const struct departing_device *device,
                                                          char *text, size_t size) CHECKED NONNULL;
