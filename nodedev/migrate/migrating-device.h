/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * migrating-device: one vGPU that a domain would take along to another host: what it can be there.
 *
 * A running guest's has to be of the same type there, whatever that host's driver calls it; a
 * request is read there anew, so its words have to mean that type. What a class means there is not
 * known: it is taken for what it means here. One that is new there has no type yet, and nothing of
 * it migrates.
 */

#pragma once

#include "migrate/remote-capacity.h"
#include "placement/demand.h"

struct migrating_device {
    const struct inventory *from; /* this host, as libvirt tells of it; NULL: it does not */
    const struct inventory *to;   /* the other, likewise */
    const struct inventory *here; /* this host, from /sys: with sizes */
    const struct demand *demand;
    const struct inventory_type *has; /* of `here`; NULL: it has no type yet, or none is known */
    bool is_new;                      /* it does not come from here */
};

/* Whether a type of the other host will do. For struct inventory_filter: data is the device. */
bool migrating_device_suits(const struct inventory_type *type, const void *data) CHECKED NONNULL;

/* Whether NVIDIA's driver could make it, as far as its types are known here. */
bool migrating_device_may_be_nvidia(const struct migrating_device *device) CHECKED NONNULL;

/* The first GPU there of whose types libvirt tells nothing (node-device.h), if it may have what the
 * device needs; or NULL. */
const struct inventory_gpu *
migrating_device_untold(const struct migrating_device *device) CHECKED NONNULL;

/* "no" is not for sure while there is such a GPU: what the answer comes to. Adds why to text. */
enum remote_capacity_answer
migrating_device_weigh(const struct migrating_device *device, enum remote_capacity_answer answer,
                       char *text, size_t size) CHECKED NONNULL;

/* Whether the other host has a type for it at all, however full it is; *has_type says so as well,
 * as there may be one and yet a reason against it. Writes why into text. */
enum remote_capacity_answer
migrating_device_judge(const struct migrating_device *device, bool *has_type, char *text,
                       size_t size) CHECKED NONNULL;
