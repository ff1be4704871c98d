/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * 7.13: a place that waits for one guest (`vgpuctl move --here`). Guest A runs on another GPU, and
 * vgpuctl holds a place for it on this one, by a lease of nobody. The guest's run ends, because it is
 * saved. Once its old leases are gone, the place is reserved for it. Its next start takes this place.
 */

/* Part of decide(): a start removes what is left of its guest, before it looks for a place. */
inline remove_own() {
    if
    :: what == GO && g == A && s != ATTACHER && state[dA2] != NONE ->
        if
        :: busy(dA2) -> what = WAIT; d = dA2
        :: !busy(dA2) && !known(dA2) -> what = AGAIN
        :: !busy(dA2) && known(dA2) && !saw_there[dA2] -> forget(dA2)
        :: !busy(dA2) && known(dA2) && saw_there[dA2] ->
            what = EVICT; d = dA2;
            if
            :: state[dA] == RESERVED && !has(MOVE_OWN) ->
                holds(P7_PROMISE, !must_stay); forget(dA)
            :: else
            fi
        fi
    :: else
    fi
}

/* Under the lock, the hook that runs before guest A is restored: the place that is promised is reserved
 * anew, with a fresh time. */
inline restore() {
    if
    :: is_promised && !known(dA) && has(MOVE_UNSEEN) -> forget_look(); goto again
    :: else
    fi;
    d_step {
        places = 1 + taken(dB) + taken(dN) + saw_there[dF];
        if
        :: state[dA] == NONE || state[dA] == RESERVED ->
            if
            :: bound && places <= CAP && (!drained || passes_drain) ->
                holds(P10_DRAINED, !told_empty);
                state[dA] = RESERVED; owner[dA] = NOBODY; here = 1;
                late[A] = 0; overdue = 0; promised_at = next_number;
                if :: has(MOVE_NUMBER) -> number_anew(dA) :: else -> number[dA] = 0 fi;
                holds(P7_PROMISE, LEASED_ROOM)
            :: else ->
                holds(P7_PROMISE, !must_stay);
                if :: state[dA] == RESERVED -> forget(dA) :: else fi
            fi
        :: else
        fi;
        places = 0
    };
    goto well
}

/* What vgpuctl does. The guest may end its run at any time, and start again. Others may start it. */
inline promise() {
    look();
    if
    OR_GIVE_UP(fail)
    OR_KILLED(fail)
    OR_HELD_UP
    :: atomic { LOCK ->
        sweep();
        what = FULL;
        if :: saw_state[dA] == HELD && !saw_here -> decide() :: else fi;
        if
        :: what == GO && has(MOVE_HELD) ->
            record_plan(); work[dN] = 0;
            if :: !has(MOVE_CLAIM) -> number_anew(dN) :: else fi;
            if :: !has(MOVE_NOBODY) -> owner[dN] = current :: else fi;
            limit = number[dN]
        :: else
        fi;
        forget_look();
        if :: what == GO -> what = 0 :: else -> goto fail fi }
    fi;
    if
    OR_GIVE_UP(give_up)
    OR_KILLED(fail)
    OR_HELD_UP
    :: goto give_up                             /* the save fails, or the old vGPU does not go */
    :: atomic { LOCK && ((state[dA] == NONE && state[dA2] == NONE) || !has(MOVE_GONE)) ->
        d_step {
            holds(P7_PROMISE, !has(MOVE_HELD) || (state[dN] == PENDING && number[dN] == limit));
            if :: state[dN] -> forget(dN) :: else fi;
            if :: state[dA] -> forget(dA) :: else fi;
            state[dA] = RESERVED; owner[dA] = NOBODY; here = 1;
            late[A] = !has(MOVE_TIME); overdue = 0; promised_at = next_number;
            number_anew(dA);
            if :: !has(MOVE_FREE) -> number[dA] = n :: else fi;
            holds(P7_PROMISE, LEASED_ROOM)
        };
        sweep() }
    fi;
    if
    :: goto well
    OR_KILLED(fail)
    fi;
give_up:
    if
    :: atomic { LOCK ->
        if :: state[dN] == PENDING && number[dN] == limit -> forget(dN) :: else fi;
        sweep(); goto fail }
    OR_GIVE_UP(fail)
    OR_HELD_UP
    OR_KILLED(fail)
    fi
}
