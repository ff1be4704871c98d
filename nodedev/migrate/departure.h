/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * departure: what this host's files tell of the host and of the vGPUs that would leave it, as far
 * as a migration depends on it.
 *
 * The features of a vGPU are in debugfs, in kernels with CONFIG_VFIO_DEBUGFS: `migration/state`
 * since Linux 6.8, `migration/features` since 6.18 (Documentation/ABI/testing/debugfs-vfio).
 * NVIDIA's conditions are in its vGPU release notes for RHEL with KVM.
 */

#pragma once

#include "device/vgpu.h"
#include "migrate/migrate-verdict.h"
#include "migrate/migrating-guest.h"

struct departing_device {
    struct name name;
    bool is_running; /* the guest runs */
    bool is_one_of_several;
    bool has_features;  /* the driver tells its features: */
    char features[128]; /* a line each: "stop-copy", "p2p", "pre-copy", "dirty-tracking" */
    bool has_state;     /* the driver tells the state of the device in a migration */
    bool is_listed;     /* debugfs has a directory of the device */
    int params_error;   /* -errno from reading the parameters that it has now */
    char params[2 * VGPU_PARAMS]; /* the parameters that it has now, and those that its request asks
                                     for */
};

struct departure {
    char kernel[256]; /* version of the kernel; "": not known */
    char manager[64]; /* version of NVIDIA's vGPU manager; "": not known */
    struct departing_device *devices;
    size_t count; /* number of the guest's demands; the devices have the same order */
};

/* Reads what this host tells of a guest that would leave. The caller clears ret in every case. */
void departure_take(struct departure *ret, const struct host *host,
                    const struct migrating_guest *guest) NONNULL;
void departure_clear(struct departure *departure) NONNULL;

/* Whether the driver here can migrate the device; whether the device's parameters allow it. Both
 * write the reason into text. */
enum migrate_answer departing_device_judge_features(const struct departing_device *device,
                                                    char *text, size_t size) CHECKED NONNULL;
enum migrate_answer departing_device_judge_params(const struct departing_device *device, char *text,
                                                  size_t size) CHECKED NONNULL;

/* Adds notes on what an administrator has to know of the migration, and no host can tell. A note
 * does not count for the verdict. `here` is this host as /sys tells it. */
void departure_add_notes(const struct departure *departure, const struct migrating_guest *guest,
                         const struct inventory *here, struct findings *found) NONNULL;
