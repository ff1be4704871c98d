/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The ledger's protocol as a model for spin: section 7 of common/DESIGN.md, but for rule 7.9.
 * tests/model/README.md says what is modelled. tests/model/run checks the model. This file has sizes,
 * rules, properties, and the words of the ledger. decision.pml: what our process sees, and what it
 * decides under the lock. promise.pml: what 7.13 adds. process.pml: what our process does. world.pml:
 * the kernel, guests, libvirt's daemons, the end.
 *
 * The model has one GPU, and with MOVE another one, where guest A runs. Guest A may start twice, and
 * guest B once. There are two libvirt daemons, one after the other. All that happens under the lock is
 * ONE atomic step, because one rename replaces the ledger, and nobody sees a half-written ledger.
 * During this step a claim can only become free. A mark that comes during the step has the same effect
 * as a mark that comes right after the step. The same is true of a death of the daemon.
 */

/* --- sizes: each may be given with -D --------------------------------------------------------- */

#ifndef CAP
#define CAP 1      /* vGPUs that the GPU holds */
#endif
#ifndef RUNS_A
#define RUNS_A 1   /* starts of guest A, 0 to 2 */
#endif
#ifndef RUNS_B
#define RUNS_B 1   /* starts of guest B, 0 or 1 */
#endif
#ifndef SECOND
#define SECOND 0   /* guest A has a second vGPU; 1: from its start; 2: it is attached later */
#endif
#ifndef KEEP
#define KEEP 0     /* 1: guest A keeps its vGPUs for its next start */
#endif
#ifndef ARRIVES
#define ARRIVES 0  /* 1: guest B arrives by migration, and a place is reserved for it */
#endif
#ifndef KILLS
#define KILLS 0    /* how many of our processes are killed, at any step */
#endif
#ifndef TOUTS
#define TOUTS 0    /* how often a process gives up a wait for the lock, or for a late writer */
#endif
#ifndef RECS
#define RECS 0     /* runs of reconcile while guests run; there are more runs at the end */
#endif
#ifndef DDIES
#define DDIES 0    /* deaths of the daemon, 0 or 1 */
#endif
#ifndef HANGS
#define HANGS 0    /* how many writers never come back from the driver */
#endif
#ifndef FOREIGN
#define FOREIGN 0  /* another program may make a device; 1: with a UUID of its own; 2: with B's UUID,
                      and it may remove this device again */
#endif
#ifndef WHOLE
#define WHOLE 0    /* 1: guest A takes the card itself, and no vGPU; only with CAP=1, SECOND=0, KEEP=0 */
#endif
#ifndef DRAIN
#define DRAIN 0    /* 1: an administrator drains the GPU for a time */
#endif
#ifndef MOVE
#define MOVE 0     /* 1: guest A runs on another GPU from the beginning, and vgpuctl moves it to this one;
                      2: the restore hook runs before each start of guest A. Only with WHOLE=0, KEEP=0,
                      and SECOND=0 or 2 */
#endif
#ifndef EARLY
#define EARLY 0    /* 1: guest A may also start while no place is promised to it; only with MOVE */
#endif
#ifndef LATE
#define LATE 0     /* 1: guest A may come too late for its promise; only with MOVE */
#endif
#ifndef STRAY
#define STRAY 0    /* 1: a program, not a guest, has guest A's device open for a time */
#endif

/* --- rules: -DOUT=NAME takes one out; then some property must fail ---------------------------- */

mtype = {
    LOOK_ORDER,    /* 7.1 a look reads ledger, claims, devices, in this order */
    LOOK_CHANGED,  /* 7.1 a look does not count for a lease that changed or went since */
    LOOK_CLAIM,    /* 7.1 a look does not count for a lease whose claim was held then */
    LOOK_NEW,      /* 7.1 a lease that came since the look counts, in every state */
    LOOK_DAEMON,   /* 7.5, 7.7 a look reads daemons and ran marks before it looks at guests */
    VERIFY,        /* 7.1 a reused device is verified after the unlock, before held */
    OUTSIDE,       /* 7.1 drivers are written to outside the lock */
    CLAIM,         /* 7.2 only the process that holds a lease's claim acts on the lease */
    CLAIM_ENDS,    /* 7.2 a claim ends with its process */
    CLAIM_WRITER,  /* 7.3 a writer that is left behind keeps the claim */
    WRITER_LEFT,   /* 7.3 a process waits for its writer until the deadline, then leaves it */
    WRITER_ALONE,  /* 7.3 a writer is left behind with its one device, and no other */
    READ_BY_CHILD, /* 7.3 a child that can be left reads a driver's answer */
    PROOF,         /* 7.4 proof that nobody has the device open, kept while it is removed */
    DAEMON_OWES,   /* 7.5 while a lease's daemon lives, only a mark may end the lease */
    STATUS_FILE,   /* 7.5 a lease stays while a live guest's status file names its device */
    DAEMON_RECORD, /* 7.5 prepare records nothing once its daemon is gone */
    FOUND,         /* 7.6 a device that was found is never removed */
    MARK_RELEASE,  /* 7.7 release leaves a mark before it waits for anything */
    MARK_NUMBER,   /* 7.7 mark and release are for leases with lower numbers only */
    MARK_DAEMON,   /* 7.7 a mark is left only if the daemon lives after N was read */
    MARK_RAN,      /* 7.7 started and reconnect leave a mark that the guest ran */
    ATTACH_RAN,    /* 7.7 attach leaves a mark that the guest ran */
    ATTACH_NUMBER, /* 7.7 the mark of attach has its own lease's number, not the header's */
    OTHER_DAEMON,  /* 7.7 release leaves the leases of another living daemon alone */
    KEPT_ROOM,     /* 7.8 a kept device goes when somebody needs its place */
    RESTORE,       /* 7.8 a refused eviction restores the former state */
    RESTORE_OWED,  /* 7.8 except for a used lease of a living daemon: its mark is gone */
    RESERVED_ROOM, /* 7 (states) a reserved place is taken */
    RESERVED_LATE, /* 7 (states) a place is reserved for 60 s, and no longer */
    NOT_INIT,      /* 7.10 a hook whose daemon is gone takes no other process for it */
    CARD_LINK,     /* 7.11 a start that takes a card leaves a link, and placement passes the card over */
    CARD_USED,     /* 7.11 a start does not take a card with another guest's lease in use */
    CARD_OWED,     /* 7.11 while a link's daemon lives, only a mark may end the link */
    CARD_FILE,     /* 7.11 a link counts while a live guest's status file names the card */
    CARD_ORDER,    /* 7.11 a look reads a link's daemon and its ran mark before it looks at guests */
    CARD_CHANGED,  /* 7.11 a look does not count for a link that changed since */
    CARD_DAEMON,   /* 7.11 prepare leaves no link once its daemon is gone */
    CARD_MARK,     /* 7.11 release leaves a mark for a link, too, and the mark covers the link */
    CARD_RAN,      /* 7.11 started and reconnect leave a mark for a link, too */
    CARD_OTHER,    /* 7.11 release leaves the link of another living daemon alone */
    DRAIN_LOCK,    /* 7.12 a GPU is drained under the lock, and decisions read there whether it is */
    MOVE_HELD,     /* 7.13 the new place has a lease while the guest is saved */
    MOVE_CLAIM,    /* 7.13 this lease is under vgpuctl's claim */
    MOVE_NOBODY,   /* 7.13 this lease names no daemon, so anybody sweeps it once the claim has ended */
    MOVE_GONE,     /* 7.13 the place is promised only once the guest has no lease any more */
    MOVE_FREE,     /* 7.13 a promise has no claim */
    MOVE_TIME,     /* 7.13 the time of a promise begins when the promise is given */
    MOVE_BOUND,    /* 7.13 a start takes the place that is promised to its guest, and no other */
    MOVE_DRAIN,    /* 7.13 only a promise that is in the ledger passes a drain */
    MOVE_OWN,      /* 7.13 a promise stays while a start removes what is left of its guest */
    MOVE_UNSEEN,   /* 7.13 restore drops no promise that came since its look */
    MOVE_NUMBER    /* 7.13 a promise that restore keeps has a new number */
}

#ifndef OUT
#define OUT 0
#endif
#define has(rule) (OUT != rule)

/* --- properties: the names are for spin's messages -------------------------------------------- */

hidden byte P1_CLOSED;       /* a vGPU is removed only while nobody has it open */
hidden byte P2_NOTHING_LOST; /* no vGPU of ours is lost, and no vGPU of others is removed */
hidden byte P3_QEMU_FINDS;   /* QEMU finds its devices, and nobody else has them open */
hidden byte P4_LEASED;       /* no device of ours is there without a lease */
hidden byte P5_ROOM;         /* no place is given twice */
hidden byte P6_NOT_HELD_UP;  /* all processes end, and the next start gets the place */
hidden byte P7_PROMISE;      /* a held or reserved place, and a kept vGPU, stay as promised */
hidden byte P8_GUEST_KEEPS;  /* no lease goes while its guest runs with the device */
hidden byte P9_WHOLE_CARD;   /* nobody takes a card from under a guest, or gets a vGPU on a taken one */
hidden byte P10_DRAINED;     /* a drained GPU stays empty once it was told to be empty */
#define holds(property, what) assert(property || (what))

/* --- names ------------------------------------------------------------------------------------ */

#define A 0
#define B 1
#define N 2        /* nobody: the domain of the lease that holds a place for guest A */
/* devices; a lease has the number of its device */
#define dA  0      /* of guest A */
#define dB  1      /* of guest B */
#define dA2 2      /* the second of guest A */
#define dN  3      /* no device: only the lease of nobody */
#define dF  4      /* a foreign one */
#if MOVE
#define LAST dN
#elif SECOND
#define LAST dA2
#else
#define LAST dB
#endif
#define dom(d) (d == dB -> B : (d == dN -> N : A))
#define keeps(d) (KEEP && dom(d) == A)

/* States of a lease. LEAVING stands for leaving and removing. The claim tells them apart: it says
 * whether a writer is at work. */
#define NONE 0
#define PENDING 1
#define HELD 2
#define KEPT 3
#define LEAVING 4
#define RESERVED 5

/* The daemon of a lease: one of two daemons, or one of these. */
#define INIT 0     /* process 1; it lives for ever, and owes no release */
#define NOBODY 3

/* --- the kernel ------------------------------------------------------------------------------- */

bit exists[5];     /* the device is there */
bit ours[5];       /* our writer made the device */
bit in_qemu[4];    /* its guest's QEMU has it open */
bit probed[4];     /* a writer has it open, as proof that nobody else has */
bit opened;        /* a program that is no guest has guest A's device open */
byte made;         /* how many devices there are on this GPU */
bit made_here;     /* guest A's first device is on this GPU, not on the other one; only with MOVE */

#define is_open(d) (in_qemu[d] || probed[d] || (opened && d == dA))

/* --- the ledger, and the files beside it ------------------------------------------------------ */

byte state[4], number[4], owner[4];
bit found[4];      /* the lease's origin is "found": we have not made the device */
byte next_number = 1;
byte released[3];  /* marks released/DOMAIN.N: the highest N of each domain; 0: none */
byte ran[3];       /* marks ran/DOMAIN.N */
byte claim[7];     /* the number that each of our processes has locked; 0: none */
byte left_claim[3];/* the number that each writer has locked; 0: none */
bit locked;        /* the lock is held while a driver works; only without the rule OUTSIDE */

bit here;          /* guest A's first lease has a place on this GPU; only with MOVE */

/* The link of a card that guest A takes; 7.11. It has no claim. */
bit card;
byte card_number, card_owner;

/* 7.12: the administrator's list, and whether the administrator was told that the GPU has no lease. */
bit drained, told_empty;

/* --- writers ---------------------------------------------------------------------------------- */

#define CREATE 1
#define REMOVE 2
#define REUSE 3    /* this work needs no writer */
#define DONE 1
#define REFUSED 2

byte order[3], on_device[3], answer[3];
bit awaited[3], hung[3];
#define hanging (hung[0] || hung[1] || hung[2])

/* --- libvirt ---------------------------------------------------------------------------------- */

bit alive[4];      /* INIT, two daemons, NOBODY */
byte current = 1;  /* the daemon that runs, or ran last */
bit file[3];       /* the guest's status file is there */
bit named[4];      /* the status file names the device */
byte granted[3];   /* how many vGPUs a guest was told that it has */
byte ended;        /* how many guests do not start any more */

/* The request to each of our processes, and whether the process ended well. */
#define PREPARE 1
#define STARTED 2
#define RECONNECT 3
#define RELEASE 4
#define ARRIVE 5
#define RECONCILE 6
#define ATTACH 7
#define MOVE_HERE 8
#define RESTORING 9
#define RECONCILER 4
#define ATTACHER 5
#define MOVER 6
byte request[7];
bit good[7];

/* --- what may still happen, and values that only the properties use --------------------------- */

byte kills = KILLS, waits = TOUTS, hangs = HANGS;
bit calm;          /* the end has come: nothing fails any more */
bit late[3];       /* the time of a guest's reservation is older than 60 s */
bit excused[4];    /* the guest never ran, and its release was killed before the mark: 7.7 lets
                      this lease wait */
bit stays[4];      /* the device is kept, and the kernel refused to remove it for a start */
bit overdue;       /* 60 s are over since guest A got a promise */
byte promised_at;  /* the number that the header had when guest A got its promise */
bit verified;      /* prepare has seen B's device, so no other program removes it any more */

/* --- words of the ledger ---------------------------------------------------------------------- */

#define in_use(d) (state[d] == PENDING || state[d] == HELD)

/* 7.2, CLAIM. claimed: is a process at work under this number? busy: is a process other than process
 * s at work on this device? */
#define claimed(n) (claim[0] == n || claim[1] == n || claim[2] == n || claim[3] == n || \
    claim[4] == n || claim[5] == n || claim[6] == n || \
    left_claim[0] == n || left_claim[1] == n || left_claim[2] == n)
#define busy(d) (has(CLAIM) && state[d] != NONE && number[d] != 0 && number[d] != claim[s] && \
    claimed(number[d]))

/* 7.7, MARK_NUMBER, MARK_RAN, ATTACH_RAN: which leases a mark covers */
#define below(d, n) (n != 0 && (number[d] < n || !has(MARK_NUMBER)))
#define is_released(d) (in_use(d) && below(d, released[dom(d)]))
#define ran_covers(d) (in_use(d) && below(d, ran[dom(d)]))
#define has_run(d) (ran_covers(d) && has(MARK_RAN) && (has(ATTACH_RAN) || d != dA2))

/* 7.5, 7.7, 7.8: the fate of a lease on which nobody is at work. Reconcile judges it, and a process
 * that needs the place. saw_...: what the look saw of the lease's daemon, mark and guest. The rules
 * are LOOK_DAEMON, DAEMON_OWES and STATUS_FILE, and RESERVED_LATE for a reserved place. */
#define its_daemon_is_gone(d) (!alive[owner[d]] && (saw_gone[d] || !has(LOOK_DAEMON)))
#define it_ran(d) (has_run(d) && (saw_ran[d] || !has(LOOK_DAEMON)))
#define its_guest_is_gone(d) (!(saw_guest[d] && has(STATUS_FILE)) && \
    (is_released(d) || (it_ran(d) && !saw_file[dom(d)]) || \
     its_daemon_is_gone(d) || !has(DAEMON_OWES)))
#define is_left(d) (state[d] == LEAVING || (in_use(d) && its_guest_is_gone(d)))
#define is_broken_promise(d) (state[d] == RESERVED && late[dom(d)] && has(RESERVED_LATE))

/* 7.11: what becomes of the link. saw_...: what the look saw of the link, of its daemon and its mark,
 * and of the status file. A mark that covers the link ends it without a look. */
#define card_below(n) (card && n != 0 && card_number < n)
#define card_is_released (card_below(released[A]) && has(CARD_MARK))
#define card_has_run (card_below(ran[A]) && has(CARD_RAN))
#define card_file (file[A] && named[dA] && in_qemu[dA])
#define card_known (!has(CARD_CHANGED) || card_number == saw_card)
#define card_daemon_is_gone ((!alive[card_owner] && (saw_card_gone || !has(CARD_ORDER))) || !has(CARD_OWED))
#define card_ran (card_has_run && (saw_card_ran || !has(CARD_ORDER)))
#define card_ended (card && (card_is_released || (card_known && \
    !(saw_card_file && has(CARD_FILE)) && (card_daemon_is_gone || card_ran))))

/* 7.13: with MOVE, all devices of guest A are on the other GPU, but for its first one that is `here`.
 * must_stay: nobody may forget guest A's promise. passes_drain: for a start that is bound to it. */
#define elsewhere(d, is_here) (MOVE && dom(d) == A && !(d == dA && is_here))
#define is_promised (MOVE && state[dA] == RESERVED && owner[dA] == NOBODY)
#define must_stay (is_promised && !overdue)
#define passes_drain (is_promised || !has(MOVE_DRAIN))

/* P5, P7: the vGPUs that guests were told to have on this GPU, and the leases with a place on it. */
#define ROOM ((MOVE -> here && granted[A] : granted[A]) + granted[B] + exists[dF] <= CAP)
#define LEASED_ROOM \
    ((state[dA] != NONE && !elsewhere(dA, here)) + (state[dB] != NONE) + (state[dN] != NONE) <= CAP)
#define is_empty ((state[dA] == NONE || elsewhere(dA, here)) && state[dB] == NONE && \
    (state[dA2] == NONE || MOVE) && state[dN] == NONE)

#define runs_with(d) (file[dom(d)] && named[d] && in_qemu[d])

inline forget(d) {
    holds(P8_GUEST_KEEPS, !runs_with(d));
    holds(P4_LEASED, found[d] || !(exists[d] && ours[d]));
    state[d] = NONE; number[d] = 0; owner[d] = INIT; found[d] = 0; stays[d] = 0;
    if :: d == dA -> here = 0 :: else fi
}

/* 7.1: all leases that a process claims get one new number. A lease that it hands back gets another
 * number. So an earlier look at that lease does not hold any more. */
inline take_number() {
    if :: n == 0 -> n = next_number; next_number++; claim[s] = n :: else fi
}

inline number_anew(d) {
    number[d] = next_number; next_number++
}

/* 7.7: removes the marks that cover no lease. It is called under the lock. */
inline sweep() {
    d_step {
        if :: released[A] && !is_released(dA) && !is_released(dA2) && !card_is_released -> released[A] = 0 :: else fi;
        if :: released[B] && !is_released(dB) -> released[B] = 0 :: else fi;
        if :: ran[A] && !ran_covers(dA) && !ran_covers(dA2) && !card_has_run -> ran[A] = 0 :: else fi;
        if :: ran[B] && !ran_covers(dB) -> ran[B] = 0 :: else fi
    }
}

inline raise(mark, n) {
    if :: mark < n -> mark = n :: else fi
}

/* --- how a step may end otherwise -------------------------------------------------------------- */

#define OR_KILLED(label) :: atomic { kills > 0 -> kills--; goto label }
#define OR_GIVE_UP(label) :: atomic { waits > 0 -> waits--; goto label }
/* 7.1: the lock is held for one atomic step. It is held longer only without the rule OUTSIDE. */
#define LOCK (!locked)
#define OR_HELD_UP :: atomic { locked && hanging -> holds(P6_NOT_HELD_UP, false) }

#include "decision.pml"
#include "promise.pml"
#include "process.pml"
#include "world.pml"
