/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What a process sees of the world without the lock, and what it decides under the lock.
 */

/* --- the look, 7.1 ---------------------------------------------------------------------------- */

inline see_ledger() {
    d_step {
        for (i : 0 .. LAST) {
            saw_state[i] = state[i]; saw_number[i] = number[i];
            /* LOOK_DAEMON: daemons and ran marks are read before the guests. */
            saw_gone[i] = in_use(i) && !alive[owner[i]]; saw_ran[i] = has_run(i)
        }
        i = 0;
        saw_card = (card -> card_number : 0); saw_card_gone = card && !alive[card_owner];
        saw_card_ran = card_has_run;
        saw_here = here;
        /* 7.13, MOVE_BOUND: a start that was bound once stays so. */
        bound = bound || (g == A && is_promised && !late[A] && has(MOVE_BOUND))
    }
}

inline see_devices() {
    d_step { for (i : 0 .. LAST) { saw_there[i] = exists[i] } saw_there[dF] = exists[dF]; i = 0;
        saw_made_here = made_here }
}

inline see_claims_and_guests() {
    d_step {
        for (i : 0 .. LAST) {
            saw_free[i] = saw_number[i] == 0 || saw_number[i] == claim[s] || !claimed(saw_number[i]);
            saw_guest[i] = file[dom(i)] && named[i] && in_qemu[i]
        }
        i = 0; saw_file[A] = file[A]; saw_file[B] = file[B];
        saw_card_file = card_file
    }
}

/* 7.1, LOOK_ORDER: a look is three steps. The world can change between two of them. */
inline look() {
    if
    :: atomic { true; if :: has(LOOK_ORDER) -> see_ledger() :: else -> see_devices() fi }
    OR_KILLED(fail)
    fi;
    atomic { (has(READ_BY_CHILD) || !hanging) -> see_claims_and_guests() };         /* 7.3 */
    atomic { true; if :: has(LOOK_ORDER) -> see_devices() :: else -> see_ledger() fi }
}

inline forget_look() {
    d_step {
        for (i : 0 .. LAST) { saw_state[i] = NONE; saw_number[i] = 0; saw_free[i] = 0; saw_gone[i] = 0;
            saw_ran[i] = 0; saw_guest[i] = 0; saw_there[i] = 0 }
        saw_there[dF] = 0; saw_file[A] = 0; saw_file[B] = 0; i = 0;
        saw_card = 0; saw_card_gone = 0; saw_card_ran = 0; saw_card_file = 0;
        saw_here = 0; saw_made_here = 0
    }
}

/* 7.1, LOOK_CHANGED and LOOK_CLAIM: does the look at this lease's device still hold? */
#define known(d) (!has(LOOK_CHANGED) || \
    (state[d] == saw_state[d] && number[d] == saw_number[d] && (saw_free[d] || !has(LOOK_CLAIM))))

/* 7.1, LOOK_NEW: the place of this device is taken, by any process. RESERVED_ROOM: a reserved place
 * is taken, too. */
#define taken(d) ((saw_there[d] && !elsewhere(d, saw_made_here)) || \
    (saw_state[d] != NONE && has(LOOK_CHANGED) && !elsewhere(d, saw_here)) || \
    (state[d] != NONE && !elsewhere(d, here) && (saw_state[d] != NONE || has(LOOK_NEW)) && \
     (state[d] != RESERVED || has(RESERVED_ROOM))))

/* Does this process want the device? A start wants its guest's devices, attach the second one. */
#define wanted(d) (dom(d) == g && (d != dA2 || SECOND == 1 || s == ATTACHER) && !(d == dA && s == ATTACHER))

/* --- the decision of a start, an attach and an arrival, under the lock ------------------------- */

#define FULL 0     /* there is no room: others use all places */
#define WAIT 1     /* another process works on a lease that matters here */
#define AGAIN 2    /* something changed since the look: look again */
#define EVICT 3    /* device d has the place that is needed: remove it */
#define GO 4       /* there is room */

/* Claims the removal of the device for this process. A device that stays may be removed only by a
 * process that needs its place. */
inline take_away(d) {
    take_number();
    holds(P8_GUEST_KEEPS, !runs_with(d));
    holds(P7_PROMISE, !stays[d] || what == EVICT);
    was[d] = state[d]; stays[d] = 0;
    state[d] = LEAVING; number[d] = n; work[d] = REMOVE
}

/* The kernel has refused the removal, and nothing was written. The next process may try. */
inline hand_back(d) {
    stays[d] = next == AGAIN && was[d] == KEPT;
    if
    :: next == AGAIN && has(RESTORE) && (was[d] == KEPT ||
       ((was[d] == HELD || was[d] == PENDING) && (!alive[owner[d]] || !has(RESTORE_OWED)))) ->
        state[d] = was[d]
    :: else
    fi;
    number_anew(d)
}

/* 7.8: finds a device that may be removed, because this process needs its place. */
inline find_victim() {
    for (i : 0 .. LAST) {
        if
        :: wanted(i) || what == EVICT || elsewhere(i, here) -> skip
        :: else ->
            if
            :: busy(i) -> if :: what == FULL -> what = WAIT; d = i :: else fi
            :: !busy(i) && !known(i) -> what = AGAIN
            :: !busy(i) && known(i) && state[i] != NONE ->
                if
                :: is_broken_promise(i) || is_left(i) || (state[i] == KEPT && has(KEPT_ROOM)) ->
                    holds(P7_PROMISE, !(i == dA && must_stay));
                    if
                    :: found[i] || !saw_there[i] -> forget(i); what = AGAIN
                    :: else -> what = EVICT; d = i
                    fi
                :: else
                fi
            :: else
            fi
        fi
    }
}

inline decide() {
    d_step {
        what = GO; places = 0;
        for (i : 0 .. LAST) {
            if
            :: wanted(i) ->
                places++;
                if
                :: busy(i) && what == GO -> what = WAIT; d = i
                :: !busy(i) && what == GO && !known(i) -> what = AGAIN
                :: else
                fi
            :: else -> places = places + (taken(i) -> 1 : 0)
            fi
        }
        places = places + saw_there[dF];
        /* 7.13: a start of guest A without a promise stays where the guest was, or is. */
        if :: MOVE && g == A && !bound -> places = 0 :: else fi;
#if MOVE && SECOND
        remove_own();
#endif
        /* 7.12: nobody makes room on a drained GPU either. */
        if :: what == GO && (has(DRAIN_LOCK) -> drained : saw_drained) &&
              !(MOVE && g == A && (!bound || passes_drain)) -> what = FULL; places = 0 :: else fi;
        if
        :: what == GO && places > CAP && s == MOVER -> what = FULL
        :: what == GO && places > CAP && s != MOVER -> what = FULL; find_victim()
        :: else
        fi;
        places = 0; i = 0;
        /* 7.11: placement passes the card over while the link counts. */
        if :: card_ended -> card = 0 :: else fi;
        if :: what == GO && card -> what = FULL :: else fi
    }
}

/* 7.11: a start that takes the card. Another guest's lease in use is proof that the card is used. */
inline decide_card() {
    d_step {
        what = GO;
        if
        :: in_use(dB) && known(dB) && !is_left(dB) && has(CARD_USED) -> what = FULL
        :: in_use(dB) && !known(dB) && has(CARD_USED) -> what = AGAIN
        :: state[dB] != NONE && !in_use(dB) && busy(dB) -> what = WAIT; d = dB
        :: else ->
            if
            :: state[dB] != NONE -> what = FULL; find_victim();
                if :: what == FULL -> what = GO :: else fi          /* doubt passes */
            :: else
            fi
        fi;
        i = 0;
        if
        :: what == GO ->
            if :: has(CARD_LINK) -> card = 1; card_number = next_number; card_owner = me; next_number++
            :: else fi
        :: else
        fi
    }
}

/* Enters the plan into the ledger. A device that is there is reused. The others are made. */
inline record_plan() {
    d_step {
        take_number();
        holds(P10_DRAINED, !told_empty || (MOVE && g == A && !bound));
        holds(P7_PROMISE, !(must_stay && g == A && s != ATTACHER && !bound));
        for (i : 0 .. LAST) {
            if
            :: wanted(i) ->
                if
                :: saw_there[i] ->
                    work[i] = REUSE;
                    /* 7.6: the device is ours only if a lease says so */
                    found[i] = (state[i] == NONE || state[i] == RESERVED || found[i]) && has(FOUND)
                :: else -> work[i] = CREATE; found[i] = 0
                fi;
                state[i] = PENDING; number[i] = n; owner[i] = me; stays[i] = 0;
                if :: i == dA && MOVE -> here = (saw_there[dA] -> saw_made_here : bound) :: else fi
            :: else
            fi
        }
        holds(P7_PROMISE, !(state[dN] || must_stay) || LEASED_ROOM);
        i = 0
    }
}
