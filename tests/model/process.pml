/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * One of our processes: a hook of one guest and one daemon, reconcile, or `vgpuctl attach --live`.
 * It serves one request after the other. In reality each request is a process of its own. So this
 * process forgets everything after a request. Each `atomic` is one step. Between two steps the
 * process may be killed, or other processes may act.
 *
 * Beware: an option that begins with `if ... :: else` gives its else to the outer `if`. The `true;`
 * before such an `if` prevents this.
 */

/* --- the writer, 7.3 -------------------------------------------------------------------------- */

inline start_writer(what_for) {
    if
    :: order[0] == 0 -> w = 0
    :: order[0] != 0 && order[1] == 0 -> w = 1
    :: order[0] != 0 && order[1] != 0 && order[2] == 0 -> w = 2
    fi;
    order[w] = what_for; on_device[w] = d; answer[w] = 0; awaited[w] = 1;
    left_claim[w] = (has(CLAIM_WRITER) -> claim[s] : 0);            /* 7.3 */
    locked = !has(OUTSIDE)                                          /* 7.1 */
}

inline leave_writer() {
    awaited[w] = 0; locked = 0;
    if
    :: answer[w] != 0 -> answer[w] = 0; order[w] = 0; on_device[w] = 0
    :: else
    fi;
    w = 0
}

/* 7.3: the writer is left behind with one device. This gives back another device that this process
 * has claimed, so that the next process may remove it. */
inline leave_to_others(d) {
    state[d] = LEAVING;
    if :: has(WRITER_ALONE) -> number_anew(d) :: else fi
}

/* Sets d to the next device with work. If all work is done, d has none. */
inline next_work() {
    d = (work[dA] -> dA : (work[dB] -> dB : dA2))
}

/* A start gets all of its devices or none. So all devices that this process has claimed go. If its
 * writer is stuck at one of them, that device stays with the writer. */
inline claim_own_removal() {
    d_step {
        for (i : 0 .. LAST) {
            work[i] = 0;
            if
            :: state[i] == PENDING && number[i] == n && !(stuck && d == i) ->
                if
                :: found[i] -> forget(i)
                :: !found[i] && stuck -> leave_to_others(i)
                :: !found[i] && !stuck -> state[i] = LEAVING; work[i] = REMOVE
                fi
            :: else
            fi
        }
        i = 0
    }
}

/* Sets `what` to DONE or REFUSED, or to 0 if the writer is left behind. */
inline await_writer() {
    if
    :: atomic { answer[w] != 0 -> what = answer[w]; leave_writer() }
    :: atomic { waits > 0 && answer[w] == 0 -> waits--; what = 0; stuck = 1; leave_writer() }
    :: atomic { hung[w] && has(WRITER_LEFT) -> what = 0; stuck = 1; leave_writer() }    /* 7.3 */
    :: atomic { kills > 0 -> kills--; leave_writer(); goto fail }
    fi
}

/* --- one process ------------------------------------------------------------------------------ */

proctype Process(byte s; byte g; byte dm)   /* its slot, guest and daemon */
{
    byte me = NOBODY, n, limit, d, i, w, what, next, places;
    bit stuck;
    byte work[4], was[4], saw_state[4], saw_number[4];
    bit saw_free[4], saw_gone[4], saw_ran[4], saw_guest[4], saw_file[3], saw_there[5];
    byte saw_card;
    bit saw_card_gone, saw_card_ran, saw_card_file, saw_drained, saw_here, saw_made_here;
    bit bound;      /* 7.13: this start takes the promised place, and no other */

end:
    if
    :: atomic { request[s] == PREPARE -> goto prepare }
    :: atomic { request[s] == STARTED -> goto started }
    :: atomic { request[s] == RECONNECT -> goto reconnect }
    :: atomic { request[s] == RELEASE -> goto release }
    :: atomic { request[s] == RECONCILE -> goto reconcile }
#if ARRIVES
    :: atomic { request[s] == ARRIVE -> goto again }
#endif
#if SECOND == 2
    :: atomic { request[s] == ATTACH -> goto again }
#endif
#if MOVE
    :: atomic { request[s] == MOVE_HERE -> goto move }
    :: atomic { request[s] == RESTORING -> goto again }
#endif
    fi;

/* ---- prepare; attach and arrive begin at `again` ---- */
prepare:
    if
    :: atomic { alive[dm] -> me = dm; saw_drained = drained }
    :: atomic { !alive[dm] && has(NOT_INIT) -> goto fail }          /* 7.10 */
    :: atomic { !alive[dm] && !has(NOT_INIT) -> me = INIT }
    OR_KILLED(fail)
    fi;
again:
    look();
    if
    OR_GIVE_UP(undo)
    OR_KILLED(fail)
    OR_HELD_UP
    :: atomic { LOCK ->
        sweep();
#if ARRIVES
        if
        :: request[s] == ARRIVE && state[dB] != NONE -> goto well
        :: else
        fi;
#endif
#if MOVE == 2
        if :: request[s] == RESTORING -> restore() :: else fi;
#endif
        if
        :: request[s] == PREPARE && !alive[me] && has(DAEMON_RECORD) && !(WHOLE && g == A) ->
            what = FULL                                                     /* 7.5 */
        :: WHOLE && g == A && !alive[me] && has(CARD_DAEMON) -> what = FULL         /* 7.11 */
        :: WHOLE && g == A && (alive[me] || !has(CARD_DAEMON)) -> decide_card()
        :: else -> decide()
        fi;
        if
#if ARRIVES
        :: request[s] == ARRIVE ->
            if
            :: what == GO && !saw_there[dB] ->
                holds(P10_DRAINED, !told_empty);
                take_number(); state[dB] = RESERVED; number[dB] = n; late[B] = 0
            :: else
            fi;
            goto well
#endif
        :: request[s] != ARRIVE && what == GO && !(WHOLE && g == A) -> record_plan()
        :: request[s] != ARRIVE && what == EVICT -> take_away(d)
        :: else
        fi;
        forget_look();
        if
        :: what == GO && WHOLE && g == A -> what = 0; goto well
        :: what == GO && !(WHOLE && g == A) -> what = 0; goto carry_out
        :: what == AGAIN -> what = 0; goto again
        :: what == WAIT -> what = 0; goto wait
        :: what == EVICT -> what = 0; next = AGAIN; goto remove
        :: what == FULL ->
            holds(P7_PROMISE, drained || !(ARRIVES && g == B && state[dB] == RESERVED && !late[B] && alive[me]));
            holds(P7_PROMISE, !(g == A && s != ATTACHER && must_stay && alive[me]));
            goto undo
        fi }
    fi;

wait:   /* until the lease is not busy any more, or the deadline comes */
    if
    :: atomic { !busy(d) ->
        d = 0;
        if :: next == WAIT -> next = 0; goto release_lock :: else -> goto again fi }
    :: atomic { !calm || hanging ->
        holds(P7_PROMISE, !(g == A && d == dA && must_stay && busy(dA)));
        if :: next == WAIT -> goto fail :: else -> goto undo fi }
    OR_KILLED(fail)
    fi;

carry_out:
    atomic {
        next_work();
        if
        :: !work[d] && s == ATTACHER -> d = 0; goto hand_over
        :: !work[d] && s != ATTACHER -> d = 0; goto hold
        :: work[d] == REUSE -> goto reuse
        :: work[d] == CREATE
        fi
    };
    if
    :: atomic { start_writer(CREATE) }
    OR_KILLED(fail)
    fi;
    await_writer();
    if
    :: atomic { what == DONE -> what = 0; work[d] = 0; goto carry_out }
    :: atomic { what == 0 -> goto undo }
    :: atomic { what == REFUSED -> what = 0 }
    fi;
forget_it:      /* the kernel refused to make the device, or the device is gone */
    if
    :: atomic { LOCK ->
        if :: state[d] != NONE && number[d] == n -> forget(d) :: else fi;
        sweep();
        if :: work[d] == REUSE -> work[d] = 0; goto again :: else -> work[d] = 0; goto undo fi }
    OR_GIVE_UP(undo)
    OR_HELD_UP
    OR_KILLED(fail)
    fi;

reuse:          /* 7.1: the device is verified after the unlock, before held */
    if
    :: atomic { !has(VERIFY) || (exists[d] && !is_open(d)) ->
        work[d] = 0; if :: d == dB -> verified = 1 :: else fi; goto carry_out }
    :: atomic { has(VERIFY) && exists[d] && is_open(d) -> goto undo }
    :: atomic { has(VERIFY) && !exists[d] -> goto forget_it }
    OR_KILLED(fail)
    fi;

hold:
    if
    OR_GIVE_UP(undo)
    OR_HELD_UP
    OR_KILLED(fail)
    :: atomic { LOCK ->
        d_step {
            what = 1;
            for (i : 0 .. LAST) {
                if
                :: wanted(i) && (state[i] != PENDING || number[i] != n) -> what = 0
                :: wanted(i) && is_released(i) -> what = 0                  /* 7.7 */
                :: else
                fi
            }
            if :: s != ATTACHER && !alive[me] -> what = 0 :: else fi;       /* 7.5 */
            for (i : 0 .. LAST) {
                if
                :: wanted(i) && what == 1 ->
                    state[i] = HELD;
                    owner[i] = (s == ATTACHER && state[dA] == HELD -> owner[dA] : me);
                    holds(P4_LEASED, !(found[i] && ours[i]))
                :: else
                fi
            }
            i = 0
        };
        sweep();
        if :: what == 1 || s == ATTACHER -> goto well :: else -> what = 0 fi }
    fi;

undo:   /* a start gets all of its devices or none */
    if
    :: atomic { n == 0 -> goto fail }
    :: atomic { LOCK && n != 0 -> claim_own_removal(); sweep(); d = 0; next = 0; goto remove }
    OR_GIVE_UP(fail)
    OR_HELD_UP
    OR_KILLED(fail)
    fi;

/* ---- attach: libvirt puts the device into the running guest ---- */
#if SECOND == 2
hand_over:
    if
    :: atomic { in_qemu[dA] && file[A] && alive[current] ->
        dm = current;
        holds(P3_QEMU_FINDS, exists[dA2] && !probed[dA2]);
        in_qemu[dA2] = 1; granted[A]++;
        holds(P5_ROOM, ROOM) }
    :: atomic { !(in_qemu[dA] && file[A] && alive[current]) -> goto undo }
    OR_KILLED(fail)
    fi;
    if
    :: atomic { alive[dm] -> named[dA2] = in_qemu[dA2] }    /* libvirt writes its status file */
    :: atomic { !alive[dm] -> goto undo }                   /* the call fails; QEMU has the device */
    OR_KILLED(fail)
    fi;
    if
    :: atomic { limit = (has(ATTACH_NUMBER) -> n + 1 : next_number); raise(ran[A], limit) }     /* 7.7 */
    OR_KILLED(fail)
    fi;
    goto hold;
#else
hand_over:
#endif

#if MOVE
/* ---- vgpuctl move --here ---- */
move:
    promise();
#endif

/* ---- started; reconnect ends at `mark_ran`, too ---- */
started:
    if
    :: atomic { me = (alive[dm] -> dm : NOBODY); limit = next_number;
                if
                :: state[dA] == NONE && g == A && !card -> goto well
                :: state[dB] == NONE && g == B -> goto well
                :: else
                fi }
    OR_KILLED(fail)
    fi;
mark_ran:
    if
    :: atomic { true;
        if
        :: alive[me] || !has(MARK_DAEMON) -> raise(ran[g], limit)           /* 7.7 */
        :: else
        fi;
        goto well }
    OR_KILLED(fail)
    fi;

/* ---- reconnect: the guest runs, and the new daemon will call its release ---- */
reconnect:
    if
    :: atomic { LOCK && alive[dm] -> me = dm;
        d_step {
            for (i : 0 .. LAST) {
                if
                :: dom(i) == g && !busy(i) && in_qemu[i] && named[i] ->
                    /* A device without a lease counts as made. FOREIGN=2 does not come here. */
                    take_number(); state[i] = HELD; number[i] = n; owner[i] = me
                :: dom(i) == g && state[i] != NONE && (busy(i) || !in_qemu[i] || !named[i]) ->
                    owner[i] = me
                :: else
                fi
            }
            i = 0
        };
        sweep(); limit = next_number; goto mark_ran }
    :: goto fail                                /* it does not get the lock, or fails otherwise */
    OR_KILLED(fail)
    fi;

/* ---- release ---- */
release:
    if
    :: atomic { me = (alive[dm] -> dm : NOBODY); limit = next_number;
                if :: !(g == A && (state[dA] != NONE || state[dA2] != NONE || card) ||
                        g == B && state[dB] != NONE) -> goto well :: else fi }
    OR_KILLED(unmarked)
    fi;
    if
    :: atomic { true;
        if
        :: has(MARK_RELEASE) && (!card || g == B || has(CARD_MARK)) && (alive[me] || !has(MARK_DAEMON)) -> raise(released[g], limit)   /* 7.7 */
        :: else
        fi }
    OR_KILLED(unmarked)
    fi;
release_lock:
    if
    OR_GIVE_UP(fail)
    OR_KILLED(fail)
    OR_HELD_UP
    :: atomic { LOCK ->
        d_step {
            next = 0; what = 0;
            for (i : 0 .. LAST) {
                if
                :: dom(i) == g && state[i] != NONE && below(i, limit) && state[i] != KEPT &&
                   (owner[i] == me || !alive[owner[i]] || !has(OTHER_DAEMON)) ->            /* 7.7 */
                    if
                    :: busy(i) -> next = WAIT; d = i
                    :: !busy(i) && (found[i] || !exists[i] || state[i] == RESERVED) ->
                        /* Only the release of a later start ends a promise. */
                        holds(P7_PROMISE, !(i == dA && must_stay && limit < promised_at));
                        forget(i)
                    :: !busy(i) && !found[i] && exists[i] && state[i] == HELD && keeps(i) -> state[i] = KEPT
                    :: else -> take_away(i)
                    fi
                :: else
                fi
            }
            i = 0;
            if
            :: g == A && card_below(limit) &&
               (card_owner == me || !alive[card_owner] || !has(CARD_OTHER)) -> card = 0     /* 7.11 */
            :: else
            fi
        };
        sweep();
        if
        :: work[dA] || work[dB] || work[dA2] -> goto remove
        :: else -> if :: next == WAIT -> goto wait :: else -> goto well fi
        fi }
    fi;

/* ---- reconcile ---- */
reconcile:
    look();
    if
    OR_GIVE_UP(fail)
    OR_KILLED(fail)
    OR_HELD_UP
    :: atomic { LOCK ->
        d_step {
            for (i : 0 .. LAST) {
                if
                :: state[i] == NONE || busy(i) || !known(i) -> skip
                :: else ->
                    if
                    :: (state[i] == KEPT && !saw_there[i]) || is_broken_promise(i) ||
                       (is_left(i) && (found[i] || !saw_there[i])) ->
                        holds(P7_PROMISE, !(i == dA && must_stay));
                        forget(i)
                    :: else ->
                        if
                        :: is_left(i) && state[i] == HELD && keeps(i) -> state[i] = KEPT
                        :: is_left(i) && !(state[i] == HELD && keeps(i)) -> take_away(i)
                        :: else
                        fi
                    fi
                fi
            }
            i = 0;
            if :: card_ended -> card = 0 :: else fi                         /* 7.11 */
        };
        sweep();
        forget_look() }
    fi;

/* ---- removes the devices that this process has claimed, one after the other ---- */
remove:
    atomic {
        next_work();
        if
        :: work[d]
        :: !work[d] && next == AGAIN -> d = 0; what = 0; next = 0; goto again
        :: !work[d] && next == WAIT -> d = 0; what = 0; next = 0; goto release_lock
        :: !work[d] && next == 0 ->
            d = 0; what = 0;
            if
            :: request[s] == PREPARE || request[s] == ATTACH -> goto fail     /* this was an undo */
            :: else -> goto well
            fi
        fi
    };
    if
    :: atomic { start_writer(REMOVE) }
    OR_KILLED(fail)
    fi;
    await_writer();
    if
    OR_GIVE_UP(fail)
    OR_KILLED(fail)
    OR_HELD_UP
    :: atomic { LOCK ->
        d_step {
            work[d] = 0;
            if
            :: what == DONE && state[d] == LEAVING && number[d] == n -> forget(d)
            :: what == REFUSED && state[d] == LEAVING && number[d] == n -> hand_back(d)
            :: else
            fi;
            for (i : 0 .. LAST) {
                if
                :: stuck && work[i] -> work[i] = 0; leave_to_others(i)
                :: else
                fi
            }
            i = 0
        };
        sweep();
        if
        :: what == DONE -> what = 0; goto remove
        :: what == REFUSED && next != AGAIN -> what = 0; goto remove
        :: what != DONE && next == AGAIN -> next = 0; goto undo
        :: else -> goto fail
        fi }
    fi;

/* ---- the end ---- */
unmarked:
    atomic {
        for (i : 0 .. LAST) {
            if :: dom(i) == g && in_use(i) && !ran_covers(i) -> excused[i] = 1 :: else fi
        }
        if :: g == A && card && !card_below(ran[A]) -> excused[dA] = 1 :: else fi;
        goto fail };
well:
    atomic { good[s] = 1; goto over };
fail:
    atomic { good[s] = 0 };
over:
    atomic {
        if :: has(CLAIM_ENDS) || good[s] -> claim[s] = 0 :: else fi;        /* 7.2 */
        request[s] = 0;
        saw_drained = 0; bound = 0;
        me = NOBODY; n = 0; limit = 0; d = 0; w = 0; what = 0; next = 0; stuck = 0; places = 0;
        work[0] = 0; work[1] = 0; work[2] = 0; was[0] = 0; was[1] = 0; was[2] = 0;
        forget_look();
        goto end
    }
}
