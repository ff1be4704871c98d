/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * inject: one fault, at one call of one process.
 *
 * A process that has called inject_begin gets a signal for each system call that it makes itself
 * (seccomp's SECCOMP_RET_TRAP). The signal handler makes the call, kills the process, answers with
 * an error, or writes half. So a call costs one or two microseconds more, and no second process is
 * needed. The process is never stopped; the simulated clock would take a stop for sleep. A malloc
 * of our own counts requests for memory, and refuses one.
 *
 * Processes are numbered: the first is 0, and the processes that it forks are 1, 2, ... in that
 * order. The calls of each process are counted from 1; requests for memory are counted apart. Calls
 * of the fake kernel and of the test itself do not count: they are between inject_pause and
 * inject_resume.
 */

#pragma once

#include <stdbool.h>

#define INJECT_MOST_PROCESSES 16
#define INJECT_MOST_CALLS     8192

enum fault_kind {
    FAULT_NONE,
    FAULT_KILL,   /* SIGKILL before a system call */
    FAULT_ERROR,  /* a system call fails */
    FAULT_SHORT,  /* a write stores only half */
    FAULT_CUT,    /* the ledger is cut off after so many bytes; this is not done by inject */
    FAULT_MEMORY, /* a request for memory is refused */
};

struct fault {
    enum fault_kind kind;
    unsigned process, call;
    int error; /* the errno of FAULT_ERROR */
};

/* What happened. It is in memory that processes share. */
struct inject_record {
    struct {
        unsigned calls, requests; /* requests for memory */
        unsigned char rows[INJECT_MOST_CALLS];
        bool writes[INJECT_MOST_CALLS]; /* writes of more than one byte */
    } processes[INJECT_MOST_PROCESSES];
    int shown;         /* the descriptor to which the place of the fault is printed; 0: none */
    int status;        /* the wait status of the first process, if somebody writes it here */
    bool struck;       /* the fault was met */
    bool knows_domain; /* a process has read a domain's UUID */
    int crash;         /* a signal that ended one of the processes, and that we did not send */
    long unknown;      /* a system call that is missing in system-calls.c; 0: none */
};

/* Whether injection works here. If not, the reason. */
const char *inject_is_possible(void);

/* Injects from the next inject_resume on, until the process ends. */
void inject_begin(struct inject_record *record, const struct fault *fault);
void inject_pause(void);
void inject_resume(void);

/* Whether this process has met the fault. */
bool inject_has_struck(void);

/* Records that this process has read a domain's UUID. */
void inject_know_domain(void);
