/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * evacuation-move: how one guest leaves its GPUs: from where, in which way, to where.
 *
 * Moves have a text, in libconfig's syntax. It is the file of `evacuate --plan`, and the record of
 * a guest that is away:
 *
 *     moves = ( { domain = "UUID"; name = "web01"; way = "here";
 *                 from = ( "0000:3b:00.0" ); to = ( "0000:af:00.0" ); } );
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

enum evacuation_way {
    EVACUATION_STAYS,
    EVACUATION_HERE, /* to another GPU of this host: it is saved and restored */
    EVACUATION_LIVE, /* to another host */
    EVACUATION_STOP, /* to another GPU of this host: it is shut down and started */
    EVACUATION_REAP, /* a vGPU that no guest has: it is removed */
};
extern const char *const evacuation_ways[]; /* by these; NULL ends them */

struct evacuation_move {
    struct name domain; /* UUID; "": a vGPU that no guest has */
    char name[256];     /* of the guest */
    enum evacuation_way way;
    struct names from; /* GPUs */
    struct names to;   /* GPUs; none: whoever starts the guest chooses them */
    char *host;        /* URI of the other host's libvirt; NULL: it stays on this host */
};

struct evacuation_moves {
    struct evacuation_move *items;
    size_t count;
};

void evacuation_move_clear(struct evacuation_move *move) NONNULL;
void evacuation_moves_clear(struct evacuation_moves *moves) NONNULL;

/* Reads the text. -EINVAL with all faults in error, as "FILE:LINE: ...". The caller clears ret in
 * every case. */
int evacuation_moves_parse(const char *text, const char *file, struct evacuation_moves *ret,
                           struct error *error) CHECKED NONNULL;

/* The text of these moves; the caller frees it. */
char *evacuation_moves_format(const struct evacuation_move *moves, size_t count) CHECKED;

/* The move of a guest; NULL: there is none. */
const struct evacuation_move *
evacuation_moves_find(const struct evacuation_moves *moves, const struct name *domain) NONNULL;

/* --- which guests are away -------------------------------------------------------------------- */

/*
 * They are away because `vgpuctl evacuate` has moved them.
 *
 * Each such guest has a file with its move. The file is on disk before the guest is moved. So
 * after a kill or a power loss it is known which guest was being moved, and from where:
 *
 *     /var/lib/libvirt-vgpu/evacuated/UUID
 *
 * While a guest is being moved, its record has no `to`. The record of a guest on another host has
 * `host`, and never a `to`. If a guest moves twice, its record keeps the GPUs that it left first.
 *
 * The file goes when the guest is back, or when it was not moved after all. A guest that somebody
 * else moves meanwhile keeps its file until `evacuate --back` looks at it.
 */

/* Whether the guest is being moved on this host, or was when vgpuctl was killed. A guest that goes
 * to another host runs all the time, so it needs no help. */
static inline bool
evacuation_record_is_in_hand(const struct evacuation_move *record)
{
    return record->to.count == 0 && !record->host;
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
