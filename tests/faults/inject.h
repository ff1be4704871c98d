/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * inject: one fault, at one call of one process.
 *
 * A process that has called inject_begin gets a signal for each system call that it makes itself
 * (seccomp's SECCOMP_RET_TRAP), and its handler makes the call, or kills the process, or answers
 * with an error, or writes half. So it costs a microsecond or two a call, needs no second process,
 * and a process is never stopped, as the simulated clock would take that for sleep. Requests for
 * memory are counted, and refused, by a malloc of our own.
 *
 * Processes are numbered: the first is 0, and those that it forks are 1, 2, ... in that order. The
 * calls of each are counted from 1, those for memory apart. What the fake kernel and the test do
 * themselves counts for nothing: that is between inject_pause and inject_resume.
 */

#pragma once

#include <stdbool.h>

#define INJECT_MOST_PROCESSES 16
#define INJECT_MOST_CALLS     8192

enum fault_kind {
    FAULT_NONE,
    FAULT_KILL,   /* SIGKILL before a system call */
    FAULT_ERROR,  /* a system call fails */
    FAULT_SHORT,  /* a write writes half */
    FAULT_CUT,    /* the ledger has so many bytes only; not inject's */
    FAULT_MEMORY, /* a request for memory is refused */
};

struct fault {
    enum fault_kind kind;
    unsigned process, call;
    int error; /* of FAULT_ERROR */
};

/* What came to pass; in memory that processes share. */
struct inject_record {
    struct {
        unsigned calls, requests; /* for memory */
        unsigned char rows[INJECT_MOST_CALLS];
        bool writes[INJECT_MOST_CALLS]; /* more than one byte */
    } processes[INJECT_MOST_PROCESSES];
    int shown;         /* where the fault strikes is printed to it; 0: it is not */
    int status;        /* the first one's, as waitpid says it, if somebody writes it */
    bool struck;       /* the fault was met */
    bool knows_domain; /* somebody has read a domain's UUID */
    int crash;         /* a signal that ended one of them: not ours */
    long unknown;      /* a system call that system-calls.c does not know; 0: none */
};

/* Whether that works here; else why not. */
const char *inject_is_possible(void);

/* From the next inject_resume on, until the process ends. */
void inject_begin(struct inject_record *record, const struct fault *fault);
void inject_pause(void);
void inject_resume(void);

/* Whether this process has met the fault. */
bool inject_has_struck(void);

/* This process has read a domain's UUID. */
void inject_know_domain(void);
