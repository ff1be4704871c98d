/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * evacuation-plan: who has to leave some GPUs, and how each of them can.
 *
 *     plan = (struct evacuation_plan){.call = call, .gpus = ...};
 *     rc = evacuation_plan_look(&plan, error);
 *     evacuation_judgment_make(&plan), or evacuation_plan_follow for a plan of before
 *
 * The plan is made on one snapshot of the host. The way back is a plan, too. Its guests are those
 * with a record, and each has to go to the GPUs that it has left.
 *
 * A plan holds nothing. So each guest is judged anew before it moves (evacuation.h).
 */

#pragma once

#include "actions/snapshot.h"
#include "cli/command.h"
#include "evacuate/evacuation-move.h"

struct evacuee {
    struct evacuation_move move;
    struct name device;   /* of a vGPU that no guest has; "": a guest, or a whole card */
    bool is_off;          /* it is saved, and off: only its start is left to do */
    bool is_settled;      /* nothing is left to do; on the way back, its record goes */
    unsigned framebuffer; /* MiB, of its vGPUs on the GPUs */
    unsigned pause;       /* seconds that it will not run, as an estimate; 0: not known, or none */
    const char *result;   /* what became of it, in one word; "": nothing was tried */
    struct error why;     /* why it stays, or is where it is */
};

struct evacuation_plan {
    const struct command_call *call;
    struct names gpus; /* to be emptied; on the way back, whose guests come home (none: all) */
    bool is_back;
    bool is_bound; /* each guest goes to the GPUs of its move, and to no others */
    struct snapshot snapshot;
    struct evacuation_moves records; /* who is away, and who is being moved */
    struct connection *connection;   /* of this host's libvirt; NULL: no_libvirt says why not */
    struct error no_libvirt;
    struct evacuee *items;
    size_t count;
};

/* Finds who has to leave: the guest with the most frame buffer first, because it is the hardest to
 * place. A vGPU that no guest has is an item, too, and stays. Without libvirt only the ledger tells
 * who is there. -errno with a line in error. The caller clears the plan in every case. */
int evacuation_plan_look(struct evacuation_plan *plan, struct error *error) CHECKED NONNULL;

/* Why a guest stays for which only another host would be left. */
#define EVACUATION_NOT_LIVE "vgpu.conf (evacuate) does not let it move to another host"

/* Whether a guest may be moved at all, by the command line and by vgpu.conf. *ways are bits of enum
 * policy_evacuate. Returns REFUSED, or -EINVAL for a broken vgpu.conf, with a line in error. */
int evacuation_plan_allows(const struct evacuation_plan *plan, const struct evacuation_move *move,
                           unsigned *ways, struct error *error) CHECKED NONNULL;

/* Takes ways and order from an earlier plan. A guest that has changed since, or that may not be
 * moved so, stays. */
void
evacuation_plan_follow(struct evacuation_plan *plan, const struct evacuation_moves *moves) NONNULL;

void evacuation_plan_clear(struct evacuation_plan *plan) NONNULL;

/* The GPUs that guests have to leave; on the way back none, because each guest is told where to go.
 * The second function returns the only GPUs where a guest may go; none: any. Borrowed. */
const struct names *evacuation_plan_left(const struct evacuation_plan *plan) NONNULL;
const struct names *
evacuation_plan_only(const struct evacuation_plan *plan, const struct evacuee *evacuee) NONNULL;

/* The drained GPUs that an evacuation has drained, as far as the plan is about them. They are not
 * drained on the way back. The caller clears ret. */
void evacuation_plan_find_drained(const struct evacuation_plan *plan, struct names *ret) NONNULL;

/* Whether the item is a guest. */
static inline bool
evacuee_is_guest(const struct evacuee *evacuee)
{
    return *evacuee->move.domain.text != '\0';
}

bool evacuee_has_moved(const struct evacuee *evacuee) CHECKED NONNULL;
