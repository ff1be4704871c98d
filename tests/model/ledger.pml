/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The ledger's protocol, DESIGN 7.1 to 7.10, as a model for spin; tests/README.md tells what is
 * modelled, and tests/model/run checks it. This file: sizes, rules, properties, and the words of
 * the ledger. decision.pml: what a process of ours sees, and decides under the lock. process.pml:
 * what it does. world.pml: the kernel, guests, libvirt's daemons, and the end.
 *
 * One GPU; guest A may start twice, guest B once; two libvirt daemons one after the other. What
 * happens under the lock is ONE atomic step: the ledger is replaced by one rename, so nobody sees
 * the middle of it. A claim can only become free meanwhile, and a mark or a death of the daemon
 * that comes meanwhile is the same as one that comes right after.
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
#define SECOND 0   /* guest A has a second vGPU: 1: from its start; 2: attached while it runs */
#endif
#ifndef KEEP
#define KEEP 0     /* 1: guest A's vGPUs are left in place for its next start */
#endif
#ifndef ARRIVES
#define ARRIVES 0  /* 1: guest B arrives by migration, and a place is reserved for it */
#endif
#ifndef KILLS
#define KILLS 0    /* processes of ours that are killed, at any step */
#endif
#ifndef TOUTS
#define TOUTS 0    /* waits given up: for the lock, or for a writer that comes late */
#endif
#ifndef RECS
#define RECS 0     /* runs of reconcile beside the guests; there are more at the end */
#endif
#ifndef DDIES
#define DDIES 0    /* deaths of the daemon, 0 or 1 */
#endif
#ifndef HANGS
#define HANGS 0    /* writers that never come back from the driver */
#endif
#ifndef FOREIGN
#define FOREIGN 0  /* a foreign hand may make a device: 1: its own; 2: one with the UUID of B's,
                      which it may also take away again */
#endif
#ifndef STRAY
#define STRAY 0    /* 1: somebody has guest A's device open for a time, and is no guest */
#endif

/* --- rules: -DOUT=NAME takes one out, and some property must fail then ------------------------ */

mtype = {
    LOOK_ORDER,    /* 7.1 a look reads ledger, claims, devices, in this order */
    LOOK_CHANGED,  /* 7.1 what was seen does not hold for a lease that changed or went since */
    LOOK_CLAIM,    /* 7.1 nor for one whose claim was held at the look */
    LOOK_NEW,      /* 7.1 a lease that came since the look counts, in every state */
    LOOK_DAEMON,   /* 7.5, 7.7 a look reads daemons and ran marks before it looks at guests */
    VERIFY,        /* 7.1 what is reused is verified after the unlock, before held */
    OUTSIDE,       /* 7.1 drivers are written to outside the lock */
    CLAIM,         /* 7.2 only the holder of its claim acts on a lease */
    CLAIM_ENDS,    /* 7.2 a claim ends with its process */
    CLAIM_WRITER,  /* 7.3 but a writer that is left behind keeps it */
    WRITER_LEFT,   /* 7.3 a writer is waited for to the deadline, and left then */
    WRITER_ALONE,  /* 7.3 with the one device that it is at, no other */
    READ_BY_CHILD, /* 7.3 what a driver answers is read by a child that can be left */
    PROOF,         /* 7.4 proof that nobody has it open, kept while removing */
    DAEMON_OWES,   /* 7.5 while its daemon lives nobody judges a lease but by a mark */
    STATUS_FILE,   /* 7.5 nor while a live guest's status file names the device */
    DAEMON_RECORD, /* 7.5 prepare records nothing once its daemon is gone */
    FOUND,         /* 7.6 what was found is never removed */
    MARK_RELEASE,  /* 7.7 release leaves a mark before it waits for anything */
    MARK_NUMBER,   /* 7.7 mark and release are for leases with lower numbers only */
    MARK_DAEMON,   /* 7.7 a mark is left only if the daemon lives after N was read */
    MARK_RAN,      /* 7.7 started and reconnect leave a mark that the guest ran */
    ATTACH_RAN,    /* 7.7 attach counts as ran */
    ATTACH_NUMBER, /* 7.7 by its own lease's number, not by the header's */
    OTHER_DAEMON,  /* 7.7 release leaves the leases of another living daemon alone */
    KEPT_ROOM,     /* 7.8 a kept device goes when somebody needs its place */
    RESTORE,       /* 7.8 a refused eviction restores the former state */
    RESTORE_OWED,  /* 7.8 but not of what is in use, and a living daemon's: its mark is gone */
    RESERVED_ROOM, /* 7 (states) a reserved place is taken */
    RESERVED_LATE, /* 7 (states) for 60 s, and no longer */
    NOT_INIT       /* 7.10 a hook whose daemon is gone takes no other process for it */
}

#ifndef OUT
#define OUT 0
#endif
#define has(rule) (OUT != rule)

/* --- properties: the names are for spin's messages -------------------------------------------- */

hidden byte P1_CLOSED;       /* a vGPU is removed only while nobody has it open */
hidden byte P2_NOTHING_LOST; /* nothing of ours is lost, and nothing of others is removed */
hidden byte P3_QEMU_FINDS;   /* QEMU finds its devices, and finds them closed */
hidden byte P4_LEASED;       /* no device of ours is there without a lease */
hidden byte P5_ROOM;         /* no place is given twice */
hidden byte P6_NOT_HELD_UP;  /* nobody is held up: all come to an end, and the next start gets the place */
hidden byte P7_PROMISE;      /* a promise is kept, of a place as of what is kept */
hidden byte P8_GUEST_KEEPS;  /* no lease goes while its guest runs with the device */
#define holds(property, what) assert(property || (what))

/* --- names ------------------------------------------------------------------------------------ */

#define A 0
#define B 1
/* devices; a lease has the number of its device */
#define dA  0      /* of guest A */
#define dB  1      /* of guest B */
#define dA2 2      /* the second of guest A */
#define dF  3      /* a foreign one */
#if SECOND
#define LAST dA2
#else
#define LAST dB
#endif
#define dom(d) (d == dB -> B : A)
#define keeps(d) (KEEP && dom(d) == A)

/* states of a lease; LEAVING is leaving and removing: the claim says whether a writer is at it */
#define NONE 0
#define PENDING 1
#define HELD 2
#define KEPT 3
#define LEAVING 4
#define RESERVED 5

/* who a lease's daemon is */
#define INIT 0     /* process 1 lives for ever, and owes nothing */
#define NOBODY 3

/* --- the kernel ------------------------------------------------------------------------------- */

bit exists[4];     /* the device is there */
bit ours[4];       /* and our writer made it */
bit in_qemu[3];    /* its guest's QEMU has it open */
bit probed[3];     /* a writer has it open, as proof */
bit opened;        /* somebody else has guest A's device open */
byte made;         /* how many there are */

#define is_open(d) (in_qemu[d] || probed[d] || (opened && d == dA))

/* --- the ledger, and what lies beside it ------------------------------------------------------ */

byte state[3], number[3], owner[3];
bit found[3];      /* its origin: not made by us */
byte next_number = 1;
byte released[2];  /* marks released/DOMAIN.N: the highest N of each domain; 0: none */
byte ran[2];       /* marks ran/DOMAIN.N */
byte claim[6];     /* the number that each process of ours has locked; 0: none */
byte left_claim[3];/* the same of writers */
bit locked;        /* only if OUTSIDE is out: the lock is held while a driver works */

/* --- writers ---------------------------------------------------------------------------------- */

#define CREATE 1
#define REMOVE 2
#define REUSE 3    /* for no writer */
#define DONE 1
#define REFUSED 2

byte order[3], on_device[3], answer[3];
bit awaited[3], hung[3];
#define hanging (hung[0] || hung[1] || hung[2])

/* --- libvirt ---------------------------------------------------------------------------------- */

bit alive[4];      /* INIT, two daemons, NOBODY */
byte current = 1;  /* the daemon that runs, or ran last */
bit file[2];       /* the guest's status file is there */
bit named[3];      /* and names the device */
byte granted[2];   /* vGPUs that a guest was told it has */
byte ended;        /* guests that start no more */

/* what is asked of a process of ours, and whether it ended well */
#define PREPARE 1
#define STARTED 2
#define RECONNECT 3
#define RELEASE 4
#define ARRIVE 5
#define RECONCILE 6
#define ATTACH 7
#define RECONCILER 4
#define ATTACHER 5
byte request[6];
bit good[6];

/* --- what may still happen; and what only the properties know --------------------------------- */

byte kills = KILLS, waits = TOUTS, hangs = HANGS;
bit calm;          /* the end: nothing fails any more */
bit late;          /* the reservation is older than 60 s */
bit excused[3];    /* never ran, and its release was killed before its mark: 7.7 lets it wait */
bit stays[3];      /* kept, and the kernel has refused to remove it for room: so it stays */
bit verified;      /* prepare has seen that B's device is there: it goes by nobody's hand now */

/* --- words of the ledger ---------------------------------------------------------------------- */

#define in_use(d) (state[d] == PENDING || state[d] == HELD)

/* 7.2, CLAIM: whether somebody is at work under a number; and somebody else than process s */
#define claimed(n) (claim[0] == n || claim[1] == n || claim[2] == n || claim[3] == n || \
    claim[4] == n || claim[5] == n || left_claim[0] == n || left_claim[1] == n || left_claim[2] == n)
#define busy(d) (has(CLAIM) && state[d] != NONE && number[d] != 0 && number[d] != claim[s] && \
    claimed(number[d]))

/* 7.7, MARK_NUMBER, MARK_RAN, ATTACH_RAN: what marks cover */
#define below(d, n) (n != 0 && (number[d] < n || !has(MARK_NUMBER)))
#define is_released(d) (in_use(d) && below(d, released[dom(d)]))
#define ran_covers(d) (in_use(d) && below(d, ran[dom(d)]))
#define has_run(d) (ran_covers(d) && has(MARK_RAN) && (has(ATTACH_RAN) || d != dA2))

/* 7.5, 7.7, 7.8: the fate of a lease that nobody is at work on, as reconcile and who needs the place
 * judge it. saw_...: what the look saw of its daemon, its mark and its guest: LOOK_DAEMON; DAEMON_OWES,
 * STATUS_FILE; and RESERVED_LATE for a place that was promised. */
#define its_daemon_is_gone(d) (!alive[owner[d]] && (saw_gone[d] || !has(LOOK_DAEMON)))
#define it_ran(d) (has_run(d) && (saw_ran[d] || !has(LOOK_DAEMON)))
#define its_guest_is_gone(d) (!(saw_guest[d] && has(STATUS_FILE)) && \
    (is_released(d) || (it_ran(d) && !saw_file[dom(d)]) || \
     its_daemon_is_gone(d) || !has(DAEMON_OWES)))
#define is_left(d) (state[d] == LEAVING || (in_use(d) && its_guest_is_gone(d)))
#define is_broken_promise(d) (state[d] == RESERVED && late && has(RESERVED_LATE))

#define runs_with(d) (file[dom(d)] && named[d] && in_qemu[d])

inline forget(d) {
    holds(P8_GUEST_KEEPS, !runs_with(d));
    holds(P4_LEASED, found[d] || !(exists[d] && ours[d]));
    state[d] = NONE; number[d] = 0; owner[d] = INIT; found[d] = 0; stays[d] = 0
}

/* 7.1: what a process claims gets a new number, the same for all that it claims. What it hands back
 * gets another: a look that saw it before does not hold any more. */
inline take_number() {
    if :: n == 0 -> n = next_number; next_number++; claim[s] = n :: else fi
}

inline number_anew(d) {
    number[d] = next_number; next_number++
}

/* 7.7: a mark goes, under the lock, once it covers nothing. */
inline sweep() {
    d_step {
        if :: released[A] && !is_released(dA) && !is_released(dA2) -> released[A] = 0 :: else fi;
        if :: released[B] && !is_released(dB) -> released[B] = 0 :: else fi;
        if :: ran[A] && !ran_covers(dA) && !ran_covers(dA2) -> ran[A] = 0 :: else fi;
        if :: ran[B] && !ran_covers(dB) -> ran[B] = 0 :: else fi
    }
}

inline raise(mark, n) {
    if :: mark < n -> mark = n :: else fi
}

#define OR_KILLED(label) :: atomic { kills > 0 -> kills--; goto label }

#include "decision.pml"
#include "process.pml"
#include "world.pml"
