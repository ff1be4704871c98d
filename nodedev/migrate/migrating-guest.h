/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * migrating-guest: the guest about which another host is asked, and the vGPUs that the guest asks
 * for.
 *
 * The guest is a domain of this host that would move, or a new guest that would be started there. A
 * new guest comes from a file, or is just one vGPU of a type.
 *
 * The demands borrow from the request, so a guest must not be moved in memory.
 */

#pragma once

#include "libvirt/remote.h"
#include "migrate/migrate-verdict.h"
#include "placement/demand.h"

struct migrating_guest {
    const char *label;             /* the guest's name in messages; borrowed */
    const struct domain *domain;   /* of this host, or `own` */
    const struct request *request; /* the definition that would be used there */
    struct demands demands;        /* the demands of the request, by this host's configuration */
    bool is_new;                   /* it does not move, but would be started there */

    /* Only of a new guest. */
    struct domain own; /* its name and UUID */
    struct request own_request;
    char *type;
};

/* Each of these functions is called on {0}, and the guest is cleared in every case. They return
 * -errno with a line in error. */

/* The guest is a domain that this host's libvirt has told, found by its name or UUID. Returns
 * -ENOENT, or -EINVAL if the request has a fault. */
int migrating_guest_find(struct migrating_guest *guest, const struct remote_host *here,
                         const char *word, const struct policy *policy,
                         struct error *error) CHECKED NONNULL;

/* The guest is what a file of domain XML describes; "-" is stdin. */
int migrating_guest_read(struct migrating_guest *guest, const struct host *host, const char *file,
                         const struct policy *policy, struct error *error) CHECKED NONNULL;

/* The guest is one that asks for one vGPU of a type. */
void migrating_guest_of_type(struct migrating_guest *guest, const char *type) NONNULL;

/* The type of the vGPU that the running guest has for a demand. NULL: it has none yet, or the type
 * is not known. `here` is this host, as /sys tells it. */
const struct inventory_type *
migrating_guest_type(const struct migrating_guest *guest, const struct inventory *here,
                     const struct demand *demand) CHECKED NONNULL;

void migrating_guest_clear(struct migrating_guest *guest) NONNULL;

/* --- one vGPU that it takes along, and what that can be there --------------------------------- */

/*
 * A vGPU of a running guest must have the same type there; that host's driver may give the type
 * another name. A request is read again there, so its words must mean that type. What a class means
 * there is not known; it is taken to mean the same as here. A new vGPU has no type yet, and no
 * state of it migrates.
 */

struct migrating_device {
    const struct inventory *from; /* this host as its libvirt tells it; NULL: not known */
    const struct inventory *to;   /* the other host as its libvirt tells it */
    const struct inventory *here; /* this host as /sys tells it: with sizes */
    const struct demand *demand;
    const struct inventory_type
        *has;    /* of `here`; NULL: the device has no type yet, or the type is not known */
    bool is_new; /* the device does not come from this host */
};

/* Whether a type of the other host fits. For struct inventory_filter: data is the device. */
bool migrating_device_suits(const struct inventory_type *type, const void *data) CHECKED NONNULL;

/* Whether the device may be one that moves only between drivers that go together
 * (vendor/card-vendor.h). */
bool migrating_device_may_need_alike_drivers(const struct migrating_device *device) CHECKED NONNULL;

/* Returns the first GPU there of whose types libvirt tells nothing (node-device.h), if the GPU may
 * have what the device needs; else NULL. */
const struct inventory_gpu *
migrating_device_untold(const struct migrating_device *device) CHECKED NONNULL;

/* While there is such a GPU, "no" is not sure. Then the function returns "unknown" in place of
 * "no", and adds the reason to text. */
enum migrate_answer
migrating_device_weigh(const struct migrating_device *device, enum migrate_answer answer,
                       char *text, size_t size) CHECKED NONNULL;

/* Whether the other host has a type for the device, even if that host is full. *is_type_known says
 * whether there is a type, because the answer may be "no" for another reason. The reason is written
 * into text. */
enum migrate_answer
migrating_device_judge(const struct migrating_device *device, bool *is_type_known, char *text,
                       size_t size) CHECKED NONNULL;

/* Another type than the device has that its class means, there or here: libvirt does not tell all
 * types of the other host. NULL: there is none, or the device asks for no class. */
const struct inventory_type *
migrating_device_other(const struct migrating_device *device) CHECKED NONNULL;
