/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * inject: one fault, at one call of one process.
 *
 * A process that has called inject_begin gets a signal for each system call that it makes itself
 * (seccomp's SECCOMP_RET_TRAP). The signal handler makes the call, kills the process, answers with
 * an error, or writes only half. So a call costs one or two microseconds more, and no second
 * process is needed. The process is never stopped, because the simulated clock would take a stop
 * for sleep. Our own malloc counts requests for memory, and refuses one.
 *
 * Processes are numbered: the first is 0, and the processes that it forks are 1, 2, and so on. The
 * calls of each process are counted from 1. Requests for memory are counted separately. Calls of
 * the fake kernel and of the test itself do not count. They are between inject_pause and
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
    FAULT_CUT,    /* the ledger is cut off after this many bytes; inject does not do this */
    FAULT_MEMORY, /* a request for memory is refused */
};

struct fault {
    enum fault_kind kind;
    unsigned process, call;
    int error; /* the error of FAULT_ERROR: an errno */
};

/* The result. It is in memory that the processes share. */
struct inject_record {
    struct {
        unsigned calls, requests; /* requests for memory */
        unsigned char rows[INJECT_MOST_CALLS];
        bool writes[INJECT_MOST_CALLS]; /* writes of more than one byte */
    } processes[INJECT_MOST_PROCESSES];
    int shown;   /* the place of the fault is printed to this descriptor; 0: it is not printed */
    int status;  /* the wait status of the first process, if the test writes it here */
    bool struck; /* the process has come to the call of the fault */
    bool knows_domain; /* a process has read a domain's UUID */
    int crash;         /* the signal that ended one of the processes, if we did not send it */
    long unknown;      /* a system call that system-calls.c lacks; 0: none */
};

/* NULL: injection works here. Otherwise the reason why it does not. */
const char *inject_is_possible(void);

/* From the next inject_resume on, counts calls and injects the fault, until the process ends. */
void inject_begin(struct inject_record *record, const struct fault *fault);
void inject_pause(void);
void inject_resume(void);

/* Has this process come to the call of the fault? */
bool inject_has_struck(void);

/* Records that this process has read a domain's UUID. */
void inject_know_domain(void);
