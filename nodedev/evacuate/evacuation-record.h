/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * evacuation-record: which guests are away, because `vgpuctl evacuate` has moved them.
 *
 * Each such guest has a file with its move. The file is on disk before the guest is moved. So
 * after a kill or a power loss it is known which guest was being moved, and from where:
 *
 *     /var/lib/libvirt-vgpu/evacuated/UUID
 *
 * As long as the guest is in hand, which means that it is being moved, the record does not say
 * where to. If a guest moves twice, its record keeps the GPUs that it left first.
 *
 * The file goes when the guest is back, or when it was not moved after all. A guest that somebody
 * else moves meanwhile keeps its file until `evacuate --back` looks at it.
 */

#pragma once

#include "base/host.h"
#include "evacuate/evacuation-move.h"

/* Whether the guest is being moved, or was when vgpuctl was killed. */
static inline bool
evacuation_record_is_in_hand(const struct evacuation_move *record)
{
    return record->to.count == 0;
}

/* Writes the record of a guest, in place of the one that it has. -errno with a line in error. */
int evacuation_record_write(const struct host *host, const struct evacuation_move *move,
                            struct error *error) CHECKED NONNULL;

/* Removes the record of a guest, if there is one. -errno with a line in error. */
int evacuation_record_remove(const struct host *host, const struct name *domain,
                             struct error *error) CHECKED NONNULL;

/* Reads all records, sorted by UUID. -errno with a line in error if they cannot be read, or one has
 * a fault; ret then has the others. The caller clears ret in every case. */
int evacuation_record_read_all(const struct host *host, struct evacuation_moves *ret,
                               struct error *error) CHECKED NONNULL;
