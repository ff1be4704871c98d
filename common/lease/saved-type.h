/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * saved-type: the types that a guest's vGPUs had when its state was saved.
 *
 * A saved state loads only into the type that the vGPU had (vendors' migration drivers). A class
 * may have several types, so the XML does not tell which one that was. Each vGPU of a guest that
 * was saved has a link. The target is its type:
 *
 *     /var/lib/libvirt-vgpu/saved/DOMAIN/ua-gpu0 -> nvidia-230
 *
 * The link is named by the alias of the hostdev, because a restore may give the vGPU another UUID
 * or function. Without an alias of the user's, the link is named by that UUID or address.
 *
 * The links are on disk, because a saved state outlives a boot. They are never removed: nobody
 * tells us when an image is deleted. If a vGPU is saved with another type than before, images of
 * both may exist. Then the target is "several", and the type is not known.
 *
 * libvirt calls `restore`, and then `prepare` in the same call of its own. A start that restores
 * nothing is only `prepare`. So `restore` leaves a link, and the next prepare of the domain takes
 * it away:
 *
 *     /run/libvirt-vgpu/restoring/DOMAIN -> 812345     (ms since the boot)
 *
 * It counts for a minute, as long as a reserved place, because libvirt may give up between the two.
 */

#pragma once

#include "lease/ledger.h"

/* Notes the types of those of the domain's vGPUs whose leases have a number below this one
 * (ledger.h). `all`: also of vGPUs with which the guest may not have run. -errno with a line in
 * error. */
int saved_type_note(const struct host *host, const struct ledger *ledger, const struct name *domain,
                    uint64_t below, bool all, struct error *error) CHECKED NONNULL;

/* The type that a hostdev has in the domain's saved state. 1: it is known; 0: it is not; -errno: it
 * could not be read. */
int saved_type_find(const struct host *host, const struct name *domain,
                    const struct request_hostdev *hostdev, struct name *ret) CHECKED NONNULL;

/* A restore gives a hostdev another source: its type is to be found under the new one, too. 0 or
 * -errno. */
int saved_type_follow(const struct host *host, const struct name *domain,
                      const struct request_hostdev *hostdev, const struct name *source,
                      const struct name *type) CHECKED NONNULL;

/* Leaves the link for the domain's next prepare. -errno with a line in error. */
int saved_type_begin_restore(const struct host *host, const struct name *domain,
                             struct error *error) CHECKED NONNULL;

/* Whether the domain is being restored. Takes the link away. */
bool saved_type_end_restore(const struct host *host, const struct name *domain) CHECKED NONNULL;
