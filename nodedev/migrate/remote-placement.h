/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * remote-placement: whether another host has a place for each vGPU of a guest, as far as its
 * libvirt tells.
 *
 * The placement judges that host as the hook there would. The configuration there is not known, so
 * it counts as one that forbids nothing. libvirt tells less than /sys does (node-device.h):
 *
 * - There is surely a place for each: yes.
 * - Else, if there may be one for each: not known. There may be one without the vGPUs that no
 *   running guest has, too, because the hook there may remove these.
 * - Else: no.
 *
 * An example: a T4 there has 15 T4-1B, and takes one more. A guest with one T4-1B: yes. A guest
 * with two: no; or not known, if no running guest has one of the 15.
 */

#pragma once

#include "lease/ledger.h"
#include "libvirt/remote.h"
#include "migrate/migrate-verdict.h"
#include "placement/demand.h"

struct remote_placement {
    const struct remote_host *host; /* borrowed; the host has answered */
    const struct request *request;  /* of the guest; borrowed */
    enum demand_freedom freedom;    /* how far it may go from what its hostdevs say */
    struct demands demands;         /* what the guest would ask for there */
    struct policy_class **classes;  /* what its demands mean there */
    size_t class_count;
    struct ledger ledger; /* the vGPUs there: held by a running guest, or kept */
};

void remote_placement_init(struct remote_placement *placement, const struct remote_host *host,
                           const struct request *request, enum demand_freedom freedom) NONNULL;
void remote_placement_clear(struct remote_placement *placement) NONNULL;

/* Adds a demand of the guest. There it means these types, and `wanted` is their word in messages.
 * Both demand and wanted are borrowed. */
void remote_placement_add(struct remote_placement *placement, const struct demand *demand,
                          const struct inventory_filter *types, const char *wanted) NONNULL;

/* Writes the places, or the reason, into text. */
enum migrate_answer remote_placement_judge(const struct remote_placement *placement, char *text,
                                           size_t size) CHECKED NONNULL;

/* For how many such guests there surely is a place, up to `most`. There must be demands. */
size_t
remote_placement_count(const struct remote_placement *placement, size_t most) CHECKED NONNULL;
