/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The world: writers in the kernel, guests, the daemons that run the guests, and people.
 */

#define SLOT (2 * g + dm - 1)     /* one process plays all hooks of a guest and a daemon */

/* A writer lives on when its process ends. Nobody kills a writer. The kernel may do its work late. */
proctype Writer(byte w)
{
    byte d, r;

end:
    atomic { order[w] != 0 && answer[w] == 0 -> d = on_device[w] };
    if
    :: atomic { order[w] == CREATE ->
        if
        :: exists[d] || (made >= CAP && !elsewhere(d, here)) -> r = REFUSED
        :: else ->
            exists[d] = 1; ours[d] = 1; r = DONE;
            if :: elsewhere(d, here) :: else -> made++ fi;
            if :: d == dA -> made_here = here :: else fi;
            holds(P4_LEASED, state[d] != NONE)
        fi;
        goto over }
    :: atomic { order[w] == REMOVE ->
        if
        :: !exists[d] -> r = DONE; goto over
        :: exists[d] && is_open(d) && has(PROOF) -> r = REFUSED; goto over
        :: else -> probed[d] = 1                                                        /* 7.4 */
        fi }
    :: atomic { hangs > 0 -> hangs--; hung[w] = 1; goto end_hung }
    fi;
    if
    :: atomic {
        holds(P1_CLOSED, !in_qemu[d]);
        holds(P2_NOTHING_LOST, ours[d]);
        if :: exists[d] && !elsewhere(d, made_here) -> made-- :: else fi;
        exists[d] = 0; ours[d] = 0;
        if :: d == dA -> made_here = 0 :: else fi;
        probed[d] = 0; r = DONE;
        goto over }
    :: atomic { hangs > 0 -> hangs--; hung[w] = 1; goto end_hung }
    fi;
over:
    atomic {
        left_claim[w] = 0;
        if
        :: awaited[w] -> answer[w] = r
        :: else -> order[w] = 0; on_device[w] = 0
        fi;
        r = 0; d = 0;
        goto end
    }
end_hung:
    false
}

inline quit() {
    d_step { in_qemu[g] = 0; if :: g == A -> in_qemu[dA2] = 0 :: else fi; granted[g] = 0 }
}

inline no_file() {
    d_step { file[g] = 0; named[g] = 0; if :: g == A -> named[dA2] = 0 :: else fi }
}

#define may_start(g) (!MOVE || EARLY || g == B || is_promised)
#define first_hook(g) (ARRIVES && g == B -> ARRIVE : (MOVE == 2 && g == A -> RESTORING : PREPARE))

/* A guest, and all that its daemon `dm` does for it. */
proctype Guest(byte g; byte runs)
{
    byte dm;
    bit survives;

#if MOVE
    if :: g == A -> dm = 1; goto lives :: g == B fi;
#endif
begin:
    if
    :: atomic { runs == 0 -> goto over }
#if MOVE && !EARLY
    :: atomic { runs > 0 && g == A && request[MOVER] == 0 && !is_promised -> goto over }
#endif
    :: atomic { runs > 0 && may_start(g) && alive[current] && request[2 * g + current - 1] == 0 ->
        runs--; dm = current; request[SLOT] = first_hook(g) }
    fi;
#if ARRIVES
    if
    :: atomic { g == B && request[SLOT] == 0 && alive[dm] ->
        /* the source host may cancel the migration, or may be late */
        if
        :: request[SLOT] = PREPARE
        :: late[B] = 1; request[SLOT] = PREPARE
        :: goto begin
        fi }
    :: atomic { g == B && !alive[dm] -> goto begin }
    :: g == A
    fi;
#endif
#if MOVE == 2
    /* A restore that fails here ends without release. */
    if
    :: atomic { g == A && request[SLOT] == 0 && alive[dm] ->
        if :: good[SLOT] -> request[SLOT] = PREPARE :: else -> goto begin fi }
    :: atomic { g == A && !alive[dm] -> goto begin }
    :: g == B
    fi;
#endif
    if
    :: atomic { request[SLOT] == 0 && alive[dm] && good[SLOT] ->
        granted[g] = (SECOND == 1 && g == A -> 2 : 1); holds(P5_ROOM, ROOM) }
    :: atomic { request[SLOT] == 0 && alive[dm] && !good[SLOT] -> goto stop }
    :: atomic { !alive[dm] -> goto begin }
    fi;
    /* Other hooks need time. Then QEMU starts, or the start fails for another reason. */
    if
    :: atomic { alive[dm] ->
        holds(P3_QEMU_FINDS, (WHOLE && g == A) || (exists[g] && !probed[g]));
        holds(P9_WHOLE_CARD, !WHOLE || !in_qemu[1 - g]);
        in_qemu[g] = 1; named[g] = 1; file[g] = 1;
        if
        :: SECOND == 1 && g == A ->
            holds(P3_QEMU_FINDS, exists[dA2] && !probed[dA2]);
            in_qemu[dA2] = 1; named[dA2] = 1
        :: else
        fi }
    :: atomic { alive[dm] -> granted[g] = 0; goto stop }
    :: atomic { !alive[dm] -> granted[g] = 0; goto begin }
    fi;
    atomic { if :: alive[dm] -> request[SLOT] = STARTED :: else -> goto lives fi };
    if
    :: atomic { request[SLOT] == 0 || !alive[dm] }
    fi;
lives:
    if
    :: atomic { alive[dm] -> quit(); goto stop }
    :: atomic { !alive[dm] -> survives = 1 }
    :: atomic { !alive[dm] -> survives = 0; quit() }
#if WHOLE
    /* Somebody takes the card out of the running guest. libvirt calls no hook. */
    :: atomic { alive[dm] && g == A && named[dA] -> quit(); named[dA] = 0; goto lives }
#endif
    fi;
    if
    :: atomic { alive[2] -> dm = 2;
        if
        :: survives -> request[SLOT] = RECONNECT
        :: else -> goto stop
        fi }
    fi;
    if
    :: atomic { request[SLOT] == 0 -> survives = 0; goto lives }
    fi;
stop:
    if
    :: atomic { alive[dm] -> no_file(); request[SLOT] = RELEASE }
    :: atomic { !alive[dm] ->
        /* The daemon died before it called the hook. If the status file is left, the next daemon
         * calls the hook. */
        if
        :: file[g] -> survives = 0; goto later
        :: else -> goto begin
        fi }
    fi;
    if
    :: atomic { request[SLOT] == 0 || !alive[dm] -> goto begin }
    fi;
later:
    atomic { alive[2] -> dm = 2; goto stop };
over:
    ended++
}

/* Another program makes a device: with a UUID of its own, or with the UUID of guest B's device. It
 * may remove a device with B's UUID again, until our prepare has seen that device. */
proctype Hand()
{
#if FOREIGN == 1
    if
    :: atomic { ended < 2 && made < CAP -> exists[dF] = 1; made++ }
    :: skip
    fi
#endif
#if FOREIGN == 2
    if
    :: atomic { ended < 2 && made < CAP && !exists[dB] -> exists[dB] = 1; ours[dB] = 0; made++ };
        if
        :: atomic { exists[dB] && !ours[dB] && !verified -> exists[dB] = 0; made-- }
        :: skip
        fi
    :: skip
    fi
#endif
    skip
}

/* A program looks at the device of a guest that does not run, and has the device open meanwhile. */
proctype Stray()
{
    if
    :: atomic { ended < 2 && exists[dA] && !is_open(dA) -> opened = 1 };
        opened = 0
    :: ended == 2
    fi
}

/* Timers and people run reconcile now and then, and attach a vGPU once. */
proctype People()
{
    byte runs = RECS;

    do
    :: atomic { runs > 0 && ended < 2 && request[RECONCILER] == 0 ->
        runs--; request[RECONCILER] = RECONCILE }
    :: atomic { ended == 2 -> break }
    od
}

/* An administrator drains the GPU, is told what is there, and later ends the drain. */
proctype Administrator()
{
    if
    :: atomic { ended < 2 -> drained = 1;
        told_empty = is_empty };
        atomic { drained = 0; told_empty = 0 }
    :: ended == 2
    fi
}

/* Guest A comes too late for its promise. */
proctype Clock()
{
    if
    :: atomic { is_promised -> late[A] = 1; overdue = 1 }
    :: ended == 2
    fi
}

proctype Attacher()
{
    if
    :: atomic { in_qemu[dA] && file[A] && alive[current] -> request[ATTACHER] = ATTACH }
    :: ended == 2
    fi
}

#define QUIET (ended == 2 && !opened && \
    request[0] + request[1] + request[2] + request[3] + request[4] + request[5] + \
    request[6] == 0 && \
    (order[0] == 0 || hung[0]) && (order[1] == 0 || hung[1]) && (order[2] == 0 || hung[2]))

/* A lease may still be there at the end for two reasons. A driver hangs at its device, or 7.7 lets
 * the lease wait for the daemon's end. */
#define hung_on(d) ((hung[0] && on_device[0] == d) || (hung[1] && on_device[1] == d) || \
    (hung[2] && on_device[2] == d))
#define is_clean(d) (state[d] == KEPT || hung_on(d) || (state[d] == NONE && !(exists[d] && ours[d])))
#define used_up(d) (hung_on(d) || (state[d] != NONE && excused[d]))
#define USED_UP ((card && excused[dA]) + exists[dF] + used_up(dA) + used_up(dA2))

/* When all is quiet, nothing fails any more. Then the next start gets the place (P6_NOT_HELD_UP).
 * One reconcile gives back all vGPUs without a guest (P2_NOTHING_LOST). It runs first with the
 * daemon alive, then with the daemon gone. */
proctype End()
{
    atomic { QUIET && !drained -> kills = 0; waits = 0; hangs = 0; calm = 1;
        late[A] = MOVE != 0; late[B] = 1; overdue = late[A] };
    if
    :: skip
    :: atomic { alive[current] -> request[2 * B + current - 1] = PREPARE };
        atomic { request[2 * B + current - 1] == 0 ->
            holds(P6_NOT_HELD_UP, good[2 * B + current - 1] || USED_UP >= CAP || used_up(dB));
            request[2 * B + current - 1] = RELEASE };
        request[2 * B + current - 1] == 0
    fi;
    request[RECONCILER] = RECONCILE;
    atomic { request[RECONCILER] == 0 && QUIET ->
        holds(P2_NOTHING_LOST, excused[dA] || is_clean(dA));
        holds(P2_NOTHING_LOST, excused[dB] || is_clean(dB));
        holds(P2_NOTHING_LOST, excused[dA2] || is_clean(dA2));
        holds(P2_NOTHING_LOST, state[dN] == NONE);
        holds(P2_NOTHING_LOST, excused[dA] || !card);
        alive[1] = 0; alive[2] = 0;
        request[RECONCILER] = RECONCILE };
    atomic { request[RECONCILER] == 0 ->
        holds(P2_NOTHING_LOST, is_clean(dA) && is_clean(dB) && is_clean(dA2) && !card);
        holds(P2_NOTHING_LOST, state[dN] == NONE);
        holds(P4_LEASED, made == exists[dB] + exists[dF] +
            (MOVE -> exists[dA] && made_here : exists[dA] + exists[dA2])) }
}

init
{
    atomic {
        alive[INIT] = 1; alive[1] = 1;
        run Writer(0); run Writer(1); run Writer(2);
        run Process(0, A, 1); run Process(2, B, 1); run Process(RECONCILER, B, 1);
#if DDIES
        run Process(1, A, 2); run Process(3, B, 2);
#endif
#if SECOND == 2
        run Process(ATTACHER, A, 1); run Attacher();
#endif
        run Guest(A, RUNS_A); run Guest(B, RUNS_B); run End();
#if RECS
        run People();
#endif
#if MOVE
        run Process(MOVER, N, 1);
#if LATE
        run Clock();
#endif
        /* Guest A runs on the other GPU, and vgpuctl is to move it. */
        exists[dA] = 1; ours[dA] = 1; in_qemu[dA] = 1; file[A] = 1; named[dA] = 1;
        state[dA] = HELD; number[dA] = 1; owner[dA] = 1; next_number = 2; ran[A] = 2;
        request[MOVER] = MOVE_HERE;
#endif
#if STRAY
        run Stray();
#endif
#if DRAIN
        run Administrator();
#endif
#if FOREIGN
        run Hand()
#endif
    };
#if DDIES
    if
    :: atomic { ended < 2 -> alive[1] = 0;
        /* A start without a QEMU yet ends together with its daemon. */
        granted[A] = (in_qemu[dA] -> granted[A] : 0); granted[B] = (in_qemu[dB] -> granted[B] : 0) };
        atomic { current = 2; alive[2] = 1 }
    :: skip
    fi
#endif
}
