/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/fate.h"

#define LONGEST_RESERVED 60 /* s from an incoming migration to its prepare */

static bool
is_gone(const struct transaction *transaction, const struct lease *lease)
{
    struct name type;

    return vgpu_state(transaction->host, &lease->vgpu, &type) == VGPU_ABSENT;
}

/* Its domain does not have it any more. */
static enum judgement
let_go(const struct transaction *transaction, const struct lease *lease)
{
    if (lease->origin == LEASE_FOUND || is_gone(transaction, lease))
        return JUDGEMENT_FORGET;
    return JUDGEMENT_REMOVE;
}

static enum judgement
judge_held(const struct transaction *transaction, const struct status_files *guests,
           const struct lease *lease, const char **why)
{
    const struct request *guest = status_files_find(guests, &lease->domain);
    enum judgement judgement;

    *why = "its guest runs";
    if (guest && status_files_has(guest, &lease->vgpu.device))
        return JUDGEMENT_LEAVE;
    *why = "another guest has it";
    if (status_files_have(guests, &lease->vgpu.device))
        return JUDGEMENT_LEAVE;
    *why = "its guest runs, and has it no more";
    if (guest)
        return let_go(transaction, lease);
    *why = "libvirt's daemon runs, and will give it back";
    if (process_alive(transaction->host, lease->daemon))
        return JUDGEMENT_LEAVE;
    *why = guests->failure.text;
    if (!guests->complete)
        return JUDGEMENT_LEAVE;
    *why = "its guest is gone, and the daemon that ran it";
    judgement = let_go(transaction, lease);
    return judgement == JUDGEMENT_REMOVE && lease->release == LEASE_KEEP &&
                   vgpu_is_right(transaction->host, &lease->vgpu)
               ? JUDGEMENT_KEEP
               : judgement;
}

bool
judge_needs_guests(const struct transaction *transaction, const struct lease *lease)
{
    return (lease->state == LEASE_HELD || lease->state == LEASE_PENDING) &&
           !process_alive(transaction->host, lease->daemon);
}

enum judgement
judge_lease(const struct transaction *transaction, const struct status_files *guests,
            const struct lease *lease, const char **why)
{
    *why = "a process is at work on it";
    if (!transaction_may_act(transaction, lease))
        return JUDGEMENT_LEAVE;
    switch (lease->state) {
    case LEASE_HELD:
        return judge_held(transaction, guests, lease, why);
    case LEASE_KEPT:
        *why = "it is kept for its guest's next start";
        return is_gone(transaction, lease) ? JUDGEMENT_FORGET : JUDGEMENT_LEAVE;
    case LEASE_RESERVED:
        *why = "it is promised to a guest that arrives";
        return host_seconds(transaction->host) - lease->time > LONGEST_RESERVED ? JUDGEMENT_FORGET
                                                                                : JUDGEMENT_LEAVE;
    case LEASE_PENDING:
        *why = "libvirt's daemon runs, and will give it back";
        if (process_alive(transaction->host, lease->daemon))
            return JUDGEMENT_LEAVE;
        /* It was added to a running guest, by somebody who could not record that any more. */
        *why = "a guest has it";
        if (status_files_have(guests, &lease->vgpu.device))
            return JUDGEMENT_LEAVE;
        *why = "what made it was broken off";
        break;
    case LEASE_LEAVING:
    case LEASE_REMOVING:
        *why = "its removal was not finished";
        break;
    }
    return let_go(transaction, lease);
}
